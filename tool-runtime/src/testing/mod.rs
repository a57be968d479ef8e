//! For tests: suites that a store of your own must pass, and a clock that stands still.

mod clock;
pub mod conformance;
mod instances;

pub use self::clock::ManualClock;
pub use self::instances::{Breach, Broken, Instances, InstancesError};

//! For tests: suites that a store of your own must pass, and a clock that stands still.

mod clock;
pub mod conformance;

pub use self::clock::ManualClock;

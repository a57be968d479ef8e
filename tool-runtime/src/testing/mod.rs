//! For tests: of tools, of what calls them, and of stores.
//!
//! - [`assert_tool!`](assert_tool) tries a tool out in one line; [`ToolTrial`] is the same as a
//!   builder.
//! - [`Instances`] makes values that a schema admits, and texts that it refuses.
//! - [`context`], [`ids`] and [`ManualClock`] make a call the same every time.
//! - [`conformance`] are the suites that a store of your own must pass.

mod clock;
pub mod conformance;
mod diff;
mod ids;
mod instances;
mod trial;

pub use self::clock::ManualClock;
pub use self::ids::{Ids, context, ids};
pub use self::instances::{Breach, Broken, Instances, InstancesError};
pub use self::trial::{Check, Effects, Finding, Recording, ToolTrial, TrialReport};
#[doc = include_str!("../macros/assert_tool.md")]
pub use tool_derive::assert_tool;

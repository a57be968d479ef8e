//! For tests: of tools, of what calls them, and of stores.
//!
//! - [`assert_tool!`](assert_tool) tries a tool out in one line; [`ToolTrial`] is the same as a
//!   builder.
//! - [`Instances`] makes values that a schema admits, and texts that it refuses.
//! - [`expect_output`] says what an answer has to be, and shows how it differs.
//! - [`ScriptedModel`], [`ScriptedApprover`] and [`FaultyStore`] stand for the model, the person and
//!   the store; [`context`], [`ids`] and [`ManualClock`] make a call the same every time.
//! - [`conformance`] are the suites that a store of your own must pass.

mod approver;
mod clock;
pub mod conformance;
mod diff;
mod expect;
mod ids;
mod instances;
mod model;
mod store;
mod trial;

pub use self::approver::ScriptedApprover;
pub use self::clock::ManualClock;
pub use self::expect::{ExpectedData, ExpectedError, ExpectedOutput, expect_output, expect_status};
pub use self::ids::{Ids, context, ids};
pub use self::instances::{Breach, Broken, Instances, InstancesError};
pub use self::model::{ModelAnswer, ModelMessage, ModelTurn, ScriptedModel};
pub use self::store::{FaultyStore, StoreFault, StoreOperation};
pub use self::trial::{Check, Effects, Finding, Recording, ToolTrial, TrialReport};
#[doc = include_str!("../macros/assert_tool.md")]
pub use tool_derive::assert_tool;

//! Helpers for tests of tools, of hosts, and of stores.
//!
//! - [`assert_tool!`](assert_tool) checks a tool in one line; [`ToolTrial`] is the same as a
//!   builder.
//! - [`Instances`] makes values that a schema admits, and texts that it rejects.
//! - [`expect_output`] checks an answer, and shows the difference.
//! - [`ScriptedModel`], [`ScriptedApprover`] and [`FaultyStore`] are fakes of the model, the
//!   approver and the store; [`context`], [`ids`] and [`ManualClock`] make calls reproducible.
//! - [`conformance`] has the suites that your own store must pass.

mod approver;
mod clock;
pub mod conformance;
mod diff;
mod expect;
mod ids;
mod model;
mod store;
mod trial;

#[doc = include_str!("assert_tool.md")]
pub use tool_runtime_derive::assert_tool;
pub use tool_runtime_schema::instances::{Instances, InstancesError, InvalidInstance, Mutation};

pub use self::approver::ScriptedApprover;
pub use self::clock::ManualClock;
pub use self::expect::{ExpectedData, ExpectedError, ExpectedOutput, expect_output, expect_status};
pub use self::ids::{Ids, context, ids};
pub use self::model::{AnsweredCall, ModelTurn, ScriptedMessage, ScriptedModel};
pub use self::store::{FaultyStore, StoreFault, StoreOperation};
pub use self::trial::{
    EffectCounter, RecordedEffects, ToolTrial, TrialCheck, TrialFinding, TrialReport,
};

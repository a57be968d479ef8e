//! The names that a program with tools usually needs: `use tool_runtime::prelude::*;`.

pub use tool_contracts::envelope::{RequestEnvelope, ResponseEnvelope};
pub use tool_contracts::{Actor, ActorType, CallStatus, Effect, Permission, ToolContext};
pub use uuid::Uuid;

#[cfg(not(feature = "attachments"))]
#[doc(hidden)]
pub use tool_runtime_core::Attachments;

#[cfg(feature = "attachments")]
#[doc(no_inline)]
pub use crate::Attachments;
/// For an `impl` of `Approver`, of another policy or of a store.
#[cfg(feature = "policy")]
#[doc(no_inline)]
pub use crate::policy::async_trait;
#[doc(no_inline)]
pub use crate::{
    CallRecord, CallScope, Cancellation, DryRun, DynamicTool, Failure, FromCall, Idempotency,
    MetaRecorder, Progress, Runtime, ToolCall, ToolFailure, ToolOutput, ai_tool, ai_toolkit,
    ai_type,
};

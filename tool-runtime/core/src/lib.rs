//! The core of `tool-runtime`: tools and their registry, calls and their dispatch, policies and stores, metrics,
//! traces, and what answers cost in tokens.
//!
//! Depend on `tool-runtime`, which re-exports what is public here. The hidden modules are for its other parts,
//! and have no stable interface.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[doc(hidden)]
pub mod arguments;
pub mod articulate;
#[doc(hidden)]
pub mod budget_unit;
#[doc(hidden)]
pub mod call;
#[cfg(feature = "http-client")]
#[doc(hidden)]
pub mod credential_transport;
#[doc(hidden)]
pub mod dispatch;
#[doc(hidden)]
pub mod effect_state;
#[doc(hidden)]
pub mod failure;
mod feature_stubs;
#[cfg(feature = "policy")]
#[doc(hidden)]
pub mod key_ring;
#[cfg(feature = "policy")]
#[doc(hidden)]
pub mod log;
#[doc(hidden)]
pub mod metrics;
#[cfg(not(feature = "policy"))]
mod no_policy;
#[cfg(feature = "policy")]
pub mod policy;
#[doc(hidden)]
pub mod refusal_reason;
#[doc(hidden)]
pub mod runtime;
#[cfg(feature = "search")]
pub mod search;
#[cfg(feature = "policy")]
pub mod store;
#[doc(hidden)]
pub mod timer;
pub mod tokens;
#[doc(hidden)]
pub mod tool;
#[cfg(feature = "trace")]
pub mod trace;
#[cfg(feature = "http-client")]
#[doc(hidden)]
pub mod unreached;
#[doc(hidden)]
pub mod words;

#[doc(hidden)]
#[path = "private/mod.rs"]
pub mod __private;

// For tests that other parts of the library share.
#[cfg(test)]
use tool_runtime_schema::Limits;

pub use self::arguments::Arguments;
pub use self::call::{ApprovalError, NotPending, Preview, ToolCall, TypedCall, Withdrawal};
pub use self::dispatch::{AnswerOrigin, CallRecord, Observe, SpendingOutcome, SpendingRecord};
pub use self::failure::{Failure, FailureCode, ToolFailure};
#[cfg(not(feature = "attachments"))]
#[doc(hidden)]
pub use self::feature_stubs::Attachments;
pub use self::refusal_reason::RefusalReason;
pub use self::runtime::{Runtime, RuntimeBuilder, ToolChanges, ToolList, ToolSubscription, Tools};
#[cfg(feature = "tokio")]
pub use self::timer::TokioTimer;
pub use self::timer::{Job, Sleep, Timer};
pub use self::tool::registry::{
    DynamicTool, RefusedTool, Registry, SourceLocation, Tool, Toolkit, TypedTool,
};
pub use self::tool::{
    Attachment, AttachmentHandle, AttachmentLimits, BuildError, BuildProblem, CallScope,
    Cancellation, DataError, DryRun, EvidenceRecorder, FromCall, Idempotency, InputAnswer,
    InputError, MetaRecorder, OutputMeta, Progress, ProgressUpdate, Reconciled, ToolOutput,
    UserInput, quiet_tool_panics,
};
#[cfg(feature = "attachments")]
pub use self::tool::{AttachmentError, Attachments};

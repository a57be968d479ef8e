//! Lets LLM agents use tools safely.
#![doc = "\nBeing written."]

mod arguments;
mod call;
mod dispatch;
mod failure;
mod json;
mod limits;
mod registry;
pub mod schema;
mod timer;

#[doc(hidden)]
#[path = "private/mod.rs"]
pub mod __private;
pub mod prelude;

pub use schemars;
pub use serde;
pub use serde_json;
pub use tool_contracts as contracts;
pub use uuid::Uuid;

pub use self::arguments::Arguments;
pub use self::call::{
    CallScope, Cancellation, DryRun, FromCall, MetaRecorder, Preview, Progress, ProgressUpdate,
    ToolCall, ToolOutput, TypedCall,
};
pub use self::dispatch::{BuildError, BuildProblem, CallRecord, Observe, Runtime, RuntimeBuilder};
pub use self::failure::{Failure, FailureCode, ToolFailure};
pub use self::limits::Limits;
pub use self::registry::{DynamicTool, Place, Registry, Tool, Toolkit, TypedTool};
#[cfg(feature = "tokio")]
pub use self::timer::TokioTimer;
pub use self::timer::{Job, Sleep, Timer};
pub use tool_derive::{ToolFailure, ai_tool, ai_toolkit, ai_type};

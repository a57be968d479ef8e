//! Dispatch: the runtime, its configuration, and the one fixed pipeline that every call goes through.

pub(crate) mod attempt;
mod builder;
pub(crate) mod call_policy;
pub(crate) mod fitting;
mod handle;
pub(crate) mod pipeline;
mod problem;
pub(crate) mod record;
pub(crate) mod refusal;
pub(crate) mod running;
mod runtime;
pub(crate) mod seams;

pub use self::builder::RuntimeBuilder;
pub use self::problem::{BuildError, BuildProblem};
pub use self::record::{CallRecord, Observe, Origin};
pub use self::runtime::Runtime;

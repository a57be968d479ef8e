//! A tool, and what its author sees: the registry, the call's scope, host parameters, the answer.

mod attachment;
mod attachment_limits;
#[cfg(feature = "attachments")]
mod attachments;
mod blocking;
#[cfg(feature = "policy")]
mod blocking_hold;
mod blocking_run;
mod build_error;
mod cancellation;
mod environment;
mod evidence_recorder;
pub(crate) mod field_reader;
#[cfg(feature = "policy")]
mod guarded;
mod host_parameters;
mod idempotency;
mod output;
mod output_envelope;
mod output_meta;
mod panic_guard;
mod panic_hook;
mod panic_watch;
mod reconciled;
#[doc(hidden)]
pub mod redacting;
#[doc(hidden)]
pub mod registry;
mod scope;
mod tool_future;
mod user_input;

#[cfg(feature = "policy")]
pub(crate) use self::attachment::AttachmentContent;
pub(crate) use self::attachment::Description as AttachmentDescription;
pub use self::attachment::{Attachment, AttachmentHandle};
pub use self::attachment_limits::AttachmentLimits;
#[cfg(feature = "policy")]
pub(crate) use self::attachments::sha256_of;
#[cfg(feature = "attachments")]
pub use self::attachments::{AttachmentError, Attachments};
pub(crate) use self::blocking::BlockingPermits;
#[cfg(feature = "trace")]
pub(crate) use self::blocking::JobInstrument;
pub use self::build_error::{BuildError, BuildProblem};
pub use self::cancellation::Cancellation;
pub(crate) use self::environment::Environment;
pub use self::evidence_recorder::EvidenceRecorder;
#[cfg(feature = "policy")]
pub use self::guarded::guarded;
pub use self::host_parameters::{DryRun, FromCall, MetaRecorder, Progress, ProgressUpdate};
pub use self::host_parameters::{EvidenceDraft, MetaDraft};
pub use self::idempotency::Idempotency;
pub use self::output::{DataError, ToolOutput};
pub use self::output_meta::OutputMeta;
pub use self::panic_guard::{PanicGuarded, catch_panic};
pub use self::panic_hook::quiet_tool_panics;
pub use self::panic_hook::{PanicWatch, WatchedCode};
pub use self::panic_watch::WatchesPanics;
pub use self::reconciled::Reconciled;
pub use self::scope::CallScope;
pub(crate) use self::scope::ErrorAuthor;
pub use self::scope::RequestedLimits;
#[cfg(feature = "policy")]
pub(crate) use self::scope::{Lease, Transaction};
#[cfg(feature = "policy")]
pub(crate) use self::tool_future::ReconcileOutcome;
pub use self::tool_future::{Finished, ToolFuture};
pub(crate) use self::tool_future::{OpenEnvelope, ToolEnd};
pub use self::user_input::{InputAnswer, InputError, UserInput};
#[allow(unused_imports, reason = "only the feature `mcp` has users to ask")]
pub use self::user_input::{InputQuestion, InputSource};

//! Lets LLM agents use tools safely.
//!
//! Write [`#[ai_tool]`](macro@ai_tool) over a function. It stays the function it was, and it becomes a
//! tool: with a JSON Schema that a model understands, arguments that are validated and typed, a call
//! that exists *before* it runs, and one frozen envelope for every outcome.
//!
//! ```
//! use tool_runtime::prelude::*;
//!
//! /// The titles that the host searches.
//! struct Index(Vec<String>);
//!
//! /// Searches the published content of a site.
//! #[ai_tool(effect = "read", version = "1.0.0", ttl = "60s", timeout = "5s")]
//! async fn search_content(
//!     index: &Index, // borrowed: the host's, never in the schema
//!     /// Words to look for.
//!     query: &str,
//!     /// Most hits to return.
//!     #[arg(default = 10, range(1..=50))]
//!     limit: usize,
//! ) -> Vec<String> {
//!     index.0.iter().filter(|title| title.contains(query)).take(limit).cloned().collect()
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let index = Index(vec!["green tea".to_owned(), "black tea".to_owned()]);
//! let runtime = Runtime::builder().tool::<SearchContentTool>().state(index).build()?;
//! let cx = ToolContext::local();
//!
//! // A right call: it exists before it runs.
//! let mut call = runtime.call("search_content", r#"{"query":"green"}"#, &cx);
//! assert_eq!(call.status(), CallStatus::Pending);
//! assert_eq!(call.execute().await.data_json(), Some(r#"["green tea"]"#));
//!
//! // A wrong one: every violation at once, and an envelope all the same.
//! let mut call = runtime.call("search_content", r#"{"querry":"green","limit":99}"#, &cx);
//! assert_eq!(call.violations().len(), 3);
//! assert_eq!(call.execute().await.error().and_then(|error| error.code()), Some("INVALID_ARGUMENT"));
//! # Ok(())
//! # }
//! ```
//!
//! # How to read on
//! - [`guide`] has a page for each capability, and begins with [your first tool](guide::first_tool).
//! - [`ai_tool`](macro@ai_tool), [`ai_toolkit`](macro@ai_toolkit), [`ai_type`](macro@ai_type) and
//!   [`ToolFailure`](macro@ToolFailure) are what one writes.
//! - [`RuntimeBuilder`] registers and configures, [`Runtime`] opens calls, [`ToolCall`] is one.
//! - [`Runtime::handle`] takes a request envelope and answers in a response envelope.
//! - [`contracts`] are the envelopes; [`schema`] makes and checks schemas.
//!
//! # What may be relied on
//! - **Every call is answered.** Unknown tool, broken JSON, panic, timeout, denial: always an
//!   envelope.
//! - **Nothing runs on guessed arguments**, and what has an effect asks first
//!   ([`RuntimeBuilder::permission`]).
//! - **What the model may read, what the log may read and what a person may read are three texts.**
//!   A rejected value is in no message; a panic's text and an error's sources go to
//!   [`CallRecord::log`] only.
//!
//! # Features
//! | feature | default | what it adds |
//! | --- | --- | --- |
//! | `discovery` | yes | `Runtime::builder().discover()`: every linked `#[ai_tool]` function |
//! | `tokio` | yes | the default [`Timer`]; without it, give [`RuntimeBuilder::timer`] one of your own |
//! | `canonical` | no | [`canonical`]: JSON in its one form (RFC 8785), and hashes over it |
//! | `attachments` | no | `Attachments`: files, images and links beside a tool's answer |
//! | `export` | no | [`schema::Export`]: contracts as files from a build script, and the lock that a breaking change fails |
//! | `policy` | no | [`policy`] and [`store`]: approval, tickets, idempotency, retries, caching, limits |
//! | `budgets` | no | [`budgets`]: limits on the money that calls spend |
//! | `mandates` | no | [`budgets`] that demand a mandate which a person has signed; needs Rust 1.88, compiles C |
//! | `ledger` | no | [`ledger`]: a chain of records that shows what was altered, removed or reordered |
//! | `ed25519` | no | signed checkpoints of the [`ledger`] for an auditor without its key |
//! | `evidence` | no | [`evidence`]: what calls prove, sealed under keys that can be destroyed |
//! | `toon` | no | [`articulate`] writes TOON where it takes fewer tokens than JSON |
//! | `exact-tokens` | no | [`tokens`]: exact counts for the models of OpenAI; adds 8 MB of vocabularies |
//! | `agent` | no | [`agent`]: tools as an agent runs them; [`assess`]: contexts in few tokens; [`proxy`]: questions answered |
//! | `ag-ui` | no | [`ag_ui`]: runs of an [`agent`] for clients of AG-UI, approvals as interrupts, tools of the client |
//! | `openai` | no | `agent::OpenAiModel`: models on any server with OpenAI's API; adds an HTTP client |
//! | `adapters` | no | [`adapters`]: the tools in the dialects of model providers, and their calls back |
//! | `search` | no | [`search`]: the tools that fit a question |
//! | `http` | no | [`http`]: the tools over HTTP, as a router and as a server |
//! | `console` | no | [`console`]: pages for the people who decide about waiting calls; needs Rust 1.88 |
//! | `jwt` | no | callers of [`http`] that prove who they are by signed tokens; needs Rust 1.88 |
//! | `jwks-url` | no | the keys of signed tokens from a URL: `http::Jwks::url`; adds an HTTP client, needs Rust 1.88 |
//! | `mcp` | no | [`mcp`]: the tools for clients of the Model Context Protocol; needs Rust 1.88 |
//! | `tls` | no | [`http`] over TLS |
//! | `mcp-client` | no | [`mcp::Remote`]: the tools of other MCP servers; adds an HTTP client, needs Rust 1.88 |
//! | `sqlite` | no | a store in one file that survives a crash, and its SQLite |
//! | `sqlite-unbundled` | no | the same with the SQLite of the system |
//! | `postgres` | no | a store in PostgreSQL, which any number of replicas share |
//! | `webhooks` | no | [`webhooks`]: signed messages to other systems about waiting calls; adds an HTTP client |
//! | `testing` | no | [`testing`]: `assert_tool!`, inputs from schemas, fakes, suites for stores of your own |
//! | `trace` | no | [`trace`]: a `tracing` span and one line for the log a call, W3C headers to send on |
//! | `otel` | no | metrics, and spans that continue the caller's trace in OpenTelemetry |
//! | `full` | no | everything |

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "agent")]
pub mod agent;
#[cfg(any(doc, doctest))]
pub mod guide;
#[cfg(feature = "ledger")]
pub mod ledger;
#[cfg(any(feature = "mcp", feature = "mcp-client"))]
pub mod mcp;
pub mod prelude;
#[cfg(feature = "agent")]
pub mod proxy;
pub mod schema;
#[cfg(feature = "policy")]
pub mod store;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

pub use schemars;
pub use serde;
pub use serde_json;
pub use tool_contracts as contracts;
#[cfg(feature = "adapters")]
#[doc(inline)]
pub use tool_runtime_adapters as adapters;
#[cfg(feature = "ag-ui")]
#[doc(inline)]
pub use tool_runtime_ag_ui as ag_ui;
#[cfg(feature = "agent")]
#[doc(inline)]
pub use tool_runtime_agent::assess;
#[cfg(feature = "budgets")]
#[doc(inline)]
pub use tool_runtime_budgets as budgets;
#[cfg(feature = "console")]
#[doc(inline)]
pub use tool_runtime_console as console;
#[cfg(feature = "tokio")]
#[doc(inline)]
pub use tool_runtime_core::TokioTimer;
#[cfg(feature = "policy")]
#[doc(inline)]
pub use tool_runtime_core::policy;
#[cfg(feature = "search")]
#[doc(inline)]
pub use tool_runtime_core::search;
#[cfg(feature = "trace")]
#[doc(inline)]
pub use tool_runtime_core::trace;
#[doc(inline)]
pub use tool_runtime_core::{
    AnswerOrigin, ApprovalError, Arguments, Attachment, AttachmentHandle, AttachmentLimits,
    BuildError, BuildProblem, CallRecord, CallScope, Cancellation, DataError, DryRun, DynamicTool,
    EvidenceRecorder, Failure, FailureCode, FromCall, Idempotency, InputAnswer, InputError, Job,
    MetaRecorder, NotPending, Observe, OutputMeta, Preview, Progress, ProgressUpdate, Reconciled,
    RefusalReason, RefusedTool, Registry, Runtime, RuntimeBuilder, Sleep, SourceLocation,
    SpendingOutcome, SpendingRecord, Timer, Tool, ToolCall, ToolChanges, ToolFailure, ToolList,
    ToolOutput, ToolSubscription, Toolkit, Tools, TypedCall, TypedTool, UserInput, Withdrawal,
    articulate, quiet_tool_panics, tokens,
};
#[cfg(feature = "attachments")]
#[doc(inline)]
pub use tool_runtime_core::{AttachmentError, Attachments};
#[doc = include_str!("macros/tool_failure.md")]
pub use tool_runtime_derive::ToolFailure;
#[doc = include_str!("macros/ai_tool.md")]
pub use tool_runtime_derive::ai_tool;
#[doc = include_str!("macros/ai_toolkit.md")]
pub use tool_runtime_derive::ai_toolkit;
#[doc = include_str!("macros/ai_type.md")]
pub use tool_runtime_derive::ai_type;
#[cfg(feature = "http")]
#[doc(inline)]
pub use tool_runtime_http as http;
#[cfg(feature = "evidence")]
#[doc(inline)]
pub use tool_runtime_record::evidence;
#[cfg(feature = "canonical")]
#[doc(inline)]
pub use tool_runtime_schema::canonical;
#[doc(inline)]
pub use tool_runtime_schema::{Limits, redact};
#[cfg(feature = "testing")]
#[doc(inline)]
pub use tool_runtime_testing as testing;
#[cfg(feature = "webhooks")]
#[doc(inline)]
pub use tool_runtime_webhooks as webhooks;
pub use uuid::Uuid;

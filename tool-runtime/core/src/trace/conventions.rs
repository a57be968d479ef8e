//! The names of all spans, attributes and metrics.
//!
//! OpenTelemetry's names are used where they exist: the semantic conventions for generative AI,
//! from [semantic-conventions-genai](https://github.com/open-telemetry/semantic-conventions-genai)
//! at revision `004902b8cb70aa5ae6ca4ae07132b7daabcd3e10` (status: Development), the span
//! `gen_ai.execute_tool.internal`, and the metrics `gen_ai.execute_tool.duration`,
//! `gen_ai.invoke_agent.duration`, `gen_ai.client.operation.duration` and
//! `gen_ai.client.token.usage`. All other names begin with `tool_runtime.`, a prefix that the
//! conventions do not use. The metrics of agents and of a server are listed in the guide to traces.
//!
//! `gen_ai.tool.call.arguments` and `gen_ai.tool.call.result` are opt-in there, and sensitive: they
//! are never recorded.

// Defined here and not taken from a crate: the conventions move faster than the crates that list
// them.
pub use crate::metrics::names::{
    ACTIVE_CALLS, CACHE_HITS, CALL_DURATION, CALL_STATUS, CALLS, DURATION, DURATION_BOUNDARIES,
    ERROR_TYPE, FUNCTION, OTHER, REFUSALS, REPLAYS, RETRIES, TOOL_NAME, TOOL_TYPE,
};

/// The target of all spans and events, for filters: `tool_runtime=info`.
pub const TARGET: &str = "tool_runtime";

/// The target of details for logs only; for filters: `tool_runtime::detail=off`.
pub const DETAIL_TARGET: &str = "tool_runtime::detail";

/// The target of requests that were refused over HTTP before a call existed; for filters:
/// `tool_runtime::refusals=off`.
pub const REFUSAL_TARGET: &str = "tool_runtime::refusals";

/// The target of the events of agents; for filters: `tool_runtime::agent=debug`.
pub const AGENT_TARGET: &str = "tool_runtime::agent";

/// The operation, which begins the name of each span: `execute_tool {tool}`.
pub const EXECUTE_TOOL: &str = "execute_tool";

/// Attribute: the operation, always [`EXECUTE_TOOL`].
pub const OPERATION_NAME: &str = "gen_ai.operation.name";

/// Attribute: the model's id of the call.
pub const TOOL_CALL_ID: &str = "gen_ai.tool.call.id";

/// Attribute: the tool's description.
pub const TOOL_DESCRIPTION: &str = "gen_ai.tool.description";

/// Attribute: the tool's effect: `read`, `write`, `destructive`.
pub const TOOL_EFFECT: &str = "tool_runtime.tool.effect";

/// Attribute: the tool's version.
pub const TOOL_VERSION: &str = "tool_runtime.tool.version";

/// Attribute: the number of attempts; 0 if the tool never ran.
pub const CALL_ATTEMPTS: &str = "tool_runtime.call.attempts";

/// Attribute: the origin of the answer: `call`, `cache` or `replay`.
pub const CALL_ORIGIN: &str = "tool_runtime.call.origin";

/// Attribute: the invocation that a replay repeats; absent for other calls.
pub const REPLAY_OF: &str = "tool_runtime.call.replay_of";

/// Attribute: whether the call is a dry run.
pub const DRY_RUN: &str = "tool_runtime.call.dry_run";

/// Attribute: the id of the invocation.
pub const INVOCATION_ID: &str = "tool_runtime.invocation.id";

/// Attribute: the tenant.
pub const TENANT_ID: &str = "tool_runtime.tenant.id";

/// Attribute: the run of a graph.
pub const RUN_ID: &str = "tool_runtime.run.id";

/// Attribute: the run of an upload.
pub const INGESTION_RUN_ID: &str = "tool_runtime.ingestion_run.id";

/// Attribute: the host's own id of the trace, in any form.
pub const TRACE_ID: &str = "tool_runtime.trace.id";

/// Attribute: the user; opt-in, by [`SpanIds::user`](super::SpanIds::user).
///
/// It is OpenTelemetry's name; Langfuse reads it as a trace's user, `OpenInference` as a span's.
pub const USER_ID: &str = "user.id";

/// Attribute: the session; opt-in, by [`SpanIds::session`](super::SpanIds::session).
///
/// It is OpenTelemetry's name; Langfuse reads it as a trace's session, `OpenInference` as a
/// span's.
pub const SESSION_ID: &str = "session.id";

/// Attribute: the site; opt-in, by [`SpanIds::site`](super::SpanIds::site).
pub const SITE_ID: &str = "tool_runtime.site.id";

/// Attribute: the site as metadata of a Langfuse trace; opt-in, by
/// [`SpanIds::langfuse_metadata`](super::SpanIds::langfuse_metadata).
pub const LANGFUSE_SITE_ID: &str = "langfuse.trace.metadata.site_id";

/// Attribute: the run as metadata of a Langfuse trace; opt-in, by
/// [`SpanIds::langfuse_metadata`](super::SpanIds::langfuse_metadata).
pub const LANGFUSE_RUN_ID: &str = "langfuse.trace.metadata.run_id";

/// Attribute: the run of an upload as metadata of a Langfuse trace; opt-in, by
/// [`SpanIds::langfuse_metadata`](super::SpanIds::langfuse_metadata).
pub const LANGFUSE_INGESTION_RUN_ID: &str = "langfuse.trace.metadata.ingestion_run_id";

/// The fields by which tracing-opentelemetry sets a span's name, kind and status.
pub(super) const OTEL_NAME: &str = "otel.name";
pub(super) const OTEL_KIND: &str = "otel.kind";
pub(super) const OTEL_STATUS_CODE: &str = "otel.status_code";
pub(super) const INTERNAL: &str = "internal";
pub(super) const ERROR: &str = "error";

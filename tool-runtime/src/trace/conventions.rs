//! Every name of a span, an attribute and a metric, in one place.
//!
//! What OpenTelemetry names is named as there: the semantic conventions for generative AI, from
//! [semantic-conventions-genai](https://github.com/open-telemetry/semantic-conventions-genai) at
//! revision `004902b8cb70aa5ae6ca4ae07132b7daabcd3e10` (status: Development), the span
//! `gen_ai.execute_tool.internal` and the metric `gen_ai.execute_tool.duration`. What they have no
//! name for begins with `tool_runtime.`, which is theirs not to take.
//!
//! `gen_ai.tool.call.arguments` and `gen_ai.tool.call.result` are opt-in there, and sensitive: they
//! are never recorded here, and so have no name here.

/// Names the target of every span and event, for filters: `tool_runtime=info`.
pub const TARGET: &str = "tool_runtime";

/// Names the target of what only a log may read; for filters: `tool_runtime::detail=off`.
pub const DETAIL_TARGET: &str = "tool_runtime::detail";

/// Names the target of what was refused over HTTP before there was a call; for filters:
/// `tool_runtime::refusals=off`.
pub const REFUSAL_TARGET: &str = "tool_runtime::refusals";

/// Names the operation, and begins the name of each span: `execute_tool {tool}`.
pub const EXECUTE_TOOL: &str = "execute_tool";

/// Stands for a name or a code that is not of a known set, so that the set stays small.
pub const OTHER: &str = "_OTHER";

/// Names the attribute that says which operation it is: always [`EXECUTE_TOOL`].
pub const OPERATION_NAME: &str = "gen_ai.operation.name";

/// Names the attribute that says which tool is called; [`OTHER`] if there is no such tool.
pub const TOOL_NAME: &str = "gen_ai.tool.name";

/// Names the attribute that says by which id the model knows the call.
pub const TOOL_CALL_ID: &str = "gen_ai.tool.call.id";

/// Names the attribute that says what kind of tool it is: always [`FUNCTION`].
pub const TOOL_TYPE: &str = "gen_ai.tool.type";

/// Names the attribute that says what the model is told of the tool.
pub const TOOL_DESCRIPTION: &str = "gen_ai.tool.description";

/// Names the attribute that says why a call failed: the code of its error, such as `TIMEOUT`.
///
/// It is one of [`ErrorCode`](crate::contracts::ErrorCode), or one that the tool declares.
pub const ERROR_TYPE: &str = "error.type";

/// Says that the model makes the arguments and the host runs the tool.
pub const FUNCTION: &str = "function";

/// Names the attribute that says what the tool does to the world: `read`, `write`, `destructive`.
pub const TOOL_EFFECT: &str = "tool_runtime.tool.effect";

/// Names the attribute that says which version of the tool is called.
pub const TOOL_VERSION: &str = "tool_runtime.tool.version";

/// Names the attribute that says how the call ended: `executed`, `failed`, `rejected` and so on.
pub const CALL_STATUS: &str = "tool_runtime.call.status";

/// Names the attribute that says how often the tool was tried; 0 if it never was.
pub const CALL_ATTEMPTS: &str = "tool_runtime.call.attempts";

/// Names the attribute that says where the answer comes from: `call`, `cache` or `replay`.
pub const CALL_ORIGIN: &str = "tool_runtime.call.origin";

/// Names the attribute that says which invocation the call repeats, to see whether its answer is
/// still the same; a call of its own has none.
pub const REPLAY_OF: &str = "tool_runtime.call.replay_of";

/// Names the attribute that says that the call has no effect.
pub const DRY_RUN: &str = "tool_runtime.call.dry_run";

/// Names the attribute that says which invocation it is.
pub const INVOCATION_ID: &str = "tool_runtime.invocation.id";

/// Names the attribute that says for whom the tool is called.
pub const TENANT_ID: &str = "tool_runtime.tenant.id";

/// Names the attribute that says which run of a graph the call belongs to.
pub const RUN_ID: &str = "tool_runtime.run.id";

/// Names the attribute that says which upload the call belongs to.
pub const INGESTION_RUN_ID: &str = "tool_runtime.ingestion_run.id";

/// Names the attribute that says the host's own id of the trace, whatever form that has.
pub const TRACE_ID: &str = "tool_runtime.trace.id";

/// Names the attribute that says for which user the tool is called; opt-in, by
/// [`SpanIds::user`](super::SpanIds::user).
///
/// It is OpenTelemetry's name; Langfuse reads it as a trace's user, `OpenInference` as a span's.
pub const USER_ID: &str = "user.id";

/// Names the attribute that says in which session the tool is called; opt-in, by
/// [`SpanIds::session`](super::SpanIds::session).
///
/// It is OpenTelemetry's name; Langfuse reads it as a trace's session, `OpenInference` as a
/// span's.
pub const SESSION_ID: &str = "session.id";

/// Names the attribute that says on which site the tool is called; opt-in, by
/// [`SpanIds::site`](super::SpanIds::site).
pub const SITE_ID: &str = "tool_runtime.site.id";

/// Names the attribute from which Langfuse takes a trace's site; opt-in, by
/// [`SpanIds::langfuse_metadata`](super::SpanIds::langfuse_metadata).
pub const LANGFUSE_SITE_ID: &str = "langfuse.trace.metadata.site_id";

/// Names the attribute from which Langfuse takes a trace's run; opt-in, by
/// [`SpanIds::langfuse_metadata`](super::SpanIds::langfuse_metadata).
pub const LANGFUSE_RUN_ID: &str = "langfuse.trace.metadata.run_id";

/// Names the attribute from which Langfuse takes a trace's upload; opt-in, by
/// [`SpanIds::langfuse_metadata`](super::SpanIds::langfuse_metadata).
pub const LANGFUSE_INGESTION_RUN_ID: &str = "langfuse.trace.metadata.ingestion_run_id";

/// Names the histogram of how long tools ran, in seconds; calls whose tool never ran are not in it.
pub const DURATION: &str = "gen_ai.execute_tool.duration";

/// Bounds the buckets of [`DURATION`], in seconds.
pub const DURATION_BOUNDARIES: [f64; 14] =
    [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];

/// Names the counter of ended calls, by tool, status and error.
pub const CALLS: &str = "tool_runtime.calls";

/// Names the number of calls that are under way, by tool.
pub const ACTIVE_CALLS: &str = "tool_runtime.active_calls";

/// Names the counter of further attempts after a failed one, by tool.
pub const RETRIES: &str = "tool_runtime.retries";

/// Names the counter of calls that were answered by a fresh answer to an earlier one, by tool.
pub const CACHE_HITS: &str = "tool_runtime.cache_hits";

/// Names the counter of calls that were answered by an earlier one under the same key, by tool.
pub const REPLAYS: &str = "tool_runtime.replays";

/// Names the counter of calls that were refused before their tool ran, by tool and error.
pub const REFUSALS: &str = "tool_runtime.refusals";

/// What tracing-opentelemetry reads a span's name from.
pub(super) const OTEL_NAME: &str = "otel.name";
pub(super) const OTEL_KIND: &str = "otel.kind";
pub(super) const OTEL_STATUS_CODE: &str = "otel.status_code";
pub(super) const INTERNAL: &str = "internal";
pub(super) const ERROR: &str = "error";

//! The names of metrics and their attributes that are public, as `trace::conventions` has them.
#![cfg_attr(
    not(feature = "trace"),
    allow(unreachable_pub, reason = "`trace::conventions` exports them")
)]

/// Replaces an unknown name or code, so that an attribute has few values.
pub const OTHER: &str = "_OTHER";

/// Attribute: the tool's name; [`OTHER`] for an unknown tool.
pub const TOOL_NAME: &str = "gen_ai.tool.name";

/// Attribute: the type of the tool, always [`FUNCTION`].
pub const TOOL_TYPE: &str = "gen_ai.tool.type";

/// Attribute: the error code of a failed call, such as `TIMEOUT`.
///
/// It is one of [`ErrorCode`](tool_contracts::ErrorCode), or one that the tool declares.
pub const ERROR_TYPE: &str = "error.type";

/// The type of a tool that the host runs with the model's arguments.
pub const FUNCTION: &str = "function";

/// Attribute: the call's status: `executed`, `failed`, `rejected` and so on.
pub const CALL_STATUS: &str = "tool_runtime.call.status";

/// Histogram: the durations of tools, in seconds, without calls whose tool never ran.
pub const DURATION: &str = "gen_ai.execute_tool.duration";

/// The bucket boundaries of [`DURATION`], in seconds.
pub const DURATION_BOUNDARIES: [f64; 14] =
    [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];

/// Histogram: the durations of calls, in seconds; 0 for a call that never ran.
pub const CALL_DURATION: &str = "tool_runtime.call.duration";

/// Counter: ended calls, by tool, status and error.
pub const CALLS: &str = "tool_runtime.calls";

/// Up-down counter: running calls, by tool.
pub const ACTIVE_CALLS: &str = "tool_runtime.active_calls";

/// Counter: attempts after a failed one, by tool.
pub const RETRIES: &str = "tool_runtime.retries";

/// Counter: calls that were answered from the cache, by tool.
pub const CACHE_HITS: &str = "tool_runtime.cache_hits";

/// Counter: calls that were answered by an earlier call under the same key, by tool.
pub const REPLAYS: &str = "tool_runtime.replays";

/// Counter: calls that were refused before their tool ran, by tool and error.
pub const REFUSALS: &str = "tool_runtime.refusals";

/// Attribute: the name of a budget; [`OTHER`] for one beyond the first hundred names.
pub const BUDGET_NAME: &str = "tool_runtime.budget.name";

/// Attribute: the limit of a budget, such as `day`.
pub const BUDGET_LIMIT: &str = "tool_runtime.budget.limit";

/// Attribute: the unit of a limit: the code of a currency, or `calls`.
pub const BUDGET_UNIT: &str = "tool_runtime.budget.unit";

//! The table of all metrics: a row is one metric at `/metrics` and in OpenTelemetry.
//!
//! Names, units and attributes in OpenTelemetry follow its semantic conventions where they define one
//! (`gen_ai.client.token.usage`, `http.server.request.duration`); other names begin with
//! `tool_runtime.`. At `/metrics` a name begins with `tool_server_` and ends with its unit and, for a
//! counter, `_total`.

use MetricKind::{Counter, Gauge, Histogram, UpDown};
use MetricUnit::{Amount, Bytes, Count, Dimensionless, Seconds};

use super::names::{
    ACTIVE_CALLS, BUDGET_LIMIT, BUDGET_NAME, BUDGET_UNIT, CACHE_HITS, CALL_DURATION, CALL_STATUS,
    CALLS, DURATION, DURATION_BOUNDARIES, ERROR_TYPE, REFUSALS, REPLAYS, RETRIES, TOOL_NAME,
    TOOL_TYPE,
};

/// A metric, as both outputs have it.
#[derive(Debug)]
pub struct Metric {
    pub kind: MetricKind,
    /// The name at `/metrics`, without the prefix and the suffixes of unit and kind.
    pub prometheus: &'static str,
    pub labels: &'static [&'static str],
    /// The name in OpenTelemetry.
    pub(crate) otel: &'static str,
    pub(crate) attributes: &'static [&'static str],
    pub unit: MetricUnit,
    pub description: &'static str,
}

/// The kind of a metric.
#[derive(Debug, Clone, Copy)]
pub enum MetricKind {
    /// A count that only increases.
    Counter,
    /// A count of things that exist now; the counts of several processes add up.
    UpDown,
    /// A value that is not added up, such as 1 for true.
    Gauge,
    /// Durations or counts, with the upper bounds of the buckets in the metric's unit.
    Histogram(&'static [f64]),
}

/// The unit of a metric.
#[derive(Debug, Clone, Copy)]
pub enum MetricUnit {
    Seconds,
    Bytes,
    /// An amount in the unit that an attribute names; it is recorded in millionths.
    Amount,
    /// A number without a unit.
    Dimensionless,
    /// A count of things, with their name as an annotation of UCUM: `{call}`.
    Count(&'static str),
}

impl MetricUnit {
    /// Returns the unit in the notation of UCUM.
    pub(crate) const fn as_ucum(self) -> &'static str {
        match self {
            Self::Seconds => "s",
            Self::Bytes => "By",
            Self::Amount => "{amount}",
            Self::Dimensionless => "1",
            Self::Count(annotation) => annotation,
        }
    }
}

/// The bounds of calls: from a read in memory to a slow upstream.
const CALL_BOUNDS: &[f64] =
    &[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0];

/// The bounds of the conventions for requests (5 ms to 10 s), with those for calls outside of them.
const REQUEST_BOUNDS: &[f64] = &[
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0,
    7.5, 10.0, 30.0,
];

/// The bounds of the conventions for invocations of agents.
const INVOCATION_BOUNDS: &[f64] =
    &[0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6];

/// The bounds of the conventions for tokens: powers of 4.
const TOKEN_BOUNDS: &[f64] = &[
    1.0,
    4.0,
    16.0,
    64.0,
    256.0,
    1_024.0,
    4_096.0,
    16_384.0,
    65_536.0,
    262_144.0,
    1_048_576.0,
    4_194_304.0,
    16_777_216.0,
    67_108_864.0,
];

const OPERATION: &str = "gen_ai.operation.name";
const PROVIDER: &str = "gen_ai.provider.name";
const REQUEST_MODEL: &str = "gen_ai.request.model";
const TOKEN_TYPE: &str = "gen_ai.token.type";
const OUTCOME: &str = "tool_runtime.agent.outcome";
const STEP: &str = "tool_runtime.agent.step";
const STAGE: &str = "tool_runtime.agent.context.stage";
const STOP_CAUSE: &str = "tool_runtime.agent.stop_cause";

const METHOD: &str = "http.request.method";
const ROUTE: &str = "http.route";
const SCHEME: &str = "url.scheme";
const STATUS_CODE: &str = "http.response.status_code";

/// Defines the metrics, one row each: kind; name and labels at `/metrics`; name and attributes in
/// OpenTelemetry; unit; description.
macro_rules! metrics {
    ($(#[$doc:meta])+ $vis:vis const $list:ident;
        $($row:ident: $kind:expr, $prometheus:literal $labels:expr, ($otel:expr, $attributes:expr),
        $unit:expr, $description:literal;)+) => {
        $(pub static $row: Metric = Metric {
            kind: $kind,
            prometheus: $prometheus,
            labels: &$labels,
            otel: $otel,
            attributes: &$attributes,
            unit: $unit,
            description: $description,
        };)+

        $(#[$doc])+
        $vis const $list: &[&Metric] = &[$(&$row,)+];
    };
}

metrics! {
    /// The metrics whose events a recorder counts, in the order of `/metrics`.
    pub const RECORDED;

    // Requests: when a request is answered or refused.
    REQUESTS: Counter, "requests" ["route", "status"],
        ("tool_runtime.server.requests", [ROUTE, STATUS_CODE]), Count("{request}"), "Requests that were answered.";
    REQUESTS_REFUSED: Counter, "refusals" ["status"],
        ("tool_runtime.server.refusals", [STATUS_CODE]), Count("{request}"),
        "Requests that were refused before a call was opened.";
    REQUEST_TIMES: Histogram(REQUEST_BOUNDS), "request_duration" ["route"],
        ("http.server.request.duration", [METHOD, SCHEME, ROUTE, STATUS_CODE, ERROR_TYPE]), Seconds,
        "Time until a response begins.";

    // Calls: when a call starts and ends.
    CALLS_ENDED: Counter, "calls" ["tool", "status", "code"],
        (CALLS, [TOOL_NAME, CALL_STATUS, ERROR_TYPE]), Count("{call}"), "Calls that were answered.";
    CALLS_REFUSED: Counter, "calls_refused" ["tool", "code"],
        (REFUSALS, [TOOL_NAME, ERROR_TYPE]), Count("{call}"), "Calls that were refused before their tool ran.";
    CALLS_RETRIED: Counter, "retries" ["tool"],
        (RETRIES, [TOOL_NAME]), Count("{attempt}"), "Attempts after a failed one.";
    CALLS_CACHED: Counter, "cache_hits" ["tool"],
        (CACHE_HITS, [TOOL_NAME]), Count("{call}"), "Calls that were answered from the cache.";
    CALLS_REPLAYED: Counter, "replays" ["tool"],
        (REPLAYS, [TOOL_NAME]), Count("{call}"), "Calls that were answered by an earlier call under the same key.";
    CALL_TIMES: Histogram(CALL_BOUNDS), "call_duration" ["tool"],
        (CALL_DURATION, [TOOL_NAME, ERROR_TYPE]), Seconds, "Duration of calls; 0 if they never ran.";
    TOOL_TIMES: Histogram(&DURATION_BOUNDARIES), "tool_duration" ["tool"],
        (DURATION, [TOOL_NAME, TOOL_TYPE, ERROR_TYPE]), Seconds, "The duration of a single tool execution.";

    // Budgets: when a call that spends ends.
    BUDGET_AMOUNTS_LIMIT: Gauge, "budget_limit_amount" ["budget", "limit", "unit"],
        ("tool_runtime.budget.limit_amount", [BUDGET_NAME, BUDGET_LIMIT, BUDGET_UNIT]), Amount,
        "The limit that the last call met.";
    BUDGET_AMOUNTS_RESERVED: Counter, "budget_reserved_amount" ["budget", "limit", "unit"],
        ("tool_runtime.budget.reserved_amount", [BUDGET_NAME, BUDGET_LIMIT, BUDGET_UNIT]), Amount,
        "Amounts that calls reserved.";
    BUDGET_AMOUNTS_HELD: Counter, "budget_held_amount" ["budget", "limit", "unit"],
        ("tool_runtime.budget.held_amount", [BUDGET_NAME, BUDGET_LIMIT, BUDGET_UNIT]), Amount,
        "Reserved amounts of calls whose outcome became unknown.";
    BUDGET_AMOUNTS_SPENT: Counter, "budget_spent_amount" ["budget", "limit", "unit"],
        ("tool_runtime.budget.spent_amount", [BUDGET_NAME, BUDGET_LIMIT, BUDGET_UNIT]), Amount,
        "Amounts that calls spent.";
    BUDGET_AMOUNTS_BEYOND: Counter, "budget_beyond_amount" ["budget", "limit", "unit"],
        ("tool_runtime.budget.beyond_amount", [BUDGET_NAME, BUDGET_LIMIT, BUDGET_UNIT]), Amount,
        "Spent amounts beyond what their calls had reserved.";
    BUDGET_REFUSALS: Counter, "budget_refusals" ["budget", "limit", "unit"],
        ("tool_runtime.budget.refusals", [BUDGET_NAME, BUDGET_LIMIT, BUDGET_UNIT]), Count("{call}"),
        "Calls that a limit refused.";

    // Agents: when a request, a step of it, a run of a loop or a call of a model ends.
    AGENT_REQUESTS: Counter, "agent_requests" ["outcome", "code"],
        ("tool_runtime.agent.requests", [OUTCOME, ERROR_TYPE]), Count("{request}"), "Requests to agents that ended.";
    AGENT_CONTEXT_TOKENS: Counter, "agent_context_tokens" ["stage"],
        ("tool_runtime.agent.context.tokens", [STAGE]), Count("{token}"),
        "Tokens of contexts before and after their compression.";
    AGENT_RUNS: Counter, "agent_runs" ["outcome", "cause", "code"],
        ("tool_runtime.agent.runs", [OUTCOME, STOP_CAUSE, ERROR_TYPE]), Count("{run}"),
        "Runs of tool loops that ended or were suspended.";
    AGENT_TURNS: Counter, "agent_turns" [],
        ("tool_runtime.agent.turns", []), Count("{turn}"), "Turns of the runs of tool loops.";
    AGENT_SAVED_TOKENS: Counter, "agent_saved_tokens" [],
        ("tool_runtime.agent.saved_tokens", []), Count("{token}"),
        "Tokens that compression kept out of the requests of tool loops.";
    AGENT_TIMES: Histogram(INVOCATION_BOUNDS), "agent_request_duration" ["outcome"],
        ("gen_ai.invoke_agent.duration", [ERROR_TYPE]), Seconds,
        "The end-to-end duration of a single agent invocation.";
    AGENT_STEP_TIMES: Histogram(CALL_BOUNDS), "agent_step_duration" ["step"],
        ("tool_runtime.agent.step.duration", [STEP]), Seconds, "Duration of the steps of requests to agents.";
    AGENT_RUN_TIMES: Histogram(INVOCATION_BOUNDS), "agent_run_duration" ["outcome"],
        ("tool_runtime.agent.run.duration", [OUTCOME]), Seconds, "Duration of the runs of tool loops.";
    MODEL_TIMES: Histogram(&DURATION_BOUNDARIES), "model_call_duration" ["model", "code"],
        ("gen_ai.client.operation.duration", [OPERATION, PROVIDER, REQUEST_MODEL, ERROR_TYPE]), Seconds,
        "GenAI operation duration.";
    MODEL_TOKENS: Histogram(TOKEN_BOUNDS), "model_tokens" ["model", "type"],
        ("gen_ai.client.token.usage", [OPERATION, PROVIDER, TOKEN_TYPE, REQUEST_MODEL]), Count("{token}"),
        "Number of input and output tokens used.";

    // Calls at this moment.
    CALLS_ACTIVE: UpDown, "calls_in_flight" [],
        (ACTIVE_CALLS, [TOOL_NAME]), Count("{call}"), "Calls that are running.";
}

metrics! {
    /// The metrics of a server whose values are read when they are wanted.
    const READ;

    REQUESTS_ACTIVE: UpDown, "requests_in_flight" [],
        ("tool_runtime.server.active_requests", []), Count("{request}"), "Requests that are being answered.";
    ORPHANS_ACTIVE: UpDown, "orphaned_calls_in_flight" [],
        ("tool_runtime.server.active_orphaned_calls", []), Count("{call}"),
        "Running calls whose clients have disconnected.";
    ORPHANS: Counter, "orphaned_calls" [],
        ("tool_runtime.server.orphaned_calls", []), Count("{call}"),
        "Calls that continued after their clients disconnected.";
    REFUSALS_LEFT_OUT: Counter, "refusals_left_out" [],
        ("tool_runtime.server.refusals_left_out", []), Count("{request}"),
        "Refusals that were counted without a record of their own.";
    SUMMARIES_PENDING: UpDown, "refusal_summaries_pending" [],
        ("tool_runtime.server.refusal_summaries", []), Count("{summary}"),
        "Summaries of refusals that are not yet recorded.";
    UNREAD_BYTES: UpDown, "unread_answer" [],
        ("tool_runtime.server.unread_answers", []), Bytes, "Bytes of responses that clients have not read.";
    CLOCK_STEPS: Counter, "wall_clock_steps" [],
        ("tool_runtime.wall_clock.steps", []), Count("{step}"), "Detected steps of the wall clock.";
    CONNECTIONS: UpDown, "connections" [],
        ("tool_runtime.server.connections", []), Count("{connection}"), "Open connections.";
    CONNECTIONS_ACCEPTED: Counter, "connections_accepted" [],
        ("tool_runtime.server.connections_accepted", []), Count("{connection}"), "Accepted connections.";
    CONNECTIONS_FAILED: Counter, "connections_failed" [],
        ("tool_runtime.server.connections_failed", []), Count("{connection}"), "Failures to accept a connection.";
    CONNECTIONS_REFUSED: Counter, "connections_refused" [],
        ("tool_runtime.server.connections_refused", []), Count("{connection}"),
        "Connections that were closed because their address had too many.";
    CONNECTIONS_TIMED_OUT: Counter, "connections_timed_out" [],
        ("tool_runtime.server.connections_timed_out", []), Count("{connection}"),
        "Connections that were closed by a time limit.";
    HANDSHAKES_FAILED: Counter, "tls_handshakes_failed" [],
        ("tool_runtime.server.tls_handshakes_failed", []), Count("{connection}"),
        "Connections whose TLS handshake failed.";
    DRAINING: Gauge, "draining" [],
        ("tool_runtime.server.draining", []), Dimensionless, "1 while the server is shutting down.";
    TOKEN_KEYS_FAILING: Gauge, "token_keys_failing" [],
        ("tool_runtime.server.token_keys_failing", []), Dimensionless, "1 while the keys of tokens cannot be read.";
    OUTCOMES_UNKNOWN: Counter, "outcomes_unknown" [],
        ("tool_runtime.outcomes.unknown", []), Count("{call}"), "Keyed calls whose outcome became unknown.";
    OUTCOMES_RESOLVED: Counter, "outcomes_resolved" [],
        ("tool_runtime.outcomes.resolved", []), Count("{call}"), "Unknown outcomes that a person resolved.";
    OUTCOMES_ARCHIVED: Counter, "outcomes_archived" [],
        ("tool_runtime.outcomes.archived", []), Count("{call}"),
        "Unknown outcomes that stayed unresolved and were archived.";
    OUTCOMES_DAMAGED: Counter, "outcomes_damaged" [],
        ("tool_runtime.outcomes.damaged", []), Count("{call}"),
        "Keyed calls that were refused because the record of their key is damaged.";
    OUTCOMES_OVER_QUOTA: Counter, "outcomes_over_quota" [],
        ("tool_runtime.outcomes.over_quota", []), Count("{call}"),
        "Calls that were refused because their caller has used up its quota of the store.";
    LEDGER_WRITTEN: Counter, "ledger_written" [],
        ("tool_runtime.ledger.written", []), Count("{record}"), "Calls that are recorded in the ledger.";
    LEDGER_SHED: Counter, "ledger_shed" [],
        ("tool_runtime.ledger.shed", []), Count("{record}"), "Calls that were left out of the ledger under overload.";
    LEDGER_LOST: Counter, "ledger_lost" [],
        ("tool_runtime.ledger.lost", []), Count("{record}"), "Calls whose record was lost.";
    LEDGER_UNCONFIRMED: Counter, "ledger_unconfirmed" [],
        ("tool_runtime.ledger.unconfirmed", []), Count("{record}"),
        "Answers that were sent before their records were durable.";
    LEDGER_WAITING: UpDown, "ledger_waiting" [],
        ("tool_runtime.ledger.waiting", []), Count("{record}"), "Calls that wait to be written to the ledger.";
    LEDGER_FAILING: Gauge, "ledger_failing" [],
        ("tool_runtime.ledger.failing", []), Dimensionless, "1 while the ledger cannot be written.";
}

// A name that an output would refuse fails the build.
const _: () = {
    check_names(RECORDED);
    check_names(READ);
};

const fn check_names(mut metrics: &[&Metric]) {
    while let [metric, others @ ..] = metrics {
        assert!(is_name(metric.prometheus, false), "a name at `/metrics`");
        assert!(are_names(metric.labels, false), "the name of a label");
        assert!(is_name(metric.otel, true), "a name of OpenTelemetry");
        assert!(are_names(metric.attributes, true), "the name of an attribute");
        assert!(
            !metric.unit.as_ucum().is_empty() && !metric.description.is_empty(),
            "an empty text"
        );
        metrics = others;
    }
}

const fn are_names(mut texts: &[&str], may_have_dots: bool) -> bool {
    while let [text, others @ ..] = texts {
        if !is_name(text, may_have_dots) {
            return false;
        }
        texts = others;
    }
    true
}

/// Returns whether this is a name: a lower-case letter, then such letters, digits, `_`, and dots
/// where they are allowed.
const fn is_name(text: &str, may_have_dots: bool) -> bool {
    let mut bytes = text.as_bytes();
    while let [byte, others @ ..] = bytes {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'_' => {}
            b'.' if may_have_dots => {}
            _ => return false,
        }
        bytes = others;
    }
    matches!(text.as_bytes(), [b'a'..=b'z', ..])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{READ, RECORDED};

    #[test]
    fn no_two_metrics_have_the_same_name_in_an_output() {
        let metrics = [RECORDED, READ].concat();
        let prometheus: BTreeSet<_> = metrics.iter().map(|metric| metric.prometheus).collect();
        let otel: BTreeSet<_> = metrics.iter().map(|metric| metric.otel).collect();
        assert_eq!((prometheus.len(), otel.len()), (metrics.len(), metrics.len()));
    }

    #[test]
    fn the_guide_names_each_metric_of_both_outputs() {
        let guide = include_str!("../../../docs/traces.md");
        let row = |metric: &super::Metric| {
            let unit = match metric.unit {
                super::MetricUnit::Seconds => "_seconds",
                super::MetricUnit::Bytes => "_bytes",
                super::MetricUnit::Amount
                | super::MetricUnit::Dimensionless
                | super::MetricUnit::Count(_) => "",
            };
            let total = if matches!(metric.kind, super::Counter) { "_total" } else { "" };
            format!("| `tool_server_{}{unit}{total}` | `{}` |", metric.prometheus, metric.otel)
        };
        let rows = RECORDED.iter().chain(READ).map(|metric| row(metric));
        let missing: Vec<_> = rows.filter(|row| !guide.contains(row)).collect();
        assert!(missing.is_empty(), "tool-runtime/docs/traces.md lacks:\n{}", missing.join("\n"));
    }
}

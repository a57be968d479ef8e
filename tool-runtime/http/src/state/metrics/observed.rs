//! Reads the values that are not counted for the metrics: of limits, connections and the ledger.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use tool_runtime_core::metrics::Metric;
use tool_runtime_core::metrics::table::{
    CALLS_ACTIVE, CLOCK_STEPS, CONNECTIONS, CONNECTIONS_ACCEPTED, CONNECTIONS_FAILED,
    CONNECTIONS_REFUSED, CONNECTIONS_TIMED_OUT, DRAINING, HANDSHAKES_FAILED, LEDGER_FAILING,
    LEDGER_LOST, LEDGER_SHED, LEDGER_UNCONFIRMED, LEDGER_WAITING, LEDGER_WRITTEN, ORPHANS,
    ORPHANS_ACTIVE, OUTCOMES_ARCHIVED, OUTCOMES_DAMAGED, OUTCOMES_OVER_QUOTA, OUTCOMES_RESOLVED,
    OUTCOMES_UNKNOWN, REFUSALS_LEFT_OUT, REQUESTS_ACTIVE, SUMMARIES_PENDING, TOKEN_KEYS_FAILING,
    UNREAD_BYTES,
};
use tool_runtime_record::ledger::Ledger;

use crate::state::app::{App, SharedApp};

/// A metric without labels, and its current value.
type Observed = (&'static Metric, u64);

/// Exports the values of a server by the meter of its runtime, if it has one.
pub(crate) fn export(app: &SharedApp) {
    let Some(meter) = app.metrics.meter() else { return };
    for (index, (metric, _)) in server_values(app).into_iter().enumerate() {
        // The meter keeps the callback, so that it holds no server.
        let app: Weak<App> = Arc::downgrade(app);
        meter.observe(metric, move || {
            let values = server_values(&*app.upgrade()?);
            values.get(index).map(|(_, value)| *value)
        });
    }
}

/// Reads the number of running calls, which OpenTelemetry counts by tool.
pub(super) fn active_calls(app: &App) -> Observed {
    (&CALLS_ACTIVE, app.metrics.0.calls.active())
}

/// Reads the values of a server, always in the same order.
pub(super) fn server_values(app: &App) -> Vec<Observed> {
    let (metrics, drain) = (&app.metrics.0, &app.config.drain);
    let (counters, outcomes) = (drain.counters(), app.runtime.outcomes().counts());
    let mut values = vec![
        (&REQUESTS_ACTIVE, counters.in_flight()),
        (&ORPHANS_ACTIVE, metrics.orphans.0.load(Ordering::Relaxed)),
        (&ORPHANS, metrics.orphans.1.load(Ordering::Relaxed)),
        (&REFUSALS_LEFT_OUT, app.refusal_counts.left_out()),
        (&SUMMARIES_PENDING, whole(app.refusal_counts.pending())),
        (&UNREAD_BYTES, whole(app.unread.bytes())),
        (&CLOCK_STEPS, metrics.clock_steps.load(Ordering::Relaxed)),
        (&CONNECTIONS, counters.open()),
        (&CONNECTIONS_ACCEPTED, counters.accepted.read()),
        (&CONNECTIONS_FAILED, counters.failed.read()),
        (&CONNECTIONS_REFUSED, counters.refused.read()),
        (&CONNECTIONS_TIMED_OUT, counters.timed_out.read()),
        (&HANDSHAKES_FAILED, counters.handshakes_failed.read()),
        (&DRAINING, drain.has_begun().into()),
        (&OUTCOMES_UNKNOWN, outcomes.unknown),
        (&OUTCOMES_RESOLVED, outcomes.resolved),
        (&OUTCOMES_ARCHIVED, outcomes.archived),
        (&OUTCOMES_DAMAGED, outcomes.damaged),
        (&OUTCOMES_OVER_QUOTA, outcomes.over_quota),
    ];
    let token_keys = app.config.auth.token_keys_fail();
    values.extend(token_keys.map(|fail| (&TOKEN_KEYS_FAILING, fail.into())));
    values.extend(app.config.ledger.iter().flat_map(ledger_values));
    values
}

fn ledger_values(ledger: &Ledger) -> [Observed; 6] {
    let status = ledger.status();
    [
        (&LEDGER_WRITTEN, status.written),
        (&LEDGER_SHED, status.shed),
        (&LEDGER_LOST, status.lost),
        (&LEDGER_UNCONFIRMED, status.unconfirmed),
        (&LEDGER_WAITING, status.waiting()),
        (&LEDGER_FAILING, status.write_error.is_some().into()),
    ]
}

fn whole(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

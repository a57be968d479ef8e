//! Reads the values that are not counted for the metrics: of limits, connections and the ledger.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use tool_runtime_core::metrics::{Metric, table};
use tool_runtime_record::ledger::Ledger;

use crate::state::app::{App, SharedApp};

/// A metric without labels, and its current value.
type Observed = (&'static Metric, u64);

/// Exports the values of a server by the meter of its runtime, if it has one.
pub(crate) fn export(app: &SharedApp) {
    let Some(meter) = app.metrics.0.calls.recorder().meter() else { return };
    for (index, (metric, _)) in server_values(app).into_iter().enumerate() {
        // The meter keeps the callback, so that it holds no server.
        let app: Weak<App> = Arc::downgrade(app);
        let read_value = move || Some(server_values(&*app.upgrade()?).get(index)?.1);
        meter.observe(metric, Box::new(read_value));
    }
}

/// Reads the values of a server, always in the same order.
pub(super) fn server_values(app: &App) -> Vec<Observed> {
    let (metrics, drain) = (&app.metrics.0, &app.config.drain);
    let (counters, outcomes) = (drain.counters(), app.runtime.outcomes().counts());
    let mut values = vec![
        (&table::REQUESTS_ACTIVE, counters.in_flight()),
        (&table::ORPHANS_ACTIVE, metrics.orphans.0.load(Ordering::Relaxed)),
        (&table::ORPHANS, metrics.orphans.1.load(Ordering::Relaxed)),
        (&table::REFUSALS_LEFT_OUT, app.refusal_counts.left_out()),
        (&table::SUMMARIES_PENDING, whole(app.refusal_counts.pending())),
        (&table::UNREAD_BYTES, whole(app.unread.bytes())),
        (&table::CLOCK_STEPS, metrics.clock_steps.load(Ordering::Relaxed)),
        (&table::CONNECTIONS, counters.open()),
        (&table::CONNECTIONS_ACCEPTED, counters.accepted.read()),
        (&table::CONNECTIONS_FAILED, counters.failed.read()),
        (&table::CONNECTIONS_REFUSED, counters.refused.read()),
        (&table::CONNECTIONS_TIMED_OUT, counters.timed_out.read()),
        (&table::HANDSHAKES_FAILED, counters.handshakes_failed.read()),
        (&table::DRAINING, drain.has_begun().into()),
        (&table::OUTCOMES_UNKNOWN, outcomes.unknown),
        (&table::OUTCOMES_RESOLVED, outcomes.resolved),
        (&table::OUTCOMES_ARCHIVED, outcomes.archived),
        (&table::OUTCOMES_DAMAGED, outcomes.damaged),
        (&table::OUTCOMES_OVER_QUOTA, outcomes.over_quota),
    ];
    let token_keys = app.config.auth.token_keys_fail();
    values.extend(token_keys.map(|fail| (&table::TOKEN_KEYS_FAILING, fail.into())));
    values.extend(app.config.ledger.iter().flat_map(ledger_values));
    values
}

fn ledger_values(ledger: &Ledger) -> [Observed; 6] {
    let status = ledger.status();
    [
        (&table::LEDGER_WRITTEN, status.written),
        (&table::LEDGER_SHED, status.shed),
        (&table::LEDGER_LOST, status.lost),
        (&table::LEDGER_UNCONFIRMED, status.unconfirmed),
        (&table::LEDGER_WAITING, status.waiting()),
        (&table::LEDGER_FAILING, status.write_error.is_some().into()),
    ]
}

fn whole(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

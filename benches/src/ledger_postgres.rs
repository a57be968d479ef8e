//! The ledger in PostgreSQL: calls with it beside calls without, and appends of one record beside groups.

use std::thread;
use std::time::Instant;

use tool_runtime::RuntimeBuilder;
use tool_runtime::ledger::{
    ChainHead, ChainKeys, Ledger, LedgerStore as _, PostgresLedger, verify,
};
use tool_runtime::policy::KeyRing;
use tool_runtime::store::PostgresStore;

use crate::rates::{median, rate, text};

const ROUNDS: usize = 5;

/// The groups that each writer appends in a round.
const GROUPS: usize = 150;

/// A record of the usual size: about 1 KB.
const BODY: &str = r#"{"kind":"call","at":"2026-11-29T10:00:00.000Z","opened_at":"2026-11-29T10:00:00.000Z","trace_id":"trace-1","run_id":"run-1","tenant_id":"00000000-0000-0000-0000-000000000007","principal":{"user_id":"ada"},"invocation_id":"00000000-0000-0000-0000-000000000008","tool":"orders.place","version":"1.0.0","effect":"write","status":"success","ended":"executed","latency_ms":4,"attempts":1,"#;

/// Records appended per second by one writer and by four, one at a time and in groups of 32.
pub(crate) struct AppendRates {
    pub(crate) one: [f64; 2],
    pub(crate) four: [f64; 2],
}

/// Adds a ledger to the builder; returns it, too.
pub(crate) fn recorded(
    builder: RuntimeBuilder,
    store: &PostgresStore,
) -> Result<(RuntimeBuilder, Ledger), String> {
    let ledger = PostgresLedger::open(store, "figures").map_err(text)?;
    let ledger = Ledger::builder(ring()?).open(ledger).map_err(text)?;
    Ok((builder.ledger(&ledger), ledger))
}

/// Checks that the ledger has these calls and is as it was written.
pub(crate) fn check(store: &PostgresStore, calls: usize) -> Result<(), String> {
    let mut reader = PostgresLedger::read_only(store).map_err(text)?;
    let verified = verify(&mut reader, &ring()?, &[]).map_err(text)?;
    let records: u64 = verified.writers().iter().map(|chain| chain.size).sum();
    let calls = u64::try_from(calls).map_err(text)?;
    if records < calls { Err(format!("{records} records of {calls} calls")) } else { Ok(()) }
}

/// Measures appends, each writer with a chain and a connection of its own.
pub(crate) fn append_rates(store: &PostgresStore) -> Result<AppendRates, String> {
    let mut rates = <[[Vec<f64>; 2]; 2]>::default();
    for _ in 0..ROUNDS {
        for (by_writers, writers) in rates.iter_mut().zip([1, 4]) {
            for (by_group, group) in by_writers.iter_mut().zip([1, 32]) {
                by_group.push(append_rate(store, writers, group)?);
            }
        }
    }
    let [one, four] = rates.map(|by_group| by_group.map(|rates| median(&rates)));
    Ok(AppendRates { one, four })
}

fn append_rate(store: &PostgresStore, writers: usize, group: usize) -> Result<f64, String> {
    let keys = ChainKeys::new(&ring()?);
    let open = |_| PostgresLedger::open(store, "figures").map_err(text);
    let ledgers = (0..writers).map(open).collect::<Result<Vec<_>, _>>()?;
    let start = Instant::now();
    thread::scope(|scope| {
        let append = |mut ledger: PostgresLedger| {
            let keys = &keys;
            scope.spawn(move || {
                let mut head = ChainHead::empty();
                let body = format!(r#"{BODY}"input":"{}"}}"#, "7".repeat(600));
                for _ in 0..GROUPS {
                    let entries: Vec<_> =
                        (0..group).map(|_| head.append(keys, body.as_str().into())).collect();
                    ledger.append(&entries).map_err(text)?;
                }
                Ok::<_, String>(())
            })
        };
        let threads: Vec<_> = ledgers.into_iter().map(append).collect();
        threads.into_iter().try_for_each(|thread| thread.join().map_err(|_| "a writer panicked")?)
    })?;
    Ok(rate(writers * GROUPS * group, start))
}

fn ring() -> Result<KeyRing, String> {
    KeyRing::new("2026-11", &[7; 32]).map_err(text)
}

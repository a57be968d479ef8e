//! Plants marked values in every sensitive property, makes calls that end in every way with all
//! sinks at once, and searches everything that was written for the marks, in every form.
//!
//! Secrets and the values in `auth` are in none of the sinks, even if the tool writes them. Other
//! values may only be in these:
//!
//! | sink | personal | free text | unknown field | key | the answer's secret |
//! | --- | --- | --- | --- | --- | --- |
//! | tracing, OpenTelemetry, `JsonLog`, `CallRecord` | | | | | |
//! | ledger, in lines and in a table | | | | | |
//! | evidence: the file, and the part that needs no reason | | | | | |
//! | tickets, and the file of deferred calls | | | | | |
//! | a replay's report | | | | | |
//! | `Debug` of everything else | | | | the context's | |
//! | `Preview`, for the approver | yes | yes | | | |
//! | progress, for the caller | by the tool | by the tool | | | |
//! | the caller's envelope | yes | yes | by the tool | | yes |
//! | the file of stored answers | yes | yes | | yes | yes |
//!
//! The envelope's `input` echoes the caller's own arguments, so it and messages contain personal
//! data, but no secrets. A stored answer is stored byte for byte, under its key. Unredacted
//! arguments are only in the host's own view of a call, and encrypted.

mod marks;
mod sinks;
mod tools;
mod walk;

use std::cell::RefCell;

use tokio::runtime::Builder;
use tracing::dispatcher::{DefaultGuard, set_default};

use self::marks::{Kind, MARKS, found};
use self::sinks::{Exported, Sinks};
use self::walk::{LedgerBackend, Walk};
use crate::support::subscribe;

/// The kinds of values that each sink may contain, as in the table.
const MAY_HOLD: [(&str, &[Kind]); 15] = [
    ("tracing, text", &[]),
    ("tracing, JSON", &[]),
    ("OpenTelemetry", &[]),
    ("JsonLog", &[]),
    ("ledger", &[]),
    ("evidence", &[]),
    ("ticket", &[]),
    ("tickets", &[]),
    ("ReplayReport", &[]),
    ("Debug", &[Kind::Key]),
    ("CallRecord", &[]),
    ("Preview", &[Kind::Personal, Kind::FreeText]),
    ("envelope", &[Kind::Personal, Kind::FreeText, Kind::Stranger, Kind::Answered]),
    ("progress", &[Kind::Personal, Kind::FreeText]),
    ("answers", &[Kind::Personal, Kind::FreeText, Kind::Key, Kind::Answered]),
];

#[test]
fn no_mark_is_found_where_it_may_not_be_beside_a_ledger_of_lines() {
    check(LedgerBackend::Lines);
}

#[test]
fn no_mark_is_found_where_it_may_not_be_beside_a_ledger_in_a_table() {
    check(LedgerBackend::Table);
}

#[track_caller]
fn check(kept: LedgerBackend) {
    let sinks = Sinks::default();
    walk(kept, &sinks);
    let mut names: Vec<_> = MAY_HOLD.map(|(name, _)| name).into();
    names.sort_unstable();
    assert_eq!(sinks.names(), names, "every sink is written to, and every one has its rules");
    let leaks: Vec<_> = MAY_HOLD.iter().flat_map(|(name, may)| leaks(&sinks, name, may)).collect();
    assert!(leaks.is_empty(), "{}", leaks.join("\n"));
    for (name, may) in MAY_HOLD {
        let text = sinks.text(name);
        for kind in may {
            let mut marks = MARKS.iter().filter(|mark| mark.kind == *kind);
            assert!(marks.any(|mark| found(&text, mark).is_some()), "{name} may hold {kind:?}");
        }
    }
}

/// Goes through everything, on threads that all write their traces to the sinks.
fn walk(kept: LedgerBackend, sinks: &Sinks) {
    let exported = Exported::start(sinks);
    let dispatch = exported.dispatch.clone();
    let runtime = Builder::new_current_thread()
        .enable_all()
        .on_thread_start(move || HERE.set(Some(set_default(&dispatch))))
        .on_thread_stop(|| drop(HERE.take()))
        .build()
        .unwrap();
    let _here = subscribe(exported.dispatch.clone());
    runtime.block_on(async {
        let walk = Walk::start(kept, sinks, &exported);
        walk.through_everything().await;
        walk.close().await;
    });
    drop(runtime);
    exported.write_to(sinks);
}

thread_local! {
    /// The subscriber of a blocking thread.
    static HERE: RefCell<Option<DefaultGuard>> = const { RefCell::new(None) };
}

/// Returns the marks in a sink that must not be there, each with a part of the text around it.
fn leaks(sinks: &Sinks, name: &str, may: &[Kind]) -> Vec<String> {
    let text = sinks.text(name);
    let forbidden = MARKS.iter().filter(|mark| !may.contains(&mark.kind));
    let found = forbidden.filter_map(|mark| {
        let (form, at) = found(&text, mark)?;
        let (before, after) = (text[..at].chars().rev().take(100), text[at..].chars().take(60));
        let around: String = before.collect::<Vec<_>>().into_iter().rev().chain(after).collect();
        Some(format!("{name}: {:?}, {}, {form}: {around:?}", mark.kind, mark.place))
    });
    found.collect()
}

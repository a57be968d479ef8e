//! Marked values in every sensitive place, every end that a call can come to, every sink at once:
//! then all that was written is searched for the marks, in every form in which they may stand.
//!
//! | sink | secret | auth | personal | unknown field | free text | key | answer |
//! | --- | --- | --- | --- | --- | --- | --- | --- |
//! | tracing, OpenTelemetry, `JsonLog` | | | | | | | |
//! | the ledger, in lines and in a table | | | | | | | |
//! | evidence: the file, and what may be seen without a reason | | | | | | | |
//! | tickets, and the store they wait in | | | | | | | |
//! | `CallRecord::log` | | | | | if the tool says it | | |
//! | `Debug` of everything | | | | | | | |
//! | `Preview`: for the person who decides | | | yes | | yes | | |
//! | the caller's envelope | | | its echo, the answer | its echo | its echo | | yes |
//! | the store of answers, which are repeated byte for byte | | | the answer | | | | yes |
//! | a replay's report | | | | | | | |

mod marks;
mod sinks;
mod tools;
mod walk;

use std::cell::RefCell;

use tokio::runtime::Builder;
use tracing::dispatcher::{DefaultGuard, set_default};

use self::marks::{Kind, MARKS, found};
use self::sinks::{Exported, Sinks};
use self::walk::{Kept, Walk};

/// What each sink may hold; a sink that is not here may not be.
const MAY_HOLD: [(&str, &[Kind]); 14] = [
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
    ("answers", &[Kind::Personal, Kind::FreeText, Kind::Stranger, Kind::Key, Kind::Answered]),
];

#[test]
fn no_mark_is_found_where_it_may_not_be_beside_a_ledger_of_lines() {
    check(Kept::Lines);
}

#[test]
fn no_mark_is_found_where_it_may_not_be_beside_a_ledger_in_a_table() {
    check(Kept::Table);
}

#[track_caller]
fn check(kept: Kept) {
    let sinks = Sinks::default();
    walk(kept, &sinks);
    let mut names: Vec<_> = MAY_HOLD.map(|(name, _)| name).into();
    names.sort_unstable();
    assert_eq!(sinks.names(), names, "every sink is written to, and every one has its rules");
    let leaks: Vec<_> = MAY_HOLD.iter().flat_map(|(name, may)| leaks(&sinks, name, may)).collect();
    assert!(leaks.is_empty(), "{}", leaks.join("\n"));
}

/// Goes through everything, on threads that all write their traces to the sinks.
fn walk(kept: Kept, sinks: &Sinks) {
    let exported = Exported::start(sinks);
    let dispatch = exported.dispatch.clone();
    let runtime = Builder::new_current_thread()
        .enable_all()
        .on_thread_start(move || HERE.set(Some(set_default(&dispatch))))
        .on_thread_stop(|| drop(HERE.take()))
        .build()
        .unwrap();
    let _here = set_default(&exported.dispatch);
    runtime.block_on(async {
        let walk = Walk::start(kept, sinks, &exported);
        walk.through_everything().await;
        walk.close().await;
    });
    drop(runtime);
    exported.write_to(sinks);
}

thread_local! {
    /// Where the traces of a thread that blocks go.
    static HERE: RefCell<Option<DefaultGuard>> = const { RefCell::new(None) };
}

/// The marks in a sink that may not be there, each with a part of the text around it.
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

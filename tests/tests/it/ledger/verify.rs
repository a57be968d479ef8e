//! Foreign changes of a ledger's file are found, and the ledger's own changes are accepted.

use std::fs;
use std::path::Path;
use std::time::Duration;

use chrono::{DateTime, Utc};
use rusqlite::Connection;
use tool_runtime::ledger::{
    ChainFault, ChainFaultKind, Checkpoint, JsonLinesLedger, Ledger, LedgerQuery, LedgerStore,
    RecordStatus, SqliteLedger, VerifiedChain, VerifyError, verify,
};
use tool_runtime::policy::KeyRing;
use tool_runtime::prelude::*;
use tool_runtime::store::{SqliteStore, StoreErrorKind};
use tool_runtime::testing::ManualClock;

use super::{START, all, ring};
use crate::sqlite::Folder;

/// The number of calls in each ledger; the first record says that a writer began.
const CALLS: u64 = 20;

/// Gives back a number that is small enough.
#[ai_tool(effect = "read")]
async fn echo(
    /// The number.
    #[arg(range(0..=100))]
    n: u64,
) -> u64 {
    n
}

/// Does nothing.
#[ai_tool(effect = "read")]
async fn rest() {}

fn runtime(ledger: &Ledger) -> Runtime {
    Runtime::builder().tool::<EchoTool>().tool::<RestTool>().ledger(ledger).build().unwrap()
}

fn cx(tenant: u128, trace: &str) -> ToolContext {
    ToolContext::builder(Uuid::from_u128(tenant), trace).run_id("run-1").build().unwrap()
}

async fn echo_with(runtime: &Runtime, n: u64) {
    let mut call = runtime.call("echo", format!(r#"{{"n":{n}}}"#), &cx(1, "trace-1"));
    call.execute().await;
}

fn lines(path: &Path) -> JsonLinesLedger {
    JsonLinesLedger::options().sync(false).open(path).unwrap()
}

fn rows(path: &Path) -> SqliteLedger {
    SqliteLedger::open_with(path, &SqliteStore::options().sync_commits(false)).unwrap()
}

/// Writes a ledger with some calls, exports a checkpoint of it, and closes it.
async fn write(store: impl LedgerStore, keys: KeyRing) -> Checkpoint {
    let ledger = Ledger::builder(keys).open(store).unwrap();
    let runtime = runtime(&ledger);
    for n in 0..CALLS {
        echo_with(&runtime, n).await;
    }
    let exported = ledger.checkpoint().await.unwrap();
    ledger.close().await.unwrap();
    exported
}

#[track_caller]
fn fault(verified: Result<VerifiedChain, VerifyError>) -> ChainFault {
    match verified {
        Err(VerifyError::Fault(fault)) => fault.fault,
        other => panic!("a fault should have been found: {other:?}"),
    }
}

#[track_caller]
fn check(fault: &ChainFault, kind: ChainFaultKind, seq: u64) {
    assert_eq!((fault.kind(), fault.seq()), (kind, seq), "{fault}");
    assert!(fault.to_string().contains(&seq.to_string()), "{fault}");
}

/// A change of the lines of a file.
type Edit = fn(&mut Vec<String>);

#[tokio::test]
async fn a_change_to_the_json_lines_is_found_and_named() {
    let folder = Folder::new();
    let path = folder.0.join("ledger.jsonl");
    let exported = write(lines(&path), ring()).await;
    let whole = fs::read_to_string(&path).unwrap();
    let edits: [(Edit, ChainFaultKind, u64); 7] = [
        (
            |it| it[7] = it[7].replacen(r#""tool":"echo""#, r#""tool":"ecco""#, 1),
            ChainFaultKind::Altered,
            7,
        ),
        (|it| it[7] = it[7].replacen(r#""n":6"#, r#""n":9"#, 1), ChainFaultKind::Altered, 7),
        (|it| drop(it.remove(7)), ChainFaultKind::Removed, 7),
        (|it| drop(it.remove(0)), ChainFaultKind::Removed, 0),
        (|it| it.swap(7, 8), ChainFaultKind::Reordered, 7),
        (|it| it.swap(7, 12), ChainFaultKind::Reordered, 7),
        (|it| it.insert(8, it[7].clone()), ChainFaultKind::Repeated, 8),
    ];
    for (edit, kind, seq) in edits {
        let mut edited: Vec<_> = whole.lines().map(str::to_owned).collect();
        edit(&mut edited);
        fs::write(&path, edited.join("\n") + "\n").unwrap();
        let mut store = JsonLinesLedger::read_only(&path).unwrap();
        check(&fault(verify(&mut store, &ring(), &[])), kind, seq);
    }
    fs::write(&path, &whole).unwrap();
    verify(&mut JsonLinesLedger::read_only(&path).unwrap(), &ring(), &[exported]).unwrap();
}

#[tokio::test]
async fn any_one_bit_of_any_line_is_found() {
    let folder = Folder::new();
    let path = folder.0.join("ledger.jsonl");
    write(lines(&path), ring()).await;
    let whole = fs::read(&path).unwrap();
    let mut line = 0_u64;
    for at in 0..whole.len() {
        if whole[at] == b'\n' {
            line += 1;
            continue;
        }
        // One position in seventeen, and another bit each time.
        if at % 17 != 0 {
            continue;
        }
        let mut altered = whole.clone();
        altered[at] ^= 1 << (at % 7);
        if altered[at] == b'\n' {
            continue;
        }
        fs::write(&path, &altered).unwrap();
        let Ok(mut store) = JsonLinesLedger::read_only(&path) else {
            assert_eq!(line, 0, "only a file that does not begin as one is refused");
            continue;
        };
        match verify(&mut store, &ring(), &[]) {
            Err(VerifyError::Fault(fault)) => {
                assert_eq!(fault.fault.seq(), line, "byte {at}: {fault}");
            }
            Err(VerifyError::Store(error)) => {
                let named = format!("line {} is not", line + 1);
                assert!(error.log().contains(&named), "byte {at}: {error:?}");
            }
            other => panic!("byte {at} of line {line} was changed, and: {other:?}"),
        }
    }
}

#[tokio::test]
async fn a_change_by_sql_is_found_and_named() {
    let folder = Folder::new();
    let path = folder.0.join("ledger.db");
    let exported = write(rows(&path), ring()).await;
    fs::copy(&path, folder.0.join("whole.db")).unwrap();
    let edits = [
        (
            "UPDATE trace_ledger SET tool_calls = replace(tool_calls, 'echo', 'ecco') WHERE seq = 7",
            ChainFaultKind::Altered,
            7,
        ),
        ("UPDATE trace_ledger SET leaf = zeroblob(32) WHERE seq = 7", ChainFaultKind::Altered, 7),
        ("UPDATE trace_ledger SET mac = zeroblob(32) WHERE seq = 7", ChainFaultKind::Altered, 7),
        ("UPDATE trace_ledger SET key = 'other' WHERE seq = 7", ChainFaultKind::Altered, 7),
        ("UPDATE trace_ledger SET tool_calls = NULL WHERE seq = 7", ChainFaultKind::Removed, 7),
        ("DELETE FROM trace_ledger WHERE seq = 7", ChainFaultKind::Removed, 7),
        ("DELETE FROM trace_ledger WHERE seq < 3", ChainFaultKind::Removed, 0),
        (
            "UPDATE trace_ledger SET seq = 1000 WHERE seq = 7; \
             UPDATE trace_ledger SET seq = 7 WHERE seq = 8; \
             UPDATE trace_ledger SET seq = 8 WHERE seq = 1000",
            ChainFaultKind::Altered,
            7,
        ),
    ];
    for (sql, kind, seq) in edits {
        fs::copy(folder.0.join("whole.db"), &path).unwrap();
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        let found = fault(verify(&mut SqliteLedger::read_only(&path).unwrap(), &ring(), &[]));
        let moved = kind == ChainFaultKind::Altered && found.kind() == ChainFaultKind::Reordered;
        assert!((found.kind() == kind || moved) && found.seq() == seq, "{sql}: {found}");
    }
    fs::copy(folder.0.join("whole.db"), &path).unwrap();
    verify(&mut SqliteLedger::read_only(&path).unwrap(), &ring(), &[exported]).unwrap();
}

#[tokio::test]
async fn a_chain_that_was_cut_off_is_found_by_a_checkpoint_that_was_exported() {
    let folder = Folder::new();
    let (text, table) = (folder.0.join("ledger.jsonl"), folder.0.join("ledger.db"));
    let exported = write(lines(&text), ring()).await;
    let whole = fs::read_to_string(&text).unwrap();
    let cut: Vec<_> = whole.lines().take(15).collect();
    fs::write(&text, cut.join("\n") + "\n").unwrap();
    let mut store = JsonLinesLedger::read_only(&text).unwrap();
    verify(&mut store, &ring(), &[]).unwrap();
    check(&fault(verify(&mut store, &ring(), &[exported])), ChainFaultKind::Truncated, 15);

    let exported = write(rows(&table), ring()).await;
    let sql = Connection::open(&table).unwrap();
    sql.execute_batch("DELETE FROM trace_ledger WHERE seq >= 15").unwrap();
    let mut store = SqliteLedger::read_only(&table).unwrap();
    verify(&mut store, &ring(), &[]).unwrap();
    check(&fault(verify(&mut store, &ring(), &[exported])), ChainFaultKind::Truncated, 15);
}

#[tokio::test]
async fn a_ledger_goes_on_under_a_new_key_and_needs_the_former_one() {
    let folder = Folder::new();
    let path = folder.0.join("ledger.jsonl");
    let exported = write(lines(&path), ring()).await;
    let renewed =
        || KeyRing::new("2027-01", &[9; 32]).unwrap().with_former("2026-11", &[7; 32]).unwrap();
    write(lines(&path), renewed()).await;
    let verified = |keys: KeyRing, expected: &[Checkpoint]| {
        verify(&mut JsonLinesLedger::read_only(&path).unwrap(), &keys, expected)
    };
    let size = verified(renewed(), std::slice::from_ref(&exported)).unwrap().size();
    assert!(size >= 2 * CALLS);
    // At the end of the first writer.
    let found = fault(verified(ring(), &[]));
    assert_eq!(found.kind(), ChainFaultKind::ForeignKey, "{found}");
    assert!(found.seq() >= exported.size(), "{found}");
    let other = KeyRing::new("2026-11", &[8; 32]).unwrap();
    check(&fault(verified(other, &[])), ChainFaultKind::Altered, 0);
    let unknown = KeyRing::new("2031-01", &[8; 32]).unwrap();
    check(&fault(verified(unknown, &[])), ChainFaultKind::ForeignKey, 0);
}

#[tokio::test]
async fn a_ledger_is_not_continued_with_a_wrong_key() {
    let folder = Folder::new();
    let path = folder.0.join("ledger.jsonl");
    write(lines(&path), ring()).await;
    let whole = fs::read(&path).unwrap();
    for id in ["2026-11", "2031-01"] {
        let keys = KeyRing::new(id, &[8; 32]).unwrap();
        let error = Ledger::builder(keys).open(lines(&path)).unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::Damaged);
        assert!(error.log().contains("cannot be continued"), "{error:?}");
        let cause = match id {
            "2026-11" => "another secret under the id of the key",
            _ => "written with the key `2026-11`, which is not in the key ring: add it as a former",
        };
        assert!(error.log().contains(cause), "{error}");
        assert!(!error.to_string().contains("damaged"), "{error}");
    }
    assert_eq!(fs::read(&path).unwrap(), whole, "nothing was written");
}

fn moment(milliseconds: u64) -> DateTime<Utc> {
    let milliseconds = i64::try_from(START.get() + milliseconds).unwrap();
    DateTime::from_timestamp_millis(milliseconds).unwrap()
}

#[tokio::test]
async fn an_erased_record_is_no_fault_and_a_deleted_one_is() {
    let folder = Folder::new();
    let path = folder.0.join("ledger.db");
    let clock = ManualClock::at(START);
    let ledger = Ledger::builder(ring()).clock(clock.clone()).open(rows(&path)).unwrap();
    let runtime = runtime(&ledger);
    for n in 0..10 {
        echo_with(&runtime, n).await;
        ledger.flush().await.unwrap();
        clock.advance(Duration::from_millis(1));
    }
    let exported = ledger.checkpoint().await.unwrap();
    // The first record, and the calls of the first five milliseconds.
    assert_eq!(ledger.erase_before(moment(5)).await.unwrap(), 6);
    assert_eq!(ledger.erase_before(moment(5)).await.unwrap(), 0);
    ledger.verify(std::slice::from_ref(&exported)).await.unwrap();
    assert_eq!(all(&ledger, LedgerQuery::new()).await.len(), 5);
    ledger.close().await.unwrap();

    // A later writer continues.
    let ledger = Ledger::builder(ring()).clock(clock).open(rows(&path)).unwrap();
    let size = ledger.verify(std::slice::from_ref(&exported)).await.unwrap().size();
    // The contents that were erased before it was opened are not erased again.
    assert_eq!(ledger.erase_before(moment(5)).await.unwrap(), 0);
    assert_eq!(ledger.verify(&[]).await.unwrap().size(), size);
    ledger.close().await.unwrap();
    let sql = Connection::open(&path).unwrap();
    sql.execute_batch("UPDATE trace_ledger SET tool_calls = NULL WHERE seq = 8").unwrap();
    let mut store = SqliteLedger::read_only(&path).unwrap();
    check(&fault(verify(&mut store, &ring(), &[exported])), ChainFaultKind::Removed, 8);
}

#[tokio::test]
async fn retention_gives_up_what_is_too_old_and_the_rest_still_verifies() {
    let folder = Folder::new();
    let clock = ManualClock::at(START);
    let builder = Ledger::builder(ring()).clock(clock.clone()).checkpoint_every(5);
    let store = rows(&folder.0.join("ledger.db"));
    let ledger = builder.retention(Duration::from_secs(10)).open(store).unwrap();
    let runtime = runtime(&ledger);
    for n in 0..60 {
        echo_with(&runtime, n).await;
        ledger.flush().await.unwrap();
        clock.advance(Duration::from_secs(1));
    }
    ledger.verify(&[]).await.unwrap();
    let left = all(&ledger, LedgerQuery::new()).await;
    assert!((10..=20).contains(&left.len()), "{}", left.len());
    assert!(left.iter().all(|call| call.at[..19] >= moment(40_000).to_rfc3339()[..19]));
    assert_eq!(ledger.status().written, 60);
}

#[tokio::test]
async fn calls_are_found_by_what_is_asked() {
    let clock = ManualClock::at(START);
    let ledger = Ledger::builder(ring()).clock(clock.clone());
    let folder = Folder::new();
    let ledger = ledger.open(rows(&folder.0.join("ledger.db"))).unwrap();
    let runtime = runtime(&ledger);
    for (tenant, trace, tool, arguments) in [
        (1, "trace-1", "echo", r#"{"n":1}"#),
        (1, "trace-2", "echo", r#"{"n":101}"#),
        (2, "trace-1", "rest", "{}"),
        (2, "trace-3", "echo", r#"{"n":2}"#),
    ] {
        runtime.call(tool, arguments, &cx(tenant, trace)).execute().await;
        clock.advance(Duration::from_secs(1));
    }
    ledger.flush().await.unwrap();
    let queries = [
        (LedgerQuery::new(), vec![0, 1, 2, 3]),
        (LedgerQuery::new().trace("trace-1"), vec![0, 2]),
        (LedgerQuery::new().tenant(Uuid::from_u128(2)), vec![2, 3]),
        (LedgerQuery::new().tool("echo"), vec![0, 1, 3]),
        (LedgerQuery::new().status(RecordStatus::Error), vec![1]),
        (LedgerQuery::new().since(moment(1_000)), vec![1, 2, 3]),
        (LedgerQuery::new().until(moment(1_000)), vec![0]),
        (LedgerQuery::new().since(moment(1_000)).until(moment(3_000)), vec![1, 2]),
        (LedgerQuery::new().trace("trace-1").tenant(Uuid::from_u128(2)), vec![2]),
        (LedgerQuery::new().trace("trace-9"), vec![]),
    ];
    let everything = all(&ledger, LedgerQuery::new()).await;
    for (query, expected) in queries {
        let found = all(&ledger, query.clone().limit(1)).await;
        let ids: Vec<_> = found.iter().map(|it| it.invocation_id).collect();
        let expected: Vec<_> =
            expected.into_iter().map(|at: usize| everything[at].invocation_id).collect();
        assert_eq!(ids, expected, "{query:?}");
    }
}

#[tokio::test]
async fn pages_have_no_gap_and_nothing_twice_while_writing_goes_on() {
    let folder = Folder::new();
    let ledger = Ledger::builder(ring()).checkpoint_every(4);
    let ledger = ledger.open(rows(&folder.0.join("ledger.db"))).unwrap();
    let runtime = runtime(&ledger);
    for n in 0..20 {
        echo_with(&runtime, n).await;
    }
    ledger.flush().await.unwrap();
    let (mut query, mut found, mut made) =
        (LedgerQuery::new().trace("trace-1").limit(3), vec![], 20);
    loop {
        let page = ledger.find(query.clone()).await.unwrap();
        found.extend(
            page.records.iter().map(|(_, call)| call.input.as_ref().unwrap().get().to_owned()),
        );
        // Two more for each page, for a while.
        while made < 40 && made < 20 + found.len() as u64 {
            echo_with(&runtime, made).await;
            made += 1;
        }
        ledger.flush().await.unwrap();
        match page.next {
            Some(next) => query = query.after(next),
            None => break,
        }
    }
    let expected: Vec<_> = (0..made).map(|n| format!(r#"{{"n":{n}}}"#)).collect();
    assert_eq!((found, made), (expected, 40));
}

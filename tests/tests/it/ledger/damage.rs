//! Damaged bytes, and changes of the table: each is reported.

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use tool_runtime::ledger::{
    Checkpoint, JsonLinesLedger, Ledger, LedgerQuery, LedgerStore, RecordedCall, SqliteLedger,
    verify,
};
use tool_runtime::prelude::*;
use tool_runtime::store::SqliteStore;
use tool_tests::rng::SeededRng;

use super::{all, ring};
use crate::sqlite::Folder;

/// The number of calls in each ledger.
const CALLS: u64 = 60;

/// The number of damages of each store.
const DAMAGES: u64 = 400;

/// Gives back a number.
#[ai_tool(effect = "read")]
async fn echo(
    /// The number.
    n: u64,
) -> u64 {
    n
}

fn lines(path: &Path) -> JsonLinesLedger {
    JsonLinesLedger::options().sync(false).open(path).unwrap()
}

fn rows(path: &Path) -> SqliteLedger {
    SqliteLedger::open_with(path, &SqliteStore::options().sync_commits(false)).unwrap()
}

/// Writes a ledger and closes it; returns a checkpoint of all but its last two records.
async fn write(store: impl LedgerStore) -> Checkpoint {
    let ledger = Ledger::builder(ring()).checkpoint_every(25).open(store).unwrap();
    let runtime = Runtime::builder().tool::<EchoTool>().ledger(&ledger).build().unwrap();
    for n in 0..CALLS {
        let cx = ToolContext::builder(Uuid::from_u128(1), format!("trace-{}", n % 3));
        let cx = cx.run_id("run-1").build().unwrap();
        runtime.call("echo", format!(r#"{{"n":{n}}}"#), &cx).execute().await;
    }
    ledger.flush().await.unwrap();
    let exported = ledger.checkpoint().await.unwrap();
    ledger.close().await.unwrap();
    exported
}

/// Overwrites up to four bytes in a row, each with another value.
fn damage(whole: &[u8], rng: &mut SeededRng) -> (usize, Vec<u8>) {
    let mut bytes = whole.to_vec();
    let at = rng.index(whole.len());
    let end = whole.len().min(at + 1 + rng.index(4));
    for byte in &mut bytes[at..end] {
        // One in four is a zero, as a hole in a file is read.
        let value = u8::try_from(rng.below(256)).unwrap();
        let value = if rng.one_in(4) { 0 } else { value };
        *byte = if value == *byte { !value } else { value };
    }
    (at, bytes)
}

/// All that queries find, by trace and tenant.
async fn found(ledger: &Ledger) -> Vec<(String, Option<String>)> {
    let mut found = Vec::new();
    for trace in 0..3 {
        let query = LedgerQuery::new().tenant(Uuid::from_u128(1)).trace(format!("trace-{trace}"));
        let calls: Vec<RecordedCall> = all(ledger, query).await;
        let named = calls.into_iter().map(|it| (it.trace_id, it.output_hash));
        found.extend(named);
    }
    found
}

#[tokio::test]
async fn damaged_bytes_of_json_lines_are_named_and_no_whole_record_is_moved() {
    let folder = Folder::new();
    let path = folder.0.join("ledger.jsonl");
    let torn = folder.0.join("ledger.jsonl.torn");
    write(lines(&path)).await;
    let whole = fs::read(&path).unwrap();
    let mut rng = SeededRng::new(1);
    for round in 0..DAMAGES {
        let (at, bytes) = damage(&whole, &mut rng);
        fs::write(&path, &bytes).unwrap();
        let verified =
            JsonLinesLedger::read_only(&path).map(|mut it| verify(&mut it, &ring(), &[]));
        let opened = Ledger::builder(ring()).open(match JsonLinesLedger::open(&path) {
            Ok(store) => store,
            Err(error) => {
                assert_eq!(fs::read(&path).unwrap(), bytes, "round {round}: {error}");
                continue;
            }
        });
        let is_named = !matches!(&verified, Ok(Ok(_))) || opened.is_err();
        assert!(is_named, "round {round}: byte {at} is damaged, and nothing says so");
        drop(opened);
        let text = fs::read(&path).unwrap();
        assert!(text.starts_with(&bytes), "round {round}: byte {at}: something was moved");
        assert!(!torn.exists(), "round {round}: byte {at}: something was set aside");
    }
}

#[tokio::test]
async fn damaged_bytes_of_sqlite_are_named_or_change_nothing() {
    let folder = Folder::new();
    let path = folder.0.join("ledger.db");
    let exported = write(rows(&path)).await;
    let whole = fs::read(&path).unwrap();
    let ledger = Ledger::builder(ring()).open(rows(&path)).unwrap();
    let expected = found(&ledger).await;
    assert_eq!(expected.len(), usize::try_from(CALLS).unwrap());
    drop(ledger);
    let mut rng = SeededRng::new(2);
    let mut named = 0;
    for round in 0..DAMAGES {
        let (at, bytes) = damage(&whole, &mut rng);
        for ending in ["-wal", "-shm"] {
            let _ = fs::remove_file(folder.0.join(format!("ledger.db{ending}")));
        }
        fs::write(&path, &bytes).unwrap();
        let verified = SqliteLedger::read_only(&path)
            .map(|mut it| verify(&mut it, &ring(), std::slice::from_ref(&exported)));
        if !matches!(&verified, Ok(Ok(_))) {
            named += 1;
            continue;
        }
        let Ok(store) = SqliteLedger::open(&path) else { continue };
        let Ok(ledger) = Ledger::builder(ring()).open(store) else { continue };
        assert_eq!(found(&ledger).await, expected, "round {round}: byte {at}: records are missing");
    }
    // The other damages are in pages of other tables.
    assert!(named > DAMAGES / 6, "{named}");
}

#[tokio::test]
async fn one_zero_byte_in_the_middle_hides_no_record() {
    let folder = Folder::new();
    let path = folder.0.join("ledger.jsonl");
    write(lines(&path)).await;
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] = 0;
    fs::write(&path, &bytes).unwrap();
    let line = bytes[..middle].split(|byte| *byte == b'\n').count();
    let verified = verify(&mut JsonLinesLedger::read_only(&path).unwrap(), &ring(), &[]);
    let text = format!("{:?}", verified.unwrap_err());
    assert!(text.contains(&format!("line {line} ")), "{text}");
    let opened = JsonLinesLedger::open(&path).unwrap_err();
    assert!(opened.log().contains(&format!("line {line} ")), "{opened:?}");
    assert_eq!(fs::read(&path).unwrap(), bytes, "nothing was moved");
    assert!(!folder.0.join("ledger.jsonl.torn").exists());
}

/// Changes of the table, with the reports about them.
const CHANGES: [(&str, &str); 5] = [
    (
        "PRAGMA ignore_check_constraints = ON;
         INSERT INTO trace_ledger (seq, tool_calls, leaf, key, mac)
             SELECT -1, tool_calls, leaf, key, mac FROM trace_ledger WHERE seq = 7",
        "-1",
    ),
    (
        "PRAGMA writable_schema = ON;
         UPDATE sqlite_schema SET sql = replace(sql, '$.trace_id', '$.run_id')
             WHERE name = 'trace_ledger';
         PRAGMA writable_schema = RESET",
        "definition",
    ),
    (
        "PRAGMA writable_schema = ON;
         DELETE FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'trace_ledger';
         PRAGMA writable_schema = RESET",
        "definition",
    ),
    (
        "CREATE TRIGGER quiet BEFORE INSERT ON trace_ledger WHEN new.seq > 70
             BEGIN SELECT RAISE(IGNORE); END",
        "definition",
    ),
    // The index was filled while the column had another value, which was then restored.
    (
        "PRAGMA writable_schema = ON;
         UPDATE sqlite_schema SET sql = replace(sql, '$.trace_id', '$.run_id')
             WHERE name = 'trace_ledger';
         PRAGMA writable_schema = RESET;
         REINDEX trace_ledger;
         PRAGMA writable_schema = ON;
         UPDATE sqlite_schema SET sql = replace(sql, '$.run_id', '$.trace_id')
             WHERE name = 'trace_ledger';
         PRAGMA writable_schema = RESET",
        "index",
    ),
];

#[tokio::test]
async fn a_change_beside_the_chain_in_the_table_is_a_fault() {
    let folder = Folder::new();
    let (path, copy) = (folder.0.join("ledger.db"), folder.0.join("whole.db"));
    let exported = write(rows(&path)).await;
    fs::copy(&path, &copy).unwrap();
    for (sql, text) in CHANGES {
        fs::copy(&copy, &path).unwrap();
        let other = Connection::open(&path).unwrap();
        other.execute_batch(sql).unwrap();
        drop(other);
        let mut store = SqliteLedger::read_only(&path).unwrap();
        let verified = verify(&mut store, &ring(), std::slice::from_ref(&exported));
        let said = format!("{:?}", verified.expect_err(sql));
        assert!(said.contains(text), "{sql}: {said}");
    }
    fs::copy(&copy, &path).unwrap();
    verify(&mut SqliteLedger::read_only(&path).unwrap(), &ring(), &[exported]).unwrap();
}

//! The table, concurrent writers, and what erasing leaves in the file.

#[path = "../../../record/src/ledger/stores/temp_folder.rs"]
mod temp_folder;

use std::fs;

use rusqlite::{Connection, ToSql};
use tool_runtime_core::store::{StoreError, StoreErrorKind};
use tool_runtime_record::ledger::{ChainEntry, LedgerQuery, LedgerStore, RecordPosition};

use self::temp_folder::{TempFolder, entries};
use super::{FindStatement, SqliteLedger};
use crate::SqliteStore;

const CALL: &str = r#"{"kind":"call","at":"2026-05-01T10:00:00.000Z","trace_id":"t",
    "tenant_id":"00000000-0000-0000-0000-000000000000","tool":"a","status":"error",
    "tenant_slug":"acme","latency_ms":12,
    "error":{"type":"TIMEOUT","code":"DEADLINE","message":"it took too long"}}"#;

fn open(folder: &TempFolder) -> SqliteLedger {
    let options = SqliteStore::options().sync_commits(false);
    SqliteLedger::open_with(folder.file("ledger.db"), &options).unwrap()
}

fn other(folder: &TempFolder) -> Connection {
    Connection::open(folder.file("ledger.db")).unwrap()
}

fn call() -> ChainEntry {
    let [entry] = &entries(1)[..] else { panic!("one was asked for") };
    ChainEntry::from_parts(0, Some(CALL), *entry.leaf(), entry.key(), *entry.mac())
}

#[track_caller]
fn check_refused<T>(result: Result<T, StoreError>, kind: StoreErrorKind, text: &str) {
    let error = result.err().expect("it should be refused");
    assert_eq!(error.kind(), kind, "{error}");
    assert!(error.log().contains(text), "{error}");
}

#[test]
fn the_table_shows_what_its_records_say() {
    let folder = TempFolder::new();
    open(&folder).append(&[call()]).unwrap();
    let shown: (String, String, String, String, i64, String, String) = other(&folder)
        .query_row(
            "SELECT tool_calls, trace_id, tool, status, latency_ms, error, at FROM trace_ledger",
            [],
            |row| {
                let text = |column| row.get(column);
                Ok((text(0)?, text(1)?, text(2)?, text(3)?, row.get(4)?, text(5)?, text(6)?))
            },
        )
        .unwrap();
    let expected = (CALL, "t", "a", "error", 12, "DEADLINE", "2026-05-01T10:00:00.000Z");
    let (record, trace, tool, status, latency, error, at) = &shown;
    assert_eq!((&**record, &**trace, &**tool, &**status, *latency, &**error, &**at), expected);
    let told: (String, String) = other(&folder)
        .query_row("SELECT message, tenant_slug FROM trace_ledger", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .unwrap();
    assert_eq!(told, ("it took too long".to_owned(), "acme".to_owned()));
}

#[test]
fn a_search_looks_through_its_part_alone() {
    let folder = TempFolder::new();
    let mut ledger = open(&folder);
    let of = |entry: &ChainEntry| {
        ChainEntry::from_parts(entry.seq(), Some(CALL), *entry.leaf(), entry.key(), *entry.mac())
    };
    ledger.append(&entries(6).iter().map(of).collect::<Vec<_>>()).unwrap();
    for (after, before, expected) in [
        (None, Some(2), 0..2),
        (Some(1), Some(4), 2..4),
        (Some(4), Some(u64::MAX), 5..6),
        (Some(3), Some(4), 0..0),
    ] {
        for query in [LedgerQuery::new(), LedgerQuery::new().trace("t")] {
            let found = ledger
                .find(&LedgerQuery { after: after.map(RecordPosition::from), before, ..query })
                .unwrap();
            assert!(found.iter().map(ChainEntry::seq).eq(expected.clone()), "{after:?} {before:?}");
        }
    }
}

#[test]
fn a_trace_of_a_tenant_is_looked_up_in_an_index_of_both() {
    let folder = TempFolder::new();
    let ledger = open(&folder);
    let plan = |query: LedgerQuery| -> Vec<String> {
        let FindStatement { sql, values } = FindStatement::new(&query, true);
        let values: Vec<&dyn ToSql> = values.iter().map(AsRef::as_ref).collect();
        let mut statement =
            ledger.connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let steps = statement.query_map(&*values, |row| row.get("detail")).unwrap();
        steps.collect::<rusqlite::Result<_>>().unwrap()
    };
    let tenant = uuid::Uuid::from_u128(7);
    let part = |query| LedgerQuery { after: Some(9.into()), before: Some(200_000), ..query };
    for (query, terms) in [
        (
            LedgerQuery::new().tenant(tenant).trace("t"),
            "of_tenant_trace (tenant_id=? AND trace_id=? AND rowid>? AND rowid<?)",
        ),
        (LedgerQuery::new().trace("t"), "of_trace (trace_id=? AND rowid>? AND rowid<?)"),
        (LedgerQuery::new().tenant(tenant), "of_tenant (tenant_id=? AND rowid>? AND rowid<?)"),
    ] {
        let steps = plan(part(query));
        // A single step: the rows are not sorted afterwards.
        let expected = format!("SEARCH trace_ledger USING INDEX trace_ledger_{terms}");
        assert_eq!(steps, [expected]);
    }
}

#[test]
fn no_column_can_be_altered_apart_from_its_record() {
    let folder = TempFolder::new();
    open(&folder).append(&[call()]).unwrap();
    let other = other(&folder);
    for column in ["kind", "trace_id", "tenant_id", "tool", "status", "latency_ms", "error", "at"] {
        let altered = other.execute(&format!("UPDATE trace_ledger SET {column} = '1'"), []);
        let error = altered.expect_err("it is read out of the record").to_string();
        assert!(error.contains("generated column"), "{column}: {error}");
    }
}

#[test]
fn everything_is_there_when_the_file_is_opened_again() {
    let (folder, entries) = (TempFolder::new(), entries(5));
    open(&folder).append(&entries[..3]).unwrap();
    let mut ledger = open(&folder);
    ledger.append(&entries[3..]).unwrap();
    drop(ledger);
    assert_eq!(open(&folder).read(0, 10).unwrap(), entries);
}

#[tokio::test]
async fn it_stands_in_the_file_of_a_store() {
    use tool_runtime_core::store::{OutputStore, UnixMillis};
    let (folder, entries) = (TempFolder::new(), entries(2));
    let store = SqliteStore::open(folder.file("ledger.db")).unwrap();
    let mut ledger = open(&folder);
    ledger.append(&entries).unwrap();
    assert_eq!(store.sweep_outputs(UnixMillis::new(0), 1).await.unwrap(), 0);
    assert_eq!(ledger.read(0, 10).unwrap(), entries);
    store.close().await;
}

#[test]
fn a_second_writer_is_found_at_its_first_append() {
    let (folder, entries) = (TempFolder::new(), entries(3));
    let (mut one, mut two) = (open(&folder), open(&folder));
    one.append(&entries[..2]).unwrap();
    let text = "another process writes this ledger";
    check_refused(two.append(&entries[..1]), StoreErrorKind::Damaged, text);
    assert_eq!(one.read(0, 10).unwrap(), entries[..2]);
}

#[test]
fn a_locked_file_takes_the_same_entries_later() {
    let (folder, entries) = (TempFolder::new(), entries(2));
    let options = SqliteStore::options().busy_timeout(std::time::Duration::ZERO);
    let mut ledger = SqliteLedger::open_with(folder.file("ledger.db"), &options).unwrap();
    let other = other(&folder);
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    check_refused(ledger.append(&entries), StoreErrorKind::Unavailable, "locked");
    other.execute_batch("ROLLBACK").unwrap();
    ledger.append(&entries).unwrap();
    assert_eq!(ledger.count().unwrap(), 2);
}

#[test]
fn a_full_file_keeps_nothing_of_a_group_and_takes_it_later() {
    let (folder, entries) = (TempFolder::new(), entries(500));
    let mut ledger = open(&folder);
    ledger.append(&entries[..1]).unwrap();
    let pages: i64 =
        ledger.connection.query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap();
    let limit = |pages: i64| {
        ledger.connection.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(()))
    };
    limit(pages + 2).unwrap();
    check_refused(ledger.append(&entries[1..]), StoreErrorKind::Full, "full");
    assert_eq!(ledger.count().unwrap(), 1);
    ledger.connection.query_row("PRAGMA max_page_count = 1000000", [], |_| Ok(())).unwrap();
    ledger.append(&entries[1..]).unwrap();
    assert_eq!(ledger.read(0, 1_000).unwrap(), entries);
}

#[test]
fn a_reader_sees_later_writes_and_changes_nothing() {
    let (folder, entries) = (TempFolder::new(), entries(3));
    let mut writer = open(&folder);
    let mut reader = SqliteLedger::read_only(folder.file("ledger.db")).unwrap();
    writer.append(&entries[..2]).unwrap();
    assert_eq!(reader.read(0, 10).unwrap(), entries[..2]);
    check_refused(reader.append(&entries[2..]), StoreErrorKind::ReadOnly, "open it to write");
    check_refused(reader.erase(1), StoreErrorKind::ReadOnly, "open it to write");
    writer.append(&entries[2..]).unwrap();
    assert_eq!(reader.count().unwrap(), 3);
}

#[test]
fn a_reader_makes_no_file_and_takes_no_foreign_one() {
    let folder = TempFolder::new();
    let file = folder.file("ledger.db");
    check_refused(SqliteLedger::read_only(&file), StoreErrorKind::Unavailable, "ledger.db");
    assert!(!file.exists());
    other(&folder).execute_batch("CREATE TABLE friends (name TEXT)").unwrap();
    let before = fs::read(&file).unwrap();
    check_refused(SqliteLedger::read_only(&file), StoreErrorKind::Damaged, "another application's");
    assert_eq!(fs::read(&file).unwrap(), before);
}

#[test]
fn contents_that_were_given_up_are_nowhere_in_the_files() {
    let (folder, mut entries) = (TempFolder::new(), entries(2));
    // One is in the table's row, the other in overflow pages.
    let long = format!(r#"{{"kind":"call","text":"{}"}}"#, "forget-me ".repeat(10_000));
    let with = |entry: &ChainEntry, body: &str| {
        ChainEntry::from_parts(entry.seq(), Some(body), *entry.leaf(), entry.key(), *entry.mac())
    };
    entries[0] = with(&entries[0], r#"{"kind":"call","trace_id":"forget-me too"}"#);
    entries[1] = with(&entries[1], &long);
    let mut ledger = open(&folder);
    ledger.append(&entries).unwrap();
    assert_eq!(ledger.erase(2).unwrap(), 2);
    for file in fs::read_dir(&folder.0).unwrap() {
        let path = file.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        let found = bytes.windows(9).filter(|bytes| *bytes == b"forget-me").count();
        assert_eq!(found, 0, "{}", path.display());
    }
}

#[test]
fn many_contents_are_given_up_in_several_transactions() {
    let (folder, entries) = (TempFolder::new(), entries(9_000));
    let mut ledger = open(&folder);
    ledger.append(&entries).unwrap();
    assert_eq!(ledger.erase(10).unwrap(), 10);
    assert_eq!(ledger.erase(8_999).unwrap(), 8_989);
    let whole = ledger.read(8_998, 10).unwrap();
    assert_eq!(whole.iter().map(|entry| entry.body().is_some()).collect::<Vec<_>>(), [false, true]);
}

#[cfg(unix)]
#[test]
fn the_file_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = TempFolder::new();
    open(&folder);
    let mode = fs::metadata(folder.file("ledger.db")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

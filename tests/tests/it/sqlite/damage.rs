//! Damaged bytes in the file: no effect happens twice, and no wrong answer is replayed.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, params};
use tool_runtime::contracts::Permission;
use tool_runtime::policy::Policy;
use tool_runtime::prelude::*;
use tool_runtime::store::SqliteStore;

use super::Folder;

/// Keyed calls in each file.
const CALLS: usize = 8;

/// Books a seat, and counts how often it did.
#[ai_tool(effect = "write")]
async fn book(
    runs: &AtomicUsize,
    dry_run: &DryRun,
    /// The seat.
    seat: String,
) -> Receipt {
    let run = if dry_run.is_active() { 0 } else { runs.fetch_add(1, Ordering::SeqCst) };
    Receipt { seat, run }
}

/// A receipt.
#[ai_type]
#[derive(Debug, PartialEq)]
struct Receipt {
    /// The seat.
    seat: String,
    /// The run that made it.
    run: usize,
}

/// A file with answered calls, and the answers.
struct Booked {
    folder: Folder,
    runs: Arc<AtomicUsize>,
    answers: Vec<String>,
}

fn runtime(runs: &Arc<AtomicUsize>, store: SqliteStore) -> Runtime {
    let builder = Runtime::builder().tool::<BookTool>().shared_state(runs.clone());
    builder
        .permission("book", Permission::Allow)
        .policy(Policy::new().store(store))
        .build()
        .unwrap()
}

async fn call(runtime: &Runtime, number: usize) -> ToolOutput {
    let cx = ToolContext::builder(Uuid::from_u128(7), "trace-1").run_id("run-1").user_id("jane");
    let cx = cx.idempotency_key(format!("order-{number}")).build().unwrap();
    let mut call = runtime.call("book", format!(r#"{{"seat":"{number}A"}}"#), &cx);
    call.execute().await.clone()
}

impl Booked {
    async fn new() -> Self {
        let (folder, runs) = (Folder::new(), Arc::<AtomicUsize>::default());
        let store = folder.open();
        let runtime = runtime(&runs, store.clone());
        let mut answers = Vec::new();
        for number in 0..CALLS {
            answers.push(call(&runtime, number).await.data_json().unwrap().to_owned());
        }
        store.close().await;
        Self { folder, runs, answers }
    }

    /// Repeats every call on a copy of the file that was damaged; returns how many were refused.
    async fn repeat_on_a_copy(&self, what: &str, damage: impl FnOnce(&Path)) -> usize {
        let copy = self.folder.0.join("copy.db");
        for name in ["copy.db", "copy.db-wal", "copy.db-shm"] {
            let _ = fs::remove_file(self.folder.0.join(name));
        }
        fs::copy(self.folder.file(), &copy).unwrap();
        damage(&copy);
        let Ok(store) = SqliteStore::options().sync_commits(false).open(&copy) else {
            return CALLS;
        };
        let runtime = runtime(&self.runs, store.clone());
        let mut refused = 0;
        for number in 0..CALLS {
            let output = call(&runtime, number).await;
            match output.data_json() {
                Some(answer) => assert_eq!(answer, self.answers[number], "{what}: a wrong answer"),
                None => refused += 1,
            }
            assert_eq!(self.runs.load(Ordering::SeqCst), CALLS, "{what}: order-{number} ran again");
        }
        store.close().await;
        refused
    }
}

/// A pseudo-random sequence that is the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        usize::try_from((self.0 >> 33) % bound as u64).unwrap()
    }
}

/// Changes one byte of one column of one row, as its own type takes it.
fn damage_a_column(file: &Path, random: &mut Random) -> String {
    let connection = Connection::open(file).unwrap();
    connection.execute_batch("PRAGMA ignore_check_constraints = ON").unwrap();
    let mut columns = connection.prepare("SELECT name FROM pragma_table_info('keys')").unwrap();
    let columns: Vec<String> =
        columns.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let column = &columns[random.below(columns.len())];
    let select = format!("SELECT rowid, {column} FROM keys ORDER BY rowid LIMIT 1 OFFSET ?1");
    let row = i64::try_from(random.below(CALLS)).unwrap();
    let (id, mut bytes, kind) = connection
        .query_row(&select, [row], |row| {
            let id: i64 = row.get(0)?;
            Ok(match row.get_ref(1)? {
                ValueRef::Integer(number) => (id, number.to_be_bytes().to_vec(), "INTEGER"),
                ValueRef::Null | ValueRef::Real(_) => (id, vec![], "BLOB"),
                ValueRef::Text(text) => (id, text.to_vec(), "TEXT"),
                ValueRef::Blob(blob) => (id, blob.to_vec(), "BLOB"),
            })
        })
        .unwrap();
    if !bytes.is_empty() {
        let at = random.below(bytes.len());
        bytes[at] = u8::try_from(random.below(256)).unwrap();
    }
    let set = format!("UPDATE keys SET {column} = CAST(?1 AS {kind}) WHERE rowid = ?2");
    let changed = if kind == "INTEGER" {
        let number = i64::from_be_bytes(bytes.try_into().unwrap());
        connection.execute(&set, params![number, id])
    } else {
        connection.execute(&set, params![bytes, id])
    };
    // One that the table itself refuses damages nothing.
    format!("{column} of row {row}: {changed:?}")
}

fn damage_a_byte(file: &Path, random: &mut Random) -> String {
    let mut bytes = fs::read(file).unwrap();
    let (at, to) = (random.below(bytes.len()), u8::try_from(random.below(256)).unwrap());
    bytes[at] = to;
    fs::write(file, bytes).unwrap();
    format!("byte {at} is {to}")
}

#[tokio::test]
async fn a_damaged_row_is_neither_replayed_nor_run() {
    let booked = Booked::new().await;
    let mut random = Random(2026);
    let mut refused = 0;
    for seed in 0..300 {
        let mut what = format!("column damage {seed}");
        let copy = booked.folder.0.join("damaged.db");
        fs::copy(booked.folder.file(), &copy).unwrap();
        what = format!("{what}: {}", damage_a_column(&copy, &mut random));
        refused +=
            booked.repeat_on_a_copy(&what, |file| assert!(fs::copy(&copy, file).is_ok())).await;
    }
    assert!(refused > 150, "most damages are found: {refused}");
}

#[tokio::test]
async fn a_damaged_byte_of_the_file_makes_no_write_run_twice() {
    let booked = Booked::new().await;
    let mut random = Random(7);
    for _ in 0..300 {
        let copy = booked.folder.0.join("damaged.db");
        fs::copy(booked.folder.file(), &copy).unwrap();
        let what = damage_a_byte(&copy, &mut random);
        booked.repeat_on_a_copy(&what, |file| assert!(fs::copy(&copy, file).is_ok())).await;
    }
}

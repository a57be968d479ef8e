//! A tool's effect in the store's file and the settlement of its key are one transaction.

use std::future::pending;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use futures::future::join_all;
use tool_runtime::contracts::Permission;
use tool_runtime::policy::Policy;
use tool_runtime::prelude::*;
use tool_runtime::store::rusqlite::Connection;
use tool_runtime::store::{
    SqliteStore, SqliteTransaction, SqliteTransactionError, StoreError, StoreErrorKind,
};
use tool_runtime::{Idempotency, ToolCall, ToolOutput, Uuid};

use super::{Folder, played, spawn};

const ROLE: &str = "sqlite::transactions::a_process_that_transfers";
const TOTAL: i64 = 1_000_000;

/// The end of the tool's run, after its statements.
#[ai_type]
#[derive(Clone, Copy)]
enum Ending {
    Answer,
    Fail,
    Panic,
    Wait,
    /// Lets another call of the same account come between.
    LetOtherBefore,
    /// Fails in the first attempt, as if the store had not answered.
    FailFirst,
}

/// Moves money from account 1 to account 2.
#[ai_tool(effect = "write", preview = show_transfer)]
async fn transfer(
    tx: &SqliteTransaction,
    idempotency: &Idempotency,
    other: &Other,
    /// The amount.
    cents: i64,
    /// The end of the run, after the statements.
    ending: Ending,
) -> Result<i64, SqliteTransactionError> {
    let key = idempotency.global_key().unwrap_or("none").to_owned();
    let balance = tx
        .run(move |connection| {
            connection.execute("UPDATE accounts SET cents = cents + ?1 WHERE id = 2", [cents])?;
            connection.query_row(
                "UPDATE accounts SET cents = cents - ?1 WHERE id = 1 RETURNING cents",
                [cents],
                |row| row.get::<_, i64>("cents"),
            )
        })
        .await?;
    tx.run(move |connection| connection.execute("INSERT INTO transfers VALUES (?1)", [&key]))
        .await?;
    match ending {
        Ending::Answer => {}
        Ending::Fail => drop(tx.run(|connection| connection.execute("SELECT nothing", [])).await?),
        Ending::Panic => panic!("after the statements"),
        Ending::Wait => pending().await,
        Ending::FailFirst => {
            if other.attempts.fetch_add(1, Ordering::SeqCst) == 0 {
                let error = StoreError::new(StoreErrorKind::Unavailable, "the first attempt");
                return Err(SqliteTransactionError::Store(error));
            }
        }
        Ending::LetOtherBefore => {
            let runtime = other.runtime.get().expect("a runtime");
            assert!(call(runtime, "other", "Answer", 60_000).execute().await.is_ok());
        }
    }
    Ok(balance)
}

#[expect(clippy::unused_async, reason = "it is as the tool is")]
async fn show_transfer(
    _: &SqliteTransaction,
    _: &Idempotency,
    _: &Other,
    cents: i64,
    _: Ending,
) -> String {
    format!("{cents} cents")
}

/// The runtime of the tool itself, and the attempts that were made.
#[derive(Default)]
struct Other {
    runtime: OnceLock<Runtime>,
    attempts: AtomicU32,
}

fn runtime(file: &Path) -> Runtime {
    let store = SqliteStore::open(file).expect("a store");
    let tables = "
        CREATE TABLE IF NOT EXISTS accounts (id INTEGER PRIMARY KEY, cents INTEGER NOT NULL);
        CREATE TABLE IF NOT EXISTS transfers (key TEXT PRIMARY KEY);
        INSERT OR IGNORE INTO accounts VALUES (1, 500000), (2, 500000);";
    Connection::open(file).and_then(|file| file.execute_batch(tables)).expect("the host's tables");
    let other = Arc::new(Other::default());
    let builder = Runtime::builder().tool::<TransferTool>().shared_state(other.clone());
    let builder = builder.permission("transfer", Permission::Allow);
    let runtime = builder.policy(Policy::new().store(store)).build().expect("a runtime");
    assert!(other.runtime.set(runtime.clone()).is_ok());
    runtime
}

fn call(runtime: &Runtime, key: &str, ending: &str, budget_ms: u64) -> ToolCall {
    let cx = ToolContext::builder(Uuid::nil(), "trace-1").user_id("ada").run_id("run-1");
    let cx = cx.idempotency_key(key).timeouts_ms(budget_ms).build().expect("a context");
    runtime.call("transfer", format!(r#"{{"cents":100,"ending":"{ending}"}}"#), &cx)
}

async fn transfer_once(runtime: &Runtime, key: &str, ending: &str) -> ToolOutput {
    call(runtime, key, ending, 60_000).execute().await.clone()
}

/// Returns the money of all accounts, that of the first one, and the number of transfers.
fn state(file: &Path) -> (i64, i64, i64) {
    let state =
        "SELECT (SELECT sum(cents) FROM accounts), (SELECT cents FROM accounts WHERE id = 1),
        (SELECT count(*) FROM transfers)";
    let read = |file: Connection| {
        file.query_row(state, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
    };
    Connection::open(file).and_then(read).expect("the state")
}

#[tokio::test]
async fn an_effect_is_committed_with_its_answer_and_undone_without_one() {
    let folder = Folder::new();
    let (file, runtime) = (folder.file(), runtime(&folder.file()));
    for ending in ["Fail", "Panic", "Wait"] {
        let output = call(&runtime, ending, ending, 200).execute().await.clone();
        let error = output.error().unwrap_or_else(|| panic!("{ending}: {}", output.json()));
        let effect = error.details().and_then(|details| details.get("effect"));
        assert!(effect.is_none_or(|effect| effect == "none"), "{ending}: {}", output.json());
        assert_eq!(state(&file), (TOTAL, 500_000, 0), "{ending}");
    }
    for _ in 0..2 {
        let output = transfer_once(&runtime, "order-1", "Answer").await;
        assert_eq!(output.data_json(), Some("499900"), "{}", output.json());
        assert_eq!(state(&file), (TOTAL, 499_900, 1));
    }
}

#[tokio::test]
async fn rows_that_another_call_has_changed_meanwhile_are_not_overwritten() {
    let folder = Folder::new();
    let (file, runtime) = (folder.file(), runtime(&folder.file()));
    let output = transfer_once(&runtime, "order-1", "LetOtherBefore").await;
    let error = output.error().expect("the balance is another one");
    assert_eq!(error.code(), Some("UNAVAILABLE"), "{}", output.json());
    assert!(error.retry_after_ms().is_some());
    assert_eq!(state(&file), (TOTAL, 499_900, 1), "the other call's effect alone");
    // The other call is answered from the store in the repeat.
    let output = transfer_once(&runtime, "order-1", "LetOtherBefore").await;
    assert_eq!(output.data_json(), Some("499800"), "{}", output.json());
    assert_eq!(state(&file), (TOTAL, 499_800, 2));
}

#[tokio::test]
async fn each_attempt_has_a_transaction_of_its_own() {
    let folder = Folder::new();
    let (file, runtime) = (folder.file(), runtime(&folder.file()));
    let output = transfer_once(&runtime, "order-1", "FailFirst").await;
    assert_eq!(output.data_json(), Some("499900"), "{}", output.json());
    assert_eq!(state(&file), (TOTAL, 499_900, 1), "the first attempt's effect is undone");
}

#[tokio::test]
async fn a_process_that_is_killed_leaves_the_effect_and_the_answer_or_neither() {
    let folder = Folder::new();
    drop(runtime(&folder.file()));
    for round in 0..12 {
        let mut child = spawn(ROLE, &folder);
        let lines = BufReader::new(child.stdout.take().expect("lines")).lines();
        let mut lines = lines.map_while(Result::ok).filter(|line| line.starts_with("transferred"));
        for _ in 0..=round {
            lines.next().expect("a transfer");
        }
        child.kill().expect("it is killed");
        child.wait().expect("it has ended");
        check_keys(&folder.file());
    }
    // A repeat makes each transfer that a killed process left, once.
    let (file, runtime) = (folder.file(), runtime(&folder.file()));
    let (total, first, transfers) = state(&file);
    assert_eq!((total, first), (TOTAL, 500_000 - 100 * transfers));
    assert!(transfer_once(&runtime, "order-1", "Answer").await.is_ok());
    assert_eq!(state(&file).0, TOTAL);
}

/// Checks that the keys with an answer are those whose transfers were made.
fn check_keys(file: &Path) {
    let differences = "SELECT count(*) FROM (
        SELECT lower(hex(digest)) AS key FROM keys WHERE state = 1
        EXCEPT SELECT key FROM transfers
        UNION ALL
        SELECT key FROM transfers EXCEPT SELECT lower(hex(digest)) FROM keys WHERE state = 1)";
    let count = |file: Connection| file.query_row(differences, [], |row| row.get::<_, i64>(0));
    assert_eq!(Connection::open(file).and_then(count).expect("a number"), 0);
}

#[tokio::test]
async fn a_process_that_transfers() {
    let Some(folder) = played(ROLE) else { return };
    let runtime = runtime(&folder.join("tools.db"));
    println!();
    let process = std::process::id();
    for number in 0.. {
        let keys = (0..4).map(|task| format!("order-{process}-{number}-{task}"));
        let transfers = keys.map(|key| {
            let runtime = runtime.clone();
            async move { transfer_once(&runtime, &key, "Answer").await }
        });
        let outputs = join_all(transfers).await;
        assert!(outputs.iter().any(ToolOutput::is_ok));
        std::io::stdout().lock().write_all(b"transferred\n").expect("a line");
    }
}

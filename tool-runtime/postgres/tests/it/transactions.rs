//! A tool's effect and the settlement of its key are one transaction: both are committed, or neither is.

use std::future::pending;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::time::Duration;

use futures::future::join_all;
use futures::{join, poll};
use tool_runtime::contracts::{CallStatus, Permission};
use tool_runtime::policy::{Policy, ToolPolicy};
use tool_runtime::prelude::*;
use tool_runtime::store::{PostgresStore, PostgresTransaction, PostgresTransactionError};
use tool_runtime::{BuildProblem, Idempotency, ToolCall, ToolOutput, Uuid};

use crate::server;

#[path = "../../examples/transfer.rs"]
mod example;

const TENANT: Uuid = Uuid::from_u128(7);
/// The money of all accounts.
const TOTAL: i64 = 1_000_000;

/// The schema of the bank's own tables, in the database of the store.
struct Bank(String);

/// The end of the tool's run, after its statements.
#[derive(Clone, Copy, PartialEq, Eq)]
#[ai_type]
enum Ending {
    Answer,
    Fail,
    Panic,
    Wait,
    /// Hides the failure of a statement.
    HideFailure,
    /// Ends the transaction by a statement.
    Commit,
    /// Leaves a statement running.
    LeaveStatement,
}

/// Moves money from one account to another.
#[ai_tool(effect = "write", preview = show_transfer)]
async fn transfer(
    tx: &PostgresTransaction,
    bank: &Bank,
    idempotency: &Idempotency,
    /// The account that pays.
    from: i64,
    /// The account that receives.
    to: i64,
    /// The amount.
    cents: i64,
    /// The end of the run, after the statements.
    ending: Ending,
) -> Result<i64, PostgresTransactionError> {
    let schema = &bank.0;
    let pay =
        format!("UPDATE {schema}.accounts SET cents = cents - $1 WHERE id = $2 RETURNING cents");
    let balance = tx.query_one(&pay, &[&cents, &from]).await?.get("cents");
    let receive = format!("UPDATE {schema}.accounts SET cents = cents + $1 WHERE id = $2");
    assert_eq!(tx.execute(&receive, &[&cents, &to]).await?, 1);
    let key = idempotency.global_key().unwrap_or("none");
    tx.execute(&format!("INSERT INTO {schema}.transfers (key) VALUES ($1)"), &[&key]).await?;
    match ending {
        Ending::Answer => {}
        Ending::Fail => return Err(tx.execute("SELECT 1 / 0", &[]).await.expect_err("a failure")),
        Ending::Panic => panic!("after the statements"),
        Ending::Wait => pending().await,
        Ending::HideFailure => assert!(tx.execute("SELECT 1 / 0", &[]).await.is_err()),
        Ending::Commit => drop(tx.execute("COMMIT", &[]).await?),
        Ending::LeaveStatement => {
            let tx = tx.clone();
            let mut sleep =
                Box::pin(async move { tx.execute("SELECT pg_sleep(0.2)", &[]).await.map(drop) });
            assert!(poll!(&mut sleep).is_pending());
            tokio::spawn(sleep);
        }
    }
    Ok(balance)
}

#[expect(clippy::unused_async, reason = "it is as the tool is")]
async fn show_transfer(
    _: &PostgresTransaction,
    _: &Bank,
    _: &Idempotency,
    from: i64,
    to: i64,
    cents: i64,
    _: Ending,
) -> String {
    format!("{cents} cents from {from} to {to}")
}

/// A bank in the store's database, and a runtime with its tool.
struct Fixture {
    schema: String,
    store_schema: String,
    store: PostgresStore,
    runtime: Runtime,
}

impl Fixture {
    async fn new(url: &str) -> Self {
        let schema = server::schema().replace("test", "bank");
        server::execute(
            url,
            &format!(
                "CREATE SCHEMA {schema};
                 CREATE TABLE {schema}.accounts (id bigint PRIMARY KEY, cents bigint NOT NULL CHECK (cents >= 0));
                 CREATE TABLE {schema}.transfers (key text PRIMARY KEY);
                 INSERT INTO {schema}.accounts SELECT id, {TOTAL} / 10 FROM generate_series(1, 10) AS id"
            ),
        )
        .await;
        let store_schema = server::schema();
        let options = PostgresStore::options().schema(&store_schema);
        let store = options.connect(url).await.expect("the store opens");
        let runtime = runtime(&store, &schema, Duration::from_secs(30));
        Self { schema, store_schema, store, runtime }
    }

    async fn transfer(&self, key: &str, ending: &str) -> ToolOutput {
        self.call(key, ending, 60_000).execute().await.clone()
    }

    fn call(&self, key: &str, ending: &str, budget_ms: u64) -> ToolCall {
        call(&self.runtime, key, ending, budget_ms)
    }

    /// Returns the money of all accounts, that of the first one, and the number of transfers.
    async fn state(&self) -> (i64, i64, i64) {
        let schema = &self.schema;
        let state = format!(
            "SELECT (SELECT sum(cents)::bigint FROM {schema}.accounts) AS total,
                    (SELECT cents FROM {schema}.accounts WHERE id = 1) AS first,
                    (SELECT count(*) FROM {schema}.transfers) AS transfers"
        );
        let client = server::client(&server::url().expect("a server")).await;
        let row = client.query_one(&state, &[]).await.expect("a row");
        (row.get("total"), row.get("first"), row.get("transfers"))
    }
}

fn runtime(store: &PostgresStore, schema: &str, lease: Duration) -> Runtime {
    let policy = Policy::new().store(store.clone()).rules(ToolPolicy::new().lease(lease));
    let builder = Runtime::builder().tool::<TransferTool>().state(Bank(schema.to_owned()));
    let builder = builder.permission("transfer", Permission::Allow).policy(policy);
    builder.build().expect("a runtime")
}

fn call(runtime: &Runtime, key: &str, ending: &str, budget_ms: u64) -> ToolCall {
    call_of(runtime, key, ending, budget_ms, 100)
}

fn call_of(runtime: &Runtime, key: &str, ending: &str, budget_ms: u64, cents: i64) -> ToolCall {
    let cx = ToolContext::builder(TENANT, "trace-1").user_id("ada").run_id("run-1");
    let cx = cx.idempotency_key(key).timeouts_ms(budget_ms).build().expect("a context");
    let arguments = format!(r#"{{"from":1,"to":2,"cents":{cents},"ending":"{ending}"}}"#);
    runtime.call("transfer", arguments, &cx)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_effect_is_committed_with_its_answer_and_a_repeat_gets_the_answer() {
    for url in server::urls() {
        let bank = Fixture::new(&url).await;
        let output = bank.transfer("order-1", "Answer").await;
        assert_eq!(output.data_json(), Some("99900"), "{}", output.json());
        assert_eq!(bank.state().await, (TOTAL, 99_900, 1));
        let again = bank.transfer("order-1", "Answer").await;
        assert_eq!(again.data_json(), Some("99900"));
        assert_eq!(bank.state().await, (TOTAL, 99_900, 1));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_ends_a_call_without_an_answer_undoes_its_effect_and_frees_its_key() {
    // Without the pooler, whose two connections the open transactions would take from other tests.
    if let Some(url) = server::url() {
        let bank = Fixture::new(&url).await;
        for ending in ["Panic", "Wait", "HideFailure", "LeaveStatement"] {
            let output = bank.call(ending, ending, 1_500).execute().await.clone();
            let error = output.error().unwrap_or_else(|| panic!("{ending}: {}", output.json()));
            let effect = error.details().and_then(|details| details.get("effect"));
            assert!(effect.is_none_or(|effect| effect == "none"), "{ending}: {}", output.json());
            assert_eq!(bank.state().await, (TOTAL, 100_000, 0), "{ending}");
        }
        // Dropped in the middle.
        let mut dropped = bank.call("dropped", "Wait", 60_000);
        let limit = Duration::from_millis(1_500);
        assert!(tokio::time::timeout(limit, dropped.execute()).await.is_err());
        drop(dropped);
        // The keys are free: the same calls run again.
        for key in ["Wait", "dropped"] {
            let mut again = bank.call(key, "Wait", 1_500);
            again.execute().await;
            assert_eq!(again.status(), CallStatus::Failed, "{key}");
        }
        // A failure that a repeat would meet again is kept under its key.
        let failed = bank.transfer("order-2", "Fail").await;
        assert!(failed.error().is_some());
        assert_eq!(bank.state().await, (TOTAL, 100_000, 0));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dry_run_and_a_call_without_a_key_end_their_transactions() {
    for url in server::urls() {
        let bank = Fixture::new(&url).await;
        let cx = ToolContext::builder(TENANT, "trace-1").user_id("ada").run_id("run-1");
        let cx = cx.build().expect("a context");
        let arguments = r#"{"from":1,"to":2,"cents":100,"ending":"Answer"}"#;
        let mut dry = bank.runtime.call("transfer", arguments, &cx.with_dry_run(true));
        assert_eq!(dry.execute().await.data_json(), Some(r#""100 cents from 1 to 2""#));
        assert_eq!(bank.state().await, (TOTAL, 100_000, 0));
        let mut keyless = bank.runtime.call("transfer", arguments, &cx);
        assert!(keyless.execute().await.is_ok());
        assert_eq!(bank.state().await, (TOTAL, 99_900, 1));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tool_that_ends_the_transaction_itself_leaves_an_unknown_outcome() {
    for url in server::urls() {
        let bank = Fixture::new(&url).await;
        let output = bank.transfer("order-1", "Commit").await;
        let error = output.error().expect("no answer");
        assert_eq!(error.details().expect("details")["effect"], "unknown", "{}", output.json());
        // The effect stands, and no repeat has it again.
        assert_eq!(bank.state().await, (TOTAL, 99_900, 1));
        assert!(bank.transfer("order-1", "Commit").await.error().is_some());
        assert_eq!(bank.state().await, (TOTAL, 99_900, 1));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_whose_key_was_taken_over_commits_nothing() {
    // Without the pooler, whose two connections the open transactions would take from other tests.
    if let Some(url) = server::url() {
        let bank = Fixture::new(&url).await;
        let short = runtime(&bank.store, &bank.schema, Duration::from_secs(3));
        let mut first = call(&short, "order-1", "Answer", 60_000);
        // Another transaction holds the account, so that the tool waits in its statements.
        let client = server::client(&url).await;
        let lock = format!("BEGIN; SELECT FROM {}.accounts WHERE id = 1 FOR UPDATE", bank.schema);
        client.batch_execute(&lock).await.expect("a lock");
        let running = tokio::spawn(async move { first.execute().await.clone() });
        let keys = format!(
            "UPDATE {}.keys SET fence = fence + 1000, lease_until = 9000000000000 WHERE state = 0",
            bank.store_schema
        );
        let owner = server::client(&url).await;
        owner.batch_execute("SET tool_runtime.tenant = '*'").await.expect("all tenants");
        let mut changed = 0;
        for _ in 0..10_000 {
            changed = owner.execute(&keys, &[]).await.expect("an update");
            if changed > 0 {
                break;
            }
        }
        assert_eq!(changed, 1, "the key is claimed");
        client.batch_execute("ROLLBACK").await.expect("the lock is released");
        let output = running.await.expect("it ends");
        assert!(output.error().is_some(), "{}", output.json());
        assert_eq!(bank.state().await, (TOTAL, 100_000, 0));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_that_end_at_any_point_leave_both_or_neither() {
    // Without the pooler, whose two connections the open transactions would take from other tests.
    if let Some(url) = server::url() {
        let bank = Fixture::new(&url).await;
        // Sessions of the store alone: their last statements name its schemas.
        let terminate = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE $1";
        let pattern = format!("%{}%", bank.schema);
        let settled = format!("%{}%", bank.store_schema);
        let killer = server::client(&url).await;
        let rounds = 40;
        for round in 0..rounds {
            let key = format!("order-{round}");
            let kill = async {
                for _ in 0..round % 8 {
                    tokio::task::yield_now().await;
                    killer.query_one("SELECT 1", &[]).await.expect("a row");
                }
                let pattern = if round % 2 == 0 { &pattern } else { &settled };
                killer.query_one(terminate, &[pattern]).await.expect("a number");
            };
            join!(bank.transfer(&key, "Answer"), kill);
        }
        // Each key is repeated until it is answered.
        for round in 0..rounds {
            let key = format!("order-{round}");
            let mut output = bank.transfer(&key, "Answer").await;
            for _ in 0..10 {
                if output.is_ok() {
                    break;
                }
                output = bank.transfer(&key, "Answer").await;
            }
            assert!(output.is_ok(), "{key}: {}", output.json());
        }
        let paid = 100 * i64::from(rounds);
        assert_eq!(bank.state().await, (TOTAL, 100_000 - paid, i64::from(rounds)));
    }
}

/// Names the schemas of the bank and of the store to a process that transfers.
const SCHEMAS: &str = "TEST_TRANSFERS";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_is_killed_leaves_the_effect_and_the_answer_or_neither() {
    let Some(url) = server::url() else { return };
    let bank = Fixture::new(&url).await;
    let (schema, keys) = (&bank.schema, &bank.store_schema);
    let client = server::client(&url).await;
    client.batch_execute("SET tool_runtime.tenant = '*'").await.expect("all tenants");
    let differences = format!(
        "WITH answered AS (SELECT encode(digest, 'hex') AS key FROM {keys}.keys WHERE state = 1),
            transferred AS (SELECT key FROM {schema}.transfers)
         SELECT (SELECT count(*) FROM answered FULL JOIN transferred USING (key)
             WHERE answered IS NULL OR transferred IS NULL)"
    );
    for round in 0..8 {
        let mut child = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "transactions::a_process_that_transfers", "--nocapture"])
            .env(SCHEMAS, format!("{schema} {keys}"))
            .stdout(Stdio::piped())
            .spawn()
            .expect("a process");
        let lines = BufReader::new(child.stdout.take().expect("lines")).lines();
        let mut lines = lines.map_while(Result::ok).filter(|line| line == "transferred");
        for _ in 0..=round {
            lines.next().expect("a transfer");
        }
        child.kill().expect("it is killed");
        child.wait().expect("it has ended");
        let row = client.query_one(&differences, &[]).await.expect("a number");
        assert_eq!(row.get::<_, i64>(0), 0);
    }
    let (total, first, transfers) = bank.state().await;
    assert_eq!((total, first), (TOTAL, TOTAL / 10 - transfers));
    assert!(transfers > 8 * 4);
}

/// The part of the other process.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_transfers() {
    let (Some(url), Ok(schemas)) = (server::url(), std::env::var(SCHEMAS)) else { return };
    let (schema, keys) = schemas.split_once(' ').expect("two schemas");
    let store = PostgresStore::options().schema(keys).connect(&url).await.expect("a store");
    let runtime = runtime(&store, schema, Duration::from_secs(30));
    println!();
    for number in 0.. {
        let transfers = (0..4).map(|task| {
            let key = format!("order-{}-{number}-{task}", std::process::id());
            let mut call = call_of(&runtime, &key, "Answer", 60_000, 1);
            async move { call.execute().await.is_ok() }
        });
        assert!(join_all(transfers).await.contains(&true));
        // In one piece, so that a line is whole or not there.
        std::io::stdout().lock().write_all(b"transferred\n").expect("a line");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn more_transfers_than_connections_all_end() {
    for url in server::urls() {
        let bank = Fixture::new(&url).await;
        let calls = (0..40).map(|order| {
            let mut call = bank.call(&format!("order-{order}"), "Answer", 60_000);
            async move { call.execute().await.clone() }
        });
        let outputs = join_all(calls).await;
        let failed = outputs.iter().find(|output| !output.is_ok());
        assert!(failed.is_none(), "{}", failed.expect("one").json());
        assert_eq!(bank.state().await, (TOTAL, 96_000, 40));
    }
}

#[tokio::test]
async fn a_tool_borrows_the_transaction_of_the_policy_s_own_store_alone() {
    let builder = Runtime::builder().tool::<TransferTool>().state(Bank(String::new()));
    let error = builder.build().expect_err("memory has no transactions");
    let missing =
        |problem: &BuildProblem| matches!(problem, BuildProblem::MissingTransaction { .. });
    assert!(error.problems().iter().any(missing), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_example_moves_its_money_once() {
    let Some(url) = server::url() else { return };
    let lines = example::run(&url).await.expect("it runs");
    assert_eq!(lines.matches("7000").count(), 3, "{lines}");
    assert!(lines.ends_with("ada has 7000 cents\nben has 3000 cents"), "{lines}");
}

//! Keyed writes through the store, compared with hand-written commits.
//!
//! A keyed write is a committed claim, followed by a committed settlement with an answer.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, params};
use serde_json::json;
use tool_runtime::budgets::{Budget, BudgetScope};
use tool_runtime::canonical::Digest;
use tool_runtime::policy::Policy;
use tool_runtime::prelude::*;
use tool_runtime::store::{
    ClaimOutcome, ClaimRequest, IdempotencyStore, ScopedKey, Settlement, SqliteStore, StoredAnswer,
    UnixMillis,
};
use tool_runtime::testing::ManualClock;

use crate::instructions;
use crate::rates::{median, rate, ratio, text};

/// The number of concurrent tasks, and of rows per hand-written commit.
pub(crate) const TASKS: usize = 64;

/// The number of keyed writes of each task in a round.
pub(crate) const WRITES: usize = 25;

/// The number of sequential keyed writes in a round.
const SINGLE: usize = 25;

const ROUNDS: usize = 15;

/// The number of calls whose instructions are counted.
const COUNTED: u64 = 1_000;

/// The number of calls whose transactions are counted: few enough that the log is not written back meanwhile.
const LOGGED: usize = 50;

pub(crate) const NOW: UnixMillis = UnixMillis::new(1_800_000_000_000);
pub(crate) const LEASE: Duration = Duration::from_secs(60);
pub(crate) const KEPT: Duration = Duration::from_secs(24 * 60 * 60);
pub(crate) const BODY: &[u8] = &[b'7'; 300];
pub(crate) const META: &[u8] = &[b'7'; 100];

/// Prints the keyed writes per second for each kind.
///
/// # Errors
/// The folder cannot be written.
pub fn print(folder: &Path) -> Result<(), String> {
    let folder = folder.join(format!("store-figures-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(text)?;
    let result = rounds(&folder);
    fs::remove_dir_all(&folder).map_err(text)?;
    let rates = result?;
    let (keyed, raw, single) = (median(&rates.keyed), median(&rates.raw), median(&rates.single));
    let calls = median(&rates.calls);
    println!("keyed writes a second, median of {ROUNDS} rounds");
    println!("(a) by hand, {TASKS} rows a commit{raw:>14.0}");
    println!("(b) through the store, {TASKS} tasks{keyed:>11.0}");
    println!("(c) calls of a tool, {TASKS} tasks{calls:>13.0}");
    println!("(d) by hand, one row a commit{single:>13.0}");
    let budgeted = median(&rates.budgeted);
    println!("(e) as (c), under a budget{budgeted:>16.0}");
    let count = |style| instructions::count_all_threads(&["measure-store", style], COUNTED);
    let (plain, limited) = (count("plain")?, count("budgeted")?);
    let (plain_transactions, limited_transactions) =
        (transactions("plain")?, transactions("budgeted")?);
    println!("instructions of such a call, on all threads");
    println!("(c) without a budget{plain:>22}");
    println!("(e) under a budget{limited:>24}");
    println!("transactions of such a call");
    println!("(c) without a budget{plain_transactions:>22}");
    println!("(e) under a budget{limited_transactions:>24}");
    #[allow(clippy::cast_precision_loss, reason = "counts of instructions are far below 2^52")]
    let budgeted_instructions = limited as f64 / plain as f64;
    println!(
        "store: keyed_vs_raw={:.3} store_vs_raw={:.3} budgeted_cost={:.3} \
         budgeted_instructions={budgeted_instructions:.3} \
         budgeted_transactions={limited_transactions}/{plain_transactions} calls_per_second={calls:.0} \
         keyed_per_second={keyed:.0} raw_per_second={raw:.0} \
         single_commits_per_second={:.0} group={TASKS}",
        ratio(&rates.calls, &rates.raw),
        ratio(&rates.keyed, &rates.raw),
        ratio(&rates.calls, &rates.budgeted),
        single * 2.0
    );
    Ok(())
}

/// Keyed writes per second, by round.
#[derive(Default)]
struct Rates {
    calls: Vec<f64>,
    budgeted: Vec<f64>,
    keyed: Vec<f64>,
    raw: Vec<f64>,
    single: Vec<f64>,
}

fn rounds(folder: &Path) -> Result<Rates, String> {
    let executor = tokio::runtime::Runtime::new().map_err(text)?;
    let mut rates = Rates::default();
    for round in 0..ROUNDS {
        let file = |name: &str| folder.join(format!("{name}-{round}.db"));
        rates.raw.push(by_hand(&executor, &file("raw"), TASKS * WRITES, TASKS)?);
        rates.keyed.push(executor.block_on(through_store(file("keyed")))?);
        rates.calls.push(executor.block_on(through_runtime(file("calls"), Policy::new()))?);
        rates.budgeted.push(executor.block_on(through_runtime(file("budgeted"), limited()))?);
        rates.single.push(by_hand(&executor, &file("single"), SINGLE, 1)?);
    }
    Ok(rates)
}

/// A policy with a budget.
fn limited() -> Policy {
    let budget = Budget::new("orders").lifetime("1000000 calls").scope(BudgetScope::User);
    Policy::new().budget(budget)
}

fn policy(style: &str) -> Result<Policy, String> {
    match style {
        "plain" => Ok(Policy::new()),
        "budgeted" => Ok(limited()),
        other => Err(format!("no style `{other}`: plain, budgeted")),
    }
}

/// Counts the transactions that a call commits, by the frames in the log of the file that end one.
fn transactions(style: &str) -> Result<usize, String> {
    let folder = std::env::temp_dir().join(format!("store-transactions-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(text)?;
    let executor = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let counted = executor.map_err(text)?.block_on(async {
        let file = folder.join("calls.db");
        let store = SqliteStore::open(&file).map_err(text)?;
        let runtime = runtime(store.clone(), policy(style)?)?;
        execute(&runtime, 0).await?;
        let commits = || commits(&folder.join("calls.db-wal"));
        let before = commits()?;
        for number in 1..=LOGGED {
            execute(&runtime, number).await?;
        }
        let after = commits()?;
        drop(runtime);
        store.close().await;
        Ok((after - before).div_ceil(LOGGED))
    });
    fs::remove_dir_all(&folder).map_err(text)?;
    counted
}

/// Counts the frames of a write-ahead log of SQLite that end a transaction: those whose header has the database's size.
fn commits(log: &Path) -> Result<usize, String> {
    const HEADER: usize = 32;
    const FRAME_HEADER: usize = 24;
    let log = fs::read(log).map_err(text)?;
    let number =
        |bytes: &[u8]| bytes.iter().fold(0_usize, |sum, byte| sum << 8 | usize::from(*byte));
    let page = number(log.get(8..12).ok_or("the log has no header")?);
    let frames = log[HEADER..].chunks_exact(FRAME_HEADER + page);
    // Frames of an earlier round of the log have other salts.
    let present = frames.filter(|frame| frame[8..16] == log[16..24]);
    Ok(present.filter(|frame| number(&frame[4..8]) > 0).count())
}

/// The calls that run under callgrind, one after the other: one transaction for each claim and each settlement.
///
/// # Errors
/// The style is unknown, the number is none, or a file cannot be written.
pub fn measure(style: &str, calls: &str) -> Result<(), String> {
    let policy = policy(style)?;
    let calls: usize = calls.parse().map_err(|error| format!("{calls}: {error}"))?;
    let file = std::env::temp_dir().join(format!("store-instructions-{}", std::process::id()));
    let executor = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let result = executor.map_err(text)?.block_on(async {
        let store = SqliteStore::open(&file).map_err(text)?;
        // Reading the machine's clock ends a program that runs under valgrind.
        let runtime = runtime(store.clone(), policy.clock(ManualClock::at(NOW)))?;
        for number in 0..calls {
            execute(&runtime, number).await?;
        }
        drop(runtime);
        store.close().await;
        Ok(())
    });
    fs::remove_file(&file).map_err(text)?;
    result
}

async fn through_store(file: PathBuf) -> Result<f64, String> {
    let store = SqliteStore::open(file).map_err(text)?;
    let rate = rate_of_tasks(|task| write(store.clone(), task)).await?;
    store.close().await;
    Ok(rate)
}

/// Runs the tasks at once, and returns the writes per second.
pub(crate) async fn rate_of_tasks<F>(task: impl Fn(usize) -> F) -> Result<f64, String>
where
    F: Future<Output = Result<(), String>> + Send + 'static,
{
    let start = Instant::now();
    let tasks: Vec<_> = (0..TASKS).map(|number| tokio::spawn(task(number))).collect();
    for task in tasks {
        task.await.map_err(text)??;
    }
    Ok(rate(TASKS * WRITES, start))
}

pub(crate) async fn write(store: impl IdempotencyStore, task: usize) -> Result<(), String> {
    for number in task * WRITES..(task + 1) * WRITES {
        let key = key(number);
        let request = ClaimRequest::new(key.clone(), fingerprint(number), NOW, LEASE);
        let ClaimOutcome::Acquired(fence) = store.claim(request).await.map_err(text)? else {
            return Err("a new key had been claimed".to_owned());
        };
        let settlement = Settlement::Answered {
            answer: StoredAnswer::succeeded(BODY.to_vec(), META.to_vec()),
            keep_until: NOW.after(KEPT),
        };
        if !store.settle(&key, fence, settlement).await.map_err(text)? {
            return Err("a claimed key was not held".to_owned());
        }
    }
    Ok(())
}

/// Executes calls of a tool under keys, through the whole runtime.
async fn through_runtime(file: PathBuf, policy: Policy) -> Result<f64, String> {
    let store = SqliteStore::open(file).map_err(text)?;
    let runtime = runtime(store.clone(), policy)?;
    let rate = rate_of_tasks(|task| call(runtime.clone(), task)).await?;
    drop(runtime);
    store.close().await;
    Ok(rate)
}

fn runtime(store: SqliteStore, policy: Policy) -> Result<Runtime, String> {
    let builder = Runtime::builder()
        .dynamic(place_order())
        .permission("orders.place", Permission::Allow)
        .policy(policy)
        .store(store);
    builder.build().map_err(text)
}

/// A write whose answer is as long as the one of the hand-written commits.
pub(crate) fn place_order() -> DynamicTool {
    let answer = "7".repeat(BODY.len() - 2);
    DynamicTool::new("orders.place", Effect::Write)
        .description("Places an order.")
        .input_schema(json!({ "type": "object", "properties": { "item": { "type": "integer" } } }))
        .handles_dry_run()
        .sync_handler(move |_| Ok::<_, Failure>(answer.clone()))
}

pub(crate) async fn call(runtime: Runtime, task: usize) -> Result<(), String> {
    for number in task * WRITES..(task + 1) * WRITES {
        execute(&runtime, number).await?;
    }
    Ok(())
}

async fn execute(runtime: &Runtime, number: usize) -> Result<(), String> {
    let cx = ToolContext::builder(Uuid::nil(), "trace-1")
        .run_id("run-1")
        .user_id("42")
        .idempotency_key(format!("order-{number}"))
        .build()
        .map_err(text)?;
    let mut call = runtime.call("orders.place", format!(r#"{{"item":{number}}}"#), &cx);
    let output = call.execute().await;
    if output.is_ok() { Ok(()) } else { Err(output.to_string()) }
}

/// Writes the same rows into the same tables on one thread that knows its writes in advance:
/// groups of claims, each followed by the group of its settlements.
fn by_hand(
    executor: &tokio::runtime::Runtime,
    file: &Path,
    writes: usize,
    group: usize,
) -> Result<f64, String> {
    executor.block_on(SqliteStore::open(file).map_err(text)?.close());
    let connection = Connection::open(file).map_err(text)?;
    connection.pragma_update(None, "synchronous", "FULL").map_err(text)?;
    connection.pragma_update(None, "temp_store", "MEMORY").map_err(text)?;
    let start = Instant::now();
    let numbers: Vec<usize> = (0..writes).collect();
    for group in numbers.chunks(group) {
        commit_by_hand(&connection, group).map_err(text)?;
    }
    Ok(rate(writes, start))
}

fn commit_by_hand(connection: &Connection, group: &[usize]) -> rusqlite::Result<()> {
    let mut fences = Vec::with_capacity(group.len());
    connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
    for number in group {
        let (key, fingerprint) = (key(*number), fingerprint(*number));
        let (tenant, until) = (key.tenant.as_bytes(), signed(NOW.after(LEASE)));
        // The digest is as long as that of the store, and costs nothing; so does the seal.
        let (digest, seal) = (fingerprint.as_bytes(), [7_u8; 32]);
        let row = params![
            tenant,
            key.principal,
            key.tool,
            key.key,
            fingerprint.as_bytes(),
            until,
            digest,
            seal
        ];
        connection
            .prepare_cached(
                "INSERT INTO keys (
                     tenant, principal, tool, key, fingerprint, state, until, digest, asker, sealed_by, seal)
                 VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6, ?7, 'user:42', 'file', ?8)",
            )?
            .execute(row)?;
        fences.push(connection.last_insert_rowid());
    }
    connection.prepare_cached("COMMIT")?.execute([])?;
    connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
    for fence in fences {
        connection
            .prepare_cached(
                "UPDATE keys SET state = 1, until = ?2, succeeded = 1, body = ?3, meta = ?4
                 WHERE fence = ?1",
            )?
            .execute(params![fence, signed(NOW.after(KEPT)), BODY, META])?;
    }
    connection.prepare_cached("COMMIT")?.execute([]).map(drop)
}

pub(crate) fn key(number: usize) -> ScopedKey {
    ScopedKey::new(Uuid::nil(), "user:42", "orders.place", format!("order-{number}"))
}

pub(crate) fn fingerprint(number: usize) -> Digest {
    Digest::compute("figures", &number.to_be_bytes())
}

pub(crate) fn signed(moment: UnixMillis) -> i64 {
    i64::try_from(moment.get()).unwrap_or(i64::MAX)
}

//! Keyed writes through the store in PostgreSQL, compared with hand-written statements on the same driver.
//!
//! A keyed write is a committed claim, followed by a committed settlement with an answer.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::time::Instant;

use deadpool_postgres::{Manager, ManagerConfig, Pool, RecyclingMethod};
use tokio_postgres::{Config, NoTls};
use tool_runtime::RuntimeBuilder;
use tool_runtime::prelude::*;
use tool_runtime::store::PostgresStore;

use crate::ledger_postgres::{self, AppendRates};
use crate::rates::{median, rate, ratio, text};
use crate::store::{
    BODY, KEPT, LEASE, META, NOW, TASKS, WRITES, call, fingerprint, key, place_order,
    rate_of_tasks, signed, write,
};

const ROUNDS: usize = 9;

/// The connections of each contestant.
const CONNECTIONS: usize = 16;

const CLAIM: &str = "
    INSERT INTO by_hand (digest, tenant, principal, tool, key, caller, fingerprint, fence, claim, state, lease_until)
    VALUES ($1, $2, $3, $4, $5, $3, $6, nextval('by_hand_fences'), $2, 0, $7)
    ON CONFLICT DO NOTHING RETURNING fence";

const SETTLE: &str = "
    UPDATE by_hand SET state = 1, lease_until = NULL, keep_until = $3, succeeded = true, body = $4, meta = $5
    WHERE digest = $1 AND fence = $2 AND state = 0";

/// Prints the keyed writes per second for each kind.
///
/// # Errors
/// The server cannot be used.
pub fn print(url: &str) -> Result<(), String> {
    let executor = tokio::runtime::Runtime::new().map_err(text)?;
    let rates = executor.block_on(rounds(url))?;
    let (calls, stored) = (median(&rates.calls), median(&rates.stored));
    let (by_hand, wal) = (median(&rates.by_hand), median(&rates.wal_bytes));
    let processes = [1, 2, 4].map(|count| executor.block_on(by_processes(url, count)));
    let [one, two, four] = processes;
    let (one, two, four) = (one?, two?, four?);
    println!("keyed writes a second by {TASKS} tasks, median of {ROUNDS} rounds");
    println!("(a) by hand, two statements{by_hand:>17.0}");
    println!("(b) through the store{stored:>23.0}");
    println!("(b2) the same, nothing prepared{:>13.0}", median(&rates.unprepared));
    println!("(c) calls of a tool{calls:>25.0}");
    println!("(d) the same by 1, 2 and 4 processes{one:>8.0}{two:>8.0}{four:>8.0}");
    println!("(e) bytes of the server's log for a call{wal:>4.0}");
    let recorded = median(&rates.recorded);
    println!("(f) calls of a tool, on the ledger{recorded:>11.0}");
    let AppendRates { one: [one_1, one_32], four: [four_1, four_32] } =
        executor.block_on(appended(url))?;
    println!(
        "(g) records appended a second, one and 32 a commit: 1 writer{one_1:>7.0}{one_32:>7.0}, 4 writers{four_1:>7.0}{four_32:>7.0}"
    );
    println!(
        "store-postgres: keyed_vs_raw={:.3} store_vs_raw={:.3} unprepared_vs_raw={:.3} calls_per_second={calls:.0} \
         keyed_per_second={stored:.0} raw_per_second={by_hand:.0} connections={CONNECTIONS} \
         by_1={one:.0} by_2={two:.0} by_4={four:.0} wal_bytes_per_call={wal:.0} \
         on_ledger_vs_off={:.3} records_by_32_vs_1={:.1} records_by_32_vs_1_of_4_writers={:.1}",
        ratio(&rates.calls, &rates.by_hand),
        ratio(&rates.stored, &rates.by_hand),
        ratio(&rates.unprepared, &rates.by_hand),
        ratio(&rates.recorded, &rates.calls),
        one_32 / one_1,
        four_32 / four_1,
    );
    Ok(())
}

/// Keyed writes per second, by round.
#[derive(Default)]
struct Rates {
    calls: Vec<f64>,
    stored: Vec<f64>,
    unprepared: Vec<f64>,
    by_hand: Vec<f64>,
    wal_bytes: Vec<f64>,
    recorded: Vec<f64>,
}

async fn rounds(url: &str) -> Result<Rates, String> {
    let mut rates = Rates::default();
    for round in 0..=ROUNDS {
        let schema = format!("figures_{}_{round}", std::process::id());
        let options = PostgresStore::options().schema(&schema).max_connections(CONNECTIONS);
        // As the statements by hand are.
        let prepared = options.clone().prepared_statements(true);
        let store = prepared.connect(url).await.map_err(text)?;
        let unprepared = options.connect(url).await.map_err(text)?;
        let pool = pool(url)?;
        let client = pool.get().await.map_err(text)?;
        let tables = format!(
            "DROP TABLE IF EXISTS by_hand; DROP SEQUENCE IF EXISTS by_hand_fences;
             CREATE TABLE by_hand (LIKE \"{schema}\".keys INCLUDING ALL) WITH (fillfactor = 70);
             CREATE SEQUENCE by_hand_fences"
        );
        client.batch_execute(&tables).await.map_err(text)?;
        drop(client);
        let by_hand = rate_of_tasks(|task| write_by_hand(pool.clone(), task)).await?;
        let stored = rate_of_tasks(|task| write(store.clone(), task)).await?;
        truncate(&pool, &schema).await?;
        let pooled = rate_of_tasks(|task| write(unprepared.clone(), task)).await?;
        unprepared.close();
        truncate(&pool, &schema).await?;
        let runtime = builder(&store).build().map_err(text)?;
        let log_before = log_position(&pool).await?;
        let calls = rate_of_tasks(|task| call(runtime.clone(), task)).await?;
        let log_bytes = log_position(&pool).await? - log_before;
        drop(runtime);
        truncate(&pool, &schema).await?;
        let (builder, ledger) = ledger_postgres::recorded(builder(&store), &store)?;
        let runtime = builder.build().map_err(text)?;
        // Each answer waits for its record.
        let recorded = rate_of_tasks(|task| call(runtime.clone(), task)).await?;
        drop(runtime);
        ledger.close().await.map_err(text)?;
        ledger_postgres::check(&store, TASKS * WRITES)?;
        store.close();
        let client = pool.get().await.map_err(text)?;
        let end = format!(
            "DROP SCHEMA \"{schema}\" CASCADE; DROP TABLE by_hand; DROP SEQUENCE by_hand_fences"
        );
        client.batch_execute(&end).await.map_err(text)?;
        // The first round opens the connections.
        if round > 0 {
            rates.by_hand.push(by_hand);
            rates.stored.push(stored);
            rates.unprepared.push(pooled);
            rates.calls.push(calls);
            rates.recorded.push(recorded);
            rates.wal_bytes.push(log_bytes / count(TASKS * WRITES));
        }
    }
    Ok(rates)
}

fn builder(store: &PostgresStore) -> RuntimeBuilder {
    let builder = Runtime::builder().dynamic(place_order());
    builder.permission("orders.place", Permission::Allow).store(store.clone())
}

/// Measures appends to the ledger, in a schema of their own.
async fn appended(url: &str) -> Result<AppendRates, String> {
    let schema = format!("figures_{}_ledger", std::process::id());
    let store = PostgresStore::options().schema(&schema).connect(url).await.map_err(text)?;
    let appending = store.clone();
    let rates = tokio::task::spawn_blocking(move || ledger_postgres::append_rates(&appending));
    let rates = rates.await.map_err(text)??;
    store.close();
    let client = pool(url)?.get().await.map_err(text)?;
    client.batch_execute(&format!("DROP SCHEMA \"{schema}\" CASCADE")).await.map_err(text)?;
    Ok(rates)
}

/// Empties the table of keys, so that none is there.
async fn truncate(pool: &Pool, schema: &str) -> Result<(), String> {
    let client = pool.get().await.map_err(text)?;
    client.batch_execute(&format!("TRUNCATE \"{schema}\".keys")).await.map_err(text)
}

/// Returns how many bytes the server has written to its log.
async fn log_position(pool: &Pool) -> Result<f64, String> {
    let client = pool.get().await.map_err(text)?;
    let position = "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS bytes";
    Ok(client.query_one(position, &[]).await.map_err(text)?.get("bytes"))
}

fn count(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

/// Has processes execute calls at once, and returns the calls of all per second.
async fn by_processes(url: &str, processes: usize) -> Result<f64, String> {
    let schema = format!("figures_{}_by_{processes}", std::process::id());
    let store = PostgresStore::options().schema(&schema).connect(url).await.map_err(text)?;
    store.close();
    let program = std::env::current_exe().map_err(text)?;
    let start = |number: usize| {
        Command::new(&program)
            .args(["store-child", url, &schema, &number.to_string(), &processes.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(text)
    };
    let mut children = (0..processes).map(start).collect::<Result<Vec<_>, _>>()?;
    let mut outputs = Vec::new();
    for child in &mut children {
        let mut output = BufReader::new(child.stdout.take().ok_or("no output")?);
        // The process is connected.
        output.read_line(&mut String::new()).map_err(text)?;
        outputs.push(output);
    }
    let start = Instant::now();
    for child in &mut children {
        writeln!(child.stdin.as_mut().ok_or("no input")?).map_err(text)?;
    }
    for output in &mut outputs {
        let mut line = String::new();
        output.read_line(&mut line).map_err(text)?;
        if line.trim() != "done" {
            return Err(format!("a process did not end its calls: {line:?}"));
        }
    }
    let rate = rate(TASKS * WRITES, start);
    for mut child in children {
        child.wait().map_err(text)?;
    }
    let client = pool(url)?.get().await.map_err(text)?;
    client.batch_execute(&format!("DROP SCHEMA \"{schema}\" CASCADE")).await.map_err(text)?;
    Ok(rate)
}

/// Executes the share of one of several processes.
///
/// # Errors
/// The server cannot be used.
pub fn play(url: &str, schema: &str, number: &str, processes: &str) -> Result<(), String> {
    let (number, processes): (usize, usize) =
        (number.parse().map_err(text)?, processes.parse().map_err(text)?);
    let executor = tokio::runtime::Runtime::new().map_err(text)?;
    executor.block_on(async {
        let options =
            PostgresStore::options().schema(schema).max_connections(CONNECTIONS / processes);
        let store = options.prepared_statements(true).connect(url).await.map_err(text)?;
        let runtime = builder(&store).build().map_err(text)?;
        println!("ready");
        std::io::stdin().read_line(&mut String::new()).map_err(text)?;
        let share = (0..TASKS).filter(|task| task % processes == number);
        let tasks: Vec<_> = share.map(|task| tokio::spawn(call(runtime.clone(), task))).collect();
        for task in tasks {
            task.await.map_err(text)??;
        }
        println!("done");
        Ok(())
    })
}

/// Claims and settles as a careful program does: prepared statements, each committed by itself.
async fn write_by_hand(pool: Pool, task: usize) -> Result<(), String> {
    for number in task * WRITES..(task + 1) * WRITES {
        let (key, fingerprint) = (key(number), fingerprint(number));
        let digest = key.digest();
        let client = pool.get().await.map_err(text)?;
        let claim = client.prepare_cached(CLAIM).await.map_err(text)?;
        let row = client
            .query_opt(
                &claim,
                &[
                    &&digest.as_bytes()[..],
                    &key.tenant,
                    &&*key.principal,
                    &&*key.tool,
                    &&*key.key,
                    &&fingerprint.as_bytes()[..],
                    &signed(NOW.after(LEASE)),
                ],
            )
            .await
            .map_err(text)?;
        drop(client);
        let fence: i64 = row.ok_or("a new key had been claimed")?.get("fence");
        let client = pool.get().await.map_err(text)?;
        let settle = client.prepare_cached(SETTLE).await.map_err(text)?;
        let settled = client
            .execute(
                &settle,
                &[&&digest.as_bytes()[..], &fence, &signed(NOW.after(KEPT)), &BODY, &META],
            )
            .await
            .map_err(text)?;
        if settled != 1 {
            return Err("a claimed key was not held".to_owned());
        }
    }
    Ok(())
}

fn pool(url: &str) -> Result<Pool, String> {
    let config: Config = url.parse().map_err(text)?;
    let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
    let manager = Manager::from_config(config, NoTls, recycling);
    Pool::builder(manager).max_size(CONNECTIONS).build().map_err(text)
}

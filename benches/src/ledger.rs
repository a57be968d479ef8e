//! In-process calls per second with the ledger, compared with calls without it.
//!
//! Two threads call one after another. With the ledger, the time includes writing all records,
//! calls wait if the writer is behind, and no record may be omitted. Answers that wait for their
//! records are measured separately, one after another and concurrently.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use futures::executor::block_on;
use futures::future::join_all;
use rusqlite::{Connection, params};
use tool_runtime::RuntimeBuilder;
use tool_runtime::contracts::ErrorCode;
use tool_runtime::ledger::{
    JsonLinesLedger, Ledger, LedgerStore, Overload, RecordDurability, SqliteLedger, verify,
};
use tool_runtime::policy::KeyRing;
use tool_runtime::prelude::*;

use crate::rates::{median, rate, ratio, text};
use crate::work;

const THREADS: usize = 2;

const ROUNDS: usize = 7;

/// The approximate duration of a round without the ledger.
const ROUND: Duration = Duration::from_millis(400);

/// The numbers of sequential and of concurrent calls whose answers wait.
const ALONE: usize = 500;
const AT_ONCE: usize = 64;
const TOGETHER: usize = 100 * AT_ONCE;

/// The number of articles in the table.
const ARTICLES: u32 = 20_000;

/// Prints the calls per second for each kind.
///
/// # Errors
/// The folder cannot be written, or a record is missing.
pub fn print(folder: &Path) -> Result<(), String> {
    let folder = folder.join(format!("ledger-figures-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(text)?;
    let result = rounds(&folder);
    fs::remove_dir_all(&folder).map_err(text)?;
    let (found, bare, recorded) = result?;
    println!("calls a second by {THREADS} threads, median of {ROUNDS} rounds");
    println!("{:<36}{:>10}{:>14}{:>12}", "", "off", "JSON Lines", "SQLite");
    found.print("(a) a tool that asks a database");
    bare.print("(b) a tool that does nothing else");
    println!(
        "ledger: on_vs_off={:.3} on_vs_off_sqlite={:.3} bare_on_vs_off={:.3} \
         bare_on_vs_off_sqlite={:.3} us_per_call={:.1} us_per_bare_call={:.1} \
         us_per_record={:.1} us_per_record_sqlite={:.1} us_per_recorded_answer={:.1} \
         us_per_recorded_answer_sqlite={:.1} us_per_recorded_answer_of_{AT_ONCE}={:.1} \
         us_per_recorded_answer_of_{AT_ONCE}_sqlite={:.1} shed=0",
        found.ratio(&found.lines),
        found.ratio(&found.sqlite),
        bare.ratio(&bare.lines),
        bare.ratio(&bare.sqlite),
        found.microseconds(&found.off),
        bare.microseconds(&bare.off),
        bare.microseconds(&bare.lines) - bare.microseconds(&bare.off),
        bare.microseconds(&bare.sqlite) - bare.microseconds(&bare.off),
        recorded.lines.alone,
        recorded.sqlite.alone,
        recorded.lines.together,
        recorded.sqlite.together,
    );
    Ok(())
}

/// Calls per second, by round.
#[derive(Default)]
struct Rates {
    off: Vec<f64>,
    lines: Vec<f64>,
    sqlite: Vec<f64>,
}

impl Rates {
    fn print(&self, name: &str) {
        let [off, lines, sqlite] = [&self.off, &self.lines, &self.sqlite].map(|it| median(it));
        println!("{name:<36}{off:>10.0}{lines:>14.0}{sqlite:>12.0}");
    }

    /// Returns the median of the rounds' ratios; the two sides of a round follow one another.
    fn ratio(&self, on: &[f64]) -> f64 {
        ratio(on, &self.off)
    }

    /// Returns the processor time of a call, while all threads are busy.
    #[allow(clippy::unused_self, reason = "it reads as what it is of")]
    fn microseconds(&self, rates: &[f64]) -> f64 {
        1e6 * f64::from(u32::try_from(THREADS).unwrap_or(u32::MAX)) / median(rates)
    }
}

/// The calls of a round, and their number.
struct Work {
    tool: &'static str,
    arguments: &'static str,
    calls: usize,
}

/// Microseconds between answers that wait for their records.
struct Recorded {
    lines: Pauses,
    sqlite: Pauses,
}

/// Microseconds between two answers.
struct Pauses {
    /// One call after another.
    alone: f64,
    /// Concurrent calls, which share appends.
    together: f64,
}

/// Makes calls whose answers wait for their records, on one thread.
fn recorded(folder: &Path) -> Result<Recorded, String> {
    let lines = JsonLinesLedger::open(folder.join("recorded.jsonl")).map_err(text)?;
    let rows = SqliteLedger::open(folder.join("recorded.db")).map_err(text)?;
    Ok(Recorded { lines: pauses(lines)?, sqlite: pauses(rows)? })
}

fn pauses(store: impl LedgerStore) -> Result<Pauses, String> {
    let ledger = Ledger::builder(keys()).answer_reads_after(RecordDurability::Stored);
    let ledger = ledger.open(store).map_err(text)?;
    let builder = Runtime::builder().tool::<work::SearchContentTool>().state(work::Index::new(3));
    let runtime = builder.ledger(&ledger).build().map_err(text)?;
    let cx = ToolContext::builder(Uuid::nil(), "trace-1").run_id("figures");
    let cx = cx.build().map_err(text)?;
    let call = || async {
        let mut call = runtime.call("search_content", work::ARGUMENTS, &cx);
        call.execute().await.is_ok()
    };
    let executor = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let pauses = executor.map_err(text)?.block_on(async {
        let mut start = Instant::now();
        for _ in 0..ALONE {
            call().await;
        }
        let alone = 1e6 / rate(ALONE, start);
        start = Instant::now();
        for _ in 0..TOGETHER / AT_ONCE {
            join_all((0..AT_ONCE).map(|_| call())).await;
        }
        Pauses { alone, together: 1e6 / rate(TOGETHER, start) }
    });
    match ledger.status() {
        status if status.unconfirmed == 0 => Ok(pauses),
        status => Err(format!("answers without a record: {status:?}")),
    }
}

fn rounds(folder: &Path) -> Result<(Rates, Rates, Recorded), String> {
    let articles = folder.join("articles.db");
    fill(&articles).map_err(text)?;
    let (mut found, mut bare) = (Rates::default(), Rates::default());
    let find = r#"{"tag":"tag-7","limit":3}"#;
    let work = [("find_articles", find), ("search_content", work::ARGUMENTS)];
    for ((tool, arguments), rates) in work.into_iter().zip([&mut found, &mut bare]) {
        let calls = calibrate(&articles, tool, arguments)?;
        let work = Work { tool, arguments, calls };
        for round in 0..ROUNDS {
            let file = |kind: &str| folder.join(format!("{tool}-{round}.{kind}"));
            rates.off.push(off(&articles, &work)?);
            let (path, keys) = (file("jsonl"), keys());
            let store = JsonLinesLedger::open(&path).map_err(text)?;
            rates.lines.push(on(&articles, &work, store)?);
            check(&mut JsonLinesLedger::read_only(&path).map_err(text)?, &keys, &work)?;
            fs::remove_file(path).map_err(text)?;
            let path = file("db");
            let store = SqliteLedger::open(&path).map_err(text)?;
            rates.sqlite.push(on(&articles, &work, store)?);
            check(&mut SqliteLedger::read_only(&path).map_err(text)?, &keys, &work)?;
        }
    }
    Ok((found, bare, recorded(folder)?))
}

fn keys() -> KeyRing {
    KeyRing::new("figures", &[7; 32]).expect("32 bytes are a secret")
}

/// Finds the number of calls that take about as long as a round should.
fn calibrate(
    articles: &Path,
    tool: &'static str,
    arguments: &'static str,
) -> Result<usize, String> {
    let mut calls = 1_000;
    loop {
        let rate = off(articles, &Work { tool, arguments, calls })?;
        let wanted = rate * ROUND.as_secs_f64();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
        let wanted = wanted as usize / THREADS * THREADS;
        if wanted < calls * 2 {
            return Ok(wanted.max(THREADS));
        }
        calls = wanted;
    }
}

fn off(articles: &Path, work: &Work) -> Result<f64, String> {
    let runtime = builder(articles).build().map_err(text)?;
    let start = Instant::now();
    call(&runtime, work)?;
    Ok(rate(work.calls, start))
}

fn on(articles: &Path, work: &Work, store: impl LedgerStore) -> Result<f64, String> {
    let ledger = Ledger::builder(keys()).overload(Overload::Block).open(store).map_err(text)?;
    let runtime = builder(articles).ledger(&ledger).build().map_err(text)?;
    let start = Instant::now();
    call(&runtime, work)?;
    block_on(ledger.flush()).map_err(text)?;
    let rate = rate(work.calls, start);
    let status = ledger.status();
    let calls = u64::try_from(work.calls).unwrap_or(u64::MAX);
    if (status.written, status.shed, status.lost) != (calls, 0, 0) {
        return Err(format!("{calls} calls, but the ledger has {status:?}"));
    }
    block_on(ledger.close()).map_err(text)?;
    Ok(rate)
}

/// Verifies the ledger, and checks that there is a record for each call.
fn check(store: &mut dyn LedgerStore, keys: &KeyRing, work: &Work) -> Result<(), String> {
    let verified = verify(store, keys, &[]).map_err(text)?;
    let beside = verified.checkpoints() + 2;
    if verified.size() != beside + u64::try_from(work.calls).unwrap_or(u64::MAX) {
        return Err(format!("{} calls, and {} records", work.calls, verified.size()));
    }
    Ok(())
}

/// Makes the calls, on all threads.
fn call(runtime: &Runtime, work: &Work) -> Result<(), String> {
    // Only its timer is used: for deadlines, and for waits for the ledger.
    let mut clock = tokio::runtime::Builder::new_multi_thread();
    let clock = clock.worker_threads(1).enable_time().build().map_err(text)?;
    let each = work.calls / THREADS;
    let calls = |thread: usize| {
        let _clock = clock.enter();
        let run = Uuid::from_u128(u128::try_from(thread).unwrap_or(0));
        for number in 0..each {
            // A trace of ten calls, as an agent's turn may have.
            let cx = ToolContext::builder(run, format!("trace-{thread}-{}", number / 10))
                .run_id("figures")
                .build()
                .map_err(text)?;
            let mut call = runtime.call(work.tool, work.arguments, &cx);
            if !block_on(call.execute()).is_ok() {
                return Err(format!("`{}` failed", work.tool));
            }
        }
        Ok(())
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|it| scope.spawn(move || calls(it))).collect();
        let ended = |thread: thread::ScopedJoinHandle<'_, Result<(), String>>| {
            thread.join().unwrap_or_else(|_| Err("a thread panicked".to_owned()))
        };
        threads.into_iter().try_for_each(ended)
    })
}

fn builder(articles: &Path) -> RuntimeBuilder {
    Runtime::builder()
        .tool::<FindArticlesTool>()
        .tool::<work::SearchContentTool>()
        .state(Articles(articles.to_owned()))
        .state(work::Index::new(3))
}

/// The file of the articles.
struct Articles(PathBuf);

/// An article in a search result.
#[ai_type]
#[derive(Debug)]
struct Article {
    /// The article's number.
    id: u32,
    /// The article's title.
    title: String,
    /// The number of its reads.
    readers: u32,
}

thread_local! {
    static CONNECTION: RefCell<Option<(PathBuf, Connection)>> = const { RefCell::new(None) };
}

/// Finds the most-read articles of a tag.
///
/// # Errors
/// The database fails.
#[ai_tool(effect = "read")]
fn find_articles(
    articles: &Articles,
    /// The tag.
    tag: String,
    /// The maximum number of articles to return.
    #[arg(default = 3, range(1..=50))]
    limit: u32,
) -> Result<Vec<Article>, Failure> {
    let failed = |error: rusqlite::Error| {
        Failure::from_code(ErrorCode::UpstreamError).with_log(error.to_string())
    };
    CONNECTION.with_borrow_mut(|kept| {
        if kept.as_ref().is_none_or(|(path, _)| *path != articles.0) {
            *kept = Some((articles.0.clone(), Connection::open(&articles.0).map_err(failed)?));
        }
        let Some((_, connection)) = kept else { return Ok(Vec::new()) };
        let mut select = connection
            .prepare_cached(
                "SELECT id, title, readers FROM articles WHERE tag = ?1 \
                 ORDER BY readers DESC LIMIT ?2",
            )
            .map_err(failed)?;
        let read = |row: &rusqlite::Row<'_>| {
            Ok(Article { id: row.get(0)?, title: row.get(1)?, readers: row.get(2)? })
        };
        let found = select.query_map(params![tag, limit], read).map_err(failed)?;
        found.collect::<Result<_, _>>().map_err(failed)
    })
}

/// Writes the articles, a hundred of each tag.
fn fill(path: &Path) -> rusqlite::Result<()> {
    let mut connection = Connection::open(path)?;
    let transaction = connection.transaction()?;
    transaction.execute_batch(
        "CREATE TABLE articles (id INTEGER PRIMARY KEY, tag TEXT, title TEXT, readers INTEGER);
         CREATE INDEX by_tag ON articles (tag);",
    )?;
    for id in 0..ARTICLES {
        let (tag, title) = (format!("tag-{}", id % 200), format!("The tea houses, part {id}"));
        transaction.execute(
            "INSERT INTO articles VALUES (?1, ?2, ?3, ?4)",
            params![id, tag, title, id.wrapping_mul(2_654_435_761) % 10_000],
        )?;
    }
    transaction.commit()
}

//! A process that is killed while it writes: flushed records are stored, and the loss of others is
//! recorded.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::time::{Duration, Instant};
use std::{fs, thread};

use futures::future::join_all;
use tool_runtime::ledger::{
    Checkpoint, JsonLinesLedger, Ledger, LedgerQuery, LedgerStore, Record, SqliteLedger,
    WriterBegan,
};
use tool_runtime::prelude::*;
use tool_runtime::store::StoreError;

use super::{all, ring};
use crate::sqlite::{Folder, played, spawn};

const WITH_LINES: &str = "ledger::crash::a_process_that_writes_lines";
const WITH_SQLITE: &str = "ledger::crash::a_process_that_writes_rows";
/// The number of concurrent calls of a child.
const BURST: u32 = 8;
/// The duration of the crashes for each kind of ledger, and the least and greatest number.
const TIME: Duration = Duration::from_secs(8);
const ROUNDS: std::ops::Range<usize> = 6..30;
/// The bytes that an interrupted write leaves.
const HALF: &str = r#"{"seq":999999,"leaf":"00"#;

/// Gives back a number.
#[ai_tool(effect = "read")]
async fn echo(
    /// The number.
    n: u32,
) -> u32 {
    n
}

fn lines(folder: &Path) -> Result<Ledger, StoreError> {
    open(JsonLinesLedger::open(folder.join("ledger.jsonl"))?)
}

fn rows(folder: &Path) -> Result<Ledger, StoreError> {
    open(SqliteLedger::open(folder.join("ledger.db"))?)
}

fn open(store: impl LedgerStore) -> Result<Ledger, StoreError> {
    Ledger::builder(ring()).checkpoint_every(50).open(store)
}

#[tokio::test]
async fn lines_of_json_outlive_a_killed_process() {
    let folder = Folder::new();
    let path = folder.0.join("ledger.jsonl");
    let tear = |round: usize| {
        if round % 3 != 2 {
            return 0;
        }
        // A killed write may have left half a line itself; the file must end with one torn line,
        // not two.
        if !fs::read(&path).unwrap().ends_with(b"\n") {
            return 0;
        }
        let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(HALF.as_bytes()).unwrap();
        HALF.len() as u64
    };
    let read = || last_beginning(&mut JsonLinesLedger::read_only(&path).unwrap());
    crash(WITH_LINES, &folder, lines, tear, read).await;
}

#[tokio::test]
async fn a_table_of_sqlite_outlives_a_killed_process() {
    let folder = Folder::new();
    let path = folder.0.join("ledger.db");
    let read = || last_beginning(&mut SqliteLedger::read_only(&path).unwrap());
    crash(WITH_SQLITE, &folder, rows, |_| 0, read).await;
}

/// Kills one process after another, and compares the ledger with their reports.
async fn crash(
    role: &str,
    folder: &Folder,
    open: fn(&Path) -> Result<Ledger, StoreError>,
    tear: impl Fn(usize) -> u64,
    beginning: impl Fn() -> WriterBegan,
) {
    let begun = Instant::now();
    let (mut exported, mut size, mut unfinished) = (Vec::new(), 0, 0);
    for round in 0..ROUNDS.end {
        if round >= ROUNDS.start && begun.elapsed() > TIME {
            break;
        }
        let said = Said::of_killed(role, folder, 3 + round * 23 % 97);
        let torn = tear(round);
        let ledger = open(&folder.0).unwrap();
        exported.extend(said.checkpoints.clone());
        let verified = ledger.verify(&exported).await.unwrap();
        assert!(verified.size() > size, "numbering goes on");
        size = verified.size();

        let query = LedgerQuery::new().trace(&said.trace).limit(1_000);
        let found: Vec<_> = all(&ledger, query).await.into_iter().map(|it| number(&it)).collect();
        let expected: Vec<_> = (0..u32::try_from(found.len()).unwrap()).collect();
        assert_eq!(found, expected, "nothing is missing but at the end");
        let count = u32::try_from(found.len()).unwrap();
        assert!(count >= said.flushed, "{count} of {} that were flushed", said.flushed);
        // The last ones may have been killed between their end and their report.
        assert!(count <= said.ended + BURST, "{count} of {} that ended", said.ended);
        unfinished += u32::from(count != said.ended);

        ledger.close().await.unwrap();
        let start = beginning();
        assert!(start.after_crash, "round {round}: {start:?}");
        assert!(start.torn_bytes >= torn, "{start:?}");
    }
    assert!(!exported.is_empty() && unfinished > 0, "no process was killed at its work");
}

fn number(call: &tool_runtime::ledger::RecordedCall) -> u32 {
    let input: serde_json::Value =
        serde_json::from_str(call.input.as_ref().unwrap().get()).unwrap();
    u32::try_from(input["n"].as_u64().unwrap()).unwrap()
}

/// Returns the last record that a writer began.
fn last_beginning(store: &mut dyn LedgerStore) -> WriterBegan {
    let entries = store.read(0, usize::MAX).unwrap();
    let record = |text| Record::read(text).unwrap();
    let mut records = entries.iter().rev().filter_map(|entry| entry.body().map(record));
    let began = records.find_map(|record| match record {
        Record::Began(began) => Some(began),
        _ => None,
    });
    began.expect("a writer has begun")
}

/// The reports of a process that was killed.
#[derive(Default)]
struct Said {
    trace: String,
    /// The number of calls that had ended, and of those that were flushed.
    ended: u32,
    flushed: u32,
    checkpoints: Vec<Checkpoint>,
}

impl Said {
    /// Kills a process after this many lines.
    fn of_killed(role: &str, folder: &Folder, lines: usize) -> Self {
        let mut child = spawn(role, folder);
        let mut output = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let mut said = Self::default();
        let mut heard = 0;
        while heard < lines {
            heard += usize::from(said.hear(&output.next().expect("the child goes on")));
        }
        // Not always at the same distance from a line.
        (0..lines % 7).for_each(|_| thread::yield_now());
        child.kill().unwrap();
        assert!(!child.wait().unwrap().success(), "it should have been killed at its work");
        for line in output {
            said.hear(&line);
        }
        said
    }

    fn hear(&mut self, line: &str) -> bool {
        let Some((word, rest)) = line.split_once(' ') else { return false };
        match word {
            "trace" => rest.clone_into(&mut self.trace),
            "ended" => self.ended = rest.parse().unwrap(),
            "flushed" => self.flushed = rest.parse().unwrap(),
            "checkpoint" => self.checkpoints.push(serde_json::from_str(rest).unwrap()),
            _ => return false,
        }
        true
    }
}

#[tokio::test]
async fn a_process_that_writes_lines() {
    let Some(folder) = played(WITH_LINES) else { return };
    work(&lines(&folder).unwrap()).await;
}

#[tokio::test]
async fn a_process_that_writes_rows() {
    let Some(folder) = played(WITH_SQLITE) else { return };
    work(&rows(&folder).unwrap()).await;
}

/// Calls continuously, and reports ended calls, flushes and exports.
async fn work(ledger: &Ledger) {
    let runtime = Runtime::builder().tool::<EchoTool>().ledger(ledger).build().unwrap();
    let trace = Uuid::now_v7().to_string();
    let cx = ToolContext::builder(Uuid::nil(), &*trace).run_id("run-1").build().unwrap();
    println!();
    say(&format!("trace {trace}"));
    for burst in 0.. {
        let (first, next) = (burst * BURST, (burst + 1) * BURST);
        join_all((first..next).map(|n| call(&runtime, &cx, n))).await;
        say(&format!("ended {next}"));
        if burst % 2 == 1 {
            ledger.flush().await.unwrap();
            say(&format!("flushed {next}"));
        }
        if burst % 8 == 3 {
            let checkpoint = ledger.checkpoint().await.unwrap();
            say(&format!("checkpoint {}", serde_json::to_string(&checkpoint).unwrap()));
        }
    }
}

async fn call(runtime: &Runtime, cx: &ToolContext, n: u32) {
    let mut call = runtime.call("echo", format!(r#"{{"n":{n}}}"#), cx);
    assert!(call.execute().await.is_ok());
}

/// In one piece, so that a line is whole or not there.
fn say(line: &str) {
    std::io::stdout().lock().write_all(format!("{line}\n").as_bytes()).unwrap();
}

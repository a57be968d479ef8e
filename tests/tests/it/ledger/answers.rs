//! Answers that wait for their records: what waits, how long, and what a killed process leaves.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;

use futures::future::join_all;
use tool_runtime::ledger::{
    JsonLinesLedger, Ledger, LedgerBuilder, LedgerQuery, LedgerStore, Overload, RecordDurability,
    RecordedAccess, SqliteLedger,
};
use tool_runtime::prelude::*;

use super::overload::{Mood, Moody};
use super::{START, TestLedger, all, ring};
use crate::sqlite::{Folder, played, spawn};
use crate::support::envelope;

const WITH_LINES: &str = "ledger::answers::a_process_that_writes_lines";
const WITH_SQLITE: &str = "ledger::answers::a_process_that_writes_rows";
/// The number of concurrent calls of a child.
const BURST: u32 = 8;

/// Keeps a number.
#[ai_tool(effect = "write", timeout = "2s")]
async fn keep(
    dry_run: &DryRun,
    /// The number.
    n: u32,
) -> Result<u32, Failure> {
    let _ = dry_run;
    if n == 404 {
        return Err(Failure::from_code(tool_runtime::contracts::ErrorCode::UpstreamError));
    }
    Ok(n)
}

/// Gives back a number.
#[ai_tool(effect = "read")]
async fn echo(
    /// The number.
    n: u32,
) -> u32 {
    n
}

fn runtime(ledger: &Ledger) -> Runtime {
    Runtime::builder().tool::<KeepTool>().tool::<EchoTool>().ledger(ledger).build().unwrap()
}

fn cx(trace: &str) -> ToolContext {
    ToolContext::builder(Uuid::nil(), trace).run_id("run-1").build().unwrap()
}

async fn call(runtime: &Runtime, tool: &str, n: u32, cx: &ToolContext) -> serde_json::Value {
    let mut call = runtime.call(tool, format!(r#"{{"n":{n}}}"#), cx);
    call.approve("jane").unwrap();
    envelope(call.execute().await)
}

fn ledger(store: impl LedgerStore, change: fn(LedgerBuilder) -> LedgerBuilder) -> Ledger {
    change(Ledger::builder(ring())).open(store).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_write_is_answered_with_a_warning_while_its_record_cannot_be_written() {
    let store = TestLedger::default();
    let ledger = ledger(store.clone(), |it| it);
    let runtime = runtime(&ledger);
    store.fail(true);
    let answered = call(&runtime, "keep", 1, &cx("trace-1")).await;
    assert_eq!((&answered["status"], &answered["data"]), (&"ok".into(), &1.into()));
    let warning = answered["meta"]["warnings"][0].as_str().unwrap();
    assert!(warning.contains("record could not be confirmed"), "{warning}");
    let failed = call(&runtime, "keep", 404, &cx("trace-1")).await;
    assert_eq!(failed["error"]["details"]["record"], "unconfirmed", "{failed}");
    assert_eq!(ledger.status().unconfirmed, 2);

    store.fail(false);
    while ledger.status().written < 2 {
        tokio::task::yield_now().await;
    }
    assert_eq!(ledger.status().written, 2, "the records follow once they can be written");
}

#[tokio::test]
async fn an_append_whose_answer_is_lost_is_stored_once() {
    let store = Moody::new();
    let ledger = ledger(store.clone(), |it| it);
    let runtime = runtime(&ledger);
    let access = |reader: &str| RecordedAccess::new(START, "read_trace", reader, "complaint 4711");
    for n in 0..10 {
        store.set(Mood::LosesAnswers);
        let cx = cx("trace-1");
        let calls = (call(&runtime, "keep", n, &cx), ledger.record_access(access("eve")));
        let ((answered, refused), ()) =
            futures::join!(futures::future::join(calls.0, calls.1), async {
                while store.asked() < 2 {
                    tokio::task::yield_now().await;
                }
                store.set(Mood::Writes);
            });
        assert_eq!(answered["status"], "ok");
        // A reader whose record may not be stored gets nothing to read.
        drop(refused);
        ledger.record_access(access("ada")).await.expect("it is stored");
    }
    assert_eq!((ledger.status().written, ledger.status().unconfirmed), (10, 0));
    let verified = ledger.verify(&[]).await.expect("one chain");
    let found = all(&ledger, LedgerQuery::new()).await;
    let ids: std::collections::BTreeSet<_> = found.iter().map(|it| it.invocation_id).collect();
    assert_eq!((found.len(), ids.len()), (10, 10));
    assert!((1 + 10 + 10..=1 + 10 + 20).contains(&verified.size()), "{}", verified.size());
}

#[tokio::test]
async fn an_answered_write_is_in_the_store() {
    let ledger = ledger(TestLedger::default(), |it| it);
    let runtime = runtime(&ledger);
    for n in 0..20 {
        let answered = call(&runtime, "keep", n, &cx("trace-1")).await;
        assert!(answered["meta"]["warnings"].as_array().is_none_or(Vec::is_empty), "{answered}");
        assert_eq!(ledger.status().written, u64::from(n) + 1);
    }
    assert_eq!(ledger.status().unconfirmed, 0);
}

#[tokio::test]
async fn reads_dry_runs_and_refused_writes_do_not_wait_for_their_records() {
    let store = Moody::new();
    let ledger = ledger(store.clone(), |it| it);
    let runtime = runtime(&ledger);
    store.set(Mood::Waits);
    let dry_run = cx("trace-1").with_dry_run(true);
    call(&runtime, "echo", 1, &cx("trace-1")).await;
    call(&runtime, "keep", 1, &dry_run).await;
    runtime.call("keep", "{}", &cx("trace-1")).execute().await;
    runtime.call("keep", r#"{"n":1}"#, &cx("trace-1")).execute().await;
    assert_eq!(ledger.status().written, 0);
    assert_eq!(ledger.status().unconfirmed, 0);
    store.set(Mood::Writes);
}

#[tokio::test]
async fn the_host_says_what_waits() {
    let store = Moody::new();
    let ledger = ledger(store.clone(), |it| it.answer_writes_after(RecordDurability::Queued));
    store.set(Mood::Waits);
    call(&runtime(&ledger), "keep", 1, &cx("trace-1")).await;
    assert_eq!((ledger.status().written, ledger.status().unconfirmed), (0, 0));
    store.set(Mood::Writes);

    let ledger = super::answers::ledger(TestLedger::default(), |it| {
        it.answer_reads_after(RecordDurability::Stored)
    });
    call(&runtime(&ledger), "echo", 1, &cx("trace-1")).await;
    assert_eq!(ledger.status().written, 1);
}

#[tokio::test]
async fn an_answer_whose_record_is_left_out_says_so_at_once() {
    let store = Moody::new();
    let ledger = ledger(store.clone(), |it| it.overload(Overload::Shed).capacity(1));
    let runtime = runtime(&ledger);
    store.set(Mood::Waits);
    call(&runtime, "echo", 1, &cx("trace-1")).await;
    while store.asked() == 0 {
        tokio::task::yield_now().await;
    }
    call(&runtime, "echo", 2, &cx("trace-1")).await;
    let answered = call(&runtime, "keep", 3, &cx("trace-1")).await;
    assert_eq!(answered["meta"]["warnings"].as_array().map(Vec::len), Some(1), "{answered}");
    assert_eq!((ledger.status().shed, ledger.status().unconfirmed), (1, 1));
    store.set(Mood::Writes);
}

#[tokio::test]
async fn answers_that_wait_together_share_one_append() {
    let store = Moody::new();
    let ledger = ledger(store.clone(), |it| it);
    let runtime = runtime(&ledger);
    store.set(Mood::Waits);
    let write = |n| {
        let runtime = runtime.clone();
        tokio::spawn(async move { call(&runtime, "keep", n, &cx("trace-1")).await })
    };
    let first = write(0);
    while store.asked() == 0 {
        tokio::task::yield_now().await;
    }
    let others: Vec<_> = (1..=20).map(write).collect();
    while ledger.status().ended < 21 {
        tokio::task::yield_now().await;
    }
    store.set(Mood::Writes);
    first.await.unwrap();
    join_all(others).await;
    assert_eq!(store.asked(), 1, "one append for twenty answers");
    assert_eq!((ledger.status().written, ledger.status().unconfirmed), (21, 0));
}

#[tokio::test]
async fn every_write_that_a_killed_process_answered_is_on_the_record() {
    for (role, open) in [(WITH_LINES, lines as fn(&Path) -> Ledger), (WITH_SQLITE, rows)] {
        let folder = Folder::new();
        for round in 0..8_usize {
            let trace = format!("trace-{round}");
            std::fs::write(folder.0.join("trace"), &trace).unwrap();
            let answered = answered_before_kill(role, &folder, 20 + round * 37 % 90);
            let ledger = open(&folder.0);
            let found = all(&ledger, LedgerQuery::new().trace(trace).limit(1_000)).await;
            let found: Vec<_> =
                found.iter().map(|call| call.input.as_ref().unwrap().get()).collect();
            for n in &answered {
                let input = format!(r#"{{"n":{n}}}"#);
                assert!(found.contains(&&*input), "{role}: {n} of {answered:?}, found {found:?}");
            }
            ledger.close().await.unwrap();
        }
    }
}

/// Kills a process after this many reported answers, and returns all that it had reported.
fn answered_before_kill(role: &str, folder: &Folder, answers: usize) -> Vec<u32> {
    let mut child = spawn(role, folder);
    let output = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let mut numbers =
        output.filter_map(|line| line.strip_prefix("answered ").and_then(|n| n.parse().ok()));
    let mut answered: Vec<u32> = numbers.by_ref().take(answers).collect();
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success(), "it should have been killed at its work");
    answered.extend(numbers);
    assert!(answered.len() >= answers);
    answered
}

fn lines(folder: &Path) -> Ledger {
    ledger(JsonLinesLedger::open(folder.join("ledger.jsonl")).unwrap(), |it| {
        it.checkpoint_every(50)
    })
}

fn rows(folder: &Path) -> Ledger {
    ledger(SqliteLedger::open(folder.join("ledger.db")).unwrap(), |it| it.checkpoint_every(50))
}

#[tokio::test]
async fn a_process_that_writes_lines() {
    let Some(folder) = played(WITH_LINES) else { return };
    work(&folder, &lines(&folder)).await;
}

#[tokio::test]
async fn a_process_that_writes_rows() {
    let Some(folder) = played(WITH_SQLITE) else { return };
    work(&folder, &rows(&folder)).await;
}

/// Writes continuously with concurrent calls, and reports each answer.
async fn work(folder: &Path, ledger: &Ledger) {
    let runtime = runtime(ledger);
    let cx = cx(&std::fs::read_to_string(folder.join("trace")).unwrap());
    println!();
    for burst in 0.. {
        let numbers = burst * BURST..(burst + 1) * BURST;
        join_all(numbers.map(|n| write_and_say(&runtime, &cx, n))).await;
    }
}

async fn write_and_say(runtime: &Runtime, cx: &ToolContext, n: u32) {
    assert_eq!(call(runtime, "keep", n, cx).await["data"], n);
    // In one piece, so that a line is whole or not there.
    std::io::stdout().lock().write_all(format!("answered {n}\n").as_bytes()).unwrap();
}

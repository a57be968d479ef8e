//! Processes that write one ledger and are killed: each answered call is on the record, and each lost writer is named.

use std::collections::HashSet;
use std::env;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdout, Command, Stdio};

use tool_runtime::Uuid;
use tool_runtime::ledger::{Ledger, LedgerQuery, PostgresLedger, WriterState, verify};
use tool_runtime::policy::KeyRing;
use tool_runtime::prelude::*;
use tool_runtime::store::PostgresStore;

use crate::server;

/// The writers at a time, and how often each is killed.
const WRITERS: usize = 4;
const KILLS: usize = 3;
/// The answers that a writer gives before it is killed.
const ANSWERS: usize = 40;
/// The calls that a writer makes at a time.
const BURST: u32 = 8;

const URL: &str = "TEST_LEDGER_URL";
const SCHEMA: &str = "TEST_LEDGER_SCHEMA";

/// Keeps a number.
#[ai_tool(effect = "write")]
fn keep(
    dry_run: &DryRun,
    /// The number.
    number: u32,
) -> u32 {
    let _ = dry_run;
    number
}

fn ring() -> KeyRing {
    KeyRing::new("2026-11", &[7; 32]).expect("a ring")
}

/// The program of a writer: prints the id of each call whose answer it was given without a warning.
#[test]
fn a_process_that_writes() {
    let (Ok(url), Ok(schema)) = (env::var(URL), env::var(SCHEMA)) else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let write = async {
        let store = PostgresStore::options().schema(schema).connect(&url).await.expect("a store");
        let store = PostgresLedger::open(&store, std::process::id().to_string()).expect("a chain");
        let ledger = Ledger::builder(ring()).checkpoint_every(50).open(store).expect("a ledger");
        let runtime = Runtime::builder().tool::<KeepTool>().ledger(&ledger);
        let runtime = runtime.permission("keep", Permission::Allow).build().expect("a runtime");
        loop {
            let calls = (0..BURST).map(|number| {
                let cx = ToolContext::builder(Uuid::nil(), "trace-1").run_id("run-1");
                let cx = cx.build().expect("a context");
                let mut call = runtime.call("keep", format!(r#"{{"number":{number}}}"#), &cx);
                async move {
                    let output = call.execute().await;
                    let is_recorded = !output.meta_json().contains("warnings");
                    output.data_json().filter(|_| is_recorded).map(|_| cx.invocation_id())
                }
            });
            let ids = futures::future::join_all(calls).await;
            for id in ids.into_iter().flatten() {
                let written = writeln!(std::io::stdout(), "answered {id}");
                if written.is_err() {
                    return;
                }
            }
        }
    };
    runtime.expect("a runtime").block_on(write);
}

struct Writer {
    process: Child,
    output: BufReader<ChildStdout>,
}

impl Writer {
    fn start(url: &str, schema: &str) -> Self {
        let mut process = Command::new(env::current_exe().expect("this program"))
            .args(["ledger_kills::a_process_that_writes", "--exact", "--nocapture"])
            .env(URL, url)
            .env(SCHEMA, schema)
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let output = BufReader::new(process.stdout.take().expect("a pipe"));
        Self { process, output }
    }

    /// Kills the process in the middle of its calls; returns its name and the ids that it printed.
    fn kill(mut self) -> (String, Vec<Uuid>) {
        let mut ids = Vec::new();
        let id = |line: String| {
            let (_, id) = line.split_once("answered ")?;
            id.parse::<Uuid>().ok()
        };
        for line in self.output.by_ref().lines() {
            ids.extend(line.ok().and_then(id));
            if ids.len() == ANSWERS {
                self.process.kill().expect("it is killed");
            }
        }
        self.process.wait().expect("it ended");
        (self.process.id().to_string(), ids)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_killed_writers_answered_is_on_the_record_and_they_are_named() {
    let Some(url) = server::url() else { return };
    let schema = server::schema();
    let store = PostgresStore::options().schema(&schema).connect(&url).await.expect("a store");
    let (mut answered, mut killed) = (HashSet::new(), HashSet::new());
    for _ in 0..KILLS {
        let writers: Vec<_> = (0..WRITERS).map(|_| Writer::start(&url, &schema)).collect();
        for writer in writers {
            let (name, ids) = writer.kill();
            assert!(ids.len() >= ANSWERS, "writer {name} was not killed but ended");
            killed.insert(name);
            answered.extend(ids);
        }
    }
    // Two minutes later.
    let passed = format!("UPDATE {schema}.ledger_chains SET seen_at = seen_at - 120000");
    server::execute(&url, &passed).await;
    let own = PostgresLedger::open(&store, "finder").expect("a chain");
    let ledger = Ledger::builder(ring()).open(own).expect("a ledger");
    let verified = ledger.verify(&[]).await.expect("each chain is without a gap");
    let lost = verified.writers().iter().filter(|chain| chain.state == WriterState::Lost);
    let lost: HashSet<_> = lost.map(|chain| chain.writer.to_string()).collect();
    assert_eq!(lost, killed);

    let (mut recorded, mut query) =
        (HashSet::new(), LedgerQuery::new().trace("trace-1").limit(1_000));
    loop {
        let page = ledger.find(query.clone()).await.expect("a page");
        for (position, call) in &page.records {
            assert!(recorded.insert(call.invocation_id), "{position} repeats a call");
        }
        match page.next {
            Some(next) => query = query.after(next),
            None => break,
        }
    }
    assert!(answered.is_subset(&recorded), "{:?}", answered.difference(&recorded));
    let checkpoint = ledger.checkpoint().await.expect("a checkpoint");
    ledger.close().await.expect("it is closed");
    let mut reader = PostgresLedger::read_only(&store).expect("it opens");
    let verified = verify(&mut reader, &ring(), &[checkpoint]).expect("it is whole");
    assert_eq!(verified.writers().len(), KILLS * WRITERS + 1);
}

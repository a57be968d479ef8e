//! A process that is stopped by a signal.

use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::process::Child;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::net::TcpStream;
use tool_runtime::http::{self, Server, ServerLimits};
use tool_runtime::ledger::{JsonLinesLedger, Ledger, LedgerQuery, LedgerStore, Record, verify};
use tool_runtime::prelude::*;

use super::serving::call_text;
use super::wire::{PATIENCE, Wire, soon};
use crate::ledger::ring;
use crate::sqlite::{Folder, played, spawn};

const SHORT: &str = "http::signals::a_process_with_little_grace";
const LONG: &str = "http::signals::a_process_with_much_grace";

/// Waits for what never comes, and says that it has begun.
#[ai_tool(effect = "read", timeout = "1h")]
async fn wait_for_the_end() -> bool {
    say("begun");
    std::future::pending().await
}

/// A serving process, which does not outlive its test.
struct Served {
    child: Child,
    lines: Receiver<String>,
    address: SocketAddr,
}

impl Served {
    fn start(role: &str, folder: &Folder) -> Self {
        let mut child = spawn(role, folder);
        let said = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let (line, lines) = mpsc::channel();
        thread::spawn(move || said.for_each(|said| drop(line.send(said))));
        let address = heard(&lines, "listening ").parse().unwrap();
        Self { child, lines, address }
    }

    /// Makes a call, and waits until it has begun.
    async fn call(&mut self) -> Wire<TcpStream> {
        let mut wire = Wire::new(TcpStream::connect(self.address).await.unwrap());
        wire.write(&call_text("wait_for_the_end")).await;
        heard(&self.lines, "begun");
        wire
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Returns the process's output at its end; it must have exited successfully.
    fn ended(mut self) -> String {
        let said = heard(&self.lines, "ended ");
        assert!(self.child.wait().unwrap().success());
        said
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

fn heard(lines: &Receiver<String>, word: &str) -> String {
    loop {
        let line = lines.recv_timeout(PATIENCE).expect("the child says it");
        if let Some(rest) = line.strip_prefix(word) {
            return rest.to_owned();
        }
    }
}

fn say(line: &str) {
    println!("{line}");
    std::io::stdout().flush().unwrap();
}

#[tokio::test]
async fn a_terminated_process_answers_what_runs_and_leaves_a_ledger_that_verifies() {
    for signal in [Signal::TERM, Signal::INT] {
        let folder = Folder::new();
        let mut served = Served::start(SHORT, &folder);
        let mut wire = served.call().await;
        served.signal(signal);
        assert_eq!(wire.hear().await.status, 503);
        assert_eq!(served.ended(), "cancelled 1 cut 0");

        let mut store = JsonLinesLedger::read_only(folder.0.join("ledger.jsonl")).unwrap();
        verify(&mut store, &ring(), &[]).unwrap();
        let entries = store.find(&LedgerQuery::new().trace("trace-1")).unwrap();
        let record = Record::read(entries[0].body().unwrap()).unwrap();
        let Record::Call(call) = record else { panic!("{record:?}") };
        assert_eq!(call.final_status, CallStatus::Interrupted);
    }
}

#[tokio::test]
async fn a_second_signal_ends_a_process_at_once() {
    let folder = Folder::new();
    let mut served = Served::start(LONG, &folder);
    let mut wire = served.call().await;
    served.signal(Signal::TERM);
    // The process shuts down, and waits for the call.
    soon(async {
        while TcpStream::connect(served.address).await.is_ok() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert!(wire.is_silent());
    served.signal(Signal::TERM);
    wire.closed().await;
    assert!(served.ended().starts_with("cancelled 1 "));
}

#[tokio::test]
async fn a_process_with_little_grace() {
    let Some(folder) = played(SHORT) else { return };
    serve(&folder, Duration::from_millis(50)).await;
}

#[tokio::test]
async fn a_process_with_much_grace() {
    let Some(folder) = played(LONG) else { return };
    serve(&folder, PATIENCE * 30).await;
}

async fn serve(folder: &Path, grace: Duration) {
    let ledger = JsonLinesLedger::open(folder.join("ledger.jsonl")).unwrap();
    let ledger = Ledger::builder(ring()).open(ledger).unwrap();
    let runtime = Runtime::builder().tool::<WaitForTheEndTool>().ledger(&ledger).build().unwrap();
    let config = super::open().ledger(&ledger);
    let drain = config.drain();
    let mut limits = ServerLimits::default();
    limits.shutdown_timeout = grace;
    let server = Server::new(http::router(runtime, config), drain).limits(limits);
    let bound = server.bind("127.0.0.1:0").await.unwrap();
    println!();
    say(&format!("listening {}", bound.local_addr()));
    let ended = bound.run(http::shutdown_signal()).await.unwrap();
    say(&format!("ended cancelled {} cut {}", ended.cancelled, ended.aborted_connections));
}

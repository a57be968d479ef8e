//! Calls that wait in one process and come back in another, also twice at once.

use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin};

use futures::future::join_all;
use serde_json::Value;
use tool_runtime::policy::{KeyRing, Policy};
use tool_runtime::prelude::*;
use tool_runtime::store::SqliteStore;

use super::fixture::{TENANT, jane};
use crate::sqlite::{Folder, played, spawn};

const ASKS: &str = "policy::approval::processes::a_process_that_asks";
const ALLOWS: &str = "policy::approval::processes::a_process_that_allows";
const TASKS: usize = 64;

/// The effects: one line each, which every process can read.
struct Journal(PathBuf);

impl Journal {
    fn in_folder(folder: &Path) -> Self {
        Self(folder.join("effects.txt"))
    }

    fn write(&self, line: &str) {
        let mut file = OpenOptions::new().create(true).append(true).open(&self.0).unwrap();
        file.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    fn lines(&self) -> Vec<String> {
        fs::read_to_string(&self.0).unwrap_or_default().lines().map(str::to_owned).collect()
    }
}

/// Ships a thing.
#[ai_tool(effect = "write", version = "1.0.0")]
async fn ship(
    journal: &Journal,
    dry_run: &DryRun,
    /// The item.
    thing: &str,
) -> String {
    if !dry_run.is_active() {
        journal.write(thing);
        // Others get their turn while this one is under way.
        tokio::task::yield_now().await;
    }
    format!("shipped {thing}")
}

fn runtime(folder: &Path) -> Runtime {
    let keys = KeyRing::new("k", &[7; 32]).unwrap();
    let policy = Policy::new().ticket_keys(keys);
    Runtime::builder()
        .tool::<ShipTool>()
        .state(Journal::in_folder(folder))
        .policy(policy.store(SqliteStore::open(folder.join("tools.db")).unwrap()))
        .build()
        .unwrap()
}

/// Puts a call away, under this key if there is one.
async fn ticket(runtime: &Runtime, key: Option<&str>) -> String {
    let cx = ToolContext::builder(TENANT, "trace-1").run_id("run-1").user_id("jane");
    let cx = match key {
        Some(key) => cx.idempotency_key(key).build().unwrap(),
        None => cx.build().unwrap(),
    };
    let mut call = runtime.call("ship", r#"{"thing":"tea"}"#, &cx);
    call.ticket().await.unwrap().to_json()
}

/// Approves, and prints the result.
async fn allow(runtime: &Runtime, ticket: &str) -> String {
    finish(runtime.tickets().resume(ticket, &jane()).await).await
}

async fn finish(mut call: ToolCall) -> String {
    let _ = call.approve("boss");
    let output = call.execute().await;
    let Some(error) = output.error() else {
        assert_eq!(output.data_json(), Some(r#""shipped tea""#));
        let meta: Value = serde_json::from_str(output.meta_json()).unwrap();
        let replayed = meta["replayed"] == true;
        return if replayed { "replayed" } else { "ran" }.to_owned();
    };
    error.details().unwrap()["reason"].as_str().unwrap().to_owned()
}

/// Checks that one of them ran, and the others got its outcome.
#[track_caller]
fn check_ran_once(folder: &Folder, outcomes: &[String]) {
    let ran = outcomes.iter().filter(|outcome| *outcome == "ran").count();
    assert_eq!(ran, 1, "{outcomes:?}");
    let known = ["ran", "replayed", "in_flight", "ticket_used"];
    assert!(outcomes.iter().all(|outcome| known.contains(&&**outcome)), "{outcomes:?}");
    assert_eq!(Journal::in_folder(&folder.0).lines(), ["tea"]);
}

#[tokio::test]
async fn a_yes_that_comes_twice_lets_the_call_run_once() {
    for key in [None, Some("key-1")] {
        let folder = Folder::new();
        let runtime = runtime(&folder.0);
        let ticket = ticket(&runtime, key).await;
        let outcomes = [allow(&runtime, &ticket).await, allow(&runtime, &ticket).await];
        assert_eq!(outcomes, ["ran", "ticket_used"]);
        check_ran_once(&folder, &outcomes);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_yes_that_comes_from_many_tasks_at_once_lets_the_call_run_once() {
    for key in [None, Some("key-1")] {
        let folder = Folder::new();
        let runtime = runtime(&folder.0);
        let ticket = ticket(&runtime, key).await;
        // All come back before the first runs, so that the ticket is good for each of them.
        let jane = jane();
        let tickets = runtime.tickets();
        let calls = join_all((0..TASKS).map(|_| tickets.resume(&ticket, &jane))).await;
        assert!(calls.iter().all(|call| call.status() == CallStatus::Pending));
        let tasks = calls.into_iter().map(|call| tokio::spawn(finish(call)));
        let outcomes: Vec<_> = join_all(tasks).await.into_iter().map(Result::unwrap).collect();
        check_ran_once(&folder, &outcomes);
    }
}

/// A process with a role, and its output.
struct Player {
    process: Child,
    input: ChildStdin,
    said: Box<dyn Iterator<Item = String>>,
}

impl Player {
    fn start(role: &str, folder: &Folder) -> Self {
        let mut process = spawn(role, folder);
        let input = process.stdin.take().unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines().map_while(Result::ok);
        let said = lines.filter_map(|line| line.strip_prefix("says ").map(str::to_owned));
        Self { process, input, said: Box::new(said) }
    }

    fn hears(&mut self, line: &str) {
        self.input.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    fn says(&mut self) -> String {
        self.said.next().expect("it has gone without a word")
    }

    fn ends(mut self) {
        drop(self.input);
        self.said.for_each(drop);
        assert!(self.process.wait().unwrap().success());
    }
}

fn say(line: &str) {
    // In one piece, so that a line is whole or not there.
    std::io::stdout().lock().write_all(format!("\nsays {line}\n").as_bytes()).unwrap();
}

#[tokio::test]
async fn a_process_that_asks() {
    let Some(folder) = played(ASKS) else { return };
    say(&ticket(&runtime(&folder), None).await);
}

#[tokio::test]
async fn a_process_that_allows() {
    let Some(folder) = played(ALLOWS) else { return };
    let runtime = runtime(&folder);
    say("ready");
    for ticket in std::io::stdin().lines().map_while(Result::ok) {
        say(&allow(&runtime, &ticket).await);
    }
}

/// Returns the ticket of a call that was opened in a process that has ended.
fn ticket_from_elsewhere(folder: &Folder) -> String {
    let mut asks = Player::start(ASKS, folder);
    let ticket = asks.says();
    asks.ends();
    ticket
}

#[test]
fn a_call_waits_for_its_yes_in_another_process() {
    let folder = Folder::new();
    let ticket = ticket_from_elsewhere(&folder);
    assert!(Journal::in_folder(&folder.0).lines().is_empty());
    let mut allows = Player::start(ALLOWS, &folder);
    assert_eq!(allows.says(), "ready");
    allows.hears(&ticket);
    assert_eq!(allows.says(), "ran");
    allows.hears(&ticket);
    assert_eq!(allows.says(), "ticket_used");
    allows.ends();
    assert_eq!(Journal::in_folder(&folder.0).lines(), ["tea"]);
}

#[test]
fn a_yes_that_comes_in_two_processes_at_once_lets_the_call_run_once() {
    let folder = Folder::new();
    let mut players = [(); 2].map(|()| Player::start(ALLOWS, &folder));
    for player in &mut players {
        assert_eq!(player.says(), "ready");
    }
    for round in 1..=5 {
        let ticket = ticket_from_elsewhere(&folder);
        for player in &mut players {
            player.hears(&ticket);
        }
        let outcomes: Vec<_> = players.iter_mut().map(Player::says).collect();
        let ran = outcomes.iter().filter(|outcome| *outcome == "ran").count();
        assert_eq!(ran, 1, "{outcomes:?}");
        assert_eq!(Journal::in_folder(&folder.0).lines().len(), round, "{outcomes:?}");
    }
    players.into_iter().for_each(Player::ends);
}

//! The server is stopped as a crash would stop it, in the middle of writes.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::future::join_all;
use rustix::process::{Pid, Signal, kill_process};
use tokio_postgres::{Client, NoTls};
use tool_runtime::policy::{KeyRing, Policy};
use tool_runtime::prelude::*;
use tool_runtime::store::PostgresStore;

/// How often the server is stopped.
const RESTARTS: usize = 5;
/// The writers, each with a replica of its own.
const WRITERS: usize = 3;

/// A server that this test alone uses; it ends when the pipe to it is closed.
struct PrivateServer {
    url: String,
    runner: Child,
    input: Option<ChildStdin>,
}

impl PrivateServer {
    fn start() -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/postgres/run");
        let mut runner = Command::new(script)
            .args(["bash", "-c", "echo \"$TEST_POSTGRES\"; read -r _ || true"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the script starts");
        let mut url = String::new();
        let output = runner.stdout.take().expect("a pipe");
        BufReader::new(output).read_line(&mut url).expect("a URL");
        let input = runner.stdin.take();
        Self { url: url.trim().to_owned(), runner, input }
    }

    /// Connects as soon as the server accepts connections.
    async fn client(&self) -> Client {
        loop {
            if let Ok((client, connection)) = tokio_postgres::connect(&self.url, NoTls).await {
                tokio::spawn(connection);
                return client;
            }
            tokio::task::yield_now().await;
        }
    }

    /// Stops the server without a checkpoint, and waits until it has recovered.
    async fn crash(&self) {
        let client = self.client().await;
        let id = "SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int";
        let id: i32 = client.query_one(id, &[]).await.expect("its id").get(0);
        kill_process(Pid::from_raw(id).expect("an id"), Signal::QUIT).expect("it is stopped");
        while !client.is_closed() {
            tokio::task::yield_now().await;
        }
        self.client().await;
    }
}

impl Drop for PrivateServer {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.runner.wait();
    }
}

/// The effects of each key.
#[derive(Clone, Default)]
struct Effects(Arc<Mutex<HashMap<String, u32>>>);

struct Orders(Effects);

/// Places orders.
#[ai_toolkit]
impl Orders {
    /// Places an order.
    #[ai_tool(effect = "write")]
    fn place(
        &self,
        /// The order's number.
        number: u32,
        key: &Idempotency,
        dry_run: &DryRun,
    ) -> u32 {
        if let (Some(key), false) = (key.key(), dry_run.is_active()) {
            *self.0.0.lock().expect("the effects").entry(key.to_owned()).or_default() += 1;
        }
        number
    }
}

async fn replica(
    options: tool_runtime::store::PostgresOptions,
    url: &str,
    effects: &Effects,
) -> Runtime {
    let store: PostgresStore = options.connect(url).await.expect("a store");
    let policy =
        Policy::new().store(store).ticket_keys(KeyRing::new("2026-11", &[7; 32]).expect("a ring"));
    let builder = Runtime::builder().toolkit(Orders(effects.clone())).policy(policy);
    builder.permission("orders.place", Permission::Allow).build().expect("a runtime")
}

/// Writes under a key; returns the answer, if there is one.
async fn place(runtime: &Runtime, number: usize) -> Option<String> {
    let cx =
        ToolContext::builder(tool_runtime::Uuid::nil(), "trace-1").user_id("ada").run_id("run-1");
    let cx = cx.idempotency_key(format!("order-{number}")).build().expect("a context");
    let mut call = runtime.call("orders.place", &format!(r#"{{"number":{number}}}"#), &cx);
    call.execute().await.data_json().map(str::to_owned)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_write_runs_twice_and_none_is_lost_when_the_server_crashes() {
    if crate::server::url().is_none() {
        return;
    }
    let (server, effects) = (PrivateServer::start(), Effects::default());
    let options = crate::server::options().connect_timeout(Duration::from_millis(500));
    let replicas =
        join_all((0..WRITERS).map(|_| replica(options.clone(), &server.url, &effects))).await;
    let ends = Arc::new(AtomicBool::new(false));
    let writers = replicas.iter().enumerate().map(|(writer, runtime)| {
        let (runtime, ends) = (runtime.clone(), Arc::clone(&ends));
        tokio::spawn(async move {
            let (mut answers, mut number) = (HashMap::new(), writer);
            while !ends.load(Ordering::Relaxed) {
                if let Some(answer) = place(&runtime, number).await {
                    answers.insert(number, answer);
                }
                number += WRITERS;
            }
            (answers, number)
        })
    });
    let writers: Vec<_> = writers.collect();
    for _ in 0..RESTARTS {
        server.crash().await;
    }
    ends.store(true, Ordering::Relaxed);
    let mut answers = HashMap::new();
    let mut last = 0;
    for writer in writers {
        let (of_writer, number) = writer.await.expect("a writer");
        answers.extend(of_writer);
        last = last.max(number);
    }
    // Each answer that a caller got is the answer of a repeat on another replica.
    for (number, answer) in &answers {
        let repeat = place(&replicas[(number + 1) % WRITERS], *number).await;
        assert_eq!(repeat.as_ref(), Some(answer), "order {number}");
    }
    // No other key has had its effect twice, however often it is repeated.
    for number in 0..last {
        place(&replicas[number % WRITERS], number).await;
    }
    let effects = effects.0.lock().expect("the effects");
    let doubled: Vec<_> = effects.iter().filter(|(_, effects)| **effects > 1).collect();
    assert!(doubled.is_empty(), "{doubled:?}");
    assert!(answers.len() > 100, "{} answers", answers.len());
}

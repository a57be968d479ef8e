//! The server is stopped as a crash would stop it, in the middle of writes.

use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::future::join_all;
use futures::join;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tool_runtime::canonical::Digest;
use tool_runtime::http::{self, Auth, HttpConfig, Principal, Server};
use tool_runtime::ledger::{Ledger, LedgerQuery, PostgresLedger, RecordedCall, RecordedCallKind};
use tool_runtime::policy::{KeyRing, Policy, RateLimit, ToolPolicy};
use tool_runtime::prelude::*;
use tool_runtime::store::{
    ClaimOutcome, ClaimRequest, IdempotencyStore as _, PostgresOptions, PostgresStore, ScopedKey,
    StoreErrorKind, UnixMillis,
};
use tool_runtime::{ToolOutput, Uuid};

use crate::private_server::PrivateServer;

/// The number of crashes.
const RESTARTS: usize = 5;
/// The writers, each with a replica of its own.
const WRITERS: usize = 3;

/// The effects of each key.
#[derive(Clone, Default)]
struct Effects(Arc<Mutex<HashMap<String, u32>>>);

struct Orders(Effects);

/// Places orders.
#[ai_toolkit]
impl Orders {
    /// Counts the orders.
    #[ai_tool(effect = "read")]
    fn count(&self) -> usize {
        self.0.0.lock().expect("the effects").len()
    }

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

fn ring() -> KeyRing {
    KeyRing::new("2026-11", &[7; 32]).expect("a ring")
}

async fn replica(options: PostgresOptions, url: &str, effects: &Effects) -> (Runtime, Ledger) {
    let store: PostgresStore = options.connect(url).await.expect("a store");
    let ledger = PostgresLedger::open(&store, "replica").expect("its chain");
    let ledger = Ledger::builder(ring()).open(ledger).expect("a ledger");
    let policy = Policy::new().store(store).ticket_keys(ring());
    let builder = Runtime::builder().toolkit(Orders(effects.clone())).policy(policy);
    let builder = builder.permission("orders.place", Permission::Allow).ledger(&ledger);
    (builder.build().expect("a runtime"), ledger)
}

/// Writes under a key; returns the whole envelope.
async fn place(runtime: &Runtime, number: usize) -> ToolOutput {
    let order = format!("order-{number}");
    let cx = ToolContext::builder(Uuid::nil(), &*order).user_id("ada").run_id("run-1");
    let cx = cx.idempotency_key(order).build().expect("a context");
    let mut call = runtime.call("orders.place", format!(r#"{{"number":{number}}}"#), &cx);
    call.execute().await.clone()
}

/// Returns the answer that a caller was given without a warning that a repeat may not get it.
fn confirmed(output: &ToolOutput) -> Option<&str> {
    output.data_json().filter(|_| !output.meta_json().contains("could not be stored"))
}

/// Returns whether the caller was given no warning that the call may not be on the record.
fn is_recorded(output: &ToolOutput) -> bool {
    !output.meta_json().contains("record could not be confirmed")
}

/// Returns all calls on the record, after its chains were verified.
async fn recorded(ledger: &Ledger) -> Vec<RecordedCall> {
    ledger.verify(&[]).await.expect("it is as it was written");
    let (mut calls, mut query) = (Vec::new(), LedgerQuery::new().limit(1_000));
    loop {
        let page = ledger.find(query.clone()).await.expect("a page");
        calls.extend(page.records.into_iter().map(|(_, call)| call));
        match page.next {
            Some(next) => query = query.after(next),
            None => return calls,
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_write_runs_twice_and_none_is_lost_or_off_the_record_when_the_server_crashes() {
    if crate::server::url().is_none() {
        return;
    }
    let (server, effects) = (PrivateServer::start(), Effects::default());
    let options = crate::server::options().connect_timeout(Duration::from_millis(500));
    let replicas =
        join_all((0..WRITERS).map(|_| replica(options.clone(), &server.url, &effects))).await;
    let (replicas, ledgers): (Vec<_>, Vec<_>) = replicas.into_iter().unzip();
    let (ends, confirmations) = (Arc::new(AtomicBool::new(false)), Arc::new(Semaphore::new(0)));
    let writers = replicas.iter().enumerate().map(|(writer, runtime)| {
        let (runtime, ends) = (runtime.clone(), Arc::clone(&ends));
        let confirmations = Arc::clone(&confirmations);
        tokio::spawn(async move {
            let (mut answers, mut recorded, mut number) = (HashMap::new(), Vec::new(), writer);
            while !ends.load(Ordering::Relaxed) {
                let output = place(&runtime, number).await;
                if output.data_json().is_some() && is_recorded(&output) {
                    recorded.push(format!("order-{number}"));
                }
                if let Some(answer) = confirmed(&output) {
                    answers.insert(number, answer.to_owned());
                    confirmations.add_permits(1);
                }
                number += WRITERS;
            }
            (answers, recorded, number)
        })
    });
    let writers: Vec<_> = writers.collect();
    for _ in 0..RESTARTS {
        // The server crashes in the middle of writes, and not before they go on after the crash before.
        confirmations.acquire_many(40).await.expect("writes go on").forget();
        server.crash().await;
    }
    ends.store(true, Ordering::Relaxed);
    let (mut answers, mut on_record) = (HashMap::new(), Vec::new());
    let mut last = 0;
    for writer in writers {
        let (of_writer, recorded, number) = writer.await.expect("a writer");
        answers.extend(of_writer);
        on_record.extend(recorded);
        last = last.max(number);
    }
    // The record has each call once, and each run whose answer had no warning.
    for ledger in &ledgers {
        while ledger.flush().await.is_err() {
            tokio::task::yield_now().await;
        }
    }
    let calls = recorded(&ledgers[0]).await;
    let ids: HashSet<_> = calls.iter().map(|call| call.invocation_id).collect();
    assert_eq!(ids.len(), calls.len(), "each once");
    let traces: HashSet<_> = calls
        .iter()
        .filter(|call| call.kind() == RecordedCallKind::Run)
        .map(|call| &*call.trace_id)
        .collect();
    let missing: Vec<_> = on_record.iter().filter(|order| !traces.contains(&***order)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    // Each answer that a caller got is the answer of a repeat on another replica.
    for (number, answer) in &answers {
        let repeat = place(&replicas[(number + 1) % WRITERS], *number).await;
        assert_eq!(repeat.data_json(), Some(&**answer), "order {number}: {}", repeat.json());
    }
    // No other key has had its effect twice, however often it is repeated.
    for number in 0..last {
        place(&replicas[number % WRITERS], number).await;
    }
    let effects = effects.0.lock().expect("the effects");
    let doubled: Vec<_> = effects.iter().filter(|(_, effects)| **effects > 1).collect();
    assert!(doubled.is_empty(), "{doubled:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_the_server_is_away_reads_go_on_and_writes_fail_closed() {
    if crate::server::url().is_none() {
        return;
    }
    let (server, effects) = (PrivateServer::start(), Effects::default());
    let options = crate::server::options().connect_timeout(Duration::from_millis(500));
    let store = options.clone().connect(&server.url).await.expect("a store");
    let policy = Policy::new().store(store.clone()).share_limits(store.clone());
    let rules = ToolPolicy::new().rate_limit(RateLimit::per_second(100).expect("it is in range"));
    let runtime = Runtime::builder().toolkit(Orders(effects.clone())).policy(policy.rules(rules));
    let runtime = runtime.permission("orders.place", Permission::Allow);
    let runtime = runtime.build().expect("a runtime");
    assert!(confirmed(&place(&runtime, 1).await).is_some());
    store.ping().await.expect("it is there");
    let checked = store.clone();
    let config = HttpConfig::new(Auth::unauthenticated_as(Principal::trusted("this-machine")));
    let config = config.ready_check("store", move || {
        let store = checked.clone();
        async move { store.ping().await }
    });
    let drain = config.drain();
    let app = http::router(runtime.clone(), config);
    let probed = Server::new(app, drain).bind(("127.0.0.1", 0)).await.expect("a server");
    let address = probed.local_addr();
    tokio::spawn(probed.run(std::future::pending()));
    assert_eq!(readiness(address).await, "HTTP/1.1 200 OK");
    drop(server);

    let cx = ToolContext::builder(Uuid::nil(), "trace-1").run_id("run-1").build();
    let cx = cx.expect("a context");
    for _ in 0..3 {
        let read = runtime.call("orders.count", "{}", &cx).execute().await.clone();
        assert_eq!(read.data_json(), Some("1"), "{}", read.json());
        let write = place(&runtime, 2).await;
        let error = write.error().expect("it fails closed");
        let details = error.details().expect("details");
        assert_eq!(details["reason"], "store_unavailable", "{}", write.json());
        assert_eq!(details["effect"], "none", "{}", write.json());
        assert!(error.retry_after_ms().is_some(), "{}", write.json());
    }
    assert_eq!(effects.0.lock().expect("the effects").len(), 1);
    let error = store.ping().await.expect_err("it is away");
    assert_eq!(error.kind(), StoreErrorKind::Unavailable);
    // The result of a check is used for a second.
    while readiness(address).await != "HTTP/1.1 503 Service Unavailable" {
        tokio::task::yield_now().await;
    }
}

/// Returns the first line of the answer of `/readyz`.
async fn readiness(address: SocketAddr) -> String {
    let mut connection = TcpStream::connect(address).await.expect("a connection");
    let request = b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    connection.write_all(request).await.expect("a request");
    let mut answer = String::new();
    connection.read_to_string(&mut answer).await.expect("an answer");
    answer.lines().next().unwrap_or_default().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_fence_is_given_twice_when_the_server_crashes_or_a_backup_is_restored() {
    if crate::server::url().is_none() {
        return;
    }
    let server = PrivateServer::start();
    let options = crate::server::options().schema("tool_runtime");
    let store = options.connect(&server.url).await.expect("a store");
    let now = UnixMillis::new(1_800_000_000_000);
    let claim = async |name: String| {
        let key = ScopedKey::new(Uuid::nil(), "user:42", "book_seat", name);
        let digest = Digest::compute("test", b"{}");
        store.claim(ClaimRequest::new(key, digest, now, Duration::from_secs(600))).await
    };
    let mut fences = Vec::new();
    for round in 0..4 {
        // However soon the crash comes, each round has fences. A connection of before the last crash may fail first.
        let (before, mut attempts) = (fences.len(), 0);
        while fences.len() < before + 6 {
            match claim(format!("early-{round}-{attempts}")).await {
                Ok(ClaimOutcome::Acquired(fence)) => fences.push(fence),
                Ok(outcome) => panic!("the key is free: {outcome:?}"),
                Err(error) => assert!(attempts < 100, "{error}"),
            }
            attempts += 1;
        }
        let claims = (0..60).map(|number| claim(format!("order-{round}-{number}")));
        let (outcomes, ()) = join!(join_all(claims), server.crash());
        let first = fences.iter().max().copied();
        let acquired = outcomes.into_iter().filter_map(|outcome| match outcome {
            Ok(ClaimOutcome::Acquired(fence)) => Some(fence),
            _ => None,
        });
        fences.extend(acquired.inspect(|fence| assert!(Some(*fence) > first)));
    }
    let distinct: HashSet<_> = fences.iter().collect();
    assert_eq!(distinct.len(), fences.len());

    // As in a backup from the beginning, in which the guide's statement is executed.
    let (client, _connection) = server.client().await;
    let restored = "DELETE FROM tool_runtime.keys; ALTER SEQUENCE tool_runtime.fences RESTART";
    client.batch_execute(restored).await.expect("it is as it was");
    let guide = include_str!("../../../docs/postgres.md");
    let statement = guide.split("`SELECT setval(").nth(1).and_then(|text| text.split('`').next());
    let statement = format!("SELECT setval({}", statement.expect("the guide's statement"));
    client.batch_execute(&statement).await.expect("the fences are raised");
    let outcome = claim("order-0-0".to_owned()).await.expect("a claim");
    let ClaimOutcome::Acquired(fence) = outcome else { panic!("the key is free: {outcome:?}") };
    assert!(fences.iter().all(|earlier| *earlier < fence), "{fence:?}");
}

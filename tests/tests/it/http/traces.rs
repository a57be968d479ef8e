//! The ledger's records of a trace, over HTTP.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderValue, Request};
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tool_runtime::contracts::server::Tenant;
use tool_runtime::http::{self, Auth, HttpConfig, Principal, Scopes};
use tool_runtime::ledger::{ChainEntry, Ledger, LedgerStore, MemoryLedger, Record};
use tool_runtime::policy::{EventReceiver, EventType, Policy};
use tool_runtime::prelude::*;
use tool_runtime::store::StoreError;

use super::{Answer, call, get, open, post, send};
use crate::ledger::{TestLedger, ring};

/// A number that tests may change.
#[derive(Debug, Clone, Default)]
struct Number(Arc<AtomicU32>);

/// Reads the number.
#[ai_tool(effect = "read", version = "1.0.0")]
async fn read_number(number: &Number) -> u32 {
    number.0.load(Ordering::SeqCst)
}

struct TraceServer {
    app: Router,
    number: Number,
    kept: TestLedger,
    runtime: Runtime,
}

impl TraceServer {
    fn new() -> Self {
        Self::with(open())
    }

    fn with(config: HttpConfig) -> Self {
        let kept = TestLedger::default();
        let ledger = Ledger::builder(ring()).open(kept.clone()).unwrap();
        let number = Number::default();
        let runtime = Runtime::builder().tool::<ReadNumberTool>().state(number.clone());
        let receiver = EventReceiver::new("ops").events([EventType::LedgerDamaged]);
        let policy = Policy::new().event_receiver(receiver.with_console("https://ops.example"));
        let runtime = runtime.ledger(&ledger).policy(policy).build().unwrap();
        let app = http::router(runtime.clone(), config.ledger(&ledger));
        Self { app, number, kept, runtime }
    }

    async fn read(&self, path: &str) -> Answer {
        send(&self.app, headed(get(path))).await
    }

    async fn replay(&self, trace: &str, body: Value) -> Answer {
        send(&self.app, post(&format!("/traces/{trace}/replay"), body.to_string())).await
    }
}

fn with(mut request: Request<Body>, name: &'static str, value: &str) -> Request<Body> {
    request.headers_mut().insert(name, HeaderValue::from_str(value).unwrap());
    request
}

fn headed(request: Request<Body>) -> Request<Body> {
    let request = with(request, "x-tenant-id", "yantian");
    with(with(request, "x-site-id", "yantian-main"), "x-trace-id", "trace-2")
}

#[tokio::test]
async fn a_traces_calls_are_read_as_soon_as_they_are_answered() {
    let trace_server = TraceServer::new();
    for _ in 0..3 {
        assert_eq!(call(&trace_server.app, "read_number", "{}").await.status, 200);
    }
    let answer = trace_server.read("/traces/trace-1").await;
    let body = answer.json();
    assert_eq!((answer.status, &body["trace_id"]), (200, &"trace-1".into()), "{body}");
    let records = body["records"].as_array().unwrap();
    assert_eq!(records.len(), 3);
    assert_eq!(records[0]["call"]["tool"], "read_number");
    assert_eq!(records[0]["call"]["status"], "success");
    let first = trace_server.read("/traces/trace-1?limit=2").await.json();
    let next = first["next"].as_str().unwrap();
    let next_page = trace_server.read(&format!("/traces/trace-1?limit=2&after={next}")).await;
    assert_eq!(next_page.json()["records"], json!([records[2]]));
}

#[tokio::test]
async fn a_call_is_found_by_the_trace_of_its_body_that_a_header_overrides() {
    let trace_server = TraceServer::new();
    let body = json!({
        "tool_name": "read_number",
        "context": {"tenant_id": "yantian", "site_id": "yantian-main", "trace_id": "trace-001"},
    });
    for _ in 0..3 {
        let answer = send(&trace_server.app, headed(post("/tools/call", body.to_string()))).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    call(&trace_server.app, "read_number", "{}").await;
    let of_request = "/traces?request_id=trace-001";
    let page = trace_server.read(of_request).await.json();
    assert_eq!(page["request_id"], "trace-001");
    let records = page["records"].as_array().unwrap();
    assert_eq!((records.len(), &records[0]["call"]["trace_id"]), (3, &json!("trace-2")), "{page}");
    let first = trace_server.read(&format!("{of_request}&limit=2")).await.json();
    let next_path = format!("{of_request}&limit=2&after={}", first["next"].as_str().unwrap());
    assert_eq!(trace_server.read(&next_path).await.json()["records"], json!([records[2]]));
    let foreign = with(headed(get(of_request)), "x-tenant-id", "other");
    assert_eq!(send(&trace_server.app, foreign).await.json()["records"], json!([]));
    for path in ["/traces", "/traces?request_id=", "/traces?request_id=%00", "/traces?limit=1"] {
        let answer = trace_server.read(path).await;
        assert_eq!(answer.status, 422, "{path}: {}", answer.text);
        assert!(answer.text.contains("query `request_id`: expected"), "{}", answer.text);
    }
}

#[tokio::test]
async fn another_tenants_trace_is_one_that_there_is_not() {
    let trace_server = TraceServer::new();
    call(&trace_server.app, "read_number", "{}").await;
    let foreign = with(headed(get("/traces/trace-1")), "x-tenant-id", "other");
    let absent = trace_server.read("/traces/trace-9").await;
    let replay = with(post("/traces/trace-1/replay", r#"{"reason":"x"}"#), "x-tenant-id", "other");
    for answer in
        [send(&trace_server.app, foreign).await, absent, send(&trace_server.app, replay).await]
    {
        assert_eq!(answer.status, 404, "{}", answer.text);
        assert_eq!(answer.json()["detail"]["details"]["reason"], "unknown_trace");
    }
}

#[tokio::test]
async fn a_replay_runs_the_calls_of_its_own_tenant_alone() {
    let trace_server = TraceServer::new();
    call(&trace_server.app, "read_number", "{}").await;
    let foreign = post("/tools/call", r#"{"tool_name":"read_number"}"#);
    assert_eq!(send(&trace_server.app, with(foreign, "x-tenant-id", "other")).await.status, 200);
    let replay = trace_server.replay("trace-1", json!({"reason": "x"})).await;
    assert_eq!(replay.json()["calls"].as_array().map(Vec::len), Some(1), "{}", replay.text);
}

#[tokio::test]
async fn a_replay_says_what_would_be_answered_today_and_who_asked() {
    let trace_server = TraceServer::new();
    call(&trace_server.app, "read_number", "{}").await;
    let reason = json!({"reason": "complaint 4711"});
    let same = trace_server.replay("trace-1", reason.clone()).await;
    assert_eq!(same.json()["calls"][0]["verdict"]["verdict"], "same", "{}", same.text);
    trace_server.number.0.store(7, Ordering::SeqCst);
    let drifted = trace_server.replay("trace-1", reason).await;
    assert_eq!(drifted.json()["calls"][0]["verdict"]["verdict"], "drifted", "{}", drifted.text);
    let body = trace_server.read("/traces/trace-1").await.json();
    assert_eq!(body["records"].as_array().unwrap().len(), 3, "what was repeated is recorded too");
}

#[tokio::test]
async fn a_replay_is_recorded_with_its_caller_and_reason_before_it_runs() {
    let trace_server = TraceServer::new();
    call(&trace_server.app, "read_number", "{}").await;
    let replay = post("/traces/trace-1/replay", r#"{"reason":"complaint 4711"}"#);
    let answer = send(&trace_server.app, with(replay, "x-user-id", "auditor-7")).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    trace_server.read("/traces/trace-1").await;
    let records = trace_server.kept.records();
    let [.., Record::Access(access), Record::Call(replayed), Record::Access(read)] = &records[..]
    else {
        panic!("{records:?}")
    };
    assert_eq!(read.action, "read_trace");
    assert_eq!((&*access.action, &*access.outcome), ("replay", "asked"));
    assert_eq!((&*access.by, &*access.reason), ("user:auditor-7 by laptop", "complaint 4711"));
    assert_eq!(access.subject.as_deref(), Some("trace-1"));
    assert_eq!(access.tenant_id, Some(Tenant::parse("yantian").unwrap().id()));
    assert!(replayed.replay_of.is_some(), "{replayed:?}");
}

#[tokio::test]
async fn a_replay_without_a_reason_is_refused() {
    let trace_server = TraceServer::new();
    call(&trace_server.app, "read_number", "{}").await;
    let bodies = [json!({}), json!({"reason": ""}), json!({"reason": " "}), json!({"why": "x"})];
    for body in bodies.into_iter().chain([json!({"reason": "x".repeat(257)})]) {
        let answer = trace_server.replay("trace-1", body).await;
        assert_eq!(answer.status, 422, "{}", answer.text);
    }
    let body = trace_server.read("/traces/trace-1").await.json();
    assert_eq!(body["records"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn each_path_takes_its_own_scope() {
    for (scopes, reads, replays) in
        [("traces", 200, 403), ("replay", 403, 200), ("tools approvals metrics internal", 403, 403)]
    {
        let scopes = format!("tools {scopes}").parse::<Scopes>().unwrap();
        let clerk = Principal::new("clerk").for_every_tenant().with_scopes(scopes);
        let trace_server = TraceServer::with(HttpConfig::new(Auth::unauthenticated_as(clerk)));
        call(&trace_server.app, "read_number", "{}").await;
        assert_eq!(trace_server.read("/traces/trace-1").await.status, reads);
        let replayed = trace_server.replay("trace-1", json!({"reason": "x"})).await;
        assert_eq!(replayed.status, replays, "{}", replayed.text);
    }
}

#[tokio::test]
async fn a_server_without_a_ledger_says_so() {
    let runtime = Runtime::builder().tool::<ReadNumberTool>().state(Number::default());
    let app = http::router(runtime.build().unwrap(), open());
    let read = headed(get("/traces/trace-1"));
    for request in [read, post("/traces/trace-1/replay", r#"{"reason":"x"}"#)] {
        let answer = send(&app, request).await;
        assert_eq!(answer.status, 404, "{}", answer.text);
        assert_eq!(answer.json()["detail"]["details"]["reason"], "no_ledger");
    }
}

#[tokio::test]
async fn a_traces_name_may_be_any_text_that_a_caller_may_send() {
    let trace_server = TraceServer::new();
    let request = post("/tools/call", r#"{"tool_name":"read_number"}"#);
    let request = with(request, "x-trace-id", "a b/c?d");
    assert_eq!(send(&trace_server.app, request).await.status, 200);
    assert_eq!(trace_server.read("/traces/a%20b%2Fc%3Fd").await.status, 200);
    for path in ["/traces/%00", "/traces/%ff"] {
        let status = trace_server.read(path).await.status;
        assert!(matches!(status, 400 | 422), "{path}: {status}");
    }
}

/// A store whose reads block once it is stuck, until the test ends.
#[derive(Clone)]
struct Stuck(Arc<Mutex<(MemoryLedger, Option<Receiver<()>>)>>);

impl Stuck {
    fn new() -> Self {
        Self(Arc::new(Mutex::new((MemoryLedger::new(1_000), None))))
    }

    fn stick(&self) -> Sender<()> {
        let (end, ended) = mpsc::channel();
        self.0.lock().unwrap().1 = Some(ended);
        end
    }
}

impl LedgerStore for Stuck {
    fn append(&mut self, entries: &[ChainEntry]) -> Result<(), StoreError> {
        self.0.lock().unwrap().0.append(entries)
    }

    fn read(&mut self, from: u64, limit: usize) -> Result<Vec<ChainEntry>, StoreError> {
        let (memory, stuck) = &mut *self.0.lock().unwrap();
        if let Some(ended) = stuck {
            let _ = ended.recv();
        }
        memory.read(from, limit)
    }

    fn count(&mut self) -> Result<u64, StoreError> {
        self.0.lock().unwrap().0.count()
    }

    fn last_checkpoint(&mut self) -> Result<Option<ChainEntry>, StoreError> {
        self.0.lock().unwrap().0.last_checkpoint()
    }

    fn erase(&mut self, before: u64) -> Result<u64, StoreError> {
        self.0.lock().unwrap().0.erase(before)
    }
}

#[tokio::test(start_paused = true)]
async fn a_trace_that_takes_too_long_to_look_up_is_answered_so() {
    for replays in [false, true] {
        let store = Stuck::new();
        let ledger = Ledger::builder(ring()).open(store.clone()).unwrap();
        let runtime = Runtime::builder().tool::<ReadNumberTool>().state(Number::default());
        let runtime = runtime.ledger(&ledger).build().unwrap();
        let config = open().ledger(&ledger).request_timeout(Duration::from_secs(1));
        let app = http::router(runtime, config);
        let _end = store.stick();
        let request = if replays {
            post("/traces/trace-1/replay", r#"{"reason":"x"}"#)
        } else {
            headed(get("/traces/trace-1"))
        };
        let answer = tokio::time::timeout(Duration::from_secs(60), send(&app, request));
        let answer = answer.await.expect("a request has a second");
        assert_eq!((answer.status, &answer.json()["error_type"]), (504, &"TIMEOUT".into()));
        assert_eq!(answer.json()["success"], false);
    }
}

/// Replays a page of a trace; returns the numbers of its calls, and the cursor of the next page.
async fn page_of(trace_server: &TraceServer, query: &str) -> (Vec<u64>, Option<u64>) {
    let path = format!("/traces/trace-1/replay{query}");
    let answer = send(&trace_server.app, post(&path, r#"{"reason":"x"}"#)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let body = answer.json();
    let seq = |call: &Value| call["seq"].as_u64().unwrap();
    let next = body["next"].as_str().map(|next| next.parse().unwrap());
    (body["calls"].as_array().unwrap().iter().map(seq).collect(), next)
}

#[tokio::test]
async fn a_replay_runs_a_page_of_calls_and_says_that_there_are_more() {
    let trace_server = TraceServer::new();
    for _ in 0..5 {
        call(&trace_server.app, "read_number", "{}").await;
    }
    let (all, next) = page_of(&trace_server, "").await;
    assert_eq!((all.len(), next), (5, None));
    let (first, next) = page_of(&trace_server, "?limit=2").await;
    assert_eq!((&first[..], next), (&all[..2], Some(all[1])));
    let (rest, next) = page_of(&trace_server, &format!("?limit=3&after={}", all[1])).await;
    assert_eq!((&rest[..], next), (&all[2..], None), "the last page says that it is");
    for query in ["?limit=0", "?limit=101", "?after=x"] {
        let path = format!("/traces/trace-1/replay{query}");
        let answer = send(&trace_server.app, post(&path, r#"{"reason":"x"}"#)).await;
        assert_eq!(answer.status, 422, "{query}: {}", answer.text);
    }
}

#[tokio::test]
async fn without_a_word_about_it_a_replay_runs_no_more_than_a_usual_page() {
    let trace_server = TraceServer::new();
    for _ in 0..51 {
        call(&trace_server.app, "read_number", "{}").await;
    }
    let (calls, next) = page_of(&trace_server, "").await;
    assert_eq!((calls.len(), next), (50, calls.last().copied()));
}

#[tokio::test]
async fn more_replays_than_may_go_on_at_once_are_refused() {
    let trace_server = TraceServer::with(open().max_replays(0));
    call(&trace_server.app, "read_number", "{}").await;
    let answer = trace_server.replay("trace-1", json!({"reason": "x"})).await;
    assert_eq!(answer.status, 503, "{}", answer.text);
    assert_eq!(answer.json()["detail"]["details"]["reason"], "busy");
    assert!(!answer.header("retry-after").is_empty());
    let one = TraceServer::with(open().max_replays(1));
    call(&one.app, "read_number", "{}").await;
    for _ in 0..2 {
        let answer = one.replay("trace-1", json!({"reason": "x"})).await;
        assert_eq!(answer.status, 200, "the place is free again: {}", answer.text);
    }
}

/// Blocks a tool until the test releases it.
struct Gate {
    begun: Semaphore,
    go_on: Semaphore,
}

/// Watches until it is told to stop.
#[ai_tool(effect = "read")]
async fn watch(gate: &Gate) {
    gate.begun.add_permits(1);
    gate.go_on.acquire().await.unwrap().forget();
}

#[tokio::test]
async fn a_replay_holds_its_place_until_it_ends_or_its_caller_hangs_up() {
    let gate = Arc::new(Gate { begun: Semaphore::new(0), go_on: Semaphore::new(1) });
    let ledger = Ledger::builder(ring()).open(MemoryLedger::new(1_000)).unwrap();
    let runtime = Runtime::builder().tool::<WatchTool>().shared_state(gate.clone()).ledger(&ledger);
    let app = http::router(runtime.build().unwrap(), open().ledger(&ledger).max_replays(1));
    let begun = async || gate.begun.acquire().await.unwrap().forget();
    assert_eq!(call(&app, "watch", "{}").await.status, 200);
    begun().await;
    let replay = || send(&app, post("/traces/trace-1/replay", r#"{"reason":"x"}"#));

    tokio::select! {
        answer = replay() => panic!("nothing lets it go on: {}", answer.text),
        () = begun() => {}
    }
    let meanwhile = async {
        begun().await;
        let answer = replay().await;
        gate.go_on.add_permits(1);
        answer
    };
    let (first, second) = tokio::join!(replay(), meanwhile);
    assert_eq!(
        first.status, 200,
        "the permit of the disconnected client is released: {}",
        first.text
    );
    assert_eq!(second.status, 503, "{}", second.text);
}

#[tokio::test]
async fn the_ledger_is_verified_by_those_who_have_the_scope() {
    let trace_server = TraceServer::new();
    for _ in 0..3 {
        assert_eq!(call(&trace_server.app, "read_number", "{}").await.status, 200);
    }
    let answer = trace_server.read("/ledger/verification").await;
    let body = answer.json();
    assert_eq!((answer.status, &body["intact"]), (200, &json!(true)), "{body}");
    // The record of the writer's begin, and those of the calls.
    assert!(body["records"].as_u64() >= Some(4), "{body}");
    assert!(body.get("fault").is_none() && body.get("confirmed").is_none(), "{body}");
    let records = trace_server.kept.records();
    let is_access = |it: &Record| matches!(it, Record::Access(it) if it.action == "verify_ledger");
    assert!(records.last().is_some_and(is_access), "it is on the record");

    trace_server.kept.alter(2);
    // A ledger with altered records may be unreachable as well.
    trace_server.kept.fail(true);
    let damaged = trace_server.read("/ledger/verification").await;
    let body = damaged.json();
    assert_eq!((damaged.status, &body["intact"]), (200, &json!(false)), "{body}");
    assert_eq!(body["fault"]["seq"], 2, "{body}");
    let message = body["fault"]["message"].as_str().unwrap();
    assert!(message.starts_with("record 2 was modified"), "{message}");
    let events = trace_server.runtime.events().lease("ops", Duration::from_secs(60), 9).await;
    let events: Vec<Value> =
        events.unwrap().iter().map(|event| serde_json::from_str(&event.body).unwrap()).collect();
    let expected = json!({"fault": message, "url": "https://ops.example/ledger"});
    assert_eq!(events.len(), 1, "a ledger that is whole is not announced: {events:?}");
    assert_eq!((&events[0]["type"], &events[0]["data"]), (&json!("ledger.damaged"), &expected));
    trace_server.kept.fail(false);

    let scopes = "tools traces replay".parse().unwrap();
    let reader = Principal::new("reader").for_every_tenant().with_scopes(scopes);
    let trace_server = TraceServer::with(HttpConfig::new(Auth::unauthenticated_as(reader)));
    let refused = trace_server.read("/ledger/verification").await;
    assert_eq!(refused.status, 403, "{}", refused.text);
    assert_eq!(refused.json()["detail"]["details"]["reason"], "scope");
}

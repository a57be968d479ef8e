//! Probes and metrics of a server.

use std::convert::Infallible;
use std::future::{Ready, pending};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use tokio::time::Instant;
use tool_runtime::http::{Auth, HttpConfig, Principal, Scopes, router};
use tool_runtime::ledger::{ChainEntry, Ledger, LedgerStore, MemoryLedger};
use tool_runtime::prelude::*;
use tool_runtime::store::{StoreError, StoreErrorKind};

use super::{Answer, call, get, open, send};
use crate::ledger::ring;

/// Adds two numbers, if they are small.
#[ai_tool(effect = "read")]
async fn add_small(
    /// The first.
    a: i8,
    /// The second.
    b: i8,
) -> Result<i8, TooLarge> {
    a.checked_add(b).ok_or(TooLarge::Sum)
}

/// Why there is no sum.
#[derive(Debug, ToolFailure)]
enum TooLarge {
    #[failure(code = "SUM_TOO_LARGE", type = FATAL, message = "the sum is too large")]
    Sum,
}

fn app(config: HttpConfig) -> Router {
    router(Runtime::builder().tool::<AddSmallTool>().build().unwrap(), config)
}

#[track_caller]
fn check(answer: &Answer, failing: &[&str]) {
    if failing.is_empty() {
        assert_eq!((answer.status, &*answer.text), (200, r#"{"status":"ready"}"#));
        return;
    }
    let body = answer.json();
    assert_eq!((answer.status, answer.header("retry-after")), (503, "1"), "{body}");
    assert_eq!(body["error_type"], "UNAVAILABLE");
    assert_eq!(body["detail"]["details"]["failing"], serde_json::json!(failing));
}

#[tokio::test]
async fn a_server_that_drains_lives_and_is_not_ready() {
    let config = open();
    let drain = config.drain();
    let app = app(config);
    check(&send(&app, get("/readyz")).await, &[]);
    drain.begin();
    check(&send(&app, get("/readyz")).await, &["draining"]);
    let health = send(&app, get("/healthz")).await;
    assert_eq!((health.status, &*health.text), (200, r#"{"status":"ok"}"#));
}

fn panics() -> Result<(), Infallible> {
    panic!("hunter2")
}

#[tokio::test(start_paused = true)]
async fn checks_that_fail_hang_or_panic_are_named_and_nothing_is_told_of_them() {
    let config = open()
        .ready_check("good", || async { Ok::<_, Infallible>(()) })
        .ready_check("bad", || async { Err("password=hunter2") })
        .ready_check("hanging", pending::<Result<(), Infallible>>)
        .ready_check("panicking", || async { panics() })
        .ready_check("wild", || -> Ready<Result<(), Infallible>> { panic!("hunter2") });
    let begun = Instant::now();
    let answer = send(&app(config), get("/readyz")).await;
    assert_eq!(
        begun.elapsed(),
        Duration::from_secs(2),
        "a hanging check is not waited for any longer"
    );
    check(&answer, &["bad", "hanging", "panicking", "wild"]);
    assert!(!answer.text.contains("hunter2"), "{}", answer.text);
}

#[tokio::test(start_paused = true)]
async fn however_often_it_is_asked_a_check_runs_once_a_second() {
    let (asked, well) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let (count, is_well) = (asked.clone(), well.clone());
    let config = open().ready_check("database", move || {
        count.fetch_add(1, Ordering::SeqCst);
        let is_well = is_well.load(Ordering::SeqCst);
        async move { is_well.then_some(()).ok_or("down") }
    });
    let app = app(config);
    for _ in 0..3 {
        check(&send(&app, get("/readyz")).await, &["database"]);
    }
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    well.store(true, Ordering::SeqCst);
    tokio::time::advance(Duration::from_secs(1)).await;
    check(&send(&app, get("/readyz")).await, &[]);
    assert_eq!(asked.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn figures_are_shown_to_those_who_may_see_them() {
    let scoped = |words: &str| {
        let scopes: Scopes = words.parse().unwrap();
        HttpConfig::new(Auth::unauthenticated_as(Principal::new("scraper").with_scopes(scopes)))
    };
    let status = async |config| send(&app(config), get("/metrics")).await.status;
    assert_eq!(status(scoped("metrics")).await, 200);
    assert_eq!(status(scoped("tools traces")).await, 403);
    assert_eq!(status(HttpConfig::new(Auth::new())).await, 401);
    assert_eq!(status(HttpConfig::new(Auth::new()).public_metrics()).await, 200);
}

/// Returns the metrics whose names begin with this text.
async fn figures(app: &Router, start: &str) -> Vec<String> {
    let page = send(app, get("/metrics")).await;
    assert!(page.header("content-type").starts_with("application/openmetrics-text; version=1.0.0"));
    assert!(page.text.ends_with("# EOF\n"), "{}", page.text);
    page.text.lines().filter(|line| line.starts_with(start)).map(str::to_owned).collect()
}

#[tokio::test]
async fn calls_are_counted_by_tool_and_code_and_strangers_make_no_series() {
    let app = app(open());
    call(&app, "add_small", r#"{"a":1,"b":2}"#).await;
    call(&app, "add_small", r#"{"a":1,"b":2}"#).await;
    call(&app, "add_small", r#"{"a":100,"b":100}"#).await;
    call(&app, "add_small", r#"{"a":1}"#).await;
    for name in ["no_such_tool", "nor_this", "none"] {
        call(&app, name, "{}").await;
    }
    let mut calls = figures(&app, "tool_server_calls_total").await;
    calls.sort();
    assert_eq!(
        calls,
        [
            r#"tool_server_calls_total{tool="add_small",status="error",code="INVALID_ARGUMENT"} 1"#,
            r#"tool_server_calls_total{tool="add_small",status="error",code="SUM_TOO_LARGE"} 1"#,
            r#"tool_server_calls_total{tool="add_small",status="success",code=""} 2"#,
            r#"tool_server_calls_total{tool="unknown",status="error",code="NOT_FOUND"} 3"#,
        ]
    );
    let count = figures(&app, r#"tool_server_call_duration_seconds_count{tool="add_small"}"#).await;
    assert_eq!(count, [r#"tool_server_call_duration_seconds_count{tool="add_small"} 4"#]);
    let buckets = figures(&app, "tool_server_call_duration_seconds_bucket").await;
    let last = buckets.iter().filter(|line| line.contains(r#"le="+Inf""#));
    assert!(last.filter(|line| line.contains("add_small")).all(|line| line.ends_with(" 4")));
    assert_eq!(buckets.iter().filter(|line| line.contains("+Inf")).count(), 2);
    assert_eq!(
        figures(&app, "tool_server_calls_in_flight").await,
        ["tool_server_calls_in_flight 0"]
    );
}

#[tokio::test]
async fn requests_are_counted_by_route_and_class() {
    let app = app(open());
    call(&app, "add_small", r#"{"a":1,"b":2}"#).await;
    call(&app, "add_small", r#"{"a":1}"#).await;
    send(&app, get("/healthz")).await;
    for path in ["/a", "/b", "/tools/call"] {
        send(&app, get(path)).await;
    }
    let requests = figures(&app, "tool_server_requests_total").await;
    assert_eq!(
        requests,
        [
            r#"tool_server_requests_total{route="/healthz",status="2xx"} 1"#,
            r#"tool_server_requests_total{route="/tools/call",status="2xx"} 1"#,
            r#"tool_server_requests_total{route="/tools/call",status="4xx"} 1"#,
            r#"tool_server_requests_total{route="unknown",status="4xx"} 3"#,
        ]
    );
}

/// A ledger's store that can be made to fail.
struct Breakable {
    store: MemoryLedger,
    is_broken: Arc<AtomicBool>,
}

impl LedgerStore for Breakable {
    fn append(&mut self, entries: &[ChainEntry]) -> Result<(), StoreError> {
        if self.is_broken.load(Ordering::SeqCst) {
            return Err(StoreError::new(StoreErrorKind::Unavailable, "the disk is full"));
        }
        self.store.append(entries)
    }

    fn read(&mut self, from: u64, limit: usize) -> Result<Vec<ChainEntry>, StoreError> {
        self.store.read(from, limit)
    }

    fn count(&mut self) -> Result<u64, StoreError> {
        self.store.count()
    }

    fn last_checkpoint(&mut self) -> Result<Option<ChainEntry>, StoreError> {
        self.store.last_checkpoint()
    }

    fn erase(&mut self, before: u64) -> Result<u64, StoreError> {
        self.store.erase(before)
    }
}

#[tokio::test]
async fn a_ledger_that_cannot_be_written_keeps_a_server_from_being_ready() {
    let is_broken = Arc::new(AtomicBool::new(false));
    let store = Breakable { store: MemoryLedger::new(100), is_broken: is_broken.clone() };
    let ledger = Ledger::builder(ring()).open(store).unwrap();
    let runtime = Runtime::builder().tool::<AddSmallTool>().ledger(&ledger).build().unwrap();
    let app = router(runtime, open().ledger(&ledger));
    call(&app, "add_small", r#"{"a":1,"b":2}"#).await;
    ledger.flush().await.unwrap();
    check(&send(&app, get("/readyz")).await, &[]);
    assert_eq!(
        figures(&app, "tool_server_ledger_written").await,
        ["tool_server_ledger_written_total 1"]
    );

    is_broken.store(true, Ordering::SeqCst);
    call(&app, "add_small", r#"{"a":1,"b":2}"#).await;
    assert!(ledger.flush().await.is_err());
    check(&send(&app, get("/readyz")).await, &["ledger"]);
    assert_eq!(figures(&app, "tool_server_ledger_waiting").await, ["tool_server_ledger_waiting 1"]);
}

//! Tests that no caller can use up resources that other callers need.

use std::pin::pin;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, HttpBody as _};
use axum::http::Request;
use axum::response::Response;
use futures::FutureExt as _;
use http_body_util::BodyExt as _;
use tokio::sync::Semaphore;
use tool_contracts::{Effect, Permission};
use tool_runtime_core::key_ring::KeyRing;
use tool_runtime_core::{CallScope, DynamicTool, Failure, Runtime};
use tool_runtime_record::ledger::{Ledger, MemoryLedger};
use tower::ServiceExt as _;

use crate::auth::API_KEY;
use crate::router;
use crate::state::refusal_counts::MAX_RECORDED;
use crate::tests::fixture::{Answer, ToolGate, anonymous, calling, post, send};
use crate::{ApiKey, ApiKeySet, ApiKeys, Auth, HttpConfig, Principal};

const ONE: &str = "the-key-of-one-0123456789abcdefghij";
const TWO: &str = "the-key-of-two-0123456789abcdefghij";
const WITHOUT_SCOPES: &str = "a-key-without-scopes-0123456789abcd";
/// The id of no ticket.
const ABSENT: &str = "/approvals/0197f0c4-9a5b-7c3e-8a41-6f2b8f0d1e2a";

/// Serves two principals that may do everything, and one that may do nothing.
fn keyed() -> HttpConfig {
    let hash = |key: &str| ApiKey::new(key).expect("it is long enough").hash();
    let keys = ApiKeySet::new().with(hash(ONE), Principal::trusted("one"));
    let keys = keys.and_then(|keys| keys.with(hash(TWO), Principal::trusted("two")));
    let nothing = Principal::new("nothing").for_every_tenant();
    let keys = keys.and_then(|keys| keys.with(hash(WITHOUT_SCOPES), nothing));
    HttpConfig::new(Auth::new().api_keys(&ApiKeys::new(keys.expect("they are different"))))
}

fn by(key: &str, mut request: Request<Body>) -> Request<Body> {
    request.headers_mut().insert(API_KEY, key.parse().expect("a value"));
    request
}

#[track_caller]
fn check(answer: &Answer, status: u16, reason: &str) {
    let details = &answer.json()["detail"]["details"];
    assert_eq!((answer.status, &details["reason"]), (status, &reason.into()), "{}", answer.text);
}

fn ledger() -> Ledger {
    let keys = KeyRing::ephemeral().expect("there is randomness");
    Ledger::builder(keys).open(MemoryLedger::new(100_000)).expect("it is empty")
}

/// Returns how many records a ledger has, beside the one of its opening.
async fn rows(ledger: &Ledger) -> u64 {
    ledger.flush().await.expect("it can be written");
    ledger.verify(&[]).await.expect("it is whole").into_head().size() - 1
}

#[tokio::test]
async fn one_caller_cannot_take_all_places_of_writes() {
    let stage = ToolGate::new();
    let app = stage.app(keyed().max_tasks(4));
    let save = |key: &str| app.clone().oneshot(by(key, calling("save", "{}")));
    for _ in 0..2 {
        // Its caller hangs up, and the write runs on.
        assert!(Box::pin(save(ONE)).now_or_never().is_none());
        stage.begun().await;
    }
    check(&send(&app, by(ONE, calling("save", "{}"))).await, 429, "busy");
    let mut others = [Box::pin(save(TWO)), Box::pin(save(TWO))];
    for other in &mut others {
        assert!(other.as_mut().now_or_never().is_none(), "it runs");
    }
    check(&send(&app, by(TWO, calling("save", "{}"))).await, 429, "busy");
}

/// Waits until it is let go on.
fn replayed(go_on: &Arc<Semaphore>) -> Runtime {
    let go_on = go_on.clone();
    let wait = move |_: CallScope| {
        let go_on = go_on.clone();
        async move {
            go_on.acquire().await.expect("it is open").forget();
            Ok::<_, Failure>("done")
        }
    };
    let schema = serde_json::json!({"type": "object"});
    let tool = DynamicTool::new("wait", Effect::Read).description("Waits.").input_schema(schema);
    Runtime::builder().dynamic(tool.handler(wait)).ledger(&LEDGER).build().expect("it is whole")
}

static LEDGER: std::sync::LazyLock<Ledger> = std::sync::LazyLock::new(ledger);

#[tokio::test]
async fn one_caller_cannot_take_all_places_of_replays() {
    let go_on = Arc::new(Semaphore::new(1));
    let app = router(replayed(&go_on), keyed().ledger(&LEDGER).max_replays(4));
    assert_eq!(send(&app, by(ONE, calling("wait", "{}"))).await.status, 200);
    let replay = |key: &str| by(key, post("/traces/trace-1/replay", r#"{"reason":"a test"}"#));
    let held: Vec<_> = [ONE, ONE].map(|key| tokio::spawn(app.clone().oneshot(replay(key)))).into();
    for _ in 0..64 {
        tokio::task::yield_now().await;
    }
    check(&send(&app, replay(ONE)).await, 429, "busy");
    let mut other = pin!(send(&app, replay(TWO)));
    assert!(futures::poll!(other.as_mut()).is_pending(), "it has a place");
    go_on.add_permits(3);
    assert_eq!(other.await.status, 200);
    for replay in held {
        assert_eq!(replay.await.expect("it ends").expect("an app answers").status(), 200);
    }
}

const LARGE: usize = 100_000;

/// Serves a read and a write of large answers.
fn large(config: HttpConfig) -> Router {
    let tool = |name: &str, effect: Effect| {
        let schema = serde_json::json!({"type": "object"});
        let tool = DynamicTool::new(name, effect).description("Is large.").input_schema(schema);
        let tool = if effect == Effect::Read { tool } else { tool.handles_dry_run() };
        tool.sync_handler(|_: &CallScope| Ok::<_, Failure>("x".repeat(LARGE)))
    };
    let runtime = Runtime::builder()
        .dynamic(tool("read", Effect::Read))
        .dynamic(tool("write", Effect::Write))
        .permission("write", Permission::Allow);
    router(runtime.build().expect("the tools are whole"), config)
}

async fn unread(app: &Router, key: &str, tool: &str) -> Response {
    app.clone().oneshot(by(key, calling(tool, "{}"))).await.expect("an app answers")
}

#[tokio::test]
async fn answers_that_a_caller_does_not_read_take_no_more_than_its_share() {
    let config = keyed().max_unread_bytes(10 * LARGE).max_unread_bytes_per_caller(3 * LARGE);
    let app = large(config);
    let (first, second) = (unread(&app, ONE, "read").await, unread(&app, ONE, "read").await);
    assert_eq!((first.status().as_u16(), second.status().as_u16()), (200, 200));
    let third = send(&app, by(ONE, calling("read", "{}"))).await;
    check(&third, 429, "answers");
    assert_eq!(unread(&app, TWO, "read").await.status(), 200, "another caller has its own quota");
    // An effect has happened, so that its answer is given, and counts.
    let write = unread(&app, ONE, "write").await;
    assert_eq!(write.status(), 200);
    check(&send(&app, by(ONE, calling("write", "{}"))).await, 429, "answers");
    drop((first, second));
    // The bytes count as long as a part of them is in memory, and not only their body.
    let mut body = write.into_body();
    let frame = body.frame().await.expect("there is one").expect("it is whole").into_data();
    let part = frame.expect("it is data").slice(..1);
    assert!(body.is_end_stream());
    drop(body);
    let held = [unread(&app, ONE, "read").await, unread(&app, ONE, "read").await];
    assert_eq!(held.map(|answer| answer.status().as_u16()), [200, 429]);
    drop(part);
    let held = [unread(&app, ONE, "read").await, unread(&app, ONE, "read").await];
    assert_eq!(held.map(|answer| answer.status().as_u16()), [200, 200]);
}

#[tokio::test]
async fn answers_that_no_caller_reads_take_no_more_than_all_may() {
    let app = large(keyed().max_unread_bytes(2 * LARGE).max_unread_bytes_per_caller(2 * LARGE));
    let _held = unread(&app, ONE, "read").await;
    check(&send(&app, by(TWO, calling("read", "{}"))).await, 503, "answers");
    let app = large(keyed().max_unread_bytes(LARGE / 2));
    assert_eq!(unread(&app, ONE, "read").await.status(), 200, "one answer is always given");
}

#[tokio::test]
async fn a_stream_that_is_not_read_keeps_its_result_in_the_callers_share() {
    let app = large(keyed().max_unread_bytes(2 * LARGE).max_unread_bytes_per_caller(LARGE));
    let streaming = || {
        let mut request = by(ONE, calling("read", "{}"));
        request.headers_mut().insert("accept", "text/event-stream".parse().expect("a value"));
        request
    };
    let stream = app.clone().oneshot(streaming()).await.expect("an app answers");
    for _ in 0..64 {
        tokio::task::yield_now().await;
    }
    check(&send(&app, by(ONE, calling("read", "{}"))).await, 429, "answers");
    drop(stream);
    assert_eq!(unread(&app, ONE, "read").await.status(), 200);
}

#[tokio::test]
async fn a_flood_of_calls_of_unknown_tools_leaves_bounded_records() {
    for (config, key) in [(keyed(), ONE), (anonymous(), "")] {
        let stage = ToolGate::new();
        let ledger = ledger();
        let drain = config.drain();
        let app = router(stage.runtime(), config.ledger(&ledger));
        let mut texts = std::collections::BTreeSet::new();
        for _ in 0..500 {
            let request = calling("serch", "{}");
            let request = if key.is_empty() { request } else { by(key, request) };
            let answer = send(&app, request).await;
            texts.insert(answer.refused(404, "NOT_FOUND"));
        }
        assert_eq!(texts.len(), 1, "all are answered alike: {texts:?}");
        assert_eq!(stage.ended_call_count(), MAX_RECORDED as usize);
        assert_eq!(rows(&ledger).await, 0, "the minute is not over");
        drain.begin();
        drain.idle().await;
        assert_eq!(rows(&ledger).await, 1, "one record counts the others");
    }
}

#[tokio::test]
async fn a_flood_of_decisions_on_made_up_tickets_leaves_bounded_records() {
    for (key, status) in [(WITHOUT_SCOPES, 403), (ONE, 404)] {
        let (stage, ledger) = (ToolGate::new(), ledger());
        let config = keyed().ledger(&ledger);
        let drain = config.drain();
        let app = router(stage.runtime(), config);
        for _ in 0..500 {
            let decision = by(key, post(ABSENT, r#"{"decision":"approve"}"#));
            assert_eq!(send(&app, decision).await.status, status);
        }
        assert!(
            stage.ended_call_count() <= MAX_RECORDED as usize,
            "no call is opened for the others"
        );
        assert_eq!(rows(&ledger).await, u64::from(MAX_RECORDED));
        drain.begin();
        drain.idle().await;
        assert_eq!(rows(&ledger).await, u64::from(MAX_RECORDED) + 1);
    }
}

//! An app for tests, whose tools signal when they run and wait for the test.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, Request};
use http_body_util::BodyExt as _;
use hyper::body::Frame;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tool_contracts::{CallStatus, Effect, ErrorCode, Permission};
use tool_runtime_core::{CallRecord, CallScope, DynamicTool, Failure, FromCall, Progress, Runtime};
use tower::ServiceExt as _;

use crate::router;
use crate::{Auth, HttpConfig, Principal, Scopes};

/// Synchronizes the tools with the test.
#[derive(Debug, Clone)]
pub(crate) struct ToolGate {
    /// A permit whenever a tool has begun.
    begun: Arc<Semaphore>,
    /// A permit for each step that a tool may take.
    go_on: Arc<Semaphore>,
    /// The status of each finished call.
    ended: Arc<Mutex<Vec<(String, CallStatus)>>>,
    heard: Arc<Semaphore>,
}

/// A response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Answer {
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).expect("the answer is JSON")
    }

    #[track_caller]
    pub(crate) fn refused(&self, status: u16, error_type: &str) -> String {
        let body = self.json();
        let said = (self.status, body["error_type"].as_str().unwrap_or_default().to_owned());
        assert_eq!(said, (status, error_type.to_owned()), "{}", self.text);
        assert_eq!(body["success"], false);
        body["error"].as_str().expect("a text").to_owned()
    }
}

impl ToolGate {
    pub(crate) fn new() -> Self {
        let none = || Arc::new(Semaphore::new(0));
        Self { begun: none(), go_on: none(), ended: Arc::default(), heard: none() }
    }

    /// Waits until a tool has begun.
    pub(crate) async fn begun(&self) {
        self.begun.acquire().await.expect("it is open").forget();
    }

    /// Lets a tool take one more step.
    pub(crate) fn go_on(&self) {
        self.go_on.add_permits(1);
    }

    /// Waits until a call has ended, and says how.
    pub(crate) async fn ended(&self) -> (String, CallStatus) {
        self.heard.acquire().await.expect("it is open").forget();
        self.ended.lock().expect("no thread panicked").pop().expect("a call has ended")
    }

    pub(crate) fn nothing_ended(&self) -> bool {
        self.ended.lock().expect("no thread panicked").is_empty()
    }

    pub(crate) fn ended_call_count(&self) -> usize {
        self.ended.lock().expect("no thread panicked").len()
    }

    async fn step(&self) {
        self.begun.add_permits(1);
        self.go_on.acquire().await.expect("it is open").forget();
    }

    pub(crate) fn runtime(&self) -> Runtime {
        let (waits, saves) = (self.clone(), self.clone());
        let heard = self.clone();
        Runtime::builder()
            .dynamic(
                tool("add", Effect::Read)
                    .category("sums")
                    .ttl(Duration::from_secs(60))
                    .sync_handler(add),
            )
            .dynamic(tool("fail", Effect::Read).sync_handler(fail))
            .dynamic(tool("guess", Effect::Read).requires_auth(false).sync_handler(add))
            .dynamic(tool("hidden", Effect::Read).ai_callable(false).sync_handler(add))
            .dynamic(tool("panics", Effect::Read).sync_handler(panics))
            .dynamic(tool("wait", Effect::Read).handler(move |call| wait(waits.clone(), call)))
            .dynamic(
                tool("save", Effect::Write)
                    .handles_dry_run()
                    .handler(move |call| wait(saves.clone(), call)),
            )
            .dynamic(tool("forbidden", Effect::Read).sync_handler(add))
            .permission("forbidden", Permission::Deny)
            .permission("save", Permission::Allow)
            .observe(move |record: &CallRecord<'_>| {
                let end = (record.tool().to_owned(), record.status());
                heard.ended.lock().expect("no thread panicked").push(end);
                heard.heard.add_permits(1);
            })
            .build()
            .expect("the tools are whole")
    }

    pub(crate) fn app(&self, config: HttpConfig) -> Router {
        router(self.runtime(), config)
    }
}

/// Makes `tracing` ask each thread's subscriber whether an event is enabled.
///
/// With a single live subscriber, `tracing` caches the decision of the first thread for all
/// threads, so another test without a subscriber would disable the event.
#[cfg(feature = "trace")]
pub(crate) fn enable_events_per_thread() {
    static OTHER: std::sync::LazyLock<tracing::Dispatch> = std::sync::LazyLock::new(|| {
        tracing::Dispatch::new(tracing::subscriber::NoSubscriber::default())
    });
    std::sync::LazyLock::force(&OTHER);
}

/// Serves requests without a credential as a principal with all rights.
pub(crate) fn open() -> HttpConfig {
    HttpConfig::new(Auth::unauthenticated_as(Principal::trusted("laptop")))
}

/// Serves a caller with these scopes.
pub(crate) fn scoped(scopes: &str) -> HttpConfig {
    let scopes = scopes.parse().expect("these are scopes");
    let principal = Principal::new("laptop").for_every_tenant().with_scopes(scopes);
    HttpConfig::new(Auth::unauthenticated_as(principal))
}

/// Serves anonymous callers.
pub(crate) fn anonymous() -> HttpConfig {
    HttpConfig::new(Auth::new().anonymous(Scopes::all()))
}

pub(crate) fn post(path: &str, body: impl Into<Body>) -> Request<Body> {
    let request = Request::post(path)
        .header("content-type", "application/json")
        .header("x-tenant-id", "yantian")
        .header("x-site-id", "yantian-main")
        .header("x-trace-id", "trace-1");
    request.body(body.into()).expect("it is a request")
}

/// A request for a call.
pub(crate) fn calling(tool: &str, input: &str) -> Request<Body> {
    post("/tools/call", format!(r#"{{"tool_name":"{tool}","input":{input}}}"#))
}

pub(crate) async fn send(app: &Router, request: Request<Body>) -> Answer {
    let response = app.clone().oneshot(request).await.expect("an app answers");
    let (parts, body) = response.into_parts();
    let body = body.collect().await.expect("it is whole").to_bytes();
    let text = String::from_utf8(body.to_vec()).expect("it is text");
    Answer { status: parts.status.as_u16(), headers: parts.headers, text }
}

fn tool(name: &str, effect: Effect) -> DynamicTool {
    let schema = json!({
        "type": "object",
        "properties": { "a": { "type": "integer" }, "code": { "type": "string" } },
    });
    DynamicTool::new(name, effect).description("Helps to test.").input_schema(schema)
}

fn add(call: &CallScope) -> Result<i64, Failure> {
    let arguments: Value = call.parse()?;
    Ok(arguments["a"].as_i64().unwrap_or_default() + 1)
}

fn fail(call: &CallScope) -> Result<(), Failure> {
    let arguments: Value = call.parse()?;
    let code: ErrorCode =
        arguments["code"].as_str().unwrap_or_default().parse().expect("a code that all share");
    Err(Failure::from_code(code).with_retry_after_ms(1_500))
}

fn panics(_: &CallScope) -> Result<(), Failure> {
    panic!("as it was asked to")
}

/// Takes two steps, and reports before each.
async fn wait(stage: ToolGate, call: CallScope) -> Result<&'static str, Failure> {
    let progress = Progress::from_call(&call)?;
    progress.report(0.5, "first");
    stage.step().await;
    progress.report(None, "second");
    stage.step().await;
    Ok("done")
}

/// A body that is pending for this many polls, as hyper's bodies are at first.
pub(crate) struct PendingBody(pub(crate) u32);

impl hyper::body::Body for PendingBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.0.checked_sub(1) {
            None => Poll::Ready(None),
            Some(left) => {
                self.0 = left;
                Poll::Pending
            }
        }
    }
}

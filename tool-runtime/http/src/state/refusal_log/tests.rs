use std::fmt::{Debug, Write as _};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use tool_runtime_core::trace::conventions as names;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::{DefaultGuard, Interest, set_default};
use tracing::{Event, Metadata, Subscriber};

use super::*;
use crate::auth::API_KEY;
use crate::tests::fixture::{ToolGate, calling, enable_events_per_thread, open, post, send};
use crate::{ApiKey, ApiKeySet, ApiKeys, Auth, HttpConfig, Principal};

const KEY: &str = "a-key-of-at-least-32-characters!";

/// Keeps the refusals that are window, a line each.
#[derive(Debug, Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    /// Listens to this thread until the guard is dropped.
    fn listen() -> (Self, DefaultGuard) {
        enable_events_per_thread();
        let log = Self::default();
        let guard = set_default(log.clone());
        (log, guard)
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().expect("no thread panicked"))
    }
}

impl Subscriber for Log {
    fn register_callsite(&self, _: &'static Metadata<'static>) -> Interest {
        Interest::sometimes()
    }

    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == names::REFUSAL_TARGET
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = LogLine(event.metadata().level().to_string());
        event.record(&mut line);
        self.0.lock().expect("no thread panicked").push(line.0);
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

struct LogLine(String);

impl Visit for LogLine {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _ = write!(self.0, " {field}={value:?}");
    }
}

/// Serves one caller with a key, who may call `add` for the tenant `yantian`.
fn keyed() -> HttpConfig {
    let key = ApiKey::new(KEY).expect("it is long enough");
    let yantian = tool_contracts::server::Tenant::parse("yantian").expect("a tenant").id();
    let caller = Principal::new("orchestrator")
        .for_tenants([yantian])
        .with_scopes("tools:add".parse().expect("a scope"));
    let keys = ApiKeySet::new().with(key.hash(), caller).expect("there is one key");
    HttpConfig::new(Auth::new().api_keys(&ApiKeys::new(keys)))
}

fn from_peer(mut request: Request<Body>) -> Request<Body> {
    let peer: SocketAddr = "192.0.2.1:4711".parse().expect("an address");
    request.extensions_mut().insert(ConnectInfo(peer));
    request
}

fn with_key(mut request: Request<Body>, key: &str) -> Request<Body> {
    request.headers_mut().insert(API_KEY, key.parse().expect("a value"));
    request
}

async fn window(log: &Log, app: &Router, request: Request<Body>) -> Vec<String> {
    send(app, from_peer(request)).await;
    log.take()
}

#[tokio::test]
async fn a_request_that_is_kept_out_is_logged() {
    let (log, _guard) = Log::listen();
    let app = Router::new().nest("/api", ToolGate::new().app(keyed().max_body_bytes(100)));
    let to = |path: &str, body: &str| {
        let mut request = post("/", body.to_owned());
        *request.uri_mut() = path.parse().expect("a path");
        request
    };
    let add = || to("/api/tools/call", r#"{"tool_name":"add"}"#);
    let [event] = &window(&log, &app, with_key(add(), "hunter2")).await[..] else {
        panic!("it is one event")
    };
    assert_eq!(
        event,
        "WARN event=\"request_refused\" status=401 error_code=\"UNAUTHORIZED\" peer=192.0.2.1:4711 \
         route=\"/api/tools/call\" trace_id=\"trace-1\""
    );
    let mut other = with_key(add(), KEY);
    other.headers_mut().insert("x-tenant-id", "tianshui".parse().expect("a value"));
    let fail = to("/api/tools/call", r#"{"tool_name":"fail"}"#);
    let large = to("/api/tools/call", &" ".repeat(101));
    for (request, status, code, reason) in [
        (other, 403, "FORBIDDEN", ""),
        (with_key(fail, KEY), 403, "FORBIDDEN", "reason=\"scope\" "),
        (with_key(large, KEY), 413, "INVALID_ARGUMENT", ""),
    ] {
        let expected = format!(
            "WARN event=\"request_refused\" status={status} error_code=\"{code}\" {reason}\
             principal=\"key:orchestrator\" peer=192.0.2.1:4711 route=\"/api/tools/call\" \
             trace_id=\"trace-1\""
        );
        assert_eq!(window(&log, &app, request).await, [expected]);
    }
    let decision = with_key(to("/api/approvals/hunter2", "{}"), KEY);
    let [event] = &window(&log, &app, decision).await[..] else { panic!("it is one event") };
    assert!(
        event.contains("principal=\"key:orchestrator\"") && !event.contains("hunter2"),
        "{event}"
    );
    assert!(event.contains("route=\"/api/approvals/{ticket}\""), "{event}");
}

#[tokio::test]
async fn the_name_that_a_request_is_asked_under_is_not_on_the_log() {
    let (log, _guard) = Log::listen();
    let app = ToolGate::new().app(open());
    let mut request = calling("add", "{}");
    request.headers_mut().insert("host", "hunter2.example".parse().expect("a value"));
    let [event] = &window(&log, &app, request).await[..] else { panic!("it is one event") };
    assert!(event.contains("status=421") && event.contains("reason=\"host\""), "{event}");
    assert!(!event.contains("hunter2"), "{event}");
}

#[tokio::test]
async fn a_mistake_of_a_caller_is_not_logged() {
    let (log, _guard) = Log::listen();
    let app = ToolGate::new().app(open());
    for request in [calling("add", "{}"), calling("add", "{"), calling("unknown", "{}")] {
        assert!(window(&log, &app, request).await.is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn strangers_flood_no_log_and_hide_nobody_who_is_known() {
    let (log, _guard) = Log::listen();
    let app = ToolGate::new().app(keyed());
    for _ in 0..MAX_EVENTS + 5 {
        send(&app, calling("add", "{}")).await;
    }
    assert_eq!(log.take().len(), MAX_EVENTS as usize);
    let known = window(&log, &app, with_key(calling("fail", "{}"), KEY)).await;
    assert_eq!(known.len(), 1);
    tokio::time::advance(WINDOW).await;
    let next = window(&log, &app, calling("add", "{}")).await;
    assert!(next.len() == 1 && next[0].ends_with(" suppressed=5"), "{next:?}");
    let next = window(&log, &app, calling("add", "{}")).await;
    assert!(next.len() == 1 && !next[0].contains("suppressed"), "{next:?}");
}

//! The server on a network: limits on slow, many and long connections, and a graceful shutdown.

use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::ConnectInfo;
use axum::http::Request;
use axum::routing::{get, post};
use futures::Stream;
use http_body_util::BodyExt;
use tokio::net::TcpStream;
use tokio::sync::{Notify, oneshot};
use tool_runtime::http::{self, Drain, Server, ServerLimits};
use tool_runtime::prelude::*;

use super::open;
use super::wire::{PATIENCE, Running, TINY, Wire, patient, soon};

/// An app that greets.
fn greeting() -> Router {
    Router::new().route("/", get(|| async { "hello" }))
}

fn limits(change: impl FnOnce(&mut ServerLimits)) -> ServerLimits {
    let mut limits = patient();
    change(&mut limits);
    limits
}

/// An app with a path that answers on a signal, and signals each request.
fn waiting() -> (Router, Arc<Notify>, Arc<Notify>) {
    let (asked, release) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (ask, go) = (asked.clone(), release.clone());
    let wait = get(move || async move {
        ask.notify_one();
        go.notified().await;
        "waited"
    });
    (greeting().route("/wait", wait), asked, release)
}

#[tokio::test]
async fn answers_stay_on_one_connection_until_it_is_quiet() {
    let server = Running::start(greeting(), limits(|it| it.idle_timeout = TINY * 5)).await;
    let mut wire = server.connect().await;
    for _ in 0..3 {
        assert_eq!(wire.get("/").await.body, "hello");
    }
    assert_eq!(wire.closed().await, 0);
}

#[tokio::test]
async fn a_handler_knows_who_asks() {
    let who =
        get(|ConnectInfo(peer): ConnectInfo<std::net::SocketAddr>| async move { peer.to_string() });
    let server = Running::start(Router::new().route("/", who), patient()).await;
    let stream = TcpStream::connect(server.address).await.unwrap();
    let address = stream.local_addr().unwrap();
    assert_eq!(Wire::new(stream).get("/").await.body, address.to_string());
}

#[tokio::test]
async fn a_peer_that_says_nothing_is_let_go() {
    let server = Running::start(greeting(), limits(|it| it.header_timeout = TINY)).await;
    assert_eq!(server.connect().await.closed().await, 0);
}

#[tokio::test]
async fn a_request_that_trickles_in_is_cut_off() {
    let server = Running::start(greeting(), limits(|it| it.header_timeout = TINY * 5)).await;
    let mut wire = server.connect().await;
    wire.write("GET / HTTP/1.1\r\nhost: lo").await;
    assert_eq!(wire.closed().await, 0);
    // A later request has no more time than the first: an earlier answer does not extend it.
    let mut wire = server.connect().await;
    assert_eq!(wire.get("/").await.status, 200);
    wire.write("GET / HT").await;
    assert_eq!(wire.closed().await, 0);
}

#[tokio::test]
async fn a_body_that_trickles_in_is_given_up() {
    let app = Router::new().route("/", post(|body: Bytes| async move { body }));
    let server = Running::start(app, limits(|it| it.request_body_timeout = TINY)).await;
    let mut wire = server.connect().await;
    wire.write("POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10\r\n\r\nhal").await;
    let answer = wire.hear().await;
    assert!((400..500).contains(&answer.status), "{answer:?}");
    assert_eq!(wire.closed().await, 0, "what follows of the body would be taken for a request");
    assert_eq!(server.connect().await.post("/", "", "whole").await.body, "whole");
}

/// An endless body that signals when it is dropped.
struct Endless(#[allow(dead_code, reason = "it is heard when it is dropped")] oneshot::Sender<()>);

static ZEROS: [u8; 64 * 1024] = [0; 64 * 1024];

impl Stream for Endless {
    type Item = Result<Bytes, std::io::Error>;

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(Some(Ok(Bytes::from_static(&ZEROS))))
    }
}

#[tokio::test]
async fn a_peer_that_takes_nothing_is_cut_off() {
    let (dropped, given_up) = oneshot::channel();
    let dropped = Arc::new(Mutex::new(Some(dropped)));
    let endless = get(move || async move {
        let dropped = dropped.lock().unwrap().take().unwrap();
        Body::from_stream(Endless(dropped))
    });
    let app = Router::new().route("/", endless);
    let server = Running::start(app, limits(|it| it.write_timeout = TINY)).await;
    let mut wire = server.connect().await;
    wire.write("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
    assert!(soon(given_up).await.is_err(), "the body is dropped, not told anything");
    wire.closed().await;
}

#[tokio::test]
async fn above_the_limit_connections_wait_and_none_fails() {
    let peers = Arc::new(Mutex::new(std::collections::BTreeSet::new()));
    let seen = peers.clone();
    let note = get(move |ConnectInfo(peer): ConnectInfo<std::net::SocketAddr>| async move {
        seen.lock().unwrap().insert(peer);
        "noted"
    });
    let app = Router::new().route("/", note);
    let server = Running::start(app, limits(|it| it.connections = 1)).await;
    let mut first = server.connect().await;
    assert_eq!(first.get("/").await.status, 200);
    let mut second = server.connect().await;
    second.write("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
    for _ in 0..100 {
        assert_eq!(first.get("/").await.status, 200);
    }
    assert!(second.is_silent() && peers.lock().unwrap().len() == 1, "it was let in");
    drop(first);
    assert_eq!(second.hear().await.body, "noted");
}

#[tokio::test]
async fn a_flood_of_headers_is_answered_431() {
    let server = Running::start(greeting(), patient()).await;
    let many = |count: usize| "x-one: 1\r\n".repeat(count);
    let large = |bytes: usize| format!("x-large: {}\r\n", "x".repeat(bytes));
    let get = async |headers: String| {
        let mut wire = server.connect().await;
        wire.write(&format!("GET / HTTP/1.1\r\nhost: localhost\r\n{headers}\r\n")).await;
        wire.hear().await
    };
    assert_eq!(get(many(60) + &large(8 * 1024)).await.status, 200);
    for headers in [many(64), large(16 * 1024)] {
        let answer = get(headers).await;
        assert_eq!(answer.status, 431);
        let body: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!(
            (&body["success"], &body["error_type"]),
            (&false.into(), &"INVALID_ARGUMENT".into())
        );
    }
    // hyper sends these answers before the request reaches the router.
    for headers in [many(200), large(128 * 1024)] {
        assert_eq!(get(headers).await.status, 431);
    }
}

#[tokio::test]
async fn a_request_names_one_host_as_http_1_1_has_it() {
    let server = Running::start(greeting(), patient()).await;
    let status = async |head: &str| {
        let mut wire = server.connect().await;
        wire.write(&format!("{head}\r\n")).await;
        wire.hear().await.status
    };
    assert_eq!(status("GET / HTTP/1.1\r\nhost: a.example\r\n").await, 200);
    assert_eq!(status("GET / HTTP/1.1\r\n").await, 400);
    assert_eq!(status("GET / HTTP/1.1\r\nhost: a.example\r\nhost: a.example\r\n").await, 400);
    assert_eq!(status("GET / HTTP/1.0\r\n").await, 200);
}

#[tokio::test]
async fn a_body_of_malformed_chunks_is_refused_with_the_chunk_format() {
    let runtime = Runtime::builder().build().unwrap();
    let server = Running::start(http::router(runtime, open()), patient()).await;
    let mut wire = server.connect().await;
    wire.write(
        "POST /tools/call HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         transfer-encoding: chunked\r\n\r\n2\r\n{}\r\nnone\r\n",
    )
    .await;
    let answer = wire.hear().await;
    assert_eq!(answer.status, 400, "{answer:?}");
    assert!(answer.body.contains("the body ended early; in chunked encoding"), "{answer:?}");
    assert!(!answer.body.contains("content-length"), "{answer:?}");
}

#[tokio::test]
async fn a_connection_of_age_ends_after_what_runs_on_it() {
    let (app, asked, release) = waiting();
    let server = Running::start(app, limits(|it| it.max_connection_age = TINY * 5)).await;
    let mut client = server.connect().await.http2().await;
    let request =
        |path: &str| Request::get(format!("http://here{path}")).body(Body::empty()).unwrap();
    let answer = client.send_request(request("/wait"));
    soon(asked.notified()).await;
    // Until the server announces that it accepts no more.
    soon(async { while client.send_request(request("/")).await.is_ok() {} }).await;
    release.notify_one();
    let body = soon(answer).await.unwrap().into_body();
    assert_eq!(body.collect().await.unwrap().to_bytes(), "waited");
}

async fn panics() {
    panic!("of the host's")
}

#[tokio::test]
async fn a_handler_that_panics_is_answered_for() {
    let app = greeting().route("/panic", get(panics));
    let server = Running::start(app, patient()).await;
    let mut wire = server.connect().await;
    let answer = wire.get("/panic").await;
    assert_eq!(answer.status, 500);
    assert!(!answer.body.contains("of the host's"), "{answer:?}");
    assert_eq!(wire.get("/").await.body, "hello", "the connection goes on");
}

#[tokio::test]
async fn the_end_waits_for_what_runs_and_takes_nothing_new() {
    let (app, asked, release) = waiting();
    let mut server = Running::start(app, patient()).await;
    let (mut running, mut idle) = (server.connect().await, server.connect().await);
    assert_eq!(idle.get("/").await.body, "hello");
    running.write("GET /wait HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
    soon(asked.notified()).await;

    server.stop();
    server.refuses().await;
    assert!(server.drain.has_begun());
    assert_eq!(idle.closed().await, 0);
    assert!(running.is_silent());
    release.notify_one();
    let answer = running.hear().await;
    assert_eq!((answer.status, &*answer.body), (200, "waited"));
    assert!(answer.head.contains("connection: close"), "{}", answer.head);

    let ended = server.ended().await;
    assert_eq!((ended.cancelled, ended.aborted_connections), (0, 0));
    assert!(ended.connections >= 2, "{ended:?}");
}

#[tokio::test]
async fn the_end_waits_for_what_has_no_connection() {
    let mut server = Running::start(greeting(), patient()).await;
    let running = server.drain.track();
    server.stop();
    server.refuses().await;
    assert_eq!(server.drain.count(), 1);
    drop(running);
    assert_eq!(server.ended().await.cancelled, 0);
}

#[tokio::test]
async fn a_connection_that_outlives_the_shutdown_is_closed_and_counted() {
    let (app, asked, _never) = waiting();
    let mut server =
        Running::start(app, limits(|it| (it.shutdown_timeout, it.cancel_timeout) = (TINY, TINY)))
            .await;
    let mut wire = server.connect().await;
    wire.write("GET /wait HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
    soon(asked.notified()).await;
    server.stop();
    assert_eq!(wire.closed().await, 0);
    assert_eq!(server.ended().await.aborted_connections, 1);
}

#[tokio::test]
async fn connections_are_taken_for_as_long_as_there_is_notice() {
    let mut server = Running::start(greeting(), limits(|it| it.drain_delay = PATIENCE)).await;
    server.stop();
    soon(async {
        while !server.drain.has_begun() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert_eq!(server.connect().await.get("/").await.body, "hello");
}

#[tokio::test]
async fn an_address_that_is_taken_is_named_with_a_cure() {
    let server = Running::start(greeting(), patient()).await;
    let address = server.address.to_string();
    let again = Server::new(greeting(), Drain::default()).bind(&*address).await;
    let text = again.unwrap_err().to_string();
    assert!(text.contains(&address) && text.contains("in use by another process"), "{text}");
}

static STARTED: Notify = Notify::const_new();
static DROPPED: AtomicUsize = AtomicUsize::new(0);

/// Waits for what never comes.
#[ai_tool(effect = "read", timeout = "1h")]
async fn wait_forever() -> bool {
    struct Counted;
    impl Drop for Counted {
        fn drop(&mut self) {
            DROPPED.fetch_add(1, Ordering::SeqCst);
        }
    }
    let _counted = Counted;
    STARTED.notify_one();
    std::future::pending().await
}

#[tokio::test]
async fn a_call_beyond_the_grace_is_cancelled_and_answered() {
    let runtime = Runtime::builder().tool::<WaitForeverTool>().build().unwrap();
    let config = super::open();
    let drain = config.drain();
    let app = tool_runtime::http::router(runtime, config);
    let limits = limits(|it| it.shutdown_timeout = TINY);
    let mut server = Running::of(Server::new(app, drain.clone()).limits(limits), drain).await;
    let mut wire = server.connect().await;
    let call = call_text("wait_forever");
    wire.write(&call).await;
    soon(STARTED.notified()).await;
    server.stop();

    let answer = wire.hear().await;
    assert_eq!(answer.status, 503, "{answer:?}");
    assert!(answer.head.contains("retry-after"), "{}", answer.head);
    let body: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(body["error_type"], "CANCELLED");
    assert_eq!(DROPPED.load(Ordering::SeqCst), 1, "the tool was let go");
    let ended = server.ended().await;
    assert_eq!((ended.cancelled, ended.aborted_connections), (1, 0));
}

/// Returns the bytes of a client's call.
pub(super) fn call_text(tool: &str) -> String {
    let body = format!(r#"{{"tool_name":"{tool}"}}"#);
    format!(
        "POST /tools/call HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         x-tenant-id: yantian\r\nx-site-id: main\r\nx-trace-id: trace-1\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len(),
    )
}

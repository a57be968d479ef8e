//! Exports to a collector on this machine, which keeps what it receives.
#![allow(clippy::unwrap_used, reason = "a test fails by it")]

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::routing::post;
use otlp_example::Telemetry;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tool_runtime::http::{self, Auth, HttpConfig, Principal, Server};

/// The requests that a collector has received.
#[derive(Debug, Clone, Default)]
struct Received {
    spans: Arc<Mutex<Vec<Bytes>>>,
    metrics: Arc<Mutex<Vec<Bytes>>>,
}

impl Received {
    /// Listens as a collector on a free port; returns its URL.
    async fn listen(&self) -> String {
        let keep = |list: fn(&Received) -> &Mutex<Vec<Bytes>>| {
            post(async move |State(received): State<Received>, body: Bytes| {
                list(&received).lock().unwrap().push(body);
            })
        };
        let app = Router::new()
            .route("/v1/traces", keep(|received| &received.spans))
            .route("/v1/metrics", keep(|received| &received.metrics))
            .with_state(self.clone());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async { axum::serve(listener, app).await });
        format!("http://{address}")
    }
}

/// Returns how often a text stands in the messages; protobuf writes texts as they are.
fn count(messages: &Mutex<Vec<Bytes>>, text: &str) -> usize {
    let messages = messages.lock().unwrap();
    let windows = messages.iter().flat_map(|message| message.windows(text.len()));
    windows.filter(|window| *window == text.as_bytes()).count()
}

/// Calls the tool over the network; returns the answer.
async fn call(address: std::net::SocketAddr) -> String {
    let body = r#"{"tool_name":"add","input":{"a":2,"b":40}}"#;
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!(
        "POST /tools/call HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_collector_receives_the_spans_and_metrics_of_tools_and_their_server() {
    let received = Received::default();
    let telemetry = Arc::new(Telemetry::start(&received.listen().await).unwrap());
    tracing::subscriber::set_global_default(telemetry.subscriber()).unwrap();

    let auth = Auth::unauthenticated_as(Principal::trusted("test"));
    let config = HttpConfig::new(auth).without_tenants();
    let drain = config.drain();
    let app = http::router(telemetry.runtime().unwrap(), config);
    let bound = Server::new(app, drain).bind("127.0.0.1:0").await.unwrap();
    let address = bound.local_addr();
    let server = tokio::spawn(bound.run(std::future::pending()));
    for _ in 0..3 {
        assert!(call(address).await.contains(r#""output":42"#));
    }
    // While the server is there, since the meter reads its connections when it exports.
    let flushed = telemetry.clone();
    tokio::task::spawn_blocking(move || flushed.shut_down()).await.unwrap().unwrap();
    server.abort();

    assert_eq!(count(&received.spans, "execute_tool add"), 3, "one span for each call");
    for metric in [
        "gen_ai.execute_tool.duration",
        "tool_runtime.calls",
        "http.server.request.duration",
        "tool_runtime.server.connections_accepted",
    ] {
        assert!(count(&received.metrics, metric) >= 1, "{metric}");
    }
    assert!(count(&received.metrics, "/tools/call") >= 1, "the route is an attribute");
}

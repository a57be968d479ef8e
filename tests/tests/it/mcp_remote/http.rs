//! A server on the network, over streamable HTTP: both eras, credentials, and what the log has.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse as _, Response};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tool_runtime::mcp::{Remote, RemoteErrorKind, RemoteEvent, RemoteProtocol};

use super::server::{TestServer, adder, tool};
use super::{ERAS, Events, answer, names, runtime};
use crate::support::{Paper, subscribe};

const TOKEN: &str = "hunter2-token";
const HEADER: &str = "hunter2-header";

/// Serves on a port of its own, to requests with the credentials.
async fn serve(server: &TestServer) -> (String, tokio::task::JoinHandle<()>) {
    let (server, sessions) = (server.clone(), Arc::new(LocalSessionManager::default()));
    let config = StreamableHttpServerConfig::default();
    let service = StreamableHttpService::new(move || Ok(server.clone()), sessions, config);
    let router = Router::new().nest_service("/mcp", service).layer(from_fn(check));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address: SocketAddr = listener.local_addr().unwrap();
    let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    (format!("http://{address}/mcp"), task)
}

async fn check(request: Request, next: Next) -> Response {
    if !has_credentials(&request) {
        let challenge = [("www-authenticate", "Bearer")];
        return (StatusCode::UNAUTHORIZED, challenge).into_response();
    }
    next.run(request).await
}

fn has_credentials(request: &Request) -> bool {
    let header = |name: &str| request.headers().get(name).and_then(|it| it.to_str().ok());
    let bearer = format!("Bearer {TOKEN}");
    header("authorization") == Some(&*bearer) && header("x-key") == Some(HEADER)
}

fn remote(url: &str) -> tool_runtime::mcp::RemoteBuilder {
    Remote::http(url).bearer_token(TOKEN).header("X-Key", HEADER).prefix("far")
}

#[tokio::test]
async fn a_server_on_the_network_is_called_and_its_changes_are_heard_in_both_eras() {
    for protocol in ERAS {
        let (events, runtime) = (Events::default(), runtime());
        let server = TestServer::new([tool("echo"), adder()]);
        let (url, _task) = serve(&server).await;
        let builder = events.of(remote(&url).protocol(protocol));
        let remote = builder.connect(&runtime).await.unwrap();
        assert_eq!(answer(&runtime, "far.add", r#"{"count":2}"#).await["data"]["sum"], 3);
        // The announcements of this era come on a stream that is opened after the handshake.
        loop {
            server.change(|tools| tools[0]["title"] = "Other".into()).await;
            let disabled = events.disabled("echo");
            let waited = tokio::time::timeout(Duration::from_millis(200), disabled);
            if waited.await.is_ok() {
                break;
            }
        }
        assert_eq!(names(&runtime), ["far.add"]);
        remote.close().await;
    }
}

#[tokio::test]
async fn a_call_over_the_network_is_cancelled_on_the_server() {
    for protocol in ERAS {
        let server = TestServer::new([tool("slow")]);
        let (url, _task) = serve(&server).await;
        let runtime = runtime();
        let builder = remote(&url).protocol(protocol);
        let builder = builder.call_timeout(Duration::from_millis(100));
        let _remote = builder.connect(&runtime).await.unwrap();
        assert_eq!(answer(&runtime, "far.slow", "{}").await["error"]["code"], "TIMEOUT");
        server.cancelled().await;
    }
}

#[tokio::test]
async fn wrong_credentials_are_an_error_of_their_own_without_a_second_attempt() {
    let (url, _task) = serve(&TestServer::new([])).await;
    let runtime = runtime();
    let builder = Remote::http(&url).bearer_token("wrong-hunter2").prefix("far");
    let error = builder.connect(&runtime).await.unwrap_err();
    assert_eq!(error.kind(), RemoteErrorKind::Unauthorized, "{error}");
    assert!(!error.to_string().contains("hunter2"), "{error}");
}

#[tokio::test]
async fn a_server_on_the_network_has_no_settings_of_a_program() {
    let url = "http://127.0.0.1:9/mcp";
    for (builder, name) in [
        (remote(url).exit_timeout(Duration::from_secs(20)), "exit_timeout"),
        (remote(url).env("A", "b"), "env"),
        (remote(url).current_dir("/"), "current_dir"),
    ] {
        let error = builder.connect(&runtime()).await.unwrap_err();
        assert_eq!(error.kind(), RemoteErrorKind::Setting);
        let expected = format!("`far`: `.{name}(…)` does not fit this kind of server");
        assert_eq!(error.to_string(), expected);
    }
}

#[tokio::test]
async fn a_server_that_does_not_listen_cannot_be_reached() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let url = format!("http://{address}/mcp?key=hunter2");
    drop(listener);
    let error = remote(&url).connect(&runtime()).await.unwrap_err();
    assert_eq!(error.kind(), RemoteErrorKind::Connection);
    let text = error.to_string();
    let expected = format!("`far`: the server at {address} cannot be reached: ");
    assert!(text.starts_with(&expected) && text.to_lowercase().contains("refused"), "{text}");
    assert!(!text.contains("hunter2") && !text.contains("/mcp"), "{text}");
    assert_eq!(error.server(), Some("far"));
}

#[tokio::test]
async fn a_server_that_is_restarted_is_found_again() {
    let (events, runtime) = (Events::default(), runtime());
    let server = TestServer::new([tool("echo")]);
    let (url, task) = serve(&server).await;
    let short = Duration::from_millis(20);
    let builder = events.of(remote(&url).protocol(RemoteProtocol::Stateless));
    let _remote = builder.reconnect_delays(short, short).connect(&runtime).await.unwrap();
    events.wait(|event| matches!(event, RemoteEvent::Connected(_))).await;
    task.abort();
    let _ = task.await;
    let failed = answer(&runtime, "far.echo", "{}").await["error"].clone();
    assert!(["UNAVAILABLE", "UPSTREAM_ERROR"].contains(&failed["code"].as_str().unwrap()));
    events.wait(|event| matches!(event, RemoteEvent::Disconnected { .. })).await;

    let address = url.trim_start_matches("http://").trim_end_matches("/mcp").to_owned();
    let listener = tokio::net::TcpListener::bind(address).await.unwrap();
    let (again, sessions) = (server.clone(), Arc::new(LocalSessionManager::default()));
    let config = StreamableHttpServerConfig::default();
    let service = StreamableHttpService::new(move || Ok(again.clone()), sessions, config);
    let router = Router::new().nest_service("/mcp", service);
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    events.wait(|event| matches!(event, RemoteEvent::Connected(_))).await;
    assert_eq!(answer(&runtime, "far.echo", "{}").await["data"], "nothing");
}

/// Everything runs on one thread, whose subscriber keeps every event.
#[tokio::test]
async fn credentials_are_in_no_log_at_any_level() {
    let paper = Paper::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(paper.clone())
        .finish();
    let guard = subscribe(subscriber);
    for protocol in ERAS {
        let server = TestServer::new([tool("echo")]);
        let (url, _task) = serve(&server).await;
        let runtime = runtime();
        let remote = remote(&url).protocol(protocol).connect(&runtime).await.unwrap();
        assert_eq!(answer(&runtime, "far.echo", "{}").await["data"], "nothing");
        remote.close().await;
    }
    drop(guard);
    let log = paper.text();
    assert!(log.contains("remote MCP server event"), "the log was kept");
    for secret in [TOKEN, HEADER] {
        let line = log.lines().find(|line| line.contains(secret));
        assert_eq!(line, None);
    }
}

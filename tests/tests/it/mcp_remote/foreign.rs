//! Servers that others have written. `tests/mcp/run` installs them and runs these tests.

use std::env;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tool_runtime::mcp::{Remote, RemoteBuilder, RemoteEvent, RemoteProtocol, RemoteToolState};
use tool_runtime::prelude::*;

use super::{Events, LockFile, answer, cx, envelope, names, runtime, state};

/// A path that `tests/mcp/run` gives.
fn given(variable: &str) -> PathBuf {
    env::var_os(variable).expect("tests/mcp/run runs this test").into()
}

fn source(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("mcp").join(name)
}

fn node() -> PathBuf {
    given("MCP_NODE")
}

/// The official server, with a tool more that changes `echo`.
fn everything() -> RemoteBuilder {
    let arguments = [source("remote-everything.mjs"), given("MCP_NODE_PACKAGES")];
    Remote::command(node(), arguments).prefix("far")
}

fn fastmcp() -> RemoteBuilder {
    let arguments = [source("remote-fastmcp.py"), "stdio".into()];
    Remote::command(given("MCP_PYTHON"), arguments).prefix("far")
}

/// A server that listens on a port, which ends with the test.
struct Listening(Child, String);

impl Listening {
    fn start(mut command: Command, port: u16) -> Self {
        command.stdout(Stdio::null()).stderr(Stdio::null());
        Self(command.spawn().unwrap(), format!("http://127.0.0.1:{port}/mcp"))
    }

    /// Connects as soon as the server listens.
    async fn connect(&self, protocol: RemoteProtocol, runtime: &Runtime) -> (Remote, Events) {
        let (events, pause) = (Events::default(), Duration::from_millis(100));
        let builder = Remote::http(&*self.1).prefix("far").protocol(protocol);
        let builder = events.of(builder.reconnect_delays(pause, pause));
        let remote = builder.start(runtime).unwrap();
        events.wait(|event| matches!(event, RemoteEvent::Connected(_))).await;
        (remote, events)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

#[tokio::test]
#[ignore = "needs server-everything: run tests/mcp/run"]
async fn everything_is_called_with_each_kind_of_content() {
    let runtime = runtime();
    let remote = everything().connect(&runtime).await.unwrap();
    eprintln!("server: {}", remote.status().server.as_ref().unwrap());
    let refused: Vec<_> = remote.status().tools.iter().map(ToString::to_string).collect();
    assert!(
        remote.status().tools.iter().all(|it| it.state == RemoteToolState::Available),
        "{refused:?}"
    );
    assert!(names(&runtime).len() >= 10, "{:?}", names(&runtime));

    let echoed = answer(&runtime, "far.echo", r#"{"message":"tea"}"#).await;
    assert_eq!(echoed["data"], "Echo: tea");
    let sum = answer(&runtime, "far.get-sum", r#"{"a":2,"b":3}"#).await;
    assert!(sum["data"].as_str().unwrap().contains('5'), "{sum}");
    let bad = answer(&runtime, "far.get-sum", r#"{"a":"x","c":3}"#).await;
    assert_eq!(bad["error"]["code"], "INVALID_ARGUMENT");
    let structured =
        answer(&runtime, "far.get-structured-content", r#"{"location":"Chicago"}"#).await;
    assert!(structured["data"]["temperature"].is_number(), "{structured}");

    let mut call = runtime.call("far.get-tiny-image", "{}", &cx());
    let output = call.execute().await;
    let image = &output.attachments()[0];
    assert_eq!(image.media_type(), "image/png");
    assert!(image.as_bytes().unwrap().starts_with(b"\x89PNG"));
    let links = runtime.call("far.get-resource-links", r#"{"count":2}"#, &cx());
    let links = envelope(links_output(links).await.as_ref());
    assert_eq!(links["meta"]["attachments"].as_array().map(Vec::len), Some(2), "{links}");
    let file =
        answer(&runtime, "far.get-resource-reference", r#"{"resourceType":"Text","resourceId":1}"#)
            .await;
    assert_eq!(file["meta"]["attachments"][0]["media_type"], "text/plain", "{file}");
}

async fn links_output(mut call: tool_runtime::ToolCall) -> Box<ToolOutput> {
    Box::new(call.execute().await.clone())
}

#[tokio::test]
#[ignore = "needs server-everything: run tests/mcp/run"]
async fn everything_reports_its_progress_and_is_cancelled() {
    let runtime = runtime();
    let _remote = everything().connect(&runtime).await.unwrap();
    let steps = Arc::new(Mutex::new(Vec::new()));
    let seen = steps.clone();
    let arguments = r#"{"duration":1,"steps":4}"#;
    let mut call = runtime.call("far.trigger-long-running-operation", arguments, &cx());
    call.on_progress(move |update| seen.lock().unwrap().push(update.fraction));
    assert_eq!(call.execute().await.error(), None);
    assert!(steps.lock().unwrap().contains(&Some(0.5)), "{steps:?}");

    let long = r#"{"duration":60,"steps":2}"#;
    let late = ToolContext::builder(Uuid::nil(), "t").run_id("r").timeouts_ms(200).build().unwrap();
    let mut call = runtime.call("far.trigger-long-running-operation", long, &late);
    assert_eq!(envelope(call.execute().await)["error"]["code"], "TIMEOUT");
    assert_eq!(answer(&runtime, "far.echo", r#"{"message":"a"}"#).await["data"], "Echo: a");
}

#[tokio::test]
#[ignore = "needs server-everything: run tests/mcp/run"]
async fn everything_changes_a_tool_while_it_is_connected() {
    let (events, lock, runtime) = (Events::default(), LockFile::new(), runtime());
    let builder = events.of(everything().lock(&lock.0));
    changes(builder, &events, &runtime, "echo", r#"{"message":"tea"}"#, "Echo: tea").await;
}

#[tokio::test]
#[ignore = "needs server-everything: run tests/mcp/run"]
async fn everything_is_used_as_published_on_both_transports() {
    let runtime = runtime();
    let published =
        given("MCP_NODE_PACKAGES").join("@modelcontextprotocol/server-everything/dist/index.js");
    let builder = Remote::command(node(), [published.clone()]).prefix("far");
    let remote = builder.connect(&runtime).await.unwrap();
    assert_eq!(answer(&runtime, "far.echo", r#"{"message":"a"}"#).await["data"], "Echo: a");
    remote.close().await;

    let port = free_port();
    let mut command = Command::new(node());
    command.arg(published).arg("streamableHttp").env("PORT", port.to_string());
    let server = Listening::start(command, port);
    let (remote, _) = server.connect(RemoteProtocol::Automatic, &runtime).await;
    eprintln!("server: {}", remote.status().server.as_ref().unwrap());
    assert_eq!(answer(&runtime, "far.echo", r#"{"message":"b"}"#).await["data"], "Echo: b");
    remote.close().await;
}

#[tokio::test]
#[ignore = "needs FastMCP: run tests/mcp/run"]
async fn fastmcp_is_called_in_each_era_with_each_kind_of_answer() {
    for protocol in [RemoteProtocol::Automatic, RemoteProtocol::Stateless, RemoteProtocol::Session]
    {
        let runtime = runtime();
        let remote = fastmcp().protocol(protocol).connect(&runtime).await.unwrap();
        eprintln!("server: {protocol:?}: {}", remote.status().server.as_ref().unwrap());
        check_fastmcp(&runtime).await;
        remote.close().await;
    }
}

async fn check_fastmcp(runtime: &Runtime) {
    let greeted = answer(runtime, "far.greet", r#"{"name":"Ann"}"#).await;
    assert_eq!(greeted["data"], json!({"result": "Hello, Ann!"}), "{greeted}");
    assert_eq!(greeted["meta"].get("attachments"), None, "{greeted}");
    let total = answer(runtime, "far.total", r#"{"numbers":[1,2]}"#).await;
    assert_eq!(total["data"], json!({"total": 3}));
    let failed = answer(runtime, "far.broken", "{}").await;
    assert_eq!(failed["error"]["code"], "UPSTREAM_ERROR");
    assert!(failed["error"]["message"].as_str().unwrap().contains("no tea left"), "{failed}");
    let bad = answer(runtime, "far.greet", r#"{"nam":"Ann"}"#).await;
    assert_eq!(bad["error"]["details"]["violations"].as_array().map(Vec::len), Some(2));
    let mut call = runtime.call("far.picture", "{}", &cx());
    assert_eq!(call.execute().await.attachments()[0].media_type(), "image/png");
    let fractions = Arc::new(Mutex::new(Vec::new()));
    let seen = fractions.clone();
    let mut call = runtime.call("far.steps", "{}", &cx());
    call.on_progress(move |update| seen.lock().unwrap().push(update.fraction));
    let done: Value = call.execute().await.data().unwrap();
    assert_eq!(done, json!({"result": "done"}));
    assert_eq!(*fractions.lock().unwrap(), [Some(0.5)]);
}

#[tokio::test]
#[ignore = "needs FastMCP: run tests/mcp/run"]
async fn fastmcp_changes_a_tool_while_it_is_connected() {
    for protocol in [RemoteProtocol::Stateless, RemoteProtocol::Session] {
        let (events, lock, runtime) = (Events::default(), LockFile::new(), runtime());
        let builder = events.of(fastmcp().protocol(protocol).lock(&lock.0));
        let after = json!({"result": "Good day, Ann!"});
        changes(builder, &events, &runtime, "greet", r#"{"name":"Ann"}"#, after).await;
    }
}

#[tokio::test]
#[ignore = "needs FastMCP: run tests/mcp/run"]
async fn fastmcp_is_called_over_http_in_each_era() {
    let port = free_port();
    let mut command = Command::new(given("MCP_PYTHON"));
    command.arg(source("remote-fastmcp.py")).arg("http").arg(port.to_string());
    let server = Listening::start(command, port);
    for protocol in [RemoteProtocol::Stateless, RemoteProtocol::Session] {
        let runtime = runtime();
        let (remote, _) = server.connect(protocol, &runtime).await;
        eprintln!("server: {protocol:?}: {}", remote.status().server.as_ref().unwrap());
        check_fastmcp(&runtime).await;
        remote.close().await;
    }
}

/// Lets a server change a tool by its own tool `change`, and accepts the change.
async fn changes(
    builder: RemoteBuilder,
    events: &Events,
    runtime: &Runtime,
    name: &str,
    arguments: &str,
    after: impl Into<Value>,
) {
    let remote = builder.connect(runtime).await.unwrap();
    let registered = format!("far.{name}");
    assert!(answer(runtime, &registered, arguments).await.get("data").is_some());
    let changed = answer(runtime, "far.change", "{}").await;
    assert!(changed["data"].to_string().contains("changed"), "{changed}");
    let RemoteEvent::Disabled { tool } = events.disabled(name).await else { unreachable!() };
    assert_eq!(tool.differences[0].pointer(), "/description", "{tool}");
    assert_eq!(state(&remote, name), RemoteToolState::Changed);
    assert_eq!(answer(runtime, &registered, arguments).await["error"]["code"], "FORBIDDEN");
    remote.accept(name).await.unwrap();
    assert_eq!(answer(runtime, &registered, arguments).await["data"], after.into());
    remote.close().await;
}

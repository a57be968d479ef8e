//! The tools over the Model Context Protocol, as its clients of both families of revisions see them.

mod approvals;
mod bounds;
mod callers;
mod calls;
mod ends;
pub(crate) mod http;
mod input;
mod lines;
mod listing;
mod outputs;
mod sessions;
mod shop;
mod tasks;

use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};
use tokio::task::JoinHandle;
use tool_runtime::mcp::{Stdio, StdioError};

/// The revision without sessions.
pub(crate) const STATELESS: &str = "2026-07-28";

/// The newest revision with sessions.
pub(crate) const WITH_SESSIONS: &str = "2025-11-25";

/// A client on streams, whose messages a test writes and reads itself.
pub(crate) struct Client {
    input: WriteHalf<DuplexStream>,
    output: Lines<BufReader<ReadHalf<DuplexStream>>>,
    server: JoinHandle<Result<(), StdioError>>,
    revision: &'static str,
    capabilities: Value,
    next_id: u64,
}

impl Client {
    /// Starts a client of the revision without sessions.
    pub(crate) fn stateless(server: Stdio) -> Self {
        Self::of(server, STATELESS, json!({"elicitation": {}}))
    }

    /// Starts a client of a revision, with these capabilities.
    pub(crate) fn of(server: Stdio, revision: &'static str, capabilities: Value) -> Self {
        let (here, there) = tokio::io::duplex(1 << 16);
        let (input, output) = tokio::io::split(there);
        let server = tokio::spawn(server.serve_on(input, output));
        let (output, input) = tokio::io::split(here);
        let output = BufReader::new(output).lines();
        Self { input, output, server, revision, capabilities, next_id: 1 }
    }

    /// Starts a client of a revision with sessions, and opens the session.
    pub(crate) async fn with_session(server: Stdio) -> Self {
        let mut client = Self::of(server, WITH_SESSIONS, json!({"elicitation": {}}));
        let params = json!({
            "protocolVersion": WITH_SESSIONS,
            "capabilities": client.capabilities,
            "clientInfo": {"name": "test", "version": "1"},
        });
        let opened = client.request("initialize", params).await;
        assert_eq!(opened["result"]["protocolVersion"], WITH_SESSIONS, "{opened}");
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        client
    }

    /// Writes a message.
    pub(crate) async fn send(&mut self, message: &Value) {
        self.input.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    /// Writes a line. An error is that of a server that has ended.
    pub(crate) async fn send_line(&mut self, line: &str) {
        let _ = self.input.write_all(format!("{line}\n").as_bytes()).await;
    }

    /// Reads the next message.
    pub(crate) async fn read(&mut self) -> Value {
        let line = self.output.next_line().await.unwrap().expect("the server goes on");
        serde_json::from_str(&line).unwrap()
    }

    /// Sends a request, and returns its id.
    pub(crate) async fn begin(&mut self, method: &str, mut params: Value) -> u64 {
        if self.revision == STATELESS {
            let meta = &mut params["_meta"];
            meta["io.modelcontextprotocol/protocolVersion"] = self.revision.into();
            meta["io.modelcontextprotocol/clientCapabilities"] = self.capabilities.clone();
            meta["io.modelcontextprotocol/clientInfo"] = json!({"name": "test", "version": "1"});
        }
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        id
    }

    /// Sends a request, and returns the next message, which answers it.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params).await;
        let answer = self.read().await;
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Calls a tool, and returns its result.
    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer =
            self.request("tools/call", json!({"name": tool, "arguments": arguments})).await;
        assert!(answer["result"].is_object(), "{answer}");
        answer["result"].clone()
    }

    /// Closes the streams, and waits until the server has ended.
    pub(crate) async fn end(self) {
        drop((self.input, self.output));
        self.server.await.unwrap().unwrap();
    }
}

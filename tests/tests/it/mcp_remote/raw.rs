//! A server of the older era that is written by hand, so that it can send what no library sends.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};
use tokio::sync::{Notify, mpsc, watch};
use tool_runtime::mcp::RemoteBuilder;

/// A server. Clones are the same server.
#[derive(Clone)]
pub(crate) struct RawServer(Arc<State>);

struct State {
    tools: Mutex<Vec<Value>>,
    lists: Mutex<usize>,
    called: Notify,
    /// The number of connections that were ended.
    hung_up: watch::Sender<u32>,
    /// The output of the connection of the moment.
    output: Mutex<Option<mpsc::UnboundedSender<Value>>>,
}

impl RawServer {
    pub(crate) fn new(tools: impl IntoIterator<Item = Value>) -> Self {
        Self(Arc::new(State {
            tools: Mutex::new(tools.into_iter().collect()),
            lists: Mutex::new(0),
            called: Notify::new(),
            hung_up: watch::Sender::new(0),
            output: Mutex::new(None),
        }))
    }

    pub(crate) fn remote(&self) -> RemoteBuilder {
        let server = self.clone();
        super::remote(move || server.accept())
    }

    pub(crate) fn set_tools(&self, tools: impl IntoIterator<Item = Value>) {
        *self.0.tools.lock().unwrap() = tools.into_iter().collect();
    }

    /// Ends the connection.
    pub(crate) fn hang_up(&self) {
        self.0.hung_up.send_modify(|count| *count += 1);
    }

    /// Announces a change of the list.
    pub(crate) fn announce(&self) {
        self.send(json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}));
    }

    pub(crate) async fn called(&self) {
        self.0.called.notified().await;
    }

    pub(crate) fn lists(&self) -> usize {
        *self.0.lists.lock().unwrap()
    }

    pub(crate) fn accept(&self) -> DuplexStream {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (sender, output) = mpsc::unbounded_channel();
        *self.0.output.lock().unwrap() = Some(sender);
        tokio::spawn(self.clone().serve(ours, output));
        theirs
    }

    fn send(&self, message: Value) {
        if let Some(output) = &*self.0.output.lock().unwrap() {
            let _ = output.send(message);
        }
    }

    async fn serve(self, stream: DuplexStream, mut output: mpsc::UnboundedReceiver<Value>) {
        let (reader, mut writer) = tokio::io::split(stream);
        let mut lines = BufReader::new(reader).lines();
        let mut hung_up = self.0.hung_up.subscribe();
        loop {
            tokio::select! {
                _ = hung_up.changed() => return,
                line = lines.next_line() => match line {
                    Ok(Some(line)) => self.answer(&serde_json::from_str(&line).unwrap()),
                    _ => return,
                },
                Some(message) = output.recv() => {
                    if writer.write_all(format!("{message}\n").as_bytes()).await.is_err() {
                        return;
                    }
                }
            }
        }
    }

    fn answer(&self, request: &Value) {
        let result = match request["method"].as_str().unwrap_or_default() {
            "initialize" => json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {"listChanged": true}},
                "serverInfo": {"name": "raw", "version": "0"},
            }),
            "tools/list" => {
                *self.0.lists.lock().unwrap() += 1;
                json!({"tools": *self.0.tools.lock().unwrap()})
            }
            "tools/call" => match request["params"]["name"].as_str().unwrap_or_default() {
                "hang" => return self.0.called.notify_one(),
                "odd_error" => json!({
                    "content": [{"type": "text", "text": "it failed"}],
                    "isError": "true",
                }),
                "large" => json!({"content": [{"type": "text", "text": "x".repeat(20_000)}]}),
                _ => json!({"content": [{"type": "text", "text": "raw"}, {"type": "new"}]}),
            },
            _ if request.get("id").is_none() => return,
            _ => {
                let error = json!({"code": -32601, "message": "no such method"});
                return self.send(json!({"jsonrpc": "2.0", "id": request["id"], "error": error}));
            }
        };
        self.send(json!({"jsonrpc": "2.0", "id": request["id"], "result": result}));
    }
}

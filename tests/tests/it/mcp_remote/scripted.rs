//! Servers whose every byte is chosen, on a stream and over HTTP.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};
use tool_runtime::mcp::{Remote, RemoteBuilder};

/// The text of a result of one text block.
pub(crate) const TEXT: &str =
    r#"{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"$TEXT"}]}}"#;

/// The definition of a tool that takes any object.
pub(crate) fn tool(name: &str) -> String {
    format!(r#"{{"name":"{name}","description":"A tool.","inputSchema":{{"type":"object"}}}}"#)
}

/// Writes the id of a request into the text of its answer.
pub(crate) fn answered(answer: &str, request: &Value) -> String {
    answer.replace("$ID", &request["id"].to_string())
}

/// Answers what every server answers before a call: none for a call or a list.
fn common(request: &Value, revision: &str) -> Option<String> {
    let answer = match request["method"].as_str().unwrap_or_default() {
        "initialize" => json!({"jsonrpc": "2.0", "id": request["id"], "result": {
            "protocolVersion": revision, "capabilities": {"tools": {}},
            "serverInfo": {"name": "scripted", "version": "1"}}}),
        // A message without a method is the client's answer to a request.
        "tools/call" | "tools/list" | "" => return None,
        _ => json!({"jsonrpc": "2.0", "id": request["id"], "error":
            {"code": -32601, "message": "Method not found"}}),
    };
    Some(answer.to_string())
}

/// Makes the bytes of an answer from the request.
type AnswerBytes = dyn Fn(&Value) -> Vec<u8> + Send + Sync;

/// A server on a stream.
#[derive(Clone)]
pub(crate) struct Lines {
    pub(crate) tools: String,
    pub(crate) revision: &'static str,
    pub(crate) answer: Arc<AnswerBytes>,
}

impl Lines {
    /// A server that answers each call with these bytes, as they are.
    pub(crate) fn new(answer: impl Fn(&Value) -> Vec<u8> + Send + Sync + 'static) -> Self {
        let tools = format!("[{},{}]", tool("t"), tool("u"));
        Self { tools, revision: "2025-11-25", answer: Arc::new(answer) }
    }

    /// A server that answers each call with this line.
    pub(crate) fn with_line(line: &str) -> Self {
        let line = format!("{line}\n");
        Self::new(move |request| answered(&line, request).into_bytes())
    }

    /// A server that lists these tools, and answers each call with its arguments as a text.
    pub(crate) fn with_tools(tools: &[String]) -> Self {
        let answer = |request: &Value| {
            let text = json!(request["params"]["arguments"].to_string()).to_string();
            let answer = answered(TEXT, request).replace("\"$TEXT\"", &text);
            format!("{answer}\n").into_bytes()
        };
        Self { tools: format!("[{}]", tools.join(",")), ..Self::new(answer) }
    }

    pub(crate) fn remote(&self) -> RemoteBuilder {
        let server = self.clone();
        super::remote(move || {
            let (ours, theirs) = tokio::io::duplex(64 * 1024);
            tokio::spawn(server.clone().serve(ours));
            theirs
        })
    }

    async fn serve(self, stream: DuplexStream) {
        let (reader, mut writer) = tokio::io::split(stream);
        let mut lines = BufReader::new(reader).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            let request: Value = serde_json::from_str(&line).unwrap();
            if request.get("id").is_none() {
                continue;
            }
            let answer = match common(&request, self.revision) {
                Some(answer) => format!("{answer}\n").into_bytes(),
                None if request["method"] == "tools/list" => {
                    let answer = r#"{"jsonrpc":"2.0","id":$ID,"result":{"tools":$TOOLS}}"#;
                    let answer = answered(answer, &request).replace("$TOOLS", &self.tools);
                    format!("{answer}\n").into_bytes()
                }
                None => (self.answer)(&request),
            };
            if writer.write_all(&answer).await.is_err() {
                return;
            }
        }
    }
}

/// A server over HTTP with sessions. `answer` answers a message, given the number of its session; none
/// for the usual answer.
pub(crate) async fn web(
    answer: impl Fn(&Value, Option<usize>) -> Option<Response> + Send + Sync + 'static,
) -> RemoteBuilder {
    let (answer, sessions) = (Arc::new(answer), Arc::new(std::sync::Mutex::new(0_usize)));
    let handler = move |headers: HeaderMap,
                        body: Bytes|
          -> std::pin::Pin<Box<dyn Future<Output = Response> + Send>> {
        let request: Value = serde_json::from_slice(&body).unwrap();
        let session = headers.get("mcp-session-id").and_then(|id| id.to_str().ok()?.parse().ok());
        let answered = answer(&request, session);
        let new_session = || {
            let mut sessions = sessions.lock().unwrap();
            *sessions += 1;
            sessions.to_string()
        };
        let response = answered.unwrap_or_else(|| match common(&request, "2025-11-25") {
            _ if request.get("id").is_none() => StatusCode::ACCEPTED.into_response(),
            Some(answer) => typed(answer, "application/json"),
            None if request["method"] == "tools/list" => {
                let list = json!({"jsonrpc": "2.0", "id": request["id"], "result": {"tools":
                    [serde_json::from_str::<Value>(&tool("t")).unwrap()]}});
                typed(list.to_string(), "application/json")
            }
            None => typed(answered_text(&request, "done"), "application/json"),
        });
        let response = if request["method"] == "initialize" {
            ([("mcp-session-id", new_session())], response).into_response()
        } else {
            response
        };
        Box::pin(async move { response })
    };
    let router = Router::new().route("/mcp", post(handler));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address: SocketAddr = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    Remote::http(format!("http://{address}/mcp")).prefix("far")
}

pub(crate) fn answered_text(request: &Value, text: &str) -> String {
    answered(TEXT, request).replace("$TEXT", text)
}

/// A response with this media type.
pub(crate) fn typed(body: String, media_type: &'static str) -> Response {
    ([("content-type", media_type)], body).into_response()
}

/// A stream of events with these ones before the message.
pub(crate) fn events(before: &str, message: &str) -> Response {
    typed(format!("{before}event: message\ndata: {message}\n\n"), "text/event-stream")
}

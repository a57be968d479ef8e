//! A server with OpenAI's API that answers what a test tells it to, over real HTTP.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use futures::{StreamExt, stream};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tool_runtime::agent::{OpenAiBuilder, OpenAiModel};

/// What the server answers to one request.
pub(super) enum Scripted {
    /// A status, headers and a body.
    Plain(u16, Vec<(&'static str, &'static str)>, String),
    /// Pieces of a stream, and how it ends.
    Stream { pieces: Vec<String>, end: StreamEnd },
    /// Nothing, ever.
    Hang,
}

/// How a stream ends.
pub(super) enum StreamEnd {
    /// Properly.
    Closed,
    /// The connection breaks off.
    BrokenOff,
    /// The connection breaks off at [`Server::break_off`].
    BrokenOffLater,
}

/// A request as the server got it.
#[derive(Debug, Clone)]
pub(super) struct Received {
    pub(super) path: String,
    pub(super) key: Option<String>,
    pub(super) body: Value,
}

#[derive(Default)]
struct Script {
    answers: Mutex<VecDeque<Scripted>>,
    received: Mutex<Vec<Received>>,
    broken_off: Notify,
}

/// A running server; it ends with the test's runtime.
pub(super) struct Server {
    script: Arc<Script>,
    pub(super) url: String,
}

impl Server {
    pub(super) async fn start(answers: impl IntoIterator<Item = Scripted>) -> Self {
        let script = Arc::new(Script::default());
        script.answers.lock().unwrap().extend(answers);
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let router = Router::new().fallback(answer).with_state(script.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { script, url }
    }

    /// Configures a client that waits for little.
    pub(super) fn builder(&self) -> OpenAiBuilder {
        OpenAiModel::builder(&self.url, "openai/gpt-4o-mini")
            .first_delay(std::time::Duration::from_millis(1))
    }

    pub(super) fn model(&self) -> OpenAiModel {
        self.builder().build().unwrap()
    }

    /// Breaks the connection of a stream off.
    pub(super) fn break_off(&self) {
        self.script.broken_off.notify_one();
    }

    pub(super) fn received(&self) -> Vec<Received> {
        self.script.received.lock().unwrap().clone()
    }
}

async fn answer(
    State(script): State<Arc<Script>>,
    headers: HeaderMap,
    uri: Uri,
    body: Bytes,
) -> Response {
    let key = headers.get("authorization").map(|key| key.to_str().unwrap().to_owned());
    let body = serde_json::from_slice(&body).unwrap();
    let path = uri.path().to_owned();
    script.received.lock().unwrap().push(Received { path, key, body });
    let next = script.answers.lock().unwrap().pop_front();
    match next.expect("the script has an answer for every request") {
        Scripted::Plain(status, headers, body) => {
            let response = Response::builder().status(status);
            let response =
                headers.into_iter().fold(response, |it, (name, value)| it.header(name, value));
            response.body(Body::from(body)).unwrap()
        }
        Scripted::Stream { pieces, end } => {
            let pieces = pieces.into_iter().map(|piece| Ok(Bytes::from(piece)));
            let end = stream::once(async move {
                if matches!(end, StreamEnd::BrokenOffLater) {
                    script.broken_off.notified().await;
                }
                let is_closed = matches!(end, StreamEnd::Closed);
                if is_closed { Ok(Bytes::new()) } else { Err(std::io::Error::other("broken off")) }
            });
            let body = Body::from_stream(stream::iter(pieces).chain(end));
            Response::builder().header("content-type", "text/event-stream").body(body).unwrap()
        }
        Scripted::Hang => {
            std::future::pending::<Infallible>().await;
            unreachable!("it hangs")
        }
    }
}

/// A response with this message.
pub(super) fn message(message: &Value) -> Scripted {
    let reason = if message.get("tool_calls").is_some() { "tool_calls" } else { "stop" };
    completion(message, reason)
}

pub(super) fn completion(message: &Value, finish_reason: &str) -> Scripted {
    let body = json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "gpt-4o-mini-2024",
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}],
        "usage": {
            "prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25,
            "prompt_tokens_details": {"cached_tokens": 16},
        },
    });
    Scripted::Plain(200, vec![("content-type", "application/json")], body.to_string())
}

pub(super) fn text(text: &str) -> Scripted {
    message(&json!({"role": "assistant", "content": text}))
}

/// An error as OpenAI words it.
pub(super) fn error(status: u16, code: &str) -> Scripted {
    let message = "planted: the prompt was: hunter2";
    let body = json!({"error": {"message": message, "type": "some_error", "code": code}});
    Scripted::Plain(status, vec![("retry-after", "0")], body.to_string())
}

/// A stream of these texts, with the usage at its end.
pub(super) fn texts(texts: &[&str]) -> Scripted {
    Scripted::Stream { pieces: pieces(texts, true), end: StreamEnd::Closed }
}

/// The events of a stream of these texts.
pub(super) fn pieces(texts: &[&str], ends: bool) -> Vec<String> {
    let chunk = |choices: Value, usage: Value| {
        let event = json!({
            "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1,
            "model": "gpt-4o-mini-2024", "choices": choices, "usage": usage,
        });
        format!("data: {event}\n\n")
    };
    let delta = |text: &&str| {
        let choice = json!([{"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": null}]);
        chunk(choice, Value::Null)
    };
    let mut pieces: Vec<String> = texts.iter().map(delta).collect();
    if ends {
        let end = json!([{"index": 0, "delta": {}, "finish_reason": "stop"}]);
        pieces.push(chunk(end, Value::Null));
        pieces.push(chunk(json!([]), json!({"prompt_tokens": 20, "completion_tokens": 5})));
        pieces.push("data: [DONE]\n\n".to_owned());
    }
    pieces
}

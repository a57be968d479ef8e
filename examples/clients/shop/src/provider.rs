//! A model provider on this machine: its model plays one conversation, whatever it is asked.
//!
//! The model searches with a limit that the tool does not accept, searches again, orders, and says
//! so. Each client's test writes these steps in the format of its provider.

use std::io;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;
use tokio::process::Command;
use tokio::task::JoinHandle;
use tool_runtime::serde_json::{self, Value, json};

/// The text that ends the conversation.
pub const TEXT: &str = "I ordered two packets of Bancha.";

/// One step of the model.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// It calls a tool.
    Call {
        /// The call's id.
        id: String,
        /// The tool's name as it was declared.
        name: &'static str,
        /// The arguments.
        arguments: Value,
    },
    /// It ends the conversation with [`TEXT`].
    Text,
}

/// Returns a step of the conversation, counted from 0.
fn step(index: usize) -> Step {
    let (name, arguments) = match index {
        0 => ("shop_search", json!({ "query": "green", "limit": 50 })),
        1 => ("shop_search", json!({ "query": "green", "limit": 5 })),
        2 => ("shop_order", json!({ "sku": "T-2", "packets": 2 })),
        _ => return Step::Text,
    };
    Step::Call { id: format!("call_{index}"), name, arguments }
}

/// A body in the provider's format.
#[derive(Debug, Clone)]
pub enum Body {
    /// One JSON document.
    Json(Value),
    /// The data of server-sent events.
    Events(Vec<String>),
}

/// A server on a loopback address, until it is dropped.
#[derive(Debug)]
pub struct Provider {
    url: String,
    requests: Arc<Mutex<Vec<Value>>>,
    serving: JoinHandle<()>,
}

/// A handler's part of the server.
#[derive(Debug, Clone)]
struct Model {
    requests: Arc<Mutex<Vec<Value>>>,
    write: fn(&Step) -> Body,
}

impl Provider {
    /// Starts a provider which writes the model's steps by a function.
    ///
    /// # Errors
    /// Fails if no port is free.
    pub async fn start(write: fn(&Step) -> Body) -> io::Result<Self> {
        let requests = Arc::<Mutex<Vec<Value>>>::default();
        let model = Model { requests: Arc::clone(&requests), write };
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let app = Router::new().fallback(respond).with_state(model);
        let serving = tokio::spawn(async {
            if let Err(error) = axum::serve(listener, app).await {
                eprintln!("the provider stopped: {error}");
            }
        });
        Ok(Self { url, requests, serving })
    }

    /// Returns the URL, without a path.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the bodies of the requests so far.
    #[must_use]
    pub fn requests(&self) -> Vec<Value> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn respond(State(model): State<Model>, body: String) -> Response {
    let request = match serde_json::from_str(&body) {
        Ok(request) => request,
        Err(error) => return (StatusCode::BAD_REQUEST, error.to_string()).into_response(),
    };
    let index = {
        let mut requests = model.requests.lock().unwrap_or_else(PoisonError::into_inner);
        requests.push(request);
        requests.len() - 1
    };
    match (model.write)(&step(index)) {
        Body::Json(body) => {
            ([(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
        }
        Body::Events(events) => {
            let body: String = events.iter().map(|data| format!("data: {data}\n\n")).collect();
            ([(header::CONTENT_TYPE, "text/event-stream")], body).into_response()
        }
    }
}

/// Runs a client with these variables and lines of input; returns its standard output.
///
/// # Errors
/// Fails if the program does not start, or does not succeed.
pub async fn run(
    program: impl AsRef<Path>,
    variables: &[(&str, &str)],
    input: &str,
) -> io::Result<String> {
    let mut child = Command::new(program.as_ref())
        .envs(variables.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(input.as_bytes()).await?;
    }
    let output = child.wait_with_output().await?;
    if !output.status.success() {
        return Err(io::Error::other(output.status.to_string()));
    }
    String::from_utf8(output.stdout).map_err(io::Error::other)
}

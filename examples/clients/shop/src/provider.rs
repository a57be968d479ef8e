//! A model provider on this machine: its model plays one conversation, whatever it is asked.
//!
//! The model searches with a limit that the tool does not accept, searches again, orders, and says
//! so. A test may give it other steps. Each client's test writes the steps in the format of its
//! provider.

use std::io;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tool_runtime::serde_json::{self, Value, json};

/// The text that ends the conversation.
pub const TEXT: &str = "I ordered two packets of Bancha.";

/// The longest run of a client. It only bounds a test that fails.
const DEADLINE: Duration = Duration::from_secs(60);

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

impl Step {
    /// Returns the order of two packets of an article.
    #[must_use]
    pub fn order(id: &str, sku: &str) -> Self {
        let arguments = json!({ "sku": sku, "packets": 2 });
        Self::Call { id: id.to_owned(), name: "shop_order", arguments }
    }

    /// Returns whether the step is an order.
    #[must_use]
    pub fn is_order(&self) -> bool {
        matches!(self, Self::Call { name: "shop_order", .. })
    }

    fn search(id: &str, limit: u32) -> Self {
        let arguments = json!({ "query": "green", "limit": limit });
        Self::Call { id: id.to_owned(), name: "shop_search", arguments }
    }
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
    steps: Arc<[Step]>,
    write: fn(&Step) -> Body,
}

impl Provider {
    /// Starts a provider which writes the model's steps by a function.
    ///
    /// # Errors
    /// Fails if no port is free.
    pub async fn start(write: fn(&Step) -> Body) -> io::Result<Self> {
        let steps =
            [Step::search("call_0", 50), Step::search("call_1", 5), Step::order("call_2", "T-2")];
        Self::start_with(steps, write).await
    }

    /// Starts a provider whose model plays these steps, and ends the conversation after them.
    ///
    /// # Errors
    /// Fails if no port is free.
    pub async fn start_with(
        steps: impl Into<Arc<[Step]>>,
        write: fn(&Step) -> Body,
    ) -> io::Result<Self> {
        let requests = Arc::<Mutex<Vec<Value>>>::default();
        let model = Model { requests: Arc::clone(&requests), steps: steps.into(), write };
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
    match (model.write)(model.steps.get(index).unwrap_or(&Step::Text)) {
        Body::Json(body) => {
            ([(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
        }
        Body::Events(events) => {
            let body: String = events.iter().map(|data| format!("data: {data}\n\n")).collect();
            ([(header::CONTENT_TYPE, "text/event-stream")], body).into_response()
        }
    }
}

/// The output of a client that succeeded.
#[derive(Debug, Clone)]
pub struct Output {
    /// The standard output.
    pub stdout: String,
    /// The standard error, where the approver asks.
    pub stderr: String,
}

/// Runs a client with these variables and lines of input.
///
/// # Errors
/// Fails if the program does not start, does not succeed, or runs too long; the error contains the
/// program's standard error.
pub async fn run(
    program: impl AsRef<Path>,
    variables: &[(&str, &str)],
    input: &str,
) -> io::Result<Output> {
    let mut child = Command::new(program.as_ref())
        .env_remove("MODEL")
        .envs(variables.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    // Read by a task of its own, so that it is left when the deadline kills the program.
    let mut pipe = child.stderr.take().ok_or(io::ErrorKind::BrokenPipe)?;
    let reading = tokio::spawn(async move {
        let mut text = String::new();
        pipe.read_to_string(&mut text).await.map(|_| text)
    });
    let ended = timeout(DEADLINE, converse(child, input)).await;
    let stderr = reading.await??;
    match ended.map_err(io::Error::from).flatten() {
        Ok(stdout) => Ok(Output { stdout, stderr }),
        Err(error) => Err(io::Error::new(error.kind(), format!("{error}; it wrote:\n{stderr}"))),
    }
}

/// Writes the input, and returns the standard output of a program that succeeds.
async fn converse(mut child: Child, input: &str) -> io::Result<String> {
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(input.as_bytes()).await?;
    }
    let output = child.wait_with_output().await?;
    if !output.status.success() {
        return Err(io::Error::other(output.status.to_string()));
    }
    String::from_utf8(output.stdout).map_err(io::Error::other)
}

//! A server with OpenAI's Chat Completions API, whose models say what a script has for them.

mod asked;
mod completion;

use std::collections::VecDeque;
use std::fmt;
use std::future::pending;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use serde_json::{Value, json};

pub use self::asked::Asked;
use self::completion::{completion, stream};
use super::LoopbackServer;

/// A server of scripted models.
#[derive(Debug)]
pub struct ModelServer {
    server: LoopbackServer,
    models: Arc<Models>,
}

/// The answer of a scripted model.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelReply {
    /// A text; it is streamed word by word if the request asks for a stream.
    Text(String),
    /// Requests for calls: the tools' names and arguments.
    Calls(Vec<(&'static str, Value)>),
    /// An HTTP error.
    Refused {
        /// The response's status.
        status: StatusCode,
        /// The seconds of `Retry-After`, if the response advises a delay.
        retry_after: Option<u32>,
    },
    /// No response, until the client gives up.
    Silence,
}

/// The status of one response; none for a request that is never answered.
pub type ResponseStatus = Option<StatusCode>;

/// Decides what a model says to a request.
type Script = dyn Fn(&Asked) -> ModelReply + Send + Sync;

/// The script, and the newest responses.
struct Models {
    script: Box<Script>,
    responses: Mutex<VecDeque<(String, ResponseStatus)>>,
}

/// The most responses that are remembered.
const MAX_RESPONSES: usize = 256;

impl ModelServer {
    /// Starts a server whose models answer by this script.
    ///
    /// # Errors
    /// No port is free.
    pub async fn start(
        script: impl Fn(&Asked) -> ModelReply + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let models = Arc::new(Models { script: Box::new(script), responses: Mutex::default() });
        let router = Router::new().route("/v1/chat/completions", post(answer));
        let server = LoopbackServer::start(router.with_state(Arc::clone(&models))).await?;
        Ok(Self { server, models })
    }

    /// Returns the base URL, such as `http://127.0.0.1:40123/v1`.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("{}/v1", self.server.url)
    }

    /// Returns the statuses of the responses of one model, oldest first; only the newest 256
    /// responses of the server are remembered.
    #[must_use]
    pub fn responses_of(&self, model: &str) -> Vec<ResponseStatus> {
        let responses = self.models.responses.lock().unwrap_or_else(PoisonError::into_inner);
        let own = responses.iter().filter(|(name, _)| name == model);
        own.map(|(_, status)| *status).collect()
    }
}

async fn answer(State(models): State<Arc<Models>>, body: Bytes) -> Response {
    let Ok(body) = serde_json::from_slice::<Value>(&body) else {
        return refused(StatusCode::BAD_REQUEST, None);
    };
    let (asked, reply) = models.reply(body);
    let Some(message) = asked.message_of(&reply) else {
        return match reply {
            ModelReply::Refused { status, retry_after } => refused(status, retry_after),
            _ => pending().await,
        };
    };
    if asked.wants_stream() {
        return stream(&asked, &message).into_response();
    }
    let body = completion(&asked, &message).to_string();
    ([(header::CONTENT_TYPE, "application/json")], body).into_response()
}

impl Models {
    /// Asks the script, and remembers the response.
    fn reply(&self, body: Value) -> (Asked, ModelReply) {
        let mut responses = self.responses.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = Asked::new(body);
        let times = responses.iter().filter(|(name, _)| name == asked.model()).count();
        let asked = asked.with_times(times);
        let reply = (self.script)(&asked);
        let status = match &reply {
            ModelReply::Text(_) | ModelReply::Calls(_) => Some(StatusCode::OK),
            ModelReply::Refused { status, .. } => Some(*status),
            ModelReply::Silence => None,
        };
        responses.push_back((asked.model().to_owned(), status));
        if responses.len() > MAX_RESPONSES {
            responses.pop_front();
        }
        (asked, reply)
    }
}

/// Makes an error as OpenAI words it.
fn refused(status: StatusCode, retry_after: Option<u32>) -> Response {
    let kind = if status.is_server_error() { "server_error" } else { "invalid_request_error" };
    let error = json!({"message": "the script says so", "type": kind, "code": null});
    let mut response = (status, json!({"error": error}).to_string()).into_response();
    if let Some(seconds) = retry_after {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

impl fmt::Debug for Models {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Models").finish_non_exhaustive()
    }
}

//! One endpoint of a server: sends a body, and reads the response within its bounds.

use std::time::{Duration, Instant};

use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest::{Client, Response, StatusCode, Url};
use serde_json::Value;
use tool_runtime_core::unreached::unreached;

use super::attempts::FailedAttempt;
use super::builder::OpenAiSettings;
use crate::error::{AgentError, AgentErrorKind, AgentErrorReason};

/// An endpoint, with the client that has the key.
#[derive(Debug)]
pub(super) struct ProviderEndpoint {
    pub(super) client: Client,
    pub(super) url: Url,
    pub(super) settings: OpenAiSettings,
}

/// The longest `Retry-After` that is waited for.
const LONGEST_ADVICE: Duration = Duration::from_secs(30);
/// The most characters of a provider's word for an error.
const WORD: usize = 64;

impl ProviderEndpoint {
    /// Sends a body and returns the response, if its status is a success.
    pub(super) async fn send(&self, body: &Value) -> Result<Response, FailedAttempt> {
        let request = self.client.post(self.url.clone());
        let request = request.header(CONTENT_TYPE, "application/json").body(body.to_string());
        let mut response = request.send().await.map_err(|error| self.not_reached(&error))?;
        if response.status().is_success() {
            return Ok(response);
        }
        let (status, advice) = (response.status(), advice(&response));
        // An error's body is short; a longer one is no error of this API.
        let body = read(&mut response, 64 * 1024).await.unwrap_or_default();
        Err(refused(status, &body, advice))
    }

    /// Sends a body and reads the whole response.
    pub(super) async fn fetch(&self, body: &Value) -> Result<String, FailedAttempt> {
        let mut response = self.send(body).await?;
        let bytes = read(&mut response, self.settings.max_response_bytes).await?;
        String::from_utf8(bytes).map_err(|_| unreadable("the response is not UTF-8"))
    }

    /// Describes a request that was not sent or not answered: the address, without credentials and
    /// path, and the cause.
    fn not_reached(&self, error: &reqwest::Error) -> FailedAttempt {
        if !error.is_connect() {
            return broke_off();
        }
        let error = llm(AgentErrorReason::Connection, unreached(&self.url, error));
        FailedAttempt { error, may_retry: true, advice: None }
    }

    /// Returns the time limit of one attempt that has to end with the request.
    pub(super) fn attempt_limit(&self, ends: Option<Instant>) -> Duration {
        let left = ends.map(|ends| ends.saturating_duration_since(Instant::now()));
        left.map_or(self.settings.timeout, |left| left.min(self.settings.timeout))
    }
}

async fn read(response: &mut Response, max_bytes: usize) -> Result<Vec<u8>, FailedAttempt> {
    let mut bytes = Vec::new();
    while let Some(part) = response.chunk().await.map_err(|_| broke_off())? {
        if bytes.len() + part.len() > max_bytes {
            return Err(unreadable("the response is longer than `max_response_bytes`"));
        }
        bytes.extend_from_slice(&part);
    }
    Ok(bytes)
}

fn advice(response: &Response) -> Option<Duration> {
    let seconds = response.headers().get(RETRY_AFTER)?.to_str().ok()?.trim().parse::<f64>().ok()?;
    Duration::try_from_secs_f64(seconds).ok().map(|advice| advice.min(LONGEST_ADVICE))
}

fn refused(status: StatusCode, body: &[u8], advice: Option<Duration>) -> FailedAttempt {
    let (reason, message) = match status.as_u16() {
        401 | 403 => (AgentErrorReason::Unauthorized, "the server refuses the API key"),
        404 => (AgentErrorReason::NotFound, "the server knows no such model or path"),
        408 => (AgentErrorReason::Timeout, "the server waited too long for the request"),
        429 => (AgentErrorReason::RateLimited, "the server limits the rate of requests"),
        500.. => (AgentErrorReason::Unavailable, "the server failed"),
        _ => (AgentErrorReason::InvalidRequest, "the server refuses the request"),
    };
    let mut error = llm(reason, message).with_detail("status", status.as_u16());
    for (name, word) in provider_words(body) {
        error = error.with_detail(name, word);
    }
    FailedAttempt { error, may_retry: matches!(status.as_u16(), 408 | 409 | 429 | 500..), advice }
}

/// Reads the type and the code of a provider's error; its message may repeat the request.
fn provider_words(body: &[u8]) -> Vec<(&'static str, String)> {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let word = |field: &str| match &body["error"][field] {
        Value::String(word) => Some(word.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let is_word = |word: &String| {
        word.len() <= WORD && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let provider_fields = [("provider_type", word("type")), ("provider_code", word("code"))];
    provider_fields
        .into_iter()
        .filter_map(|(name, word)| Some((name, word.filter(is_word)?)))
        .collect()
}

pub(super) fn unreadable(message: impl Into<String>) -> FailedAttempt {
    FailedAttempt {
        error: llm(AgentErrorReason::Unreadable, message),
        may_retry: false,
        advice: None,
    }
}

/// The server reported a failure in the middle of its response.
pub(super) fn failing(message: impl Into<String>) -> FailedAttempt {
    FailedAttempt {
        error: llm(AgentErrorReason::Unavailable, message),
        may_retry: true,
        advice: None,
    }
}

pub(super) fn broke_off() -> FailedAttempt {
    let error = llm(AgentErrorReason::Connection, "the connection to the server ended early");
    FailedAttempt { error, may_retry: true, advice: None }
}

pub(super) fn timed_out() -> FailedAttempt {
    let error = llm(AgentErrorReason::Timeout, "the model did not answer in time");
    FailedAttempt { error, may_retry: true, advice: None }
}

fn llm(reason: AgentErrorReason, message: impl Into<String>) -> AgentError {
    AgentError::new(AgentErrorKind::Llm, message).with_reason(reason)
}

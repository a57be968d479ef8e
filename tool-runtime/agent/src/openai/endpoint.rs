//! One endpoint of a server: sends bodies until one is answered, and reads responses within bounds.

use std::future::Future;
use std::time::{Duration, Instant};

use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest::{Client, Response, StatusCode, Url};
use serde_json::Value;
use tool_runtime_core::unreached::unreached;

use crate::error::{AgentError, AgentErrorKind, AgentErrorReason};

/// An endpoint, with the client that has the key.
#[derive(Debug)]
pub(super) struct ProviderEndpoint {
    pub(super) client: Client,
    pub(super) url: Url,
    pub(super) settings: OpenAiSettings,
}

/// The settings of requests.
#[derive(Debug, Clone)]
pub(super) struct OpenAiSettings {
    pub(super) model: String,
    pub(super) fallback_model: Option<String>,
    pub(super) prefix: ProviderPrefix,
    pub(super) timeout: Duration,
    pub(super) max_attempts: u32,
    pub(super) first_delay: Duration,
    pub(super) max_response_bytes: usize,
    pub(super) attachments: bool,
}

/// Selects whether the provider prefix of a model's name (`openai/` in `openai/gpt-4o-mini`) is
/// sent to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum ProviderPrefix {
    /// The name is sent as it is: `LiteLLM` and `OpenRouter` choose the provider by it.
    #[default]
    Kept,
    /// The part up to the first slash is removed: OpenAI, vLLM, llama.cpp and Ollama use none.
    Removed,
}

/// An attempt that failed.
#[derive(Debug)]
pub(super) struct FailedAttempt {
    pub(super) error: AgentError,
    /// True if the same request may succeed later.
    pub(super) may_retry: bool,
    /// The delay that the server asks for.
    pub(super) retry_after: Option<Duration>,
}

/// The model of an attempt.
#[derive(Debug)]
pub(super) struct AttemptedModel {
    /// The name, as the server knows it.
    pub(super) name: String,
    /// True for the model that is asked after the first one has failed.
    pub(super) is_fallback: bool,
    /// The end of this model's time.
    pub(super) deadline: Option<Instant>,
}

/// The longest `Retry-After` that is waited for.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(30);
/// The longest body of an error that is read, in bytes: errors of this API are short.
const MAX_ERROR_BYTES: usize = 64 * 1024;
/// The most characters of a provider's word for an error.
const MAX_WORD_CHARS: usize = 64;
/// The share of the time that is reserved for the fallback model: a third.
const FALLBACK_SHARE: u32 = 3;

impl ProviderEndpoint {
    /// Makes attempts until one succeeds. If there is a fallback model, the first one has two thirds of
    /// the time.
    ///
    /// # Errors
    /// Returns the last failure, with the number of attempts and the model in its details.
    pub(super) async fn with_retries<T, F>(
        &self,
        model: Option<&str>,
        deadline: Option<Instant>,
        attempt: impl Fn(AttemptedModel) -> F,
    ) -> Result<T, AgentError>
    where
        F: Future<Output = Result<T, FailedAttempt>>,
    {
        let settings = &self.settings;
        let first = model.unwrap_or(&settings.model);
        let fallback = settings.fallback_model.as_deref().filter(|fallback| *fallback != first);
        let mut attempts = 0;
        let mut last_error = None;
        let first_deadline = match fallback {
            Some(_) => deadline.map(before_fallback),
            None => deadline,
        };
        for (model, model_deadline) in
            std::iter::once((first, first_deadline)).chain(fallback.map(|it| (it, deadline)))
        {
            let name = settings.prefix.apply(model);
            let mut delay = settings.first_delay;
            for number in 1..=settings.max_attempts {
                attempts += 1;
                let attempted_model = AttemptedModel {
                    name: name.to_owned(),
                    is_fallback: fallback == Some(model),
                    deadline: model_deadline,
                };
                let failed = match attempt(attempted_model).await {
                    Ok(answer) => return Ok(answer),
                    Err(failed) => failed,
                };
                let pause = failed.retry_after.unwrap_or_default().max(delay);
                let is_last = number == settings.max_attempts || !failed.may_retry;
                let is_late = model_deadline.is_some_and(|end| Instant::now() + pause >= end);
                let falls_back =
                    failed.may_fall_back() && deadline.is_none_or(|end| Instant::now() < end);
                let error = failed.error.with_detail("model", model);
                let error = error.with_detail("attempts", attempts);
                if !falls_back {
                    return Err(error);
                }
                last_error = Some(error);
                if is_last || is_late {
                    break;
                }
                tokio::time::sleep(pause).await;
                delay = delay.saturating_mul(2);
            }
        }
        Err(last_error.unwrap_or_else(|| timed_out().error))
    }

    /// Sends a body and returns the response, if its status is a success.
    pub(super) async fn send(&self, body: String) -> Result<Response, FailedAttempt> {
        let request = self.client.post(self.url.clone());
        let request = request.header(CONTENT_TYPE, "application/json").body(body);
        let mut response = request.send().await.map_err(|error| self.not_reached(&error))?;
        if response.status().is_success() {
            return Ok(response);
        }
        let (status, retry_after) = (response.status(), retry_after(&response));
        let body = read(&mut response, MAX_ERROR_BYTES).await.unwrap_or_default();
        Err(refused(status, &body, retry_after))
    }

    /// Sends a body and reads the whole response.
    pub(super) async fn fetch(&self, body: String) -> Result<String, FailedAttempt> {
        let mut response = self.send(body).await?;
        let bytes = read(&mut response, self.settings.max_response_bytes).await?;
        String::from_utf8(bytes).map_err(|_| unreadable("the response is not UTF-8"))
    }

    /// Describes a request that was not sent or not answered: the address, without credentials and
    /// path, and the cause.
    fn not_reached(&self, error: &reqwest::Error) -> FailedAttempt {
        if !error.is_connect() {
            return connection_lost();
        }
        let error = model_error(AgentErrorReason::Connection, unreached(&self.url, error));
        FailedAttempt { error, may_retry: true, retry_after: None }
    }

    /// Returns the time limit of one attempt that has to end with the request.
    pub(super) fn attempt_limit(&self, deadline: Option<Instant>) -> Duration {
        let time_left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        time_left.map_or(self.settings.timeout, |left| left.min(self.settings.timeout))
    }
}

impl ProviderPrefix {
    fn apply(self, model: &str) -> &str {
        match self {
            Self::Kept => model,
            Self::Removed => model.split_once('/').map_or(model, |(_, name)| name),
        }
    }
}

impl FailedAttempt {
    /// Says that the attempt must not be repeated, because a part of the answer was shown.
    pub(super) fn after_shown_text(self) -> Self {
        Self { may_retry: false, ..self }
    }

    /// Returns whether another model may answer the same request.
    fn may_fall_back(&self) -> bool {
        self.may_retry || self.error.reason() == Some(AgentErrorReason::NotFound)
    }
}

/// Returns the end of the first model's time.
fn before_fallback(deadline: Instant) -> Instant {
    let time_left = deadline.saturating_duration_since(Instant::now());
    deadline.checked_sub(time_left / FALLBACK_SHARE).unwrap_or(deadline)
}

async fn read(response: &mut Response, max_bytes: usize) -> Result<Vec<u8>, FailedAttempt> {
    let mut bytes = Vec::new();
    while let Some(part) = response.chunk().await.map_err(|_| connection_lost())? {
        if bytes.len() + part.len() > max_bytes {
            return Err(too_long());
        }
        bytes.extend_from_slice(&part);
    }
    Ok(bytes)
}

fn retry_after(response: &Response) -> Option<Duration> {
    let seconds = response.headers().get(RETRY_AFTER)?.to_str().ok()?.trim().parse::<f64>().ok()?;
    Duration::try_from_secs_f64(seconds).ok().map(|delay| delay.min(MAX_RETRY_AFTER))
}

fn refused(status: StatusCode, body: &[u8], retry_after: Option<Duration>) -> FailedAttempt {
    let (reason, message) = match status.as_u16() {
        401 | 403 => (AgentErrorReason::Unauthorized, "the server refuses the API key"),
        404 => (AgentErrorReason::NotFound, "the server knows no such model or path"),
        408 => (AgentErrorReason::Timeout, "the server waited too long for the request"),
        429 => (AgentErrorReason::RateLimited, "the server limits the rate of requests"),
        500.. => (AgentErrorReason::Unavailable, "the server failed"),
        _ => (AgentErrorReason::InvalidRequest, "the server refuses the request"),
    };
    let mut error = model_error(reason, message).with_detail("status", status.as_u16());
    for (name, word) in provider_words(body) {
        error = error.with_detail(name, word);
    }
    let may_retry = matches!(status.as_u16(), 408 | 409 | 429 | 500..);
    FailedAttempt { error, may_retry, retry_after }
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
        word.len() <= MAX_WORD_CHARS
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let provider_fields = [("provider_type", word("type")), ("provider_code", word("code"))];
    provider_fields
        .into_iter()
        .filter_map(|(name, word)| Some((name, word.filter(is_word)?)))
        .collect()
}

pub(super) fn too_long() -> FailedAttempt {
    unreadable("the response is longer than `max_response_bytes`")
}

pub(super) fn unreadable(message: impl Into<String>) -> FailedAttempt {
    let error = model_error(AgentErrorReason::Unreadable, message);
    FailedAttempt { error, may_retry: false, retry_after: None }
}

/// The server reported a failure in the middle of its response.
pub(super) fn server_failed(message: impl Into<String>) -> FailedAttempt {
    let error = model_error(AgentErrorReason::Unavailable, message);
    FailedAttempt { error, may_retry: true, retry_after: None }
}

pub(super) fn connection_lost() -> FailedAttempt {
    let message = "the connection to the server ended early";
    let error = model_error(AgentErrorReason::Connection, message);
    FailedAttempt { error, may_retry: true, retry_after: None }
}

pub(super) fn timed_out() -> FailedAttempt {
    let error = model_error(AgentErrorReason::Timeout, "the model did not answer in time");
    FailedAttempt { error, may_retry: true, retry_after: None }
}

fn model_error(reason: AgentErrorReason, message: impl Into<String>) -> AgentError {
    AgentError::new(AgentErrorKind::Llm, message).with_reason(reason)
}

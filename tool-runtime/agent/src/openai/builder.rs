//! The configuration of a client.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use reqwest::{Client, Url, redirect};
use tool_runtime_core::credential_transport::{is_cleartext, is_loopback};
use zeroize::Zeroizing;

use super::chat::OpenAiModel;
use super::embeddings::OpenAiEmbedder;
use super::endpoint::{OpenAiSettings, ProviderEndpoint, ProviderPrefix};
use crate::error::{AgentError, AgentErrorKind};
use crate::proxy::AgentConfig;

/// Configures an [`OpenAiModel`] or an [`OpenAiEmbedder`].
///
/// Nothing is checked until it is built; every problem is then reported at once.
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until it is built"]
pub struct OpenAiBuilder {
    base_url: String,
    key_variable: Option<String>,
    allows_plain_http: bool,
    /// True if the base URL is that of a configuration without `litellm_api_base`.
    lacks_api_base: bool,
    settings: OpenAiSettings,
}

impl OpenAiBuilder {
    pub(super) fn new(base_url: String, model: String) -> Self {
        let settings = OpenAiSettings {
            model,
            fallback_model: None,
            prefix: ProviderPrefix::default(),
            timeout: Duration::from_secs(60),
            max_attempts: 3,
            first_delay: Duration::from_millis(500),
            max_response_bytes: 32 * 1024 * 1024,
            attachments: false,
        };
        Self {
            base_url,
            key_variable: None,
            allows_plain_http: false,
            lacks_api_base: false,
            settings,
        }
    }

    /// Takes the server, the model and the fallback model of an agent's configuration.
    pub(super) fn from_config(config: &AgentConfig) -> Self {
        let base_url = config.litellm_api_base().unwrap_or_default().to_owned();
        let mut builder = Self::new(base_url, config.default_model().to_owned());
        builder.settings.fallback_model = config.fallback_model().map(str::to_owned);
        builder.settings.timeout = Duration::from_secs(config.request_timeout_seconds());
        builder.lacks_api_base = config.litellm_api_base().is_none();
        builder
    }

    /// Sets the environment variable that has the API key, such as `OPENAI_API_KEY`.
    ///
    /// A key is taken from the environment only; it is read when the client is built. Without a
    /// variable no key is sent.
    pub fn api_key_env(mut self, variable: impl Into<String>) -> Self {
        self.key_variable = Some(variable.into());
        self
    }

    /// Allows an API key to be sent without TLS to another machine than this one.
    pub fn allow_plain_http(mut self) -> Self {
        self.allows_plain_http = true;
        self
    }

    /// Sets the model that is asked if the first one fails after all attempts, or does not answer in
    /// two thirds of the request's time.
    pub fn fallback_model(mut self, model: impl Into<String>) -> Self {
        self.settings.fallback_model = Some(model.into());
        self
    }

    /// Sets whether the provider before a model's name is sent; it is by default.
    pub fn provider_prefix(mut self, prefix: ProviderPrefix) -> Self {
        self.settings.prefix = prefix;
        self
    }

    /// Sets the time limit of one attempt, from the connection to the last byte; 60 s by default.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.settings.timeout = timeout;
        self
    }

    /// Sets how often a model is asked if the server is busy, fails or cannot be reached: 1 to 5;
    /// 3 by default.
    pub fn max_attempts(mut self, attempts: u32) -> Self {
        self.settings.max_attempts = attempts;
        self
    }

    /// Sets the delay before the second attempt, at most 30 s, which doubles with each further one; 0.5 s by
    /// default. A server's `Retry-After` is waited for instead if it is longer, up to 30 s.
    pub fn first_delay(mut self, delay: Duration) -> Self {
        self.settings.first_delay = delay.min(Duration::from_secs(30));
        self
    }

    /// Sets the longest response that is read, in bytes; 32 MiB by default.
    pub fn max_response_bytes(mut self, bytes: usize) -> Self {
        self.settings.max_response_bytes = bytes;
        self
    }

    /// Sets whether images and PDF files of tools' results are sent; they are not by default.
    ///
    /// A `tool` message has text only, so they follow the results in one message of the user. Turn it
    /// on for a server whose models see images; one without may refuse the whole request.
    pub fn attachments(mut self, are_sent: bool) -> Self {
        self.settings.attachments = are_sent;
        self
    }

    /// Builds a client of chats.
    ///
    /// # Errors
    /// Returns an error of the kind `Configuration` whose details list every `problem`: a base URL
    /// that is not http or https or has a credential, a variable without a key, a key that would be
    /// sent without TLS, a setting out of its range.
    pub fn build(self) -> Result<OpenAiModel, AgentError> {
        self.endpoint("chat/completions").map(OpenAiModel::new)
    }

    /// Builds a client of embeddings.
    ///
    /// It has no fallback model, since vectors of different models cannot be compared.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn build_embedder(mut self) -> Result<OpenAiEmbedder, AgentError> {
        self.settings.fallback_model = None;
        self.endpoint("embeddings").map(OpenAiEmbedder::new)
    }

    fn endpoint(self, path: &str) -> Result<Arc<ProviderEndpoint>, AgentError> {
        let mut problems = Vec::new();
        let key = self.key(&mut problems);
        let url = self.url(path, key.is_some(), &mut problems);
        let OpenAiSettings { model, max_attempts, timeout, .. } = &self.settings;
        check(&mut problems, !model.is_empty(), "the model's name is empty");
        check(&mut problems, (1..=5).contains(max_attempts), "`max_attempts`: expected 1 to 5");
        check(&mut problems, !timeout.is_zero(), "`timeout`: expected more than 0");
        let client = client(url.as_ref(), key.as_ref());
        match (url, client) {
            (Some(url), Ok(client)) if problems.is_empty() => {
                Ok(Arc::new(ProviderEndpoint { client, url, settings: self.settings }))
            }
            (_, client) => {
                problems.extend(client.err().map(|_| "no HTTP client can be made".to_owned()));
                Err(refused(problems))
            }
        }
    }

    fn key(&self, problems: &mut Vec<String>) -> Option<HeaderValue> {
        let variable = self.key_variable.as_ref()?;
        let key = std::env::var(variable).map(Zeroizing::new).unwrap_or_default();
        let header = Zeroizing::new(format!("Bearer {}", key.trim()));
        let header = HeaderValue::from_str(&header).ok().filter(|_| !key.trim().is_empty());
        let Some(mut header) = header else {
            problems.push(format!("the environment variable `{variable}` has no API key; set it"));
            return None;
        };
        header.set_sensitive(true);
        Some(header)
    }

    fn url(&self, path: &str, has_key: bool, problems: &mut Vec<String>) -> Option<Url> {
        let base = format!("{}/", self.base_url.trim_end_matches('/'));
        let url = Url::parse(&base).and_then(|base| base.join(path)).ok();
        let is_plain = |url: &Url| url.username().is_empty() && url.password().is_none();
        let url = url.filter(|url| matches!(url.scheme(), "http" | "https") && is_plain(url));
        if url.is_none() && self.lacks_api_base {
            let text = "the setting `litellm_api_base` is missing, and has no default: set it to the \
                        URL of the models' server, such as a LiteLLM proxy at \
                        `http://127.0.0.1:4000`, or use `OpenAiModel::builder`";
            problems.push(text.to_owned());
        } else if url.is_none() {
            let text = "the base URL: expected http or https without a credential, such as \
                        `http://127.0.0.1:4000/v1`";
            problems.push(text.to_owned());
        }
        let is_open = url.as_ref().is_some_and(is_cleartext);
        if is_open && has_key && !self.allows_plain_http {
            let text = "the API key would be sent without TLS; use https, or `allow_plain_http`";
            problems.push(text.to_owned());
        }
        url
    }
}

fn check(problems: &mut Vec<String>, holds: bool, problem: &str) {
    if !holds {
        problems.push(problem.to_owned());
    }
}

fn refused(problems: Vec<String>) -> AgentError {
    let message = format!("the client of the model: {}", problems.join("; "));
    AgentError::new(AgentErrorKind::Configuration, message).with_detail("problems", problems)
}

/// Makes a client that follows no redirect, which would take the key elsewhere.
fn client(url: Option<&Url>, key: Option<&HeaderValue>) -> reqwest::Result<Client> {
    let mut headers = HeaderMap::new();
    if let Some(key) = key {
        headers.insert(AUTHORIZATION, key.clone());
    }
    let builder = Client::builder().redirect(redirect::Policy::none()).default_headers(headers);
    let builder = if url.is_some_and(is_loopback) { builder.no_proxy() } else { builder };
    builder.build()
}

//! Chats with a model, whole or streamed.

use std::fmt;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use async_trait::async_trait;
use serde_json::Value;
use tool_runtime_adapters::{Adapter, Delta, ReadError, RequestedCall, StopKind, Turn, is_file};
use tool_runtime_core::tool::Attachment;

use super::adapter_cache::AdapterCache;
use super::attempts::{AttemptedModel, FailedAttempt, with_retries};
use super::builder::OpenAiBuilder;
use super::endpoint::{ProviderEndpoint, broke_off, failing, timed_out, unreadable};
use super::request::{RequestFormat, repeated};
use crate::error::AgentError;
use crate::model::{
    AssistantMessage, ChatModel, ChatReply, ChatRequest, FinishReason, ModelCall, OnText,
    TokenUsage,
};
use crate::proxy::AgentConfig;

/// Asks models on a server with OpenAI's Chat Completions API: OpenAI itself, `LiteLLM`, vLLM,
/// llama.cpp, Ollama and others.
///
/// # Failures
/// A server that is busy (429), fails (5xx), times out or cannot be reached is asked again, and then
/// the [fallback model](OpenAiBuilder::fallback_model), which is asked at once for a model that the server
/// does not know (404). Other refusals are final. The error is of the
/// kind `Llm`; its details have `reason` (`timeout`, `connection`, `rate_limited`, `unavailable`,
/// `unauthorized`, `not_found`, `invalid_request`, `unreadable`), `model`, `attempts`, and where the
/// server answered, `status`, `provider_type` and `provider_code`. A provider's message is in none
/// of them, because it may repeat the request.
///
/// If a request has a time limit, a third of it is kept for the fallback model. A streamed answer is
/// not asked for again once a part of it was shown, and may take the whole time.
///
/// ```no_run
/// use tool_runtime::agent::{ChatModel, ChatRequest, OpenAiModel, ProviderPrefix};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let model = OpenAiModel::builder("https://api.openai.com/v1", "openai/gpt-4o-mini")
///     .provider_prefix(ProviderPrefix::Removed)
///     .api_key_env("OPENAI_API_KEY")
///     .build()?;
/// let reply = model.chat(&ChatRequest::new("What is a tea ceremony?")).await?;
/// println!("{} ({:?})", reply.text(), reply.usage());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct OpenAiModel {
    endpoint: Arc<ProviderEndpoint>,
    adapters: Arc<AdapterCache>,
}

impl OpenAiModel {
    /// Configures a client: the base URL, such as `http://127.0.0.1:4000/v1`, and the model that is
    /// asked unless a request names one.
    pub fn builder(base_url: impl Into<String>, model: impl Into<String>) -> OpenAiBuilder {
        OpenAiBuilder::new(base_url.into(), model.into())
    }

    /// Configures a client by the settings of an agent: `litellm_api_base`, `default_model`,
    /// `fallback_model` and `request_timeout_seconds`.
    ///
    /// Without `litellm_api_base`, which has no default, the client cannot be built, and the error names
    /// the setting: `OpenAiModel::from_config(&AgentConfig::default())` reaches no server by itself.
    pub fn from_config(config: &AgentConfig) -> OpenAiBuilder {
        OpenAiBuilder::from_config(config)
    }

    pub(super) fn new(endpoint: Arc<ProviderEndpoint>) -> Self {
        Self { endpoint, adapters: Arc::default() }
    }

    async fn ask(
        &self,
        request: &ChatRequest,
        on_text: Option<&OnText<'_>>,
    ) -> Result<ChatReply, AgentError> {
        let started = Instant::now();
        let ends = request.timeout().and_then(|timeout| started.checked_add(timeout));
        let settings = &self.endpoint.settings;
        let adapter = &*self.adapters.get(request.tools(), settings.max_response_bytes);
        let attempt = |model: AttemptedModel| async move {
            let format = RequestFormat {
                adapter,
                streams: on_text.is_some(),
                sends_files: settings.attachments,
            };
            let body = format.body(request, &model.name);
            let limit = self.endpoint.attempt_limit(model.ends);
            let longest = self.endpoint.attempt_limit(ends);
            let is_text_shown = AtomicBool::new(false);
            let chat = async {
                match on_text {
                    None => self.fetch_complete(&body, adapter).await,
                    Some(on_text) => {
                        let show = |text: &str| {
                            is_text_shown.store(true, Ordering::Relaxed);
                            on_text(text);
                        };
                        self.streamed(&body, adapter, &show).await
                    }
                }
            };
            let mut chat = pin!(chat);
            let mut outcome = tokio::time::timeout(limit, &mut chat).await;
            if outcome.is_err() && is_text_shown.load(Ordering::Relaxed) {
                // No other model is asked now, so that this one has the time of the fallback model.
                let remaining_time = longest.saturating_sub(limit);
                outcome = tokio::time::timeout(remaining_time, chat).await;
            }
            match outcome.unwrap_or_else(|_| Err(timed_out())) {
                Ok(turn) => Ok(reply(&turn, model)),
                Err(failed) if is_text_shown.load(Ordering::Relaxed) => Err(failed.shown()),
                Err(failed) => Err(failed),
            }
        };
        let reply = with_retries(settings, request.model(), ends, attempt).await?;
        Ok(reply.with_latency(started.elapsed()))
    }

    async fn fetch_complete(&self, body: &Value, adapter: &Adapter) -> Result<Turn, FailedAttempt> {
        let text = self.endpoint.fetch(body).await?;
        adapter.read(&text).map_err(|error| unread(&error))
    }

    async fn streamed(
        &self,
        body: &Value,
        adapter: &Adapter,
        on_text: &OnText<'_>,
    ) -> Result<Turn, FailedAttempt> {
        let mut response = self.endpoint.send(body).await?;
        let mut stream = adapter.stream();
        let mut left = self.endpoint.settings.max_response_bytes;
        let show = |deltas: Result<Vec<Delta>, ReadError>| {
            for delta in deltas.map_err(|error| unread(&error))? {
                if let Delta::Text(text) = delta {
                    on_text(&text);
                }
            }
            Ok::<(), FailedAttempt>(())
        };
        loop {
            let Some(part) = response.chunk().await.map_err(|_| broke_off())? else { break };
            // Comments between the events count as well.
            let too_long = || unreadable("the response is longer than `max_response_bytes`");
            left = left.checked_sub(part.len()).ok_or_else(too_long)?;
            show(stream.push_bytes(&part))?;
        }
        show(stream.push_last_event())?;
        stream.finish().map_err(|error| unread(&error))
    }
}

fn reply(turn: &Turn, model: AttemptedModel) -> ChatReply {
    let call = |call: &RequestedCall| {
        let arguments =
            call.request().map_or(call.arguments(), |request| request.arguments().get());
        ModelCall::new(call.call_id(), call.name(), arguments)
    };
    let message = AssistantMessage::new(turn.text())
        .with_calls(turn.calls().iter().map(call))
        .with_provider_messages(repeated(turn));
    let finish_reason = match turn.stop_reason().kind() {
        StopKind::Done if turn.calls().is_empty() => FinishReason::Stop,
        StopKind::Done => FinishReason::ToolCalls,
        StopKind::CutOff => FinishReason::Length,
        StopKind::Refused => FinishReason::ContentFilter,
        StopKind::Other(word) => FinishReason::Other(word.to_owned()),
    };
    let name = turn.model().filter(|name| !name.is_empty()).map_or(model.name, str::to_owned);
    let reply = ChatReply::from_message(name, message)
        .with_finish_reason(finish_reason)
        .with_fallback(model.is_fallback);
    match token_usage(turn) {
        Some(usage) => reply.with_usage(usage),
        None => reply,
    }
}

fn token_usage(turn: &Turn) -> Option<TokenUsage> {
    let usage = turn.usage()?;
    let counted = TokenUsage::new(usage.input?, usage.output?);
    Some(counted.with_cached_input_tokens(usage.cache_read.unwrap_or_default()))
}

/// A response that cannot be read says so in words that quote nothing of it.
fn unread(error: &ReadError) -> FailedAttempt {
    if matches!(error, ReadError::Provider(_)) {
        failing(error.to_string())
    } else {
        unreadable(error.to_string())
    }
}

#[async_trait]
impl ChatModel for OpenAiModel {
    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, AgentError> {
        self.ask(request, None).await
    }

    fn accepts(&self, attachment: &Attachment) -> bool {
        self.endpoint.settings.attachments && is_file(attachment)
    }

    async fn chat_streamed(
        &self,
        request: &ChatRequest,
        on_text: &OnText<'_>,
    ) -> Result<ChatReply, AgentError> {
        self.ask(request, Some(on_text)).await
    }
}

/// Shows the URL and the model, never the key.
impl fmt::Debug for OpenAiModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAiModel")
            .field("url", &self.endpoint.url.as_str())
            .field("model", &self.endpoint.settings.model)
            .finish_non_exhaustive()
    }
}

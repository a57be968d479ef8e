//! Chats with a model, whole or streamed: writes the requests, and reads the replies.

use std::fmt;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use async_trait::async_trait;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tool_runtime_adapters::{
    Adapter, Delta, ReadError, RequestedCall, StopKind, Turn, file_part, files_message, is_file,
};
use tool_runtime_core::tool::Attachment;
use tool_runtime_schema::json::normalized;

use super::builder::OpenAiBuilder;
use super::endpoint::{
    AttemptedModel, FailedAttempt, ProviderEndpoint, connection_lost, server_failed, timed_out,
    too_long, unreadable,
};
use super::tool_sets::{ToolSet, ToolSetCache};
use crate::error::AgentError;
use crate::model::{
    AssistantMessage, ChatModel, ChatReply, ChatRequest, FinishReason, ModelCall, ModelMessage,
    OnText, TokenUsage,
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
    tool_sets: Arc<ToolSetCache>,
}

/// The format of the requests of one client.
struct RequestFormat<'a> {
    tools: &'a ToolSet,
    streams: bool,
    /// True if images and files of results are sent.
    sends_files: bool,
}

/// The body of a request. The declarations of tools are most of it, so their text is not written anew.
#[derive(Serialize)]
struct RequestBody<'a> {
    #[serde(flatten)]
    fields: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<&'a RawValue>,
}

/// Models that take `max_completion_tokens`, and refuse `max_tokens`.
const REASONING_FAMILIES: [&str; 4] = ["o1", "o3", "o4", "gpt-5"];

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
        Self { endpoint, tool_sets: Arc::default() }
    }

    async fn ask(
        &self,
        request: &ChatRequest,
        on_text: Option<&OnText<'_>>,
    ) -> Result<ChatReply, AgentError> {
        let started = Instant::now();
        let deadline = request.timeout().and_then(|timeout| started.checked_add(timeout));
        let settings = &self.endpoint.settings;
        let tools = &*self.tool_sets.get(request.tools(), settings.max_response_bytes);
        let adapter = &tools.adapter;
        let attempt = |model: AttemptedModel| async move {
            let format = RequestFormat {
                tools,
                streams: on_text.is_some(),
                sends_files: settings.attachments,
            };
            let body = format.body(request, &model.name);
            let limit = self.endpoint.attempt_limit(model.deadline);
            let longest = self.endpoint.attempt_limit(deadline);
            let is_text_shown = AtomicBool::new(false);
            let chat = async {
                match on_text {
                    None => self.fetch_complete(body, adapter).await,
                    Some(on_text) => {
                        let show = |text: &str| {
                            is_text_shown.store(true, Ordering::Relaxed);
                            on_text(text);
                        };
                        self.streamed(body, adapter, &show).await
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
                Err(failed) if is_text_shown.load(Ordering::Relaxed) => {
                    Err(failed.after_shown_text())
                }
                Err(failed) => Err(failed),
            }
        };
        let reply = self.endpoint.with_retries(request.model(), deadline, attempt).await?;
        Ok(reply.with_latency(started.elapsed()))
    }

    async fn fetch_complete(&self, body: String, adapter: &Adapter) -> Result<Turn, FailedAttempt> {
        let text = self.endpoint.fetch(body).await?;
        adapter.read(&text).map_err(|error| unread(&error))
    }

    async fn streamed(
        &self,
        body: String,
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
            let Some(part) = response.chunk().await.map_err(|_| connection_lost())? else { break };
            // Comments between the events count as well.
            left = left.checked_sub(part.len()).ok_or_else(too_long)?;
            show(stream.push_bytes(&part))?;
        }
        show(stream.push_last_event())?;
        stream.finish().map_err(|error| unread(&error))
    }
}

impl RequestFormat<'_> {
    /// Writes the body of a request.
    fn body(&self, request: &ChatRequest, model: &str) -> String {
        let mut body = Map::new();
        body.insert("model".to_owned(), model.into());
        body.insert("messages".to_owned(), self.messages(request.messages()).into());
        if let Some(schema) = request.schema() {
            let schema = json!({"name": "answer", "schema": schema});
            let format = json!({"type": "json_schema", "json_schema": schema});
            body.insert("response_format".to_owned(), format);
        }
        if let Some(tokens) = request.max_output_tokens() {
            let name = model.rsplit('/').next().unwrap_or(model);
            let reasons = REASONING_FAMILIES.iter().any(|family| name.starts_with(family));
            let field = if reasons { "max_completion_tokens" } else { "max_tokens" };
            body.insert(field.to_owned(), tokens.into());
        }
        if let Some(temperature) = request.temperature() {
            body.insert("temperature".to_owned(), temperature.into());
        }
        if self.streams {
            body.insert("stream".to_owned(), true.into());
            body.insert("stream_options".to_owned(), json!({"include_usage": true}));
        }
        let fields = normalized(body.into());
        let body = RequestBody { fields, tools: self.tools.declarations.as_deref() };
        serde_json::to_string(&body).expect("values are written to memory as JSON")
    }

    /// Writes the messages. The files of consecutive results follow all of them, since a server
    /// accepts no other message between the answers to one message.
    fn messages(&self, messages: &[ModelMessage]) -> Vec<Value> {
        let mut wire = Vec::with_capacity(messages.len());
        let mut files = Vec::new();
        for message in messages {
            if !matches!(message, ModelMessage::ToolResult { .. }) {
                wire.extend(files_message(std::mem::take(&mut files)));
            }
            wire.extend(wire_messages(message, &self.tools.adapter));
            if self.sends_files {
                files.extend(message.attachments().iter().filter_map(file_part));
            }
        }
        wire.extend(files_message(files));
        wire
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
        .with_provider_messages(echoed_messages(turn));
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
        server_failed(error.to_string())
    } else {
        unreadable(error.to_string())
    }
}

/// Returns the messages by which a later request repeats an answer.
///
/// A deprecated `function_call` has no id, and its answer has another role. It becomes the call that its
/// answer names.
fn echoed_messages(turn: &Turn) -> impl Iterator<Item = Value> {
    let id = turn.calls().first().map(RequestedCall::call_id);
    turn.messages().iter().cloned().map(move |mut message| {
        let call = message.as_object_mut().and_then(|message| message.remove("function_call"));
        if let (Some(function), Some(id)) = (call, id) {
            message["tool_calls"] = json!([{"id": id, "type": "function", "function": function}]);
        }
        message
    })
}

fn wire_messages(message: &ModelMessage, adapter: &Adapter) -> Vec<Value> {
    match message {
        ModelMessage::System(text) => vec![json!({"role": "system", "content": text})],
        ModelMessage::User(text) => vec![json!({"role": "user", "content": text})],
        ModelMessage::Assistant(message) if !message.provider_messages().is_empty() => {
            message.provider_messages().to_vec()
        }
        ModelMessage::Assistant(message) => vec![assistant(message, adapter)],
        ModelMessage::ToolResult { call_id, text, .. } => {
            vec![json!({"role": "tool", "tool_call_id": call_id, "content": text})]
        }
    }
}

fn assistant(message: &AssistantMessage, adapter: &Adapter) -> Value {
    let calls = message.calls().iter().map(|call| {
        let name = adapter.wire_name(call.name()).unwrap_or(call.name());
        let function = json!({"name": name, "arguments": call.arguments()});
        json!({"id": call.call_id(), "type": "function", "function": function})
    });
    let calls: Vec<Value> = calls.collect();
    if calls.is_empty() {
        return json!({"role": "assistant", "content": message.text()});
    }
    let content = Some(message.text()).filter(|text| !text.is_empty());
    json!({"role": "assistant", "content": content, "tool_calls": calls})
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

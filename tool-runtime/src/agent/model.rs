//! The interface of language models, and what is said with them.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::{AgentError, AgentErrorKind};
use crate::contracts::ToolSpec;
use crate::limits::Limits;
use crate::schema::{Coerce, Validator};

/// Takes the pieces of a streamed text. It is called on the async thread, so it must be quick.
pub type OnText<'t> = dyn Fn(&str) + Send + Sync + 't;

/// A language model that may call tools.
///
/// `OpenAiModel` (feature `openai`) asks any server with OpenAI's API. Implement it for others:
///
/// ```
/// use async_trait::async_trait;
/// use tool_runtime::agent::{AgentError, ChatModel, ChatReply, ChatRequest};
///
/// /// Repeats the last message.
/// #[derive(Debug)]
/// struct Echo;
///
/// #[async_trait]
/// impl ChatModel for Echo {
///     async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, AgentError> {
///         let text = request.messages().last().map(|message| message.text()).unwrap_or_default();
///         Ok(ChatReply::new("echo", text))
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), AgentError> {
/// let reply = Echo.chat(&ChatRequest::new("Good morning")).await?;
/// assert_eq!(reply.text(), "Good morning");
/// # Ok(())
/// # }
/// ```
#[async_trait]
pub trait ChatModel: fmt::Debug + Send + Sync {
    /// Asks the model once.
    ///
    /// # Errors
    /// Returns an error of the kind `Llm` if the model does not answer.
    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, AgentError>;

    /// Asks the model once, and reports its text in pieces, as it is written.
    ///
    /// By default the whole text is one piece.
    ///
    /// # Errors
    /// Returns an error of the kind `Llm` if the model does not answer.
    async fn chat_streamed(
        &self,
        request: &ChatRequest,
        on_text: &OnText<'_>,
    ) -> Result<ChatReply, AgentError> {
        let reply = self.chat(request).await?;
        on_text(reply.text());
        Ok(reply)
    }
}

/// A request to a model: messages, tools, and limits of the answer.
///
/// `Debug` shows counts only, because messages may contain secrets.
#[derive(Clone, Default)]
pub struct ChatRequest {
    model: Option<String>,
    messages: Vec<ModelMessage>,
    tools: Vec<ToolSpec>,
    schema: Option<Value>,
    max_output_tokens: Option<u64>,
    temperature: Option<f64>,
    timeout: Option<Duration>,
}

impl ChatRequest {
    /// Creates a request with one message of the user.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self::of([ModelMessage::User(text.into())])
    }

    /// Creates a request with these messages, oldest first.
    #[must_use]
    pub fn of(messages: impl IntoIterator<Item = ModelMessage>) -> Self {
        Self { messages: messages.into_iter().collect(), ..Self::default() }
    }

    /// Adds a message.
    #[must_use]
    pub fn with_message(mut self, message: ModelMessage) -> Self {
        self.messages.push(message);
        self
    }

    /// Sets the model, such as `openai/gpt-4o-mini`, in place of the client's default.
    #[must_use]
    pub fn with_model(self, model: impl Into<String>) -> Self {
        Self { model: Some(model.into()), ..self }
    }

    /// Sets the tools that the model may call.
    #[must_use]
    pub fn with_tools<'s>(self, specs: impl IntoIterator<Item = &'s ToolSpec>) -> Self {
        Self { tools: specs.into_iter().cloned().collect(), ..self }
    }

    /// Sets the JSON Schema of the answer. A server may enforce it; [`ChatReply::structured`] checks
    /// it.
    #[must_use]
    pub fn with_schema(self, schema: Value) -> Self {
        Self { schema: Some(schema), ..self }
    }

    /// Sets the most tokens of the answer.
    #[must_use]
    pub fn with_max_output_tokens(self, tokens: u64) -> Self {
        Self { max_output_tokens: Some(tokens), ..self }
    }

    /// Sets the temperature: 0 for the likeliest answer.
    #[must_use]
    pub fn with_temperature(self, temperature: f64) -> Self {
        Self { temperature: Some(temperature), ..self }
    }

    /// Sets the time limit of the request, with all retries and the fallback model.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout: Some(timeout), ..self }
    }

    /// Returns the model, if the request sets it.
    #[must_use]
    pub fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    /// Returns the messages, oldest first.
    #[must_use]
    pub fn messages(&self) -> &[ModelMessage] {
        &self.messages
    }

    /// Returns the tools that the model may call.
    #[must_use]
    pub fn tools(&self) -> &[ToolSpec] {
        &self.tools
    }

    /// Returns the JSON Schema of the answer.
    #[must_use]
    pub const fn schema(&self) -> Option<&Value> {
        self.schema.as_ref()
    }

    /// Returns the most tokens of the answer.
    #[must_use]
    pub const fn max_output_tokens(&self) -> Option<u64> {
        self.max_output_tokens
    }

    /// Returns the temperature.
    #[must_use]
    pub const fn temperature(&self) -> Option<f64> {
        self.temperature
    }

    /// Returns the time limit of the request.
    #[must_use]
    pub const fn timeout(&self) -> Option<Duration> {
        self.timeout
    }
}

/// Shows counts only.
impl fmt::Debug for ChatRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChatRequest")
            .field("model", &self.model)
            .field("messages", &self.messages.len())
            .field("tools", &self.tools.len())
            .field("max_output_tokens", &self.max_output_tokens)
            .finish_non_exhaustive()
    }
}

/// A message for a model. `Debug` shows lengths only.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ModelMessage {
    /// Instructions of the host.
    System(String),
    /// A text of the user.
    User(String),
    /// An answer of the model, with the calls that it requested.
    Assistant(AssistantMessage),
    /// The answer to a call.
    ToolResult {
        /// The call's id.
        call_id: String,
        /// The result as text.
        text: String,
    },
}

impl ModelMessage {
    /// Returns the message's text.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::System(text) | Self::User(text) | Self::ToolResult { text, .. } => text,
            Self::Assistant(message) => &message.text,
        }
    }
}

/// Shows lengths only.
impl fmt::Debug for ModelMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::System(_) => "System",
            Self::User(_) => "User",
            Self::Assistant(_) => "Assistant",
            Self::ToolResult { .. } => "ToolResult",
        };
        f.debug_tuple(name).field(&format_args!("{} bytes", self.text().len())).finish()
    }
}

/// An answer of a model: its text, and the calls that it requests.
#[derive(Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AssistantMessage {
    text: String,
    calls: Vec<ModelCall>,
    /// The provider's own messages, which repeat signatures and reasoning.
    provider: Vec<Value>,
}

impl AssistantMessage {
    /// Creates an answer with a text alone.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Sets the calls that the model requests.
    #[must_use]
    pub fn with_calls(self, calls: impl IntoIterator<Item = ModelCall>) -> Self {
        Self { calls: calls.into_iter().collect(), ..self }
    }

    /// Sets the provider's own messages of this answer, which later requests repeat.
    #[must_use]
    pub fn with_provider_messages(self, messages: impl IntoIterator<Item = Value>) -> Self {
        Self { provider: messages.into_iter().collect(), ..self }
    }

    /// Returns the text; empty if there is none.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the calls in the model's order.
    #[must_use]
    pub fn calls(&self) -> &[ModelCall] {
        &self.calls
    }

    /// Returns the provider's own messages of this answer.
    #[must_use]
    pub fn provider_messages(&self) -> &[Value] {
        &self.provider
    }
}

/// Shows lengths only.
impl fmt::Debug for AssistantMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AssistantMessage")
            .field("text", &format_args!("{} bytes", self.text.len()))
            .field("calls", &self.calls)
            .finish_non_exhaustive()
    }
}

/// A call that a model requests. `Debug` shows the arguments' length only.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelCall {
    call_id: String,
    name: String,
    arguments: String,
}

impl ModelCall {
    /// Creates a call; the arguments are the model's text, which need not be JSON.
    #[must_use]
    pub fn new(
        call_id: impl Into<String>,
        name: impl Into<String>,
        arguments: impl Into<String>,
    ) -> Self {
        Self { call_id: call_id.into(), name: name.into(), arguments: arguments.into() }
    }

    /// Returns the call's id, which its answer repeats.
    #[must_use]
    pub fn call_id(&self) -> &str {
        &self.call_id
    }

    /// Returns the tool's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the arguments as the model wrote them.
    #[must_use]
    pub fn arguments(&self) -> &str {
        &self.arguments
    }
}

/// Shows the arguments' length only.
impl fmt::Debug for ModelCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelCall")
            .field("call_id", &self.call_id)
            .field("name", &self.name)
            .field("arguments", &format_args!("{} bytes", self.arguments.len()))
            .finish()
    }
}

/// The reason for which a model stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FinishReason {
    /// The answer is complete.
    Stop,
    /// The model waits for the answers to its calls.
    ToolCalls,
    /// The answer was cut off by a limit of tokens, or the connection ended early.
    Length,
    /// A filter stopped the answer, or the model refused.
    ContentFilter,
    /// Another reason, as the provider names it.
    Other(String),
}

impl FinishReason {
    /// Returns the reason's name, such as `stop`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Stop => "stop",
            Self::ToolCalls => "tool_calls",
            Self::Length => "length",
            Self::ContentFilter => "content_filter",
            Self::Other(word) => word,
        }
    }
}

/// The tokens of a request and of its answer, as the provider counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct TokenUsage {
    /// The tokens of the request.
    pub input_tokens: u64,
    /// The part of them that was read from the provider's cache.
    pub cached_input_tokens: u64,
    /// The tokens of the answer.
    pub output_tokens: u64,
}

impl TokenUsage {
    /// Creates a usage; nothing was cached.
    #[must_use]
    pub fn new(input_tokens: u64, output_tokens: u64) -> Self {
        Self { input_tokens, output_tokens, cached_input_tokens: 0 }
    }

    /// Sets the part of the request that was read from the provider's cache.
    #[must_use]
    pub fn with_cached_input_tokens(self, tokens: u64) -> Self {
        Self { cached_input_tokens: tokens, ..self }
    }
}

/// The answer of a model, with what it cost.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatReply {
    model: String,
    message: AssistantMessage,
    finish_reason: FinishReason,
    usage: Option<TokenUsage>,
    latency: Duration,
    is_fallback: bool,
}

impl ChatReply {
    /// Creates a complete answer of this model.
    #[must_use]
    pub fn new(model: impl Into<String>, text: impl Into<String>) -> Self {
        Self::of_message(model, AssistantMessage::new(text))
    }

    /// Creates an answer from a message; one with calls waits for their answers.
    #[must_use]
    pub fn of_message(model: impl Into<String>, message: AssistantMessage) -> Self {
        let waits = !message.calls.is_empty();
        let finish_reason = if waits { FinishReason::ToolCalls } else { FinishReason::Stop };
        let latency = Duration::ZERO;
        let model = model.into();
        Self { model, message, finish_reason, usage: None, latency, is_fallback: false }
    }

    /// Sets the reason for which the model stopped.
    #[must_use]
    pub fn with_finish_reason(self, reason: FinishReason) -> Self {
        Self { finish_reason: reason, ..self }
    }

    /// Sets the tokens, as the provider counts them.
    #[must_use]
    pub fn with_usage(self, usage: TokenUsage) -> Self {
        Self { usage: Some(usage), ..self }
    }

    /// Sets how long the answer took.
    #[must_use]
    pub fn with_latency(self, latency: Duration) -> Self {
        Self { latency, ..self }
    }

    /// Sets whether another model answered than the requested one, which failed; false by default.
    #[must_use]
    pub fn with_fallback(self, is_fallback: bool) -> Self {
        Self { is_fallback, ..self }
    }

    /// Returns the model that answered.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Returns the text; empty if there is none.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.message.text
    }

    /// Returns the calls that the model requests, in its order.
    #[must_use]
    pub fn calls(&self) -> &[ModelCall] {
        &self.message.calls
    }

    /// Returns the answer as a message of the next request.
    #[must_use]
    pub const fn message(&self) -> &AssistantMessage {
        &self.message
    }

    /// Returns the reason for which the model stopped.
    #[must_use]
    pub const fn finish_reason(&self) -> &FinishReason {
        &self.finish_reason
    }

    /// Returns the tokens, if the provider counts them.
    #[must_use]
    pub const fn usage(&self) -> Option<TokenUsage> {
        self.usage
    }

    /// Returns how long the answer took.
    #[must_use]
    pub const fn latency(&self) -> Duration {
        self.latency
    }

    /// Returns whether another model answered than the requested one, which failed.
    #[must_use]
    pub const fn is_fallback(&self) -> bool {
        self.is_fallback
    }

    /// Reads the text as JSON that fits a schema. A fence of Markdown around it is ignored.
    ///
    /// # Errors
    /// Returns an error of the kind `Serialization` if the answer was cut off, the text is not JSON,
    /// or breaks the schema; the details list the violations, which quote no value. An error of the
    /// kind `Configuration` is a schema that cannot be read.
    pub fn structured(&self, schema: &Value) -> Result<Value, AgentError> {
        let unfit = |text: &str| {
            AgentError::new(AgentErrorKind::Serialization, format!("the answer {text}"))
        };
        if self.finish_reason == FinishReason::Length {
            return Err(unfit("was cut off; allow more output tokens"));
        }
        let validator = Validator::compile(schema).map_err(|error| {
            let text = format!("the schema of the answer cannot be read: {error}");
            AgentError::new(AgentErrorKind::Configuration, text)
        })?;
        let json = without_fence(self.text());
        let report = validator.check(json, &Limits::WIDEST, Coerce::Off);
        if let Some(malformed) = &report.malformed {
            return Err(unfit(&format!("is not JSON: {malformed}")));
        }
        if !report.violations.is_empty() {
            let violations: Vec<String> =
                report.violations.iter().map(ToString::to_string).collect();
            return Err(unfit("breaks its schema").with_detail("violations", violations));
        }
        serde_json::from_str(json)
            .map_err(|_| unfit("has a number beyond the range of JSON readers"))
    }
}

/// Returns the text inside of a fence of Markdown, if there is one around all of it.
fn without_fence(text: &str) -> &str {
    let text = text.trim();
    let inside = text.strip_prefix("```").and_then(|text| text.strip_suffix("```"));
    match inside.and_then(|inside| inside.split_once('\n')) {
        Some((_, body)) => body.trim(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn reply(text: &str) -> ChatReply {
        ChatReply::new("m", text)
    }

    #[test]
    fn structured_answers_are_checked() {
        let schema =
            json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
        for text in [r#"{"n": 7}"#, "```json\n{\"n\": 7}\n```", "  {\"n\": 7}\n"] {
            assert_eq!(reply(text).structured(&schema), Ok(json!({"n": 7})), "{text}");
        }
        let broken =
            reply(r#"{"n": "seven"}"#).structured(&schema).expect_err("a text is no integer");
        assert_eq!(broken.kind(), AgentErrorKind::Serialization);
        assert_eq!(broken.details()["violations"].as_array().map(Vec::len), Some(1));
        assert!(!format!("{broken:?}").contains("seven"), "{broken:?}");
        let error = reply("Seven.").structured(&schema).expect_err("a text is no JSON");
        assert!(error.message().starts_with("the answer is not JSON"), "{error}");
        let cut = reply("{").with_finish_reason(FinishReason::Length).structured(&schema);
        assert!(cut.expect_err("it was cut off").message().contains("cut off"));
        let error = reply("1").structured(&json!({"type": 7})).expect_err("no schema");
        assert_eq!(error.kind(), AgentErrorKind::Configuration);
    }

    #[test]
    fn debug_shows_no_text() {
        let call = ModelCall::new("c", "tool", "planted");
        let message = AssistantMessage::new("planted").with_calls([call]);
        let request = ChatRequest::of([
            ModelMessage::System("planted".to_owned()),
            ModelMessage::Assistant(message.clone()),
            ModelMessage::ToolResult { call_id: "c".to_owned(), text: "planted".to_owned() },
        ]);
        let reply = ChatReply::of_message("m", message);
        let shown = format!("{request:?} {reply:?} {:?}", request.messages());
        assert!(!shown.contains("planted"), "{shown}");
        assert_eq!(reply.finish_reason().as_str(), "tool_calls");
    }
}

//! A request to a model.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::message::ModelMessage;
use tool_contracts::ToolSpec;

/// A request to a model: messages, tools, and limits of the answer.
///
/// `Debug` shows counts only, because messages may contain secrets.
#[derive(Clone, Default)]
pub struct ChatRequest {
    model: Option<String>,
    messages: Vec<ModelMessage>,
    tools: Vec<Arc<ToolSpec>>,
    schema: Option<Value>,
    max_output_tokens: Option<u64>,
    temperature: Option<f64>,
    timeout: Option<Duration>,
}

impl ChatRequest {
    /// Creates a request with one message of the user.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self::from_messages([ModelMessage::User(text.into())])
    }

    /// Creates a request with these messages, oldest first.
    #[must_use]
    pub fn from_messages(messages: impl IntoIterator<Item = ModelMessage>) -> Self {
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

    /// Sets the tools that the model may call, such as
    /// [`Runtime::specs_for_model`](tool_runtime_core::Runtime::specs_for_model). A client may keep their
    /// declarations while it gets the same specs in memory.
    #[must_use]
    pub fn with_tools(self, specs: impl IntoIterator<Item: Into<Arc<ToolSpec>>>) -> Self {
        Self { tools: specs.into_iter().map(Into::into).collect(), ..self }
    }

    /// Sets the JSON Schema of the answer. A server may enforce it;
    /// [`ChatReply::structured`](super::ChatReply::structured) checks it.
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
    pub fn tools(&self) -> &[Arc<ToolSpec>] {
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

//! The interface of language models, and what is said with them.

mod message;
mod reply;
pub(super) mod wire_attachments;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use tool_contracts::ToolSpec;
use tool_runtime_core::tool::Attachment;

pub use self::message::{AssistantMessage, ModelCall, ModelMessage};
pub use self::reply::{ChatReply, FinishReason, TokenUsage};
use super::error::AgentError;

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

    /// Returns whether the model can read this image or file, whose content is in this process, in
    /// the [attachments](ModelMessage::attachments) of a tool's result.
    ///
    /// By default it can read none. A [`ToolLoop`](super::ToolLoop) sends only attachments that the
    /// model can read; of any other one it sends the name, the type, the size and the description.
    fn accepts(&self, _: &Attachment) -> bool {
        false
    }

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
    /// [`ChatReply::structured`] checks it.
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

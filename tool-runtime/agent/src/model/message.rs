//! The messages of a conversation with a model.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tool_runtime_core::tool::Attachment;

use super::wire_attachments;

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
    /// The answer to a call: see [`tool_result`](Self::tool_result).
    #[non_exhaustive]
    ToolResult {
        /// The call's id.
        call_id: String,
        /// The result as text.
        text: String,
        /// The images and files of the result that the model is shown.
        #[serde(default, skip_serializing_if = "Vec::is_empty", with = "wire_attachments")]
        attachments: Vec<Attachment>,
    },
}

impl ModelMessage {
    /// Creates the answer to the call with this id.
    #[must_use]
    pub fn tool_result(call_id: impl Into<String>, text: impl Into<String>) -> Self {
        Self::ToolResult { call_id: call_id.into(), text: text.into(), attachments: Vec::new() }
    }

    /// Sets the images and files of a tool's result, for models that
    /// [accept](super::ChatModel::accepts) them; other messages have none.
    #[must_use]
    pub fn with_attachments(mut self, files: impl IntoIterator<Item = Attachment>) -> Self {
        if let Self::ToolResult { attachments, .. } = &mut self {
            *attachments = files.into_iter().collect();
        }
        self
    }

    /// Returns the images and files of a tool's result.
    #[must_use]
    pub fn attachments(&self) -> &[Attachment] {
        match self {
            Self::ToolResult { attachments, .. } => attachments,
            Self::System(_) | Self::User(_) | Self::Assistant(_) => &[],
        }
    }

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

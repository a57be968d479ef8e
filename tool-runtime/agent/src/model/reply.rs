//! The answer of a model, with what it took.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tool_runtime_schema::Limits;
use tool_runtime_schema::json::from_text;
use tool_runtime_schema::schema::{Coerce, Validator};

use super::message::{AssistantMessage, ModelCall};
use crate::error::{AgentError, AgentErrorKind};

/// Why a model stopped.
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
    /// Another reason, as the provider names it. A [`ToolLoop`](crate::ToolLoop) runs no call
    /// of such an answer, because it may be incomplete.
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
        Self::from_message(model, AssistantMessage::new(text))
    }

    /// Creates an answer from a message; one with calls waits for their answers.
    #[must_use]
    pub fn from_message(model: impl Into<String>, message: AssistantMessage) -> Self {
        let waits = !message.calls().is_empty();
        let finish_reason = if waits { FinishReason::ToolCalls } else { FinishReason::Stop };
        let latency = Duration::ZERO;
        let model = model.into();
        Self { model, message, finish_reason, usage: None, latency, is_fallback: false }
    }

    /// Sets why the model stopped.
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

    /// Removes the provider's own messages, which later requests of the same conversation repeat.
    pub(crate) fn without_provider_messages(self) -> Self {
        Self { message: self.message.with_provider_messages([]), ..self }
    }

    /// Returns the model that answered.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Returns the text; empty if there is none.
    #[must_use]
    pub fn text(&self) -> &str {
        self.message.text()
    }

    /// Returns the calls that the model requests, in its order.
    #[must_use]
    pub fn calls(&self) -> &[ModelCall] {
        self.message.calls()
    }

    /// Returns the answer as a message of the next request.
    #[must_use]
    pub const fn message(&self) -> &AssistantMessage {
        &self.message
    }

    /// Returns why the model stopped.
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
        from_text(json).map_err(|_| unfit("has a number beyond the range of JSON readers"))
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

    use super::super::{ChatRequest, ModelMessage};
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
        let request = ChatRequest::from_messages([
            ModelMessage::System("planted".to_owned()),
            ModelMessage::Assistant(message.clone()),
            ModelMessage::tool_result("c", "planted"),
        ]);
        let reply = ChatReply::from_message("m", message);
        let shown = format!("{request:?} {reply:?} {:?}", request.messages());
        assert!(!shown.contains("planted"), "{shown}");
        assert_eq!(reply.finish_reason().as_str(), "tool_calls");
    }
}

//! The interface of language models, and what is said with them.

mod message;
mod reply;
mod request;
pub(super) mod wire_attachments;

use std::fmt;

use async_trait::async_trait;

use tool_runtime_core::tool::Attachment;

pub use self::message::{AssistantMessage, ModelCall, ModelMessage};
pub use self::reply::{ChatReply, FinishReason, TokenUsage};
pub use self::request::ChatRequest;
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

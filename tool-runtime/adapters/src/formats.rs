//! Finds the implementation of each dialect.

use super::Dialect;
use super::anthropic::Messages;
use super::bedrock::Converse;
use super::format::DialectFormat;
use super::gemini::GenerateContent;
use super::ollama::OllamaChat;
use super::openai::chat::ChatCompletions;
use super::openai::responses::Responses;

impl Dialect {
    /// Returns the implementation of this dialect.
    pub(super) fn format(self) -> &'static dyn DialectFormat {
        match self {
            Self::OpenAiChat => &ChatCompletions,
            Self::OpenAiResponses => &Responses,
            Self::Anthropic => &Messages,
            Self::Gemini => &GenerateContent,
            Self::BedrockConverse => &Converse,
            Self::Ollama => &OllamaChat,
        }
    }
}

//! The supported providers' formats.

use std::fmt;

/// A provider's format for tools and calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// OpenAI's `POST /v1/chat/completions`, and compatible servers.
    OpenAiChat,
    /// OpenAI's `POST /v1/responses`.
    OpenAiResponses,
    /// Anthropic's `POST /v1/messages`.
    Anthropic,
    /// Gemini's `generateContent` and `streamGenerateContent`.
    Gemini,
    /// Amazon Bedrock's `Converse` and `ConverseStream`.
    BedrockConverse,
    /// Ollama's `POST /api/chat`.
    Ollama,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: [Self; 6] = [
        Self::OpenAiChat,
        Self::OpenAiResponses,
        Self::Anthropic,
        Self::Gemini,
        Self::BedrockConverse,
        Self::Ollama,
    ];

    /// Returns the short name: `openai`, `responses`, `anthropic`, `gemini`, `bedrock` or `ollama`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OpenAiChat => "openai",
            Self::OpenAiResponses => "responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::BedrockConverse => "bedrock",
            Self::Ollama => "ollama",
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

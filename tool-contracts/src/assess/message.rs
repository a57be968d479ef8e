//! The messages of a conversation.

use std::fmt;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    ContractError,
    contract_error::Problems,
    wire::{self, reads, words, write_time},
};

/// The author of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema)]
#[schemars(rename_all = "snake_case", transform = crate::schemas::documented("chat_role"))]
#[non_exhaustive]
pub enum ChatRole {
    /// The user.
    User,
    /// The model.
    Assistant,
    /// The host, with instructions.
    System,
}

words!(ChatRole { User = "user", Assistant = "assistant", System = "system" });

/// A message of a conversation. `Debug` shows the text's length only.
///
/// ```
/// use tool_contracts::assess::{ChatMessage, ChatRole};
///
/// let time = "2026-05-03T12:34:56Z".parse()?;
/// let message = ChatMessage::new(ChatRole::User, "Which orders are open?", time, 5)?;
/// assert_eq!(message.role(), ChatRole::User);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = crate::schemas::documented("chat_message"))]
pub struct ChatMessage {
    /// The author.
    role: ChatRole,
    /// The text.
    content: String,
    /// The time at which it was written.
    #[serde(serialize_with = "write_time")]
    #[schemars(extend("pattern" = wire::WITH_OFFSET))]
    timestamp: DateTime<Utc>,
    /// The tokens of the text.
    tokens: u64,
}

impl ChatMessage {
    /// Creates a message with the tokens of its text.
    ///
    /// # Errors
    /// Returns an error if the year does not have four digits.
    pub fn new(
        role: ChatRole,
        content: impl Into<String>,
        timestamp: DateTime<Utc>,
        tokens: u64,
    ) -> Result<Self, ContractError> {
        let mut problems = Problems::new("ChatMessage");
        problems.writable("timestamp", &timestamp);
        problems.finish()?;
        Ok(Self { role, content: content.into(), timestamp, tokens })
    }

    /// Returns the author.
    #[must_use]
    pub const fn role(&self) -> ChatRole {
        self.role
    }

    /// Returns the text.
    #[must_use]
    pub fn content(&self) -> &str {
        &self.content
    }

    /// Returns the time at which it was written.
    #[must_use]
    pub const fn timestamp(&self) -> DateTime<Utc> {
        self.timestamp
    }

    /// Returns the tokens of the text.
    #[must_use]
    pub const fn tokens(&self) -> u64 {
        self.tokens
    }
}

/// Shows the text's length only.
impl fmt::Debug for ChatMessage {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("ChatMessage")
            .field("role", &self.role)
            .field("content", &format_args!("{} bytes", self.content.len()))
            .field("timestamp", &self.timestamp)
            .field("tokens", &self.tokens)
            .finish()
    }
}

reads! {
    ChatMessage, "a message";
    required role = "role", nested ChatRole;
    required content = "content", leaf wire::Text;
    required timestamp = "timestamp", leaf wire::Instant;
    required tokens = "tokens", leaf wire::Whole<u64>;
    => Ok(ChatMessage { role, content, timestamp, tokens })
}

//! Provider adapters: convert tools to declarations, responses to calls, and results to messages.
//!
//! An [`Adapter`] converts data only and opens no connection: tools become the declarations of a
//! provider's request; the provider's response, complete or streamed, becomes the calls that a
//! model requests; their answers become messages of the next request.

mod adapter;
mod answer;
mod answers;
mod anthropic;
mod bedrock;
mod bridge;
mod builder;
mod client_type_error;
mod client_types;
mod content_blocks;
mod conversation;
mod custom_tools;
mod declare;
mod dialect;
mod disclosure;
mod edits;
mod examples;
mod format;
mod formats;
mod framing;
mod gemini;
mod limits;
mod names;
mod ollama;
mod openai;
mod prompt_cache;
mod provider_schema;
mod raw_messages;
mod renamed;
mod report;
mod request_fields;
mod response_digest;
mod restore;
mod strict_nulls;
mod strict_quota;
mod tool_choice;
mod toolkits;
mod turn;
mod turn_stream;
mod turn_usage;
mod wide_integers;

pub use self::adapter::Adapter;
pub use self::answer::ToolAnswer;
pub use self::answers::AnswerError;
pub use self::bridge::ClientBridge;
pub use self::builder::AdapterBuilder;
pub use self::client_type_error::ClientTypeError;
pub use self::custom_tools::{CustomToolError, CustomToolFormat, CustomToolsBuilder};
pub use self::dialect::Dialect;
pub use self::disclosure::{Disclosure, ToolSearch};
pub use self::format::{DeclaredTool, Delta, ProviderError, ReadError, StopReason};
#[doc(hidden)]
pub use self::format::{StopKind, data_with_notes};
pub use self::limits::LimitWarning;
pub use self::openai::chat::{
    answer::files_message,
    file_parts::{file_part, is_file},
};
pub use self::prompt_cache::CacheLifetime;
pub use self::report::{DeclarationLoss, DeclarationReport};
pub use self::tool_choice::{CallRules, ToolChoice, ToolChoiceError};
pub use self::toolkits::ToolkitText;
pub use self::turn::{RequestedCall, Turn};
pub use self::turn_stream::TurnStream;
pub use self::turn_usage::TurnUsage;

#[cfg(test)]
mod tests;

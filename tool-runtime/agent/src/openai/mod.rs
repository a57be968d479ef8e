//! A client of servers with OpenAI's API: chats, streams, embeddings.

mod adapter_cache;
mod attempts;
mod builder;
mod chat;
mod embeddings;
mod endpoint;
mod request;

pub use self::builder::{OpenAiBuilder, ProviderPrefix};
pub use self::chat::OpenAiModel;
pub use self::embeddings::OpenAiEmbedder;

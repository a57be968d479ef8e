//! A client of servers with OpenAI's API: chats, streams, embeddings.

// It is not built on async-openai (0.43 was read): its types of answers drop fields that they do not
// name, such as `reasoning_content`, and refuse answers of compatible servers: unknown finish reasons,
// numeric error codes, a call's piece without `index`. A whole answer to a streamed request is no event
// of its streams. It reads bodies without a limit, gives no `Retry-After` to its caller, and logs what it
// cannot read. With types of one's own (`byot`) only the sending of a body would be left.

mod builder;
mod chat;
mod embeddings;
mod endpoint;
mod tool_sets;

pub use self::builder::OpenAiBuilder;
pub use self::chat::OpenAiModel;
pub use self::embeddings::OpenAiEmbedder;
pub use self::endpoint::ProviderPrefix;

//! The tools in a provider's dialect: declarations out, calls in, answers back.
//!
//! An [`Adapter`] is data to data, three ways: the tools become the declarations that a provider's
//! request carries; the provider's response, whole or streamed, becomes the calls that a model asks
//! for; their answers become the messages of the next request. It opens no connection.

mod adapter;
mod answer;
mod answers;
mod anthropic;
mod bedrock;
mod conversation;
mod declare;
mod dialect;
mod gemini;
mod lower;
mod names;
mod ollama;
mod openai;
mod place;
mod read_error;
mod report;
mod restore;
mod said;
mod stream;
mod toolkits;
mod turn;

pub use self::adapter::{Adapter, AdapterBuilder};
pub use self::answer::Answer;
pub use self::answers::AnswerError;
pub use self::dialect::Dialect;
pub use self::read_error::{ProviderError, ReadError};
pub use self::report::{Loss, Report};
pub use self::stream::{Delta, TurnStream};
pub use self::toolkits::ToolkitText;
pub use self::turn::{Asked, Stop, Turn};

#[cfg(test)]
mod tests;

//! OpenAI Chat Completions API, and compatible servers.

mod answer;
mod declare;
mod partial_calls;
mod read;
mod stream;

pub(in crate::adapters) use self::answer::answer;
pub(in crate::adapters) use self::declare::declare;
pub(in crate::adapters) use self::read::read;
pub(in crate::adapters) use self::stream::ChatStream;

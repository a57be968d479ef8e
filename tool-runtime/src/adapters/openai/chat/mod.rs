//! OpenAI's Chat Completions, and what speaks like it.

mod answer;
mod declare;
mod read;
mod slots;
mod stream;

pub(in crate::adapters) use self::answer::answer;
pub(in crate::adapters) use self::declare::declare;
pub(in crate::adapters) use self::read::read;
pub(in crate::adapters) use self::stream::Gathered;

//! OpenAI's Responses.

mod answer;
mod items;
mod read;
mod stream;

pub(in crate::adapters) use self::answer::answer;
pub(in crate::adapters) use self::read::read;
pub(in crate::adapters) use self::stream::Gathered;

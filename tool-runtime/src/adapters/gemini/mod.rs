//! Gemini `generateContent` API.

mod answer;
mod declare;
mod parts;
mod read;
mod stream;

pub(super) use self::answer::answer;
pub(super) use self::declare::declare;
pub(super) use self::read::read;
pub(super) use self::stream::GenerateStream;

//! Amazon Bedrock Converse API.

mod answer;
mod blocks;
mod declare;
mod read;
mod stream;

pub(super) use self::answer::answer;
pub(super) use self::declare::declare;
pub(super) use self::read::read;
pub(super) use self::stream::ConverseStream;

//! OpenAI's two APIs.

pub(super) mod chat;
pub(super) mod responses;
mod schema;

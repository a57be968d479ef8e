//! OpenAI's two APIs.

pub(super) mod chat;
mod choose;
pub(super) mod responses;
mod schema;

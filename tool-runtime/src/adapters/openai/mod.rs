//! OpenAI's two dialects.

pub(super) mod chat;
pub(super) mod responses;

//! The client of models, against a server over real HTTP.

mod chats;
mod configuration;
mod contexts;
mod embedder;
mod failures;
mod streams;

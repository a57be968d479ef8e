//! The guide of a historic village: tools over HTTP, over real texts, on SQLite or PostgreSQL.
//!
//! `cargo run -p heritage-server` starts it; the folder's README has the lines to try. `guide/` is
//! what the guide knows, `tools/` is what a model may ask of it, `store/` the two databases under it,
//! and `host.rs` puts them behind one policy, on the record.

mod files;
mod guide;
mod host;
mod keys;
mod options;
mod program;
mod secret;
mod store;
#[cfg(test)]
mod tests;
mod tools;
mod words;

pub use self::options::Options;
pub use self::program::run;

//! The guide of a historic village: tools over HTTP, over real texts, on SQLite or PostgreSQL.
//!
//! `cargo run -p heritage-server` starts it, and [`Host`] opens it in a program of one's own; the folder's README has commands to try. `guide/` is
//! the guide's data, `tools/` are the model's tools, `store/` the two databases, and `host.rs`
//! runs them under one policy, with a ledger.

mod drawing;
mod files;
mod guide;
mod host;
mod keys;
mod options;
mod program;
mod protocol;
mod secret;
mod store;
#[cfg(test)]
mod tests;
mod tools;
mod words;

pub use self::host::Host;
pub use self::options::Options;
pub use self::program::run;

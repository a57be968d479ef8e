//! Serves the tools of a runtime by the Model Context Protocol, over HTTP and over standard streams.
//!
//! `rmcp` has the protocol: messages, revisions, transports. This module has what the protocol asks of
//! the tools: it makes the callers, the rights and the calls of [`http`](crate::http) serve them.

mod answer;
mod blocks;
mod call;
mod changes;
mod config;
mod confirmation;
mod context;
mod dialogue;
mod direct;
mod endpoint;
mod handler;
mod input;
mod listing;
mod message;
#[cfg(all(test, feature = "jwt"))]
mod oauth_tests;
mod paging;
mod progress;
mod request_state;
mod resource;
mod revision;
mod router;
mod running_calls;
mod schema;
mod sessions;
mod settings;
mod stdio;
mod tasks;
mod transport;
mod user;

pub use self::config::{Icon, McpConfig};
pub use self::resource::ProtectedResource;
pub(in crate::http) use self::resource::challenge_parameter;
pub use self::router::router;
pub(in crate::http) use self::router::{PATHS, mounted};
pub(in crate::http) use self::settings::McpSettings;
pub use self::stdio::{Stdio, StdioError, stdio};

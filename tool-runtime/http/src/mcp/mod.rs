//! Serves the tools of a runtime by the Model Context Protocol, over HTTP and over standard streams.
//!
//! `rmcp` has the protocol: messages, revisions, transports. This module has what the protocol asks of
//! the tools: it makes the callers, the rights and the calls of [`http`](crate) serve them.

mod answer;
mod blocks;
mod call;
mod changes;
mod client_channel;
mod confirmation;
mod context;
mod endpoint;
mod handler;
mod input;
mod listing;
mod message;
mod metadata;
#[cfg(all(test, feature = "jwt"))]
mod oauth_tests;
mod outputs;
mod paging;
mod progress;
mod request_state;
mod revision;
mod router;
mod running_calls;
mod schema;
mod sessions;
mod stateless_call;
mod stdio;
mod tasks;
mod transport;
mod user;

pub(crate) use self::router::{PATHS, mount};
pub use self::stdio::{Stdio, StdioError, stdio};
pub use crate::router::mcp_alone::router;
pub use crate::state::config::mcp::{Icon, McpConfig, ProtectedResource};

//! The tools over HTTP: lists, calls, approvals, traces and outcomes, for clients in any language.
//!
//! [`router`] returns an [`axum::Router`], which can be nested under any path of an application;
//! [`Server`] serves one on a network. The bodies are types of
//! [`contracts::server`](tool_contracts::server) and
//! [`contracts::envelope`](tool_contracts::envelope).
//!
//! This module uses the public API of the runtime. It authenticates a request ([`Auth`]), makes the
//! call's context from its headers and body, and turns the call's output into a response.

mod auth;
mod endpoints;
#[cfg(feature = "mcp")]
#[doc(hidden)]
pub mod mcp;
#[cfg(not(feature = "mcp"))]
mod no_mcp;
mod openapi;
mod problem;
mod request;
mod response;
mod route_builder;
pub(crate) mod router;
mod routes;
mod server;
mod state;
#[cfg(test)]
mod tests;

pub use self::auth::{
    ApiKey, ApiKeyError, ApiKeyHash, ApiKeySet, ApiKeys, Auth, Principal, Requester, Scope, Scopes,
    UnknownScope, Users,
};
#[cfg(feature = "jwt")]
pub use self::auth::{Jwks, JwksError, JwtConfigError, JwtVerifier, TokenSubject};
#[cfg(not(feature = "mcp"))]
use self::no_mcp as mcp;
pub use self::router::{Routers, router, routers};
#[cfg(feature = "tls")]
#[cfg_attr(docsrs, doc(cfg(feature = "tls")))]
pub use self::server::Tls;
pub use self::server::{
    BoundServer, ClientAddress, Network, NetworkError, ServeError, ServeErrorKind, Server,
    ServerLimits, ShutdownReport, shutdown_signal,
};
pub use self::state::config::HttpConfig;
pub use self::state::drain::{Drain, DrainGuard};
pub use self::state::rate::RateLimits;

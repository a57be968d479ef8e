//! The tools over HTTP: lists, calls, approvals, traces and outcomes, for clients in any language.
//!
//! [`router`] returns an [`axum::Router`], which can be nested under any path of an application;
//! [`Server`] serves one on a network. The bodies are types of
//! [`contracts::server`](tool_contracts::server) and
//! [`contracts::envelope`](tool_contracts::envelope).
//!
//! This module uses the public API of the runtime. It authenticates a request ([`Auth`]), makes the
//! call's context from its headers and body, and turns the call's output into a response.

mod access_records;
mod app;
mod approvals;
mod auth;
mod body;
mod body_schema;
mod bounds;
mod call;
mod caller;
mod config;
mod drain;
mod endpoint;
mod evidence;
#[cfg(test)]
mod fairness_tests;
#[cfg(test)]
mod fixture;
mod hosts;
mod list;
mod metrics;
mod openapi;
mod outcomes;
mod paging;
mod probes;
mod problem;
mod quota;
mod rate;
mod refusal_counts;
#[cfg(feature = "trace")]
mod refusal_log;
mod request;
mod response;
mod router;
mod routes;
mod server;
mod status;
mod traces;
mod unread;

pub use self::auth::{
    ApiKey, ApiKeyError, ApiKeyHash, ApiKeySet, ApiKeys, Asker, Auth, Principal, Scope, Scopes,
    UnknownScope, Users,
};
#[cfg(feature = "jwt")]
pub use self::auth::{Jwks, JwksError, JwtConfigError, JwtVerifier, TokenSubject};
pub use self::config::HttpConfig;
pub use self::drain::{Drain, DrainGuard};
pub use self::rate::RateLimits;
pub use self::router::{Routers, router, routers};
#[cfg(feature = "tls")]
#[cfg_attr(docsrs, doc(cfg(feature = "tls")))]
pub use self::server::Tls;
pub use self::server::{
    BoundServer, ClientAddress, Network, NetworkError, ServeError, ServeErrorKind, Server,
    ServerLimits, ShutdownReport, shutdown_signal,
};

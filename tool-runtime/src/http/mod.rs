//! The tools over HTTP: listed, called, approved and looked back on, by callers in any language.
//!
//! [`router`] gives an [`axum::Router`], which can be nested under any path of a program of one's
//! own; [`Server`] puts one on a network. The bodies are those of
//! [`contracts::server`](tool_contracts::server).
//!
//! The rim uses what the runtime offers to everybody and adds who calls: it proves who a request is
//! from ([`Auth`]), makes the call's context from its headers and body, and says the call's answer
//! in HTTP's words.

mod accesses;
mod answer;
mod app;
mod approvals;
mod auth;
mod body;
mod bounds;
mod call;
mod caller;
mod config;
mod desk;
mod drain;
mod evidence;
#[cfg(test)]
mod fair_shares;
#[cfg(test)]
mod fixture;
mod flood;
mod form;
mod hosts;
mod list;
mod metrics;
mod openapi;
mod outcomes;
mod paging;
mod probes;
mod problem;
mod rate;
mod receiving;
#[cfg(feature = "trace")]
mod refusals;
mod router;
mod server;
mod shares;
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

//! The router of the Model Context Protocol without the HTTP API.

use axum::Router;
use tool_runtime_core::Runtime;

use super::{Routers, routers_of};
use crate::state::config::HttpConfig;

/// Serves the tools of a runtime by the Model Context Protocol alone, at `/mcp`, with the probes.
///
/// [`http::router`](crate::router) serves the HTTP API too. The configuration has a
/// [`McpConfig`](crate::mcp::McpConfig); without one nothing is served but the probes.
///
/// ```
/// use tool_runtime::http::{Auth, HttpConfig, Principal};
/// use tool_runtime::mcp::{self, McpConfig};
/// use tool_runtime::prelude::*;
///
/// let runtime = Runtime::builder().build()?;
/// let config = HttpConfig::new(Auth::unauthenticated_as(Principal::trusted("laptop")))
///     .without_tenants()
///     .mcp(McpConfig::new("shop", "1.0.0"));
/// let app: axum::Router = mcp::router(runtime, config);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn router(runtime: Runtime, config: HttpConfig) -> Router {
    let Routers { api, .. } = routers_of(runtime, config, false);
    api
}

//! The routes of the API.

use std::sync::Arc;

use axum::Router;
use tool_runtime_core::Runtime;

use crate::mcp;
use crate::route_builder::{self, MeteredHandler};
use crate::routes::{self, Route};
use crate::state::app::{App, SharedApp};
use crate::state::config::HttpConfig;
use crate::state::metrics;

#[cfg(feature = "mcp")]
pub(crate) mod mcp_alone;
#[cfg(test)]
mod tests;

/// Serves a runtime's tools: an [`axum::Router`] that can be nested under any path.
///
/// Unknown paths and methods are answered too, in the format of every failure. Nested, that holds
/// below its path; merged, for every path that no other router has. To merge it into a router with
/// its own fallback, call [`Router::reset_fallback`] first.
///
/// ```
/// use axum::Router;
/// use tool_runtime::http::{self, Auth, HttpConfig, Principal};
/// use tool_runtime::prelude::*;
///
/// /// Adds two numbers.
/// #[ai_tool(effect = "read")]
/// async fn add(
///     /// The first.
///     a: i64,
///     /// The second.
///     b: i64,
/// ) -> i64 {
///     a + b
/// }
///
/// let runtime = Runtime::builder().tool::<AddTool>().build()?;
/// let config = HttpConfig::new(Auth::unauthenticated_as(Principal::trusted("laptop")));
/// let app: Router = Router::new().nest("/api", http::router(runtime, config));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn router(runtime: Runtime, config: HttpConfig) -> Router {
    routers(runtime, config).api
}

/// The router of a runtime's tools, and a separate router of its probes.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Routers {
    /// Everything that [`router`] serves, including the probes.
    pub api: Router,
    /// Only `/healthz`, `/readyz` and `/metrics` of the same server, for
    /// [`Server::probes_on`](super::Server::probes_on).
    pub probes: Router,
}

/// Serves a runtime's tools as [`router`] does, and its probes in a separate router too.
#[must_use]
pub fn routers(runtime: Runtime, config: HttpConfig) -> Routers {
    routers_of(runtime, config, true)
}

/// Serves the probes, the Model Context Protocol if it is configured, and the API if it is wanted.
fn routers_of(runtime: Runtime, config: HttpConfig, serves_api: bool) -> Routers {
    let paths = if config.mcp.is_some() { &mcp::PATHS[..] } else { &[] };
    let labels = Route::ALL.iter().map(|route| route.as_str()).chain(paths.iter().copied());
    let app = Arc::new(App::new(runtime, config, labels));
    metrics::export(&app);
    let served = |routes: Router<SharedApp>| {
        routes
            .fallback(MeteredHandler::new(Route::Unknown.id(), route_builder::no_path))
            .with_state(app.clone())
    };
    let mut routes = mcp::mount(routes::probes(), &app, &app.config.mcp, Route::ALL.len());
    if serves_api {
        routes = routes.merge(routes::api());
    }
    Routers { api: served(routes), probes: served(routes::probes()) }
}

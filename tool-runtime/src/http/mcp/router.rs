//! The routes of the protocol, alone or beside those of the HTTP API.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};

use super::endpoint::McpEndpoint;
use super::resource::{self, WELL_KNOWN};
use super::settings::McpSettings;
use crate::Runtime;
use crate::http::request::admission::Admitted;
use crate::http::response::{Audit, ResponseFormat};
use crate::http::route_builder::{
    EndpointMethod, RouteId, admitted_by_any_method, without_admission,
};
use crate::http::router::routers_of;
use crate::http::state::app::SharedApp;
use crate::http::{HttpConfig, Routers};

/// The paths of the protocol, as metrics count them.
pub(in crate::http) const PATHS: [&str; 2] = ["/mcp", WELL_KNOWN];

/// Serves the tools of a runtime by the Model Context Protocol alone, at `/mcp`, with the probes.
///
/// [`http::router`](crate::http::router) serves the HTTP API beside it. The configuration has a
/// [`McpConfig`](super::McpConfig); without one nothing is served but the probes.
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

/// Adds the protocol to a router, if the configuration has it.
///
/// `first` is the index of the metrics of the first of its [`PATHS`].
pub(in crate::http) fn mounted(
    routes: Router<SharedApp>,
    app: &SharedApp,
    settings: &McpSettings,
    first: usize,
) -> Router<SharedApp> {
    let Some(config) = settings else { return routes };
    let endpoint = Arc::new(McpEndpoint::new(app, config));
    let handler =
        move |admitted: Admitted, State(app): State<SharedApp>, audit: Audit, request: Request| {
            let endpoint = McpEndpoint::clone(&endpoint);
            endpoint.handle(admitted, app, audit, request)
        };
    let format = ResponseFormat::CallResponse;
    let route = RouteId { index: first, format, is_resource: true };
    let [path, well_known] = PATHS;
    let described = || {
        let route = RouteId { index: first + 1, format, is_resource: false };
        without_admission(EndpointMethod::Get, route, route, resource::metadata)
    };
    routes
        .route(path, admitted_by_any_method(route, handler))
        .route(well_known, described())
        .route(&format!("{well_known}/{{*path}}"), described())
}

//! The routes of the protocol.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};

use super::endpoint::McpEndpoint;
use super::metadata;
use crate::request::admission::Admitted;
use crate::response::ResponseFormat;
use crate::route_builder::{EndpointMethod, RouteId, admitted_by_any_method, without_admission};
use crate::state::app::SharedApp;
use crate::state::config::mcp::{McpSettings, WELL_KNOWN};

/// The paths of the protocol, as metrics count them.
pub(crate) const PATHS: [&str; 2] = ["/mcp", WELL_KNOWN];

/// Adds the protocol to a router, if the configuration has it.
///
/// `first` is the index of the metrics of the first of its [`PATHS`].
pub(crate) fn mount(
    routes: Router<SharedApp>,
    app: &SharedApp,
    settings: &McpSettings,
    first: usize,
) -> Router<SharedApp> {
    let Some(config) = settings else { return routes };
    let endpoint = Arc::new(McpEndpoint::new(app, config));
    let handler = move |admitted: Admitted, State(app): State<SharedApp>, request: Request| {
        let endpoint = McpEndpoint::clone(&endpoint);
        endpoint.handle(admitted, app, request)
    };
    let format = ResponseFormat::CallResponse;
    let route = RouteId { index: first, format, is_resource: true };
    let [path, well_known] = PATHS;
    let metadata_route = || {
        let route = RouteId { index: first + 1, format, is_resource: false };
        without_admission(EndpointMethod::Get, route, route, metadata::metadata)
    };
    routes
        .route(path, admitted_by_any_method(route, handler))
        .route(well_known, metadata_route())
        .route(&format!("{well_known}/{{*path}}"), metadata_route())
}

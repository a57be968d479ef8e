//! The paths, and who answers them.

use std::sync::Arc;

use axum::Router;
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use tool_contracts::ErrorCode;

use super::HttpConfig;
use super::app::App;
use super::metrics::{Route, measured};
use super::problem::Problem;
use super::{approvals, call, list, openapi, probes, receiving, traces};
use crate::Runtime;

#[cfg(test)]
mod tests;

/// Serves a runtime's tools: an [`axum::Router`] that can be nested under any path.
///
/// Paths and methods that it does not have are answered too, in the body of every failure. Nested,
/// that holds below its path; merged, for every path that no other router has. A router with a
/// fallback of its own takes it merged after [`Router::reset_fallback`].
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
/// let runtime = Runtime::builder().tool::<Add>().build()?;
/// let config = HttpConfig::new(Auth::trusting_the_network_as(Principal::trusted("laptop")));
/// let app: Router = Router::new().nest("/api", http::router(runtime, config));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn router(runtime: Runtime, config: HttpConfig) -> Router {
    let app = Arc::new(App::new(runtime, config));
    Router::new()
        .route("/tools/list", post(measured(Route::List, list::list)))
        .route("/tools/call", post(measured(Route::Call, call::call)))
        .route("/approvals", get(measured(Route::Approvals, approvals::list)))
        .route("/approvals/{ticket}", post(measured(Route::Approval, approvals::decide)))
        .route("/traces/{id}", get(measured(Route::Trace, traces::read)))
        .route("/traces/{id}/replay", post(measured(Route::Replay, traces::replay)))
        .route("/openapi.json", get(measured(Route::OpenApi, openapi::document)))
        .route("/healthz", get(measured(Route::Health, probes::health)))
        .route("/readyz", get(measured(Route::Ready, probes::ready)))
        .route("/metrics", get(measured(Route::Metrics, probes::metrics)))
        .method_not_allowed_fallback(measured(Route::Unknown, wrong_method))
        .fallback(measured(Route::Unknown, no_path))
        .with_state(app)
}

/// Answers a method that a path does not have; axum says in `Allow` which it has.
async fn wrong_method(parts: Parts) -> Response {
    if parts.method == Method::OPTIONS {
        return StatusCode::NO_CONTENT.into_response();
    }
    let message = "this path does not take this method; `allow` says which it takes";
    let status = StatusCode::METHOD_NOT_ALLOWED;
    receiving::refused(&parts, Problem::new(status, ErrorCode::InvalidArgument, message))
}

async fn no_path(parts: Parts) -> Response {
    let problem = Problem::of(ErrorCode::NotFound, "nothing is served under this path");
    receiving::refused(&parts, problem)
}

//! The paths, and who answers them.

use std::sync::Arc;

use axum::Router;
use axum::handler::Handler;
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use tool_contracts::ErrorCode;

use super::HttpConfig;
use super::answer::ResponseFormat;
use super::app::{App, Shared};
use super::metrics::{Route, measured};
use super::problem::Problem;
use super::{approvals, call, evidence, list, openapi, outcomes, probes, receiving, traces};
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
    routers(runtime, config).api
}

/// A runtime's tools over HTTP, and its probes apart.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Routers {
    /// Everything that [`router`] serves, the probes too.
    pub api: Router,
    /// `/healthz`, `/readyz` and `/metrics` of the same server alone, for
    /// [`Server::probes_on`](super::Server::probes_on).
    pub probes: Router,
}

/// Serves a runtime's tools as [`router`] does, and its probes in a router of their own too.
pub fn routers(runtime: Runtime, config: HttpConfig) -> Routers {
    let app = Arc::new(App::new(runtime, config));
    let probes = probes().fallback(measured(Route::Unknown, no_path)).with_state(app.clone());
    Routers { api: api(app), probes }
}

fn probes() -> Router<Shared> {
    Router::new()
        .route("/healthz", got(Route::Health, probes::health))
        .route("/readyz", got(Route::Ready, probes::ready))
        .route("/metrics", got(Route::Metrics, probes::metrics))
}

fn api(app: Shared) -> Router {
    probes()
        .route("/tools/list", posted(Route::List, list::list))
        .route("/tools/call", posted(Route::Call, call::call))
        .route("/calls/{tool}", posted(Route::EnvelopeCall, call::envelope_call))
        .route("/approvals", got(Route::Approvals, approvals::list))
        .route("/approvals/{ticket}", posted(Route::Approval, approvals::decide))
        .route("/traces/{id}", got(Route::Trace, traces::read))
        .route("/traces/{id}/replay", posted(Route::Replay, traces::replay))
        .route("/outcomes", got(Route::Outcomes, outcomes::list))
        .route("/outcomes/{id}", posted(Route::Outcome, outcomes::resolve))
        .route("/evidence", got(Route::EvidenceList, evidence::list))
        .route("/evidence/{id}", got(Route::Evidence, evidence::find))
        .route("/evidence/{id}/contents", posted(Route::EvidenceContents, evidence::read))
        .route("/openapi.json", got(Route::OpenApi, openapi::document))
        .fallback(measured(Route::Unknown, no_path))
        .with_state(app)
}

/// A path that takes `POST`, and tells so whoever sends something else; axum tells it in `Allow`.
fn posted<H, T>(route: Route, handler: H) -> MethodRouter<Shared>
where
    H: Handler<T, Shared>,
    T: Send + 'static,
{
    let format = format_of(route);
    let other = async move |parts: Parts| wrong_method(&parts, &["POST"], format);
    post(measured(route, handler)).fallback(measured(Route::Unknown, other))
}

/// A path that takes `GET`, and so `HEAD`.
fn got<H, T>(route: Route, handler: H) -> MethodRouter<Shared>
where
    H: Handler<T, Shared>,
    T: Send + 'static,
{
    let format = format_of(route);
    let other = async move |parts: Parts| wrong_method(&parts, &["GET", "HEAD"], format);
    get(measured(route, handler)).fallback(measured(Route::Unknown, other))
}

/// Returns the format of a path's answers.
fn format_of(route: Route) -> ResponseFormat {
    if route == Route::EnvelopeCall {
        ResponseFormat::Envelope
    } else {
        ResponseFormat::CallResponse
    }
}

fn wrong_method(parts: &Parts, taken: &[&str], format: ResponseFormat) -> Response {
    if parts.method == Method::OPTIONS {
        return StatusCode::NO_CONTENT.into_response();
    }
    let (sent, taken_words) = (sent(&parts.method), taken.join(" and "));
    let message = format!("this path does not take {sent}; it takes {taken_words}");
    let problem = Problem::new(StatusCode::METHOD_NOT_ALLOWED, ErrorCode::InvalidArgument, message);
    receiving::refused_as(format, parts, problem.with_detail("allowed", taken))
}

/// Names the methods that there are; any other is a word of the caller's own.
fn sent(method: &Method) -> &str {
    const KNOWN: [Method; 8] = [
        Method::CONNECT,
        Method::DELETE,
        Method::GET,
        Method::HEAD,
        Method::PATCH,
        Method::POST,
        Method::PUT,
        Method::TRACE,
    ];
    if KNOWN.contains(method) { method.as_str() } else { "this method" }
}

async fn no_path(parts: Parts) -> Response {
    let problem = Problem::of(ErrorCode::NotFound, "nothing is served under this path");
    receiving::refused(&parts, problem)
}

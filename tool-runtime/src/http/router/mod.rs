//! The routes of the API.

use std::sync::Arc;

use axum::Router;
use axum::handler::Handler;
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use tool_contracts::ErrorCode;

use self::measured::measured;
use crate::Runtime;
use crate::http::problem::Problem;
use crate::http::request::admission as request;
use crate::http::response::ResponseFormat;
use crate::http::routes;
use crate::http::routes::Route;
use crate::http::state::app::{App, SharedApp};
use crate::http::state::config::HttpConfig;

mod measured;
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
/// let config = HttpConfig::new(Auth::trusting_the_network_as(Principal::trusted("laptop")));
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
    let app = Arc::new(App::new(runtime, config, Route::ALL.iter().map(|route| route.as_str())));
    let served = |routes: Router<SharedApp>| {
        routes.fallback(measured(Route::Unknown, no_path)).with_state(app.clone())
    };
    Routers { api: served(routes::probes().merge(routes::api())), probes: served(routes::probes()) }
}

/// Routes `POST` to a handler; other methods are answered 405, and axum adds `Allow`.
pub(in crate::http) fn posted<H, T>(route: Route, handler: H) -> MethodRouter<SharedApp>
where
    H: Handler<T, SharedApp>,
    T: Send + 'static,
{
    let format = format_of(route);
    let other = async move |parts: Parts| wrong_method(&parts, &["POST"], format);
    post(measured(route, handler)).fallback(measured(Route::Unknown, other))
}

/// Routes `GET` and `HEAD` to a handler; other methods are answered 405.
pub(in crate::http) fn got<H, T>(route: Route, handler: H) -> MethodRouter<SharedApp>
where
    H: Handler<T, SharedApp>,
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
    let message = format!("this path does not accept {sent}; it accepts {taken_words}");
    let problem = Problem::new(StatusCode::METHOD_NOT_ALLOWED, ErrorCode::InvalidArgument, message);
    request::refused_as(format, parts, problem.with_detail("allowed", taken))
}

/// Returns the name of a standard method; another one is text of the client and is not repeated.
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
    let problem = Problem::of(ErrorCode::NotFound, "there is no such path");
    request::refused(&parts, problem)
}

//! Makes a route from a row of the table of endpoints: its method, its handler and its metrics.

mod endpoint_handler;
mod metered_handler;
#[cfg(test)]
mod tests;

use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
#[cfg(feature = "mcp")]
use axum::routing::any;
use axum::routing::{MethodRouter, get, post};
use tool_contracts::ErrorCode;

use self::endpoint_handler::{EndpointHandler, TakesAdmissionProof};
pub(super) use self::metered_handler::{MeteredHandler, RouteId};
use crate::problem::Problem;
use crate::response::ResponseFormat;
use crate::state::app::SharedApp;

/// A method of an endpoint; `GET` accepts `HEAD` too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EndpointMethod {
    Get,
    Post,
}

/// Routes a method to a handler of admitted requests.
pub(super) fn admitted<H, T>(
    method: EndpointMethod,
    route: RouteId,
    wrong_method_route: RouteId,
    handler: H,
) -> MethodRouter<SharedApp>
where
    H: EndpointHandler<T>,
    T: TakesAdmissionProof + Send + 'static,
{
    without_admission(method, route, wrong_method_route, handler)
}

/// Routes a method to a handler that serves requests without a caller.
pub(super) fn without_admission<H, T>(
    method: EndpointMethod,
    route: RouteId,
    wrong_method_route: RouteId,
    handler: H,
) -> MethodRouter<SharedApp>
where
    H: EndpointHandler<T>,
    T: Send + 'static,
{
    let format = route.format;
    let rejected = async move |parts: Parts| wrong_method(&parts, method, format);
    let handler = MeteredHandler::new(route, handler);
    let routed = match method {
        EndpointMethod::Get => get(handler),
        EndpointMethod::Post => post(handler),
    };
    routed.fallback(MeteredHandler::new(wrong_method_route, rejected))
}

/// Routes every method to a handler of admitted requests, which knows the methods itself.
#[cfg(feature = "mcp")]
pub(super) fn admitted_by_any_method<H, T>(route: RouteId, handler: H) -> MethodRouter<SharedApp>
where
    H: EndpointHandler<T>,
    T: TakesAdmissionProof + Send + 'static,
{
    any(MeteredHandler::new(route, handler))
}

/// Answers a path that no row of the table has.
pub(super) async fn no_path(parts: Parts) -> Response {
    no_path_in(ResponseFormat::CallResponse, &parts)
}

/// Answers a path that is not served, in a format.
pub(super) fn no_path_in(format: ResponseFormat, parts: &Parts) -> Response {
    Problem::from_code(ErrorCode::NotFound, "there is no such path")
        .into_uncounted_response(format, parts)
}

impl EndpointMethod {
    /// Returns the name, as OpenAPI documents have it.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::Post => "post",
        }
    }

    const fn accepted_names(self) -> &'static [&'static str] {
        match self {
            Self::Get => &["GET", "HEAD"],
            Self::Post => &["POST"],
        }
    }
}

/// Answers 405; axum adds `Allow`.
fn wrong_method(parts: &Parts, method: EndpointMethod, format: ResponseFormat) -> Response {
    if parts.method == Method::OPTIONS {
        return StatusCode::NO_CONTENT.into_response();
    }
    let (method_name, accepted) = (standard_name(&parts.method), method.accepted_names());
    let words = accepted.join(" and ");
    let message = format!("this path does not accept {method_name}; it accepts {words}");
    let problem = Problem::new(StatusCode::METHOD_NOT_ALLOWED, ErrorCode::InvalidArgument, message);
    problem.with_detail("allowed", accepted).into_uncounted_response(format, parts)
}

/// Returns the name of a standard method; another one is text of the client and is not repeated.
fn standard_name(method: &Method) -> &str {
    const STANDARD: [Method; 8] = [
        Method::CONNECT,
        Method::DELETE,
        Method::GET,
        Method::HEAD,
        Method::PATCH,
        Method::POST,
        Method::PUT,
        Method::TRACE,
    ];
    if STANDARD.contains(method) { method.as_str() } else { "this method" }
}

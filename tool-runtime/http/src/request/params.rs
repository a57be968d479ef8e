//! Reads the parameters of a path.

use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::StatusCode;
use axum::http::request::Parts;
use tool_contracts::ErrorCode;

use crate::problem::Problem;
use crate::response::ReportFacts;

/// The parameters of a path, if they are UTF-8.
pub(crate) type Params = Result<RawPathParams, RawPathParamsRejection>;

impl ReportFacts for Params {}

/// Extracts the parameters of a request's path.
pub(super) async fn params_of(parts: &mut Parts) -> Params {
    RawPathParams::from_request_parts(parts, &()).await
}

/// Returns a parameter of the path, percent-decoded.
pub(crate) fn param<'p>(params: &'p Params, name: &str) -> Result<&'p str, Problem> {
    let parameter = params.as_ref().ok().and_then(|params| params.iter().find(|it| it.0 == name));
    parameter.map(|(_, value)| value).ok_or_else(|| {
        let message = format!("path `{name}`: expected percent-encoded UTF-8");
        Problem::new(StatusCode::BAD_REQUEST, ErrorCode::InvalidArgument, message)
    })
}

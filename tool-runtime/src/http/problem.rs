//! What a request is answered that leads to no call.

use std::borrow::Cow;
use std::time::Duration;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value};
use tool_contracts::ErrorCode;

/// Why a request leads to no call; answered in the same body as a failed call.
#[derive(Debug, Clone)]
pub(super) struct Problem {
    pub(super) status: StatusCode,
    pub(super) code: ErrorCode,
    /// Place, expectation and cure; never a value that was sent.
    pub(super) message: Cow<'static, str>,
    pub(super) details: Map<String, Value>,
    pub(super) retry_after: Option<Duration>,
    /// As far as it was read.
    pub(super) trace_id: Option<Box<str>>,
    /// As far as it was read.
    pub(super) tool_name: Option<Box<str>>,
}

impl Problem {
    pub(super) fn new(
        status: StatusCode,
        code: ErrorCode,
        message: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            status,
            code,
            message: message.into(),
            details: Map::new(),
            retry_after: None,
            trace_id: None,
            tool_name: None,
        }
    }

    pub(super) fn unauthorized(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, ErrorCode::Unauthorized, message)
    }

    pub(super) fn forbidden(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::FORBIDDEN, ErrorCode::Forbidden, message)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        (self.status, self.message.into_owned()).into_response()
    }
}

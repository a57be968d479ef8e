//! The failure of a request for which no call was opened.

use std::borrow::Cow;
use std::time::Duration;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value};
use tool_contracts::{ErrorCode, ToolErrorDetail};

use super::response::{AuditContext, JsonResponse};
use super::status;
use crate::refusal_reason::RefusalReason;

#[cfg(test)]
mod tests;

/// The failure of a request without a call; its body has the format of a failed call.
#[derive(Debug, Clone)]
pub(super) struct Problem {
    pub(super) status: StatusCode,
    pub(super) code: ErrorCode,
    /// The field, what was expected and the fix; never a value of the request.
    pub(super) message: Cow<'static, str>,
    pub(super) details: Map<String, Value>,
    pub(super) retry_after: Option<Duration>,
    /// The trace id, if it is known.
    pub(super) trace_id: Option<Box<str>>,
    /// The tool, if it is known.
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

    /// Creates a problem with the status of its code.
    pub(super) fn of(code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(status::of_code(code), code, message)
    }

    pub(super) fn unauthorized(message: impl Into<Cow<'static, str>>) -> Self {
        Self::of(ErrorCode::Unauthorized, message)
    }

    pub(super) fn forbidden(message: impl Into<Cow<'static, str>>) -> Self {
        Self::of(ErrorCode::Forbidden, message)
    }

    /// Creates the problem of a call that is refused without being opened.
    pub(super) fn from_detail(detail: &ToolErrorDetail) -> Self {
        let code = detail.error_code().unwrap_or(ErrorCode::Internal);
        let details = detail.details().cloned().unwrap_or_default();
        Self { details, ..Self::of(code, detail.message().to_owned()) }
    }

    /// Creates the problem of a request during the shutdown.
    pub(super) fn draining() -> Self {
        Self::of(ErrorCode::Unavailable, "the server is shutting down; retry on another instance")
            .with_reason(RefusalReason::Draining)
    }

    /// Creates the problem of a panic or a broken invariant.
    pub(super) fn internal() -> Self {
        Self::of(ErrorCode::Internal, "the server failed to handle the request")
    }

    /// Sets `details.reason`.
    pub(super) fn with_reason(self, reason: RefusalReason) -> Self {
        self.with_detail("reason", reason.as_str())
    }

    /// Sets a detail.
    pub(super) fn with_detail(mut self, name: &str, fact: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), fact.into());
        self
    }

    /// Makes the response, with the known facts of the request.
    pub(super) fn response(self, audit: &mut AuditContext) -> JsonResponse {
        if self.trace_id.is_some() {
            audit.trace_id = self.trace_id;
        }
        if let Some(tool_name) = self.tool_name {
            audit.tool_name = tool_name;
        }
        let mut detail = ToolErrorDetail::of(self.code, self.message);
        if !self.details.is_empty() {
            detail = detail.details(self.details);
        }
        if let Some(time) = self.retry_after {
            let time_ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
            detail = detail.retry_after_ms(time_ms);
        }
        JsonResponse::failure(self.status, &detail.build(), None, audit)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        self.response(&mut AuditContext::new()).into_response()
    }
}

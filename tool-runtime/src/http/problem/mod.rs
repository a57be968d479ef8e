//! The failure of a request for which no call was opened.

use std::borrow::Cow;
use std::time::Duration;

use axum::http::StatusCode;
use serde_json::{Map, Value};
use tool_contracts::{ErrorCode, ToolErrorDetail};

use crate::refusal_reason::RefusalReason;

pub(super) mod status;
#[cfg(test)]
mod tests;

/// The failure of a request without a call; its body has the format of a failed call.
#[derive(Debug, Clone)]
pub(in crate::http) struct Problem {
    pub(in crate::http) status: StatusCode,
    pub(in crate::http) code: ErrorCode,
    /// The field, what was expected and the fix; never a value of the request.
    pub(in crate::http) message: Cow<'static, str>,
    pub(in crate::http) details: Map<String, Value>,
    pub(in crate::http) retry_after: Option<Duration>,
    /// The trace id, if it is known.
    pub(in crate::http) trace_id: Option<Box<str>>,
    /// The tool, if it is known.
    pub(in crate::http) tool_name: Option<Box<str>>,
    /// The body in the form of the request's protocol; none for that of a failed call.
    pub(in crate::http) body: Option<Box<str>>,
}

impl Problem {
    pub(in crate::http) fn new(
        status: StatusCode,
        code: ErrorCode,
        message: impl Into<Cow<'static, str>>,
    ) -> Self {
        debug_assert!(status::FAILURES.contains(&status), "{status} is missing in `FAILURES`");
        Self {
            status,
            code,
            message: message.into(),
            details: Map::new(),
            retry_after: None,
            trace_id: None,
            tool_name: None,
            body: None,
        }
    }

    /// Creates a problem with the status of its code.
    pub(in crate::http) fn of(code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(status::of_code(code), code, message)
    }

    pub(in crate::http) fn unauthorized(message: impl Into<Cow<'static, str>>) -> Self {
        Self::of(ErrorCode::Unauthorized, message)
    }

    pub(in crate::http) fn forbidden(message: impl Into<Cow<'static, str>>) -> Self {
        Self::of(ErrorCode::Forbidden, message)
    }

    /// Creates the problem of a call that is refused without being opened.
    pub(in crate::http) fn from_detail(detail: &ToolErrorDetail) -> Self {
        let code = detail.error_code().unwrap_or(ErrorCode::Internal);
        let details = detail.details().cloned().unwrap_or_default();
        Self { details, ..Self::of(code, detail.message().to_owned()) }
    }

    /// Creates the problem of a request during the shutdown.
    pub(in crate::http) fn draining() -> Self {
        Self::of(ErrorCode::Unavailable, "the server is shutting down; retry on another instance")
            .with_reason(RefusalReason::Draining)
    }

    /// Creates the problem of a panic or a broken invariant.
    pub(in crate::http) fn internal() -> Self {
        Self::of(ErrorCode::Internal, "the server failed to handle the request")
    }

    /// Creates the problem of a store that cannot be reached.
    pub(in crate::http) fn store_unavailable() -> Self {
        Self::of(ErrorCode::Unavailable, "the store is not available now; retry later")
            .with_reason(RefusalReason::StoreUnavailable)
    }

    /// Sets `details.reason`.
    pub(in crate::http) fn with_reason(self, reason: RefusalReason) -> Self {
        self.with_detail("reason", reason.as_str())
    }

    /// Returns `details.reason`.
    pub(in crate::http) fn reason(&self) -> Option<RefusalReason> {
        self.details.get("reason").and_then(Value::as_str).and_then(RefusalReason::parse)
    }

    /// Sets a detail.
    pub(in crate::http) fn with_detail(mut self, name: &str, fact: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), fact.into());
        self
    }
}

//! The failure of a request for which no call was opened.

use std::borrow::Cow;
use std::time::Duration;

use axum::http::StatusCode;
use serde_json::{Map, Value};
use tool_contracts::{ErrorCode, ToolErrorDetail};
use tool_runtime_core::refusal_reason::RefusalReason;

pub(super) mod status;
#[cfg(test)]
mod tests;

/// The failure of a request without a call; its body has the format of a failed call.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    pub(crate) code: ErrorCode,
    /// The field, what was expected and the fix; never a value of the request.
    pub(crate) message: Cow<'static, str>,
    pub(crate) details: Map<String, Value>,
    pub(crate) retry_after: Option<Duration>,
    /// The trace id, if it is known.
    pub(crate) trace_id: Option<Box<str>>,
    /// The tool, if it is known.
    pub(crate) tool_name: Option<Box<str>>,
    /// The body in the form of the request's protocol; none for that of a failed call.
    pub(crate) body: Option<Box<str>>,
}

impl Problem {
    pub(crate) fn new(
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
    pub(crate) fn from_code(code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(status::for_code(code), code, message)
    }

    pub(crate) fn unauthorized(message: impl Into<Cow<'static, str>>) -> Self {
        Self::from_code(ErrorCode::Unauthorized, message)
    }

    pub(crate) fn forbidden(message: impl Into<Cow<'static, str>>) -> Self {
        Self::from_code(ErrorCode::Forbidden, message)
    }

    /// Creates the problem of a call that is refused without being opened.
    pub(crate) fn from_detail(detail: &ToolErrorDetail) -> Self {
        let code = detail.error_code().unwrap_or(ErrorCode::Internal);
        let details = detail.details().cloned().unwrap_or_default();
        Self { details, ..Self::from_code(code, detail.message().to_owned()) }
    }

    /// Creates the problem of a request during the shutdown.
    pub(crate) fn draining() -> Self {
        Self::from_code(
            ErrorCode::Unavailable,
            "the server is shutting down; retry on another instance",
        )
        .with_reason(RefusalReason::Draining)
    }

    /// Creates the problem of a panic or a broken invariant.
    pub(crate) fn internal() -> Self {
        Self::from_code(ErrorCode::Internal, "the server failed to handle the request")
    }

    /// Creates the problem of a store that cannot be reached.
    pub(crate) fn store_unavailable() -> Self {
        Self::from_code(ErrorCode::Unavailable, "the store is not available now; retry later")
            .with_reason(RefusalReason::StoreUnavailable)
    }

    /// Sets `details.reason`.
    pub(crate) fn with_reason(self, reason: RefusalReason) -> Self {
        self.with_detail("reason", reason.as_str())
    }

    /// Returns `details.reason`.
    pub(crate) fn reason(&self) -> Option<RefusalReason> {
        self.details.get("reason").and_then(Value::as_str).and_then(RefusalReason::parse)
    }

    /// Sets a detail.
    pub(crate) fn with_detail(mut self, name: &str, fact: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), fact.into());
        self
    }
}

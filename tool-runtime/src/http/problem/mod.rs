//! What a request is answered that leads to no call.

use std::borrow::Cow;
use std::time::Duration;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value};
use tool_contracts::{ErrorCode, ToolErrorDetail};

use super::answer::{Heard, Outcome};
use super::status;
use crate::refusal_reason::RefusalReason;

#[cfg(test)]
mod tests;

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

    /// Makes one with the status that its code has in an answered call.
    pub(super) fn of(code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(status::of_code(code), code, message)
    }

    pub(super) fn unauthorized(message: impl Into<Cow<'static, str>>) -> Self {
        Self::of(ErrorCode::Unauthorized, message)
    }

    pub(super) fn forbidden(message: impl Into<Cow<'static, str>>) -> Self {
        Self::of(ErrorCode::Forbidden, message)
    }

    /// Makes the problem of a call that was refused, without opening one.
    pub(super) fn from_detail(detail: &ToolErrorDetail) -> Self {
        let code = detail.error_code().unwrap_or(ErrorCode::Internal);
        let details = detail.details().cloned().unwrap_or_default();
        Self { details, ..Self::of(code, detail.message().to_owned()) }
    }

    /// The server is letting go of what runs.
    pub(super) fn draining() -> Self {
        Self::of(ErrorCode::Unavailable, "this server is ending; make the request of another one")
            .with_reason(RefusalReason::Draining)
    }

    /// A panic, or what cannot be.
    pub(super) fn internal() -> Self {
        Self::of(ErrorCode::Internal, "the server failed while it answered this request")
    }

    /// Sets `details.reason`.
    pub(super) fn with_reason(self, reason: RefusalReason) -> Self {
        self.with_detail("reason", reason.as_str())
    }

    /// Adds a fact, in place of one with the same name.
    pub(super) fn with_detail(mut self, name: &str, fact: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), fact.into());
        self
    }

    /// Says it of a request of which this much is known.
    pub(super) fn outcome(self, heard: &mut Heard) -> Outcome {
        if self.trace_id.is_some() {
            heard.trace_id = self.trace_id;
        }
        if let Some(tool_name) = self.tool_name {
            heard.tool_name = tool_name;
        }
        let mut detail = ToolErrorDetail::of(self.code, self.message);
        if !self.details.is_empty() {
            detail = detail.details(self.details);
        }
        if let Some(time) = self.retry_after {
            let time_ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
            detail = detail.retry_after_ms(time_ms);
        }
        Outcome::failure(self.status, &detail.build(), None, heard)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        self.outcome(&mut Heard::now()).into_response()
    }
}

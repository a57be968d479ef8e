//! The failure of a request that opened no call.

use std::borrow::Cow;
use std::convert::Infallible;
use std::time::Duration;

use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value};
use tool_contracts::{ErrorCode, ToolErrorDetail};
use tool_runtime_core::refusal_reason::RefusalReason;
use tool_runtime_core::timer::whole_millis;

use crate::response::{JsonResponse, RequestFacts, RequestStart, ResponseFormat, header_trace_id};

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
    /// The body in the form of the request's protocol; by default it is the body of a failed call.
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

    /// Sets the tool that the request is about, unless the problem names one or it has no name.
    pub(crate) fn with_tool_name(mut self, name: &str) -> Self {
        if self.tool_name.is_none() && !name.is_empty() {
            self.tool_name = Some(name.into());
        }
        self
    }

    /// Sets a detail.
    pub(crate) fn with_detail(mut self, name: &str, fact: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), fact.into());
        self
    }

    /// Makes the response, with the facts of the request; a fact of the problem replaces the request's.
    pub(crate) fn response(mut self, mut facts: RequestFacts) -> JsonResponse {
        facts.trace_id = self.trace_id.take().or(facts.trace_id);
        facts.tool_name = self.tool_name.take().unwrap_or(facts.tool_name);
        let (status, body) = (self.status, self.body.take());
        let response = JsonResponse::failure(status, &self.into_detail(), None, &facts);
        match body {
            Some(body) => JsonResponse { body: String::from(body).into(), ..response },
            None => response,
        }
    }

    /// Returns the problem as the error of a call.
    pub(crate) fn into_detail(self) -> ToolErrorDetail {
        let mut detail = ToolErrorDetail::from_code(self.code, self.message);
        if !self.details.is_empty() {
            detail = detail.details(self.details);
        }
        if let Some(time) = self.retry_after {
            detail = detail.retry_after_ms(whole_millis(time));
        }
        detail.build()
    }

    /// Makes the response of a failure that is not counted or logged as a refusal.
    pub(crate) fn into_uncounted_response(self, format: ResponseFormat, parts: &Parts) -> Response {
        let mut facts = RequestFacts::new(RequestStart::now(format));
        facts.trace_id = header_trace_id(&parts.headers);
        self.response(facts).into_response()
    }
}

/// For the traits of axum's extractors: the routes of this package take a problem as a value.
impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let start = RequestStart::now(ResponseFormat::CallResponse);
        self.response(RequestFacts::new(start)).into_response()
    }
}

/// For extractors that refuse no request.
impl From<Infallible> for Problem {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

//! The facts of a request that its response reports in `audit`, and the log of refusals names.
//!
//! They are values that nothing shares: each parameter of a handler reports what it has learned to
//! the wrapper of handlers in `route_builder`, and a handler returns what it has learned itself with
//! its answer or its problem.

use std::time::{Duration, Instant};

use axum::extract::{OriginalUri, Request, State};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use axum::response::{IntoResponse as _, Response};
use sha2::{Digest as _, Sha256};
use tool_contracts::server::is_id;
use tool_runtime_core::timer::whole_millis;
use tool_runtime_schema::canonical::Digest;

use super::{JsonResponse, ResponseFormat};
use crate::problem::Problem;
use crate::state::app::SharedApp;
use crate::state::caller::Caller;

/// The start of a request, in its extensions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestStart {
    at: Instant,
    format: ResponseFormat,
}

/// The facts of a request, as far as they are known.
#[derive(Debug, Clone)]
pub(crate) struct RequestFacts {
    pub(crate) start: RequestStart,
    pub(crate) payload: PayloadHash,
    pub(crate) trace_id: Option<Box<str>>,
    pub(crate) tool_name: Box<str>,
    /// The authenticated caller; an anonymous one is its address.
    pub(crate) caller: Option<Caller>,
}

/// A parameter of a handler, which reports the facts that it has extracted.
///
/// Every parameter has to implement it, so that a fact is not lost with an extractor that forgets it.
pub(crate) trait ReportFacts {
    /// Adds the facts; by default there are none.
    fn report(&self, _: &mut RequestFacts) {}
}

/// The response of a handler, with the facts that the handler has learned itself.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) response: Response,
    pub(crate) facts: AnswerFacts,
}

/// The facts that a handler adds to what its parameters have reported.
#[derive(Debug, Default)]
pub(crate) struct AnswerFacts {
    pub(crate) payload: Option<PayloadHash>,
    pub(crate) trace_id: Option<Box<str>>,
    pub(crate) tool_name: Option<Box<str>>,
    /// True if a call with an effect has run, so that its response must not be refused.
    pub(crate) has_effect: bool,
}

/// The result of a handler.
pub(crate) trait IntoAnswer {
    fn into_answer(self) -> Result<Answer, Problem>;
}

/// The SHA-256 of a request's body, as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy)]
pub(crate) struct PayloadHash(pub(super) [u8; 64]);

impl RequestStart {
    /// Starts a request whose answers have this format.
    pub(crate) fn now(format: ResponseFormat) -> Self {
        Self { at: Instant::now(), format }
    }

    /// Returns the time since the start.
    pub(crate) fn elapsed(&self) -> Duration {
        self.at.elapsed()
    }
}

impl RequestFacts {
    /// Creates the facts of a request; only its start is known.
    pub(crate) fn new(start: RequestStart) -> Self {
        let (trace_id, tool_name) = (None, Box::default());
        Self { start, payload: PayloadHash::EMPTY, trace_id, tool_name, caller: None }
    }

    /// Adds what a handler has learned.
    pub(crate) fn add(&mut self, answer: AnswerFacts) {
        let AnswerFacts { payload, trace_id, tool_name, has_effect: _ } = answer;
        self.payload = payload.unwrap_or(self.payload);
        self.trace_id = trace_id.or(self.trace_id.take());
        if let Some(tool_name) = tool_name {
            self.tool_name = tool_name;
        }
    }

    pub(crate) const fn format(&self) -> ResponseFormat {
        self.start.format
    }

    /// Returns the principal's name, if the caller is authenticated; only the log has it.
    pub(crate) fn principal(&self) -> Option<&str> {
        self.caller.as_ref().and_then(Caller::name)
    }

    pub(super) fn latency_ms(&self) -> u64 {
        whole_millis(self.start.elapsed())
    }
}

impl PayloadHash {
    /// The hash of an empty body.
    const EMPTY: Self = Self(*b"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");

    pub(crate) fn compute(body: &[u8]) -> Self {
        Self(Digest::from_bytes(Sha256::digest(body).into()).digits())
    }

    pub(super) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl std::fmt::Debug for PayloadHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Returns the trace id of the headers, for a request that was not parsed.
pub(crate) fn header_trace_id(headers: &HeaderMap) -> Option<Box<str>> {
    let id = |name| headers.get(name)?.to_str().ok().filter(|id| is_id(id));
    id("x-trace-id").or_else(|| id("x-request-id")).map(Into::into)
}

impl ReportFacts for State<SharedApp> {}

impl ReportFacts for OriginalUri {}

impl ReportFacts for Parts {}

impl ReportFacts for Request {}

impl From<Response> for Answer {
    fn from(response: Response) -> Self {
        Self { response, facts: AnswerFacts::default() }
    }
}

impl From<JsonResponse> for Answer {
    fn from(mut json: JsonResponse) -> Self {
        let facts = std::mem::take(&mut json.facts);
        Self { response: json.into_response(), facts }
    }
}

impl IntoAnswer for Response {
    fn into_answer(self) -> Result<Answer, Problem> {
        Ok(self.into())
    }
}

impl<T: Into<Answer>> IntoAnswer for Result<T, Problem> {
    fn into_answer(self) -> Result<Answer, Problem> {
        self.map(Into::into)
    }
}

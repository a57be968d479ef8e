//! The response of a problem: the same body as that of a failed call.

use axum::http::HeaderMap;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use tool_contracts::ToolErrorDetail;
use tool_contracts::server::is_id;

use super::{JsonResponse, RequestFacts, ResponseFormat};
use crate::problem::Problem;

impl Problem {
    /// Makes the response, with the known facts of the request.
    pub(crate) fn response(mut self, audit: &mut RequestFacts) -> JsonResponse {
        if self.trace_id.is_some() {
            audit.trace_id = self.trace_id.take();
        }
        if let Some(tool_name) = self.tool_name.take() {
            audit.tool_name = tool_name;
        }
        let (status, body) = (self.status, self.body.take());
        let response = JsonResponse::failure(status, &self.into_detail(), None, audit);
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
            let time_ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
            detail = detail.retry_after_ms(time_ms);
        }
        detail.build()
    }

    /// Makes the response of a failure that is not counted or logged as a refusal.
    pub(crate) fn uncounted(self, format: ResponseFormat, parts: &Parts) -> Response {
        let mut audit = RequestFacts::in_format(format);
        audit.trace_id = trace_id(&parts.headers);
        self.response(&mut audit).into_response()
    }
}

/// A problem in the extensions of a response without a body: the wrapper of handlers in `route_builder`
/// writes the body, counts the refusal and logs it.
#[derive(Debug, Clone)]
pub(crate) struct RefusedRequest(pub(crate) Problem);

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = Response::default();
        *response.status_mut() = self.status;
        response.extensions_mut().insert(RefusedRequest(self));
        response
    }
}

/// Returns the trace id of the headers, for a request that was not parsed.
pub(crate) fn trace_id(headers: &HeaderMap) -> Option<Box<str>> {
    let said = |name| headers.get(name)?.to_str().ok().filter(|id| is_id(id));
    said("x-trace-id").or_else(|| said("x-request-id")).map(Into::into)
}

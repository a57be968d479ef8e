//! The response of a problem: the same body as that of a failed call.

use axum::response::{IntoResponse, Response};
use tool_contracts::ToolErrorDetail;

use super::{AuditContext, JsonResponse};
use crate::http::problem::Problem;

impl Problem {
    /// Makes the response, with the known facts of the request.
    pub(in crate::http) fn response(self, audit: &mut AuditContext) -> JsonResponse {
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

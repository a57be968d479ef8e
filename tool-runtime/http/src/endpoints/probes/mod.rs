//! `/healthz`, `/readyz` and `/metrics`, for operators and supervisors.

#[cfg(test)]
mod tests;

use std::time::Duration;

use axum::extract::{FromRequestParts, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use tool_contracts::ErrorCode;
use tool_runtime_core::refusal_reason::RefusalReason;

use crate::auth::Scope;
use crate::problem::Problem;
use crate::request::admission::authenticate;
use crate::request::parameters::Bodyless;
use crate::response::{ReportFacts, ResponseFormat};
use crate::state::app::{App, SharedApp};
use crate::state::metrics;

/// The media type of `/metrics`: `OpenMetrics` 1.0.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

const JSON: &str = "application/json";

/// The `Retry-After` of `/readyz`.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Proof that the metrics may be shown: they are public, or the caller has the scope `metrics`.
#[derive(Debug)]
pub(crate) struct MayReadMetrics;

impl FromRequestParts<SharedApp> for MayReadMetrics {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &SharedApp) -> Result<Self, Problem> {
        if app.config.public_metrics {
            return Ok(Self);
        }
        // Served during the shutdown too, with the same limit on invalid credentials as other paths.
        let (principal, _) = authenticate(app, parts).await?;
        if !principal.may(Scope::Metrics) {
            return Err(Problem::forbidden("this path requires the scope `metrics`")
                .with_reason(RefusalReason::Scope));
        }
        Ok(Self)
    }
}

impl ReportFacts for MayReadMetrics {}

/// Answers that the process is alive.
pub(crate) async fn health() -> Response {
    ([(CONTENT_TYPE, JSON)], r#"{"status":"ok"}"#).into_response()
}

/// Answers whether the server accepts calls.
pub(crate) async fn ready(State(app): State<SharedApp>, request: Bodyless) -> Response {
    let failing = failing(&app).await;
    if failing.is_empty() {
        return ([(CONTENT_TYPE, JSON)], r#"{"status":"ready"}"#).into_response();
    }
    let message = "the server is not ready: `detail.details.failing` names the failed checks";
    let mut problem =
        Problem::from_code(ErrorCode::Unavailable, message).with_detail("failing", failing);
    problem.retry_after = Some(RETRY_AFTER);
    problem.into_uncounted_response(ResponseFormat::CallResponse, request.parts())
}

/// Answers with the metrics.
pub(crate) async fn metrics(_: MayReadMetrics, State(app): State<SharedApp>) -> Response {
    ([(CONTENT_TYPE, OPEN_METRICS)], metrics::text(&app)).into_response()
}

/// Returns the names of the failed checks.
async fn failing(app: &App) -> Vec<String> {
    // A load balancer has to see the shutdown at once, without waiting for the checks.
    if app.config.drain.has_begun() {
        return vec!["draining".to_owned()];
    }
    let ledger = app.config.ledger.as_ref().and_then(|ledger| ledger.status().write_error);
    let ledger = ledger.map(|_| "ledger".to_owned());
    let checks = app.config.ready.failing().await;
    ledger.into_iter().chain(checks.iter().map(ToString::to_string)).collect()
}

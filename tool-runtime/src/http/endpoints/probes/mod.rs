//! `/healthz`, `/readyz` and `/metrics`, for operators and supervisors.

#[cfg(test)]
mod tests;

use std::time::Duration;

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use tool_contracts::ErrorCode;

use crate::http::auth::Scope;
use crate::http::problem::Problem;
use crate::http::request::admission as request;
use crate::http::response::AuditContext;
use crate::http::state::app::{App, SharedApp};
use crate::http::state::metrics::LimitMetrics;

/// The media type of `/metrics`: `OpenMetrics` 1.0.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

const JSON: &str = "application/json";

/// The `Retry-After` of `/readyz`.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Answers that the process is alive.
pub(in crate::http) async fn health() -> Response {
    ([(CONTENT_TYPE, JSON)], r#"{"status":"ok"}"#).into_response()
}

/// Answers whether the server accepts calls.
pub(in crate::http) async fn ready(State(app): State<SharedApp>, parts: Parts) -> Response {
    let failing = failing(&app).await;
    if failing.is_empty() {
        return ([(CONTENT_TYPE, JSON)], r#"{"status":"ready"}"#).into_response();
    }
    let message = "the server is not ready: `detail.details.failing` names the failed checks";
    let mut problem = Problem::of(ErrorCode::Unavailable, message).with_detail("failing", failing);
    problem.retry_after = Some(RETRY_AFTER);
    request::refused(&parts, problem)
}

/// Answers with the metrics, if the caller may read them.
pub(in crate::http) async fn metrics(State(app): State<SharedApp>, parts: Parts) -> Response {
    request::respond(&app, &parts, async |audit| figures(&app, &parts, audit).await).await
}

async fn figures(app: &App, parts: &Parts, audit: &mut AuditContext) -> Result<Response, Problem> {
    if !app.config.public_metrics {
        // Served during the shutdown too, with the same limit on invalid credentials as other
        // paths.
        let principal = request::authenticate(app, parts, audit).await?;
        if !principal.may(Scope::Metrics) {
            return Err(Problem::forbidden("this path requires the scope `metrics`"));
        }
    }
    let refusals = &app.refusal_counts;
    let held = LimitMetrics {
        unread_bytes: app.unread.bytes(),
        left_out: refusals.left_out(),
        summaries: refusals.pending(),
    };
    let text = app.metrics.text(&app.config, app.runtime.outcomes().counts(), held);
    Ok(([(CONTENT_TYPE, OPEN_METRICS)], text).into_response())
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

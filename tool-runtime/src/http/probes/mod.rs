//! `/healthz`, `/readyz` and `/metrics`, for operators and supervisors.

mod ready;
#[cfg(test)]
mod tests;

use std::future::Future;
use std::time::Duration;

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use tool_contracts::ErrorCode;

pub(super) use self::ready::Readiness;
use super::app::{App, SharedApp};
use super::metrics::LimitMetrics;
use super::problem::Problem;
use super::response::AuditContext;
use super::{HttpConfig, Scope, request};

/// The media type of `/metrics`: `OpenMetrics` 1.0.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

const JSON: &str = "application/json";

/// The `Retry-After` of `/readyz`.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Probes and metrics.
impl HttpConfig {
    /// Adds a check to `/readyz`, for example of a database, a model or a file.
    ///
    /// The server is not ready while the check returns an error, panics, or takes longer than
    /// [`ready_timeout`](Self::ready_timeout). The answer has only the name of the check; the host
    /// logs the cause. A check runs at most once a second, however often `/readyz` is requested,
    /// and never twice at the same time.
    ///
    /// ```
    /// use tool_runtime::http::{Auth, HttpConfig, Principal};
    ///
    /// # #[derive(Clone)] struct Database;
    /// # impl Database { async fn ping(&self) -> Result<(), std::io::Error> { Ok(()) } }
    /// # let database = Database;
    /// let config = HttpConfig::new(Auth::trusting_the_network_as(Principal::new("gateway")))
    ///     .ready_check("database", move || {
    ///         let database = database.clone();
    ///         async move { database.ping().await }
    ///     });
    /// # let _ = config;
    /// ```
    pub fn ready_check<F, C, E>(mut self, name: impl Into<Box<str>>, check: F) -> Self
    where
        F: Fn() -> C + Send + Sync + 'static,
        C: Future<Output = Result<(), E>> + Send + 'static,
    {
        self.ready.add(name.into(), check);
        self
    }

    /// Adds a check that the keys of tokens are available, if tokens are accepted.
    #[cfg(feature = "jwt")]
    pub(super) fn checking_token_keys(self) -> Self {
        let Some(verifier) = self.auth.tokens().cloned() else { return self };
        self.ready_check("token_keys", move || {
            let verifier = verifier.clone();
            async move { verifier.has_keys().await.then_some(()).ok_or(()) }
        })
    }

    /// Sets the longest time of all checks of `/readyz` together; by default 2 s.
    pub fn ready_timeout(mut self, time: Duration) -> Self {
        self.ready.set_timeout(time);
        self
    }

    /// Serves `/metrics` without authentication; by default it needs the scope `metrics`.
    pub fn public_metrics(mut self) -> Self {
        self.public_metrics = true;
        self
    }
}

/// Answers that the process is alive.
pub(super) async fn health() -> Response {
    ([(CONTENT_TYPE, JSON)], r#"{"status":"ok"}"#).into_response()
}

/// Answers whether the server accepts calls.
pub(super) async fn ready(State(app): State<SharedApp>, parts: Parts) -> Response {
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
pub(super) async fn metrics(State(app): State<SharedApp>, parts: Parts) -> Response {
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

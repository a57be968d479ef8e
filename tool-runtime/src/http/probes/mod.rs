//! `/healthz`, `/readyz`, `/metrics`: what those who run a server ask it.

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
use super::answer::Heard;
use super::app::{App, Shared};
use super::metrics::HeldBack;
use super::problem::Problem;
use super::{HttpConfig, Scope, receiving};

/// What `/metrics` answers in: `OpenMetrics` 1.0.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

const JSON: &str = "application/json";

/// How often whoever waits for the server to be ready is told to ask.
const ASK_AGAIN: Duration = Duration::from_secs(1);

/// What those who run the server ask it.
impl HttpConfig {
    /// Adds a check of the host's own to `/readyz`: a database, a model, a file.
    ///
    /// The server is not ready while the check answers an error, panics, or does not answer within
    /// [`ready_timeout`](Self::ready_timeout). The answer names the check and nothing else: what went
    /// wrong is for the host's own log. However often `/readyz` is asked, a check runs at most once
    /// a second, and never twice at the same time.
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

    /// Is not ready while there are no keys to check tokens with.
    #[cfg(feature = "jwt")]
    pub(super) fn checking_token_keys(self) -> Self {
        let Some(verifier) = self.auth.tokens().cloned() else { return self };
        self.ready_check("token_keys", move || {
            let verifier = verifier.clone();
            async move { verifier.has_keys().await.then_some(()).ok_or(()) }
        })
    }

    /// Sets how long all checks of `/readyz` together may take; 2 s unless it is said.
    pub fn ready_timeout(mut self, time: Duration) -> Self {
        self.ready.set_timeout(time);
        self
    }

    /// Shows `/metrics` to everybody who reaches the server, not only to those whose scopes have
    /// `metrics`.
    pub fn public_metrics(mut self) -> Self {
        self.public_metrics = true;
        self
    }
}

/// Answers that the process lives.
pub(super) async fn health() -> Response {
    ([(CONTENT_TYPE, JSON)], r#"{"status":"ok"}"#).into_response()
}

/// Answers whether calls are wanted here.
pub(super) async fn ready(State(app): State<Shared>, parts: Parts) -> Response {
    let failing = failing(&app).await;
    if failing.is_empty() {
        return ([(CONTENT_TYPE, JSON)], r#"{"status":"ready"}"#).into_response();
    }
    let message = "this server is not ready: `detail.details.failing` names why";
    let mut problem = Problem::of(ErrorCode::Unavailable, message).with_detail("failing", failing);
    problem.retry_after = Some(ASK_AGAIN);
    receiving::refused(&parts, problem)
}

/// Answers with the figures, if this caller may see them.
pub(super) async fn metrics(State(app): State<Shared>, parts: Parts) -> Response {
    receiving::answered(&app, &parts, async |heard| figures(&app, &parts, heard).await).await
}

async fn figures(app: &App, parts: &Parts, heard: &mut Heard) -> Result<Response, Problem> {
    if !app.config.public_metrics {
        // Also while the server ends, and yet no faster guess than on any other path.
        let principal = receiving::prove(app, parts, heard).await?;
        if !principal.may(Scope::Metrics) {
            return Err(Problem::forbidden("the figures take the scope `metrics`"));
        }
    }
    let refusals = &app.refusal_counts;
    let held = HeldBack {
        unread_bytes: app.answers.bytes(),
        left_out: refusals.left_out(),
        summaries: refusals.pending(),
    };
    let text = app.metrics.text(&app.config, app.runtime.outcomes().counts(), held);
    Ok(([(CONTENT_TYPE, OPEN_METRICS)], text).into_response())
}

/// Names what keeps the server from being ready.
async fn failing(app: &App) -> Vec<String> {
    // Whoever spreads the load hears at once of a server that ends.
    if app.config.drain.has_begun() {
        return vec!["draining".to_owned()];
    }
    let ledger = app.config.ledger.as_ref().and_then(|ledger| ledger.status().write_error);
    let ledger = ledger.map(|_| "ledger".to_owned());
    let checks = app.config.ready.failing().await;
    ledger.into_iter().chain(checks.iter().map(ToString::to_string)).collect()
}

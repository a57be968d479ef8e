//! A path whose requests are counted and measured.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use axum::extract::Request;
use axum::handler::Handler;
use axum::http::StatusCode;
use axum::response::Response;
use pin_project_lite::pin_project;

use crate::http::app::Shared;

/// The paths that are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::http) enum Route {
    List,
    Call,
    EnvelopeCall,
    Approvals,
    Approval,
    Trace,
    Replay,
    Outcomes,
    Outcome,
    EvidenceList,
    Evidence,
    EvidenceContents,
    OpenApi,
    Health,
    Ready,
    Metrics,
    /// A path that there is not, or a method that it does not take.
    Unknown,
}

/// A handler whose requests are counted and measured; see [`measured`].
#[derive(Debug, Clone)]
pub(in crate::http) struct Measured<H> {
    route: Route,
    handler: H,
}

/// Counts and measures the requests that a handler answers.
pub(in crate::http) fn measured<H>(route: Route, handler: H) -> Measured<H> {
    Measured { route, handler }
}

impl Route {
    /// All of them, in the order in which they are counted.
    pub(in crate::http) const ALL: [Self; 17] = [
        Self::List,
        Self::Call,
        Self::EnvelopeCall,
        Self::Approvals,
        Self::Approval,
        Self::Trace,
        Self::Replay,
        Self::Outcomes,
        Self::Outcome,
        Self::EvidenceList,
        Self::Evidence,
        Self::EvidenceContents,
        Self::OpenApi,
        Self::Health,
        Self::Ready,
        Self::Metrics,
        Self::Unknown,
    ];

    /// Gives the path as it stands in a label: without where it is nested, or what it names.
    pub(in crate::http) const fn as_str(self) -> &'static str {
        match self {
            Self::List => "/tools/list",
            Self::Call => "/tools/call",
            Self::EnvelopeCall => "/calls/{tool}",
            Self::Approvals => "/approvals",
            Self::Approval => "/approvals/{ticket}",
            Self::Trace => "/traces/{id}",
            Self::Replay => "/traces/{id}/replay",
            Self::Outcomes => "/outcomes",
            Self::Outcome => "/outcomes/{id}",
            Self::EvidenceList => "/evidence",
            Self::Evidence => "/evidence/{id}",
            Self::EvidenceContents => "/evidence/{id}/contents",
            Self::OpenApi => "/openapi.json",
            Self::Health => "/healthz",
            Self::Ready => "/readyz",
            Self::Metrics => "/metrics",
            Self::Unknown => "unknown",
        }
    }
}

impl<H: Handler<T, Shared>, T> Handler<T, Shared> for Measured<H> {
    type Future = Measuring<H::Future>;

    fn call(self, request: Request, app: Shared) -> Self::Future {
        let stopwatch =
            Stopwatch { app: app.clone(), route: self.route, begun: Instant::now(), status: None };
        Measuring { answer: self.handler.call(request, app), stopwatch }
    }
}

pin_project! {
    /// A request that is being answered.
    pub(in crate::http) struct Measuring<F> {
        #[pin]
        answer: F,
        stopwatch: Stopwatch,
    }
}

impl<F: Future<Output = Response>> Future for Measuring<F> {
    type Output = Response;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Response> {
        let this = self.project();
        let answer = ready!(this.answer.poll(cx));
        this.stopwatch.status = Some(answer.status());
        Poll::Ready(answer)
    }
}

/// Counts a request when it is dropped, with what it was answered until then.
struct Stopwatch {
    app: Shared,
    route: Route,
    begun: Instant,
    status: Option<StatusCode>,
}

impl Drop for Stopwatch {
    fn drop(&mut self) {
        let series = &self.app.metrics.0.routes[self.route as usize];
        series.answered(self.status, self.begun.elapsed());
    }
}

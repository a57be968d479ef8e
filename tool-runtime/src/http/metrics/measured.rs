//! A handler wrapper that counts and times the requests of a route.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use axum::extract::Request;
use axum::handler::Handler;
use axum::http::StatusCode;
use axum::response::Response;
use pin_project_lite::pin_project;

use crate::http::app::SharedApp;

/// The routes, as metrics distinguish them.
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
    /// An unknown path, or a method that the path does not accept.
    Unknown,
}

/// A handler whose requests are counted and timed; see [`measured`].
#[derive(Debug, Clone)]
pub(in crate::http) struct Measured<H> {
    route: Route,
    handler: H,
}

/// Wraps a handler so that its requests are counted and timed.
pub(in crate::http) fn measured<H>(route: Route, handler: H) -> Measured<H> {
    Measured { route, handler }
}

impl Route {
    /// All routes, in declaration order.
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

    /// Returns the label: the path template, relative to the router.
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

impl<H: Handler<T, SharedApp>, T> Handler<T, SharedApp> for Measured<H> {
    type Future = MeasuredFuture<H::Future>;

    fn call(self, request: Request, app: SharedApp) -> Self::Future {
        let timer = RequestTimer {
            app: app.clone(),
            route: self.route,
            begun: Instant::now(),
            status: None,
        };
        MeasuredFuture { answer: self.handler.call(request, app), timer }
    }
}

pin_project! {
    /// The future of a timed request.
    pub(in crate::http) struct MeasuredFuture<F> {
        #[pin]
        answer: F,
        timer: RequestTimer,
    }
}

impl<F: Future<Output = Response>> Future for MeasuredFuture<F> {
    type Output = Response;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Response> {
        let this = self.project();
        let answer = ready!(this.answer.poll(cx));
        this.timer.status = Some(answer.status());
        Poll::Ready(answer)
    }
}

/// Counts a request when dropped, with the status of its response if there is one.
struct RequestTimer {
    app: SharedApp,
    route: Route,
    begun: Instant,
    status: Option<StatusCode>,
}

impl Drop for RequestTimer {
    fn drop(&mut self) {
        let series = &self.app.metrics.0.routes[self.route as usize];
        series.answered(self.status, self.begun.elapsed());
    }
}

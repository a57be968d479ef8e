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

use crate::http::routes::Route;
use crate::http::state::app::SharedApp;

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
        let time = self.begun.elapsed();
        self.app.metrics.answered(self.route as usize, self.status, time);
    }
}

//! Wraps a handler: counts and times its requests, and answers its failures and panics.

use std::any::Any;
use std::future::Future;
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use axum::extract::{ConnectInfo, MatchedPath, Request};
use axum::handler::Handler;
use axum::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use axum::http::uri::Scheme;
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use futures::FutureExt;
use futures::future::CatchUnwind;
use pin_project_lite::pin_project;

use crate::problem::Problem;
use crate::response::{Audit, RefusedRequest, RequestFacts, ResponseFormat, trace_id};
use crate::state::app::SharedApp;
use crate::state::caller::Caller;
use crate::state::config::mcp::challenge_parameter;
use crate::state::logged_refusal::LoggedRefusal;
use crate::state::metrics::{AnsweredRequest, ServedOverTls};

/// A route of the table, as metrics count it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RouteId {
    /// The index of its metrics.
    pub(crate) index: usize,
    /// The format of its answers.
    pub(crate) format: ResponseFormat,
    /// True for a protected resource of OAuth, whose challenges name its metadata.
    pub(crate) is_resource: bool,
}

/// A handler whose requests are counted and timed, and whose failures are answered.
#[derive(Debug, Clone)]
pub(crate) struct MeteredHandler<H> {
    route: RouteId,
    handler: H,
}

impl<H> MeteredHandler<H> {
    pub(crate) const fn new(route: RouteId, handler: H) -> Self {
        Self { route, handler }
    }
}

impl<H: Handler<T, SharedApp>, T> Handler<T, SharedApp> for MeteredHandler<H> {
    type Future = AnsweredFuture<H::Future>;

    fn call(self, mut request: Request, app: SharedApp) -> Self::Future {
        let audit = Audit::new(RequestFacts::in_format(self.route.format));
        let timer = RequestTimer {
            app: app.clone(),
            route: self.route,
            method: request.method().clone(),
            is_https: is_https(&request),
            begun: Instant::now(),
            status: None,
        };
        let request_facts = RefusalContext::new(&request);
        request.extensions_mut().insert(audit.clone());
        let answer = AssertUnwindSafe(self.handler.call(request, app)).catch_unwind();
        AnsweredFuture { answer, audit, request: request_facts, timer }
    }
}

pin_project! {
    /// The future of a request.
    pub(crate) struct AnsweredFuture<F> {
        #[pin]
        answer: CatchUnwind<AssertUnwindSafe<F>>,
        audit: Audit,
        request: RefusalContext,
        timer: RequestTimer,
    }
}

impl<F: Future<Output = Response>> Future for AnsweredFuture<F> {
    type Output = Response;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Response> {
        let this = self.project();
        let answer = ready!(this.answer.poll(cx));
        let response = this.request.answer(answer, &this.timer.app, this.timer.route, this.audit);
        this.timer.status = Some(response.status());
        Poll::Ready(response)
    }
}

/// The facts of a request that its refusal is answered and logged with.
#[derive(Debug)]
struct RefusalContext {
    peer: Option<SocketAddr>,
    path: Option<MatchedPath>,
    trace_id: Option<Box<str>>,
    had_token: bool,
}

impl RefusalContext {
    fn new(request: &Request) -> Self {
        let (extensions, headers) = (request.extensions(), request.headers());
        Self {
            peer: extensions.get::<ConnectInfo<SocketAddr>>().map(|it| it.0),
            path: extensions.get().cloned(),
            trace_id: trace_id(headers),
            had_token: headers.contains_key(AUTHORIZATION),
        }
    }

    /// Makes the response of a handler's answer; a panic is answered 500.
    fn answer(
        &mut self,
        answer: Result<Response, Box<dyn Any + Send>>,
        app: &SharedApp,
        route: RouteId,
        audit: &Audit,
    ) -> Response {
        let answered = match answer {
            Ok(mut response) => match response.extensions_mut().remove::<RefusedRequest>() {
                Some(RefusedRequest(problem)) => Err(problem),
                None => Ok(response),
            },
            Err(_) => Err(Problem::internal()),
        };
        let counted = answered.and_then(|response| {
            let facts = audit.lock();
            let caller = || facts.caller().cloned().unwrap_or_else(|| Caller::at(self.peer));
            app.unread.counted(response, caller, facts.has_effect)
        });
        let mut response = match counted {
            Ok(response) => response,
            Err(problem) => self.refuse(problem, app, &mut audit.lock()),
        };
        if response.status() == StatusCode::UNAUTHORIZED {
            let challenges = app.config.auth.challenges(self.had_token);
            let metadata = if route.is_resource { challenge_parameter(app) } else { None };
            let challenges =
                challenges.map(|it| (WWW_AUTHENTICATE, with_metadata(it, metadata.as_deref())));
            response.headers_mut().extend(challenges);
        }
        response
    }

    /// Makes the response of a refused request, and counts and logs the refusal.
    fn refuse(&mut self, problem: Problem, app: &SharedApp, audit: &mut RequestFacts) -> Response {
        let known_trace_id = problem.trace_id.clone().or_else(|| audit.trace_id.take());
        audit.trace_id = known_trace_id.or_else(|| self.trace_id.take());
        app.metrics.refused(problem.status);
        app.refusals.log(&LoggedRefusal {
            problem: &problem,
            peer: self.peer,
            route: self.path.as_ref().map(MatchedPath::as_str),
            principal: audit.principal(),
            trace_id: audit.trace_id.as_deref(),
        });
        problem.response(audit).into_response()
    }
}

/// Adds the address of a resource's metadata to the challenge for a token (RFC 9728, section 5.1).
fn with_metadata(challenge: HeaderValue, metadata: Option<&str>) -> HeaderValue {
    let Some(metadata) = metadata else { return challenge };
    let Ok(words) = challenge.to_str() else { return challenge };
    let Some(parameters) = words.strip_prefix("Bearer") else { return challenge };
    let before = if parameters.is_empty() { "" } else { "," };
    let extended = format!("Bearer{parameters}{before} {metadata}");
    HeaderValue::from_str(&extended).unwrap_or(challenge)
}

/// Returns whether a request came over TLS, to this server or to a proxy that says so in HTTP/2.
fn is_https(request: &Request) -> bool {
    let is_of_proxy = || request.uri().scheme() == Some(&Scheme::HTTPS);
    request.extensions().get::<ServedOverTls>().is_some() || is_of_proxy()
}

/// Counts a request when dropped, with the status of its response if there is one.
struct RequestTimer {
    app: SharedApp,
    route: RouteId,
    method: Method,
    is_https: bool,
    begun: Instant,
    status: Option<StatusCode>,
}

impl Drop for RequestTimer {
    fn drop(&mut self) {
        self.app.metrics.answered(&AnsweredRequest {
            route: self.route.index,
            method: &self.method,
            is_https: self.is_https,
            status: self.status,
            took: self.begun.elapsed(),
        });
    }
}

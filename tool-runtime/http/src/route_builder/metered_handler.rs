//! Wraps a handler: counts and times its requests, and answers its failures and panics.

use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;

use axum::extract::{ConnectInfo, MatchedPath, Request};
use axum::handler::Handler;
use axum::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use axum::http::uri::Scheme;
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use futures::FutureExt;
use futures::future::BoxFuture;

use super::endpoint_handler::EndpointHandler;
use crate::problem::Problem;
use crate::response::{Answer, RequestFacts, RequestStart, ResponseFormat, header_trace_id};
use crate::state::app::SharedApp;
use crate::state::caller::Caller;
use crate::state::config::mcp::challenge_parameter;
use crate::state::metrics::{AnsweredRequest, ServedOverTls};
use crate::state::refusal_log::LoggedRefusal;

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

impl<H: EndpointHandler<T>, T: 'static> Handler<T, SharedApp> for MeteredHandler<H> {
    type Future = BoxFuture<'static, Response>;

    fn call(self, mut request: Request, app: SharedApp) -> Self::Future {
        let Self { route, handler } = self;
        let start = RequestStart::now(route.format);
        let timer = RequestTimer {
            app: app.clone(),
            route,
            method: request.method().clone(),
            is_https: is_https(&request),
            start,
            status: None,
        };
        let refusal_context = RefusalContext::new(&request);
        request.extensions_mut().insert(start);
        Box::pin(async move {
            // Outside of the handler's future, so that a panic leaves what the parameters reported.
            let mut facts = RequestFacts::new(start);
            let handling = AssertUnwindSafe(handler.handle(request, &app, &mut facts));
            let answer = handling.catch_unwind().await.unwrap_or_else(|_| Err(Problem::internal()));
            let response = refusal_context.respond(answer, &app, route, facts);
            timer.finish(response.status());
            response
        })
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
            trace_id: header_trace_id(headers),
            had_token: headers.contains_key(AUTHORIZATION),
        }
    }

    /// Makes the response of a handler's answer.
    fn respond(
        self,
        answer: Result<Answer, Problem>,
        app: &SharedApp,
        route: RouteId,
        mut facts: RequestFacts,
    ) -> Response {
        let had_token = self.had_token;
        let counted_response = answer.and_then(|answer| {
            let has_effect = answer.facts.has_effect;
            facts.add(answer.facts);
            let caller = || facts.caller.clone().unwrap_or_else(|| Caller::at(self.peer));
            app.unread.count_body(answer.response, caller, has_effect)
        });
        let mut response =
            counted_response.unwrap_or_else(|problem| self.refuse(problem, app, facts));
        if response.status() == StatusCode::UNAUTHORIZED {
            let challenges = app.config.auth.challenges(had_token);
            let metadata = if route.is_resource { challenge_parameter(app) } else { None };
            let challenges =
                challenges.map(|it| (WWW_AUTHENTICATE, with_metadata(it, metadata.as_deref())));
            response.headers_mut().extend(challenges);
        }
        response
    }

    /// Makes the response of a refused request, and counts and logs the refusal.
    fn refuse(self, mut problem: Problem, app: &SharedApp, mut facts: RequestFacts) -> Response {
        facts.trace_id = problem.trace_id.take().or(facts.trace_id).or(self.trace_id);
        app.metrics.refused(problem.status);
        app.refusals.log(&LoggedRefusal {
            problem: &problem,
            peer: self.peer,
            route: self.path.as_ref().map(MatchedPath::as_str),
            principal: facts.principal(),
            trace_id: facts.trace_id.as_deref(),
        });
        problem.response(facts).into_response()
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
    start: RequestStart,
    status: Option<StatusCode>,
}

impl RequestTimer {
    fn finish(mut self, status: StatusCode) {
        self.status = Some(status);
    }
}

impl Drop for RequestTimer {
    fn drop(&mut self) {
        self.app.metrics.answered(&AnsweredRequest {
            route: self.route.index,
            method: &self.method,
            is_https: self.is_https,
            status: self.status,
            took: self.start.elapsed(),
        });
    }
}

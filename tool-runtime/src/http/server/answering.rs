//! One request: what is checked before the router sees it, and counted until it is answered.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::header::HOST;
use axum::http::{Request, Response, StatusCode, Version};
use axum::response::IntoResponse;
use futures::FutureExt;
use hyper::body::{Body as _, Incoming};
use hyper::service::Service;
use hyper_util::service::TowerToHyperService;
use tool_contracts::ErrorCode;

use super::ServerLimits;
use super::body::{Answer, Awaited};
use super::pulse::Pulse;
use crate::http::problem::Problem;
use crate::http::receiving;

/// What answers the requests of one connection.
#[derive(Debug, Clone)]
pub(super) struct Answering {
    pub(super) app: TowerToHyperService<Router>,
    pub(super) peer: SocketAddr,
    pub(super) pulse: Arc<Pulse>,
    pub(super) limits: Arc<ServerLimits>,
}

impl Answering {
    /// Answers a request; whatever happens, there is an answer.
    pub(super) async fn answer(
        self,
        request: Request<Incoming>,
    ) -> Result<Response<Answer>, Infallible> {
        let open = self.pulse.opens(request.version() == Version::HTTP_2);
        self.pulse.room(self.limits.unread_bytes).await;
        let answer = if is_flooded(&request, &self.limits) {
            receiving::refused(&request.into_parts().0, too_many_headers())
        } else if names_no_host(&request) {
            receiving::refused(&request.into_parts().0, no_host())
        } else {
            self.routed(request).await
        };
        Ok(answer.map(|body| Answer::new(body, open)))
    }

    async fn routed(&self, request: Request<Incoming>) -> Response<Body> {
        let mut request = request.map(|body| self.body(body));
        let client = self.limits.client_address.of(self.peer, request.headers());
        request.extensions_mut().insert(ConnectInfo(client));
        let answer = AssertUnwindSafe(async { self.app.call(request).await });
        match answer.catch_unwind().await {
            Ok(Ok(answer)) => answer,
            Err(_) => failed().into_response(),
        }
    }

    fn body(&self, body: Incoming) -> Body {
        if body.is_end_stream() {
            Body::empty()
        } else {
            Body::new(Awaited::new(body, self.limits.body_timeout))
        }
    }
}

fn is_flooded(request: &Request<Incoming>, limits: &ServerLimits) -> bool {
    let headers = request.headers();
    // As they stood: with `: ` and the end of the line.
    let line = |(name, value): (&axum::http::HeaderName, &axum::http::HeaderValue)| {
        name.as_str().len() + value.len() + 4
    };
    let target = request.uri().path_and_query().map_or(0, |target| target.as_str().len());
    headers.len() > limits.headers
        || target + headers.iter().map(line).sum::<usize>() > limits.header_bytes
}

/// Tells whether HTTP/1.1 has a server refuse what says no `Host`, or two (RFC 9112, section 3.2).
fn names_no_host(request: &Request<Incoming>) -> bool {
    let mut hosts = request.headers().get_all(HOST).iter();
    let says_one = hosts.next().is_some() && hosts.next().is_none();
    request.version() == Version::HTTP_11 && !says_one
}

fn no_host() -> Problem {
    let message = "host: expected one, as HTTP/1.1 has it; send the name that the server is asked \
                   under, once";
    Problem::new(StatusCode::BAD_REQUEST, ErrorCode::InvalidArgument, message)
}

fn too_many_headers() -> Problem {
    let message = "the request's headers are more, or larger, than this server takes; send fewer";
    let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
    Problem::new(status, ErrorCode::InvalidArgument, message)
}

/// Something of the host's has panicked: its text is the host's own.
fn failed() -> Problem {
    let message = "the server failed to answer; its own log says why";
    Problem::new(StatusCode::INTERNAL_SERVER_ERROR, ErrorCode::Internal, message)
}

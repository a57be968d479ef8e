//! Handles one request: checks its head before the router does, and counts it until its response is
//! sent.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::header::HOST;
use axum::http::request::Parts;
use axum::http::{Request, Response, StatusCode, Version};
use axum::response::IntoResponse;
use futures::FutureExt;
use hyper::body::{Body as _, Incoming};
use hyper::service::Service;
use hyper_util::service::TowerToHyperService;
use tool_contracts::ErrorCode;

use super::ServerLimits;
use super::activity::ConnectionActivity;
use super::body::{ResponseBody, TimedBody};
use crate::problem::Problem;
use crate::response::ResponseFormat;
use crate::state::metrics::ServedOverTls;

/// The hyper service of one connection.
#[derive(Debug, Clone)]
pub(super) struct RequestService {
    pub(super) app: TowerToHyperService<Router>,
    pub(super) peer: SocketAddr,
    pub(super) activity: Arc<ConnectionActivity>,
    pub(super) limits: Arc<ServerLimits>,
    /// True for a connection over TLS.
    pub(super) is_tls: bool,
}

impl RequestService {
    /// Answers a request; a panic of the router is answered 500.
    pub(super) async fn answer(
        self,
        request: Request<Incoming>,
    ) -> Result<Response<ResponseBody>, Infallible> {
        let open = self.activity.request_started(request.version() == Version::HTTP_2);
        self.activity.wait_for_capacity(self.limits.unread_bytes).await;
        let answer = if is_flooded(&request, &self.limits) {
            refused(&request.into_parts().0, too_many_headers())
        } else if names_no_host(&request) {
            refused(&request.into_parts().0, no_host())
        } else {
            self.routed(request).await
        };
        Ok(answer.map(|body| ResponseBody::new(body, open)))
    }

    async fn routed(&self, request: Request<Incoming>) -> Response<Body> {
        let mut request = request.map(|body| self.body(body));
        let client = self.limits.client_address.resolve(self.peer, request.headers());
        request.extensions_mut().insert(ConnectInfo(client));
        if self.is_tls {
            request.extensions_mut().insert(ServedOverTls);
        }
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
            Body::new(TimedBody::new(body, self.limits.request_body_timeout))
        }
    }
}

fn refused(parts: &Parts, problem: Problem) -> Response<Body> {
    problem.into_uncounted_response(ResponseFormat::CallResponse, parts)
}

fn is_flooded(request: &Request<Incoming>, limits: &ServerLimits) -> bool {
    let headers = request.headers();
    // As on the wire: with `: ` and the end of the line.
    let line = |(name, value): (&axum::http::HeaderName, &axum::http::HeaderValue)| {
        name.as_str().len() + value.len() + 4
    };
    let target = request.uri().path_and_query().map_or(0, |target| target.as_str().len());
    headers.len() > limits.headers
        || target + headers.iter().map(line).sum::<usize>() > limits.header_bytes
}

/// Returns whether a request lacks the one `Host` that HTTP/1.1 requires (RFC 9112, section 3.2).
fn names_no_host(request: &Request<Incoming>) -> bool {
    let mut hosts = request.headers().get_all(HOST).iter();
    let says_one = hosts.next().is_some() && hosts.next().is_none();
    request.version() == Version::HTTP_11 && !says_one
}

fn no_host() -> Problem {
    let message = "host: expected exactly one `Host` header, as HTTP/1.1 requires";
    Problem::new(StatusCode::BAD_REQUEST, ErrorCode::InvalidArgument, message)
}

fn too_many_headers() -> Problem {
    let message = "the request has too many headers, or they are too large; send fewer";
    let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
    Problem::new(status, ErrorCode::InvalidArgument, message)
}

/// Answers a panic of the host's router, whose text stays in the host's log.
fn failed() -> Problem {
    let message = "the server failed to handle the request; its log has the cause";
    Problem::new(StatusCode::INTERNAL_SERVER_ERROR, ErrorCode::Internal, message)
}

//! The route for axum.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use axum::routing::post;
use serde_json::json;
use tokio::time::timeout;
use tool_runtime_core::tool::guarded;

use crate::ag_ui::AgUi;
use crate::caller::Unauthenticated;
use crate::event_stream::EventStream;
use crate::input::too_large;
use crate::problem::InputRefusal;

impl AgUi {
    /// Returns a router with one route, to which clients post their inputs.
    ///
    /// The response is the stream of events; an input that is refused is answered by a status of 400
    /// or above, and a body `{"error": {"code": …, "message": …}}`.
    pub fn router(self, path: &str) -> Router {
        Router::new().route(path, post(handle)).with_state(self)
    }

    async fn respond(&self, request: Request) -> Result<EventStream, InputRefusal> {
        let (head, body) = request.into_parts();
        let time = self.limits.request_time();
        let late = |_| {
            let message = "the request was not complete in time; send it again";
            InputRefusal::new(StatusCode::REQUEST_TIMEOUT, "timeout", message)
        };
        // The body of an unauthenticated request is not read.
        // The authenticator is code of the host, which may hang or panic.
        let caller = guarded(self.authenticator.authenticate(&head));
        let caller = timeout(time, caller).await.map_err(late)?.map_err(|_| {
            let message = "the authentication failed; the server's log has the cause";
            InputRefusal::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", message)
        })?;
        let caller = caller.map_err(|Unauthenticated| {
            let message = "the request is not authenticated; sign in, and send it again";
            InputRefusal::new(StatusCode::UNAUTHORIZED, "unauthenticated", message)
        })?;
        self.check_head(&head)?;
        let limit = self.limits.max_bytes();
        let body = timeout(time, to_bytes(body, limit)).await.map_err(late)?;
        let body = body.map_err(|_| too_large(limit))?;
        self.run(caller, &body)
    }

    fn check_head(&self, head: &Parts) -> Result<(), InputRefusal> {
        // A page of another site sends this type only after the browser has asked for permission.
        if !is_json(&head.headers) {
            let message = "Content-Type: expected application/json";
            let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
            return Err(InputRefusal::new(status, "unsupported_media_type", message));
        }
        let length = head.headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok());
        let length = length.and_then(|text| text.parse::<u64>().ok());
        let limit = self.limits.max_bytes();
        match length {
            Some(length) if length > u64::try_from(limit).unwrap_or(u64::MAX) => {
                Err(too_large(limit))
            }
            Some(_) | None => Ok(()),
        }
    }
}

async fn handle(State(ag_ui): State<AgUi>, request: Request) -> Response {
    match ag_ui.respond(request).await {
        Ok(events) => stream_response(events),
        Err(refusal) => refusal_response(&refusal),
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = content_type.and_then(|it| it.split(';').next()).unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("application/json")
}

fn stream_response(events: EventStream) -> Response {
    let mut response = Response::new(Body::from_stream(events));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // nginx would hold events back until its buffer is full.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

fn refusal_response(refusal: &InputRefusal) -> Response {
    let body = json!({"error": {"code": refusal.code(), "message": refusal.message()}});
    let mut response = Response::new(Body::from(body.to_string()));
    *response.status_mut() = refusal.status();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

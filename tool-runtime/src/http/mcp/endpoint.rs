//! The endpoint of streamable HTTP: admits a request, and gives it to the protocol.

use std::sync::Arc;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{FromRequest, Request};
use axum::http::header::{CACHE_CONTROL, WWW_AUTHENTICATE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use futures::{FutureExt, StreamExt};
use http_body_util::{BodyDataStream, BodyExt, Full};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use super::direct::DirectCall;
use super::handler::ToolServer;
use super::listing::McpToolCache;
use super::message::{RefusedMessage, SentMessage};
use super::sessions::{McpSessions, SESSION, SessionUse};
use super::transport::{AnswerStream, RequestCaller, Transport};
use crate::http::endpoints::call::streams;
use crate::http::problem::Problem;
use crate::http::request::admission::Admitted;
use crate::http::request::body::ReceivedRequest;
use crate::http::response::{Audit, JsonResponse};
use crate::http::state::app::SharedApp;
use crate::http::state::caller::Caller;
use crate::http::state::config::mcp::McpConfig;
use crate::http::state::drain::Drain;
use crate::http::state::quota::Permit;

/// The protocol at one path of a router.
#[derive(Clone)]
pub(super) struct McpEndpoint {
    service: StreamableHttpService<ToolServer, LocalSessionManager>,
    server: ToolServer,
    sessions: Option<Arc<McpSessions>>,
}

/// A request that was admitted, before the protocol reads it.
struct AdmittedRequest {
    parts: Parts,
    body: Bytes,
    /// The place of the session that it opens.
    session: Option<Permit<Caller>>,
}

impl McpEndpoint {
    /// Serves the tools of a router.
    pub(super) fn new(app: &SharedApp, config: &Arc<McpConfig>) -> Self {
        let sessions = config
            .sessions
            .map(|limit| Arc::new(McpSessions::new(limit, config.session_idle_time)));
        let manager = sessions.as_ref().map_or_else(Arc::default, |it| it.manager.clone());
        // The router checks hosts, origins and sizes itself, for all of its paths.
        let settings = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(sessions.is_some())
            .with_json_response(true)
            .with_sse_keep_alive(Some(app.config.bounds.keep_alive))
            .with_max_request_body_bytes(usize::MAX)
            .disable_allowed_hosts();
        let listing = Arc::new(McpToolCache::of(&app.runtime, config.tool_icons.clone()));
        let server = ToolServer::new(app.clone(), config.clone(), listing, Transport::Http);
        let of_client = server.clone();
        let service =
            StreamableHttpService::new(move || Ok(of_client.for_client()), manager, settings);
        Self { service, server, sessions }
    }

    /// Handles a request.
    pub(super) async fn handle(
        self,
        admitted: Admitted,
        app: SharedApp,
        audit: Audit,
        request: Request,
    ) -> Result<Response, Problem> {
        let caller = admitted.caller().clone();
        let session = session_of(request.headers()).map(Box::from);
        let session_use = match (&self.sessions, &session) {
            (Some(sessions), Some(id)) => Some(sessions.admit(id, &caller)?),
            (None, _) | (_, None) => None,
        };
        let ends_session = *request.method() == Method::DELETE;
        let listens = *request.method() == Method::GET;
        let mut request_caller = RequestCaller::new(admitted, request.headers().clone(), audit);
        let read = if *request.method() == Method::POST {
            let received = ReceivedRequest::from_request(request, &app).await?;
            self.posted(&app, received, session_use, &mut request_caller).await?
        } else {
            if listens {
                request_caller.stream = Some(answer_stream(&app, &caller, session_use)?);
            }
            let (parts, _) = request.into_parts();
            Ok(AdmittedRequest { parts, body: Bytes::new(), session: None })
        };
        let AdmittedRequest { mut parts, body, session: place } = match read {
            Ok(read) => read,
            Err(RefusedMessage(body)) => return Ok(bad_request(body).into_response()),
        };
        let request_caller = Arc::new(request_caller);
        if session.is_none() && parts.method == Method::POST {
            if let Some(call) = DirectCall::read(&parts, &body, &self.server) {
                let answer = call.answer(&self.server, request_caller.clone()).await;
                return Ok(with_challenge(answer, &request_caller));
            }
        }
        parts.extensions.insert(request_caller.clone());
        let answer = self.service.handle(Request::from_parts(parts, Full::new(body))).await;
        if let Some(sessions) = &self.sessions {
            match (place, session_of(answer.headers()), session) {
                (Some(place), Some(opened), _) => sessions.opened(opened, caller, place),
                (None, _, Some(ended)) if ends_session => sessions.ended(&ended),
                (Some(_), None, _) | (None, _, Some(_) | None) => {}
            }
        }
        let stream = request_caller.stream.clone();
        let drain = listens.then(|| app.config.drain.clone());
        let answer = answer.map(|body| sent(body, stream, drain));
        Ok(with_challenge(answer, &request_caller))
    }

    /// Reads the message of a request, and acquires the places that its answer needs.
    async fn posted(
        &self,
        app: &SharedApp,
        received: ReceivedRequest,
        session_use: Option<SessionUse>,
        caller: &mut RequestCaller,
    ) -> Result<Result<AdmittedRequest, RefusedMessage>, Problem> {
        let (parts, body, permit) = received.into_parts();
        caller.body_permit = Some(permit);
        let message = match SentMessage::read(&body) {
            Ok(message) => message,
            Err(refused) => return Ok(Err(refused)),
        };
        let owner = caller.admitted.caller();
        // What belongs to a running call, such as its cancellation, must not wait for a place.
        let in_session = session_use.is_some() && message.request_id().is_some();
        let mut session = None;
        match &self.sessions {
            Some(sessions) if message.opens_session() => {
                session = Some(sessions.acquire(owner).await?);
            }
            Some(_) | None => {}
        }
        if in_session || message.may_stream() {
            caller.stream = Some(answer_stream(app, owner, session_use)?);
        }
        caller.arguments = message.into_arguments();
        Ok(Ok(AdmittedRequest { parts, body, session }))
    }
}

/// Acquires the place of a stream that may answer a request.
fn answer_stream(
    app: &SharedApp,
    caller: &Caller,
    session: Option<SessionUse>,
) -> Result<Arc<AnswerStream>, Problem> {
    let place = streams::acquire(app, caller.clone())?;
    Ok(Arc::new(AnswerStream { _place: place, _session: session }))
}

/// Holds the permit of a stream until the response is sent. With a drain, the stream of change
/// notifications ends when the drain begins.
fn sent<B>(body: B, stream: Option<Arc<AnswerStream>>, drain: Option<Drain>) -> Body
where
    B: HttpBody<Data = Bytes, Error: Into<axum::BoxError>> + Send + 'static,
{
    match (stream, drain) {
        (None, _) => Body::new(body),
        (Some(stream), None) => Body::new(body.map_frame(move |frame| {
            let _ = &stream;
            frame
        })),
        (Some(stream), Some(drain)) => {
            let begun = async move { drain.begun().await }.boxed();
            Body::from_stream(BodyDataStream::new(body).take_until(begun).inspect(move |_| {
                let _ = &stream;
            }))
        }
    }
}

fn session_of(headers: &HeaderMap) -> Option<&str> {
    headers.get(SESSION)?.to_str().ok()
}

/// Answers a message that the protocol does not read.
fn bad_request(body: String) -> JsonResponse {
    JsonResponse { status: StatusCode::BAD_REQUEST, retry_after: None, body: body.into() }
}

/// Answers a call of a tool that the caller's token does not cover as OAuth has it (RFC 6750, section
/// 3.1), so that the client may ask for the scope.
fn with_challenge(mut response: Response, caller: &RequestCaller) -> Response {
    response.headers_mut().entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    let Some(denied) = caller.denied.get() else { return response };
    *response.status_mut() = denied.status;
    if let Some(challenge) = &denied.challenge {
        response.headers_mut().append(WWW_AUTHENTICATE, challenge.clone());
    }
    response
}

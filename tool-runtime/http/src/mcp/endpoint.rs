//! The endpoint of streamable HTTP: admits a request, and gives it to the protocol.

use std::sync::Arc;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{FromRequest, Request};
use axum::http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::Response;
use futures::{FutureExt, StreamExt};
use http_body_util::{BodyDataStream, BodyExt, Full};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::value::RawValue;
use tool_runtime_schema::json::value_count;

use super::handler::ToolServer;
use super::listing::McpToolCache;
use super::message::{SentMessage, VALUE_BYTES, invalid_request, refused_request};
use super::sessions::{McpSessions, SESSION, SessionUse};
use super::stateless_call::StatelessCall;
use super::transport::{AnswerStream, RequestCaller, Transport};
use crate::endpoints::call::events;
use crate::problem::Problem;
use crate::request::admission::Admitted;
use crate::request::body::ReceivedRequest;
use crate::response::{Answer, AnswerFacts, JsonResponse};
use crate::state::app::SharedApp;
use crate::state::caller::Caller;
use crate::state::config::mcp::McpConfig;
use crate::state::drain::Drain;
use crate::state::quota::Permit;

/// The protocol at one path of a router.
#[derive(Clone)]
pub(super) struct McpEndpoint {
    service: StreamableHttpService<ToolServer, LocalSessionManager>,
    server: ToolServer,
    sessions: Option<Arc<McpSessions>>,
}

/// The session of a request: its id, if it names one, and its use.
#[derive(Default)]
struct RequestSession {
    id: Option<Box<str>>,
    usage: Option<SessionUse>,
    /// The place of the session that the request opens.
    place: Option<Permit<Caller>>,
}

impl McpEndpoint {
    /// Serves the tools of a router.
    pub(super) fn new(app: &SharedApp, config: &Arc<McpConfig>) -> Self {
        let sessions = config.sessions.map(|limit| {
            let per_caller = config.sessions_per_caller(limit);
            Arc::new(McpSessions::new(limit, per_caller, config.session_idle_time))
        });
        let manager = sessions.as_ref().map_or_else(Arc::default, |it| it.manager.clone());
        // The router checks hosts, origins and sizes itself, for all of its paths.
        let settings = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(sessions.is_some())
            .with_json_response(true)
            .with_sse_keep_alive(Some(app.config.limits.keep_alive))
            .with_max_request_body_bytes(usize::MAX)
            .disable_allowed_hosts();
        let listing = Arc::new(McpToolCache::new(&app.runtime, config));
        let server = ToolServer::new(app.clone(), config.clone(), listing, Transport::Http);
        let client_server = server.clone();
        let service =
            StreamableHttpService::new(move || Ok(client_server.for_client()), manager, settings);
        Self { service, server, sessions }
    }

    /// Handles a request.
    pub(super) async fn handle(
        self,
        admitted: Admitted,
        app: SharedApp,
        request: Request,
    ) -> Result<Answer, Problem> {
        let caller = admitted.caller().clone();
        let id = session_of(request.headers()).map(Box::from);
        let usage = match (&self.sessions, &id) {
            (Some(sessions), Some(id)) => sessions.admit(id, &caller).map(Some),
            (None, _) | (_, None) => Ok(None),
        };
        let mut session = RequestSession { id, usage: None, place: None };
        let mut request_caller = RequestCaller::new(admitted, request.headers().clone());
        if *request.method() == Method::POST {
            return self.handle_message(&app, request, (session, usage), request_caller).await;
        }
        session.usage = usage?;
        let listens = *request.method() == Method::GET;
        if listens {
            request_caller.stream = Some(answer_stream(&app, &caller, session.usage.clone())?);
        }
        let drain = listens.then(|| app.config.drain.clone());
        let (parts, _) = request.into_parts();
        let request = Request::from_parts(parts, Full::default());
        let response = self.serve(request, session, Arc::new(request_caller), drain).await;
        Ok(response.into())
    }

    /// Handles a request with a message.
    async fn handle_message(
        &self,
        app: &SharedApp,
        request: Request,
        (mut session, usage): (RequestSession, Result<Option<SessionUse>, Problem>),
        mut caller: RequestCaller,
    ) -> Result<Answer, Problem> {
        let received = ReceivedRequest::from_request(request, app).await?;
        let (mut parts, (body, payload), mut permit) = received.into_parts();
        let message = match SentMessage::read(&body) {
            Ok(message) => message,
            Err(refused) => return Ok(bad_request(refused.body).into()),
        };
        let passed_arguments = self.passed_arguments(&message);
        let values =
            message.values() + passed_arguments.map_or(0, |it| value_count(it.get().as_bytes()));
        let bytes = body.len() + values * VALUE_BYTES;
        let refused = |problem| with_id(problem, message.request_id());
        session.usage = usage.map_err(refused)?;
        permit.grow(&app.body_quota, caller.admitted.caller(), bytes).map_err(refused)?;
        caller.body_permit = Some(permit);
        let acquired = self.acquire_places(app, &message, &mut session, &mut caller).await;
        acquired.map_err(refused)?;
        caller.arguments = message.arguments().map(ToOwned::to_owned);
        let caller = Arc::new(caller);
        let with_facts = |response| {
            let facts = AnswerFacts { payload: Some(payload), ..caller.answer_facts() };
            Answer { response, facts }
        };
        if session.id.is_none() {
            if let Some(call) = StatelessCall::read(&parts, &message, &self.server) {
                let answer = call.answer(&self.server, caller.clone()).await;
                return Ok(with_facts(with_challenge(answer, &caller)));
            }
        }
        let id = message.request_id().map(ToOwned::to_owned);
        let passed = message.into_passed(passed_arguments).map_err(|_| Problem::internal())?;
        drop(body);
        // The router has checked the type, which may be another one of JSON.
        parts.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let request = Request::from_parts(parts, Full::new(passed.into()));
        let answer = self.serve(request, session, caller.clone(), None).await;
        Ok(with_facts(as_message(answer, id.as_deref()).await))
    }

    /// Returns the arguments of a call if the protocol has to read them, because a header repeats a
    /// parameter of the tool. Other arguments are read by the pipeline alone.
    fn passed_arguments<'b>(&self, message: &SentMessage<'b>) -> Option<&'b RawValue> {
        let tool = message.called_tool()?;
        message.arguments().filter(|_| self.server.has_header_parameters(tool))
    }

    /// Passes an admitted request on to the protocol.
    async fn serve(
        &self,
        mut request: Request<Full<Bytes>>,
        session: RequestSession,
        caller: Arc<RequestCaller>,
        drain: Option<Drain>,
    ) -> Response {
        let ends_session = *request.method() == Method::DELETE;
        request.extensions_mut().insert(caller.clone());
        let answer = self.service.handle(request).await;
        if let Some(sessions) = &self.sessions {
            match (session.place, session_of(answer.headers()), session.id) {
                (Some(place), Some(opened), _) => {
                    sessions.add_opened(opened, caller.admitted.caller().clone(), place);
                }
                (None, _, Some(ended)) if ends_session => sessions.remove_ended(&ended),
                (Some(_), None, _) | (None, _, Some(_) | None) => {}
            }
        }
        let stream = caller.stream.clone();
        with_challenge(answer.map(|body| stream_body(body, stream, drain)), &caller)
    }

    /// Acquires the places that the answer to a message needs.
    async fn acquire_places(
        &self,
        app: &SharedApp,
        message: &SentMessage<'_>,
        session: &mut RequestSession,
        caller: &mut RequestCaller,
    ) -> Result<(), Problem> {
        let owner = caller.admitted.caller();
        match &self.sessions {
            Some(sessions) if message.opens_session() => {
                session.place = Some(sessions.acquire(owner).await?);
            }
            Some(_) | None => {}
        }
        // Messages about a running call, such as its cancellation, must not wait for a place.
        let in_session = session.usage.is_some() && message.request_id().is_some();
        if in_session || message.may_stream() {
            caller.stream = Some(answer_stream(app, owner, session.usage.clone())?);
        }
        Ok(())
    }
}

/// Acquires the place of a stream that may answer a request.
fn answer_stream(
    app: &SharedApp,
    caller: &Caller,
    session: Option<SessionUse>,
) -> Result<Arc<AnswerStream>, Problem> {
    let place = events::acquire_stream(app, caller.clone())?;
    Ok(Arc::new(AnswerStream { _place: place, _session: session }))
}

/// Holds the permit of a stream until the response is sent. With a drain, the stream of change
/// notifications ends when the drain begins.
fn stream_body<B>(body: B, stream: Option<Arc<AnswerStream>>, drain: Option<Drain>) -> Body
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

/// Writes a refusal as the answer to a request that was read.
fn with_id(problem: Problem, id: Option<&RawValue>) -> Problem {
    let body = refused_request(id, &problem);
    Problem { body: Some(body.into()), ..problem }
}

/// Answers a message that the protocol does not read.
fn bad_request(body: String) -> JsonResponse {
    JsonResponse::new(StatusCode::BAD_REQUEST, body)
}

/// Writes a refusal of the protocol that is a text as a message with the id of the request.
async fn as_message(answer: Response, id: Option<&RawValue>) -> Response {
    let status = answer.status();
    let is_json = answer.headers().get(CONTENT_TYPE).is_some_and(|it| it == "application/json");
    if is_json || !status.is_client_error() {
        return answer;
    }
    let (mut parts, body) = answer.into_parts();
    let text = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let body = invalid_request(id, &String::from_utf8_lossy(&text));
    parts.headers.remove(CONTENT_LENGTH);
    parts.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    // The type of the body was checked before: this is a message of another form.
    if status == StatusCode::UNSUPPORTED_MEDIA_TYPE {
        parts.status = StatusCode::BAD_REQUEST;
    }
    Response::from_parts(parts, Body::from(body))
}

/// Answers a call of a tool that the caller's token does not cover with the challenge of OAuth (RFC
/// 6750, section 3.1), so that the client may request the scope.
fn with_challenge(mut response: Response, caller: &RequestCaller) -> Response {
    response.headers_mut().entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    let Some(denied) = caller.denied.get() else { return response };
    *response.status_mut() = denied.status;
    if let Some(challenge) = &denied.challenge {
        response.headers_mut().append(WWW_AUTHENTICATE, challenge.clone());
    }
    response
}

//! Sends the messages of a connection as HTTP requests, and reads the responses.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{RequestBuilder, Response, StatusCode};
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::common::http_header::{
    EVENT_STREAM_MIME_TYPE, HEADER_LAST_EVENT_ID, HEADER_SESSION_ID, JSON_MIME_TYPE,
};
use rmcp::transport::streamable_http_client::{
    StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};
use tool_runtime_core::unreached::unreached;

use super::events::{EventSettings, EventStream, events, is_same};
use super::failure::{TransportFailure, UNREACHED};
use super::message::{IncomingAnswer, IncomingMessage, MessageReader, RequestKind};
use super::replies::ReplyTasks;
use crate::remote::limits::RemoteLimits;

/// The most bytes of the body of a failed request that are read, if it is no message.
const MAX_ERROR_BODY: usize = 16 * 1024;

/// The time in which a server takes the answer to one of its requests.
const REPLY: Duration = Duration::from_secs(10);

/// The beginning of the names of headers that repeat parts of one message.
const MESSAGE_HEADERS: [&str; 3] = ["mcp-method", "mcp-name", "mcp-param-"];

/// The headers of a request that the host adds.
type Headers = HashMap<HeaderName, HeaderValue>;
type HttpResult<T> = Result<T, StreamableHttpError<TransportFailure>>;

/// The HTTP client of one connection. A clone is the same client.
#[derive(Debug, Clone)]
pub(super) struct RemoteHttpClient {
    client: reqwest::Client,
    reader: MessageReader,
    max_bytes: usize,
    /// True if the server has no stream of events beside those of requests.
    has_no_stream: Arc<AtomicBool>,
    replies: ReplyTasks,
}

/// The address, the session and the credentials of a request.
#[derive(Clone)]
pub(super) struct RequestTarget {
    uri: String,
    session: Option<String>,
    token: Option<String>,
    headers: Headers,
}

/// A request that waits for its response.
struct PostedRequest {
    id: RequestId,
    kind: RequestKind,
    has_session: bool,
    /// True for the first question of the newest revision, which other servers refuse in many ways.
    is_discovery: bool,
}

impl RemoteHttpClient {
    pub(super) fn new(client: reqwest::Client, limits: RemoteLimits) -> Self {
        Self {
            client,
            reader: MessageReader::new(limits),
            max_bytes: limits.max_message_bytes(),
            has_no_stream: Arc::default(),
            replies: ReplyTasks::default(),
        }
    }

    async fn post(
        &self,
        target: RequestTarget,
        message: &ClientJsonRpcMessage,
    ) -> HttpResult<StreamableHttpPostResponse> {
        let request = PostedRequest::from_message(message, target.session.is_some());
        let body = serde_json::to_vec(message)?;
        let builder = self.client.post(&target.uri).header(CONTENT_TYPE, JSON_MIME_TYPE).body(body);
        let response = target.send(builder).await?;
        let status = response.status();
        if !status.is_success() {
            return self.failed(response, request).await;
        }
        let Some(request) = request else { return Ok(StreamableHttpPostResponse::Accepted) };
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            // The answer may come on the stream that is beside those of requests.
            let may_come = request.has_session && !self.has_no_stream.load(Ordering::Relaxed);
            return if may_come {
                Ok(StreamableHttpPostResponse::Accepted)
            } else {
                Err(StreamableHttpError::Client(TransportFailure::NoAnswer))
            };
        }
        self.answered(response, request, target).await
    }

    /// Sends the answer to a request of the server that came in a stream of events.
    pub(super) fn reply(&self, mut target: RequestTarget, reply: &ClientJsonRpcMessage) {
        // Built here, the message can be written.
        let body = serde_json::to_vec(reply).unwrap_or_default();
        let repeats_message =
            |name: &HeaderName| MESSAGE_HEADERS.iter().any(|it| name.as_str().starts_with(it));
        target.headers.retain(|name, _| !repeats_message(name));
        let request = self.client.post(&target.uri).timeout(REPLY);
        let request = request.header(CONTENT_TYPE, JSON_MIME_TYPE).body(body);
        // A lost connection is seen by the next request.
        self.replies.spawn(async move { drop(target.send(request).await) });
    }

    fn event_settings(&self, target: RequestTarget) -> EventSettings {
        let (reader, max_bytes) = (self.reader, self.max_bytes);
        EventSettings { client: self.clone(), target, reader, max_bytes }
    }

    /// Reads the response to a request that the server has taken.
    async fn answered(
        &self,
        response: Response,
        request: PostedRequest,
        mut target: RequestTarget,
    ) -> HttpResult<StreamableHttpPostResponse> {
        let session = response.headers().get(HEADER_SESSION_ID);
        let session = session.and_then(|id| Some(id.to_str().ok()?.to_owned()));
        if is_media_type(response.headers(), EVENT_STREAM_MIME_TYPE) {
            target.session = target.session.or_else(|| session.clone());
            let request = Some((request.id, request.kind));
            let events = events(response, request, self.event_settings(target));
            return Ok(StreamableHttpPostResponse::Sse(events, session));
        }
        if !is_media_type(response.headers(), JSON_MIME_TYPE) {
            return Err(StreamableHttpError::Client(other_media_type(response.headers())));
        }
        let body = body(response, self.max_bytes).await?;
        let answer = answer_to(&request.id, self.reader.read_all(&body));
        let names_session = request.has_session && answer.names_session();
        let mut message = answer.into_message(request.id, request.kind);
        if names_session {
            TransportFailure::mark(&mut message, StatusCode::OK.as_u16());
        }
        Ok(StreamableHttpPostResponse::Json(message, session))
    }

    /// Reads the response to a message that the server has refused.
    async fn failed(
        &self,
        response: Response,
        request: Option<PostedRequest>,
    ) -> HttpResult<StreamableHttpPostResponse> {
        let status = response.status();
        let failure = match status.as_u16() {
            401 | 403 => Some(TransportFailure::Unauthorized),
            429 => Some(TransportFailure::Status(429)),
            _ => None,
        };
        if let Some(failure) = failure {
            return Err(StreamableHttpError::Client(failure));
        }
        let refused = StreamableHttpError::Client(TransportFailure::Status(status.as_u16()));
        let Some(request) = request else { return Err(refused) };
        let is_json = is_media_type(response.headers(), JSON_MIME_TYPE);
        let most = if is_json { self.max_bytes } else { MAX_ERROR_BODY };
        let body = body(response, most).await.unwrap_or_default();
        let (named, error) = error_in(self.reader.read_all(&body)).unzip();
        if request.is_discovery && status.is_client_error() {
            return Ok(request.discovery_refused(error));
        }
        let is_named = named.flatten().is_some_and(|named| is_same(&named, &request.id));
        if request.has_session && is_session_lost(status, is_named, &body) {
            return Err(StreamableHttpError::SessionExpired);
        }
        match error {
            Some(error) => Ok(request.error(error, status)),
            None => Err(refused),
        }
    }
}

impl PostedRequest {
    fn from_message(message: &ClientJsonRpcMessage, has_session: bool) -> Option<Self> {
        let (id, kind) = RequestKind::from_message(message)?;
        let is_discovery = matches!(
            message,
            JsonRpcMessage::Request(request)
                if matches!(request.request, ClientRequest::DiscoverRequest(_))
        );
        Some(Self { id, kind, has_session, is_discovery: is_discovery && !has_session })
    }

    /// Makes the answer of a server that refuses the question for the newest revision.
    fn discovery_refused(self, error: Option<ErrorData>) -> StreamableHttpPostResponse {
        let refused = || ErrorData::invalid_request("the server refuses the request", None);
        let error = ServerJsonRpcMessage::error(error.unwrap_or_else(refused), Some(self.id));
        StreamableHttpPostResponse::Json(error, None)
    }

    /// Makes the error of this request. With a session, the status says that the session may be lost.
    fn error(self, error: ErrorData, status: StatusCode) -> StreamableHttpPostResponse {
        let mut message = IncomingAnswer::Error(error).into_message(self.id, self.kind);
        if self.has_session {
            TransportFailure::mark(&mut message, status.as_u16());
        }
        StreamableHttpPostResponse::Json(message, None)
    }
}

impl RequestTarget {
    async fn send(&self, request: RequestBuilder) -> HttpResult<Response> {
        let headers = self.headers.clone();
        send(request, self.session.as_deref(), self.token.as_deref(), headers).await
    }

    pub(super) fn has_session(&self) -> bool {
        self.session.is_some()
    }
}

impl StreamableHttpClient for RemoteHttpClient {
    type Error = TransportFailure;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
    ) -> HttpResult<StreamableHttpPostResponse> {
        let (uri, session) = (uri.as_ref().to_owned(), session.as_deref().map(str::to_owned));
        self.post(RequestTarget { uri, session, token, headers }, &message).await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        token: Option<String>,
        headers: Headers,
    ) -> HttpResult<()> {
        let request = self.client.delete(&*uri);
        // A server need not end a session on request.
        send(request, Some(&session), token.as_deref(), headers).await.map(drop)
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        token: Option<String>,
        headers: Headers,
    ) -> HttpResult<EventStream> {
        let mut request = self.client.get(&*uri);
        if let Some(last_event) = &last_event {
            request = request.header(HEADER_LAST_EVENT_ID, last_event);
        }
        let (uri, session) = (uri.as_ref().to_owned(), session.as_deref().map(str::to_owned));
        let target = RequestTarget { uri, session, token, headers };
        let response = target.send(request).await?;
        let status = response.status();
        let is_stream = is_media_type(response.headers(), EVENT_STREAM_MIME_TYPE);
        if status.is_success() && is_stream {
            return Ok(events(response, None, self.event_settings(target)));
        }
        // A response to be continued is not the stream beside those of requests.
        if last_event.is_none() {
            self.has_no_stream.store(true, Ordering::Relaxed);
        }
        Err(match status {
            StatusCode::METHOD_NOT_ALLOWED => StreamableHttpError::ServerDoesNotSupportSse,
            _ if status.is_success() => {
                StreamableHttpError::Client(other_media_type(response.headers()))
            }
            _ => StreamableHttpError::Client(TransportFailure::Status(status.as_u16())),
        })
    }
}

async fn send(
    request: RequestBuilder,
    session: Option<&str>,
    token: Option<&str>,
    headers: Headers,
) -> HttpResult<Response> {
    let accepted = [JSON_MIME_TYPE, EVENT_STREAM_MIME_TYPE].join(", ");
    let mut request = request.headers(headers.into_iter().collect()).header(ACCEPT, accepted);
    if let Some(session) = session {
        request = request.header(HEADER_SESSION_ID, session);
    }
    if let Some(token) = token {
        request = request.bearer_auth(token);
    }
    request.send().await.map_err(|error| StreamableHttpError::Client(not_sent(&error)))
}

/// Describes a request that was not sent or not answered.
fn not_sent(error: &reqwest::Error) -> TransportFailure {
    match error.url() {
        Some(url) if error.is_connect() => TransportFailure::NotConnected(unreached(url, error)),
        Some(_) | None if error.is_connect() || error.is_builder() => {
            TransportFailure::NotConnected(UNREACHED.to_owned())
        }
        Some(_) | None => TransportFailure::Lost,
    }
}

/// Finds the answer to a request among the messages of a response.
fn answer_to<'t>(id: &RequestId, messages: Vec<IncomingMessage<'t>>) -> IncomingAnswer<'t> {
    let mut unnamed = None;
    for message in messages {
        let IncomingMessage::Answer { id: named, answer } = message else { continue };
        if named.is_some_and(|named| is_same(&named, id)) {
            return answer;
        }
        // Servers name no request, or another one, in the error of a request that they have not read.
        if !matches!(answer, IncomingAnswer::Result(_)) {
            unnamed.get_or_insert(answer);
        }
    }
    unnamed.unwrap_or(IncomingAnswer::Unusable(TransportFailure::Unreadable))
}

/// Finds the error of a refused request, and the id that it names.
fn error_in(messages: Vec<IncomingMessage<'_>>) -> Option<(Option<RequestId>, ErrorData)> {
    messages.into_iter().find_map(|message| match message {
        IncomingMessage::Answer { id, answer: IncomingAnswer::Error(error) } => Some((id, error)),
        IncomingMessage::Answer { .. }
        | IncomingMessage::FromServer(_)
        | IncomingMessage::Refused(_)
        | IncomingMessage::Ignored => None,
    })
}

/// Reads a body, up to a limit.
async fn body(mut response: Response, most: usize) -> HttpResult<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(None) => return Ok(body),
            Ok(Some(chunk)) if body.len().saturating_add(chunk.len()) <= most => {
                body.extend_from_slice(&chunk);
            }
            Ok(Some(_)) => return Err(StreamableHttpError::Client(TransportFailure::TooLarge)),
            Err(_) => return Err(StreamableHttpError::Client(TransportFailure::Lost)),
        }
    }
}

/// Returns whether a response to a request of a session says that the server has no such session.
///
/// The specification says it by 404. Servers made from the examples of an SDK say it by 400, with a
/// text; in an error that names the request, the text may be the tool's.
fn is_session_lost(status: StatusCode, is_named: bool, body: &[u8]) -> bool {
    let is_said = || body.to_ascii_lowercase().windows(7).any(|word| word == b"session");
    status == StatusCode::NOT_FOUND || (status.is_client_error() && !is_named && is_said())
}

fn is_media_type(headers: &HeaderMap, expected: &str) -> bool {
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = content_type.and_then(|value| value.split(';').next()).unwrap_or_default();
    essence.trim().eq_ignore_ascii_case(expected)
}

fn other_media_type(headers: &HeaderMap) -> TransportFailure {
    let content_type = headers.get(CONTENT_TYPE);
    TransportFailure::MediaType(
        content_type.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()),
    )
}

//! Sends the messages of a connection as HTTP requests, and reads the responses.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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

use super::events::{EventStream, events, is_same};
use super::failure::TransportFailure;
use super::message::{IncomingAnswer, IncomingMessage, MessageReader, RequestKind};
use crate::mcp::remote::limits::RemoteLimits;

/// The most bytes of the body of a failed request that are read, if it is no message.
const MAX_ERROR_BODY: usize = 16 * 1024;

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
        }
    }

    async fn post(
        &self,
        uri: &str,
        message: &ClientJsonRpcMessage,
        session: Option<&str>,
        token: Option<&str>,
        headers: Headers,
    ) -> HttpResult<StreamableHttpPostResponse> {
        let request = PostedRequest::from_message(message, session.is_some());
        let body = serde_json::to_vec(message)?;
        let builder = self.client.post(uri).header(CONTENT_TYPE, JSON_MIME_TYPE).body(body);
        let response = send(builder, session, token, headers).await?;
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
        self.answered(response, request).await
    }

    /// Reads the response to a request that the server has taken.
    async fn answered(
        &self,
        response: Response,
        request: PostedRequest,
    ) -> HttpResult<StreamableHttpPostResponse> {
        let session = response.headers().get(HEADER_SESSION_ID);
        let session = session.and_then(|id| Some(id.to_str().ok()?.to_owned()));
        if is_media_type(response.headers(), EVENT_STREAM_MIME_TYPE) {
            let request = Some((request.id, request.kind));
            let events = events(response, request, self.reader, self.max_bytes);
            return Ok(StreamableHttpPostResponse::Sse(events, session));
        }
        if !is_media_type(response.headers(), JSON_MIME_TYPE) {
            return Err(StreamableHttpError::Client(other_media_type(response.headers())));
        }
        let body = body(response, self.max_bytes).await?;
        let answer = match self.reader.read(&body) {
            IncomingMessage::Answer { id: Some(id), answer } if is_same(&id, &request.id) => answer,
            // Servers name no request, or another one, in the error of a request that they have not read.
            IncomingMessage::Answer {
                answer: answer @ (IncomingAnswer::Error(_) | IncomingAnswer::Unusable(_)),
                ..
            } => answer,
            IncomingMessage::Answer { .. }
            | IncomingMessage::FromServer(_)
            | IncomingMessage::Ignored => IncomingAnswer::Unusable(TransportFailure::Unreadable),
        };
        Ok(StreamableHttpPostResponse::Json(answer.into_message(request.id, request.kind), session))
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
        let (named, error) = match self.reader.read(&body) {
            IncomingMessage::Answer { id, answer: IncomingAnswer::Error(error) } => {
                (id, Some(error))
            }
            IncomingMessage::Answer { .. }
            | IncomingMessage::FromServer(_)
            | IncomingMessage::Ignored => (None, None),
        };
        if request.is_discovery && status.is_client_error() {
            return Ok(request.discovery_refused(error));
        }
        let is_named = named.is_some_and(|named| is_same(&named, &request.id));
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
        if let JsonRpcMessage::Error(error) = &mut message {
            if self.has_session {
                error.error.data = Some(TransportFailure::status_mark(status.as_u16()));
            }
        }
        StreamableHttpPostResponse::Json(message, None)
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
        self.post(&uri, &message, session.as_deref(), token.as_deref(), headers).await
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
        let response = send(request, session.as_deref(), token.as_deref(), headers).await?;
        let status = response.status();
        let is_stream = is_media_type(response.headers(), EVENT_STREAM_MIME_TYPE);
        if status.is_success() && is_stream {
            return Ok(events(response, None, self.reader, self.max_bytes));
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
    let failure = |error: reqwest::Error| {
        if error.is_connect() || error.is_builder() {
            TransportFailure::NotConnected
        } else {
            TransportFailure::Lost
        }
    };
    request.send().await.map_err(|error| StreamableHttpError::Client(failure(error)))
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
    let listed = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = listed.and_then(|value| value.split(';').next()).unwrap_or_default();
    essence.trim().eq_ignore_ascii_case(expected)
}

fn other_media_type(headers: &HeaderMap) -> TransportFailure {
    let listed = headers.get(CONTENT_TYPE);
    TransportFailure::MediaType(
        listed.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()),
    )
}

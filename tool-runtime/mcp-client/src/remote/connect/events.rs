//! The messages of a server in a stream of server-sent events.

use std::collections::VecDeque;
use std::io;

use futures::stream::{self, BoxStream, StreamExt as _};
use reqwest::{Response, StatusCode};
use rmcp::model::{RequestId, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::SseError;
use sse_stream::Sse;
use tool_runtime_schema::event_stream::{EventParser, ServerSentEvent};

use super::failure::TransportFailure;
use super::http_client::{RemoteHttpClient, RequestTarget};
use super::message::{IncomingAnswer, IncomingMessage, MessageReader, RequestKind};

/// The events of a response, as rmcp reads them.
pub(super) type EventStream = BoxStream<'static, Result<Sse, SseError>>;

/// The bounds of a stream of events, and the way by which requests in it are answered.
pub(super) struct EventSettings {
    pub(super) client: RemoteHttpClient,
    pub(super) target: RequestTarget,
    pub(super) reader: MessageReader,
    pub(super) max_bytes: usize,
}

/// Reads the events of a response: to one request, or of a stream for all of them.
pub(super) fn events(
    response: Response,
    request: Option<(RequestId, RequestKind)>,
    settings: EventSettings,
) -> EventStream {
    let events = EventReader {
        response,
        request,
        settings,
        parser: EventParser::default(),
        received: VecDeque::new(),
        ready: VecDeque::new(),
        state: StreamState::Open,
    };
    stream::unfold(events, |mut events| async move { Some((events.next().await?, events)) }).boxed()
}

struct EventReader {
    response: Response,
    request: Option<(RequestId, RequestKind)>,
    settings: EventSettings,
    parser: EventParser,
    received: VecDeque<ServerSentEvent>,
    /// The messages of one received event.
    ready: VecDeque<Sse>,
    state: StreamState,
}

#[derive(Debug, Clone, Copy)]
enum StreamState {
    Open,
    /// An event is longer than the limit; the events before it come first.
    TooLarge,
    Ended,
}

impl EventReader {
    async fn next(&mut self) -> Option<Result<Sse, SseError>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(Ok(event));
            }
            if let Some(event) = self.received.pop_front() {
                self.translate(event);
                continue;
            }
            match self.state {
                StreamState::Open => {}
                StreamState::TooLarge => {
                    self.state = StreamState::Ended;
                    let too_large = IncomingAnswer::Unusable(TransportFailure::TooLarge);
                    let request = self.request.clone();
                    let data =
                        request.map(|(id, kind)| message_text(&too_large.into_message(id, kind)));
                    return Some(Ok(Sse { data, ..Sse::default() }));
                }
                StreamState::Ended => return None,
            }
            match self.response.chunk().await {
                Ok(Some(bytes)) => {
                    let max_bytes = self.settings.max_bytes;
                    if self.parser.push(&bytes, max_bytes, &mut self.received).is_err() {
                        self.state = StreamState::TooLarge;
                    }
                }
                Ok(None) => {
                    self.state = StreamState::Ended;
                    self.received.extend(std::mem::take(&mut self.parser).finish());
                }
                Err(_) => {
                    self.state = StreamState::Ended;
                    // The text of the error has the address.
                    let lost = io::Error::from(io::ErrorKind::ConnectionReset);
                    return Some(Err(SseError::Body(Box::new(lost))));
                }
            }
        }
    }

    /// Makes events of messages that rmcp can read, one of each. Events with another name are no messages.
    fn translate(&mut self, event: ServerSentEvent) {
        let ServerSentEvent { name, data, id, retry } = event;
        let is_message = matches!(name.as_deref(), None | Some(b"" | b"message"));
        let data = data.filter(|_| is_message).unwrap_or_default();
        let messages = self.settings.reader.read_all(&data).into_iter();
        let texts = messages.filter_map(|message| self.message(message));
        let data_of = |data| Sse { data: Some(data), ..Sse::default() };
        let mut events: VecDeque<_> = texts.map(data_of).collect();
        // The last one has the position from which a stream can be continued.
        let mut last = events.pop_back().unwrap_or_default();
        (last.id, last.retry) = (id, retry);
        events.push_back(last);
        self.ready = events;
    }

    /// Writes a message for rmcp; none if it is answered here.
    fn message(&self, message: IncomingMessage<'_>) -> Option<String> {
        let (named, answer) = match message {
            IncomingMessage::Ignored => return None,
            IncomingMessage::FromServer(message) => return serde_json::to_string(&message).ok(),
            IncomingMessage::Refused(reply) => {
                self.settings.client.reply(self.settings.target.clone(), &reply);
                return None;
            }
            IncomingMessage::Answer { id, answer } => (id, answer),
        };
        match (named, &self.request) {
            (Some(named), Some((id, kind))) if is_same(&named, id) => {
                Some(self.answer_text(answer, id.clone(), *kind))
            }
            // The answer to a request whose own stream has ended.
            (Some(named), _) => Some(self.answer_text(answer, named, RequestKind::Call)),
            (None, Some((id, kind))) => {
                let unreadable = TransportFailure::Unreadable;
                let answer = match answer {
                    IncomingAnswer::Result(_) => IncomingAnswer::Unusable(unreadable),
                    IncomingAnswer::Error(_) | IncomingAnswer::Unusable(_) => answer,
                };
                Some(self.answer_text(answer, id.clone(), *kind))
            }
            (None, None) => None,
        }
    }

    fn answer_text(&self, answer: IncomingAnswer<'_>, id: RequestId, kind: RequestKind) -> String {
        let names_session = self.settings.target.has_session() && answer.names_session();
        let mut message = answer.into_message(id, kind);
        if names_session {
            TransportFailure::mark(&mut message, StatusCode::OK.as_u16());
        }
        message_text(&message)
    }
}

/// Returns whether an answer names this request; some servers write its number as a text.
pub(super) fn is_same(named: &RequestId, id: &RequestId) -> bool {
    let is_number =
        |text: &str| matches!(id, RequestId::Number(number) if text.parse() == Ok(*number));
    named == id || matches!(named, RequestId::String(text) if is_number(text))
}

fn message_text(message: &ServerJsonRpcMessage) -> String {
    // A message that was built here can be written.
    serde_json::to_string(message).unwrap_or_default()
}

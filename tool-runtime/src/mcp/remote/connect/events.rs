//! The messages of a server in a stream of server-sent events.

use std::collections::VecDeque;
use std::io;

use futures::stream::{self, BoxStream, StreamExt as _};
use reqwest::Response;
use rmcp::model::RequestId;
use rmcp::transport::streamable_http_client::SseError;
use sse_stream::Sse;

use super::failure::TransportFailure;
use super::message::{IncomingAnswer, IncomingMessage, MessageReader, RequestKind};
use crate::event_stream::{EventParser, ServerSentEvent};

/// The events of a response, as rmcp reads them.
pub(super) type EventStream = BoxStream<'static, Result<Sse, SseError>>;

/// Reads the events of a response: to one request, or of a stream for all of them.
pub(super) fn events(
    response: Response,
    request: Option<(RequestId, RequestKind)>,
    reader: MessageReader,
    max_bytes: usize,
) -> EventStream {
    let parser = EventParser::default();
    let ready = VecDeque::new();
    let events = EventReader {
        response,
        request,
        reader,
        parser,
        max_bytes,
        ready,
        state: StreamState::Open,
    };
    stream::unfold(events, |mut events| async move { Some((events.next().await?, events)) }).boxed()
}

struct EventReader {
    response: Response,
    request: Option<(RequestId, RequestKind)>,
    reader: MessageReader,
    parser: EventParser,
    max_bytes: usize,
    ready: VecDeque<ServerSentEvent>,
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
                return Some(Ok(self.translate(event)));
            }
            match self.state {
                StreamState::Open => {}
                StreamState::TooLarge => {
                    self.state = StreamState::Ended;
                    let too_large = IncomingAnswer::Unusable(TransportFailure::TooLarge);
                    let request = self.request.clone();
                    let data = request.map(|(id, kind)| message_text(too_large, id, kind));
                    return Some(Ok(Sse { data, ..Sse::default() }));
                }
                StreamState::Ended => return None,
            }
            match self.response.chunk().await {
                Ok(Some(bytes)) => {
                    if self.parser.push(&bytes, self.max_bytes, &mut self.ready).is_err() {
                        self.state = StreamState::TooLarge;
                    }
                }
                Ok(None) => {
                    self.state = StreamState::Ended;
                    self.ready.extend(std::mem::take(&mut self.parser).finish());
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

    /// Makes an event of messages that rmcp can read. Events with another name are no messages.
    fn translate(&self, event: ServerSentEvent) -> Sse {
        let ServerSentEvent { name, data, id, retry } = event;
        let is_message = matches!(name.as_deref(), None | Some(b"" | b"message"));
        let data = data.filter(|_| is_message).and_then(|data| self.message(data));
        Sse { event: None, data, id, retry }
    }

    fn message(&self, data: Vec<u8>) -> Option<String> {
        let (named, answer) = match self.reader.read(&data) {
            IncomingMessage::Ignored => return None,
            IncomingMessage::FromServer(_) => return String::from_utf8(data).ok(),
            IncomingMessage::Answer { id, answer } => (id, answer),
        };
        match (named, &self.request) {
            (Some(named), Some((id, kind))) if is_same(&named, id) => {
                Some(message_text(answer, id.clone(), *kind))
            }
            // The answer to a request whose own stream has ended.
            (Some(named), _) => Some(message_text(answer, named, RequestKind::Call)),
            (None, Some((id, kind))) => {
                let unreadable = TransportFailure::Unreadable;
                let answer = match answer {
                    IncomingAnswer::Result(_) => IncomingAnswer::Unusable(unreadable),
                    IncomingAnswer::Error(_) | IncomingAnswer::Unusable(_) => answer,
                };
                Some(message_text(answer, id.clone(), *kind))
            }
            (None, None) => None,
        }
    }
}

/// Returns whether an answer names this request; some servers write its number as a text.
pub(super) fn is_same(named: &RequestId, id: &RequestId) -> bool {
    let is_number =
        |text: &str| matches!(id, RequestId::Number(number) if text.parse() == Ok(*number));
    named == id || matches!(named, RequestId::String(text) if is_number(text))
}

fn message_text(answer: IncomingAnswer<'_>, id: RequestId, kind: RequestKind) -> String {
    // A message that was built here can be written.
    serde_json::to_string(&answer.into_message(id, kind)).unwrap_or_default()
}

//! The messages of a server in a stream of server-sent events, as the HTML standard defines them.

use std::collections::VecDeque;
use std::io;

use futures::stream::{self, BoxStream, StreamExt as _};
use reqwest::Response;
use rmcp::model::RequestId;
use rmcp::transport::streamable_http_client::SseError;
use sse_stream::Sse;

use super::failure::TransportFailure;
use super::message::{IncomingAnswer, IncomingMessage, MessageReader, RequestKind};

/// The events of a response, as rmcp reads them.
pub(super) type EventStream = BoxStream<'static, Result<Sse, SseError>>;

/// The byte order mark that may begin a stream.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads the events of a response: to one request, or of a stream for all of them.
pub(super) fn events(
    response: Response,
    request: Option<(RequestId, RequestKind)>,
    reader: MessageReader,
    max_bytes: usize,
) -> EventStream {
    let parser = EventParser { max_bytes, ..EventParser::default() };
    let events =
        EventReader { response, request, reader, parser, ready: VecDeque::new(), has_ended: false };
    stream::unfold(events, |mut events| async move { Some((events.next().await?, events)) }).boxed()
}

struct EventReader {
    response: Response,
    request: Option<(RequestId, RequestKind)>,
    reader: MessageReader,
    parser: EventParser,
    ready: VecDeque<RawEvent>,
    has_ended: bool,
}

impl EventReader {
    async fn next(&mut self) -> Option<Result<Sse, SseError>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(Ok(self.translate(event)));
            }
            if self.has_ended {
                return None;
            }
            match self.response.chunk().await {
                Ok(Some(bytes)) if self.parser.push(&bytes, &mut self.ready) => {}
                Ok(Some(_)) => {
                    self.has_ended = true;
                    let too_large = || IncomingAnswer::Unusable(TransportFailure::TooLarge);
                    let request = self.request.clone();
                    let data = request.map(|(id, kind)| message_text(too_large(), id, kind));
                    return Some(Ok(Sse { data, ..Sse::default() }));
                }
                Ok(None) => {
                    self.has_ended = true;
                    self.parser.finish(&mut self.ready);
                }
                Err(_) => {
                    self.has_ended = true;
                    // The text of the error has the address.
                    let lost = io::Error::from(io::ErrorKind::ConnectionReset);
                    return Some(Err(SseError::Body(Box::new(lost))));
                }
            }
        }
    }

    /// Makes an event of messages that rmcp can read. Events with another name are no messages.
    fn translate(&self, event: RawEvent) -> Sse {
        let RawEvent { name, data, id, retry } = event;
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

/// The fields of an event.
#[derive(Debug, Default, PartialEq, Eq)]
struct RawEvent {
    name: Option<Vec<u8>>,
    data: Option<Vec<u8>>,
    id: Option<String>,
    retry: Option<u64>,
}

/// Splits bytes into events. Fields that the standard does not know are skipped.
#[derive(Debug, Default)]
struct EventParser {
    event: RawEvent,
    line: Vec<u8>,
    follows_return: bool,
    /// True after the first line, before which a byte order mark may stand.
    is_begun: bool,
    max_bytes: usize,
}

impl EventParser {
    /// Takes more bytes, and adds the events that they complete. Returns false if an event is larger than
    /// the limit.
    fn push(&mut self, bytes: &[u8], events: &mut VecDeque<RawEvent>) -> bool {
        for &byte in bytes {
            let is_second = byte == b'\n' && self.follows_return;
            self.follows_return = byte == b'\r';
            match byte {
                b'\n' if is_second => {}
                b'\n' | b'\r' => self.end_line(events),
                // A comment is not kept.
                _ if self.line.first() == Some(&b':') => {}
                _ => self.line.push(byte),
            }
            if self.line.len() + self.event.data.as_ref().map_or(0, Vec::len) > self.max_bytes {
                return false;
            }
        }
        true
    }

    /// Ends the stream: an event need not have a blank line after it.
    fn finish(&mut self, events: &mut VecDeque<RawEvent>) {
        self.end_line(events);
        self.end_line(events);
    }

    fn end_line(&mut self, events: &mut VecDeque<RawEvent>) {
        let line = std::mem::take(&mut self.line);
        let is_first = !std::mem::replace(&mut self.is_begun, true);
        let unmarked = line.strip_prefix(BYTE_ORDER_MARK).filter(|_| is_first);
        let line = unmarked.unwrap_or(&line);
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            if event != RawEvent::default() {
                events.push_back(event);
            }
            return;
        }
        let end = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let (field, value) = line.split_at(end);
        let value = value.strip_prefix(b":").unwrap_or(value);
        self.set(field, value.strip_prefix(b" ").unwrap_or(value));
    }

    fn set(&mut self, field: &[u8], value: &[u8]) {
        let text = || std::str::from_utf8(value).ok();
        match field {
            b"event" => self.event.name = Some(value.to_vec()),
            b"data" => match &mut self.event.data {
                None => self.event.data = Some(value.to_vec()),
                Some(data) => {
                    data.push(b'\n');
                    data.extend_from_slice(value);
                }
            },
            b"id" if !value.contains(&0) => self.event.id = text().map(str::to_owned),
            b"retry" => self.event.retry = text().and_then(|text| text.parse().ok()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str, piece: usize) -> Vec<(Option<String>, Option<String>)> {
        let mut parser = EventParser { max_bytes: 20, ..EventParser::default() };
        let mut events = VecDeque::new();
        for piece in text.as_bytes().chunks(piece) {
            assert!(parser.push(piece, &mut events));
        }
        parser.finish(&mut events);
        let text = |bytes: Option<Vec<u8>>| bytes.map(|bytes| String::from_utf8(bytes).unwrap());
        events.into_iter().map(|event| (text(event.name), text(event.data))).collect()
    }

    #[test]
    fn events_are_split_as_the_standard_says_in_pieces_of_any_size() {
        let text = "\u{feff}: mark\n: a comment that is longer than the limit\n\nevent: ping\ndata\n\n\
                    unknown: x\nnothing\nretry: soon\ndata: a\r\ndata:b\r\n\r\nid: 7\r\rdata: end";
        let some = |text: &str| Some(text.to_owned());
        for piece in 1..9 {
            assert_eq!(
                parsed(text, piece),
                [(some("ping"), some("")), (None, some("a\nb")), (None, None), (None, some("end")),]
            );
        }
    }

    #[test]
    fn an_event_that_is_larger_than_the_limit_stops_the_parser() {
        for text in ["data: 0123456789abcdef", "data: 0123456789\ndata: 0123456789\n"] {
            let mut parser = EventParser { max_bytes: 20, ..EventParser::default() };
            assert!(!parser.push(text.as_bytes(), &mut VecDeque::new()), "{text}");
        }
    }
}

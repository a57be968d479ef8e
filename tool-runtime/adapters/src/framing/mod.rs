//! Splits the bytes of a streamed response into its events.
//!
//! A decoder takes bytes in pieces of any size, holds only the event that is not complete yet, and
//! looks at each byte once. An event is decoded from UTF-8 as a whole, so pieces may end within a
//! character.

mod amazon_events;
mod checksum;
mod json_objects;
mod server_sent_events;

use self::amazon_events::AmazonEvents;
use self::json_objects::JsonObjects;
use self::server_sent_events::ServerSentEvents;
use super::ReadError;

/// The way in which a provider frames the events of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StreamFraming {
    /// `text/event-stream`.
    ServerSentEvents,
    /// `application/x-ndjson`: one JSON object per line.
    JsonLines,
    /// `application/vnd.amazon.eventstream`.
    AmazonEventStream,
}

/// Splits the bytes of one response into its events.
#[derive(Debug)]
pub(super) struct EventDecoder {
    framing: StreamFraming,
    /// `None` until the first byte that determines the framing.
    state: Option<DecoderState>,
}

#[derive(Debug)]
enum DecoderState {
    ServerSent(ServerSentEvents),
    Json(JsonObjects),
    Amazon(AmazonEvents),
}

impl EventDecoder {
    pub(super) fn new(framing: StreamFraming) -> Self {
        Self { framing, state: None }
    }

    /// Takes more bytes, and adds the data of the events that they complete.
    ///
    /// # Errors
    /// Returns an error if the bytes are not framed as the provider does it, or if an event is longer
    /// than the limit. The events before it are added.
    pub(super) fn push(
        &mut self,
        bytes: &[u8],
        limit: usize,
        events: &mut Vec<String>,
    ) -> Result<(), ReadError> {
        match self.state(bytes) {
            Some(DecoderState::ServerSent(decoder)) => decoder.push(bytes, limit, events),
            Some(DecoderState::Json(decoder)) => decoder.push(bytes, limit, events),
            Some(DecoderState::Amazon(decoder)) => decoder.push(bytes, limit, events),
            None => Ok(()),
        }
    }

    /// Returns the data of an event whose end the provider did not mark: a response that ends without
    /// a blank line. It may be incomplete.
    pub(super) fn finish(self) -> Option<String> {
        match self.state? {
            DecoderState::ServerSent(decoder) => decoder.finish(),
            DecoderState::Json(_) | DecoderState::Amazon(_) => None,
        }
    }

    /// Returns whether the body is JSON in place of a stream of events.
    pub(super) fn is_json_body(&self) -> bool {
        let is_json = matches!(self.state, Some(DecoderState::Json(_)));
        is_json && self.framing != StreamFraming::JsonLines
    }

    /// The decoder; none until there is a byte other than white space.
    ///
    /// A body that begins as JSON is JSON, whatever was expected: an error in place of a stream, or
    /// Gemini's list of responses.
    fn state(&mut self, bytes: &[u8]) -> Option<&mut DecoderState> {
        if self.state.is_none() {
            let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
            let is_binary = self.framing == StreamFraming::AmazonEventStream;
            let first = if is_binary { bytes.first() } else { first };
            self.state = Some(match (first?, self.framing) {
                (b'{' | b'[', _) | (_, StreamFraming::JsonLines) => {
                    DecoderState::Json(JsonObjects::default())
                }
                (_, StreamFraming::ServerSentEvents) => {
                    DecoderState::ServerSent(ServerSentEvents::default())
                }
                (_, StreamFraming::AmazonEventStream) => {
                    DecoderState::Amazon(AmazonEvents::default())
                }
            });
        }
        self.state.as_mut()
    }
}

/// Decodes the data of an event.
fn decoded(data: Vec<u8>, position: u64) -> Result<String, ReadError> {
    String::from_utf8(data).map_err(|_| ReadError::Framing { position, expected: "UTF-8" })
}

/// Appends to an incomplete event, which may not be longer than the limit.
fn append(event: &mut Vec<u8>, more: &[u8], limit: usize) -> Result<(), ReadError> {
    if event.len().saturating_add(more.len()) > limit {
        return Err(ReadError::TooLong { limit });
    }
    event.extend_from_slice(more);
    Ok(())
}

/// The number of bytes, as a position in a stream.
fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

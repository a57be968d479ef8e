//! Splits the messages of `application/vnd.amazon.eventstream`.
//!
//! A message is its length, the length of its headers, the checksum of both, the headers, the
//! payload, and the checksum of all of it; numbers are big-endian.

use serde_json::json;

use super::checksum::crc32;
use super::{decoded, length};
use crate::ReadError;
use crate::format::ProviderError;

/// The bytes of the two lengths and their checksum.
const PRELUDE_BYTES: usize = 12;
/// The bytes of the checksum of a message.
const CHECKSUM_BYTES: usize = 4;

/// The state of a stream of messages.
#[derive(Debug, Default)]
pub(super) struct AmazonEvents {
    /// The bytes of the message that is not complete yet.
    message: Vec<u8>,
    /// The length of that message, once its prelude is complete.
    total: Option<usize>,
    /// The position of that message in the stream.
    position: u64,
}

impl AmazonEvents {
    /// Takes more bytes, and adds completed events, each under its name.
    pub(super) fn push(
        &mut self,
        mut bytes: &[u8],
        limit: usize,
        events: &mut Vec<String>,
    ) -> Result<(), ReadError> {
        while !bytes.is_empty() {
            let needed = self.total.unwrap_or(PRELUDE_BYTES) - self.message.len();
            let (taken, rest) = bytes.split_at(needed.min(bytes.len()));
            self.message.extend_from_slice(taken);
            bytes = rest;
            match self.total {
                None if self.message.len() == PRELUDE_BYTES => {
                    self.total = Some(self.read_prelude(limit)?);
                }
                Some(total) if self.message.len() == total => {
                    events.extend(self.read_message()?);
                    self.position = self.position.saturating_add(length(&self.message));
                    self.message.clear();
                    self.total = None;
                }
                Some(_) | None => {}
            }
        }
        Ok(())
    }

    /// Returns the length of the message.
    fn read_prelude(&self, limit: usize) -> Result<usize, ReadError> {
        let mut prelude = Reader { rest: &self.message };
        let lengths = prelude.number().zip(prelude.number()).zip(prelude.number());
        let Some(((total, headers), checksum)) = lengths else { return Err(self.broken(LENGTHS)) };
        if checksum != crc32(&self.message[..PRELUDE_BYTES - CHECKSUM_BYTES]) {
            return Err(self.broken(PRELUDE_CHECKSUM));
        }
        let frame = u64::from(headers) + length(&[0; PRELUDE_BYTES + CHECKSUM_BYTES]);
        if u64::from(total) < frame {
            return Err(self.broken(LENGTHS));
        }
        let total = usize::try_from(total).unwrap_or(usize::MAX);
        if total > limit { Err(ReadError::TooLong { limit }) } else { Ok(total) }
    }

    /// Reads a complete message: an event, or none if it is of another kind.
    fn read_message(&self) -> Result<Option<String>, ReadError> {
        let content = self.message.len() - CHECKSUM_BYTES;
        let mut checksum = Reader { rest: &self.message[content..] };
        if checksum.number() != Some(crc32(&self.message[..content])) {
            return Err(self.broken("a message with its checksum"));
        }
        let mut reader = Reader { rest: &self.message[4..content] };
        let headers = reader.number().and_then(|length| {
            reader.take(CHECKSUM_BYTES)?;
            reader.take(usize::try_from(length).ok()?)
        });
        let headers = headers.and_then(MessageHeaders::read);
        let Some(headers) = headers else { return Err(self.broken("headers of a message")) };
        self.event(&headers, reader.rest)
    }

    fn event(
        &self,
        headers: &MessageHeaders<'_>,
        payload: &[u8],
    ) -> Result<Option<String>, ReadError> {
        let failure = headers.exception.or(headers.error);
        match headers.message {
            "event" => {}
            "exception" | "error" => {
                return Err(ProviderError::new(failure.map(str::to_owned), None).into());
            }
            _ => return Ok(None),
        }
        let Some(name) = headers.event else { return Ok(None) };
        let payload = decoded(payload.to_vec(), self.position)?;
        let payload = if payload.trim().is_empty() { "{}" } else { &payload };
        Ok(Some(format!("{{{}:{payload}}}", json!(name))))
    }

    fn broken(&self, expected: &'static str) -> ReadError {
        ReadError::Framing { position: self.position, expected }
    }
}

const LENGTHS: &str = "the lengths of a message";
const PRELUDE_CHECKSUM: &str = "the lengths of a message with their checksum";

/// The headers that name a message's kind.
#[derive(Debug, Default)]
struct MessageHeaders<'m> {
    message: &'m str,
    event: Option<&'m str>,
    exception: Option<&'m str>,
    error: Option<&'m str>,
}

impl<'m> MessageHeaders<'m> {
    /// Reads all headers; `None` if one of them is not whole.
    fn read(headers: &'m [u8]) -> Option<Self> {
        let mut read = Self::default();
        let mut reader = Reader { rest: headers };
        while !reader.rest.is_empty() {
            let name_length = reader.byte()?;
            let name = reader.take(usize::from(name_length))?;
            let value = reader.header_value()?;
            match name {
                b":message-type" => read.message = value,
                b":event-type" => read.event = Some(value),
                b":exception-type" => read.exception = Some(value),
                b":error-code" => read.error = Some(value),
                _ => {}
            }
        }
        Some(read)
    }
}

/// Reads the parts of a message in their order.
struct Reader<'m> {
    rest: &'m [u8],
}

impl<'m> Reader<'m> {
    fn take(&mut self, count: usize) -> Option<&'m [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    fn number(&mut self) -> Option<u32> {
        self.take(4)?.try_into().ok().map(u32::from_be_bytes)
    }

    fn short(&mut self) -> Option<usize> {
        self.take(2)?.try_into().ok().map(u16::from_be_bytes).map(usize::from)
    }

    /// The value of a header that is a text, the type 7; of another type, an empty text.
    fn header_value(&mut self) -> Option<&'m str> {
        let length = match self.byte()? {
            0 | 1 => 0,
            2 => 1,
            3 => 2,
            4 => 4,
            5 | 8 => 8,
            9 => 16,
            6 => self.short()?,
            7 => {
                let length = self.short()?;
                return std::str::from_utf8(self.take(length)?).ok();
            }
            _ => return None,
        };
        self.take(length).map(|_| "")
    }
}

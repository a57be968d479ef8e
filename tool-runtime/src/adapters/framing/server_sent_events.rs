//! Splits server-sent events, as the HTML standard defines them (section 9.2).

use super::{append, decoded, length};
use crate::adapters::ReadError;

/// The byte order mark that may begin a stream.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The state of a stream of server-sent events. Only their data is of interest: each provider
/// repeats the name of an event in it.
#[derive(Debug, Default)]
pub(super) struct ServerSentEvents {
    /// The bytes of the line that is not complete yet.
    line: Vec<u8>,
    /// The data of the event that is not complete yet, with a line feed after each of its lines.
    data: Vec<u8>,
    /// True if the last byte was a carriage return, which a line feed may follow.
    follows_return: bool,
    /// True after the first line, before which a byte order mark may stand.
    is_begun: bool,
    position: u64,
}

impl ServerSentEvents {
    /// Takes more bytes, and adds the data of completed events.
    pub(super) fn push(
        &mut self,
        bytes: &[u8],
        limit: usize,
        events: &mut Vec<String>,
    ) -> Result<(), ReadError> {
        let mut rest = bytes;
        if self.follows_return && !rest.is_empty() {
            self.follows_return = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(end) = memchr::memchr2(b'\n', b'\r', rest) {
            append(&mut self.line, &rest[..end], limit)?;
            self.end_line(limit, events)?;
            let is_return = rest[end] == b'\r';
            rest = &rest[end + 1..];
            self.follows_return = is_return && rest.is_empty();
            if is_return {
                rest = rest.strip_prefix(b"\n").unwrap_or(rest);
            }
        }
        append(&mut self.line, rest, limit)?;
        self.position = self.position.saturating_add(length(bytes));
        Ok(())
    }

    /// The data of an event without a blank line after it.
    pub(super) fn finish(mut self) -> Option<String> {
        let mut events = Vec::new();
        self.end_line(usize::MAX, &mut events).ok()?;
        self.end_line(usize::MAX, &mut events).ok()?;
        events.pop()
    }

    fn end_line(&mut self, limit: usize, events: &mut Vec<String>) -> Result<(), ReadError> {
        let line = std::mem::take(&mut self.line);
        let is_first = !std::mem::replace(&mut self.is_begun, true);
        let unmarked = line.strip_prefix(BYTE_ORDER_MARK).filter(|_| is_first);
        let line = unmarked.unwrap_or(&line);
        if line.is_empty() {
            let mut data = std::mem::take(&mut self.data);
            if data.pop().is_some() {
                events.push(decoded(data, self.position)?);
            }
        } else if let Some(value) = data_of(line) {
            append(&mut self.data, value, limit)?;
            self.data.push(b'\n');
        }
        Ok(())
    }
}

/// The value of a line of data; none for a comment or another field.
fn data_of(line: &[u8]) -> Option<&[u8]> {
    let after = line.strip_prefix(b"data")?;
    match after.strip_prefix(b":") {
        Some(value) => Some(value.strip_prefix(b" ").unwrap_or(value)),
        None => after.is_empty().then_some(after),
    }
}

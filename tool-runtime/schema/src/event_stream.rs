//! Server-sent events, which model providers and MCP servers both send, split as the HTML standard
//! defines them (section 9.2).

/// The byte order mark that may begin a stream.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The fields of one event, as far as they were sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerSentEvent {
    /// The type of the event.
    pub name: Option<Vec<u8>>,
    /// The lines of data, joined by line feeds.
    pub data: Option<Vec<u8>>,
    /// The id after which a reconnecting client continues.
    pub id: Option<String>,
    /// The time before a reconnection, in milliseconds.
    pub retry: Option<u64>,
}

/// An event is longer than the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventTooLong;

/// Splits the bytes of a stream into events. It takes pieces of any size, holds only the event that is
/// not complete yet, and skips comments and fields that the standard does not define.
#[derive(Debug, Default)]
pub struct EventParser {
    event: ServerSentEvent,
    /// The bytes of the line that is not complete yet; of a comment only the colon.
    line: Vec<u8>,
    /// True if the last byte was a carriage return, which a line feed may follow.
    follows_return: bool,
    /// True after the first line, before which a byte order mark may stand.
    is_begun: bool,
}

impl EventParser {
    /// Takes more bytes, and adds the events that they complete.
    ///
    /// # Errors
    /// Returns an error if the line or the data of an event are longer than the limit, in bytes. The
    /// events before it are added.
    pub fn push(
        &mut self,
        bytes: &[u8],
        limit: usize,
        events: &mut impl Extend<ServerSentEvent>,
    ) -> Result<(), EventTooLong> {
        let mut tail = bytes;
        if self.follows_return && !tail.is_empty() {
            self.follows_return = false;
            tail = tail.strip_prefix(b"\n").unwrap_or(tail);
        }
        while let Some(end) = memchr::memchr2(b'\n', b'\r', tail) {
            self.extend_line(&tail[..end], limit)?;
            events.extend(self.end_line(limit)?);
            let is_return = tail[end] == b'\r';
            tail = &tail[end + 1..];
            self.follows_return = is_return && tail.is_empty();
            if is_return {
                tail = tail.strip_prefix(b"\n").unwrap_or(tail);
            }
        }
        self.extend_line(tail, limit)
    }

    /// Returns the event whose end was not marked: the stream ended without a blank line. It may be
    /// incomplete.
    #[must_use]
    pub fn finish(mut self) -> Option<ServerSentEvent> {
        // The limit held for each part of the event when it came.
        let completed = self.end_line(usize::MAX).ok()?;
        completed.or_else(|| self.end_line(usize::MAX).ok()?)
    }

    fn extend_line(&mut self, bytes: &[u8], limit: usize) -> Result<(), EventTooLong> {
        if self.line.first() == Some(&b':') {
            return Ok(());
        }
        let is_comment = self.line.is_empty() && bytes.first() == Some(&b':');
        append(&mut self.line, if is_comment { b":" } else { bytes }, limit)
    }

    /// Ends a line; a blank one completes the event.
    fn end_line(&mut self, limit: usize) -> Result<Option<ServerSentEvent>, EventTooLong> {
        let line = std::mem::take(&mut self.line);
        let is_first = !std::mem::replace(&mut self.is_begun, true);
        let unmarked = line.strip_prefix(BYTE_ORDER_MARK).filter(|_| is_first);
        let line = unmarked.unwrap_or(&line);
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            return Ok((event != ServerSentEvent::default()).then_some(event));
        }
        let end = memchr::memchr(b':', line).unwrap_or(line.len());
        let (field, value) = line.split_at(end);
        let value = value.strip_prefix(b":").unwrap_or(value);
        self.set(field, value.strip_prefix(b" ").unwrap_or(value), limit)?;
        Ok(None)
    }

    fn set(&mut self, field: &[u8], value: &[u8], limit: usize) -> Result<(), EventTooLong> {
        let text = || std::str::from_utf8(value).ok();
        match field {
            b"event" => self.event.name = Some(value.to_vec()),
            b"data" => match &mut self.event.data {
                None => self.event.data = Some(value.to_vec()),
                Some(data) => {
                    append(data, b"\n", limit)?;
                    append(data, value, limit)?;
                }
            },
            b"id" if !value.contains(&0) => self.event.id = text().map(str::to_owned),
            b"retry" => self.event.retry = text().and_then(|text| text.parse().ok()),
            // Names of fields are the server's, and the standard skips those that it does not define.
            _ => {}
        }
        Ok(())
    }
}

/// Appends to what is held of an event, which may not be longer than the limit.
fn append(buffer: &mut Vec<u8>, bytes: &[u8], limit: usize) -> Result<(), EventTooLong> {
    if buffer.len().saturating_add(bytes.len()) > limit {
        return Err(EventTooLong);
    }
    buffer.extend_from_slice(bytes);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: usize = 20;

    fn parse(text: &str, piece: usize) -> Vec<(Option<String>, Option<String>)> {
        let (mut parser, mut events) = (EventParser::default(), Vec::new());
        for piece in text.as_bytes().chunks(piece) {
            parser.push(piece, LIMIT, &mut events).unwrap();
        }
        events.extend(parser.finish());
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
                parse(text, piece),
                [(some("ping"), some("")), (None, some("a\nb")), (None, None), (None, some("end"))]
            );
        }
    }

    #[test]
    fn an_event_that_is_longer_than_the_limit_stops_the_parser() {
        for text in ["data: 0123456789abcdef", "data: 0123456789\ndata: 0123456789\n"] {
            for piece in [1, text.len()] {
                let mut parser = EventParser::default();
                let mut pieces = text.as_bytes().chunks(piece);
                let end = pieces.try_for_each(|piece| parser.push(piece, LIMIT, &mut Vec::new()));
                assert_eq!(end, Err(EventTooLong), "{text}");
            }
        }
    }
}

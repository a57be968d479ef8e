//! Splits a stream of server-sent events into the data of each event.

/// The bytes of a stream that are not yet a whole event.
#[derive(Debug, Default)]
pub(super) struct ServerEvents {
    /// The bytes of the last line, which has not ended.
    line: Vec<u8>,
    /// The lines of data of the last event, which has not ended.
    data: Vec<String>,
}

impl ServerEvents {
    /// Adds bytes, and returns the data of the events that they end.
    ///
    /// Comments and all fields but `data` are ignored. A line that is not UTF-8 is an error.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<Vec<String>, NotUtf8> {
        let mut events = Vec::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if self.line.ends_with(b"\n") {
                let line = std::mem::take(&mut self.line);
                let line = String::from_utf8(line).map_err(|_| NotUtf8)?;
                self.push_line(line.trim_end_matches(['\n', '\r']), &mut events);
            }
        }
        Ok(events)
    }

    fn push_line(&mut self, line: &str, events: &mut Vec<String>) {
        if line.is_empty() {
            let data = std::mem::take(&mut self.data);
            events.extend(Some(data.join("\n")).filter(|data| !data.is_empty()));
        } else if let Some(data) = line.strip_prefix("data:") {
            self.data.push(data.strip_prefix(' ').unwrap_or(data).to_owned());
        }
    }

    /// Returns the data of a last event without its empty line, which some servers leave out.
    pub(super) fn finish(mut self) -> Option<String> {
        let line = String::from_utf8(std::mem::take(&mut self.line)).ok()?;
        let mut events = Vec::new();
        self.push_line(line.trim_end_matches('\r'), &mut events);
        self.push_line("", &mut events);
        events.pop()
    }
}

/// A line is not UTF-8.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NotUtf8;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pieces: &[&[u8]], expected: &[&str]) {
        let mut events = ServerEvents::default();
        let mut found = Vec::new();
        for piece in pieces {
            found.extend(events.push(piece).expect("it is UTF-8"));
        }
        found.extend(events.finish());
        assert_eq!(found, expected);
    }

    #[test]
    fn events_end_with_an_empty_line() {
        check(&[b"data: a\n\ndata:b\r\n\r\n"], &["a", "b"]);
        check(&[b"event: x\n: comment\nid: 7\ndata: one\ndata: two\n\n"], &["one\ntwo"]);
        check(&[b"\n\n"], &[]);
    }

    #[test]
    fn pieces_of_the_stream_may_end_anywhere() {
        check(&[b"da", b"ta: \xe8", b"\x8c\xb6\n", b"\ndata: b\n\n"], &["茶", "b"]);
        check(&[b"data: a\n\ndata: last"], &["a", "last"]);
    }

    #[test]
    fn bytes_that_are_no_text_are_an_error() {
        assert_eq!(ServerEvents::default().push(b"data: \xff\n"), Err(NotUtf8));
    }
}

//! Splits JSON objects that follow each other: one per line, or the items of a list.

use super::{append, decoded, length};
use crate::ReadError;

/// The state of a stream of JSON objects.
///
/// Only their ends are looked for; each object is read as JSON afterwards.
#[derive(Debug, Default)]
pub(super) struct JsonObjects {
    /// The bytes of the object that is not complete yet.
    object: Vec<u8>,
    /// The number of open braces and brackets of the object; 0 between objects.
    depth: usize,
    is_in_text: bool,
    /// True if the last byte was a backslash that escapes the next one.
    is_escaped: bool,
    position: u64,
}

impl JsonObjects {
    /// Takes more bytes, and adds completed objects.
    pub(super) fn push(
        &mut self,
        bytes: &[u8],
        limit: usize,
        events: &mut Vec<String>,
    ) -> Result<(), ReadError> {
        let mut start = 0;
        for (at, byte) in bytes.iter().enumerate() {
            if self.depth == 0 {
                start = at;
                self.begin(*byte, at)?;
            } else if self.ends_with(*byte) {
                append(&mut self.object, &bytes[start..=at], limit)?;
                events.push(decoded(std::mem::take(&mut self.object), self.at(at))?);
            }
        }
        if self.depth > 0 {
            append(&mut self.object, &bytes[start..], limit)?;
        }
        self.position = self.position.saturating_add(length(bytes));
        Ok(())
    }

    /// Reads a byte between objects.
    fn begin(&mut self, byte: u8, at: usize) -> Result<(), ReadError> {
        match byte {
            b'{' => self.depth = 1,
            b'[' | b']' | b',' | b' ' | b'\t' | b'\r' | b'\n' => {}
            _ => {
                return Err(ReadError::Framing {
                    position: self.at(at),
                    expected: "a JSON object",
                });
            }
        }
        Ok(())
    }

    /// Returns whether the object ends with this byte.
    fn ends_with(&mut self, byte: u8) -> bool {
        if self.is_in_text {
            let is_escaped = std::mem::replace(&mut self.is_escaped, false);
            match byte {
                _ if is_escaped => {}
                b'\\' => self.is_escaped = true,
                b'"' => self.is_in_text = false,
                _ => {}
            }
            return false;
        }
        match byte {
            b'"' => self.is_in_text = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth -= 1,
            _ => {}
        }
        self.depth == 0
    }

    fn at(&self, offset: usize) -> u64 {
        self.position.saturating_add(u64::try_from(offset).unwrap_or(u64::MAX))
    }
}

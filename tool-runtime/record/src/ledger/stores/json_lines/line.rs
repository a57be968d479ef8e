//! One entry as one line of JSON.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Deserialize;
use serde_json::value::RawValue;
use tool_runtime_schema::canonical::Digest;

use crate::ledger::ChainEntry;

/// The beginning of every line, and so of every file.
pub(super) const BEGINNING: &[u8] = br#"{"seq":"#;

/// The longest line, with its line break, in bytes.
pub(super) const MAX_LINE_BYTES: usize = 64 * 1024 * 1024;

/// Writes an entry as a line, with its line break.
pub(super) fn write(entry: &ChainEntry, line: &mut Vec<u8>) {
    let written = write_members(entry, line).and_then(|()| line.write_all(b"}\n"));
    written.expect("lines are written to memory");
}

fn write_members(entry: &ChainEntry, line: &mut Vec<u8>) -> io::Result<()> {
    line.extend_from_slice(BEGINNING);
    write!(line, "{}", entry.seq())?;
    line.extend_from_slice(br#","leaf":""#);
    write_hex(entry.leaf().as_bytes(), line);
    line.extend_from_slice(br#"","key":"#);
    serde_json::to_writer(&mut *line, entry.key())?;
    line.extend_from_slice(br#","mac":""#);
    write_hex(entry.mac(), line);
    match entry.body() {
        None => line.extend_from_slice(br#"","record":null"#),
        Some(body) if stands_in_a_line(body) => {
            line.extend_from_slice(br#"","record":"#);
            line.extend_from_slice(body.as_bytes());
        }
        Some(body) => {
            line.extend_from_slice(br#"","text":"#);
            serde_json::to_writer(&mut *line, body)?;
        }
    }
    Ok(())
}

/// Returns whether a body is read back byte for byte. JSON may have line breaks and blanks between
/// and around its tokens, which a line cannot contain or a reader would drop.
fn stands_in_a_line(body: &str) -> bool {
    // Does not stop early, so that the compiler can vectorize it.
    let has_control = body.bytes().fold(0, |found, byte| found | u8::from(byte < b' ')) != 0;
    body.starts_with('{') && body.ends_with('}') && !has_control
}

fn write_hex(bytes: &[u8; 32], line: &mut Vec<u8>) {
    line.extend_from_slice(&Digest::from_bytes(*bytes).digits());
}

/// Reads a line; none if it is not an entry.
pub(super) fn read(line: &[u8]) -> Option<ChainEntry> {
    let line = serde_json::from_slice::<Line<'_>>(line).ok()?;
    let body: Option<Box<str>> = match (line.record, line.text) {
        (record, None) => record.map(|record| record.get().into()),
        (None, Some(text)) => Some(text.into()),
        (Some(_), Some(_)) => return None,
    };
    Some(ChainEntry::from_parts(line.seq, body, line.leaf, line.key, *line.mac.as_bytes()))
}

/// A classification of bytes without a line break.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LinePart {
    /// The beginning of a line, of any length.
    Beginning,
    /// A whole line but for its line break.
    Whole,
    /// Bytes that are in no line.
    Invalid,
}

/// Classifies bytes without a line break.
pub(super) fn read_part(bytes: &[u8]) -> LinePart {
    match serde_json::from_slice::<Line<'_>>(bytes) {
        Ok(_) => LinePart::Whole,
        Err(error) if error.is_eof() => LinePart::Beginning,
        Err(_) => LinePart::Invalid,
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<'a> {
    seq: u64,
    leaf: Digest,
    #[serde(borrow)]
    key: Cow<'a, str>,
    mac: Digest,
    /// The record; null once it was erased.
    #[serde(borrow, default)]
    record: Option<&'a RawValue>,
    /// The record as a string, if it cannot be part of a line as it is.
    #[serde(default)]
    text: Option<String>,
}

//! One entry as one line of JSON.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::canonical::Digest;
use crate::ledger::Entry;

/// How every line begins, and so every file.
pub(super) const BEGINNING: &[u8] = br#"{"seq":"#;

/// The most bytes of a line, with its end.
pub(super) const LONGEST: usize = 64 * 1024 * 1024;

/// Writes an entry as a line, with its end.
pub(super) fn write(entry: &Entry, line: &mut Vec<u8>) {
    let written = write_members(entry, line).and_then(|()| line.write_all(b"}\n"));
    written.expect("lines are written to memory");
}

fn write_members(entry: &Entry, line: &mut Vec<u8>) -> io::Result<()> {
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

/// Is it read back byte for byte? JSON may have breaks and blanks between its tokens and around
/// them, which a line cannot have or a reader would leave out.
fn stands_in_a_line(body: &str) -> bool {
    // Without an early end, so that many bytes are looked at at once.
    let has_control = body.bytes().fold(0, |found, byte| found | u8::from(byte < b' ')) != 0;
    body.starts_with('{') && body.ends_with('}') && !has_control
}

fn write_hex(bytes: &[u8; 32], line: &mut Vec<u8>) {
    line.extend_from_slice(&Digest::from_bytes(*bytes).digits());
}

/// Reads a line; none if it is no entry.
pub(super) fn read(line: &[u8]) -> Option<Entry> {
    let line = serde_json::from_slice::<Line<'_>>(line).ok()?;
    let body: Option<Box<str>> = match (line.record, line.text) {
        (record, None) => record.map(|record| record.get().into()),
        (None, Some(text)) => Some(text.into()),
        (Some(_), Some(_)) => return None,
    };
    Some(Entry::from_parts(line.seq, body, line.leaf, line.key, *line.mac.as_bytes()))
}

/// What bytes without a line break are of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LinePart {
    /// The beginning of one, of any length.
    Beginning,
    /// All of one but its end.
    Whole,
    /// Something that is in no line.
    Neither,
}

/// Tells what bytes without a line break are of a line.
pub(super) fn read_part(bytes: &[u8]) -> LinePart {
    match serde_json::from_slice::<Line<'_>>(bytes) {
        Ok(_) => LinePart::Whole,
        Err(error) if error.is_eof() => LinePart::Beginning,
        Err(_) => LinePart::Neither,
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
    /// The record; null once it was forgotten.
    #[serde(borrow, default)]
    record: Option<&'a RawValue>,
    /// The record, where it cannot stand in a line as it is.
    #[serde(default)]
    text: Option<String>,
}

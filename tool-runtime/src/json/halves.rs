//! Halves of surrogate pairs, which models write by escapes, and which spoil only the text that has them.

use super::malformed::Malformed;
use super::reader::parse;
use super::text::{escape, hex};
use super::tree::JsonTree;
use crate::limits::Limits;

/// Parses one JSON text, in which strings may contain half of a surrogate pair.
pub(crate) fn read_with_halves(text: &str, limits: &Limits) -> Result<JsonTree, Malformed> {
    parse(text, limits, limits.max_depth(), true)
}

/// Decodes the escapes of a string, except each half of a surrogate pair, which stays an escape.
pub(crate) fn unescape_whole(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        let (meant, used) = escape(&rest[at..]);
        let written = rest.get(at..at + used).unwrap_or_default();
        if meant == char::REPLACEMENT_CHARACTER && (0xD800..0xE000).contains(&hex(written, 2)) {
            text.push_str(written);
        } else {
            text.push(meant);
        }
        rest = &rest[at + used..];
    }
    text.push_str(rest);
    text
}

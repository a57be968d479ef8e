//! Reads lone surrogates, which models write as escapes: they make only the string invalid that has them.

use super::malformed::Malformed;
use super::reader::parse;
use super::text::{decode, hex};
use super::tree::JsonTree;
use crate::limits::Limits;

/// Parses one JSON text, in which strings may contain escapes of lone surrogates.
pub fn read_with_lone_surrogates(text: &str, limits: &Limits) -> Result<JsonTree, Malformed> {
    parse(text, limits, limits.max_depth(), true)
}

/// Decodes the escapes of a string, except those of lone surrogates, which stay as they are.
#[must_use]
pub fn unescape_pairs(raw: &str) -> String {
    decode(raw, |text, written, meant| {
        if meant == char::REPLACEMENT_CHARACTER && (0xD800..0xE000).contains(&hex(written, 2)) {
            text.push_str(written);
        } else {
            text.push(meant);
        }
    })
}

//! Error texts about a value: its location and the expected value, never the value itself.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use serde::de::{Error, Unexpected};
use serde_json::Value;

/// Malformed documents: one for each error that the parser of JSON makes itself.
const MALFORMED: &[&[u8]] = &[
    b"",
    b"[1",
    b"{\"a\":1",
    b"\"a",
    b"\"\x01\"",
    b"[1 2]",
    b"{\"a\":1 2}",
    b"{\"a\" 1}",
    b"nulx",
    b"x",
    b"\"\\q\"",
    b"-x",
    b"\"\xff\"",
    b"{1:2}",
    b"\"\\ud800\\u0041\"",
    &[b'['; 200],
    b"1 2",
    b"[1,]",
    b"\"\\ud800x\"",
];

/// A document with the one such error that only keys of numbers have.
const MALFORMED_KEY: &str = r#"{"1x":2}"#;

/// A number with the one such error that the parser may leave to the type of the number.
const TOO_LARGE: &str = "1e999";

/// The texts of the parser's own errors, which quote no input, without their positions.
///
/// A deserializer's error type is known here by its text only. The parser itself says the texts, so
/// that they are those of its version.
static SYNTAX: LazyLock<Vec<String>> = LazyLock::new(|| {
    let errors = MALFORMED.iter().filter_map(|it| serde_json::from_slice::<Value>(it).err());
    let of_key = serde_json::from_str::<BTreeMap<u8, u8>>(MALFORMED_KEY).err();
    let of_number = serde_json::from_str::<f64>(TOO_LARGE).err();
    let texts = errors.chain(of_key).chain(of_number).map(|error| error.to_string());
    texts.map(|text| split_position(&text).0.to_owned()).collect()
});

/// Messages of serde that name fields and counts only.
const HARMLESS: &[&str] =
    &["missing field `", "duplicate field `", "invalid length ", "unknown field `"];

const MAX_LENGTH: usize = 300;

/// Returns an error that `what` was expected, without quoting the received value.
pub(crate) fn expected<E: Error>(what: &dyn serde::de::Expected) -> E {
    E::invalid_type(Unexpected::Other("another value"), what)
}

/// Returns whether this is the parser's error about syntax, not this crate's about content.
pub(super) fn is_syntax(error: &impl fmt::Display) -> bool {
    let text = error.to_string();
    let (message, _) = split_position(&text);
    SYNTAX.iter().any(|known| known == message)
}

/// Rewrites an error of a foreign type so that it quotes no value; keeps its position.
pub(super) fn without_value(error: &impl fmt::Display) -> String {
    let text = error.to_string();
    let (message, position) = split_position(&text);
    let safe_message =
        if message.starts_with("invalid type: ") || message.starts_with("invalid value: ") {
            after_value(message).map_or_else(unspecific, |rest| format!("expected {rest}"))
        } else if message.starts_with("unknown variant ") {
            after_value(message).map_or_else(unspecific, |rest| format!("expected {rest}"))
        } else if HARMLESS.iter().any(|start| message.starts_with(start)) {
            message.to_owned()
        } else {
            unspecific()
        };
    format!("{}{position}", shortened(&safe_message, MAX_LENGTH))
}

/// Returns the text, truncated after `limit` characters.
pub(super) fn shortened(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn unspecific() -> String {
    "the value does not fit its type".to_owned()
}

// The quoted value is before the last separator, even if it contains separators itself.
fn after_value(message: &str) -> Option<&str> {
    message.rfind(", expected ").map(|at| &message[at + ", expected ".len()..])
}

fn split_position(text: &str) -> (&str, &str) {
    match text.rfind(" at line ") {
        Some(at) if is_position(&text[at..]) => text.split_at(at),
        _ => (text, ""),
    }
}

fn is_position(tail: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    tail.strip_prefix(" at line ")
        .and_then(|rest| rest.split_once(" column "))
        .is_some_and(|(line, column)| digits(line) && digits(column))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(error: &str, kept: &str) {
        assert_eq!(without_value(&error), kept);
    }

    #[test]
    fn a_rejected_value_is_cut_out() {
        check("invalid type: string \"hunter2\", expected u32", "expected u32");
        check("invalid value: string \"a, expected b\", expected c", "expected c");
        check("unknown variant `hunter2`, expected `a` or `b`", "expected `a` or `b`");
        check(
            "unknown variant `hunter2`, there are no variants",
            "the value does not fit its type",
        );
        check("hunter2 is no colour", "the value does not fit its type");
    }

    #[test]
    fn names_of_fields_and_positions_are_kept() {
        check(
            "missing field `query` at line 1 column 9",
            "missing field `query` at line 1 column 9",
        );
        check(
            "invalid type: string \"at line 3\", expected u8 at line 1 column 20",
            "expected u8 at line 1 column 20",
        );
    }

    #[test]
    fn only_a_whole_complaint_counts_as_syntax() {
        assert!(is_syntax(&"EOF while parsing a value at line 1 column 3"));
        assert!(!is_syntax(&"invalid number hunter2"));
    }

    #[test]
    fn each_malformed_document_has_an_error_of_its_own_about_syntax() {
        let of_values = MALFORMED.iter().map(|it| serde_json::from_slice::<Value>(it).map(drop));
        let of_key = serde_json::from_str::<BTreeMap<u8, u8>>(MALFORMED_KEY).map(drop);
        let of_number = serde_json::from_str::<f64>(TOO_LARGE).map(drop);
        for result in of_values.chain([of_key, of_number]) {
            let error = result.expect_err("it is malformed");
            assert!(error.is_syntax() || error.is_eof(), "{error}");
            let known = SYNTAX.iter().filter(|text| error.to_string().starts_with(*text));
            assert_eq!(known.count(), 1, "{error}");
        }
        assert_eq!(SYNTAX.len(), 21);
    }
}

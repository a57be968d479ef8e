//! Texts without a canonical form, and the position of the error.

use crate::canonical::{CanonicalErrorKind, canonicalize};

#[track_caller]
fn refused(text: &str, kind: CanonicalErrorKind, position: usize) {
    let error = canonicalize(text).expect_err(text);
    assert_eq!((error.kind(), error.position()), (kind, position), "{text}");
}

#[test]
fn names_that_stand_twice() {
    use CanonicalErrorKind::DuplicateName;
    refused(r#"{"a": 1, "a": 1}"#, DuplicateName, 9);
    refused(r#"{"a": 1, "\u0061": 1}"#, DuplicateName, 9);
    refused(r#"{"\ud83d\ude00": 1, "😀": 1}"#, DuplicateName, 20);
    refused(r#"[[{"x": {"": 0, "": 0}}]]"#, DuplicateName, 16);
    refused(r#"{"a": 1, "a": {"b": 1, "b": 2}}"#, DuplicateName, 9);
    let names: Vec<_> = (0..100).map(|name| format!("\"n{name}\":0")).collect();
    let many = format!("{{{},\"n7\":0}}", names.join(","));
    refused(&many, DuplicateName, many.len() - 7);
}

#[test]
fn integers_beyond_2_to_the_53() {
    use CanonicalErrorKind::IntegerTooLarge;
    refused("9007199254740992", IntegerTooLarge, 0);
    refused("-9007199254740992", IntegerTooLarge, 0);
    refused("[1, 9223372036854775808]", IntegerTooLarge, 4);
    refused("-9223372036854775808", IntegerTooLarge, 0);
    refused(&"9".repeat(5000), IntegerTooLarge, 0);
}

#[test]
fn floats_beyond_every_double() {
    use CanonicalErrorKind::NumberTooLarge;
    refused(" 1e400", NumberTooLarge, 1);
    refused("[-1.8e308]", NumberTooLarge, 1);
    refused(&format!("1{}e-700000", "0".repeat(700_309)), NumberTooLarge, 0);
}

#[test]
fn text_that_is_not_json_is_refused() {
    use CanonicalErrorKind::{Syntax, Truncated};
    for (text, position) in [
        (r#""\ud83d""#, 1),
        (r#""\ud83d\u0041""#, 1),
        (r#""\ude00\ud83d""#, 1),
        (r#"{"\ud800": 1}"#, 2),
        ("\"a\nb\"", 2),
        ("\"\u{0}\"", 1),
        (r#""\x""#, 2),
        (r#""\u00g0""#, 5),
        ("{} {}", 3),
        ("1 x", 2),
        ("01", 1),
        ("NaN", 0),
        ("-Infinity", 1),
        ("[1,]", 3),
        ("{'a':1}", 1),
        ("\u{feff}{}", 0),
    ] {
        refused(text, Syntax, position);
    }
    refused("", Truncated, 0);
    refused(r#"{"a": [1"#, Truncated, 8);
}

#[test]
fn nesting_beyond_128_levels() {
    let deep = "[".repeat(129) + &"]".repeat(129);
    refused(&deep, CanonicalErrorKind::TooDeep, 128);
    assert!(canonicalize(&deep).expect_err("too deep").to_string().contains("128 levels"));
    refused(&"{\"a\":".repeat(100_000), CanonicalErrorKind::TooDeep, 128 * 5);
}

#[test]
fn messages_name_place_and_cure_and_quote_nothing() {
    for (text, message) in [
        (r#"{"pin": 1, "pin": 2}"#, "duplicate property name at byte 11; remove one"),
        (
            r#"{"pin": 98765432109876543}"#,
            "the integer at byte 8 is beyond 2^53 - 1, where readers lose digits; send it as a string",
        ),
        ("9e999", "the number at byte 0 is out of range for a 64-bit float; send it as a string"),
        ("{pin}", "not JSON: expected a property name in double quotes, or `}` at byte 1"),
    ] {
        let error = canonicalize(text).expect_err(text);
        assert_eq!(error.to_string(), message);
        assert!(!format!("{error:?}").contains("pin"));
    }
}

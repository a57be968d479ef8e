//! Rules that apply to every text, independent of the schema.

use serde_json::json;

use super::{Coerce, check, report};
use crate::schema::{Malformed, ValidationReport};

#[test]
fn a_property_that_stands_twice_is_refused_at_every_depth() {
    let open = json!(true);
    check(&open, r#"{"a": 1, "a": 1}"#, &["duplicate /a"]);
    check(&open, r#"{"a": 1, "\u0061": 1}"#, &["duplicate /a"]);
    check(&open, r#"[{"m": {"x": 1, "y": 2, "x": 3}}]"#, &["duplicate /0/m/x"]);
    let closed = json!({"properties": {"a": {"type": "integer"}}, "additionalProperties": false});
    check(&closed, r#"{"a": 1, "a": 2}"#, &["duplicate /a"]);
    assert_eq!(report(&closed, r#"{"a": "1", "a": 2}"#, Coerce::Lossless).coerced, None);
}

#[test]
fn pointers_escape_names_and_cap_them() {
    let none = json!({"additionalProperties": {"additionalProperties": false}});
    check(&none, r#"{"a/b~c": {"": 1}}"#, &["additionalProperties /a~1b~0c/"]);
    let long = format!(r#"{{"a": {{"{}": 1}}}}"#, "é".repeat(1000));
    let found = report(&none, &long, Coerce::Off);
    assert_eq!(found.violations[0].pointer(), format!("/a/{}…", "é".repeat(64)));
}

#[test]
fn all_violations_are_collected_up_to_the_cap() {
    let schema = json!({"items": {"type": "string"}});
    let text = |n: usize| format!("[{}]", vec!["1"; n].join(","));
    let found = report(&schema, &text(64), Coerce::Off);
    assert_eq!(found.violations.len(), ValidationReport::MAX_LISTED);
    assert_eq!(found.violations[63].hint(), None);
    let found = report(&schema, &text(5000), Coerce::Off);
    assert_eq!(found.violations.len(), ValidationReport::MAX_LISTED);
    assert!(found.violations[63].hint().unwrap().contains("64"));
}

#[test]
fn text_that_is_no_json_has_no_violations() {
    let schema = json!({"type": "object", "properties": {"a": {"x-sensitivity": "secret"}}});
    let found = report(&schema, r#"{"a": "hun"#, Coerce::Lossless);
    assert_eq!(found.malformed, Some(Malformed::Truncated { position: 10 }));
    assert_eq!((found.violations.len(), found.masked), (0, None));
}

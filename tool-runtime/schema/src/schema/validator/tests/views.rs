//! Masks, offsets, and `needs_scan`.

use serde_json::{Value, json};

use super::{Coerce, report};
use crate::limits::Limits;
use crate::schema::Validator;

#[track_caller]
fn masks(schema: &Value, text: &str, expected: &str) {
    let found = report(schema, text, Coerce::Off);
    assert_eq!(found.masked.as_deref(), Some(expected), "{schema}");
}

fn login() -> Value {
    json!({
        "type": "object",
        "properties": {
            "user": {"type": "string"},
            "pin": {"type": "string", "x-sensitivity": "secret"},
            "more": {"type": "array", "items": {"$ref": "#/$defs/card"}},
            "any": true,
        },
        "additionalProperties": false,
        "$defs": {"card": {
            "type": "object",
            "properties": {"number": {"x-sensitivity": "secret"}, "name": {"type": "string"}},
        }},
    })
}

#[test]
fn secrets_and_strangers_are_masked() {
    masks(&login(), r#"{"user": "a", "pin" : "b"}"#, r#"{"user": "a", "pin" : "***"}"#);
    masks(
        &login(),
        r#"{"pin": {"x": [1]}, "any": {"pin": 1}}"#,
        r#"{"pin": "***", "any": {"pin": 1}}"#,
    );
    masks(&login(), r#"{"pni": "b", "user": 1}"#, r#"{"pni": "***", "user": 1}"#);
    masks(
        &login(),
        r#"{"more": [{"number": 1, "name": "x", "nubmer": 2}]}"#,
        r#"{"more": [{"number": "***", "name": "x", "nubmer": "***"}]}"#,
    );
    masks(&login(), r#"{"pin": "a", "pin": "b"}"#, r#"{"pin": "***", "pin": "***"}"#);
}

#[test]
fn secrets_in_another_shape_are_masked_whole() {
    masks(&login(), r#""{\"pin\": \"b\"}""#, r#""***""#);
    masks(&login(), r#"["b"]"#, r#""***""#);
    masks(&login(), r#"{"more": "[{\"number\": 1}]"}"#, r#"{"more": "***"}"#);
    masks(&login(), r#"{"more": {"number": 1}}"#, r#"{"more": "***"}"#);
    masks(&login(), r#"{"more": [[1], "{\"number\": 1}"]}"#, r#"{"more": ["***", "***"]}"#);
    masks(&login(), r#"{"more": [4111]}"#, r#"{"more": ["***"]}"#);
}

#[test]
fn a_secret_of_any_branch_is_masked() {
    let schema = json!({"anyOf": [
        {"properties": {"kind": {"const": "a"}, "key": {"x-sensitivity": "secret"}}},
        {"properties": {"kind": {"const": "b"}, "key": {"type": "string"}}},
    ]});
    masks(&schema, r#"{"kind": "b", "key": "x"}"#, r#"{"kind": "b", "key": "***"}"#);
}

#[test]
fn without_secrets_nothing_is_masked() {
    assert_eq!(report(&json!({"type": "object"}), "{}", Coerce::Off).masked, None);
}

fn needs(properties: Value, root_bounds_checked: bool) -> bool {
    let schema = json!({
        "type": "object", "properties": properties, "additionalProperties": false,
        "title": "app::Arguments", "description": "What it takes.",
    });
    Validator::compile(&schema).unwrap().needs_scan(root_bounds_checked)
}

#[test]
fn a_typed_reader_suffices_for_plain_arguments() {
    let reference = json!({
        "query": {"type": "string", "minLength": 1},
        "limit": {"type": "integer", "format": "uint32", "minimum": 1, "maximum": 50, "default": 10},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 20},
    });
    assert!(!needs(reference.clone(), true));
    assert!(needs(reference, false));
    let plain = json!({
        "flag": {"type": "boolean"},
        "name": {"type": ["string", "null"], "title": "alloc::string::String"},
        "count": {"type": "integer", "format": "uint8", "minimum": 0, "maximum": 255},
        "size": {"type": ["integer", "null"], "format": "uint64", "minimum": 0},
        "rows": {"type": "array", "items": {"type": "array", "items": {"type": "integer", "format": "int64"}}},
    });
    assert!(!needs(plain, false));
}

#[test]
fn everything_else_needs_a_scan() {
    for property in [
        json!(true),
        json!({}),
        json!({"type": "number"}),
        json!({"type": "object"}),
        json!({"type": "array"}),
        json!({"type": "array", "items": {"type": "number"}}),
        json!({"type": "array", "items": {"type": "string", "minLength": 1}}),
        json!({"type": "array", "items": {"type": "string"}, "uniqueItems": true}),
        json!({"type": "array", "prefixItems": [{"type": "string"}]}),
        json!({"type": ["string", "integer"]}),
        json!({"type": "string", "pattern": "x"}),
        json!({"type": "string", "enum": ["a"]}),
        json!({"type": "string", "x-sensitivity": "secret"}),
        json!({"const": "a"}),
        json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
        json!({"not": {"type": "null"}}),
        json!({"type": "array", "items": {"type": "integer", "format": "uint8", "maximum": 9}}),
    ] {
        assert!(needs(json!({"p": property}), true), "{property}");
    }
    let open = Validator::compile(&json!({"type": "object", "properties": {}})).unwrap();
    assert!(open.needs_scan(true));
}

#[test]
fn places_are_found_by_offset() {
    let schema = json!({
        "type": "object",
        "properties": {
            "when": {"$ref": "#/$defs/date"},
            "list": {"type": "array", "items": {"type": "integer"}},
        },
        "$defs": {"date": {"type": "string", "title": "chrono::NaiveDate"}},
    });
    let validator = Validator::compile(&schema).unwrap();
    let text = r#"{"list": [1, 22], "when": "2024-02-30"}"#;
    let at = |offset: usize| {
        let found = validator.violation_at(text, offset, &Limits::new());
        format!("{} {} {}", found.pointer(), found.expected(), found.received())
    };
    assert_eq!(at(26), "/when NaiveDate string");
    assert_eq!(at(37), "/when NaiveDate string");
    assert_eq!(at(13), "/list/1 integer that the tool can read integer");
    assert_eq!(at(10), "/list/0 integer that the tool can read integer");
    assert_eq!(at(0), " object that the tool can read object");
    assert_eq!(at(1000), " object that the tool can read object");
}

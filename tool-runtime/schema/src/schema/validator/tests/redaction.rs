//! Redaction of a text for a record, and the values that no log may repeat.

use std::borrow::Cow;

use serde_json::{Value, json};

use crate::limits::Limits;
use crate::redact::Redactor;
use crate::schema::Validator;

/// Returns personal data unchanged, and replaces digits in free text.
struct Glass;

impl Redactor for Glass {
    fn personal(&self, json: &str) -> String {
        format!("pii:{json}")
    }

    fn free_text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if text.contains("42") { text.replace("42", "[n]").into() } else { text.into() }
    }
}

#[track_caller]
fn redacts(schema: &Value, text: &str, expected: &str) {
    let validator = Validator::compile(schema).unwrap();
    let found = validator.redact(text, &Limits::new(), &Glass);
    assert_eq!(found.as_deref(), Some(expected), "{schema} {text}");
}

#[track_caller]
fn lists(schema: &Value, text: &str, secrets: &[&str], personal: &[&str]) {
    let validator = Validator::compile(schema).unwrap();
    let found = validator.sensitive(text, &Limits::new()).unwrap();
    assert_eq!(
        (found.secrets.as_slice(), found.personal.as_slice()),
        (
            secrets.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>().as_slice(),
            personal.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>().as_slice(),
        )
    );
}

fn person() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "x-sensitivity": "pii"},
            "pin": {"x-sensitivity": "secret"},
            "card": {"$ref": "#/$defs/card"},
            "all": {"type": "array", "items": {"$ref": "#/$defs/card"}},
            "more": {"type": "object", "additionalProperties": {"x-sensitivity": "pii"}},
            "note": {"type": "string"},
            "any": true,
        },
        "additionalProperties": false,
        "$defs": {"card": {
            "type": "object",
            "properties": {
                "number": {"x-sensitivity": "secret"},
                "owner": {"anyOf": [{"x-sensitivity": "pii"}, {"type": "null"}]},
            },
        }},
    })
}

#[test]
fn a_record_keeps_neither_secrets_nor_persons() {
    redacts(
        &person(),
        r#"{"name" : "A\u0062", "pin": 42, "note": "is 42", "any": {"x": ["42", 42]}}"#,
        r#"{"name" : "pii:\"A\\u0062\"", "pin": "***", "note": "is [n]", "any": {"x": ["[n]", 42]}}"#,
    );
    redacts(
        &person(),
        r#"{"card": {"number": [1], "owner": {"x": 1}}, "all": [{"owner": "b", "else": 1}]}"#,
        r#"{"card": {"number": "***", "owner": "pii:{\"x\": 1}"}, "all": [{"owner": "pii:\"b\"", "else": "***"}]}"#,
    );
    redacts(
        &person(),
        r#"{"more": {"a": 1}, "nmae": "x"}"#,
        r#"{"more": {"a": "pii:1"}, "nmae": "***"}"#,
    );
}

#[test]
fn personal_data_in_another_shape_is_veiled_whole() {
    let schema = json!({"properties": {"who": {
        "type": "object", "properties": {"name": {"x-sensitivity": "pii"}},
    }}});
    redacts(&schema, r#"{"who": "{\"name\": 1}"}"#, r#"{"who": "pii:\"{\\\"name\\\": 1}\""}"#);
    redacts(&schema, r#"{"who": ["b"]}"#, r#"{"who": "pii:[\"b\"]"}"#);
    redacts(&person(), r#"{"all": "[{}]"}"#, r#"{"all": "***"}"#);
}

#[test]
fn personal_data_that_holds_a_secret_is_one() {
    let schema = json!({"properties": {"who": {
        "x-sensitivity": "pii", "properties": {"pin": {"x-sensitivity": "secret"}},
    }}});
    redacts(&schema, r#"{"who": {"pin": 1, "name": "b"}}"#, r#"{"who": "***"}"#);
    // A name that no schema declares is as secret as its value; a short one is a common word.
    lists(&schema, r#"{"who": {"pin": 1, "name": "b", "x": 2}}"#, &["1", "name", "b", "2"], &[]);
}

#[test]
fn every_way_to_say_what_a_property_is_counts() {
    let pii = json!({"x-sensitivity": "pii"});
    for schema in [
        json!({"additionalProperties": pii}),
        json!({"unevaluatedProperties": pii}),
        json!({"patternProperties": {"^a": pii}}),
        json!({"if": {"required": ["a"]}, "then": {"properties": {"a": pii}}}),
        json!({"oneOf": [{"properties": {"a": true}}, {"properties": {"a": pii}}]}),
        json!({"dependentSchemas": {"b": {"properties": {"a": pii}}}}),
    ] {
        redacts(&schema, r#"{"a": 1}"#, r#"{"a": "pii:1"}"#);
    }
    for schema in [json!({"prefixItems": [pii]}), json!({"contains": pii}), json!({"items": pii})] {
        redacts(&schema, "[1]", r#"["pii:1"]"#);
    }
}

#[test]
fn a_secret_among_unevaluated_properties_is_masked() {
    let schema = json!({"unevaluatedProperties": {"x-sensitivity": "secret"}});
    let report = super::report(&schema, r#"{"a": 1}"#, super::Coerce::Off);
    assert_eq!(report.masked.as_deref(), Some(r#"{"a": "***"}"#));
}

#[test]
fn the_echo_shows_a_caller_their_own_personal_data() {
    let report = super::report(&person(), r#"{"name": "Ada", "pin": 1}"#, super::Coerce::Off);
    assert_eq!(report.masked.as_deref(), Some(r#"{"name": "Ada", "pin": "***"}"#));
    let personal = json!({"properties": {"name": {"x-sensitivity": "pii"}}});
    assert_eq!(super::report(&personal, "{}", super::Coerce::Off).masked, None);
}

#[test]
fn names_that_say_something_are_veiled_and_stay_apart() {
    redacts(
        &json!({"type": "object"}),
        r#"{"42": 1, "\u00342 x": 2, "b": 3}"#,
        r#"{"pii:\"42\"": 1, "pii:\"\\u00342 x\"": 2, "b": 3}"#,
    );
}

#[test]
fn a_record_can_be_read_again() {
    redacts(
        &json!({}),
        "[1e999, 1e9, 12345678901234567890]",
        r#"["***", 1e9, 12345678901234567890]"#,
    );
    let validator = Validator::compile(&json!({})).unwrap();
    for text in ["", "{", "{\"a\": 1} x", "nul"] {
        assert_eq!(validator.redact(text, &Limits::new(), &Glass), None);
        assert!(validator.sensitive(text, &Limits::new()).is_none());
    }
}

#[test]
fn sensitive_values_are_listed_as_they_are_read() {
    lists(
        &person(),
        r#"{"name": "A\u0062", "pin": [12.50, "x", true], "note": "n", "nmae": "y"}"#,
        &["12.50", "x"],
        &["Ab", "y"],
    );
}

//! Instances that show why a change is breaking.

use serde_json::{Map, Value, json};

use tool_runtime_schema::instances::Instances;

use crate::compare::keywords::PARSED_FORMATS;
use crate::compare::{Compatibility, SchemaChange, SchemaReader, compare};

fn object(properties: &Value, required: &[&str]) -> Value {
    json!({"type": "object", "properties": properties, "required": required,
        "additionalProperties": false})
}

/// The counterexample of the breaking change with this rule.
#[track_caller]
fn counterexample(changes: &[SchemaChange], rule: &str) -> Option<Value> {
    let change = changes.iter().find(|change| change.rule() == rule);
    let change = change.unwrap_or_else(|| panic!("{rule} in {changes:#?}"));
    assert_eq!(change.compatibility(), Compatibility::Breaking);
    change.counterexample().cloned()
}

#[test]
fn each_breaking_change_has_the_counterexample_of_its_own_location() {
    let before =
        object(&json!({"a": {"type": "integer", "maximum": 9}, "b": {"type": "string"}}), &[]);
    let a = json!({"type": "integer", "maximum": 5});
    let after = object(&json!({"a": a, "b": {"type": "string", "minLength": 2}}), &["b"]);
    let changes = compare(&before, &after, SchemaReader::Callee);
    assert_eq!(counterexample(&changes, "maximum-lowered"), Some(json!({"a": 6, "b": "aa"})));
    assert_eq!(counterexample(&changes, "required-added"), Some(json!({})));
    assert_eq!(counterexample(&changes, "min-length-added"), Some(json!({"b": ""})));
}

#[test]
fn the_caller_is_shown_a_value_that_only_the_new_schema_accepts() {
    let (before, after) = (json!({"type": "string"}), json!({"type": ["string", "null"]}));
    let changes = compare(&before, &after, SchemaReader::Caller);
    assert_eq!(counterexample(&changes, "null-added"), Some(json!(null)));
}

#[test]
fn a_counterexample_is_found_behind_references_formats_and_patterns() {
    let document = |most: u32| {
        let item = object(
            &json!({
                "id": {"type": "string", "format": "uuid"},
                "code": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]+$"},
                "count": {"type": "integer", "maximum": most},
            }),
            &["id", "code"],
        );
        let items = json!({"type": "array", "items": {"$ref": "#/$defs/Item"}, "minItems": 1});
        let mut schema = object(&json!({"items": items}), &["items"]);
        schema["$defs"] = json!({"Item": item});
        schema
    };
    let changes = compare(&document(9), &document(5), SchemaReader::Callee);
    let found = counterexample(&changes, "maximum-lowered").expect("a counterexample");
    assert_eq!(found["items"][0]["count"], 6, "{found}");
}

#[test]
fn a_rejection_that_is_close_to_no_change_shows_the_first_breaking_one() {
    // The validator rejects the list, and the change is one of its items.
    let list =
        |least: u32| json!({"type": "array", "contains": {"type": "integer", "minimum": least}});
    let changes = compare(&list(1), &list(2), SchemaReader::Callee);
    assert_eq!(counterexample(&changes, "contains-changed"), Some(json!([1])));
}

#[test]
fn a_change_that_no_validator_can_tell_has_no_counterexample() {
    let (before, after) = (json!({"type": "string"}), json!({"type": "string", "format": "uuid"}));
    let changes = compare(&before, &after, SchemaReader::Callee);
    assert_eq!(counterexample(&changes, "format-added"), None);
}

#[test]
fn a_text_of_a_parsed_format_is_a_sample_of_it() {
    for format in PARSED_FORMATS {
        let schema = |most: u32| json!({"type": "string", "format": format, "maxLength": most});
        let changes = compare(&schema(100), &schema(0), SchemaReader::Callee);
        let text = counterexample(&changes, "max-length-lowered").expect("a counterexample");
        let instances = Instances::for_schema(&json!({"format": format})).expect("a schema");
        assert!(instances.has_known_formats(&text), "{format}: {text}");
        assert!(!instances.has_known_formats(&json!("no sample")), "{format}");
    }
}

#[test]
fn a_compatible_change_has_no_counterexample() {
    let (before, after) = (json!({"maximum": 5}), json!({"maximum": 9}));
    let changes = compare(&before, &after, SchemaReader::Callee);
    assert!(changes.iter().all(|change| change.counterexample().is_none()), "{changes:?}");
}

#[test]
fn the_search_ends_for_large_recursive_and_contradictory_schemas() {
    let many = |most: usize| {
        let names =
            (0..300).map(|at| (format!("p{at}"), json!({"type": "integer", "maximum": most})));
        let mut schema = object(&Value::Object(names.collect::<Map<_, _>>()), &[]);
        schema["properties"]["next"] = json!({"$ref": "#"});
        schema
    };
    let changes = compare(&many(9), &many(5), SchemaReader::Callee);
    assert!(changes.iter().any(|change| change.counterexample().is_some()));

    let endless = |most: u32| {
        json!({"$ref": "#/$defs/A", "$defs": {"A": {
            "type": "object", "properties": {"a": {"$ref": "#/$defs/A"}, "n": {"maximum": most}},
            "required": ["a"],
        }}})
    };
    assert!(!compare(&endless(9), &endless(5), SchemaReader::Callee).is_empty());

    let long = |most: u32| json!({"type": "string", "maxLength": most});
    let changes = compare(&long(5_000_000), &long(4_000_000), SchemaReader::Callee);
    assert_eq!(counterexample(&changes, "max-length-lowered"), None, "it would be too long");
}

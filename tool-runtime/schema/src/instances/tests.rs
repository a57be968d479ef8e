//! All instances are checked by two validators: this crate's and the crate `jsonschema`.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Instances, Mutation};
use crate::Limits;
use crate::schema::{Coerce, Validator};

const SEEDS: u64 = 120;

fn instances(schema: &Value) -> Instances {
    Instances::for_schema(schema).unwrap_or_else(|error| panic!("{schema}: {error}"))
}

/// Checks every instance and every broken text of a schema, and returns the violations.
#[track_caller]
fn check(schema: &Value) -> BTreeSet<Mutation> {
    let instances = instances(schema);
    let ours = Validator::compile(schema).expect("it compiles");
    let theirs = jsonschema::draft202012::new(schema).expect("it compiles for others too");
    let admits = |text: &str| ours.check(text, &Limits::new(), Coerce::Off).is_admitted();
    let mut breaches = BTreeSet::new();
    for seed in 0..SEEDS {
        let value = instances.valid(seed);
        assert!(admits(&value.to_string()), "seed {seed}: ours rejects {value} by {schema}");
        assert!(theirs.is_valid(&value), "seed {seed}: theirs rejects {value} by {schema}");
        let invalid = instances.invalid(seed);
        assert!(!admits(invalid.text()), "seed {seed}: ours admits {invalid:?} by {schema}");
        let called = ours.check_arguments(invalid.text(), &Limits::new(), Coerce::Off);
        assert!(!called.is_admitted(), "seed {seed}: a call accepts {invalid:?} by {schema}");
        let textual = matches!(invalid.mutation(), Mutation::Truncated | Mutation::DuplicateKey);
        if !textual {
            let value: Value =
                serde_json::from_str(invalid.text()).expect("only the schema rejects it");
            assert!(!theirs.is_valid(&value), "seed {seed}: theirs admits {invalid:?} by {schema}");
        }
        breaches.insert(invalid.mutation());
    }
    breaches
}

/// Checks that all of these violations were made.
#[track_caller]
fn breaks(schema: &Value, wanted: &[Mutation]) {
    let breaches = check(schema);
    let missing: Vec<_> = wanted.iter().filter(|mutation| !breaches.contains(mutation)).collect();
    assert!(missing.is_empty(), "{missing:?} are not among {breaches:?}");
}

#[test]
fn a_plain_object_is_broken_in_every_way_that_it_can_be() {
    let schema = json!({
        "type": "object",
        "properties": {
            "query": {"type": "string", "minLength": 2, "maxLength": 10},
            "limit": {"type": "integer", "minimum": 1, "maximum": 50, "format": "uint32"},
            "order": {"enum": ["newest", "oldest"]},
            "code": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]{3,5}$"},
            "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3, "uniqueItems": true},
            "price": {"type": "number", "exclusiveMinimum": 0, "maximum": 10, "multipleOf": 0.25},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}, "minProperties": 1, "maxProperties": 2},
        },
        "required": ["query"],
        "additionalProperties": false,
    });
    breaks(
        &schema,
        &[
            Mutation::Truncated,
            Mutation::DuplicateKey,
            Mutation::RequiredAbsent,
            Mutation::UnknownField,
            Mutation::WrongType,
            Mutation::UnknownValue,
            Mutation::BelowRange,
            Mutation::AboveRange,
            Mutation::NotAMultiple,
            Mutation::TooShort,
            Mutation::TooLong,
            Mutation::PatternBroken,
            Mutation::TooFewItems,
            Mutation::TooManyItems,
            Mutation::RepeatedItem,
            Mutation::TooFewProperties,
            Mutation::TooManyProperties,
        ],
    );
}

#[test]
fn every_keyword_is_followed() {
    let schemas = [
        json!(true),
        json!({"type": ["string", "null"], "maxLength": 3}),
        json!({"type": "integer", "exclusiveMinimum": -3, "exclusiveMaximum": 4}),
        json!({"type": "integer", "multipleOf": 7, "minimum": 100}),
        json!({"type": "integer", "multipleOf": 0.5}),
        json!({"type": "number", "minimum": 0.1, "maximum": 0.2}),
        json!({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}),
        json!({"type": "number", "format": "float"}),
        json!({"type": "string", "format": "uuid"}),
        json!({"type": "string", "format": "date-time"}),
        json!({"type": "string", "format": "color"}),
        json!({"type": "string", "minLength": 100, "maxLength": 120}),
        json!({"type": "string", "pattern": "a(b|c)+d?", "minLength": 4}),
        json!({"const": {"a": [1, null]}}),
        json!({"enum": [1, "two", null, [3], {"four": 5}]}),
        json!({"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "items": false, "minItems": 2}),
        json!({"type": "array", "prefixItems": [{"type": "integer"}], "items": {"type": "boolean"}}),
        json!({"type": "array", "contains": {"const": "needle"}, "items": {"type": "string"}}),
        json!({"type": "array", "contains": {"minimum": 5}, "minContains": 2, "maxContains": 3, "items": {"type": "integer"}}),
        json!({"type": "array", "items": {"enum": [1, 2, 3]}, "uniqueItems": true, "minItems": 3}),
        json!({"type": "object", "patternProperties": {"^x-": {"type": "integer"}}, "additionalProperties": false, "minProperties": 2}),
        json!({"type": "object", "propertyNames": {"pattern": "^[a-z]{3}$"}, "additionalProperties": {"type": "null"}, "minProperties": 1}),
        json!({"type": "object", "dependentRequired": {"a": ["b"]}, "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}),
        json!({"type": "object", "dependentSchemas": {"a": {"required": ["b"]}}, "properties": {"a": {}, "b": {"type": "integer"}}}),
        json!({"type": "object", "required": ["undeclared"]}),
        json!({"not": {"type": "string"}}),
        json!({"if": {"properties": {"kind": {"const": "a"}}, "required": ["kind"]}, "then": {"required": ["a"]}, "else": {"required": ["b"]}, "type": "object", "properties": {"kind": {"enum": ["a", "b"]}}}),
        json!({"allOf": [{"type": "integer", "minimum": 3}, {"maximum": 5}]}),
        json!({"allOf": [{"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}, {"properties": {"b": {"type": "string"}}}], "unevaluatedProperties": false}),
        json!({"anyOf": [{"type": "string", "maxLength": 2}, {"type": "integer", "minimum": 10}]}),
        json!({"oneOf": [{"type": "integer", "multipleOf": 2}, {"type": "integer", "multipleOf": 3}]}),
        json!({"minimum": 3, "maxLength": 2}),
        json!({"properties": {"a": {"type": "integer"}}}),
    ];
    for schema in &schemas {
        check(schema);
    }
}

#[test]
fn null_is_no_violation_of_an_optional_property_and_is_one_elsewhere() {
    let offer = json!({
        "type": "object",
        "properties": {"name": {"type": "string"}, "discount": {"type": "number", "default": 0.25}},
        "required": ["name"],
        "additionalProperties": false,
    });
    let schema = json!({
        "type": "object",
        "properties": {
            "offer": {"$ref": "#/$defs/Offer"},
            "offers": {"type": "array", "items": {"$ref": "#/$defs/Offer"}, "minItems": 1},
            "size": {"anyOf": [{"type": "integer"}, {"$ref": "#/$defs/Offer"}]},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}, "minProperties": 1},
        },
        "required": ["offer", "offers", "labels"],
        "additionalProperties": false,
        "$defs": {"Offer": offer},
    });
    check(&schema);
    let instances = instances(&schema);
    let mut nulls = BTreeSet::new();
    for seed in 0..1_000 {
        let invalid = instances.invalid(seed);
        if invalid.mutation() == Mutation::WrongType {
            let value: Value = serde_json::from_str(invalid.text()).expect("it is JSON");
            let pointer = invalid.pointer();
            if value.pointer(pointer) == Some(&Value::Null) {
                nulls.insert(pointer.split('/').nth(1).unwrap_or_default().to_owned());
                let last = pointer.rsplit('/').next();
                assert!(!matches!(last, Some("discount" | "size")), "{invalid:?}");
            }
        }
    }
    let missing: Vec<_> =
        ["labels", "offer", "offers"].into_iter().filter(|name| !nulls.contains(*name)).collect();
    assert!(missing.is_empty(), "{missing:?} are never null");
}

#[test]
fn references_recursion_and_tagged_choices_are_followed() {
    let tree = json!({
        "$ref": "#/$defs/Tree",
        "$defs": {"Tree": {"oneOf": [
            {"type": "object", "properties": {"kind": {"const": "node"}, "left": {"$ref": "#/$defs/Tree"}, "right": {"$ref": "#/$defs/Tree"}}, "required": ["kind", "left", "right"], "additionalProperties": false},
            {"type": "object", "properties": {"kind": {"const": "leaf"}, "size": {"type": "integer", "minimum": 0}}, "required": ["kind", "size"], "additionalProperties": false},
        ]}},
    });
    breaks(&tree, &[Mutation::RequiredAbsent, Mutation::UnknownField, Mutation::BelowRange]);
    let list = json!({"type": "object", "properties": {"next": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}}, "required": ["next"]});
    check(&list);
}

#[test]
fn the_edges_come_up() {
    let schema = json!({"type": "object", "required": ["n", "t"], "additionalProperties": false, "properties": {
        "n": {"type": "integer", "minimum": -5, "maximum": 1000},
        "t": {"type": "string", "maxLength": 40},
        "o": {"type": "boolean"},
    }});
    let instances = instances(&schema);
    let values: Vec<Value> = (0..SEEDS).map(|seed| instances.valid(seed)).collect();
    let some = |what: &str, is: &dyn Fn(&Value) -> bool| assert!(values.iter().any(is), "{what}");
    some("least", &|value| value["n"] == -5);
    some("most", &|value| value["n"] == 1000);
    some("zero", &|value| value["n"] == 0);
    some("empty", &|value| value["t"] == "");
    some("longest", &|value| value["t"].as_str().is_some_and(|t| t.chars().count() == 40));
    some("unicode", &|value| value["t"].as_str().is_some_and(|t| !t.is_ascii()));
    some("absent", &|value| value.get("o").is_none());
    some("there", &|value| value.get("o").is_some());
}

#[test]
fn examples_and_defaults_of_a_schema_come_up_where_admitted() {
    let schema = json!({"type": "string", "examples": ["Europe/Paris", 7], "default": "UTC"});
    let instances = instances(&schema);
    let values: Vec<Value> = (0..SEEDS).map(|seed| instances.valid(seed)).collect();
    assert!(values.contains(&json!("Europe/Paris")) && values.contains(&json!("UTC")));
    assert!(values.iter().all(Value::is_string));
}

#[test]
fn a_seed_brings_the_same_value_back() {
    let schema = json!({"type": "object", "additionalProperties": {"type": "number"}});
    for seed in 0..50 {
        assert_eq!(instances(&schema).valid(seed), instances(&schema).valid(seed));
        assert_eq!(instances(&schema).invalid(seed), instances(&schema).invalid(seed));
    }
}

#[test]
fn a_schema_that_admits_nothing_is_an_error_that_says_where() {
    let rows = [
        (json!(false), ""),
        (json!({"type": "integer", "minimum": 5, "maximum": 4}), ""),
        (json!({"type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 2}), ""),
        (json!({"type": "string", "minLength": 3, "maxLength": 2}), ""),
        (
            json!({"type": "object", "properties": {"a": {"allOf": [{"type": "string"}, {"type": "integer"}]}}, "required": ["a"]}),
            "/properties/a",
        ),
        (
            json!({"type": "array", "items": {"enum": [1, 2]}, "uniqueItems": true, "minItems": 3}),
            "",
        ),
        (
            json!({"$ref": "#/$defs/A", "$defs": {"A": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "required": ["a"]}}}),
            "",
        ),
        (json!({"type": "integer", "not": {"type": "integer"}}), ""),
        (json!({"type": "string", "pattern": "^a$", "minLength": 2}), ""),
        (json!({"type": "object", "additionalProperties": false, "minProperties": 1}), ""),
    ];
    for (schema, pointer) in rows {
        let error = Instances::for_schema(&schema).expect_err(&schema.to_string());
        assert_eq!(error.pointer(), pointer, "{schema}: {error}");
    }
}

#[test]
fn a_failing_value_is_simplified_to_the_smallest_that_fails() {
    let schema = json!({"type": "object", "required": ["n", "t"], "additionalProperties": false, "properties": {
        "n": {"type": "integer", "minimum": 3, "maximum": 100_000},
        "t": {"type": "array", "items": {"type": "string"}},
        "o": {"type": "boolean"},
    }});
    let instances = instances(&schema);
    let fails =
        |value: &Value| value["n"].as_u64() > Some(1234) && value["t"].to_string().contains('x');
    let mut value = json!({"n": 98_765, "t": ["abc", "uvwxyz", ""], "o": true});
    while let Some(simpler) = instances.simpler(&value).into_iter().find(&fails) {
        value = simpler;
    }
    assert_eq!(value, json!({"n": 1235, "t": ["x"]}));
}

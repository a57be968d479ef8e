//! Changes of properties.

use serde_json::{Value, json};

use super::Case::{Both, Narrowed, Same, Widened};
use super::{Row, row};

pub(super) fn open(properties: Value) -> Value {
    json!({"type": "object", "properties": properties})
}

pub(super) fn closed(properties: Value) -> Value {
    json!({"type": "object", "properties": properties, "additionalProperties": false})
}

pub(super) fn with(mut schema: Value, word: &str, value: Value) -> Value {
    schema[word] = value;
    schema
}

#[allow(clippy::too_many_lines, reason = "a table")]
pub(super) fn rows() -> Vec<Row> {
    let text = || json!({"type": "string"});
    let one = || json!({"a": {"type": "string"}});
    let two = || json!({"a": {"type": "string"}, "b": {"type": "integer"}});
    vec![
        row(
            "a property more in a closed object",
            closed(one()),
            closed(two()),
            Widened(json!({"b": 1})),
            ["property-added /properties/b"],
        ),
        row(
            "a property more in an open object",
            open(one()),
            open(two()),
            Narrowed(json!({"b": "x"})),
            ["property-added /properties/b"],
        ),
        row(
            "a property less in a closed object",
            closed(two()),
            closed(one()),
            Narrowed(json!({"b": 1})),
            ["property-removed /properties/b before"],
        ),
        row(
            "a property less in an open object",
            open(two()),
            open(one()),
            Widened(json!({"b": "x"})),
            ["property-removed /properties/b before"],
        ),
        row(
            "a property that may be anything in an open object",
            open(one()),
            open(json!({"a": {"type": "string"}, "b": true})),
            Same,
            ["restated "],
        ),
        row(
            "a property that may not be there in a closed object",
            closed(one()),
            closed(json!({"a": {"type": "string"}, "b": false})),
            Same,
            ["restated "],
        ),
        row(
            "a property is named as all others are",
            json!({"type": "object", "additionalProperties": {"type": "string"}}),
            json!({"type": "object", "properties": one(), "additionalProperties": text()}),
            Same,
            ["restated "],
        ),
        row(
            "a property is named unlike the others",
            json!({"type": "object", "additionalProperties": {"type": "string"}}),
            json!({"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": text()}),
            Both(json!({"a": 1}), json!({"a": "x"})),
            ["property-added /properties/a"],
        ),
        row(
            "a property is renamed",
            closed(one()),
            closed(json!({"c": {"type": "string"}})),
            Both(json!({"c": "x"}), json!({"a": "x"})),
            ["property-added /properties/c", "property-removed /properties/a before"],
        ),
        row(
            "a property must be there",
            closed(two()),
            with(closed(two()), "required", json!(["b"])),
            Narrowed(json!({})),
            ["required-added /properties/b"],
        ),
        row(
            "a property may be left out",
            with(closed(two()), "required", json!(["b"])),
            with(closed(two()), "required", json!([])),
            Widened(json!({})),
            ["required-removed /properties/b"],
        ),
        row(
            "a property that nothing names must be there",
            json!({"type": "object"}),
            json!({"type": "object", "required": ["a/b"]}),
            Narrowed(json!({})),
            ["required-added /required"],
        ),
        row(
            "required in another order",
            with(open(two()), "required", json!(["a", "b"])),
            with(open(two()), "required", json!(["b", "a"])),
            Same,
            [],
        ),
        row(
            "a new property that must be there",
            closed(one()),
            with(closed(two()), "required", json!(["b"])),
            Both(json!({"b": 1}), json!({})),
            ["property-added /properties/b", "required-added /properties/b"],
        ),
        row(
            "a property's own schema changes",
            closed(json!({"a": {"type": "string", "maxLength": 3}})),
            closed(json!({"a": {"type": "string", "maxLength": 2}})),
            Narrowed(json!({"a": "abc"})),
            ["max-length-lowered /properties/a/maxLength"],
        ),
        row(
            "one property is wider and another narrower",
            closed(json!({"a": {"maximum": 1}, "b": {"maximum": 1}})),
            closed(json!({"a": {"maximum": 2}, "b": {"maximum": 0}})),
            Both(json!({"a": 2}), json!({"b": 1})),
            ["maximum-raised /properties/a/maximum", "maximum-lowered /properties/b/maximum"],
        ),
        row(
            "a property that can never be there changes",
            json!({"type": "object", "properties": {"a": {"allOf": [false, {"minLength": 1}]}}}),
            json!({"type": "object", "properties": {"a": {"allOf": [false, {"minLength": 2}]}}}),
            Same,
            ["min-length-raised /properties/a/allOf/1/minLength"],
        ),
        row(
            "an object is closed",
            open(one()),
            closed(one()),
            Narrowed(json!({"c": 1})),
            ["additional-properties-narrowed /additionalProperties"],
        ),
        row(
            "an object is opened",
            closed(one()),
            with(open(one()), "additionalProperties", json!(true)),
            Widened(json!({"c": 1})),
            ["additional-properties-widened /additionalProperties"],
        ),
        row(
            "other properties are of another kind",
            with(open(json!({})), "additionalProperties", json!(false)),
            with(open(json!({})), "additionalProperties", text()),
            Widened(json!({"c": "x"})),
            ["additional-properties-widened /additionalProperties"],
        ),
        row(
            "the schema of all other properties changes",
            with(open(json!({})), "additionalProperties", json!({"type": "integer"})),
            with(open(json!({})), "additionalProperties", json!({"type": "number"})),
            Widened(json!({"c": 0.5})),
            ["type-widened /additionalProperties/type"],
        ),
        row(
            "open objects that say so are open",
            open(one()),
            with(open(one()), "additionalProperties", json!(true)),
            Same,
            [],
        ),
        row(
            "nothing unevaluated, where nothing else evaluates",
            closed(one()),
            with(open(one()), "unevaluatedProperties", json!(false)),
            Same,
            ["restated "],
        ),
        row(
            "unevaluated properties may be there",
            with(open(one()), "unevaluatedProperties", json!(false)),
            open(one()),
            Widened(json!({"c": 1})),
            ["unevaluated-properties-widened /unevaluatedProperties before"],
        ),
        row(
            "unevaluated properties may not be there",
            open(one()),
            with(open(one()), "unevaluatedProperties", json!(false)),
            Narrowed(json!({"c": 1})),
            ["unevaluated-properties-narrowed /unevaluatedProperties"],
        ),
        row(
            "unevaluated properties are of another kind",
            with(open(json!({})), "unevaluatedProperties", text()),
            with(
                open(json!({})),
                "unevaluatedProperties",
                json!({"type": "string", "minLength": 1}),
            ),
            Narrowed(json!({"c": ""})),
            ["min-length-added /unevaluatedProperties/minLength"],
        ),
    ]
}

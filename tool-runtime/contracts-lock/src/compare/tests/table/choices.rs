//! Changes of alternatives, combinations and conditions.

use serde_json::{Value, json};

use super::Case::{Both, Narrowed, Same, Undecided, Unproven, Widened};
use super::{Row, row};

fn tagged(branches: &[(&str, Value)]) -> Value {
    let branch = |(tag, own): &(&str, Value)| {
        let mut properties = own.clone();
        properties["kind"] = json!({"type": "string", "const": tag});
        json!({"type": "object", "properties": properties, "required": ["kind"]})
    };
    json!({"oneOf": branches.iter().map(branch).collect::<Vec<_>>()})
}

fn closed(mut schema: Value) -> Value {
    schema["unevaluatedProperties"] = false.into();
    schema
}

#[allow(clippy::too_many_lines, reason = "a table")]
pub(super) fn rows() -> Vec<Row> {
    let a = || ("a", json!({"x": {"type": "integer"}}));
    let b = || ("b", json!({"y": {"type": "string"}}));
    let text = || json!({"type": "string"});
    vec![
        row(
            "a variant more",
            tagged(&[a()]),
            tagged(&[b(), a()]),
            Widened(json!({"kind": "b"})),
            ["one-of-branch-added /oneOf/0"],
        ),
        row(
            "a variant less",
            tagged(&[a(), b()]),
            tagged(&[b()]),
            Narrowed(json!({"kind": "a"})),
            ["one-of-branch-removed /oneOf/0 before"],
        ),
        row("variants in another order", tagged(&[a(), b()]), tagged(&[b(), a()]), Same, []),
        row(
            "a property more in a closed variant",
            closed(tagged(&[a(), b()])),
            closed(tagged(&[b(), ("a", json!({"x": {"type": "integer"}, "z": {}}))])),
            Widened(json!({"kind": "a", "z": 1})),
            ["property-added /oneOf/1/properties/z"],
        ),
        row(
            "a property more in an open variant",
            tagged(&[a(), b()]),
            tagged(&[b(), ("a", json!({"x": {"type": "integer"}, "z": {"type": "null"}}))]),
            Narrowed(json!({"kind": "a", "z": 1})),
            ["property-added /oneOf/1/properties/z"],
        ),
        row(
            "a property of a variant changes",
            closed(tagged(&[a(), b()])),
            closed(tagged(&[("a", json!({"x": {"type": "number"}})), b()])),
            Widened(json!({"kind": "a", "x": 0.5})),
            ["type-widened /oneOf/0/properties/x/type"],
        ),
        row(
            "another tag",
            tagged(&[a()]),
            tagged(&[("c", a().1)]),
            Both(json!({"kind": "c"}), json!({"kind": "a"})),
            [
                "enum-value-added /oneOf/0/properties/kind/const",
                "enum-value-removed /oneOf/0/properties/kind/const before",
            ],
        ),
        row(
            "one struct with a list of tags becomes a variant for each",
            json!({"type": "object", "properties": {"kind": {"enum": ["a", "b"]}}, "required": ["kind"]}),
            tagged(&[("a", json!({})), ("b", json!({}))]),
            Same,
            ["restated "],
        ),
        row(
            "exactly one of what excludes each other is any of them",
            tagged(&[a(), b()]),
            json!({"anyOf": tagged(&[a(), b()])["oneOf"]}),
            Same,
            ["restated "],
        ),
        row(
            "a wider branch that meets another",
            json!({"oneOf": [{"type": "integer", "maximum": 0}, {"type": "integer", "minimum": 1}]}),
            json!({"oneOf": [{"type": "integer", "maximum": 1}, {"type": "integer", "minimum": 1}]}),
            Unproven(json!(1)),
            ["maximum-raised /oneOf/0/maximum", "undecided /oneOf"],
        ),
        row(
            "any of them, where one holds the other",
            json!({"type": "number"}),
            json!({"anyOf": [{"type": "integer"}, {"type": "number"}]}),
            Same,
            ["restated "],
        ),
        row(
            "exactly one of them, where one holds the other",
            json!({"type": "number"}),
            json!({"oneOf": [{"type": "integer"}, {"type": "number"}]}),
            Narrowed(json!(1)),
            ["narrowed "],
        ),
        row(
            "an alternative more",
            json!({"anyOf": [{"type": "string"}, {"type": "integer"}]}),
            json!({"anyOf": [{"type": "boolean"}, {"type": "integer"}, {"type": "string"}]}),
            Widened(json!(true)),
            ["any-of-branch-added /anyOf/0"],
        ),
        row(
            "an alternative less",
            json!({"anyOf": [{"type": "boolean"}, {"type": "integer"}, {"type": "string"}]}),
            json!({"anyOf": [{"type": "string"}, {"type": "integer"}]}),
            Narrowed(json!(true)),
            ["any-of-branch-removed /anyOf/0 before"],
        ),
        row(
            "an alternative to what passed",
            json!({"type": "string", "maxLength": 3}),
            json!({"anyOf": [{"type": "string", "maxLength": 3}, {"type": "integer"}]}),
            Widened(json!(1)),
            ["widened "],
        ),
        row(
            "alternatives by type are a list of types",
            json!({"anyOf": [{"type": "string"}, {"type": "integer"}]}),
            json!({"type": ["integer", "string"]}),
            Same,
            ["restated "],
        ),
        row(
            "another rule for all",
            text(),
            json!({"type": "string", "allOf": [{"maxLength": 2}]}),
            Narrowed(json!("abc")),
            ["narrowed "],
        ),
        row(
            "a rule for all more",
            json!({"allOf": [{"type": "string"}]}),
            json!({"allOf": [{"type": "string"}, {"maxLength": 2}]}),
            Narrowed(json!("abc")),
            ["all-of-branch-added /allOf/1"],
        ),
        row(
            "a rule for all less",
            json!({"allOf": [{"type": "string"}, {"maxLength": 2}]}),
            json!({"allOf": [{"type": "string"}]}),
            Widened(json!("abc")),
            ["all-of-branch-removed /allOf/1 before"],
        ),
        row(
            "all of one is the one",
            json!({"type": "string", "minLength": 1}),
            json!({"allOf": [{"type": "string"}], "minLength": 1}),
            Same,
            ["restated "],
        ),
        row(
            "all of two objects that name different properties",
            json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "null"}}}),
            json!({"allOf": [
                {"type": "object", "properties": {"a": {"type": "string"}}},
                {"type": "object", "properties": {"b": {"type": "null"}}},
            ]}),
            Same,
            ["restated "],
        ),
        row(
            "all of two objects of which one is closed",
            json!({"allOf": [{"properties": {"a": {}}}, {"type": "object", "properties": {"b": {}}}]}),
            json!({"allOf": [
                {"properties": {"a": {}}},
                {"type": "object", "properties": {"b": {}}, "additionalProperties": false},
            ]}),
            Narrowed(json!({"a": 1})),
            ["additional-properties-narrowed /allOf/1/additionalProperties"],
        ),
        row(
            "nothing unevaluated, where the parts evaluate",
            json!({"type": "object", "properties": {"a": {}, "b": {}}, "additionalProperties": false}),
            json!({"type": "object", "allOf": [{"properties": {"a": {}}}], "properties": {"b": {}},
                "unevaluatedProperties": false}),
            Same,
            ["restated "],
        ),
        row(
            "a rule about what is refused",
            json!({}),
            json!({"not": {"type": "string"}}),
            Narrowed(json!("a")),
            ["narrowed "],
        ),
        row(
            "more is refused",
            json!({"not": {"type": "string", "maxLength": 1}}),
            json!({"not": {"type": "string", "maxLength": 2}}),
            Narrowed(json!("ab")),
            ["not-widened /not"],
        ),
        row(
            "less is refused",
            json!({"not": {"type": "string", "maxLength": 2}}),
            json!({"not": {"type": "string", "maxLength": 1}}),
            Widened(json!("ab")),
            ["not-narrowed /not"],
        ),
        row(
            "something else is refused",
            json!({"not": {"multipleOf": 2}}),
            json!({"not": {"multipleOf": 3}}),
            Undecided,
            ["undecided /not"],
        ),
        row(
            "something else is refused that another rule refuses anyway",
            json!({"allOf": [{"not": {"type": "integer", "multipleOf": 2}}, {"type": "string"}]}),
            json!({"allOf": [{"not": {"type": "integer", "multipleOf": 3}}, {"type": "string"}]}),
            Same,
            ["part-changed /allOf/0/not"],
        ),
        row(
            "a condition's outcome",
            json!({"if": {"required": ["a"]}, "then": {"required": ["b"]}}),
            json!({"if": {"required": ["a"]}, "then": {"required": ["b", "c"]}}),
            Narrowed(json!({"a": 1, "b": 1})),
            ["condition-changed /then"],
        ),
        row(
            "another condition",
            json!({"if": {"multipleOf": 2}, "then": {"minimum": 5}}),
            json!({"if": {"multipleOf": 3}, "then": {"minimum": 5}}),
            Undecided,
            ["undecided /if"],
        ),
    ]
}

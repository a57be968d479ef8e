//! Changes of whole documents: definitions, recursion, and effects between locations.

use serde_json::{Value, json};

use super::Case::{Narrowed, Same, Undecided, Widened};
use super::{Row, row};

fn list(name: &str, value: Value) -> Value {
    let at = format!("#/$defs/{name}");
    let node = json!({
        "type": "object",
        "properties": {"value": value, "next": {"anyOf": [{"$ref": at}, {"type": "null"}]}},
        "required": ["value"],
        "additionalProperties": false,
    });
    json!({"$ref": at, "$defs": {name: node}})
}

/// A schema with a reference under another base, and the schema that it appears to reference.
fn based(inner: Value) -> Value {
    json!({"$id": "b", "items": {"$ref": "#/$defs/A"}, "$defs": {"A": inner}})
}

fn older(mut schema: Value) -> Value {
    schema["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    schema
}

fn dynamic(mut target: Value) -> Value {
    target["$dynamicAnchor"] = json!("it");
    json!({"items": {"$dynamicRef": "#it"}, "$defs": {"A": target}})
}

#[allow(clippy::too_many_lines, reason = "a table")]
pub(super) fn rows() -> Vec<Row> {
    vec![
        row(
            "a definition has another name",
            list("Node", json!({"type": "string"})),
            list("Link", json!({"type": "string"})),
            Same,
            [],
        ),
        row(
            "a recursive definition is wider",
            list("Node", json!({"type": "integer"})),
            list("Node", json!({"type": "number"})),
            Widened(json!({"value": 1, "next": {"value": 0.5}})),
            ["type-widened /$defs/Node/properties/value/type"],
        ),
        row(
            "a definition that nothing refers to changes",
            json!({"type": "string", "$defs": {"A": {"type": "string"}}}),
            json!({"type": "string", "$defs": {"A": {"type": "integer"}}}),
            Same,
            [],
        ),
        row(
            "a definition is written where it is used",
            json!({"items": {"$ref": "#/$defs/A"}, "$defs": {"A": {"type": "string"}}}),
            json!({"items": {"type": "string"}}),
            Same,
            [],
        ),
        row(
            "a reference with a rule beside it",
            json!({"$ref": "#/$defs/A", "$defs": {"A": {"type": "string"}}}),
            json!({"$ref": "#/$defs/A", "maxLength": 1, "$defs": {"A": {"type": "string"}}}),
            Narrowed(json!("ab")),
            ["max-length-added /maxLength"],
        ),
        row(
            "an optional struct by reference",
            json!({"$ref": "#/$defs/A", "$defs": {"A": {"type": "object"}}}),
            json!({"anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}], "$defs": {"A": {"type": "object"}}}),
            Widened(json!(null)),
            ["null-added "],
        ),
        row(
            "a change that the other branch allows anyway",
            json!({"anyOf": [{"type": "integer", "maximum": 5}, {"type": "integer"}]}),
            json!({"anyOf": [{"type": "integer", "maximum": 2}, {"type": "integer"}]}),
            Same,
            ["maximum-lowered /anyOf/0/maximum"],
        ),
        row(
            "a limit that another one hides",
            json!({"type": "integer", "minimum": 3, "allOf": [{"minimum": 1}]}),
            json!({"type": "integer", "minimum": 3, "allOf": [{"minimum": 2}]}),
            Same,
            ["minimum-raised /allOf/0/minimum"],
        ),
        row(
            "a schema with a base of its own",
            json!({"properties": {"a": {"$id": "a", "type": "string"}}}),
            json!({"properties": {"a": {"$id": "a", "type": ["string", "null"]}}}),
            Undecided,
            ["null-added /properties/a", "undecided "],
        ),
        row(
            "a definition that is looked up under a base of its own",
            json!({"$id": "a", "items": based(json!({"type": "string"}))}),
            json!({"$id": "a", "items": based(json!({"type": "integer"}))}),
            Undecided,
            ["undecided /$id"],
        ),
        row(
            "an anchor that stands for another schema",
            json!({"$ref": "#it", "$defs": {"A": {"$anchor": "it", "type": "string"}}}),
            json!({"$ref": "#it", "$defs": {"A": {"$anchor": "it", "type": "integer"}}}),
            Undecided,
            ["undecided /$ref"],
        ),
        row(
            "a reference to the document by its name",
            json!({"$id": "a", "items": {"$ref": "a#/$defs/A"}, "$defs": {"A": {"type": "string"}}}),
            json!({"$id": "a", "items": {"$ref": "a#/$defs/A"}, "$defs": {"A": {"type": "integer"}}}),
            Undecided,
            ["undecided "],
        ),
        row(
            "a definition that `dependencies` refers to",
            json!({"dependencies": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"minProperties": 1}}}),
            json!({"dependencies": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"minProperties": 2}}}),
            Narrowed(json!({"a": 1})),
            ["undecided "],
        ),
        row(
            "what older dialects ignore beside a reference",
            older(json!({"$ref": "#/definitions/A", "type": "string", "definitions": {"A": {}}})),
            older(json!({"type": "string"})),
            Undecided,
            ["undecided /$ref before"],
        ),
        row(
            "a dynamic reference that comes out elsewhere",
            dynamic(json!({"type": "string"})),
            dynamic(json!({"type": "integer"})),
            Undecided,
            ["undecided "],
        ),
        row(
            "a reference that is resolved at run time",
            json!({"items": {"$dynamicRef": "#node"}}),
            json!({"items": {"$dynamicRef": "#leaf"}}),
            Undecided,
            ["undecided /items/$dynamicRef"],
        ),
    ]
}

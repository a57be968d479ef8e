//! Tools that are demanding for a dialect.

use serde_json::{Value, json};
use tool_runtime::contracts::{Effect, ToolSpec};

/// A tool with everything at once: references, a recursive type, choices with and without tags,
/// tuples, bounds, defaults, formats, and a secret.
///
/// # Panics
/// It is not a valid contract.
#[must_use]
pub fn demanding() -> ToolSpec {
    spec("content.plan_trip", "Plans a trip through what a site offers.", demanding_schema())
}

/// Tools with one difficulty each, and the demanding one.
///
/// # Panics
/// One is not a valid contract.
#[must_use]
#[allow(clippy::too_many_lines, reason = "a list of schemas")]
pub fn all() -> Vec<ToolSpec> {
    vec![
        demanding(),
        spec(
            "labels.set",
            "Sets labels by their names.",
            json!({
                "type": "object",
                "properties": {"labels": {"type": "object", "additionalProperties": {"type": "string", "maxLength": 20}}},
                "required": ["labels"],
                "additionalProperties": false,
            }),
        ),
        spec(
            "labels_set",
            "Is called what another tool would be called.",
            json!({
                "type": "object", "properties": {"any": {}}, "additionalProperties": false,
            }),
        ),
        spec(
            "clock.now",
            "Tells the time.",
            json!({
                "type": "object", "properties": {}, "additionalProperties": false,
            }),
        ),
        spec(
            "odata.list",
            "",
            json!({
                "type": "object",
                "properties": {
                    "$top": {"type": "integer", "minimum": 1},
                    "@type": {"type": "object", "properties": {"$of": {"type": "string"}}, "additionalProperties": false},
                    "name": {"type": "string"},
                },
                "required": ["$top"],
                "additionalProperties": false,
            }),
        ),
        spec(
            "account.find",
            "Finds an account by its number or by its owner.",
            json!({
                "type": "object",
                "properties": {"closed": {"type": "boolean", "default": false}},
                "oneOf": [
                    {"properties": {"by": {"const": "number"}, "number": {"type": "integer"}}, "required": ["by", "number"]},
                    {"properties": {"by": {"const": "owner"}, "owner": {"type": "string"}}, "required": ["by", "owner"]},
                ],
                "unevaluatedProperties": false,
            }),
        ),
        spec(
            "tree.store",
            "Stores a tree of words.",
            json!({
                "type": "object",
                "properties": {"root": {"$ref": "#/$defs/Node"}},
                "required": ["root"],
                "additionalProperties": false,
                "$defs": {"Node": {
                    "type": "object",
                    "properties": {"word": {"type": "string"}, "left": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}], "default": null}, "right": {"$ref": "#/$defs/Node"}},
                    "required": ["word"],
                    "additionalProperties": false,
                }},
            }),
        ),
        spec(
            &"a.very.long.name.".repeat(6),
            "Has a name that is too long for most.",
            json!({
                "type": "object",
                "properties": {"size": {"type": "integer", "exclusiveMinimum": true, "minimum": 0, "nullable": true, "default": null}},
                "additionalProperties": false,
            }),
        ),
        spec(
            "issue.update",
            "Changes what is named; `null` clears it.",
            json!({
                "type": "object",
                "properties": {
                    "number": {"type": "integer"},
                    "state": {"enum": ["open", "closed"]},
                    "assignee": {"type": ["string", "null"]},
                    "milestone": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
                },
                "required": ["number"],
                "additionalProperties": false,
            }),
        ),
        spec(
            "message.send",
            "Sends a message.",
            json!({
                "type": "object",
                "properties": {"it": {"anyOf": [
                    {"type": "object", "properties": {"kind": {"const": "email"}, "cc": {"type": ["string", "null"]}, "priority": {"type": "string", "enum": ["low", "high"]}}, "required": ["kind", "cc"], "additionalProperties": false},
                    {"type": "object", "properties": {"kind": {"const": "sms"}, "cc": {"type": "string"}}, "required": ["kind"], "additionalProperties": false},
                ]}},
                "required": ["it"],
                "additionalProperties": false,
            }),
        ),
        spec(
            "codes.find",
            "Has a pattern that Python does not compile, and one that it does.",
            json!({
                "type": "object",
                "properties": {
                    "code": {"type": "string", "pattern": "^(?<letters>[a-c]{2})-[0-9]$"},
                    "other": {"type": "string", "pattern": "^[a-c]{2}-[0-9]$"},
                },
                "required": ["code"],
                "additionalProperties": false,
            }),
        ),
        spec(
            "rules.check",
            "Uses what few dialects know.",
            json!({
                "type": "object",
                "properties": {
                    "even": {"allOf": [{"type": "integer", "minimum": 2}, {"maximum": 8, "multipleOf": 2}]},
                    "name": {"type": "string", "not": {"const": "root"}},
                    "list": {"type": "array", "items": {"type": "string"}, "contains": {"const": "a"}},
                    "pair": {"type": "array", "items": [{"type": "string"}, {"type": "boolean"}], "additionalItems": false, "minItems": 2},
                    "flag": {"const": true},
                    "cond": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
                             "dependentRequired": {"a": ["b"]}, "additionalProperties": false},
                },
                "required": ["even"],
                "additionalProperties": false,
            }),
        ),
    ]
}

fn spec(name: &str, description: &str, schema: Value) -> ToolSpec {
    ToolSpec::builder(name, Effect::Read)
        .description(description)
        .input_schema(schema)
        .build()
        .expect("each is a contract")
}

fn demanding_schema() -> Value {
    json!({
        "title": "samples::plan_trip",
        "type": "object",
        "properties": {
            "query": {"type": "string", "minLength": 1, "maxLength": 80, "pattern": "^[a-z ]+$", "description": "Words to look for"},
            "limit": {"type": "integer", "format": "uint32", "minimum": 1, "maximum": 50, "default": 10, "description": "Most hits to return."},
            "mode": {"description": "How to travel.", "oneOf": [
                {"const": "slow", "type": "string", "description": "By train."},
                {"const": "fast", "type": "string", "description": "By plane."},
            ]},
            "starts": {"type": ["string", "null"], "format": "date-time"},
            "budget": {"type": "number", "format": "double", "exclusiveMinimum": 0},
            "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": true, "maxItems": 5, "default": []},
            "point": {"type": "array", "prefixItems": [{"type": "number"}, {"type": "number"}, {"type": "string"}], "minItems": 3, "maxItems": 3},
            "filter": {"$ref": "#/$defs/Filter", "description": "What must hold."},
            "traveller": {"$ref": "#/$defs/Person"},
            "guide": {"anyOf": [{"$ref": "#/$defs/Person"}, {"type": "null"}], "default": null},
            "shape": {"oneOf": [
                {"type": "object", "properties": {"Circle": {"type": "number"}}, "required": ["Circle"], "additionalProperties": false},
                {"type": "object", "properties": {"Box": {"type": "object", "properties": {"width": {"type": "number"}, "height": {"type": "number"}}, "required": ["width"], "additionalProperties": false}}, "required": ["Box"], "additionalProperties": false},
                {"type": "string", "enum": ["Point"]},
            ]},
            "payment": {
                "type": "object",
                "properties": {"amount": {"type": "integer", "format": "int64"}},
                "required": ["amount"],
                "oneOf": [
                    {"type": "object", "properties": {"kind": {"type": "string", "const": "card"}, "number": {"type": "string", "x-sensitivity": "secret"}}, "required": ["kind", "number"]},
                    {"type": "object", "properties": {"kind": {"type": "string", "const": "cash"}, "note": {"type": ["string", "null"]}}, "required": ["kind", "note"]},
                ],
                "unevaluatedProperties": false,
            },
        },
        "required": ["query", "filter", "traveller", "starts"],
        "additionalProperties": false,
        "$defs": {
            "Person": {
                "title": "samples::Person",
                "type": "object",
                "properties": {
                    "name": {"type": "string", "x-sensitivity": "pii", "format": "uuid"},
                    "age": {"type": ["integer", "null"], "format": "uint8", "minimum": 0, "maximum": 255, "default": null},
                    "home": {"type": "string", "format": "uri"},
                },
                "required": ["name"],
                "additionalProperties": false,
            },
            "Filter": {"oneOf": [
                {"type": "object", "properties": {"op": {"type": "string", "const": "all"}, "of": {"type": "array", "items": {"$ref": "#/$defs/Filter"}}}, "required": ["op", "of"], "additionalProperties": false},
                {"type": "object", "properties": {"op": {"type": "string", "const": "not"}, "one": {"$ref": "#/$defs/Filter"}}, "required": ["op", "one"], "additionalProperties": false},
                {"type": "object", "properties": {"op": {"type": "string", "const": "is"}, "field": {"type": "string"}, "value": {"type": ["string", "number", "boolean"]}, "strictly": {"type": "boolean"}}, "required": ["op", "field", "value"], "additionalProperties": false},
            ]},
        },
    })
}

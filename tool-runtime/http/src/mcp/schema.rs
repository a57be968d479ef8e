//! The schemas of tools as clients accept them: without formats that their validators do not know, and
//! with an object at the root where a revision needs one.

use serde_json::{Map, Value, json};
use tool_runtime_schema::json::normalized_object;
use tool_runtime_schema::schema::subschemas::{
    SchemaKeyword, SchemaRole, for_each_schema_mut, for_each_subschema_mut, has_schema,
};
use tool_runtime_schema::schema::validator::number::IntegerWidth;

use crate::openapi::numbers;

/// The member of a wrapped output.
pub(super) const RESULT: &str = "result";

/// The one extension keyword that the protocol reads.
const HEADER_KEYWORD: &str = "x-mcp-header";

/// The keywords whose `false` says that there is nothing further: clients read it as a boolean, and
/// some write it themselves.
const CLOSING: [&str; 4] =
    ["additionalProperties", "unevaluatedProperties", "additionalItems", "unevaluatedItems"];

/// Returns a schema with bounds in place of the formats of numbers, without keywords of this library,
/// without values of secrets, and with objects for the schemas `true` and `false`.
///
/// `is_open` leaves out whether objects have further properties, which they then may.
pub(super) fn for_clients(schema: &Map<String, Value>, is_open: bool) -> Map<String, Value> {
    // Bounds under a negation would admit more.
    let takes_bounds = numbers::can_be_narrowed(schema);
    let mut cleaned = Value::Object(schema.clone());
    for_each_schema_mut(&mut cleaned, &mut |keywords| {
        if keywords.get("x-sensitivity").is_some_and(|it| it == "secret") {
            keywords.retain(|keyword, _| !["default", "example", "examples"].contains(&&**keyword));
        }
        keywords.retain(|keyword, value| match &**keyword {
            // The path of a type of the host's program.
            "title" => !value.as_str().is_some_and(|title| title.contains("::")),
            keyword => !keyword.starts_with("x-") || keyword == HEADER_KEYWORD,
        });
        replace_width(keywords, takes_bounds);
        for_each_subschema_mut(keywords, &mut |step, inner| {
            if !CLOSING.contains(&step.keyword.name) {
                write_as_object(inner);
            }
        });
        if is_open {
            keywords.retain(|keyword, value| {
                !value.is_boolean()
                    || !["additionalProperties", "unevaluatedProperties"].contains(&&**keyword)
            });
        }
    });
    match cleaned {
        Value::Object(cleaned) => normalized_object(cleaned),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            schema.clone()
        }
    }
}

/// Writes the schema of any value, or of none, as an object: the protocol has no other schemas, and
/// clients refuse a whole list for one of them.
fn write_as_object(schema: &mut Value) {
    match schema {
        Value::Bool(true) => *schema = json!({}),
        Value::Bool(false) => *schema = json!({ "not": {} }),
        Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {}
    }
}

/// Replaces the format of a number, which validators of clients do not know, by its bounds.
fn replace_width(keywords: &mut Map<String, Value>, takes_bounds: bool) {
    let Some(format) = keywords.get("format").and_then(Value::as_str) else { return };
    let width = IntegerWidth::named(format);
    if width.is_none() && !matches!(format, "float" | "double") {
        return;
    }
    if let Some(width) = width.filter(|_| takes_bounds) {
        numbers::bound(keywords, width);
    }
    keywords.remove("format");
}

/// Returns whether a property of a schema is repeated in a header.
pub(super) fn names_headers(schema: &Map<String, Value>) -> bool {
    has_schema(schema, |keywords| keywords.contains_key(HEADER_KEYWORD))
}

/// Returns whether every value of a schema is an object, as revisions before 2026-07-28 require of
/// outputs.
pub(super) fn is_object(schema: &Map<String, Value>) -> bool {
    schema.get("type").is_some_and(|kind| kind == "object")
}

/// Returns the schema of an object whose only member has this schema.
pub(super) fn wrapped(schema: &Map<String, Value>) -> Map<String, Value> {
    let mut inner = Value::Object(schema.clone());
    for_each_schema_mut(&mut inner, &mut redirect);
    let mut outer = Map::new();
    let definitions = SchemaKeyword::with_role(SchemaRole::Definition);
    for keyword in definitions.map(|keyword| keyword.name).chain(["$schema"]) {
        if let Some(value) = inner.as_object_mut().and_then(|inner| inner.remove(keyword)) {
            outer.insert(keyword.to_owned(), value);
        }
    }
    outer.insert("type".to_owned(), "object".into());
    outer.insert("properties".to_owned(), json!({ RESULT: inner }));
    outer.insert("required".to_owned(), json!([RESULT]));
    normalized_object(outer)
}

/// Points a reference to the root, or into it, at the member that has replaced it. Definitions stay
/// at the root.
fn redirect(keywords: &mut Map<String, Value>) {
    let Some(Value::String(target)) = keywords.get_mut("$ref") else { return };
    let Some(pointer) = target.strip_prefix('#') else { return };
    let is_below_root = pointer.strip_prefix('/').is_some_and(|steps| {
        !steps.split_once('/').is_some_and(|(word, _)| SchemaKeyword::holds_definitions(word))
    });
    if pointer.is_empty() || is_below_root {
        *target = format!("#/properties/{RESULT}{pointer}");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{for_clients, is_object, wrapped};

    fn cleaned(schema: &Value) -> Value {
        for_clients(schema.as_object().expect("it is an object"), false).into()
    }

    #[test]
    fn a_boolean_schema_is_an_object_wherever_it_stands() {
        let schema = json!({
            "type": "object",
            "properties": {
                "a": true,
                "b": {"items": true, "prefixItems": [true, false], "contains": false},
                "c": {"properties": {"d": {"anyOf": [true, {"not": false}]}}},
                "e": {"const": true, "default": false, "enum": [true]},
            },
            "patternProperties": {"^x": true},
            "dependentSchemas": {"a": true},
            "dependencies": {"a": ["b"]},
            "if": true, "then": true, "else": false,
            "propertyNames": true,
            "additionalProperties": false,
            "unevaluatedProperties": false,
            "$defs": {"Any": true, "Open": {"additionalProperties": true}},
        });
        let nothing = json!({"not": {}});
        assert_eq!(
            cleaned(&schema),
            json!({
                "type": "object",
                "properties": {
                    "a": {},
                    "b": {"items": {}, "prefixItems": [{}, nothing], "contains": nothing},
                    "c": {"properties": {"d": {"anyOf": [{}, {"not": nothing}]}}},
                    "e": {"const": true, "default": false, "enum": [true]},
                },
                "patternProperties": {"^x": {}},
                "dependentSchemas": {"a": {}},
                "dependencies": {"a": ["b"]},
                "if": {}, "then": {}, "else": nothing,
                "propertyNames": {},
                "additionalProperties": false,
                "unevaluatedProperties": false,
                "$defs": {"Any": {}, "Open": {"additionalProperties": true}},
            }),
        );
    }

    #[test]
    fn an_open_schema_does_not_say_that_there_are_no_further_properties() {
        let schema = json!({
            "type": "object",
            "properties": {
                "a": {"type": "object", "additionalProperties": false},
                "b": {"type": "object", "additionalProperties": {"type": "string"}},
                "c": {"type": "object", "additionalProperties": true},
                "additionalProperties": {"enum": [false]},
            },
            "additionalProperties": false,
            "default": {"additionalProperties": false},
            "$defs": {"C": {"allOf": [{"$ref": "#"}], "unevaluatedProperties": false}},
        });
        assert_eq!(
            Value::from(for_clients(schema.as_object().expect("it is an object"), true)),
            json!({
                "type": "object",
                "properties": {
                    "a": {"type": "object"},
                    "b": {"type": "object", "additionalProperties": {"type": "string"}},
                    "c": {"type": "object"},
                    "additionalProperties": {"enum": [false]},
                },
                "default": {"additionalProperties": false},
                "$defs": {"C": {"allOf": [{"$ref": "#"}]}},
            }),
        );
    }

    #[test]
    fn widths_of_numbers_extensions_and_values_of_secrets_are_left_out() {
        let schema = json!({
            "type": "object",
            "properties": {
                "format": {"type": "integer", "format": "uint32", "minimum": 0, "maximum": 9},
                "size": {"type": "integer", "format": "uint", "title": "shop::Size"},
                "at": {"type": "string", "format": "date-time", "x-pii": true},
                "key": {"type": "string", "x-sensitivity": "secret", "default": "k", "examples": ["e"]},
                "region": {"type": "string", "x-mcp-header": "Region", "enum": ["uint8"]},
            },
            "$defs": {"x-row": {"items": [{"type": "number", "format": "double"}]}},
            "default": {"format": "uint32"},
        });
        assert_eq!(
            cleaned(&schema),
            json!({
                "type": "object",
                "properties": {
                    "format": {"type": "integer", "minimum": 0, "maximum": 9},
                    "size": {"type": "integer", "minimum": 0, "maximum": u64::MAX},
                    "at": {"type": "string", "format": "date-time"},
                    "key": {"type": "string"},
                    "region": {"type": "string", "x-mcp-header": "Region", "enum": ["uint8"]},
                },
                "$defs": {"x-row": {"items": [{"type": "number"}]}},
                "default": {"format": "uint32"},
            }),
        );
    }

    #[test]
    fn a_wrapped_schema_admits_what_the_schema_admits_as_its_member() {
        let schema = json!({
            "type": "array",
            "prefixItems": [{"$ref": "#/items"}],
            "items": {"anyOf": [{"$ref": "#/$defs/Row"}, {"$ref": "#"}]},
            "$defs": {"Row": {"type": "object", "properties": {"rows": {"$ref": "#"}}}},
        });
        let schema = schema.as_object().expect("it is an object");
        let outer = Value::from(wrapped(schema));
        let validator = jsonschema::validator_for(&outer).expect("it is a schema");
        assert!(validator.is_valid(&json!({"result": [{"rows": [[]]}, []]})));
        assert!(!validator.is_valid(&json!({"result": [{"rows": 1}]})));
        assert!(!validator.is_valid(&json!({"result": [1]})));
        assert!(!validator.is_valid(&json!([])));
        assert!(is_object(outer.as_object().expect("it is an object")) && !is_object(schema));
    }

    #[test]
    fn a_value_that_looks_like_a_reference_is_the_same_in_a_wrapped_schema() {
        let schema = json!({"const": {"$ref": "#"}, "default": {"$ref": "#/items"}});
        let outer = wrapped(schema.as_object().expect("it is an object"));
        assert_eq!(outer["properties"]["result"], schema);
    }

    #[test]
    fn a_value_of_a_secret_inside_an_encoded_text_is_left_out() {
        let secret = json!({"x-sensitivity": "secret", "default": "k"});
        let schema = json!({"type": "string", "contentSchema": {"properties": {"key": secret}}});
        let expected = json!({"type": "string", "contentSchema": {"properties": {"key": {}}}});
        assert_eq!(cleaned(&schema), expected);
    }
}

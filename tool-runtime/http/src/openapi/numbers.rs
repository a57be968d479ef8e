//! Adds the bounds of integers to the schemas of requests.
//!
//! A tool refuses a number whose digits it would lose. Its own schema states that only by `format`, and
//! validators may ignore it. In this document every integer has bounds, and a value of any JSON
//! refers to a schema of its own.

use serde_json::{Map, Value, json};
use tool_runtime_schema::schema::subschemas::{
    SchemaKeyword, SchemaRole, for_each_schema_mut, for_each_subschema_mut, has_schema,
};
use tool_runtime_schema::schema::validator::number::IntegerWidth;

use super::reference::schema_ref;

/// The name of the schema of any JSON; clients in TypeScript have a `Json` already.
pub(super) const JSON: &str = "JsonValue";

/// Keywords that do not restrict the members of an object or the items of an array.
const NEUTRAL: [&str; 11] = [
    "type",
    "title",
    "description",
    "default",
    "examples",
    "minProperties",
    "maxProperties",
    "minItems",
    "maxItems",
    "uniqueItems",
    "x-sensitivity",
];

/// Returns the schema of any JSON with integers of 64 bits.
pub(super) fn any() -> Value {
    let mut any = json!({
        "title": "Any JSON",
        "description": "Any JSON value. An integer beyond 64 bits is refused and not rounded; so is \
                        a number with more digits than a 64-bit float holds. What is written with a \
                        fraction or an exponent may be larger.",
        "type": ["null", "boolean", "number", "string", "array", "object"],
        "items": schema_ref(JSON),
        "additionalProperties": schema_ref(JSON),
    });
    if let Some(keywords) = any.as_object_mut() {
        bound(keywords, IntegerWidth::WIDEST);
    }
    any
}

/// Returns whether a schema can be narrowed in one part without admitting more in another.
pub(crate) fn can_be_narrowed(schema: &Map<String, Value>) -> bool {
    // A sibling evaluates properties only if it succeeds.
    let is_sensitive =
        |keyword: &SchemaKeyword| keyword.is_condition() || keyword.name.starts_with("unevaluated");
    !has_schema(schema, |keywords| {
        keywords.keys().filter_map(|name| SchemaKeyword::named(name)).any(is_sensitive)
    })
}

/// Adds bounds to integers without them; returns whether the schema now refers to [`any`].
pub(super) fn narrow(schema: &mut Value) -> bool {
    let mut is_open = false;
    for_each_schema_mut(schema, &mut |keywords| {
        narrow_integer(keywords);
        is_open |= narrow_parts(keywords);
    });
    is_open
}

fn narrow_integer(keywords: &mut Map<String, Value>) {
    let is_listed = keywords.contains_key("enum") || keywords.contains_key("const");
    if !is_listed && admits(keywords, "integer") && !admits(keywords, "number") {
        let format = keywords.get("format").and_then(Value::as_str);
        bound(keywords, format.and_then(IntegerWidth::named).unwrap_or(IntegerWidth::WIDEST));
    }
}

/// Bounds a number by a type's range, unless it has closer bounds.
pub(crate) fn bound(keywords: &mut Map<String, Value>, width: IntegerWidth) {
    let said = |keyword| keywords.get(keyword).and_then(whole);
    let min = said("minimum").is_none_or(|said| said < width.min()).then(|| width.min());
    let max = i128::try_from(width.max()).unwrap_or(i128::MAX);
    let max = said("maximum").is_none_or(|said| said > max).then_some(max);
    // Bounds beyond 64 bits are left out: JSON parsers would round them.
    if let Some(min) = min.and_then(|min| i64::try_from(min).ok()) {
        keywords.insert("minimum".to_owned(), min.into());
    }
    if let Some(max) = max.and_then(|max| u64::try_from(max).ok()) {
        keywords.insert("maximum".to_owned(), max.into());
    }
}

/// Reads a bound, without its fraction.
fn whole(bound: &Value) -> Option<i128> {
    let digits = || bound.as_i64().map(i128::from).or_else(|| bound.as_u64().map(i128::from));
    #[expect(clippy::cast_possible_truncation, reason = "a bound without its fraction is as close")]
    let float = || bound.as_f64().map(|bound| bound as i128);
    digits().or_else(float)
}

/// Makes unrestricted parts of an array or object refer to [`any`].
fn narrow_parts(keywords: &mut Map<String, Value>) -> bool {
    let is_anything = keywords.keys().all(|keyword| NEUTRAL.contains(&keyword.as_str()));
    for (kind, parts) in [("object", "additionalProperties"), ("array", "items")] {
        if is_anything && keywords.contains_key("type") && admits(keywords, kind) {
            keywords.insert(parts.to_owned(), Value::Bool(true));
        }
    }
    let mut is_open = false;
    for_each_subschema_mut(keywords, &mut |step, part| {
        if matches!(step.keyword.role, SchemaRole::Property | SchemaRole::Item) {
            is_open |= narrow_part(part);
        }
    });
    is_open
}

fn narrow_part(part: &mut Value) -> bool {
    match part {
        Value::Bool(true) => *part = schema_ref(JSON),
        Value::Object(keywords) if admits_any_value(keywords) => {
            keywords.extend(schema_ref(JSON).as_object().cloned().unwrap_or_default());
        }
        _ => return false,
    }
    true
}

/// Returns whether a schema admits any value.
fn admits_any_value(keywords: &Map<String, Value>) -> bool {
    let is_neutral = |keyword: &String| keyword != "type" && NEUTRAL.contains(&keyword.as_str());
    keywords.keys().all(is_neutral)
}

fn admits(keywords: &Map<String, Value>, kind: &str) -> bool {
    match keywords.get("type") {
        Some(Value::String(only)) => only == kind,
        Some(Value::Array(kinds)) => kinds.iter().any(|it| it == kind),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(mut schema: Value, expected: &Value, is_open: bool) {
        assert_eq!((narrow(&mut schema), &schema), (is_open, expected));
    }

    #[test]
    fn integers_have_the_bounds_of_their_type() {
        check(
            json!({"properties": {
                "wide": {"type": "integer"},
                "id": {"type": ["integer", "null"], "format": "int64", "minimum": 1},
                "count": {"type": "integer", "format": "uint32", "minimum": 0, "maximum": 1e30},
                "few": {"type": "integer", "format": "uint8", "minimum": 1, "maximum": 5.5},
                "huge": {"type": "integer", "format": "uint128"},
                "one": {"type": "integer", "const": 1},
                "any": {"type": ["integer", "number"]},
            }}),
            &json!({"properties": {
                "wide": {"type": "integer", "minimum": i64::MIN, "maximum": u64::MAX},
                "id": {
                    "type": ["integer", "null"], "format": "int64", "minimum": 1, "maximum": i64::MAX,
                },
                "count": {"type": "integer", "format": "uint32", "minimum": 0, "maximum": u32::MAX},
                "few": {"type": "integer", "format": "uint8", "minimum": 1, "maximum": 5.5},
                "huge": {"type": "integer", "format": "uint128", "minimum": 0},
                "one": {"type": "integer", "const": 1},
                "any": {"type": ["integer", "number"]},
            }}),
            false,
        );
    }

    #[test]
    fn a_schema_that_admits_anything_has_a_name() {
        check(
            json!({
                "properties": {
                    "any": true,
                    "told": {"description": "Whatever it is.", "default": null},
                    "map": {"type": "object"},
                    "list": {"type": ["array", "null"], "maxItems": 3},
                    "closed": {"type": "object", "additionalProperties": false},
                    "named": {"type": "object", "properties": {"a": {"type": "string"}}},
                },
                "additionalProperties": true,
            }),
            &json!({
                "properties": {
                    "any": schema_ref(JSON),
                    "told": {
                        "description": "Whatever it is.", "default": null,
                        "$ref": "#/components/schemas/JsonValue",
                    },
                    "map": {"type": "object", "additionalProperties": schema_ref(JSON)},
                    "list": {"type": ["array", "null"], "maxItems": 3, "items": schema_ref(JSON)},
                    "closed": {"type": "object", "additionalProperties": false},
                    "named": {"type": "object", "properties": {"a": {"type": "string"}}},
                },
                "additionalProperties": schema_ref(JSON),
            }),
            true,
        );
    }

    #[test]
    fn items_by_position_that_may_be_anything_have_a_name() {
        check(
            json!({"prefixItems": [{"type": "integer"}, true], "items": false}),
            &json!({
                "prefixItems": [
                    {"type": "integer", "minimum": i64::MIN, "maximum": u64::MAX},
                    schema_ref(JSON),
                ],
                "items": false,
            }),
            true,
        );
        check(
            json!({"items": [{}], "additionalItems": true}),
            &json!({"items": [schema_ref(JSON)], "additionalItems": schema_ref(JSON)}),
            true,
        );
    }

    #[test]
    fn a_schema_with_a_context_sensitive_keyword_is_not_narrowed() {
        let said = |schema: Value| can_be_narrowed(schema.as_object().expect("it is an object"));
        assert!(said(json!({"$defs": {"not": {"type": "integer"}}})));
        for keyword in ["not", "if", "contains", "unevaluatedProperties", "unevaluatedItems"] {
            assert!(
                !said(json!({"properties": {"a": {keyword: {"type": "integer"}}}})),
                "{keyword}"
            );
        }
    }
}

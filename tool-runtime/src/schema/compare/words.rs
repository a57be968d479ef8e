//! Keywords: which assert something, and which only tell.

use serde_json::Value;

use super::part::Part;

/// Keywords that say something to a reader and nothing of an instance, with their rules.
pub(super) const TELLING: [(&str, &str); 9] = [
    ("title", "title-changed"),
    ("description", "description-changed"),
    ("examples", "examples-changed"),
    ("example", "examples-changed"),
    ("$comment", "comment-changed"),
    ("deprecated", "deprecated-changed"),
    ("readOnly", "read-only-changed"),
    ("writeOnly", "write-only-changed"),
    ("externalDocs", "annotation-changed"),
];

/// Keywords without any effect on instances that no reader of a tool looks at either.
const SILENT: [&str; 10] = [
    "$schema",
    "$id",
    "$anchor",
    "$vocabulary",
    "$defs",
    "definitions",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "discriminator",
];

/// Keywords whose effect is known here.
const KNOWN: [&str; 42] = [
    "$ref",
    "type",
    "nullable",
    "enum",
    "const",
    "format",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "items",
    "prefixItems",
    "additionalItems",
    "minItems",
    "maxItems",
    "uniqueItems",
    "contains",
    "minContains",
    "maxContains",
    "properties",
    "patternProperties",
    "additionalProperties",
    "unevaluatedProperties",
    "unevaluatedItems",
    "propertyNames",
    "required",
    "minProperties",
    "maxProperties",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
];

/// Formats that somebody parses by: a text that has none of them is refused sooner or later, even
/// where the schema alone does not.
const PARSED: [&str; 25] = [
    "date-time",
    "partial-date-time",
    "zoned-date-time",
    "date",
    "time",
    "partial-time",
    "duration",
    "email",
    "idn-email",
    "hostname",
    "idn-hostname",
    "ip",
    "ipv4",
    "ipv6",
    "uri",
    "uri-reference",
    "iri",
    "iri-reference",
    "uri-template",
    "uuid",
    "json-pointer",
    "relative-json-pointer",
    "regex",
    "byte",
    "binary",
];

/// Keywords whose meaning depends on more than the schema they stand in.
const DYNAMIC: [&str; 4] = ["$dynamicRef", "$recursiveRef", "$dynamicAnchor", "$recursiveAnchor"];

/// Can an instance fail because of the keyword?
pub(super) fn asserts(keyword: &str) -> bool {
    let tells = TELLING.iter().any(|(word, _)| *word == keyword) || keyword.starts_with("x-");
    !(tells || keyword == "default" || SILENT.contains(&keyword))
}

/// Is the keyword one whose effect nobody here knows?
pub(super) fn is_foreign(keyword: &str) -> bool {
    asserts(keyword) && !KNOWN.contains(&keyword)
}

pub(super) fn is_parsed(format: &str) -> bool {
    PARSED.contains(&format)
}

/// The dialect that a document says it is written in.
pub(super) fn dialect(root: &Value) -> &str {
    const CURRENT: &str = "https://json-schema.org/draft/2020-12/schema";
    let named = root.get("$schema").and_then(Value::as_str).unwrap_or(CURRENT);
    named.trim_end_matches('#')
}

/// May what stands beside the schema's `$ref` be ignored? Up to draft 7 it is, and readers that
/// know later drafts only keep it.
pub(super) fn may_ignore(part: Part<'_>) -> bool {
    const OLDER: &str = "json-schema.org/draft-0";
    dialect(part.root).contains(OLDER) && !part.is_alone("$ref")
}

/// The first thing in a document that makes it mean more than its text: a base URI of a part, or
/// a reference that is resolved at run time.
pub(super) fn entangled(root: &Value) -> Option<&'static str> {
    let inner = |value: &Value| match value {
        Value::Object(map) => map.values().find_map(below),
        Value::Array(list) => list.iter().find_map(below),
        _ => None,
    };
    let dynamic = root.as_object().and_then(dynamic_in);
    dynamic.or_else(|| inner(root))
}

fn below(value: &Value) -> Option<&'static str> {
    match value {
        Value::Object(map) => {
            let based = map.get("$id").filter(|id| id.is_string()).map(|_| "$id");
            based.or_else(|| dynamic_in(map)).or_else(|| map.values().find_map(below))
        }
        Value::Array(list) => list.iter().find_map(below),
        _ => None,
    }
}

fn dynamic_in(map: &serde_json::Map<String, Value>) -> Option<&'static str> {
    DYNAMIC.into_iter().find(|word| map.get(*word).is_some_and(|value| !value.is_object()))
}

//! Classifies keywords as assertions or annotations.

use serde_json::Value;
use tool_runtime_schema::schema::subschemas::SchemaKeyword;

use super::subschema::Subschema;

/// Annotations that readers of a tool use, with their rules.
pub(super) const ANNOTATIONS: [(&str, &str); 9] = [
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

/// Annotations that no reader of a tool uses.
const UNUSED_ANNOTATIONS: [&str; 7] = [
    "$schema",
    "$id",
    "$anchor",
    "$vocabulary",
    "contentEncoding",
    "contentMediaType",
    "discriminator",
];

/// Keywords that the comparison understands, besides those that hold schemas.
const UNDERSTOOD: [&str; 23] = [
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
    "minItems",
    "maxItems",
    "uniqueItems",
    "minContains",
    "maxContains",
    "required",
    "minProperties",
    "maxProperties",
    "dependentRequired",
];

/// Formats by which values are parsed: a string in another format fails sooner or later, even if
/// the schema alone accepts it.
pub(super) const PARSED_FORMATS: [&str; 25] = [
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

/// Keywords whose meaning depends on other schemas.
const DYNAMIC_KEYWORDS: [&str; 4] =
    ["$dynamicRef", "$recursiveRef", "$dynamicAnchor", "$recursiveAnchor"];

/// Returns whether the keyword can make an instance invalid.
pub(super) fn asserts(keyword: &str) -> bool {
    let tells = ANNOTATIONS.iter().any(|(word, _)| *word == keyword) || keyword.starts_with("x-");
    let is_unused = UNUSED_ANNOTATIONS.contains(&keyword) || SchemaKeyword::is_annotation(keyword);
    !(tells || is_unused || keyword == "default")
}

/// Returns whether the comparison does not understand the keyword.
pub(super) fn is_unknown(keyword: &str) -> bool {
    asserts(keyword) && SchemaKeyword::named(keyword).is_none() && !UNDERSTOOD.contains(&keyword)
}

pub(super) fn is_parsed_format(format: &str) -> bool {
    PARSED_FORMATS.contains(&format)
}

/// The dialect of a document.
pub(super) fn dialect(root: &Value) -> &str {
    const CURRENT: &str = "https://json-schema.org/draft/2020-12/schema";
    let schema_uri = root.get("$schema").and_then(Value::as_str).unwrap_or(CURRENT);
    schema_uri.trim_end_matches('#')
}

/// Returns whether keywords next to the schema's `$ref` may be ignored. Up to draft 7 they are,
/// though readers that support only later drafts apply them.
pub(super) fn may_ignore_siblings(subschema: Subschema<'_>) -> bool {
    const OLDER: &str = "json-schema.org/draft-0";
    dialect(subschema.root).contains(OLDER) && !subschema.is_only_assertion("$ref")
}

/// The first keyword that makes the meaning depend on more than the document's text: a base URI of
/// a part, or a reference that is resolved at run time.
pub(super) fn dynamic_keyword(root: &Value) -> Option<&'static str> {
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
    DYNAMIC_KEYWORDS.into_iter().find(|word| map.get(*word).is_some_and(|value| !value.is_object()))
}

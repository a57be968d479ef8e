//! Finds rules of a schema that no value, or no closed object, can follow.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::{Map, Value};

use super::SchemaKind;
use super::close::{PartsOfValue, in_place};
use super::reference::{escaped, pointer};

/// Describes a rule of a tool's schema that is probably a mistake, and does not fail the build.
///
/// - `required`, and other rules by names: a rule requires or depends on a property that the schema
///   does not list. The object accepts unknown properties, since it would accept no value otherwise.
/// - `minProperties`: as above, since the schema lists fewer properties than it requires.
/// - `enum` and `const`: a listed value is not of the schema's own `type`, so it is always rejected.
/// - `$ref`: the schema has so many parts that its objects accept unknown properties.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_runtime::prelude::*;
///
/// let find = DynamicTool::new("find", Effect::Read)
///     .description("Finds.")
///     .input_schema(json!({
///         "type": "object",
///         "properties": {"limit": {"type": "integer", "enum": ["10", "20"]}},
///         "required": ["query"],
///     }))
///     .handler(|_| async { Ok::<_, Failure>(()) });
/// let runtime = Runtime::builder().dynamic(find).build()?;
/// let findings: Vec<_> = runtime
///     .tools()
///     .schema_findings()
///     .map(|(tool, finding)| format!("{tool}: {finding}"))
///     .collect();
/// assert_eq!(findings, [
///     "find: input `/properties/limit/enum`: 2 of 2 values are not of the type integer",
///     "find: input ``: requires or depends on properties that are not listed: `query`; \
///      the object accepts unknown properties",
/// ]);
/// # Ok::<(), tool_runtime::BuildError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaFinding {
    schema_kind: SchemaKind,
    pointer: String,
    rule: &'static str,
    description: String,
}

impl SchemaFinding {
    /// Returns the schema that contains the rule.
    #[must_use]
    pub const fn schema_kind(&self) -> SchemaKind {
        self.schema_kind
    }

    /// Returns the location in the schema, as a JSON Pointer (RFC 6901).
    #[must_use]
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// Returns the keyword of the rule.
    #[must_use]
    pub const fn rule(&self) -> &'static str {
        self.rule
    }

    /// Describes the problem, with names of properties and without values.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }
}

impl fmt::Display for SchemaFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { schema_kind, pointer, description, .. } = self;
        write!(f, "{schema_kind} `{pointer}`: {description}")
    }
}

/// Most findings of one schema; further ones are left out.
const MAX_FINDINGS: usize = 256;
/// Most names that one finding lists.
const MAX_NAMES: usize = 8;
/// Deepest nesting of a schema that is searched.
const MAX_DEPTH: usize = 128;

/// Finds the rules of a schema that exclude all values, as it was before it was closed.
pub(crate) fn schema_findings(
    schema: &Value,
    schema_kind: SchemaKind,
    closing: Option<IsClosed>,
) -> Vec<SchemaFinding> {
    let mut search = FindingSearch {
        document: schema,
        schema_kind,
        findings: Vec::new(),
        seen: BTreeSet::new(),
    };
    search.values(schema, "", 0);
    match closing {
        Some(IsClosed::Yes) => search.value_root(schema, "", 0),
        Some(IsClosed::TooLarge) => {
            let text = "too many parts to close it; all of its objects accept unknown properties";
            search.add("", "$ref", text.to_owned());
        }
        None => {}
    }
    search.findings
}

/// The result of closing a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IsClosed {
    Yes,
    /// It has too many parts, so it stays as it was written.
    TooLarge,
}

struct FindingSearch<'s> {
    document: &'s Value,
    schema_kind: SchemaKind,
    findings: Vec<SchemaFinding>,
    /// The targets of references that were searched.
    seen: BTreeSet<String>,
}

impl<'s> FindingSearch<'s> {
    fn add(&mut self, pointer: &str, rule: &'static str, description: String) {
        if self.findings.len() < MAX_FINDINGS {
            let (schema_kind, pointer) = (self.schema_kind, pointer.to_owned());
            self.findings.push(SchemaFinding { schema_kind, pointer, rule, description });
        }
    }

    /// Searches every subschema for listed values of another type.
    fn values(&mut self, schema: &Value, at: &str, depth: usize) {
        let Value::Object(keywords) = schema else { return };
        if depth == MAX_DEPTH {
            return;
        }
        self.listed_values(keywords, at);
        for (pointer, nested) in subschemas(keywords, at) {
            self.values(nested, &pointer, depth + 1);
        }
    }

    fn listed_values(&mut self, keywords: &Map<String, Value>, at: &str) {
        let names: Vec<&str> = match keywords.get("type") {
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            Some(_) | None => return,
        };
        let nullable = keywords.get("nullable") == Some(&Value::Bool(true));
        let fits = |value: &Value| {
            (value.is_null() && nullable) || names.iter().any(|name| is_of_type(value, name))
        };
        if let Some(Value::Array(listed)) = keywords.get("enum") {
            let unfit = listed.iter().filter(|value| !fits(value)).count();
            if unfit > 0 {
                let (count, types) = (listed.len(), names.join(" or "));
                let text = format!("{unfit} of {count} values are not of the type {types}");
                self.add(&format!("{at}/enum"), "enum", text);
            }
        }
        if keywords.get("const").is_some_and(|value| !fits(value)) {
            let text = format!("the value is not of the type {}", names.join(" or "));
            self.add(&format!("{at}/const"), "const", text);
        }
    }

    /// Searches a schema, to whose value no other schema applies, for names that it does not list.
    fn value_root(&mut self, schema: &'s Value, at: &str, depth: usize) {
        let Value::Object(keywords) = schema else { return };
        if depth == MAX_DEPTH {
            return;
        }
        let parts = PartsOfValue::new(self.document, keywords);
        if at.is_empty() || parts.declares_properties() {
            self.names(&parts, at);
        }
        self.nested_roots(schema, at, depth);
    }

    fn names(&mut self, parts: &PartsOfValue<'s>, at: &str) {
        let unlisted = parts.unlisted();
        let open = "the object accepts unknown properties";
        if let Some(least) = parts.missing_properties() {
            let text = format!("requires {least} properties, and lists fewer; {open}");
            self.add(at, "minProperties", text);
        }
        if unlisted.is_empty() {
            return;
        }
        let mut names: Vec<_> =
            unlisted.iter().take(MAX_NAMES).map(|it| format!("`{it}`")).collect();
        if unlisted.len() > MAX_NAMES {
            names.push(format!("{} more", unlisted.len() - MAX_NAMES));
        }
        let names = names.join(", ");
        let text =
            format!("requires or depends on properties that are not listed: {names}; {open}");
        self.add(at, "required", text);
    }

    /// Searches the properties and items of a value, in all parts of its schema.
    fn nested_roots(&mut self, schema: &'s Value, at: &str, depth: usize) {
        let Value::Object(keywords) = schema else { return };
        if depth == MAX_DEPTH {
            return;
        }
        for part in in_place(keywords) {
            match (part.keyword, part.name) {
                ("$ref", _) => self.target(part.schema, depth),
                (word @ ("allOf" | "anyOf" | "oneOf"), _) => {
                    self.nested_roots(
                        part.schema,
                        &format!("{at}/{word}/{}", part.index),
                        depth + 1,
                    );
                }
                (word, Some(name)) => {
                    let place = format!("{at}/{word}/{}", escaped(name));
                    self.nested_roots(part.schema, &place, depth + 1);
                }
                // A condition rejects nothing.
                ("if", None) => {}
                (word, None) => self.nested_roots(part.schema, &format!("{at}/{word}"), depth + 1),
            }
        }
        for (pointer, nested) in nested_values(keywords, at) {
            self.value_root(nested, &pointer, depth + 1);
        }
    }

    fn target(&mut self, text: &Value, depth: usize) {
        let Some(place) = text.as_str().and_then(pointer) else { return };
        if self.seen.insert(place.clone()) {
            if let Some(target) = self.document.pointer(&place) {
                self.value_root(target, &place, depth + 1);
            }
        }
    }
}

fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => {
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|it| it.fract() == 0.0)
        }
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    }
}

/// The schemas of a value's properties and items, with their locations.
fn nested_values<'s>(keywords: &'s Map<String, Value>, at: &str) -> Vec<(String, &'s Value)> {
    let values =
        ["properties", "patternProperties", "items", "prefixItems", "additionalProperties"];
    by_keyword(keywords, at, &values)
}

/// All schemas within a schema, with their locations.
fn subschemas<'s>(keywords: &'s Map<String, Value>, at: &str) -> Vec<(String, &'s Value)> {
    by_keyword(
        keywords,
        at,
        &[
            "$defs",
            "additionalItems",
            "additionalProperties",
            "allOf",
            "anyOf",
            "contains",
            "definitions",
            "dependencies",
            "dependentSchemas",
            "else",
            "if",
            "items",
            "oneOf",
            "patternProperties",
            "prefixItems",
            "properties",
            "then",
            "unevaluatedProperties",
        ],
    )
}

fn by_keyword<'s>(
    keywords: &'s Map<String, Value>,
    at: &str,
    words: &[&str],
) -> Vec<(String, &'s Value)> {
    const NAMED: [&str; 6] = [
        "$defs",
        "definitions",
        "dependencies",
        "dependentSchemas",
        "patternProperties",
        "properties",
    ];
    let mut found = Vec::new();
    for word in words {
        match keywords.get(*word) {
            Some(Value::Object(named)) if NAMED.contains(word) => {
                found.extend(
                    named.iter().map(|(name, it)| (format!("{at}/{word}/{}", escaped(name)), it)),
                );
            }
            Some(Value::Array(list)) => {
                let numbered = list.iter().enumerate();
                found.extend(numbered.map(|(index, it)| (format!("{at}/{word}/{index}"), it)));
            }
            Some(schema) => found.push((format!("{at}/{word}"), schema)),
            None => {}
        }
    }
    found
}

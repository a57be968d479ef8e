//! Finds rules of a schema that no value, or no closed object, can follow.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::{Map, Value};

use super::SchemaKind;
use super::close::{ListedNames, RuleNeeds, UnmetRule, in_place, restricts_unnamed};
use super::reference::pointer;
use super::subschemas::{SchemaPath, SchemaRole, for_each_schema, subschemas_with_role};

/// Describes a rule of a tool's schema that is probably a mistake, and does not fail the build.
///
/// - `required`, and other rules by names: a rule requires or depends on a property that the schema
///   does not list, or lists only in a branch that excludes the rule. The object accepts unknown
///   properties, since it would accept no value otherwise.
/// - `minProperties`: as above, since the schema, or its branch, lists fewer properties.
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
#[must_use]
pub fn schema_findings(
    schema: &Value,
    schema_kind: SchemaKind,
    closing: Option<IsClosed>,
) -> Vec<SchemaFinding> {
    let mut search = FindingSearch {
        document: schema,
        schema_kind,
        findings: Vec::new(),
        seen: BTreeSet::new(),
        reported: BTreeSet::new(),
    };
    for_each_schema(schema, &mut |at, keywords| search.listed_values(keywords, at));
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
pub enum IsClosed {
    /// Its objects accept no other properties than those that it lists.
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
    /// The schemas whose unmet rules were added.
    reported: BTreeSet<String>,
}

impl<'s> FindingSearch<'s> {
    fn add(&mut self, pointer: &str, rule: &'static str, description: String) {
        if self.findings.len() < MAX_FINDINGS {
            let (schema_kind, pointer) = (self.schema_kind, pointer.to_owned());
            self.findings.push(SchemaFinding { schema_kind, pointer, rule, description });
        }
    }

    /// Searches a schema for listed values of another type.
    fn listed_values(&mut self, keywords: &Map<String, Value>, at: &SchemaPath<'_>) {
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
        let listed_names = ListedNames::new(self.document, keywords, at);
        if at.is_empty() || listed_names.has_properties() {
            self.unmet_rules(&listed_names, restricts_unnamed(keywords));
        }
        self.nested_roots(schema, at, depth);
    }

    /// Adds the rules that no closed object can follow, by the schemas that contain them.
    fn unmet_rules(&mut self, listed: &ListedNames<'s>, is_closed: bool) {
        let mut by_schema: BTreeMap<&str, Vec<&UnmetRule<'s>>> = BTreeMap::new();
        for rule in listed.unmet_rules() {
            by_schema.entry(&rule.at).or_default().push(rule);
        }
        let effect =
            if is_closed { "no object is valid" } else { "the object accepts unknown properties" };
        for (at, rules) in by_schema {
            if self.reported.insert(at.to_owned()) {
                self.unmet_rules_of_schema(listed, at, &rules, effect);
            }
        }
    }

    fn unmet_rules_of_schema(
        &mut self,
        listed: &ListedNames<'s>,
        at: &str,
        rules: &[&UnmetRule<'s>],
        effect: &str,
    ) {
        let (mut unlisted, mut excluded) = (BTreeSet::new(), BTreeSet::new());
        for rule in rules {
            match rule.needs {
                RuleNeeds::Count { least, .. } => {
                    let text = format!("requires {least} properties, and lists fewer; {effect}");
                    self.add(at, "minProperties", text);
                }
                RuleNeeds::Name(name) if listed.has_name_in_a_branch(name) => {
                    excluded.insert(name);
                }
                RuleNeeds::Name(name) => {
                    unlisted.insert(name);
                }
            }
        }
        for (names, problem) in [
            (unlisted, "that are not listed"),
            (excluded, "that are listed only where this rule does not apply"),
        ] {
            if !names.is_empty() {
                let names = name_list(&names);
                let text =
                    format!("requires or depends on properties {problem}: {names}; {effect}");
                self.add(at, "required", text);
            }
        }
    }

    /// Searches the properties and items of a value, in all parts of its schema.
    fn nested_roots(&mut self, schema: &'s Value, at: &str, depth: usize) {
        let Value::Object(keywords) = schema else { return };
        if depth == MAX_DEPTH {
            return;
        }
        for (step, part) in in_place(keywords) {
            match step.keyword.name {
                "$ref" => self.target(part, depth),
                // A condition rejects nothing.
                "if" => {}
                _ => self.nested_roots(part, &format!("{at}{step}"), depth + 1),
            }
        }
        for role in [SchemaRole::Property, SchemaRole::Item] {
            for (step, nested) in subschemas_with_role(keywords, role) {
                self.value_root(nested, &format!("{at}{step}"), depth + 1);
            }
        }
    }

    fn target(&mut self, text: &Value, depth: usize) {
        let Some(place) = text.as_str().and_then(pointer) else { return };
        if self.seen.insert(place.clone()) {
            if let Some(target) = self.document.pointer(&place) {
                self.nested_roots(target, &place, depth + 1);
            }
        }
    }
}

/// Names for a description, of which long lists are cut.
fn name_list(names: &BTreeSet<&str>) -> String {
    let mut entries: Vec<_> = names.iter().take(MAX_NAMES).map(|it| format!("`{it}`")).collect();
    if names.len() > MAX_NAMES {
        entries.push(format!("{} more", names.len() - MAX_NAMES));
    }
    entries.join(", ")
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::schema::{ChoiceReading, close};

    #[track_caller]
    fn check(schema: &Value, expected: &[&str]) {
        let closing = close(&mut schema.clone(), ChoiceReading::AnyBranches);
        let findings = schema_findings(schema, SchemaKind::Input, Some(closing));
        let texts: Vec<_> = findings.iter().map(ToString::to_string).collect();
        assert_eq!(texts, expected, "{schema}");
    }

    #[test]
    fn a_rule_of_a_branch_is_found_where_the_branch_is() {
        let y = json!({"properties": {"k": {"const": "y"}, "b": {}}, "required": ["k"]});
        let x = json!({"properties": {"k": {"const": "x"}, "a": {}}, "required": ["k", "a", "b"]});
        let text = |at: &str| {
            format!(
                "input `{at}`: requires or depends on properties that are listed only where this \
                 rule does not apply: `b`; the object accepts unknown properties"
            )
        };
        check(&json!({"properties": {"k": {}}, "oneOf": [x, y]}), &[&text("/oneOf/0")]);
        let referring = json!({"$defs": {"X": x, "Y": y}, "properties": {
            "v": {"oneOf": [{"$ref": "#/$defs/X"}, {"$ref": "#/$defs/Y"}]},
            "w": {"oneOf": [x, {"$ref": "#/$defs/Y"}]},
        }});
        check(&referring, &[&text("/$defs/X"), &text("/properties/w/oneOf/0")]);
        let few =
            json!({"properties": {"k": {"const": "x"}}, "required": ["k"], "minProperties": 2});
        let text = "input `/oneOf/0`: requires 2 properties, and lists fewer; \
                    the object accepts unknown properties";
        check(&json!({"oneOf": [few, y]}), &[text]);
    }

    #[test]
    fn a_rule_that_another_part_of_the_value_meets_is_no_finding() {
        let requires = json!({"properties": {"a": {}}, "required": ["b"], "minProperties": 2});
        let lists = json!({"properties": {"b": {}}});
        let schema = json!({"$defs": {"A": requires, "B": lists},
            "properties": {"v": {"allOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]}}});
        check(&schema, &[]);
        check(
            &json!({"type": "object", "propertyNames": {"pattern": "^x-"}, "minProperties": 1}),
            &[],
        );
    }

    #[test]
    fn rules_are_searched_wherever_a_schema_may_be() {
        let rule = json!({"properties": {"a": {}}, "required": ["b"]});
        let text = |at: &str| {
            format!(
                "input `{at}`: requires or depends on properties that are not listed: `b`; \
                 the object accepts unknown properties"
            )
        };
        let of_items = json!({"properties": {"v": {"items": [{}], "additionalItems": rule}}});
        check(&of_items, &[&text("/properties/v/additionalItems")]);
        let wrong = json!({"type": "string", "enum": [1]});
        let text = "values are not of the type string";
        let names = json!({"properties": {}, "propertyNames": wrong});
        check(&names, &[&format!("input `/propertyNames/enum`: 1 of 1 {text}")]);
        let negated = json!({"properties": {"v": {"not": wrong}}});
        check(&negated, &[&format!("input `/properties/v/not/enum`: 1 of 1 {text}")]);
        let value = json!({"properties": {"v": {"const": {"anyOf": [wrong]}}}});
        check(&value, &[]);
    }

    #[test]
    fn an_object_that_a_schema_closes_itself_accepts_no_value() {
        let schema =
            json!({"properties": {"a": {}}, "required": ["zz"], "additionalProperties": false});
        let text = "input ``: requires or depends on properties that are not listed: `zz`; \
                    no object is valid";
        check(&schema, &[text]);
    }
}

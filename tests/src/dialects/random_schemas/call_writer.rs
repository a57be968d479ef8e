//! Writes calls of random tools from their declarations alone.

use serde_json::{Map, Value};

use super::generator::PATTERN_OF_NAMES;
use crate::dialects::{declared_property, is_valid, target};

/// Writes calls as a model does that knows which properties the tool requires.
pub(super) struct CallWriter<'d> {
    pub(super) root: &'d Value,
    /// True if `null` stands for an omitted property.
    pub(super) strict: bool,
}

impl<'d> CallWriter<'d> {
    pub(super) fn written(&self, schema: &'d Value, value: &Value) -> Option<Value> {
        let parts = self.parts(schema, value)?;
        match value {
            Value::Object(fields) => self.object(schema, &parts, fields),
            Value::Array(items) => {
                let inner = |at: usize| parts.iter().find_map(|part| item_schema(part, at));
                let item = |(at, item)| match inner(at) {
                    Some(inner) => self.written(inner, item),
                    None => Some(Value::clone(item)),
                };
                items.iter().enumerate().map(item).collect()
            }
            other => Some(other.clone()),
        }
    }

    fn object(
        &self,
        schema: &'d Value,
        parts: &[&'d Value],
        fields: &Map<String, Value>,
    ) -> Option<Value> {
        let mut all = Map::new();
        for (name, field) in fields {
            let declared = parts.iter().find_map(|part| declared_property(part, name));
            let further = || parts.iter().find_map(|part| undeclared_property(part, name));
            let (wire, inner) =
                declared.unwrap_or_else(|| (name, further().unwrap_or(&Value::Null)));
            // Here `null` would say that the property is omitted, unless that is the same.
            let says_omitted = self.strict && field.is_null() && is_optional(inner);
            (!says_omitted || name.starts_with("n_")).then_some(())?;
            all.insert(wire.to_owned(), self.written(inner, field)?);
        }
        // The branches of the arguments themselves are one object.
        let is_root = std::ptr::eq(self.root, schema);
        for (name, property) in parts.iter().flat_map(|part| required(part)) {
            if !all.contains_key(name) {
                (is_root || is_optional(property)).then_some(())?;
                all.insert(name.to_owned(), Value::Null);
            }
        }
        Some(Value::Object(all))
    }

    /// The parts of a schema for a value; of a choice, the first branch under which it can be
    /// written.
    fn parts(&self, schema: &'d Value, value: &Value) -> Option<Vec<&'d Value>> {
        let mut found = vec![schema];
        let listed = |keyword| schema.get(keyword).and_then(Value::as_array).into_iter().flatten();
        for part in target(self.root, schema).into_iter().chain(listed("allOf")) {
            found.extend(self.parts(part, value)?);
        }
        for keyword in ["anyOf", "oneOf"] {
            if schema.get(keyword).is_none() {
                continue;
            }
            let takes = |branch: &&'d Value| {
                let written = self.written(branch, value);
                written.is_some_and(|written| is_valid(self.root, branch, &written))
            };
            found.extend(self.parts(listed(keyword).find(takes)?, value)?);
        }
        if let Some(condition) = schema.get("if") {
            let written = self.written(condition, value);
            let holds = written.is_some_and(|written| is_valid(self.root, condition, &written));
            if let Some(part) = schema.get(if holds { "then" } else { "else" }) {
                found.extend(self.parts(part, value)?);
            }
        }
        Some(found)
    }
}

/// The schema of an item of a list.
fn item_schema(schema: &Value, at: usize) -> Option<&Value> {
    schema.get("prefixItems").and_then(|items| items.get(at)).or_else(|| schema.get("items"))
}

/// The schema of a property that is not declared by its name.
fn undeclared_property<'s>(schema: &'s Value, name: &str) -> Option<&'s Value> {
    let by_pattern = schema.get("patternProperties").and_then(|by| by.get(PATTERN_OF_NAMES));
    let by_pattern = by_pattern.filter(|_| name.starts_with("p_"));
    by_pattern.or_else(|| schema.get("additionalProperties"))
}

/// Returns whether the tool does not require a property, as its description says.
fn is_optional(property: &Value) -> bool {
    property["description"].as_str().is_some_and(|text| text.starts_with("Optional"))
}

/// The names and schemas of the properties that a schema requires.
fn required(schema: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let names = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    names.filter_map(|name| Some((name, schema["properties"].get(name)?)))
}

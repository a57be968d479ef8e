//! Converts a schema for dialects that support all of JSON Schema: removes unsafe annotations.

use serde_json::{Map, Value, json};
use tool_runtime_schema::schema::subschemas::SchemaKeyword;

use super::normalize::{is_annotation, is_secret};
use super::{SchemaConverter, below};

impl SchemaConverter<'_> {
    pub(super) fn full_schema(&mut self, keywords: &Map<String, Value>, at: &str) -> Value {
        let mut lowered = Map::new();
        for (keyword, value) in keywords {
            if let Some((keyword, value)) = self.keyword(keyword, value, keywords, at) {
                lowered.insert(keyword.to_owned(), value);
            }
        }
        if keywords.contains_key("if") && !lowered.contains_key("if") {
            self.remove_condition(&mut lowered, at);
        }
        if self.profile.requires_items && names_array(&lowered) && !lowered.contains_key("items") {
            lowered.insert("items".to_owned(), json!({}));
        }
        Value::Object(lowered)
    }

    /// Removes what has no meaning, or rejects more, without the condition.
    fn remove_condition(&mut self, lowered: &mut Map<String, Value>, at: &str) {
        lowered.retain(|keyword, _| keyword != "then" && keyword != "else");
        // A property that only the condition's branches name is no longer evaluated.
        if lowered.remove("unevaluatedProperties").is_some() {
            self.record_loss(at, "unevaluatedProperties", "omitted");
        }
    }

    fn keyword<'w>(
        &mut self,
        keyword: &'w str,
        value: &Value,
        siblings: &Map<String, Value>,
        at: &str,
    ) -> Option<(&'w str, Value)> {
        let lowered = match (keyword, value) {
            ("default" | "examples", _) if is_secret(siblings) => return None,
            // Models omit an optional property without being told.
            ("default", Value::Null) => return None,
            ("description" | "default" | "examples", _) => value.clone(),
            ("format", Value::String(format)) if is_width(format, siblings) => return None,
            ("title", Value::String(_)) if self.titles => value.clone(),
            ("pattern", Value::String(pattern)) if !self.profile.accepts_pattern(pattern) => {
                self.record_loss(at, keyword, "omitted, because the provider refuses its syntax");
                return None;
            }
            _ if is_annotation(keyword) => return None,
            ("properties", Value::Object(named)) => Value::Object(self.properties(named, at)),
            ("propertyNames", _) if self.has_renamed_names => {
                self.record_loss(at, keyword, "omitted, because properties are renamed");
                return None;
            }
            ("required", _) => self.property_names(value),
            ("dependentRequired", Value::Object(named)) => self.dependents(named),
            ("oneOf", Value::Array(branches)) => {
                return self.one_of(branches, siblings.contains_key("anyOf"), at);
            }
            _ => match (SchemaKeyword::named(keyword), value) {
                (Some(known), _) if known.is_condition() => {
                    return Some((keyword, self.exactly(keyword, value, at)?));
                }
                (Some(known), Value::Object(named)) if known.is_map() => {
                    self.by_name(keyword, named, at)
                }
                (Some(_), Value::Array(branches)) => {
                    Value::Array(self.nodes(branches, keyword, at))
                }
                (Some(_), Value::Object(_)) => self.node(value, &below(at, &[keyword])),
                _ => value.clone(),
            },
        };
        Some((keyword, lowered))
    }

    fn dependents(&mut self, named: &Map<String, Value>) -> Value {
        let lowered = named
            .iter()
            .map(|(name, names)| (self.property_name(name), self.property_names(names)))
            .collect();
        Value::Object(lowered)
    }

    fn by_name(&mut self, keyword: &str, named: &Map<String, Value>, at: &str) -> Value {
        let mut lowered = Map::new();
        for (name, schema) in named {
            let is_pattern = keyword == "patternProperties";
            if is_pattern && self.has_renamed_names {
                // The pattern may match a declared name and not the property's own.
                self.record_loss(at, keyword, "replaced, because properties are renamed");
                lowered.insert(name.clone(), json!({}));
                continue;
            }
            if is_pattern && !self.profile.accepts_pattern(name) {
                // Its properties stay allowed, with any value.
                self.record_loss(at, keyword, "replaced, because the provider refuses its syntax");
                lowered.insert(".*".to_owned(), json!({}));
                continue;
            }
            let schema = self.node(schema, &below(at, &[keyword, name]));
            let name = match keyword {
                "dependentSchemas" => self.property_name(name),
                _ => name.clone(),
            };
            lowered.insert(name, schema);
        }
        Value::Object(lowered)
    }

    /// Converts `oneOf`, or replaces it by `anyOf` if a branch was widened.
    fn one_of(
        &mut self,
        branches: &[Value],
        beside_any: bool,
        at: &str,
    ) -> Option<(&'static str, Value)> {
        let before = self.widened;
        let lowered = Value::Array(self.nodes(branches, "oneOf", at));
        if self.widened == before {
            return Some(("oneOf", lowered));
        }
        self.record_loss(at, "oneOf", "replaced by `anyOf`");
        (!beside_any).then_some(("anyOf", lowered))
    }

    fn nodes(&mut self, branches: &[Value], keyword: &str, at: &str) -> Vec<Value> {
        let place = |index: usize| below(at, &[keyword, &index.to_string()]);
        branches
            .iter()
            .enumerate()
            .map(|(index, branch)| self.node(branch, &place(index)))
            .collect()
    }

    /// Converts a keyword for which a wider subschema would reject more: exactly, or not at all.
    fn exactly(&mut self, keyword: &str, value: &Value, at: &str) -> Option<Value> {
        let before = self.widened;
        let lowered = self.node(value, &below(at, &[keyword]));
        if self.widened == before {
            return Some(lowered);
        }
        self.record_loss(at, keyword, "omitted");
        None
    }
}

fn names_array(keywords: &Map<String, Value>) -> bool {
    match keywords.get("type") {
        Some(Value::Array(names)) => names.contains(&"array".into()),
        name => name.is_some_and(|name| name == "array"),
    }
}

/// Returns whether the format is a numeric width, which the bounds express already.
pub(super) fn is_width(format: &str, keywords: &Map<String, Value>) -> bool {
    let numeric = ["int", "uint", "float", "double"].iter().any(|kind| format.starts_with(kind));
    let names_string = super::normalize::types(keywords).iter().any(|kind| kind == "string");
    numeric && !names_string
}

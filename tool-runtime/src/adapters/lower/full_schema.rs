//! Converts a schema for dialects that support all of JSON Schema: removes unsafe annotations.

use serde_json::{Map, Value, json};

use super::normalize::{is_annotation, is_secret};
use super::{Lowering, below};

impl Lowering<'_> {
    pub(super) fn full_schema(&mut self, keywords: &Map<String, Value>, at: &str) -> Value {
        let mut said = Map::new();
        for (word, value) in keywords {
            if let Some((word, value)) = self.keyword(word, value, keywords, at) {
                said.insert(word.to_owned(), value);
            }
        }
        if self.profile.items && names_array(&said) && !said.contains_key("items") {
            said.insert("items".to_owned(), json!({}));
        }
        Value::Object(said)
    }

    fn keyword<'w>(
        &mut self,
        word: &'w str,
        value: &Value,
        beside: &Map<String, Value>,
        at: &str,
    ) -> Option<(&'w str, Value)> {
        let said = match (word, value) {
            ("default" | "examples", _) if is_secret(beside) => return None,
            ("description" | "default" | "examples", _) => value.clone(),
            ("format", Value::String(format)) if is_width(format, beside) => return None,
            ("title", Value::String(_)) if self.titles => value.clone(),
            _ if is_annotation(word) => return None,
            ("properties", Value::Object(named)) => Value::Object(self.properties(named, at)),
            ("propertyNames", _) if self.has_renamed_names => {
                self.record_loss(at, word, "omitted, because properties are renamed");
                return None;
            }
            ("required", _) => self.property_names(value),
            ("dependentRequired", Value::Object(named)) => self.dependents(named),
            ("patternProperties" | "dependentSchemas", Value::Object(named)) => {
                self.by_name(word, named, at)
            }
            ("prefixItems" | "allOf" | "anyOf", Value::Array(branches)) => {
                Value::Array(self.nodes(branches, word, at))
            }
            ("oneOf", Value::Array(branches)) => {
                return self.one_of(branches, beside.contains_key("anyOf"), at);
            }
            ("not" | "if" | "contains", _) => return Some((word, self.exactly(word, value, at)?)),
            (_, Value::Object(_)) if SCHEMA_KEYWORDS.contains(&word) => {
                self.node(value, &below(at, &[word]))
            }
            _ => value.clone(),
        };
        Some((word, said))
    }

    fn dependents(&mut self, named: &Map<String, Value>) -> Value {
        let said = named
            .iter()
            .map(|(name, names)| (self.property_name(name), self.property_names(names)))
            .collect();
        Value::Object(said)
    }

    fn by_name(&mut self, word: &str, named: &Map<String, Value>, at: &str) -> Value {
        let mut said = Map::new();
        for (name, schema) in named {
            let schema = self.node(schema, &below(at, &[word, name]));
            let name = match word {
                "dependentSchemas" => self.property_name(name),
                _ => name.clone(),
            };
            said.insert(name, schema);
        }
        Value::Object(said)
    }

    /// Converts `oneOf`, or replaces it by `anyOf` if a branch was widened.
    fn one_of(
        &mut self,
        branches: &[Value],
        beside_any: bool,
        at: &str,
    ) -> Option<(&'static str, Value)> {
        let before = self.widened;
        let said = Value::Array(self.nodes(branches, "oneOf", at));
        if self.widened == before {
            return Some(("oneOf", said));
        }
        self.record_loss(at, "oneOf", "replaced by `anyOf`");
        (!beside_any).then_some(("anyOf", said))
    }

    fn nodes(&mut self, branches: &[Value], word: &str, at: &str) -> Vec<Value> {
        let place = |index: usize| below(at, &[word, &index.to_string()]);
        branches
            .iter()
            .enumerate()
            .map(|(index, branch)| self.node(branch, &place(index)))
            .collect()
    }

    /// Converts a keyword for which a wider subschema would reject more: exactly, or not at all.
    fn exactly(&mut self, word: &str, value: &Value, at: &str) -> Option<Value> {
        let before = self.widened;
        let said = self.node(value, &below(at, &[word]));
        if self.widened == before {
            return Some(said);
        }
        self.record_loss(at, word, "omitted");
        None
    }
}

const SCHEMA_KEYWORDS: &[&str] = &[
    "additionalProperties",
    "else",
    "items",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

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

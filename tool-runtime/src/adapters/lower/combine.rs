//! Merges references, `allOf` and sibling keywords into one schema.

use serde_json::{Map, Value, json};

use super::Lowering;
use super::merge;
use super::node::{MAX_DEPTH, MAX_NODES};
use super::normalize::normalize;

impl Lowering<'_> {
    /// The keywords without `$ref` and `allOf`; equivalent, or slightly wider.
    pub(super) fn combined(
        &mut self,
        mut keywords: Map<String, Value>,
        at: &str,
    ) -> Map<String, Value> {
        let reference = keywords.remove("$ref").map(|text| json!({ "$ref": text }));
        let branches = match keywords.remove("allOf") {
            Some(Value::Array(branches)) => branches,
            _ => Vec::new(),
        };
        for part in reference.into_iter().chain(branches) {
            let part = self.flat(&part, at);
            keywords = self.conjunction(&keywords, &part, at);
        }
        keywords
    }

    /// The conjunction of both schemas; records what cannot be merged.
    pub(super) fn conjunction(
        &mut self,
        one: &Map<String, Value>,
        other: &Map<String, Value>,
        at: &str,
    ) -> Map<String, Value> {
        let (merged, lost) = merge::conjunction(one, other);
        for keyword in lost {
            self.record_loss(at, &keyword, "cannot be merged: omitted");
        }
        merged
    }

    /// All keywords of a schema, its references and its `allOf`.
    pub(super) fn flat(&mut self, schema: &Value, at: &str) -> Map<String, Value> {
        self.nodes += 1;
        let keywords = match schema {
            Value::Object(_) if self.nodes > MAX_NODES || self.depth > MAX_DEPTH => {
                self.record_loss(at, "allOf", "too large: omitted");
                return Map::new();
            }
            Value::Object(keywords) => normalize(keywords),
            Value::Bool(false) => {
                self.record_loss(at, "false", "omitted");
                return Map::new();
            }
            _ => return Map::new(),
        };
        if let Some(text) = keywords.get("$ref").and_then(Value::as_str) {
            let target = self.definitions.at(text).unwrap_or(&Value::Bool(true));
            let mut siblings = keywords.clone();
            siblings.remove("$ref");
            self.depth += 1;
            let siblings = self.flat(&Value::Object(siblings), at);
            let target = self.flat(target, at);
            self.depth -= 1;
            return self.conjunction(&siblings, &target, at);
        }
        if !keywords.contains_key("allOf") {
            return keywords;
        }
        self.depth += 1;
        let combined = self.combined(keywords, at);
        self.depth -= 1;
        combined
    }
}

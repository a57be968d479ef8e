//! References, `allOf` and what stands beside them, as the keywords of one schema.

use serde_json::{Map, Value, json};

use super::Lowering;
use super::merge;
use super::node::{DEEPEST, MOST_NODES};
use super::normal::normal;

impl Lowering<'_> {
    /// The keywords without `$ref` and `allOf`: all that they say, or a little less.
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
            keywords = self.both(&keywords, &part, at);
        }
        keywords
    }

    /// What both schemas say; what cannot be said of both is lost.
    pub(super) fn both(
        &mut self,
        one: &Map<String, Value>,
        other: &Map<String, Value>,
        at: &str,
    ) -> Map<String, Value> {
        let (merged, lost) = merge::both(one, other);
        for word in lost {
            self.lose(at, &word, "not said twice of one value: left out");
        }
        merged
    }

    /// The keywords of one schema, wherever they stand.
    pub(super) fn flat(&mut self, schema: &Value, at: &str) -> Map<String, Value> {
        self.nodes += 1;
        let keywords = match schema {
            Value::Object(_) if self.nodes > MOST_NODES || self.depth > DEEPEST => {
                self.lose(at, "allOf", "too large to be said: left out");
                return Map::new();
            }
            Value::Object(keywords) => normal(keywords),
            Value::Bool(false) => {
                self.lose(at, "false", "left out");
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
            return self.both(&siblings, &target, at);
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

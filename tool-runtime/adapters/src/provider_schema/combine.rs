//! Merges references, `allOf` and sibling keywords into one schema.

use serde_json::{Map, Value, json};

use super::conjunction::Conjunction;
use super::node::{MAX_DEPTH, MAX_NODES};
use super::normalize::normalize;
use super::{Keywords, SchemaConverter};

impl SchemaConverter<'_> {
    /// The keywords without `$ref` and `allOf`; equivalent, or slightly wider.
    pub(super) fn combined(&mut self, mut keywords: Keywords, at: &str) -> Keywords {
        let reference = keywords.remove("$ref").map(|text| json!({ "$ref": text }));
        let branches = match keywords.remove("allOf") {
            Some(Value::Array(branches)) => branches,
            _ => Vec::new(),
        };
        let cut_before = self.cut_parts;
        let mut conjunction = Conjunction::new(keywords);
        for part in reference.into_iter().chain(branches) {
            let part = self.flat(&part, at);
            self.add(&mut conjunction, &part, at);
        }
        self.open_if_cut(conjunction.into_keywords(), cut_before, at)
    }

    /// The conjunction of both schemas; records what cannot be merged.
    pub(super) fn conjunction(&mut self, one: Keywords, other: &Keywords, at: &str) -> Keywords {
        let mut conjunction = Conjunction::new(one);
        self.add(&mut conjunction, other, at);
        conjunction.into_keywords()
    }

    fn add(&mut self, conjunction: &mut Conjunction, other: &Keywords, at: &str) {
        for keyword in conjunction.add(other, &mut self.budget) {
            self.record_loss(at, &keyword, "cannot be merged: omitted");
        }
    }

    /// Removes the rule that rejects what no part declares, if a part was cut off since then.
    fn open_if_cut(&mut self, mut keywords: Keywords, cut_before: usize, at: &str) -> Keywords {
        if self.cut_parts > cut_before && keywords.remove("unevaluatedProperties").is_some() {
            self.record_loss(at, "unevaluatedProperties", "omitted");
        }
        keywords
    }

    /// All keywords of a schema, its references and its `allOf`.
    pub(super) fn flat(&mut self, schema: &Value, at: &str) -> Keywords {
        self.nodes += 1;
        let keywords = match schema {
            Value::Object(_) if self.nodes > MAX_NODES || self.depth > MAX_DEPTH => {
                return self.cut_part(at, "allOf");
            }
            Value::Object(keywords) => normalize(keywords),
            Value::Bool(false) => {
                self.record_loss(at, "false", "omitted");
                return Map::new();
            }
            _ => return Map::new(),
        };
        if let Some(text) = keywords.get("$ref").and_then(Value::as_str) {
            let text = text.to_owned();
            return self.flat_reference(keywords, &text, at);
        }
        if !keywords.contains_key("allOf") {
            return keywords;
        }
        self.depth += 1;
        let combined = self.combined(keywords, at);
        self.depth -= 1;
        combined
    }

    fn flat_reference(&mut self, mut siblings: Keywords, text: &str, at: &str) -> Keywords {
        let target = self.definitions.at(text).unwrap_or(&Value::Bool(true));
        siblings.remove("$ref");
        let cut_before = self.cut_parts;
        self.depth += 1;
        let siblings = self.flat(&Value::Object(siblings), at);
        let has_room = target.as_object().is_none_or(|target| self.budget.spend(target, 1));
        let target = if has_room { self.flat(target, at) } else { self.cut_part(at, "$ref") };
        self.depth -= 1;
        let both = self.conjunction(siblings, &target, at);
        self.open_if_cut(both, cut_before, at)
    }

    /// Leaves out a part of a conjunction that is too large.
    fn cut_part(&mut self, at: &str, keyword: &str) -> Keywords {
        self.cut_parts += 1;
        self.record_loss(at, keyword, "too large: omitted");
        Map::new()
    }
}

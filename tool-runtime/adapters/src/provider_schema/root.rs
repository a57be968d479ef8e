//! Converts the root schema to a plain object without choices.

use serde_json::Value;

use super::merge;
use super::node::MAX_DEPTH;
use super::normalize::{closes, is_annotation, normalize};
use super::size::too_large;
use super::{Keywords, SchemaConverter, below};

impl SchemaConverter<'_> {
    /// Converts the schema of a tool's arguments.
    pub(super) fn root(&mut self, schema: &Value) -> Keywords {
        let keywords = schema.as_object().map(normalize).unwrap_or_default();
        let keywords = self.one_object(keywords, "");
        let lowered = if self.profile.full_schema {
            self.full_schema(&keywords, "")
        } else {
            self.convert_without_choices(&keywords, "")
        };
        let mut root = match lowered {
            Value::Object(lowered) => self.allowed(lowered),
            _ => Keywords::new(),
        };
        root.insert("type".to_owned(), "object".into());
        root.entry("properties").or_insert_with(|| Value::Object(Keywords::new()));
        let definitions = self.definitions();
        if !definitions.is_empty() {
            root.insert("$defs".to_owned(), Value::Object(definitions));
        }
        if let (true, Some(limit)) = (self.profile.requires_all, too_large(&root)) {
            self.block_strict("", "properties", limit);
        }
        root
    }

    /// Keeps the keywords that are allowed at the root.
    fn allowed(&mut self, lowered: Keywords) -> Keywords {
        let (kept, rest): (Keywords, Keywords) = lowered
            .into_iter()
            .partition(|(keyword, _)| self.profile.root_keywords.contains(&keyword.as_str()));
        for keyword in rest.keys().filter(|keyword| !is_annotation(keyword)) {
            self.record_loss("", keyword, "omitted at the root");
        }
        kept
    }

    /// One object schema that accepts all valid arguments, without references and combinators.
    fn one_object(&mut self, keywords: Keywords, at: &str) -> Keywords {
        let mut keywords = self.combined(keywords, at);
        for keyword in ["anyOf", "oneOf"] {
            if let Some(Value::Array(branches)) = keywords.remove(keyword) {
                self.record_loss(at, keyword, "branches merged");
                if keyword == "oneOf" && !self.are_disjoint(&branches) {
                    self.keep_null_defaults(&keywords, &branches, keyword, at);
                }
                keywords = self.joined(&keywords, &branches, &below(at, &[keyword]));
            }
        }
        self.without_unevaluated(keywords, at)
    }

    /// Expresses `unevaluatedProperties` by `additionalProperties`, or omits it.
    fn without_unevaluated(&mut self, mut keywords: Keywords, at: &str) -> Keywords {
        if closes(&keywords) {
            keywords.entry("additionalProperties").or_insert(Value::Bool(false));
        } else if keywords.contains_key("unevaluatedProperties") {
            self.record_loss(at, "unevaluatedProperties", "omitted");
        }
        keywords.remove("unevaluatedProperties");
        keywords
    }

    /// One object schema that accepts any of the branches together with the sibling keywords.
    fn joined(&mut self, siblings: &Keywords, branches: &[Value], at: &str) -> Keywords {
        if self.depth > MAX_DEPTH {
            self.record_loss(at, "anyOf", "too large: omitted");
            return siblings.clone();
        }
        self.depth += 1;
        let copies_siblings = self.budget.spend(siblings, branches.len());
        let mut flat = Vec::new();
        let mut only_require = true;
        for (index, branch) in branches.iter().enumerate() {
            let place = below(at, &[&index.to_string()]);
            let mut branch = self.flat(branch, &place);
            only_require &= only_requires(&branch);
            if copies_siblings {
                branch = self.conjunction(branch, siblings, &place);
            }
            flat.push(self.one_object(branch, &place));
        }
        self.depth -= 1;
        let mut joined = if copies_siblings {
            merge::union_of_objects(&flat)
        } else {
            self.joined_beside(siblings, &flat, only_require, at)
        };
        let further = siblings.iter().filter(|(keyword, _)| !is_joined(keyword));
        joined.extend(further.map(|(keyword, value)| (keyword.clone(), value.clone())));
        joined
    }

    /// Joins many branches first, and merges their large siblings once: exact if the branches only
    /// require properties, and reported otherwise.
    fn joined_beside(
        &mut self,
        siblings: &Keywords,
        branches: &[Keywords],
        only_require: bool,
        at: &str,
    ) -> Keywords {
        let object = siblings
            .iter()
            .filter(|(keyword, _)| is_joined(keyword) || keyword.as_str() == "patternProperties");
        let mut object: Keywords =
            object.map(|(keyword, value)| (keyword.clone(), value.clone())).collect();
        if !only_require {
            self.record_loss(at, "anyOf", "too large: merged without the keywords beside it");
            // A branch may have evaluated properties that it does not name.
            if object.remove("unevaluatedProperties").is_some() {
                self.record_loss(at, "unevaluatedProperties", "omitted");
            }
        }
        let both = self.conjunction(merge::union_of_objects(branches), &object, at);
        let both = self.without_unevaluated(both, at);
        let mut joined = merge::union_of_objects(&[both]);
        let required = joined.get("required").and_then(Value::as_array).cloned();
        if let Some(properties) = joined.get_mut("properties").and_then(Value::as_object_mut) {
            merge::remove_defaults(properties, branches, &required.unwrap_or_default());
        }
        joined
    }
}

/// Returns whether a branch has no rule but the properties that an object requires.
fn only_requires(branch: &Keywords) -> bool {
    branch.iter().all(|(keyword, value)| match keyword.as_str() {
        "required" => true,
        "type" => value == "object",
        keyword => is_annotation(keyword),
    })
}

/// Returns whether the union of branches has the keyword, so that it is merged into each of them.
fn is_joined(keyword: &str) -> bool {
    const JOINED: [&str; 5] =
        ["properties", "required", "additionalProperties", "unevaluatedProperties", "type"];
    JOINED.contains(&keyword)
}

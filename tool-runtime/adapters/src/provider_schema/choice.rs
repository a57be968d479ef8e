//! Converts `anyOf` and `oneOf` for dialects that support only `anyOf`.

use std::collections::HashSet;

use serde_json::{Value, json};
use tool_runtime_schema::schema::exclusive::are_exclusive;

use super::merge::one_of_values;
use super::node::MAX_NODES;
use super::normalize::{is_annotation, types};
use super::{Keywords, SchemaConverter, below};

impl SchemaConverter<'_> {
    /// Converts a choice, and merges its sibling keywords into each branch.
    pub(super) fn choice(&mut self, mut keywords: Keywords, keyword: &str, at: &str) -> Value {
        let branches = match keywords.remove(keyword) {
            Some(Value::Array(branches)) => branches,
            _ => Vec::new(),
        };
        if let Some(Value::Object(listed)) = one_of_values(&branches) {
            let enumeration = self.conjunction(with_descriptions(&keywords, &listed), &listed, at);
            return self.subset(enumeration, at);
        }
        if keyword == "anyOf" && keywords.remove("oneOf").is_some() {
            self.record_loss(at, "oneOf", "omitted");
        }
        if keyword == "oneOf" && !self.are_disjoint(&branches) {
            self.record_loss(at, "oneOf", "replaced by `anyOf`");
            self.keep_null_defaults(&keywords, &branches, "oneOf", at);
        }
        // A value of several branches may have the properties of all of them.
        let is_closed = keywords.get("unevaluatedProperties") == Some(&Value::Bool(false));
        if keyword == "anyOf" && is_closed && !self.are_disjoint(&branches) {
            keywords.remove("unevaluatedProperties");
            self.record_loss(at, "unevaluatedProperties", "omitted");
        }
        let beside: Keywords = keywords
            .iter()
            .filter(|(keyword, _)| !is_annotation(keyword))
            .map(|(keyword, value)| (keyword.clone(), value.clone()))
            .collect();
        if !self.budget.spend(&beside, branches.len()) {
            return self.without_choice(keywords, &branches, keyword, at);
        }
        let mut lowered = DistinctBranches::default();
        for (index, branch) in branches.iter().enumerate() {
            let place = below(at, &[keyword, &index.to_string()]);
            let branch = self.branch(branch, &beside, &place);
            lowered.push(branch);
            if self.nodes > MAX_NODES {
                break;
            }
        }
        let mut choice = self.annotations(&keywords);
        if let Some(words) = choice.as_object_mut() {
            words.insert("anyOf".to_owned(), Value::Array(lowered.branches));
        }
        choice
    }

    /// Converts the keywords beside a choice alone, if their copies in each branch are too large.
    fn without_choice(
        &mut self,
        mut keywords: Keywords,
        branches: &[Value],
        keyword: &str,
        at: &str,
    ) -> Value {
        self.record_loss(at, keyword, "too large with the keywords beside it: omitted");
        self.keep_null_defaults(&keywords, branches, keyword, at);
        // The branches may declare further properties.
        if keywords.remove("unevaluatedProperties").is_some() {
            self.record_loss(at, "unevaluatedProperties", "omitted");
        }
        self.convert_without_choices(&keywords, at)
    }

    /// Does not declare a tool strict if a rule tells an absent property from its default `null`.
    pub(super) fn keep_null_defaults(
        &mut self,
        keywords: &Keywords,
        branches: &[Value],
        keyword: &str,
        at: &str,
    ) {
        let schemas = keywords.values().chain(branches);
        if self.profile.requires_all
            && schemas.into_iter().any(|it| self.facts().has_null_default(it))
        {
            self.block_strict(at, keyword, PRESENCE);
        }
    }

    fn branch(&mut self, branch: &Value, beside: &Keywords, at: &str) -> Value {
        if beside.is_empty() {
            return self.node(branch, at);
        }
        let flat = self.flat(branch, at);
        let conjunction = self.conjunction(flat, beside, at);
        self.node(&Value::Object(conjunction), at)
    }

    /// Returns whether no value is valid by two of the branches.
    pub(super) fn are_disjoint(&mut self, branches: &[Value]) -> bool {
        are_exclusive(self.definitions.root(), branches, &mut |steps| self.reads.spend_steps(steps))
    }
}

/// The reason for which a property whose default is `null` is not declared strict.
pub(super) const PRESENCE: &str = "a property may be `null` or absent, which a strict call cannot \
     tell apart and this rule does";

/// The sibling keywords of an enumeration, with the descriptions of its values.
fn with_descriptions(keywords: &Keywords, listed: &Keywords) -> Keywords {
    let mut keywords = keywords.clone();
    let own_text = keywords.get("description").and_then(Value::as_str).map(str::to_owned);
    if let (Some(own_text), Some(listed_text)) =
        (own_text, listed.get("description").and_then(Value::as_str))
    {
        keywords.insert("description".to_owned(), format!("{own_text}\n{listed_text}").into());
    }
    keywords
}

/// The branches of a choice, each once; nested choices are flattened.
#[derive(Default)]
struct DistinctBranches {
    branches: Vec<Value>,
    texts: HashSet<String>,
}

impl DistinctBranches {
    fn push(&mut self, branch: Value) {
        let inner = match branch {
            Value::Object(mut keywords) if keywords.len() == 1 => match keywords.remove("anyOf") {
                Some(Value::Array(inner)) => inner,
                Some(other) => vec![json!({ "anyOf": other })],
                None => vec![Value::Object(keywords)],
            },
            branch => vec![branch],
        };
        for branch in inner {
            let text = branch.to_string();
            tool_runtime_schema::test_cost::count(text.len());
            if self.texts.insert(text) {
                self.branches.push(branch);
            }
        }
    }
}

/// Extends a schema to accept `null`.
pub(super) fn nullable(schema: Value) -> Value {
    let Value::Object(mut keywords) = schema else { return schema };
    let nothing = json!({ "type": "null" });
    if let Some(Value::Array(branches)) = keywords.get_mut("anyOf") {
        branches.push(nothing);
        return Value::Object(keywords);
    }
    let kinds = types(&keywords);
    let scalar = |kind: &String| !matches!(kind.as_str(), "object" | "array");
    if !kinds.is_empty() && kinds.iter().all(scalar) {
        let others = kinds.into_iter().filter(|kind| kind != "null");
        let with_null = others.chain(["null".to_owned()]).collect::<Vec<_>>();
        keywords.insert("type".to_owned(), with_null.into());
        if let Some(Value::Array(listed)) = keywords.get_mut("enum") {
            listed.push(Value::Null);
        }
        return Value::Object(keywords);
    }
    let description = keywords.remove("description");
    let mut choice = json!({ "anyOf": [keywords, nothing] });
    if let (Some(description), Some(choice)) = (description, choice.as_object_mut()) {
        choice.insert("description".to_owned(), description);
    }
    choice
}

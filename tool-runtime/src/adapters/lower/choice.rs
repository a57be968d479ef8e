//! Converts `anyOf` and `oneOf` for dialects that support only `anyOf`.

use serde_json::{Value, json};

use super::merge::one_of_values;
use super::normalize::{is_annotation, types, values};
use super::{Keywords, Lowering, below};

impl Lowering<'_> {
    /// Converts a choice, and merges its sibling keywords into each branch.
    pub(super) fn choice(&mut self, mut keywords: Keywords, keyword: &str, at: &str) -> Value {
        let branches = match keywords.remove(keyword) {
            Some(Value::Array(branches)) => branches,
            _ => Vec::new(),
        };
        if let Some(Value::Object(listed)) = one_of_values(&branches) {
            let listed = self.conjunction(&with_descriptions(&keywords, &listed), &listed, at);
            return self.subset(listed, at);
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
        let mut lowered: Vec<Value> = Vec::new();
        for (index, branch) in branches.iter().enumerate() {
            let place = below(at, &[keyword, &index.to_string()]);
            let branch = self.branch(branch, &beside, &place);
            push(&mut lowered, branch);
        }
        let mut choice = self.annotations(&keywords);
        if let Some(words) = choice.as_object_mut() {
            words.insert("anyOf".to_owned(), Value::Array(lowered));
        }
        choice
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
            && schemas.into_iter().any(|it| self.definitions.has_null_default(it))
        {
            self.block_strict(at, keyword, PRESENCE);
        }
    }

    fn branch(&mut self, branch: &Value, beside: &Keywords, at: &str) -> Value {
        if beside.is_empty() {
            return self.node(branch, at);
        }
        let flat = self.flat(branch, at);
        let conjunction = self.conjunction(&flat, beside, at);
        self.node(&Value::Object(conjunction), at)
    }

    /// Returns whether no value is valid by two of the branches.
    pub(super) fn are_disjoint(&self, branches: &[Value]) -> bool {
        let resolved: Vec<_> =
            branches.iter().map(|branch| self.definitions.resolved(branch)).collect();
        resolved
            .iter()
            .enumerate()
            .all(|(at, one)| resolved[..at].iter().all(|other| self.exclude(one, other)))
    }

    /// Returns whether two schemas are disjoint: by types, values, or a required discriminator.
    fn exclude(&self, one: &Value, other: &Value) -> bool {
        let (Some(one), Some(other)) = (one.as_object(), other.as_object()) else { return false };
        if have_disjoint_values(one, other) {
            return true;
        }
        if types(one) != ["object"] || types(other) != ["object"] {
            return false;
        }
        let tags = |name: &&str| match (property(one, name), property(other, name)) {
            (Some(one), Some(other)) => {
                let resolve = |schema| self.definitions.resolved(schema).as_object();
                let both = resolve(one).zip(resolve(other));
                both.is_some_and(|(one, other)| have_disjoint_values(one, other))
            }
            _ => false,
        };
        let lacks = |closed: &Keywords, open: &Keywords| {
            closed.get("additionalProperties") == Some(&Value::Bool(false))
                && !closed.contains_key("patternProperties")
                && required(open).iter().any(|name| property(closed, name).is_none())
        };
        required(one).iter().filter(|name| required(other).contains(name)).any(tags)
            || lacks(one, other)
            || lacks(other, one)
    }
}

/// The reason for which a property whose default is `null` is not declared strict.
pub(super) const PRESENCE: &str = "a property may be `null` or absent, which a strict call cannot \
     tell apart and this rule does";

/// Returns whether two schemas have no type, or no listed value, in common.
fn have_disjoint_values(one: &Keywords, other: &Keywords) -> bool {
    if let (Some(one), Some(other)) = (values(one), values(other)) {
        return !one.iter().any(|value| other.contains(value));
    }
    let number = |name: &String| if name == "integer" { "number".to_owned() } else { name.clone() };
    let kinds = |keywords: &Keywords| types(keywords).iter().map(number).collect::<Vec<_>>();
    let (one, other) = (kinds(one), kinds(other));
    !one.is_empty() && !other.is_empty() && !one.iter().any(|kind| other.contains(kind))
}

fn required(keywords: &Keywords) -> Vec<&str> {
    let names = keywords.get("required").and_then(Value::as_array).into_iter().flatten();
    names.filter_map(Value::as_str).collect()
}

fn property<'k>(keywords: &'k Keywords, name: &str) -> Option<&'k Value> {
    keywords.get("properties")?.get(name)
}

/// The sibling keywords of an enumeration, with the descriptions of its values.
fn with_descriptions(keywords: &Keywords, listed: &Keywords) -> Keywords {
    let mut keywords = keywords.clone();
    let own = keywords.get("description").and_then(Value::as_str).map(str::to_owned);
    if let (Some(own), Some(listed_text)) = (own, listed.get("description").and_then(Value::as_str))
    {
        keywords.insert("description".to_owned(), format!("{own}\n{listed_text}").into());
    }
    keywords
}

/// Adds a branch unless it exists already; flattens nested choices.
fn push(branches: &mut Vec<Value>, branch: Value) {
    let inner = match branch {
        Value::Object(mut keywords) if keywords.len() == 1 => match keywords.remove("anyOf") {
            Some(Value::Array(inner)) => inner,
            Some(other) => vec![json!({ "anyOf": other })],
            None => vec![Value::Object(keywords)],
        },
        branch => vec![branch],
    };
    for branch in inner {
        if !branches.contains(&branch) {
            branches.push(branch);
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

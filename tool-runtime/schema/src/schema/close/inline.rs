//! Replaces references by their targets, so that parts of a value can be closed together.

use serde_json::{Map, Value, json};

use super::group::restricts_unnamed;
use super::{ChoiceReading, Closer, MAX_DEPTH};
use crate::schema::reference::pointer;
use crate::schema::subschemas::{SchemaKeyword, SchemaRole, for_each_subschema_mut};

/// Levels of nested values of which a condition gets definitions of its own, which stay open.
const MAX_OPEN_LEVELS: usize = 6;

/// The steps that a copied value counts as, since it stays in the schema.
const STEPS_PER_COPY: usize = 8;

impl<'s> Closer<'s> {
    /// The target of a schema's `$ref`, as it was written.
    pub(super) fn target(&self, keywords: &Map<String, Value>) -> Option<&'s Value> {
        self.document.pointer(&pointer(keywords.get("$ref")?.as_str()?)?)
    }

    /// Replaces the references of all parts of a value by open copies of their targets.
    pub(super) fn inline_references(&mut self, keywords: &mut Map<String, Value>) {
        if self.depth == MAX_DEPTH {
            self.steps_left = 0;
        }
        if !self.step() {
            return;
        }
        self.depth += 1;
        if let Some(target) = self.copied_target(keywords) {
            keywords.remove("$ref");
            conjoin(keywords, target);
            self.open_conditions(keywords);
        }
        for_each_in_place(keywords, &mut |part| {
            if let Value::Object(part) = part {
                self.inline_references(part);
            }
        });
        self.depth -= 1;
    }

    /// A copy of the target of a `$ref`, without references of its own.
    fn copied_target(&mut self, keywords: &Map<String, Value>) -> Option<Value> {
        let target = self.target(keywords)?;
        self.steps_left = self.steps_left.saturating_sub(size(target) * STEPS_PER_COPY);
        if self.is_exhausted() {
            return None;
        }
        let mut target = target.clone();
        if let Value::Object(copy) = &mut target {
            let definitions = SchemaKeyword::with_role(SchemaRole::Definition);
            for word in definitions.map(|keyword| keyword.name).chain(["$id", "$anchor", "$schema"])
            {
                copy.remove(word);
            }
            self.inline_references(copy);
            if self.choices == ChoiceReading::OneBranch {
                // A type that rejects unknown fields is closed together with its container.
                copy.retain(|word, rule| {
                    !(*rule == Value::Bool(false)
                        && ["additionalProperties", "unevaluatedProperties"]
                            .contains(&word.as_str()))
                });
            }
        }
        Some(target)
    }

    /// Opens the conditions in all parts of a value: a closed condition would have another meaning.
    pub(super) fn open_conditions(&mut self, keywords: &mut Map<String, Value>) {
        if self.depth == MAX_DEPTH || !self.step() {
            return;
        }
        self.depth += 1;
        for_each_subschema_mut(keywords, &mut |step, condition| {
            if step.keyword.is_condition() {
                self.open_copy(condition, 0);
            }
        });
        for_each_in_place(keywords, &mut |part| {
            if let Value::Object(part) = part {
                self.open_conditions(part);
            }
        });
        self.depth -= 1;
    }

    /// Replaces the references to objects and arrays, which are closed, by open copies.
    pub(super) fn open_copy(&mut self, schema: &mut Value, level: usize) {
        let Value::Object(keywords) = schema else { return };
        if level > MAX_OPEN_LEVELS || self.depth == MAX_DEPTH || !self.step() {
            return;
        }
        self.depth += 1;
        if self.target(keywords).is_some_and(|target| self.is_structural(target)) {
            if let Some(target) = self.copied_target(keywords) {
                keywords.remove("$ref");
                conjoin(keywords, target);
            }
        }
        for_each_subschema_mut(keywords, &mut |step, inner| match step.keyword.role {
            SchemaRole::InPlace | SchemaRole::Negated => self.open_copy(inner, level),
            SchemaRole::Property | SchemaRole::Item | SchemaRole::SomeItems => {
                self.open_copy(inner, level + 1);
            }
            SchemaRole::PropertyName | SchemaRole::Content | SchemaRole::Definition => {}
        });
        self.depth -= 1;
    }
}

/// The number of values in a schema.
fn size(schema: &Value) -> usize {
    match schema {
        Value::Object(keywords) => 1 + keywords.values().map(size).sum::<usize>(),
        Value::Array(list) => 1 + list.iter().map(size).sum::<usize>(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
    }
}

/// Visits the schemas that apply to the same value, but not the target of a reference.
fn for_each_in_place(keywords: &mut Map<String, Value>, visit: &mut impl FnMut(&mut Value)) {
    for_each_subschema_mut(keywords, &mut |step, inner| {
        if step.keyword.role == SchemaRole::InPlace {
            visit(inner);
        }
    });
}

/// Adds a schema that has to match, too: into the same keywords, or as a branch of `allOf`.
pub(super) fn conjoin(keywords: &mut Map<String, Value>, other: Value) {
    match other {
        Value::Bool(true) => {}
        Value::Object(other) if can_merge(keywords, &other) => merge(keywords, other),
        other => match keywords.entry("allOf").or_insert_with(|| json!([])) {
            Value::Array(branches) => branches.push(other),
            branches => *branches = json!([other]),
        },
    }
}

/// Returns whether two schemas of one value can be written as one.
fn can_merge(keywords: &Map<String, Value>, other: &Map<String, Value>) -> bool {
    let names_more = |one: &Map<String, Value>, other: &Map<String, Value>| {
        restricts_unnamed(one) && (other.contains_key("properties") || restricts_unnamed(other))
    };
    let has_condition = |schema: &Map<String, Value>| {
        ["if", "then", "else"].iter().any(|word| schema.contains_key(*word))
    };
    let lists_items = |schema: &Map<String, Value>| {
        ["items", "prefixItems", "additionalItems", "contains", "minContains", "maxContains"]
            .iter()
            .any(|word| schema.contains_key(*word))
    };
    let collides = names_more(keywords, other)
        || names_more(other, keywords)
        || has_condition(keywords) && has_condition(other)
        || lists_items(keywords) && lists_items(other);
    !collides
        && other.iter().all(|(word, value)| match keywords.get(word) {
            None => true,
            Some(own) if own == value => true,
            Some(Value::Object(own)) if word == "properties" => {
                value.as_object().is_some_and(|value| !shares_sensitive(own, value))
            }
            Some(own) => is_joined(word) && own.is_array() == value.is_array() || is_text(word),
        })
}

/// Keywords whose lists are joined.
fn is_joined(word: &str) -> bool {
    ["required", "allOf"].contains(&word)
}

/// Annotations of which the outer one counts.
fn is_text(word: &str) -> bool {
    ["$comment", "default", "deprecated", "description", "example", "examples", "title"]
        .contains(&word)
}

/// Returns whether one property is described twice, and once by a schema that is no object.
fn shares_sensitive(one: &Map<String, Value>, other: &Map<String, Value>) -> bool {
    other.iter().any(|(name, schema)| {
        one.get(name).is_some_and(|own| own != schema && !(own.is_object() && schema.is_object()))
    })
}

fn merge(keywords: &mut Map<String, Value>, other: Map<String, Value>) {
    for (word, value) in other {
        let Some(own) = keywords.get_mut(&word) else {
            keywords.insert(word, value);
            continue;
        };
        match (word.as_str(), own, value) {
            ("properties", Value::Object(own), Value::Object(named)) => {
                merge_properties(own, named);
            }
            ("required" | "allOf", Value::Array(own), Value::Array(more)) => {
                let further: Vec<_> = more.into_iter().filter(|one| !own.contains(one)).collect();
                own.extend(further);
            }
            _ => {}
        }
    }
}

fn merge_properties(own: &mut Map<String, Value>, named: Map<String, Value>) {
    for (name, schema) in named {
        match own.get_mut(&name) {
            None => drop(own.insert(name, schema)),
            Some(known) if *known == schema => {}
            Some(Value::Object(known)) => conjoin(known, schema),
            Some(known) => *known = json!({ "allOf": [known.take(), schema] }),
        }
    }
}

//! Merges schemas of one value into their conjunction, each added in place.

use std::collections::HashSet;

use serde_json::Value;
use tool_runtime_schema::json::comparison_key;

use super::Keywords;
use super::copy_budget::CopyBudget;
use super::normalize::is_annotation;

/// The conjunction of all schemas that were added, or slightly wider.
///
/// Adding a schema takes time in proportion to that schema: the merged lists keep their members in
/// sets.
pub(super) struct Conjunction {
    merged: Keywords,
    /// The names of `required`, from the second list on.
    required: Option<HashSet<String>>,
    /// The values of `enum`, from the second list on.
    listed: Option<HashSet<String>>,
}

impl Conjunction {
    pub(super) fn new(keywords: Keywords) -> Self {
        Self { merged: keywords, required: None, listed: None }
    }

    pub(super) fn into_keywords(self) -> Keywords {
        self.merged
    }

    /// Adds a schema, and returns the keywords that were widened. Of two annotations, the first one
    /// is kept.
    ///
    /// Schemas of one property or item are copied to be merged, within the budget: beyond it, the
    /// first one is kept.
    pub(super) fn add(&mut self, other: &Keywords, budget: &mut CopyBudget) -> Vec<String> {
        tool_runtime_schema::test_cost::count_values(other.values());
        let keeps_additional_meaning = keeps_additional_meaning(&self.merged, other);
        let mut lost = Vec::new();
        for (keyword, value) in other {
            let Some(known) = self.merged.get(keyword) else {
                self.merged.insert(keyword.clone(), value.clone());
                continue;
            };
            let is_covered = *known == *value || is_annotation(keyword);
            if !is_covered && self.meet(keyword, value, budget).is_none() {
                lost.push(keyword.clone());
            }
        }
        if !keeps_additional_meaning {
            self.remove_additional(&mut lost);
        }
        lost
    }

    /// Merges a value of a keyword that both have; `None` if one keyword cannot express it.
    fn meet(&mut self, keyword: &str, other: &Value, budget: &mut CopyBudget) -> Option<()> {
        let merged_value = self.merged.get_mut(keyword)?;
        match keyword {
            "properties" => add_properties(merged_value.as_object_mut()?, other, budget),
            "type" => {
                *merged_value = common_types(merged_value, other)?;
                Some(())
            }
            "enum" => {
                keep_common(merged_value.as_array_mut()?, &mut self.listed, other.as_array()?)
            }
            "required" => {
                add_names(merged_value.as_array_mut()?, &mut self.required, other.as_array()?);
                Some(())
            }
            "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties" => {
                keep_if(merged_value, other, |merged_value, other| merged_value >= other)
            }
            "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties" => {
                keep_if(merged_value, other, |merged_value, other| merged_value <= other)
            }
            "items" => {
                *merged_value =
                    Value::Object(exact(merged_value.as_object()?, other.as_object()?, budget)?);
                Some(())
            }
            _ => None,
        }
    }

    /// Removes the rules about properties that are not named, which would reject named ones now.
    fn remove_additional(&mut self, lost: &mut Vec<String>) {
        for keyword in ["additionalProperties", "patternProperties"] {
            let Some(gone) = self.merged.remove(keyword) else { continue };
            lost.push(keyword.to_owned());
            // Properties that it accepted would no longer be evaluated, and so be rejected.
            if gone != Value::Bool(false) && self.merged.remove("unevaluatedProperties").is_some() {
                lost.push("unevaluatedProperties".to_owned());
            }
        }
    }
}

/// The conjunction of both schemas if it is exact, and if the budget has room for their copies.
fn exact(one: &Keywords, other: &Keywords, budget: &mut CopyBudget) -> Option<Keywords> {
    if !(budget.spend(one, 1) && budget.spend(other, 1)) {
        return None;
    }
    tool_runtime_schema::test_cost::count_values(one.values());
    let mut both = Conjunction::new(one.clone());
    both.add(other, budget).is_empty().then(|| both.into_keywords())
}

fn keep_if(known: &mut Value, other: &Value, keeps: fn(f64, f64) -> bool) -> Option<()> {
    if !keeps(known.as_f64()?, other.as_f64()?) {
        *known = other.clone();
    }
    Some(())
}

/// Keeps the values that the other list has, too; `None` if there are none.
fn keep_common(
    known: &mut Vec<Value>,
    keys: &mut Option<HashSet<String>>,
    other: &[Value],
) -> Option<()> {
    let known_keys = keys.get_or_insert_with(|| {
        let mut keys = HashSet::new();
        known.retain(|value| keys.insert(comparison_key(value)));
        keys
    });
    let common: HashSet<String> =
        other.iter().map(comparison_key).filter(|key| known_keys.contains(key)).collect();
    if common.is_empty() {
        return None;
    }
    // At least one value goes: no value is read again more often than the other list has values.
    if common.len() < known_keys.len() {
        known.retain(|value| common.contains(&comparison_key(value)));
        *known_keys = common;
    }
    Some(())
}

fn add_names(known: &mut Vec<Value>, names: &mut Option<HashSet<String>>, other: &[Value]) {
    let names = names.get_or_insert_with(|| {
        tool_runtime_schema::test_cost::count(known.len());
        known.iter().map(Value::to_string).collect()
    });
    known.extend(other.iter().filter(|name| names.insert(name.to_string())).cloned());
}

fn common_types(one: &Value, other: &Value) -> Option<Value> {
    let names = |value: &Value| match value {
        Value::Array(names) => names.clone(),
        name => vec![name.clone()],
    };
    let (one, other) = (names(one), names(other));
    let texts = |names: &[Value]| names.iter().map(Value::to_string).collect::<HashSet<_>>();
    let (in_one, in_other) = (texts(&one), texts(&other));
    let holds = |texts: &HashSet<String>, name: &Value| {
        texts.contains(&name.to_string()) || (name == "integer" && texts.contains("\"number\""))
    };
    let mut common: Vec<Value> = one.into_iter().filter(|name| holds(&in_other, name)).collect();
    let common_texts = texts(&common);
    let is_new = |name: &Value| holds(&in_one, name) && !common_texts.contains(&name.to_string());
    common.extend(other.into_iter().filter(is_new));
    match common.len() {
        0 => None,
        1 => common.pop(),
        _ => Some(Value::Array(common)),
    }
}

/// Adds properties; `None` if any cannot be merged exactly, and so keeps its first schema.
fn add_properties(known: &mut Keywords, other: &Value, budget: &mut CopyBudget) -> Option<()> {
    let mut are_exact = true;
    for (name, schema) in other.as_object().into_iter().flatten() {
        match known.get_mut(name) {
            Some(first) if *first == *schema || *schema == Value::Bool(true) => {}
            None => drop(known.insert(name.clone(), schema.clone())),
            Some(first) if *first == Value::Bool(true) => *first = schema.clone(),
            Some(first) => match property_of_both(first, schema, budget) {
                Some(both) => *first = both,
                None => are_exact = false,
            },
        }
    }
    are_exact.then_some(())
}

fn property_of_both(one: &Value, other: &Value, budget: &mut CopyBudget) -> Option<Value> {
    let both = exact(one.as_object()?, other.as_object()?, budget)?;
    (!both.contains_key("$ref")).then_some(Value::Object(both))
}

/// Returns whether `additionalProperties` keeps its meaning once the named properties are merged.
fn keeps_additional_meaning(one: &Keywords, other: &Keywords) -> bool {
    let speaks = |schema: &Keywords| {
        schema.contains_key("additionalProperties") || schema.contains_key("patternProperties")
    };
    let covers = |closed: &Keywords, open: &Keywords| {
        names(open).all(|name| {
            tool_runtime_schema::test_cost::count(1);
            properties(closed).is_some_and(|named| named.contains_key(name))
        })
    };
    match (speaks(one), speaks(other)) {
        (false, false) => true,
        (true, false) => covers(one, other),
        (false, true) => covers(other, one),
        (true, true) => {
            one.get("additionalProperties") == other.get("additionalProperties")
                && one.get("patternProperties") == other.get("patternProperties")
                && names(one).eq(names(other))
        }
    }
}

fn properties(schema: &Keywords) -> Option<&Keywords> {
    schema.get("properties").and_then(Value::as_object)
}

fn names(schema: &Keywords) -> impl Iterator<Item = &str> {
    properties(schema).into_iter().flatten().map(|(name, _)| name.as_str())
}

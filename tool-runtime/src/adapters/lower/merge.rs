//! Merges two schemas of one value: their conjunction and their union.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::Value;

use super::Keywords;
use super::normalize::{is_annotation, types, values};

/// The conjunction of both schemas, or slightly wider; and the keywords that were widened.
///
/// If both have annotations, the first ones are kept.
pub(super) fn conjunction(one: &Keywords, other: &Keywords) -> (Keywords, Vec<String>) {
    let mut merged = one.clone();
    let mut lost = Vec::new();
    for (keyword, value) in other {
        match merged.get(keyword) {
            None => drop(merged.insert(keyword.clone(), value.clone())),
            Some(known) if known == value || is_annotation(keyword) => {}
            Some(Value::Object(known)) if keyword == "properties" => {
                let (met, full_schema) = properties(known, value);
                merged.insert(keyword.clone(), met);
                if !full_schema {
                    lost.push(keyword.clone());
                }
            }
            Some(known) => match meet(keyword, known, value) {
                Some(met) => drop(merged.insert(keyword.clone(), met)),
                None => lost.push(keyword.clone()),
            },
        }
    }
    if !keeps_additional_meaning(one, other) {
        for keyword in ["additionalProperties", "patternProperties"] {
            let Some(gone) = merged.remove(keyword) else { continue };
            lost.push(keyword.to_owned());
            // Properties that it accepted would no longer be evaluated, and so be rejected.
            if gone != Value::Bool(false) && merged.remove("unevaluatedProperties").is_some() {
                lost.push("unevaluatedProperties".to_owned());
            }
        }
    }
    (merged, lost)
}

/// The conjunction of two values of a keyword; `None` if one keyword cannot express it.
fn meet(keyword: &str, one: &Value, other: &Value) -> Option<Value> {
    match keyword {
        "type" => common_types(one, other),
        "enum" => {
            let listed = other.as_array()?;
            let common: Vec<_> =
                one.as_array()?.iter().filter(|value| listed.contains(value)).cloned().collect();
            (!common.is_empty()).then_some(Value::Array(common))
        }
        "required" => {
            let mut names = one.as_array()?.clone();
            names.extend(
                other
                    .as_array()?
                    .iter()
                    .filter(|name| !names.contains(name))
                    .cloned()
                    .collect::<Vec<_>>(),
            );
            Some(Value::Array(names))
        }
        "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties" => {
            Some(if one.as_f64()? >= other.as_f64()? { one } else { other }.clone())
        }
        "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties" => {
            Some(if one.as_f64()? <= other.as_f64()? { one } else { other }.clone())
        }
        "items" => {
            let (merged, lost) = conjunction(one.as_object()?, other.as_object()?);
            lost.is_empty().then_some(Value::Object(merged))
        }
        _ => None,
    }
}

fn common_types(one: &Value, other: &Value) -> Option<Value> {
    let names = |value: &Value| match value {
        Value::Array(names) => names.clone(),
        name => vec![name.clone()],
    };
    let (one, other) = (names(one), names(other));
    let holds = |names: &[Value], name: &Value| {
        names.contains(name) || (name == "integer" && names.contains(&"number".into()))
    };
    let mut common: Vec<Value> = one.iter().filter(|name| holds(&other, name)).cloned().collect();
    let further = other.iter().filter(|name| holds(&one, name) && !common.contains(name)).cloned();
    common.extend(further.collect::<Vec<_>>());
    match common.len() {
        0 => None,
        1 => common.pop(),
        _ => Some(Value::Array(common)),
    }
}

/// The properties of both, and whether all are merged exactly; otherwise, the first schema's is
/// kept.
fn properties(one: &Keywords, other: &Value) -> (Value, bool) {
    let mut merged = one.clone();
    let mut full_schema = true;
    for (name, schema) in other.as_object().into_iter().flatten() {
        let met = match merged.get(name) {
            Some(known) if known == schema || *schema == Value::Bool(true) => continue,
            None | Some(Value::Bool(true)) => Some(schema.clone()),
            Some(known) => property_of_both(known, schema),
        };
        full_schema &= met.is_some();
        if let Some(met) = met {
            merged.insert(name.clone(), met);
        }
    }
    (Value::Object(merged), full_schema)
}

fn property_of_both(one: &Value, other: &Value) -> Option<Value> {
    let (met, lost) = conjunction(one.as_object()?, other.as_object()?);
    (lost.is_empty() && !met.contains_key("$ref")).then_some(Value::Object(met))
}

/// Returns whether `additionalProperties` keeps its meaning once the named properties are merged.
fn keeps_additional_meaning(one: &Keywords, other: &Keywords) -> bool {
    let speaks = |schema: &Keywords| {
        schema.contains_key("additionalProperties") || schema.contains_key("patternProperties")
    };
    let covers = |closed: &Keywords, open: &Keywords| {
        names(open).all(|name| names(closed).any(|known| known == name))
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

fn names(schema: &Keywords) -> impl Iterator<Item = &str> {
    schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(name, _)| name.as_str())
}

/// One object schema that accepts everything that any of the branches accepts.
pub(super) fn any(branches: &[Keywords]) -> Keywords {
    let mut joined = Keywords::new();
    joined.insert("type".to_owned(), "object".into());
    let mut properties = joined_properties(branches);
    let required = required_by_all(branches);
    for name in branches.iter().flat_map(|branch| self::required(Some(branch))) {
        let schema = name.as_str().and_then(|name| properties.get_mut(name)?.as_object_mut());
        if let (Some(schema), false) = (schema, required.contains(name)) {
            // The branch that requires the property has no default for it.
            schema.remove("default");
        }
    }
    joined.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        joined.insert("required".to_owned(), Value::Array(required));
    }
    if branches.iter().all(is_closed) {
        joined.insert("additionalProperties".to_owned(), false.into());
    }
    joined
}

fn required(branch: Option<&Keywords>) -> impl Iterator<Item = &Value> {
    branch.and_then(|branch| branch.get("required")?.as_array()).into_iter().flatten()
}

fn is_closed(branch: &Keywords) -> bool {
    branch.get("additionalProperties") == Some(&Value::Bool(false))
        && !branch.contains_key("patternProperties")
}

/// The properties that every branch requires, in the order of the first one.
fn required_by_all(branches: &[Keywords]) -> Vec<Value> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for branch in branches {
        let names: HashSet<&str> = required(Some(branch)).filter_map(Value::as_str).collect();
        for name in names {
            *counts.entry(name).or_default() += 1;
        }
    }
    let is_common =
        |name: &&Value| name.as_str().is_some_and(|name| counts.get(name) == Some(&branches.len()));
    required(branches.first()).filter(is_common).cloned().collect()
}

/// The properties of all branches; one that an open branch does not name has any value.
fn joined_properties(branches: &[Keywords]) -> Keywords {
    let mut schemas: BTreeMap<&str, DistinctSchemas> = BTreeMap::new();
    let open_branches = branches.iter().filter(|branch| !is_closed(branch)).count();
    for branch in branches {
        let is_open = !is_closed(branch);
        let named = branch.get("properties").and_then(Value::as_object).into_iter().flatten();
        for (name, schema) in named {
            crate::steps::count(1);
            schemas.entry(name).or_default().add(schema, is_open);
        }
    }
    let joined = schemas.into_iter().map(|(name, found)| {
        let is_named_by_all = found.open_branches == open_branches;
        let schema = if is_named_by_all { found.union() } else { Value::Bool(true) };
        (name.to_owned(), schema)
    });
    joined.collect()
}

/// The schemas of one property in several branches, each once.
#[derive(Default)]
struct DistinctSchemas {
    schemas: Vec<Value>,
    texts: HashSet<String>,
    /// Open branches that name the property.
    open_branches: usize,
}

impl DistinctSchemas {
    fn add(&mut self, schema: &Value, is_open: bool) {
        self.open_branches += usize::from(is_open);
        if self.texts.insert(schema.to_string()) {
            self.schemas.push(schema.clone());
        }
    }

    fn union(mut self) -> Value {
        if self.schemas.len() == 1 {
            return self.schemas.remove(0);
        }
        let schemas = self.schemas;
        one_of_values(&schemas).unwrap_or_else(|| serde_json::json!({ "anyOf": schemas }))
    }
}

/// Merges enumerations into one, and moves the descriptions of their values beside it.
pub(super) fn one_of_values(schemas: &[Value]) -> Option<Value> {
    let mut listed: Vec<Value> = Vec::new();
    let mut known: HashSet<String> = HashSet::new();
    let mut kinds: Vec<String> = Vec::new();
    let mut texts: Vec<String> = Vec::new();
    for schema in schemas {
        let keywords = schema.as_object()?;
        let lists = |keyword: &String| ["type", "const", "enum"].contains(&keyword.as_str());
        if !keywords.keys().all(|keyword| lists(keyword) || is_annotation(keyword)) {
            return None;
        }
        let own = values(keywords)?;
        if let ([value], Some(text)) = (own.as_slice(), keywords.get("description")) {
            texts.push(format!("`{}`: {}", plain(value), text.as_str()?));
        }
        kinds.extend(
            types(keywords).into_iter().filter(|kind| !kinds.contains(kind)).collect::<Vec<_>>(),
        );
        listed.extend(own.into_iter().filter(|value| known.insert(value.to_string())));
    }
    let mut joined = Keywords::new();
    let kind = if kinds.len() == 1 { Value::from(kinds.remove(0)) } else { Value::from(kinds) };
    joined.insert("type".to_owned(), kind);
    joined.insert("enum".to_owned(), Value::Array(listed));
    if !texts.is_empty() {
        joined.insert("description".to_owned(), texts.join("\n").into());
    }
    Some(Value::Object(joined))
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

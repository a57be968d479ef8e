//! Merges schemas of one value: their union. Their conjunction is in [`super::conjunction`].

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::Value;

use super::Keywords;
use super::normalize::{is_annotation, types, values};

/// One object schema that accepts everything that any of the branches accepts.
pub(super) fn union_of_objects(branches: &[Keywords]) -> Keywords {
    let mut joined = Keywords::new();
    joined.insert("type".to_owned(), "object".into());
    let mut properties = joined_properties(branches);
    let required = required_by_all(branches);
    remove_defaults(&mut properties, branches, &required);
    joined.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        joined.insert("required".to_owned(), Value::Array(required));
    }
    if branches.iter().all(is_closed) {
        joined.insert("additionalProperties".to_owned(), false.into());
    }
    joined
}

/// Removes the defaults of properties that some of the branches require: those have no default.
pub(super) fn remove_defaults(
    properties: &mut Keywords,
    branches: &[Keywords],
    required_by_all: &[Value],
) {
    let required_by_all: HashSet<&str> = required_by_all.iter().filter_map(Value::as_str).collect();
    let names = branches.iter().flat_map(|branch| required(Some(branch))).filter_map(Value::as_str);
    for name in names.filter(|name| !required_by_all.contains(name)) {
        tool_runtime_schema::test_cost::count(1);
        if let Some(schema) = properties.get_mut(name).and_then(Value::as_object_mut) {
            schema.remove("default");
        }
    }
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
        let properties = branch.get("properties").and_then(Value::as_object).into_iter().flatten();
        for (name, schema) in properties {
            tool_runtime_schema::test_cost::count(1);
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
        tool_runtime_schema::test_cost::count_values([schema]);
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
    let mut enum_values: Vec<Value> = Vec::new();
    let mut known_values: HashSet<String> = HashSet::new();
    let mut kinds: Vec<String> = Vec::new();
    let mut known_kinds: HashSet<String> = HashSet::new();
    let mut texts: Vec<String> = Vec::new();
    for schema in schemas {
        let keywords = schema.as_object()?;
        let lists = |keyword: &String| ["type", "const", "enum"].contains(&keyword.as_str());
        if !keywords.keys().all(|keyword| lists(keyword) || is_annotation(keyword)) {
            return None;
        }
        let schema_values = values(keywords)?;
        if let ([value], Some(text)) = (schema_values.as_slice(), keywords.get("description")) {
            texts.push(format!("`{}`: {}", plain(value), text.as_str()?));
        }
        kinds.extend(types(keywords).into_iter().filter(|kind| known_kinds.insert(kind.clone())));
        enum_values.extend(
            schema_values.into_iter().filter(|value| known_values.insert(value.to_string())),
        );
    }
    let mut joined = Keywords::new();
    let kind = if kinds.len() == 1 { Value::from(kinds.remove(0)) } else { Value::from(kinds) };
    joined.insert("type".to_owned(), kind);
    joined.insert("enum".to_owned(), Value::Array(enum_values));
    if !texts.is_empty() {
        joined.insert("description".to_owned(), texts.join("\n").into());
    }
    Some(Value::Object(joined))
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

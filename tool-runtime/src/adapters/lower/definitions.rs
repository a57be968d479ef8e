//! Resolves the `$ref`s of one schema document.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Map, Value};

use crate::schema::reference;

/// The document that references point into.
#[derive(Debug, Clone, Copy)]
pub(in crate::adapters) struct Definitions<'s> {
    root: &'s Value,
}

/// The longest chain of references that is followed; a longer one is treated as a cycle.
const MAX_REFERENCE_CHAIN: usize = 64;

impl<'s> Definitions<'s> {
    pub(in crate::adapters) fn new(root: &'s Value) -> Self {
        Self { root }
    }

    pub(super) fn root(self) -> &'s Value {
        self.root
    }

    /// The target of a schema's own `$ref`.
    pub(in crate::adapters) fn target(self, schema: &Value) -> Option<&'s Value> {
        self.at(schema.get("$ref")?.as_str()?)
    }

    /// The target of a reference.
    pub(super) fn at(self, text: &str) -> Option<&'s Value> {
        self.root.pointer(&reference::pointer(text)?)
    }

    /// The schema, or the end of its chain of references.
    pub(in crate::adapters) fn resolved<'v>(self, schema: &'v Value) -> &'v Value
    where
        's: 'v,
    {
        let mut found = schema;
        for _ in 0..MAX_REFERENCE_CHAIN {
            match self.target(found) {
                Some(target) => found = target,
                None => break,
            }
        }
        found
    }

    /// Returns whether the target of a reference refers back to it.
    pub(super) fn is_recursive(self, text: &str) -> bool {
        let mut seen = BTreeSet::new();
        let mut open: Vec<&str> = self.at(text).map(references).unwrap_or_default();
        while let Some(next) = open.pop() {
            if next == text {
                return true;
            }
            if seen.insert(next) {
                open.extend(self.at(next).map(references).unwrap_or_default());
            }
        }
        false
    }

    /// Returns whether a schema within this one, also through references, has the default `null`.
    pub(super) fn has_null_default(self, schema: &Value) -> bool {
        let (mut seen, mut open) = (BTreeSet::new(), vec![schema]);
        while let Some(next) = open.pop() {
            match next {
                Value::Object(keywords) => {
                    if keywords.get("default") == Some(&Value::Null) {
                        return true;
                    }
                    let target = keywords.get("$ref").and_then(Value::as_str);
                    open.extend(
                        target.filter(|text| seen.insert(*text)).and_then(|text| self.at(text)),
                    );
                    open.extend(keywords.values());
                }
                Value::Array(items) => open.extend(items),
                _ => {}
            }
        }
        false
    }
}

/// Every reference within a schema.
fn references(schema: &Value) -> Vec<&str> {
    let mut found = Vec::new();
    let mut open = vec![schema];
    while let Some(next) = open.pop() {
        match next {
            Value::Object(keywords) => {
                found.extend(keywords.get("$ref").and_then(Value::as_str));
                open.extend(keywords.values());
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    found
}

/// Returns whether a schema accepts `null`. In doubt it does, so that no intended `null` is
/// removed.
pub(super) fn admits_null(schema: &Value, definitions: Definitions<'_>) -> bool {
    admits(schema, definitions, MAX_REFERENCE_CHAIN, &mut HashMap::new())
}

/// Visits each reference only once.
fn admits<'v>(
    schema: &'v Value,
    definitions: Definitions<'v>,
    steps: usize,
    known: &mut HashMap<&'v str, bool>,
) -> bool {
    let Value::Object(keywords) = schema else { return *schema != Value::Bool(false) };
    let Some(steps) = steps.checked_sub(1) else { return true };
    let mut admits = |schema| admits(schema, definitions, steps, known);
    let is_null = |name: &Value| name == "null";
    keywords.iter().all(|(keyword, value)| match (keyword.as_str(), value) {
        ("type", Value::Array(names)) => {
            names.iter().any(is_null) || keywords.get("nullable") == Some(&true.into())
        }
        ("type", name) => is_null(name) || keywords.get("nullable") == Some(&true.into()),
        ("enum", Value::Array(values)) => values.contains(&Value::Null),
        ("const", value) => value.is_null(),
        ("allOf", Value::Array(branches)) => branches.iter().all(&mut admits),
        ("anyOf" | "oneOf", Value::Array(branches)) => branches.iter().any(&mut admits),
        _ => true,
    }) && refers_to_null(keywords, definitions, steps, known)
}

fn refers_to_null<'v>(
    keywords: &'v Map<String, Value>,
    definitions: Definitions<'v>,
    steps: usize,
    known: &mut HashMap<&'v str, bool>,
) -> bool {
    let Some(text) = keywords.get("$ref").and_then(Value::as_str) else { return true };
    if let Some(admitted) = known.get(text) {
        return *admitted;
    }
    // A cycle does not restrict anything.
    known.insert(text, true);
    let target = definitions.at(text);
    let admitted = target.is_none_or(|target| admits(target, definitions, steps, known));
    known.insert(text, admitted);
    admitted
}

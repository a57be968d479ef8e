//! Resolves the `$ref`s of one schema document.

use std::collections::HashMap;

use serde_json::{Map, Value};
use tool_runtime_schema::schema::reference;

use super::copy_budget::CopyBudget;

/// The document that references point into.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Definitions<'s> {
    root: &'s Value,
}

/// The longest chain of references that is followed; a longer one is treated as a cycle.
const MAX_REFERENCE_CHAIN: usize = 64;

impl<'s> Definitions<'s> {
    pub(crate) fn new(root: &'s Value) -> Self {
        Self { root }
    }

    pub(super) fn root(self) -> &'s Value {
        self.root
    }

    /// The target of a schema's own `$ref`.
    pub(crate) fn target(self, schema: &Value) -> Option<&'s Value> {
        self.at(schema.get("$ref")?.as_str()?)
    }

    /// The target of a reference.
    pub(super) fn at(self, text: &str) -> Option<&'s Value> {
        self.root.pointer(&reference::pointer(text)?)
    }

    /// The schema, or the end of its chain of references.
    pub(crate) fn resolved<'v>(self, schema: &'v Value) -> &'v Value
    where
        's: 'v,
    {
        let mut resolved_schema = schema;
        for _ in 0..MAX_REFERENCE_CHAIN {
            match self.target(resolved_schema) {
                Some(target) => resolved_schema = target,
                None => break,
            }
        }
        resolved_schema
    }
}

/// Returns whether a schema accepts `null`. In doubt it does, so that no intended `null` is
/// removed.
pub(super) fn admits_null(
    schema: &Value,
    definitions: Definitions<'_>,
    reads: &mut CopyBudget,
) -> bool {
    let mut search = NullSearch { definitions, reads, known: HashMap::new() };
    search.admits(schema, MAX_REFERENCE_CHAIN)
}

/// A search for `null`, which visits each reference only once.
struct NullSearch<'v, 'b> {
    definitions: Definitions<'v>,
    /// The reads that are left for all searches: without any, `null` is accepted.
    reads: &'b mut CopyBudget,
    known: HashMap<&'v str, bool>,
}

impl<'v> NullSearch<'v, '_> {
    fn admits(&mut self, schema: &'v Value, levels: usize) -> bool {
        let Value::Object(keywords) = schema else { return *schema != Value::Bool(false) };
        let Some(levels) = levels.checked_sub(1) else { return true };
        let entries = keywords.values().map(|value| value.as_array().map_or(1, Vec::len));
        if !self.reads.spend_steps(entries.sum()) {
            return true;
        }
        let is_null = |name: &Value| name == "null";
        let is_nullable = || keywords.get("nullable") == Some(&true.into());
        keywords.iter().all(|(keyword, value)| match (keyword.as_str(), value) {
            ("type", Value::Array(names)) => names.iter().any(is_null) || is_nullable(),
            ("type", name) => is_null(name) || is_nullable(),
            ("enum", Value::Array(values)) => values.contains(&Value::Null),
            ("const", value) => value.is_null(),
            ("allOf", Value::Array(branches)) => {
                branches.iter().all(|branch| self.admits(branch, levels))
            }
            ("anyOf" | "oneOf", Value::Array(branches)) => {
                branches.iter().any(|branch| self.admits(branch, levels))
            }
            _ => true,
        }) && self.refers_to_null(keywords, levels)
    }

    fn refers_to_null(&mut self, keywords: &'v Map<String, Value>, levels: usize) -> bool {
        let Some(text) = keywords.get("$ref").and_then(Value::as_str) else { return true };
        if let Some(admitted) = self.known.get(text) {
            return *admitted;
        }
        // A cycle does not restrict anything.
        self.known.insert(text, true);
        let target = self.definitions.at(text);
        let admitted = target.is_none_or(|target| self.admits(target, levels));
        self.known.insert(text, admitted);
        admitted
    }
}

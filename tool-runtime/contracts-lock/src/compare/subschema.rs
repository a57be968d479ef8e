//! Positions in a schema document, and the references between them.

use std::collections::HashMap;

use serde_json::{Map, Value};
use tool_runtime_schema::schema::reference::{escaped, pointer};

use super::keywords;

/// A schema within a document.
#[derive(Debug, Clone, Copy)]
pub(super) struct Subschema<'s> {
    pub(super) schema: &'s Value,
    pub(super) root: &'s Value,
}

/// Schemas that apply to the same value; a value must satisfy all of them.
pub(super) type AllOf<'s> = Vec<Subschema<'s>>;

impl<'s> Subschema<'s> {
    pub(super) const fn root(root: &'s Value) -> Self {
        Self { schema: root, root }
    }

    /// Another schema of the same document.
    pub(super) const fn with_schema(self, schema: &'s Value) -> Self {
        Self { schema, root: self.root }
    }

    pub(super) fn all_of(self) -> AllOf<'s> {
        vec![self]
    }

    /// Identifies this schema among all schemas of both documents.
    pub(super) fn id(self) -> usize {
        std::ptr::from_ref(self.schema).addr()
    }

    pub(super) fn keywords(self) -> Option<&'s Map<String, Value>> {
        self.schema.as_object()
    }

    pub(super) fn get(self, keyword: &str) -> Option<&'s Value> {
        self.keywords()?.get(keyword)
    }

    pub(super) fn child(self, keyword: &str) -> Option<Self> {
        self.get(keyword).map(|schema| self.with_schema(schema))
    }

    /// The schemas in a list.
    pub(super) fn list(self, keyword: &str) -> Vec<Self> {
        let list = self.get(keyword).and_then(Value::as_array);
        list.into_iter().flatten().map(|schema| self.with_schema(schema)).collect()
    }

    /// The schemas in a map, by name.
    pub(super) fn subschema_map(self, keyword: &str) -> Vec<(&'s str, Self)> {
        let map = self.get(keyword).and_then(Value::as_object);
        map.into_iter()
            .flatten()
            .map(|(name, schema)| (name.as_str(), self.with_schema(schema)))
            .collect()
    }

    /// The target of `$ref`, if it is in the document.
    pub(super) fn target(self) -> Option<Self> {
        let place = pointer(self.get("$ref")?.as_str()?)?;
        self.root.pointer(&place).map(|schema| self.with_schema(schema))
    }

    /// Returns whether `$ref` certainly refers to another document. An anchor does not, and next
    /// to an `$id` a reference may refer back to this document.
    pub(super) fn is_external(self) -> bool {
        let reference = self.get("$ref").and_then(Value::as_str).unwrap_or_default();
        !(reference.is_empty() || reference.starts_with('#') || self.root.get("$id").is_some())
    }

    /// Follows chained `$ref`s that have no sibling keywords.
    pub(super) fn resolved(self) -> Self {
        const MAX_HOPS: usize = 64;
        let mut subschema = self;
        for _ in 0..MAX_HOPS {
            match subschema.target() {
                Some(target) if subschema.is_only_assertion("$ref") => subschema = target,
                _ => break,
            }
        }
        subschema
    }

    /// Returns whether `keyword` is the only assertion.
    pub(super) fn is_only_assertion(self, keyword: &str) -> bool {
        let words = self.keywords().into_iter().flat_map(Map::keys);
        words.into_iter().all(|word| word == keyword || !keywords::asserts(word))
    }
}

/// Sorts and deduplicates the schemas.
pub(super) fn merge_all_of<'s>(nodes: impl IntoIterator<Item = AllOf<'s>>) -> AllOf<'s> {
    let mut parts: AllOf<'s> = nodes.into_iter().flatten().collect();
    parts.sort_by_key(|subschema| subschema.id());
    parts.dedup_by_key(|subschema| subschema.id());
    parts
}

/// The locations of schemas in their documents, as JSON Pointers.
pub(super) struct SubschemaPointers(HashMap<usize, String>);

impl SubschemaPointers {
    /// Finds all locations in one pass over each document.
    pub(super) fn new<'s>(subschemas: impl Iterator<Item = Subschema<'s>>) -> Self {
        let mut roots: Vec<&Value> = Vec::new();
        let mut pointers = HashMap::new();
        for subschema in subschemas {
            pointers.insert(subschema.id(), String::new());
            // There are two documents, and constants.
            if !roots.iter().any(|root| std::ptr::eq(*root, subschema.root)) {
                roots.push(subschema.root);
            }
        }
        for root in roots {
            locate(root, &mut String::new(), &mut pointers);
        }
        Self(pointers)
    }

    pub(super) fn pointer(&self, subschema: Subschema<'_>) -> String {
        self.0.get(&subschema.id()).cloned().unwrap_or_default()
    }
}

fn locate(at: &Value, path: &mut String, pointers: &mut HashMap<usize, String>) {
    tool_runtime_schema::test_cost::count(1);
    if let Some(pointer) = pointers.get_mut(&std::ptr::from_ref(at).addr()) {
        pointer.clone_from(path);
    }
    let length = path.len();
    let mut inside = |name: &str, value| {
        path.push('/');
        path.push_str(name);
        locate(value, path, pointers);
        path.truncate(length);
    };
    match at {
        Value::Object(map) => map.iter().for_each(|(name, value)| inside(&escaped(name), value)),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(at, value)| inside(&at.to_string(), value));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

//! Parts of a schema document, and the references between them.

use serde_json::{Map, Value};

use super::words;
use crate::schema::reference::{escaped, pointer};

/// A schema somewhere in a document.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part<'s> {
    pub(super) schema: &'s Value,
    pub(super) root: &'s Value,
}

/// Schemas that look at the same value: what passes them all. None at all let everything pass.
pub(super) type Node<'s> = Vec<Part<'s>>;

impl<'s> Part<'s> {
    pub(super) const fn root(root: &'s Value) -> Self {
        Self { schema: root, root }
    }

    /// Another schema of the same document.
    pub(super) const fn of(self, schema: &'s Value) -> Self {
        Self { schema, root: self.root }
    }

    pub(super) fn node(self) -> Node<'s> {
        vec![self]
    }

    /// Tells this schema from every other of both documents.
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
        self.get(keyword).map(|schema| self.of(schema))
    }

    /// The schemas in a list.
    pub(super) fn list(self, keyword: &str) -> Vec<Self> {
        let list = self.get(keyword).and_then(Value::as_array);
        list.into_iter().flatten().map(|schema| self.of(schema)).collect()
    }

    /// The schemas in a map, by name.
    pub(super) fn named(self, keyword: &str) -> Vec<(&'s str, Self)> {
        let map = self.get(keyword).and_then(Value::as_object);
        map.into_iter().flatten().map(|(name, schema)| (name.as_str(), self.of(schema))).collect()
    }

    /// What `$ref` points to, if that is in the document.
    pub(super) fn target(self) -> Option<Self> {
        let place = pointer(self.get("$ref")?.as_str()?)?;
        self.root.pointer(&place).map(|schema| self.of(schema))
    }

    /// Does `$ref` lead out of the document for certain? An anchor does not, and what stands
    /// beside an `$id` may lead back to it.
    pub(super) fn leads_out(self) -> bool {
        let reference = self.get("$ref").and_then(Value::as_str).unwrap_or_default();
        !(reference.is_empty() || reference.starts_with('#') || self.root.get("$id").is_some())
    }

    /// Follows a `$ref` that stands alone, and so on.
    pub(super) fn settled(self) -> Self {
        const LONGEST: usize = 64;
        let mut part = self;
        for _ in 0..LONGEST {
            match part.target() {
                Some(target) if part.is_alone("$ref") => part = target,
                _ => break,
            }
        }
        part
    }

    /// Does nothing but that keyword assert anything?
    pub(super) fn is_alone(self, keyword: &str) -> bool {
        let words = self.keywords().into_iter().flat_map(Map::keys);
        words.into_iter().all(|word| word == keyword || !words::asserts(word))
    }

    /// The place in the document, as a JSON Pointer.
    pub(super) fn pointer(self) -> String {
        found(self.root, self.schema, &mut String::new()).unwrap_or_default()
    }
}

/// Sorts the parts, and leaves out those that are there twice.
pub(super) fn all_of<'s>(nodes: impl IntoIterator<Item = Node<'s>>) -> Node<'s> {
    let mut parts: Node<'s> = nodes.into_iter().flatten().collect();
    parts.sort_by_key(|part| part.id());
    parts.dedup_by_key(|part| part.id());
    parts
}

fn found(at: &Value, wanted: &Value, path: &mut String) -> Option<String> {
    if std::ptr::eq(at, wanted) {
        return Some(path.clone());
    }
    let children: Vec<(String, &Value)> = match at {
        Value::Object(map) => map.iter().map(|(name, value)| (escaped(name), value)).collect(),
        Value::Array(list) => list.iter().enumerate().map(|(i, v)| (i.to_string(), v)).collect(),
        _ => return None,
    };
    for (name, value) in children {
        let length = path.len();
        path.push('/');
        path.push_str(&name);
        if let Some(pointer) = found(value, wanted, path) {
            return Some(pointer);
        }
        path.truncate(length);
    }
    None
}

//! What is asked of objects.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::text::matches;
use super::{Unread, size};
use crate::schema::compare::part::{Node, Part, all_of};

/// The objects that a schema lets pass.
#[derive(Debug, Clone)]
pub(in super::super) struct Objects<'s> {
    /// One for each schema that speaks of properties: `additionalProperties` of one knows nothing
    /// of what another names.
    pub(in super::super) layers: Vec<Layer<'s>>,
    pub(in super::super) required: BTreeSet<&'s str>,
    pub(in super::super) min: usize,
    pub(in super::super) max: usize,
    pub(in super::super) names: Node<'s>,
    pub(in super::super) dependents: Vec<Dependent<'s>>,
    /// Properties of which one value is looked at after the other.
    pub(in super::super) pinned: BTreeMap<&'s str, Value>,
    /// Which properties count as evaluated depends on more than is written down here.
    pub(in super::super) vague: bool,
}

/// What one schema says of properties.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct Layer<'s> {
    pub(in super::super) named: BTreeMap<&'s str, Node<'s>>,
    pub(in super::super) patterns: Vec<(&'s str, Node<'s>)>,
    pub(in super::super) others: Node<'s>,
    /// It looks at every property, so that none is left unevaluated.
    pub(in super::super) all: bool,
}

/// What the presence of one property asks for.
#[derive(Debug, Clone)]
pub(in super::super) struct Dependent<'s> {
    pub(in super::super) name: &'s str,
    pub(in super::super) required: Vec<&'s str>,
    pub(in super::super) schema: Option<Part<'s>>,
}

impl<'s> Objects<'s> {
    pub(super) fn read(part: Part<'s>) -> Result<Self, Unread> {
        let dependents = dependents(part)?;
        Ok(Self {
            layers: Layer::read(part)?.into_iter().collect(),
            required: part
                .get("required")
                .map_or(Some(Vec::new()), names)
                .ok_or("required")?
                .into_iter()
                .collect(),
            min: size(part, "minProperties")?.unwrap_or(0),
            max: size(part, "maxProperties")?.unwrap_or(usize::MAX),
            names: part.child("propertyNames").map(Part::node).unwrap_or_default(),
            pinned: BTreeMap::new(),
            vague: dependents.iter().any(|dependent| dependent.schema.is_some()),
            dependents,
        })
    }

    pub(super) fn meet(mut self, other: &Self) -> Self {
        self.layers.extend(other.layers.iter().cloned());
        self.required.extend(&other.required);
        self.min = self.min.max(other.min);
        self.max = self.max.min(other.max);
        self.names = all_of([self.names, other.names.clone()]);
        self.dependents.extend(other.dependents.iter().cloned());
        self.pinned.extend(other.pinned.iter().map(|(name, value)| (*name, value.clone())));
        self.vague |= other.vague;
        self
    }

    /// Does every object pass?
    pub(in super::super) fn is_open(&self) -> bool {
        let silent = self.layers.is_empty() && self.names.is_empty() && self.dependents.is_empty();
        silent && self.required.is_empty() && self.min == 0 && self.max == usize::MAX
    }

    /// The names that are spoken of.
    pub(in super::super) fn known(&self) -> BTreeSet<&'s str> {
        let named = self.layers.iter().flat_map(|layer| layer.named.keys().copied());
        named.chain(self.required.iter().copied()).collect()
    }

    /// What is asked of the property of a name; none if nobody can tell.
    pub(in super::super) fn property(&self, name: &str) -> Option<Node<'s>> {
        let nodes: Option<Vec<_>> = self.layers.iter().map(|layer| layer.property(name)).collect();
        nodes.map(all_of)
    }

    /// The fewest and the most properties that there can be.
    pub(in super::super) fn sizes(&self) -> (usize, usize) {
        let listed = self.layers.iter().filter_map(Layer::closed_to).min();
        (self.min.max(self.required.len()), self.max.min(listed.unwrap_or(usize::MAX)))
    }

    /// Asks something of the properties that no layer evaluates.
    pub(in super::super) fn ask_the_rest(&mut self, rest: Part<'s>) {
        if self.layers.iter().any(|layer| layer.all) {
            return;
        }
        let mut layer = Layer { others: rest.node(), all: true, ..Layer::default() };
        for known in &self.layers {
            layer.named.extend(known.named.keys().map(|name| (*name, Node::new())));
            layer.patterns.extend(known.patterns.iter().map(|(text, _)| (*text, Node::new())));
        }
        self.layers.push(layer);
    }

    /// What counts as evaluated.
    pub(in super::super) fn evaluated(&self) -> (bool, BTreeSet<&'s str>, BTreeSet<&'s str>) {
        let all = self.layers.iter().any(|layer| layer.all);
        let names = self.layers.iter().flat_map(|layer| layer.named.keys().copied());
        let patterns = self.layers.iter().flat_map(|layer| layer.patterns.iter());
        (all, names.collect(), patterns.map(|(text, _)| *text).collect())
    }
}

impl<'s> Layer<'s> {
    fn read(part: Part<'s>) -> Result<Option<Self>, Unread> {
        for word in ["properties", "patternProperties"] {
            if part.get(word).is_some_and(|map| !map.is_object()) {
                return Err(word);
            }
        }
        let pair = |(name, part): (&'s str, Part<'s>)| (name, part.node());
        let layer = Self {
            named: part.named("properties").into_iter().map(pair).collect(),
            patterns: part.named("patternProperties").into_iter().map(pair).collect(),
            others: part.child("additionalProperties").map(Part::node).unwrap_or_default(),
            all: part.get("additionalProperties").is_some(),
        };
        let silent = layer.named.is_empty() && layer.patterns.is_empty() && !layer.all;
        Ok((!silent).then_some(layer))
    }

    fn property(&self, name: &str) -> Option<Node<'s>> {
        let mut nodes: Vec<_> = self.named.get(name).cloned().into_iter().collect();
        for (pattern, node) in &self.patterns {
            if matches(pattern, name)? {
                nodes.push(node.clone());
            }
        }
        Some(if nodes.is_empty() { self.others.clone() } else { all_of(nodes) })
    }

    /// How many names there are, if there are no others.
    fn closed_to(&self) -> Option<usize> {
        let never = self.others.iter().any(|part| part.schema == &Value::Bool(false));
        (never && self.patterns.is_empty()).then_some(self.named.len())
    }
}

fn names(list: &Value) -> Option<Vec<&str>> {
    list.as_array()?.iter().map(Value::as_str).collect()
}

fn dependents(part: Part<'_>) -> Result<Vec<Dependent<'_>>, Unread> {
    let mut found = Vec::new();
    for word in ["dependentRequired", "dependentSchemas", "dependencies"] {
        if part.get(word).is_some_and(|map| !map.is_object()) {
            return Err(word);
        }
        for (name, inner) in part.named(word) {
            let listed = inner.schema.is_array() && word != "dependentSchemas";
            let required = match names(inner.schema) {
                Some(required) if listed => required,
                None if word == "dependentRequired" || listed => return Err(word),
                _ => Vec::new(),
            };
            let schema = (!listed).then_some(inner);
            found.push(Dependent { name, required, schema });
        }
    }
    Ok(found)
}

//! Constraints on objects.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::string::matches;
use super::{UnreadableKeyword, size};
use crate::compare::subschema::{AllOf, Subschema, merge_all_of};

/// The objects that a schema accepts.
#[derive(Debug, Clone)]
pub(in super::super) struct ObjectConstraints<'s> {
    /// One for each schema with property keywords: `additionalProperties` of one ignores the
    /// properties that another names.
    pub(in super::super) layers: Vec<PropertyLayer<'s>>,
    pub(in super::super) required: BTreeSet<&'s str>,
    pub(in super::super) min: usize,
    pub(in super::super) max: usize,
    pub(in super::super) names: AllOf<'s>,
    pub(in super::super) dependents: Vec<PropertyDependency<'s>>,
    /// Properties with a fixed value, during a comparison by discriminator.
    pub(in super::super) fixed: BTreeMap<&'s str, Value>,
    /// The set of evaluated properties is not completely known.
    pub(in super::super) evaluation_unknown: bool,
}

/// The property keywords of one schema.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct PropertyLayer<'s> {
    pub(in super::super) named: BTreeMap<&'s str, AllOf<'s>>,
    pub(in super::super) patterns: Vec<(&'s str, AllOf<'s>)>,
    pub(in super::super) others: AllOf<'s>,
    /// Evaluates every property.
    pub(in super::super) all: bool,
}

/// Rules that apply if a property is present.
#[derive(Debug, Clone)]
pub(in super::super) struct PropertyDependency<'s> {
    pub(in super::super) name: &'s str,
    pub(in super::super) required: Vec<&'s str>,
    pub(in super::super) schema: Option<Subschema<'s>>,
}

impl<'s> ObjectConstraints<'s> {
    pub(super) fn read(subschema: Subschema<'s>) -> Result<Self, UnreadableKeyword> {
        let dependents = dependents(subschema)?;
        Ok(Self {
            layers: PropertyLayer::read(subschema)?.into_iter().collect(),
            required: subschema
                .get("required")
                .map_or(Some(Vec::new()), names)
                .ok_or("required")?
                .into_iter()
                .collect(),
            min: size(subschema, "minProperties")?.unwrap_or(0),
            max: size(subschema, "maxProperties")?.unwrap_or(usize::MAX),
            names: subschema.child("propertyNames").map(Subschema::all_of).unwrap_or_default(),
            fixed: BTreeMap::new(),
            evaluation_unknown: dependents.iter().any(|dependent| dependent.schema.is_some()),
            dependents,
        })
    }

    pub(super) fn intersect(mut self, other: &Self) -> Self {
        self.layers.extend(other.layers.iter().cloned());
        self.required.extend(&other.required);
        self.min = self.min.max(other.min);
        self.max = self.max.min(other.max);
        self.names = merge_all_of([self.names, other.names.clone()]);
        self.dependents.extend(other.dependents.iter().cloned());
        self.fixed.extend(other.fixed.iter().map(|(name, value)| (*name, value.clone())));
        self.evaluation_unknown |= other.evaluation_unknown;
        self
    }

    /// Returns whether every object is valid.
    pub(in super::super) fn is_open(&self) -> bool {
        let silent = self.layers.is_empty() && self.names.is_empty() && self.dependents.is_empty();
        silent && self.required.is_empty() && self.min == 0 && self.max == usize::MAX
    }

    /// The named properties.
    pub(in super::super) fn known(&self) -> BTreeSet<&'s str> {
        let layer_names = self.layers.iter().flat_map(|layer| layer.named.keys().copied());
        layer_names.chain(self.required.iter().copied()).collect()
    }

    /// The schemas of a property; `None` if they are unknown.
    pub(in super::super) fn property(&self, name: &str) -> Option<AllOf<'s>> {
        let lists: Option<Vec<_>> = self.layers.iter().map(|layer| layer.property(name)).collect();
        lists.map(merge_all_of)
    }

    /// The smallest and the largest possible number of properties.
    pub(in super::super) fn sizes(&self) -> (usize, usize) {
        let name_limit = self.layers.iter().filter_map(PropertyLayer::closed_to).min();
        (self.min.max(self.required.len()), self.max.min(name_limit.unwrap_or(usize::MAX)))
    }

    /// Applies a schema to the properties that no layer evaluates.
    pub(in super::super) fn constrain_unevaluated(&mut self, rest: Subschema<'s>) {
        if self.layers.iter().any(|layer| layer.all) {
            return;
        }
        let mut layer =
            PropertyLayer { others: rest.all_of(), all: true, ..PropertyLayer::default() };
        for known in &self.layers {
            layer.named.extend(known.named.keys().map(|name| (*name, AllOf::new())));
            layer.patterns.extend(known.patterns.iter().map(|(text, _)| (*text, AllOf::new())));
        }
        self.layers.push(layer);
    }

    /// The evaluated properties: whether all are, their names, and their patterns.
    pub(in super::super) fn evaluated(&self) -> (bool, BTreeSet<&'s str>, BTreeSet<&'s str>) {
        let has_catch_all = self.layers.iter().any(|layer| layer.all);
        let names = self.layers.iter().flat_map(|layer| layer.named.keys().copied());
        let patterns = self.layers.iter().flat_map(|layer| layer.patterns.iter());
        (has_catch_all, names.collect(), patterns.map(|(text, _)| *text).collect())
    }
}

impl<'s> PropertyLayer<'s> {
    fn read(subschema: Subschema<'s>) -> Result<Option<Self>, UnreadableKeyword> {
        for word in ["properties", "patternProperties"] {
            if subschema.get(word).is_some_and(|map| !map.is_object()) {
                return Err(word);
            }
        }
        let pair = |(name, subschema): (&'s str, Subschema<'s>)| (name, subschema.all_of());
        let layer = Self {
            named: subschema.subschema_map("properties").into_iter().map(pair).collect(),
            patterns: subschema.subschema_map("patternProperties").into_iter().map(pair).collect(),
            others: subschema
                .child("additionalProperties")
                .map(Subschema::all_of)
                .unwrap_or_default(),
            all: subschema.get("additionalProperties").is_some(),
        };
        let silent = layer.named.is_empty() && layer.patterns.is_empty() && !layer.all;
        Ok((!silent).then_some(layer))
    }

    fn property(&self, name: &str) -> Option<AllOf<'s>> {
        let mut lists: Vec<_> = self.named.get(name).cloned().into_iter().collect();
        for (pattern, all_of) in &self.patterns {
            if matches(pattern, name)? {
                lists.push(all_of.clone());
            }
        }
        Some(if lists.is_empty() { self.others.clone() } else { merge_all_of(lists) })
    }

    /// The number of named properties, if no others are accepted.
    fn closed_to(&self) -> Option<usize> {
        let never = self.others.iter().any(|subschema| subschema.schema == &Value::Bool(false));
        (never && self.patterns.is_empty()).then_some(self.named.len())
    }
}

fn names(list: &Value) -> Option<Vec<&str>> {
    list.as_array()?.iter().map(Value::as_str).collect()
}

fn dependents(subschema: Subschema<'_>) -> Result<Vec<PropertyDependency<'_>>, UnreadableKeyword> {
    let mut dependencies = Vec::new();
    for word in ["dependentRequired", "dependentSchemas", "dependencies"] {
        if subschema.get(word).is_some_and(|map| !map.is_object()) {
            return Err(word);
        }
        for (name, inner) in subschema.subschema_map(word) {
            let is_name_list = inner.schema.is_array() && word != "dependentSchemas";
            let required = match names(inner.schema) {
                Some(required) if is_name_list => required,
                None if word == "dependentRequired" || is_name_list => return Err(word),
                _ => Vec::new(),
            };
            let schema = (!is_name_list).then_some(inner);
            dependencies.push(PropertyDependency { name, required, schema });
        }
    }
    Ok(dependencies)
}

//! Constraints on arrays.

use super::{UnreadableKeyword, size};
use crate::compare::subschema::{AllOf, Subschema, merge_all_of};

/// The arrays that a schema accepts.
#[derive(Debug, Clone)]
pub(in super::super) struct ArrayConstraints<'s> {
    pub(in super::super) prefix: Vec<AllOf<'s>>,
    pub(in super::super) rest: AllOf<'s>,
    pub(in super::super) min: usize,
    pub(in super::super) max: usize,
    pub(in super::super) unique: bool,
    pub(in super::super) contains: Vec<ContainsBounds<'s>>,
}

/// Bounds on the number of items that match a schema.
#[derive(Debug, Clone)]
pub(in super::super) struct ContainsBounds<'s> {
    pub(in super::super) subschema: Subschema<'s>,
    pub(in super::super) min: usize,
    pub(in super::super) max: usize,
}

impl<'s> ArrayConstraints<'s> {
    pub(super) fn read(subschema: Subschema<'s>) -> Result<Self, UnreadableKeyword> {
        let tuple = subschema.get("items").is_some_and(serde_json::Value::is_array);
        let (prefix, rest) =
            if tuple { ("items", "additionalItems") } else { ("prefixItems", "items") };
        if subschema.get(prefix).is_some_and(|list| !list.is_array()) {
            return Err(prefix);
        }
        let unique = match subschema.get("uniqueItems") {
            None => false,
            Some(flag) => flag.as_bool().ok_or("uniqueItems")?,
        };
        Ok(Self {
            prefix: subschema.list(prefix).into_iter().map(Subschema::all_of).collect(),
            rest: subschema.child(rest).map(Subschema::all_of).unwrap_or_default(),
            min: size(subschema, "minItems")?.unwrap_or(0),
            max: size(subschema, "maxItems")?.unwrap_or(usize::MAX),
            unique,
            contains: ContainsBounds::read(subschema)?.into_iter().collect(),
        })
    }

    pub(super) fn intersect(mut self, other: &Self) -> Self {
        let length = self.prefix.len().max(other.prefix.len());
        self.prefix = (0..length).map(|at| merge_all_of([self.at(at), other.at(at)])).collect();
        self.rest = merge_all_of([self.rest, other.rest.clone()]);
        self.min = self.min.max(other.min);
        self.max = self.max.min(other.max);
        self.unique |= other.unique;
        self.contains.extend(other.contains.iter().cloned());
        self
    }

    /// Returns whether every array is valid.
    pub(in super::super) fn is_open(&self) -> bool {
        let free = self.prefix.iter().all(Vec::is_empty) && self.rest.is_empty();
        free && self.min == 0 && self.max == usize::MAX && !self.unique && self.contains.is_empty()
    }

    /// The schema of the item at an index.
    pub(in super::super) fn at(&self, index: usize) -> AllOf<'s> {
        self.prefix.get(index).unwrap_or(&self.rest).clone()
    }
}

impl<'s> ContainsBounds<'s> {
    fn read(subschema: Subschema<'s>) -> Result<Option<Self>, UnreadableKeyword> {
        let Some(inner) = subschema.child("contains") else { return Ok(None) };
        let min = size(subschema, "minContains")?.unwrap_or(1);
        let max = size(subschema, "maxContains")?.unwrap_or(usize::MAX);
        Ok(Some(Self { subschema: inner, min, max }))
    }
}

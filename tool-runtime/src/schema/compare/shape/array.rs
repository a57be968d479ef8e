//! What is asked of arrays.

use super::{Unread, size};
use crate::schema::compare::part::{Node, Part, all_of};

/// The arrays that a schema lets pass.
#[derive(Debug, Clone)]
pub(in super::super) struct Arrays<'s> {
    pub(in super::super) prefix: Vec<Node<'s>>,
    pub(in super::super) rest: Node<'s>,
    pub(in super::super) min: usize,
    pub(in super::super) max: usize,
    pub(in super::super) unique: bool,
    pub(in super::super) contains: Vec<Contains<'s>>,
}

/// How many items of a kind there are.
#[derive(Debug, Clone)]
pub(in super::super) struct Contains<'s> {
    pub(in super::super) part: Part<'s>,
    pub(in super::super) min: usize,
    pub(in super::super) max: usize,
}

impl<'s> Arrays<'s> {
    pub(super) fn read(part: Part<'s>) -> Result<Self, Unread> {
        let tuple = part.get("items").is_some_and(serde_json::Value::is_array);
        let (prefix, rest) =
            if tuple { ("items", "additionalItems") } else { ("prefixItems", "items") };
        if part.get(prefix).is_some_and(|list| !list.is_array()) {
            return Err(prefix);
        }
        let unique = match part.get("uniqueItems") {
            None => false,
            Some(flag) => flag.as_bool().ok_or("uniqueItems")?,
        };
        Ok(Self {
            prefix: part.list(prefix).into_iter().map(Part::node).collect(),
            rest: part.child(rest).map(Part::node).unwrap_or_default(),
            min: size(part, "minItems")?.unwrap_or(0),
            max: size(part, "maxItems")?.unwrap_or(usize::MAX),
            unique,
            contains: Contains::read(part)?.into_iter().collect(),
        })
    }

    pub(super) fn meet(mut self, other: &Self) -> Self {
        let length = self.prefix.len().max(other.prefix.len());
        self.prefix = (0..length).map(|at| all_of([self.at(at), other.at(at)])).collect();
        self.rest = all_of([self.rest, other.rest.clone()]);
        self.min = self.min.max(other.min);
        self.max = self.max.min(other.max);
        self.unique |= other.unique;
        self.contains.extend(other.contains.iter().cloned());
        self
    }

    /// Does every array pass?
    pub(in super::super) fn is_open(&self) -> bool {
        let free = self.prefix.iter().all(Vec::is_empty) && self.rest.is_empty();
        free && self.min == 0 && self.max == usize::MAX && !self.unique && self.contains.is_empty()
    }

    /// What is asked of the item at an index.
    pub(in super::super) fn at(&self, index: usize) -> Node<'s> {
        self.prefix.get(index).unwrap_or(&self.rest).clone()
    }
}

impl<'s> Contains<'s> {
    fn read(part: Part<'s>) -> Result<Option<Self>, Unread> {
        let Some(inner) = part.child("contains") else { return Ok(None) };
        let min = size(part, "minContains")?.unwrap_or(1);
        let max = size(part, "maxContains")?.unwrap_or(usize::MAX);
        Ok(Some(Self { part: inner, min, max }))
    }
}

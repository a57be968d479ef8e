//! Arrays at and beside limits.

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::equality::equal;
use super::super::shape::ArrayConstraints;
use super::super::subschema::merge_all_of;
use super::candidates::{Candidates, Others};

/// The most items.
const MAX_LENGTH: usize = 64;
/// The most positions with a schema of their own.
const MAX_POSITIONS: usize = 16;

impl<'s> Candidates<'s> {
    /// Makes arrays that both sides may judge differently.
    pub(super) fn arrays(
        &mut self,
        own: &ArrayConstraints<'s>,
        others: &[&ArrayConstraints<'s>],
        plain: bool,
    ) -> Vec<Value> {
        let items = self.item_values(own, others, plain);
        let mut lists: Vec<_> = self.containing(own, others, &items);
        let lengths = if plain { [own.min].into() } else { lengths(own, others) };
        lists.extend(lengths.into_iter().map(|length| filled(&items, length, own.unique)));
        if !plain {
            lists.extend(varied(own, &items));
        }
        lists.retain(|list| list.len() >= own.min && list.len() <= own.max);
        lists.sort_by_key(Vec::len);
        lists.into_iter().map(Value::Array).collect()
    }

    /// Values for each position; the last ones are for all further positions.
    fn item_values(
        &mut self,
        own: &ArrayConstraints<'s>,
        others: &[&ArrayConstraints<'s>],
        plain: bool,
    ) -> Vec<Vec<Value>> {
        let prefix_length = others.iter().map(|it| it.prefix.len()).max().unwrap_or(0);
        let positions = prefix_length.max(own.prefix.len()).min(MAX_POSITIONS);
        let at = |candidates: &mut Self, at: usize| {
            let narrow = own.at(at);
            let wide: Others<'s> = others.iter().map(|other| other.at(at)).collect();
            match (plain, own.unique) {
                (true, true) => candidates.values(&narrow, &Others::new()),
                (true, false) => candidates.plain_values(&narrow),
                (false, true) => candidates.values(&narrow, &wide),
                (false, false) => candidates.part(&narrow, &wide),
            }
        };
        (0..=positions).map(|position| at(self, position)).collect()
    }

    /// Arrays with as many items of `contains` as its limits say, and one less or more.
    fn containing(
        &mut self,
        own: &ArrayConstraints<'s>,
        others: &[&ArrayConstraints<'s>],
        items: &[Vec<Value>],
    ) -> Vec<Vec<Value>> {
        let mut lists = Vec::new();
        let bounds = others.iter().flat_map(|other| &other.contains).chain(&own.contains);
        for contains in bounds {
            let schemas = merge_all_of([own.rest.clone(), contains.subschema.all_of()]);
            let kinds = [self.values(&schemas, &Others::new())];
            for count in beside([contains.min, contains.max]) {
                let mut list = filled(&kinds, count, own.unique);
                let more = filled(items, own.min.saturating_sub(list.len()), own.unique);
                list.extend(more);
                lists.push(list);
            }
        }
        lists
    }
}

/// Arrays of the least length in which one item has another value, or equals all others.
fn varied(own: &ArrayConstraints<'_>, items: &[Vec<Value>]) -> Vec<Vec<Value>> {
    let mut lists = Vec::new();
    for (at, values) in items.iter().enumerate() {
        let length = own.min.clamp(at + 1, MAX_LENGTH);
        let list = filled(items, length, own.unique);
        for value in values.iter().filter(|_| list.len() > at) {
            let mut other = list.clone();
            other[at] = value.clone();
            lists.push(other);
            lists.push(vec![value.clone(); length.max(2)]);
        }
    }
    lists
}

/// Lengths at and beside the limits.
fn lengths(own: &ArrayConstraints<'_>, others: &[&ArrayConstraints<'_>]) -> BTreeSet<usize> {
    let all_constraints = || others.iter().copied().chain([own]);
    let prefix_lengths = all_constraints().map(|arrays| arrays.prefix.len() + 1);
    beside(
        all_constraints()
            .flat_map(|arrays| [arrays.min, arrays.max])
            .chain(prefix_lengths)
            .chain([1]),
    )
}

fn beside(limits: impl IntoIterator<Item = usize>) -> BTreeSet<usize> {
    let near = limits.into_iter().flat_map(|it| [it.saturating_sub(1), it, it.saturating_add(1)]);
    near.filter(|length| *length <= MAX_LENGTH).collect()
}

/// An array of this length, or a shorter one if there are no values for more items.
fn filled(items: &[Vec<Value>], length: usize, unique: bool) -> Vec<Value> {
    let mut list: Vec<Value> = Vec::new();
    for at in 0..length.min(MAX_LENGTH) {
        let Some(values) = items.get(at).or(items.last()) else { break };
        let is_new = |value: &&Value| !unique || !list.iter().any(|known| equal(known, value));
        match values.iter().find(is_new) {
            Some(value) => list.push(value.clone()),
            None => break,
        }
    }
    list
}

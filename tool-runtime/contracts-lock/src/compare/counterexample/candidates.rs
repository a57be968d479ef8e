//! Makes values near the limits of two schemas.

use std::collections::HashSet;

use serde_json::Value;
use tool_runtime_schema::json::comparison_key;

use super::super::equality::same_assertions;
use super::super::prove::Prover;
use super::super::shape::{AtomicRule, ListedValues, Shape, TypeConstraints};
use super::super::subschema::{AllOf, Subschema};

/// The most values of one search.
const MAX_VALUES: usize = 20_000;
/// The most values that are checked by both schemas.
const MAX_CHECKED: usize = 1_000;
/// The most values at one location below the root.
const MAX_AT_ONE_LOCATION: usize = 96;
/// The deepest nesting of values.
const MAX_DEPTH: usize = 8;
/// The longest text of a value.
const MAX_BYTES: usize = 8 * 1024;

/// Makes values that one schema is likely to accept, and another is likely to reject.
pub(super) struct Candidates<'s> {
    pub(super) prover: Prover<'s>,
    values_left: usize,
    depth: usize,
    /// The schemas of the enclosing values.
    enclosing: Vec<Vec<usize>>,
}

/// The schemas that a value is compared with, each an alternative; none if any valid value is
/// wanted.
pub(super) type Others<'s> = Vec<AllOf<'s>>;

impl<'s> Candidates<'s> {
    /// Makes values for two documents: `narrow` should accept them, and `wide` reject them.
    pub(super) fn generate(narrow: Subschema<'s>, wide: Subschema<'s>) -> Vec<Value> {
        let mut prover = Prover::new(narrow, wide);
        prover.begin_search();
        let mut candidates =
            Self { prover, values_left: MAX_VALUES, depth: 0, enclosing: Vec::new() };
        let mut values = candidates.values(&narrow.all_of(), &vec![wide.all_of()]);
        values.retain(|value| value.to_string().len() <= MAX_BYTES);
        // The last ones are those that the wide schema rejects.
        values.drain(..values.len().saturating_sub(MAX_CHECKED));
        values
    }

    /// Makes values for one location. Those that the other schemas may accept too come first.
    pub(super) fn values(&mut self, narrow: &AllOf<'s>, wide: &Others<'s>) -> Vec<Value> {
        if self.depth == MAX_DEPTH || self.values_left == 0 {
            return Vec::new();
        }
        self.depth += 1;
        self.enclosing.push(ids(narrow));
        let shapes = self.prover.expansion(narrow).shapes.clone();
        let others = self.other_shapes(&shapes, wide);
        let mut candidate_values: Vec<Value> = Vec::new();
        let mut seen_keys = HashSet::new();
        for shape in &shapes {
            let same_type = others.iter().filter(|other| shape.is_same_type(other));
            let same_type: Vec<_> = same_type.collect();
            for value in self.values_of_shape(shape, &same_type, wide.is_empty()) {
                let key = comparison_key(&value);
                if !seen_keys.contains(&key) && self.prover.admits(narrow, &value) != Some(false) {
                    seen_keys.insert(key);
                    candidate_values.push(value);
                }
            }
        }
        self.enclosing.pop();
        self.depth -= 1;
        let rejected = |value: &Value| !self.may_be_accepted(wide, value);
        candidate_values.sort_by_cached_key(rejected);
        if self.depth > 0 {
            candidate_values.truncate(MAX_AT_ONE_LOCATION);
        }
        self.values_left = self.values_left.saturating_sub(candidate_values.len());
        candidate_values
    }

    /// Makes one or two valid values.
    pub(super) fn plain_values(&mut self, narrow: &AllOf<'s>) -> Vec<Value> {
        let mut values = self.values(narrow, &Others::new());
        values.truncate(2);
        values
    }

    /// Makes values for a part of a value; only valid ones if the part has not changed, or has the
    /// schema of an enclosing value.
    pub(super) fn part(&mut self, narrow: &AllOf<'s>, wide: &Others<'s>) -> Vec<Value> {
        let is_recursive = self.enclosing.contains(&ids(narrow));
        if is_recursive || wide.iter().all(|wide| is_unchanged(narrow, wide)) {
            self.plain_values(narrow)
        } else {
            self.values(narrow, wide)
        }
    }

    fn may_be_accepted(&mut self, wide: &Others<'s>, value: &Value) -> bool {
        wide.is_empty() || wide.iter().any(|wide| self.prover.admits(wide, value) != Some(false))
    }

    /// The shapes of the other schemas, and those of rules that are not split further.
    fn other_shapes(&mut self, own: &[Shape<'s>], wide: &Others<'s>) -> Vec<Shape<'s>> {
        let mut others: Vec<Shape<'s>> = Vec::new();
        for all_of in wide {
            others.extend(self.prover.expansion(all_of).shapes.iter().cloned());
        }
        let rules = own.iter().chain(&others).flat_map(|shape| &shape.rules);
        let mut parts: Vec<_> = rules.flat_map(parts_of_rule).collect();
        parts.sort_by_key(|subschema| subschema.id());
        parts.dedup_by_key(|subschema| subschema.id());
        for part in parts {
            others.extend(self.prover.expansion(&part.all_of()).shapes.iter().cloned());
        }
        others
    }

    fn values_of_shape(
        &mut self,
        shape: &Shape<'s>,
        others: &[&Shape<'s>],
        plain: bool,
    ) -> Vec<Value> {
        let own_values = shape.listed();
        let mut values: Vec<_> = own_values.iter().flat_map(ListedValues::iter).cloned().collect();
        let other_lists = others.iter().filter_map(|other| other.values.as_ref());
        let other_values = other_lists.flat_map(ListedValues::iter).take(MAX_AT_ONE_LOCATION);
        values.extend(other_values.cloned());
        if shape.values.is_some() {
            return values;
        }
        values.extend(match &shape.constraints {
            TypeConstraints::Null | TypeConstraints::Boolean => Vec::new(),
            TypeConstraints::Number(own_values) => {
                let others = others.iter().filter_map(|other| other.number());
                super::numbers::numbers(own_values, &others.collect::<Vec<_>>())
            }
            TypeConstraints::Text(own_values) => {
                let others = others.iter().filter_map(|other| other.text());
                super::texts::texts(own_values, &others.collect::<Vec<_>>())
            }
            TypeConstraints::Array(own_values) => {
                let others = others.iter().filter_map(|other| other.array());
                self.arrays(own_values, &others.collect::<Vec<_>>(), plain)
            }
            TypeConstraints::Object(own_values) => {
                let others = others.iter().filter_map(|other| other.object());
                self.objects(own_values, &others.collect::<Vec<_>>(), plain)
            }
        });
        values
    }
}

fn parts_of_rule<'s>(rule: &AtomicRule<'s>) -> Vec<Subschema<'s>> {
    match rule {
        AtomicRule::Not(subschema) => vec![*subschema],
        AtomicRule::One(_, branches) => branches.clone(),
        AtomicRule::UnknownKeyword(..) | AtomicRule::Unreadable(..) => Vec::new(),
    }
}

fn ids(all_of: &AllOf<'_>) -> Vec<usize> {
    all_of.iter().map(|subschema| subschema.resolved().id()).collect()
}

fn is_unchanged(narrow: &AllOf<'_>, wide: &AllOf<'_>) -> bool {
    narrow.len() == wide.len()
        && narrow.iter().zip(wide).all(|(narrow, wide)| same_assertions(*narrow, *wide))
}

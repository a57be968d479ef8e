//! Finds choices that leave open whether a `null` stands for an omitted property.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::Value;
use tool_runtime_schema::json::JsonKind;
use tool_runtime_schema::test_cost;

use super::compile::kind_of;
use super::schema::{NodeId, PlainSchema, StrictNode, StrictSchema};

/// The most comparisons of two schemas.
const MAX_COMPARISONS: usize = 50_000;

/// A choice of which two branches read the same `null` differently.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ambiguity {
    /// The location of the choice in the declaration.
    pub(crate) pointer: String,
    pub(crate) consequence: String,
}

impl StrictSchema {
    /// Finds a choice that leaves the meaning of a `null` open.
    pub(crate) fn ambiguity(&self) -> Option<Ambiguity> {
        // A tool may take `null` for a value: where the declaration cannot tell it from an omitted
        // property, the call would mean something else.
        let mut comparison = Comparison {
            schema: self,
            agreed: HashSet::new(),
            disjoint: HashMap::new(),
            remaining: MAX_COMPARISONS,
        };
        self.nodes.iter().find_map(|node| match node {
            StrictNode::Choice(choice) => {
                let conflict = comparison.conflict_within(&choice.branches)?;
                let pointer = choice.pointer.clone();
                Some(Ambiguity { pointer, consequence: conflict.to_string() })
            }
            StrictNode::Plain(_) => None,
        })
    }
}

/// The reason for which a `null` cannot be read.
#[derive(Debug, thiserror::Error)]
enum Conflict {
    #[error("`null` in `{0}` means an omitted property in one branch, and a value in another")]
    Property(String),
    #[error("too many branches to compare")]
    TooLarge,
}

struct Comparison<'s> {
    schema: &'s StrictSchema,
    /// Pairs of schemas that are compared already, or being compared.
    agreed: HashSet<(NodeId, NodeId)>,
    /// Pairs of schemas, and whether no value matches both.
    disjoint: HashMap<(NodeId, NodeId), bool>,
    remaining: usize,
}

impl Comparison<'_> {
    fn conflict_within(&mut self, branches: &[NodeId]) -> Option<Conflict> {
        let alternatives = self.schema.alternatives(branches.iter().copied());
        let is_object = |id: &NodeId| {
            self.schema.plain(*id).is_some_and(|plain| plain.kinds == [JsonKind::Object])
        };
        let (objects, others): (Vec<_>, Vec<_>) = alternatives.into_iter().partition(is_object);
        for group in self.inseparable(&objects) {
            let conflict = pairs(&group).find_map(|(one, other)| self.conflict(one, other));
            if conflict.is_some() {
                return conflict;
            }
        }
        let beside = others.iter().flat_map(|one| objects.iter().map(move |other| (*one, *other)));
        beside.chain(pairs(&others)).find_map(|(one, other)| self.conflict(one, other))
    }

    /// Groups of objects that may have a value in common: those with the same property names, unless
    /// the values of one property separate them.
    fn inseparable(&self, objects: &[NodeId]) -> Vec<Vec<NodeId>> {
        let mut by_names: BTreeMap<Vec<&str>, Vec<NodeId>> = BTreeMap::new();
        for id in objects {
            let plain = self.schema.plain(*id).into_iter();
            let names: Vec<_> =
                plain.flat_map(|plain| plain.properties.keys()).map(String::as_str).collect();
            test_cost::count(names.len());
            by_names.entry(names).or_default().push(*id);
        }
        let groups = by_names.into_iter();
        let tagged =
            |names: &[&str], group: &[NodeId]| names.iter().any(|name| self.is_tag(name, group));
        groups.filter(|(names, group)| !tagged(names, group)).map(|(_, group)| group).collect()
    }

    /// Returns whether no two schemas list a common value of this property.
    fn is_tag(&self, name: &str, group: &[NodeId]) -> bool {
        let mut seen_texts = HashSet::new();
        group.iter().all(|id| {
            let property = self.schema.plain(*id).and_then(|plain| plain.properties.get(name));
            let alternatives = property.map(|property| self.schema.alternatives([property.schema]));
            let [only] = alternatives.unwrap_or_default()[..] else { return false };
            let values = self.schema.plain(only).and_then(|plain| plain.values.as_ref());
            values.is_some_and(|values| {
                test_cost::count(values.len());
                let texts: HashSet<_> = values.iter().map(Value::to_string).collect();
                values.iter().all(|value| !value.is_number())
                    && texts.into_iter().all(|text| seen_texts.insert(text))
            })
        })
    }

    /// Finds a `null` that two schemas without a choice read differently in a value of both.
    fn conflict(&mut self, one: NodeId, other: NodeId) -> Option<Conflict> {
        if one == other || !self.agreed.insert((one, other)) {
            return None;
        }
        test_cost::count(1);
        self.remaining = self.remaining.saturating_sub(1);
        if self.remaining == 0 {
            return Some(Conflict::TooLarge);
        }
        let (first, second) = (self.schema.plain(one)?, self.schema.plain(other)?);
        if self.are_disjoint(one, other) {
            return None;
        }
        self.conflict_in_properties(first, second).or_else(|| {
            let (first, second) = (first.items?, second.items?);
            self.conflict_between(first, second)
        })
    }

    fn conflict_in_properties(
        &mut self,
        first: &PlainSchema,
        second: &PlainSchema,
    ) -> Option<Conflict> {
        first.properties.iter().find_map(|(name, one)| {
            let other = second.properties.get(name)?;
            let valued = if one.is_omitted_as_null { other } else { one };
            let differ = one.is_omitted_as_null != other.is_omitted_as_null;
            if differ && self.schema.admits_null(valued.schema) {
                return Some(Conflict::Property(name.clone()));
            }
            self.conflict_between(one.schema, other.schema)
        })
    }

    /// Finds a `null` that two schemas read differently.
    fn conflict_between(&mut self, one: NodeId, other: NodeId) -> Option<Conflict> {
        let others = self.schema.alternatives([other]);
        self.schema
            .alternatives([one])
            .into_iter()
            .find_map(|one| others.iter().find_map(|other| self.conflict(one, *other)))
    }

    /// Returns whether certainly no value matches both schemas without a choice.
    fn are_disjoint(&mut self, one: NodeId, other: NodeId) -> bool {
        if let Some(known) = self.disjoint.get(&(one, other)) {
            return *known;
        }
        self.remaining = self.remaining.saturating_sub(1);
        // A schema within itself proves nothing.
        self.disjoint.insert((one, other), false);
        let schemas = (self.schema.plain(one), self.schema.plain(other));
        let (Some(first), Some(second)) = schemas else { return false };
        let mut kinds = first.kinds.iter().filter(|kind| second.kinds.contains(kind));
        let disjoint = self.remaining > 0
            && kinds.all(|kind| match kind {
                JsonKind::Array => false,
                JsonKind::Object => self.have_disjoint_properties(first, second),
                JsonKind::Null | JsonKind::Bool | JsonKind::Number | JsonKind::String => {
                    have_disjoint_values(first, second, *kind)
                }
            });
        self.disjoint.insert((one, other), disjoint);
        disjoint
    }

    fn have_disjoint_properties(&mut self, first: &PlainSchema, second: &PlainSchema) -> bool {
        if !first.properties.keys().eq(second.properties.keys()) {
            return true;
        }
        let mut pairs = first.properties.values().zip(second.properties.values());
        pairs.any(|(one, other)| {
            let others = self.schema.alternatives([other.schema]);
            let mut alternatives = self.schema.alternatives([one.schema]).into_iter();
            alternatives.all(|one| others.iter().all(|other| self.are_disjoint(one, *other)))
        })
    }
}

fn pairs(ids: &[NodeId]) -> impl Iterator<Item = (NodeId, NodeId)> + '_ {
    let numbered = ids.iter().enumerate();
    numbered.flat_map(|(at, one)| ids[..at].iter().map(move |other| (*one, *other)))
}

/// Returns whether two schemas list no value of this kind in common.
fn have_disjoint_values(first: &PlainSchema, second: &PlainSchema, kind: JsonKind) -> bool {
    let (Some(one), Some(other)) = (&first.values, &second.values) else { return false };
    let of_kind = |value: &&Value| kind_of(value) == kind;
    !one.iter().filter(of_kind).any(|value| other.iter().any(|other| may_be_equal(value, other)))
}

/// Returns whether two scalars may be equal: a float may be any number, since it is rounded.
fn may_be_equal(one: &Value, other: &Value) -> bool {
    let are_numbers = one.is_number() && other.is_number();
    one == other || are_numbers && (one.is_f64() || other.is_f64())
}

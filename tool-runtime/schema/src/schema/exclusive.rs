//! Decides whether the branches of a choice exclude each other.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde_json::{Map, Value};

use super::reference::pointer;

/// Most branches that are compared pair by pair, if no one rule separates all of them.
const MAX_COMPARED: usize = 64;
/// The longest chain of references and `allOf` that is followed.
const MAX_CHAIN: usize = 64;

/// Returns whether no value is valid by two of the branches: by their types, their listed values, a
/// required property with constant values, or a property that one requires and another rejects.
///
/// The result is true only if this is certain. The cost is linear in the size of the branches and,
/// for each of them, of what they refer to: before each part is read, its size is offered to
/// `spend`, which returns false to end with "not certain".
pub fn are_exclusive(
    document: &Value,
    branches: &[Value],
    spend: &mut dyn FnMut(usize) -> bool,
) -> bool {
    let facts: Option<Vec<_>> =
        branches.iter().map(|branch| BranchFacts::new(document, branch, spend)).collect();
    facts.is_some_and(|facts| are_separate_values(&facts) && are_separate_objects(&facts))
}

/// As [`are_exclusive`], of objects alone.
pub fn are_exclusive_for_objects(
    document: &Value,
    branches: &[Value],
    spend: &mut dyn FnMut(usize) -> bool,
) -> bool {
    let facts: Option<Vec<_>> =
        branches.iter().map(|branch| BranchFacts::new(document, branch, spend)).collect();
    facts.is_some_and(|facts| are_separate_objects(&facts))
}

const OBJECT: u8 = 1 << 6;
const ANY: u8 = (1 << 7) - 1;

fn type_bit(name: &str) -> u8 {
    match name {
        "null" => 1,
        "boolean" => 1 << 1,
        "integer" => 1 << 2,
        "number" => (1 << 2) | (1 << 3),
        "string" => 1 << 4,
        "array" => 1 << 5,
        "object" => OBJECT,
        _ => ANY,
    }
}

fn type_of(value: &Value) -> u8 {
    match value {
        Value::Null => type_bit("null"),
        Value::Bool(_) => type_bit("boolean"),
        Value::Number(_) => type_bit("number"),
        Value::String(_) => type_bit("string"),
        Value::Array(_) => type_bit("array"),
        Value::Object(_) => OBJECT,
    }
}

/// The text by which values are compared; it is the same for equal numbers.
fn compared_text(value: &Value) -> String {
    match value.as_f64() {
        Some(number) => number.to_string(),
        None => value.to_string(),
    }
}

/// Rules that every value of a branch follows.
struct BranchFacts<'s> {
    types: u8,
    values: Option<Vec<String>>,
    required: BTreeSet<&'s str>,
    /// The listed values of properties, as JSON texts.
    listed: BTreeMap<&'s str, Vec<String>>,
    names: BTreeSet<&'s str>,
    /// One schema alone rejects all other properties.
    closed: bool,
}

impl<'s> BranchFacts<'s> {
    fn new(
        document: &'s Value,
        branch: &'s Value,
        spend: &mut dyn FnMut(usize) -> bool,
    ) -> Option<Self> {
        let mut facts = Self {
            types: ANY,
            values: None,
            required: BTreeSet::new(),
            listed: BTreeMap::new(),
            names: BTreeSet::new(),
            closed: false,
        };
        if *branch == Value::Bool(false) {
            facts.types = 0;
        }
        let mut parts = 0;
        let mut open = vec![branch];
        while let Some(next) = open.pop() {
            let Value::Object(keywords) = next else { continue };
            parts += 1;
            if parts > MAX_CHAIN {
                break;
            }
            open.extend(target(document, keywords));
            open.extend(keywords.get("allOf").and_then(Value::as_array).into_iter().flatten());
            facts.add(document, keywords, spend)?;
        }
        facts.closed &= parts == 1;
        Some(facts)
    }

    /// Adds the rules of a branch or one of its parts; `None` if there is no more to spend.
    fn add(
        &mut self,
        document: &'s Value,
        keywords: &'s Map<String, Value>,
        spend: &mut dyn FnMut(usize) -> bool,
    ) -> Option<()> {
        if !spend(size_of_part(keywords)) {
            return None;
        }
        crate::test_cost::count(keywords.len());
        self.types &= types(keywords);
        if let Some(values) = listed_values(keywords) {
            self.types &= values.iter().map(|value| type_of(value)).fold(0, |all, one| all | one);
            self.values.get_or_insert_with(|| values.into_iter().map(compared_text).collect());
        }
        let required = keywords.get("required").and_then(Value::as_array).into_iter().flatten();
        self.required.extend(required.filter_map(Value::as_str));
        let properties =
            keywords.get("properties").and_then(Value::as_object).into_iter().flatten();
        for (name, schema) in properties {
            crate::test_cost::count(1);
            self.names.insert(name);
            if let Some(values) = property_values(document, schema) {
                if !spend(values.len()) {
                    return None;
                }
                self.listed.insert(name, values.into_iter().map(compared_text).collect());
            }
        }
        self.closed = keywords.get("additionalProperties") == Some(&Value::Bool(false))
            && !keywords.contains_key("patternProperties");
        Some(())
    }

    /// The values that a required property may have.
    fn tag(&self, name: &str) -> Option<&[String]> {
        self.required.contains(name).then(|| self.listed.get(name).map(Vec::as_slice))?
    }
}

/// The number of entries that are read of a branch or one of its parts.
fn size_of_part(keywords: &Map<String, Value>) -> usize {
    let entries = keywords.values().map(|value| match value {
        Value::Array(items) => 1 + items.len(),
        Value::Object(members) => 1 + members.len(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
    });
    entries.sum()
}

fn target<'s>(document: &'s Value, keywords: &Map<String, Value>) -> Option<&'s Value> {
    document.pointer(&pointer(keywords.get("$ref")?.as_str()?)?)
}

fn types(keywords: &Map<String, Value>) -> u8 {
    let type_bits = match keywords.get("type") {
        Some(Value::String(name)) => type_bit(name),
        Some(Value::Array(names)) => names
            .iter()
            .map(|name| name.as_str().map_or(ANY, type_bit))
            .fold(0, |all, one| all | one),
        Some(_) | None => return ANY,
    };
    let nullable = keywords.get("nullable") == Some(&Value::Bool(true));
    if nullable { type_bits | type_bit("null") } else { type_bits }
}

fn listed_values(keywords: &Map<String, Value>) -> Option<Vec<&Value>> {
    match (keywords.get("const"), keywords.get("enum")) {
        (Some(value), _) => Some(vec![value]),
        (None, Some(Value::Array(values))) => Some(values.iter().collect()),
        (None, _) => None,
    }
}

/// The values of a property, also through references.
fn property_values<'s>(document: &'s Value, schema: &'s Value) -> Option<Vec<&'s Value>> {
    let mut next = schema.as_object()?;
    for _ in 0..MAX_CHAIN {
        if let Some(values) = listed_values(next) {
            return Some(values);
        }
        next = target(document, next)?.as_object()?;
    }
    None
}

/// Returns whether the branches share no type and no value, other than objects.
fn are_separate_values(facts: &[BranchFacts<'_>]) -> bool {
    let (mut types, mut types_of_values, mut values) = (0, 0, HashSet::new());
    let plain = facts.iter().filter(|facts| facts.types & !OBJECT != 0);
    plain.into_iter().all(|facts| {
        let branch_types = facts.types & !OBJECT;
        if branch_types & types != 0 {
            return false;
        }
        if let Some(listed) = &facts.values {
            types_of_values |= branch_types;
            // A value that one branch lists twice is no second branch.
            let distinct_values: BTreeSet<_> = listed.iter().collect();
            distinct_values.into_iter().all(|value| values.insert(value))
        } else {
            types |= branch_types;
            branch_types & types_of_values == 0
        }
    })
}

/// Returns whether no object is valid by two branches.
fn are_separate_objects(facts: &[BranchFacts<'_>]) -> bool {
    let objects: Vec<_> = facts.iter().filter(|facts| facts.types & OBJECT != 0).collect();
    let Some(first) = objects.first().filter(|_| objects.len() > 1) else { return true };
    let has_tag = |name: &&str| {
        let mut values = HashSet::new();
        objects.iter().all(|facts| {
            facts.tag(name).is_some_and(|tag| {
                crate::test_cost::count(tag.len());
                let tag: BTreeSet<_> = tag.iter().collect();
                tag.into_iter().all(|value| values.insert(value))
            })
        })
    };
    first.required.iter().any(has_tag)
        || have_names_of_their_own(&objects)
        || (objects.len() <= MAX_COMPARED && are_separate_pairs(&objects))
}

/// Returns whether each branch is closed, and requires a property that no other branch has.
fn have_names_of_their_own(objects: &[&BranchFacts<'_>]) -> bool {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for name in objects.iter().flat_map(|facts| &facts.names) {
        *counts.entry(name).or_default() += 1;
    }
    objects
        .iter()
        .all(|facts| facts.closed && facts.required.iter().any(|name| counts.get(name) == Some(&1)))
}

fn are_separate_pairs(objects: &[&BranchFacts<'_>]) -> bool {
    let lacks = |closed: &BranchFacts<'_>, other: &BranchFacts<'_>| {
        closed.closed && other.required.iter().any(|name| !closed.names.contains(name))
    };
    let has_tag = |one: &BranchFacts<'_>, other: &BranchFacts<'_>| {
        one.required.iter().any(|name| match (one.tag(name), other.tag(name)) {
            (Some(one), Some(other)) => !one.iter().any(|value| other.contains(value)),
            (Some(_) | None, _) => false,
        })
    };
    objects.iter().enumerate().all(|(at, one)| {
        objects[..at].iter().all(|other| {
            crate::test_cost::count(one.required.len() + 1);
            lacks(one, other) || lacks(other, one) || has_tag(one, other)
        })
    })
}

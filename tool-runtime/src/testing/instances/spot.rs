//! The places of a value, each with what the schema says of it.

use serde_json::Value;

use super::array::Items;
use super::document::{Document, Part};
use super::facts::Facts;
use super::object::rules_for;
use crate::json::push_name;

/// One place of a value.
pub(super) struct Spot<'d, 'v> {
    pub(super) pointer: String,
    pub(super) value: &'v Value,
    /// What holds here whatever stands elsewhere.
    pub(super) sure: Facts<'d>,
    /// What holds by a branch that was chosen, here or further up; another one may admit a change.
    pub(super) chosen: Facts<'d>,
}

/// Whom a value is not for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::testing) enum Sensitivity {
    /// Anybody.
    Secret,
    /// Whoever reads a log.
    Personal,
}

/// The leaves that lie at or below a sensitive place.
pub(super) fn sensitive(document: &Document, value: &Value) -> Vec<(String, Sensitivity)> {
    let spots = spots(document, value);
    let marked: Vec<(&str, Sensitivity)> =
        spots.iter().filter_map(|spot| Some((&*spot.pointer, spot.sensitivity()?))).collect();
    let of = |pointer: &str| {
        let below = |(at, _): &&(&str, Sensitivity)| {
            pointer.strip_prefix(at).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let found: Vec<Sensitivity> = marked.iter().filter(below).map(|(_, what)| *what).collect();
        let secret = found.contains(&Sensitivity::Secret);
        if secret { Some(Sensitivity::Secret) } else { found.first().copied() }
    };
    let leaves = spots.iter().filter(|spot| !spot.value.is_object() && !spot.value.is_array());
    leaves.filter_map(|spot| Some((spot.pointer.clone(), of(&spot.pointer)?))).collect()
}

impl Spot<'_, '_> {
    fn sensitivity(&self) -> Option<Sensitivity> {
        let word = "x-sensitivity";
        let all: Vec<&str> = self.sure.texts(word).chain(self.chosen.texts(word)).collect();
        if all.contains(&"secret") {
            return Some(Sensitivity::Secret);
        }
        all.contains(&"pii").then_some(Sensitivity::Personal)
    }
}

/// Every place of a value that the document admits.
pub(super) fn spots<'d, 'v>(document: &'d Document, value: &'v Value) -> Vec<Spot<'d, 'v>> {
    let mut spots = Vec::new();
    walk(
        document,
        Said { sure: vec![document.part()], chosen: Vec::new() },
        String::new(),
        value,
        &mut spots,
    );
    spots
}

/// The parts of a schema that speak of a value, before references and combinators are followed.
#[derive(Default)]
struct Said<'d> {
    sure: Vec<Part<'d>>,
    chosen: Vec<Part<'d>>,
}

fn walk<'d, 'v>(
    document: &'d Document,
    said: Said<'d>,
    pointer: String,
    value: &'v Value,
    spots: &mut Vec<Spot<'d, 'v>>,
) {
    let mut branches = Vec::new();
    let sure = followed(document, said.sure, value, &mut branches);
    branches.extend(said.chosen);
    let mut chosen = Facts::default();
    while !branches.is_empty() {
        let mut further = Vec::new();
        let found = followed(document, branches, value, &mut further);
        found.parts.into_iter().for_each(|part| chosen.push(part));
        branches = further;
    }
    for (name, below, child) in children(&sure, &chosen, value) {
        let mut pointer = pointer.clone();
        push_name(&mut pointer, &name);
        walk(document, below, pointer, child, spots);
    }
    spots.push(Spot { pointer, value, sure, chosen });
}

/// Follows references and `allOf`; the branches that admit the value are set aside.
fn followed<'d>(
    document: &'d Document,
    mut open: Vec<Part<'d>>,
    value: &Value,
    branches: &mut Vec<Part<'d>>,
) -> Facts<'d> {
    let mut facts = Facts::default();
    while let Some(part) = open.pop() {
        let target = part.schema.get("$ref").and_then(Value::as_str);
        open.extend(target.and_then(|target| document.target(target)));
        open.extend(part.list("allOf"));
        let choices = part.list("anyOf").into_iter().chain(part.list("oneOf"));
        branches.extend(choices.filter(|b| document.part_admits(b, value) == Some(true)).take(1));
        if part.schema.is_object() {
            facts.push(part);
        }
    }
    facts
}

fn children<'d, 'v>(
    sure: &Facts<'d>,
    chosen: &Facts<'d>,
    value: &'v Value,
) -> Vec<(String, Said<'d>, &'v Value)> {
    match value {
        Value::Object(properties) => {
            let said =
                |name: &str| Said { sure: rules_for(sure, name), chosen: rules_for(chosen, name) };
            properties.iter().map(|(name, child)| (name.clone(), said(name), child)).collect()
        }
        Value::Array(items) => {
            let (sure, chosen) = (Items::of(sure), Items::of(chosen));
            let said = |index| Said { sure: sure.at(index), chosen: chosen.at(index) };
            items.iter().enumerate().map(|(at, child)| (at.to_string(), said(at), child)).collect()
        }
        _ => Vec::new(),
    }
}

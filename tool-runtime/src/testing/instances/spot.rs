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

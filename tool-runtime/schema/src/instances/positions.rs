//! The positions of a value, each with its rules.

use serde_json::Value;

use super::array::Items;
use super::document::{SchemaDocument, SchemaPart};
use super::object::rules_for;
use super::rules::ValueRules;
use super::text::is_sample;
use crate::json::push_name;

/// One position of a value.
pub(super) struct ValuePosition<'d, 'v> {
    pub(super) pointer: String,
    pub(super) value: &'v Value,
    /// The rules that always hold here.
    pub(super) sure: ValueRules<'d>,
    /// The rules of chosen branches, here or further up; another branch may admit a change.
    pub(super) chosen: ValueRules<'d>,
}

/// The sensitivity of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SensitivityKind {
    /// It is in no text.
    Secret,
    /// It is in no log.
    Personal,
}

/// Returns the leaves at or below a sensitive position.
pub(super) fn sensitive(
    document: &SchemaDocument,
    value: &Value,
) -> Vec<(String, SensitivityKind)> {
    let positions = positions(document, value);
    let marked: Vec<(&str, SensitivityKind)> = positions
        .iter()
        .filter_map(|position| Some((&*position.pointer, position.sensitivity()?)))
        .collect();
    let of = |pointer: &str| {
        let below = |(at, _): &&(&str, SensitivityKind)| {
            pointer.strip_prefix(at).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let kinds: Vec<SensitivityKind> =
            marked.iter().filter(below).map(|(_, what)| *what).collect();
        let secret = kinds.contains(&SensitivityKind::Secret);
        if secret { Some(SensitivityKind::Secret) } else { kinds.first().copied() }
    };
    let leaves = positions
        .iter()
        .filter(|position| !position.value.is_object() && !position.value.is_array());
    leaves.filter_map(|position| Some((position.pointer.clone(), of(&position.pointer)?))).collect()
}

/// Returns whether every text with a known format is a sample of that format.
pub(super) fn has_known_formats(document: &SchemaDocument, value: &Value) -> bool {
    positions(document, value).iter().all(|position| {
        let Some(text) = position.value.as_str() else { return true };
        let mut formats = position.sure.texts("format").chain(position.chosen.texts("format"));
        formats.all(|format| is_sample(format, text))
    })
}

impl ValuePosition<'_, '_> {
    fn sensitivity(&self) -> Option<SensitivityKind> {
        let word = "x-sensitivity";
        let markings: Vec<&str> = self.sure.texts(word).chain(self.chosen.texts(word)).collect();
        if markings.contains(&"secret") {
            return Some(SensitivityKind::Secret);
        }
        markings.contains(&"pii").then_some(SensitivityKind::Personal)
    }
}

/// Returns every position of a value that the document admits.
pub(super) fn positions<'d, 'v>(
    document: &'d SchemaDocument,
    value: &'v Value,
) -> Vec<ValuePosition<'d, 'v>> {
    let mut positions = Vec::new();
    walk(
        document,
        ApplicableParts { sure: vec![document.part()], chosen: Vec::new() },
        String::new(),
        value,
        &mut positions,
    );
    positions
}

/// The parts of a schema for a value, before references and combinators are followed.
#[derive(Default)]
struct ApplicableParts<'d> {
    sure: Vec<SchemaPart<'d>>,
    chosen: Vec<SchemaPart<'d>>,
}

fn walk<'d, 'v>(
    document: &'d SchemaDocument,
    applicable: ApplicableParts<'d>,
    pointer: String,
    value: &'v Value,
    positions: &mut Vec<ValuePosition<'d, 'v>>,
) {
    let mut branches = Vec::new();
    let sure = followed(document, applicable.sure, value, &mut branches);
    branches.extend(applicable.chosen);
    let mut chosen = ValueRules::default();
    while !branches.is_empty() {
        let mut further = Vec::new();
        let branch_rules = followed(document, branches, value, &mut further);
        branch_rules.parts.into_iter().for_each(|part| chosen.push(part));
        branches = further;
    }
    for (name, below, child) in children(&sure, &chosen, value) {
        let mut pointer = pointer.clone();
        push_name(&mut pointer, &name);
        walk(document, below, pointer, child, positions);
    }
    positions.push(ValuePosition { pointer, value, sure, chosen });
}

/// Follows references and `allOf`, and collects the branches that admit the value.
fn followed<'d>(
    document: &'d SchemaDocument,
    mut open: Vec<SchemaPart<'d>>,
    value: &Value,
    branches: &mut Vec<SchemaPart<'d>>,
) -> ValueRules<'d> {
    let mut value_rules = ValueRules::default();
    while let Some(part) = open.pop() {
        let target = part.schema.get("$ref").and_then(Value::as_str);
        open.extend(target.and_then(|target| document.target(target)));
        open.extend(part.list("allOf"));
        let choices = part.list("anyOf").into_iter().chain(part.list("oneOf"));
        branches.extend(choices.filter(|b| document.part_admits(b, value) == Some(true)).take(1));
        if part.schema.is_object() {
            value_rules.push(part);
        }
    }
    value_rules
}

fn children<'d, 'v>(
    sure: &ValueRules<'d>,
    chosen: &ValueRules<'d>,
    value: &'v Value,
) -> Vec<(String, ApplicableParts<'d>, &'v Value)> {
    match value {
        Value::Object(properties) => {
            let applicable = |name: &str| ApplicableParts {
                sure: rules_for(sure, name),
                chosen: rules_for(chosen, name),
            };
            properties.iter().map(|(name, child)| (name.clone(), applicable(name), child)).collect()
        }
        Value::Array(items) => {
            let (sure, chosen) = (Items::new(sure), Items::new(chosen));
            let applicable =
                |index| ApplicableParts { sure: sure.at(index), chosen: chosen.at(index) };
            items
                .iter()
                .enumerate()
                .map(|(at, child)| (at.to_string(), applicable(at), child))
                .collect()
        }
        _ => Vec::new(),
    }
}

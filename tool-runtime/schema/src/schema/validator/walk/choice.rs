//! Checks combinations of schemas: `allOf`, `anyOf`, `oneOf`, `not`, `if`.

use std::mem;

use tool_contracts::Violation;

use super::super::model::{Choice, Discriminator, LogicRules, SchemaId, SchemaNode};
use super::super::types::Types;
use super::scalar::candidate_types;
use super::{Conversions, Document, VerdictMode, Walk};
use crate::json::{JsonKind, JsonNode};

impl<'v> Walk<'v> {
    pub(super) fn logic(
        &mut self,
        logic: &'v LogicRules,
        doc: &Document<'_>,
        at: u32,
        node: &JsonNode,
    ) {
        for schema in logic.reference.iter().chain(&logic.all) {
            if self.is_finished() {
                return;
            }
            self.value(*schema, doc, at);
        }
        for (choice, rule) in [(&logic.any, "anyOf"), (&logic.one, "oneOf")] {
            if let Some(choice) = choice {
                self.choice(choice, rule, doc, at, node);
            }
        }
        if let Some(not) = logic.not {
            if !self.is_finished() && self.passes(not, doc, at, VerdictMode::SCHEMA) {
                self.reject(doc, at, "not", || "a value that does not match `not`".to_owned());
            }
        }
        if let Some(condition) = &logic.condition {
            let holds = self.passes(condition.test, doc, at, VerdictMode::SCHEMA);
            let then = if holds { condition.pass } else { condition.fail };
            if let Some(schema) = then {
                self.value(schema, doc, at);
            }
        }
    }

    fn choice(
        &mut self,
        choice: &'v Choice,
        rule: &'static str,
        doc: &Document<'_>,
        at: u32,
        node: &JsonNode,
    ) {
        if self.is_finished() {
            return;
        }
        let schemas = self.schemas;
        let types = candidate_types(doc, node, self.coerce == Conversions::Lossless);
        let mut possible_branches = self.possible_branches(choice, types);
        match (possible_branches.next(), possible_branches.next()) {
            (None, _) => self.reject(doc, at, "type", || union(schemas, choice)),
            (Some(only), None) => self.value(only, doc, at),
            _ => match &choice.tag {
                Some(tag) if node.kind == JsonKind::Object => {
                    self.check_selected_branch(tag, doc, at);
                }
                _ => self.try_branches(choice, rule, doc, at, node),
            },
        }
    }

    /// The branches that can accept a value of these types.
    fn possible_branches(
        &self,
        choice: &'v Choice,
        types: Types,
    ) -> impl Iterator<Item = SchemaId> + 'v {
        let schemas = self.schemas;
        let branches = choice.branches.iter().copied();
        branches.filter(move |id| schemas[*id as usize].possible_types.intersects(types))
    }

    /// Checks the branch that the discriminator selects.
    fn check_selected_branch(&mut self, tag: &'v Discriminator, doc: &Document<'_>, at: u32) {
        let Some(property) = doc.view.property(at, &tag.property) else {
            self.failed = true;
            if !self.quiet {
                self.record(doc.violation_of_absent(at, "required", &tag.property, &tag.expected));
            }
            return;
        };
        match selected_branch(tag, doc, property) {
            Some(schema) => self.value(*schema, doc, at),
            None => self.reject(doc, property, "enum", || tag.expected.to_string()),
        }
    }

    /// Tries the branches, first without coercion.
    fn try_branches(
        &mut self,
        choice: &'v Choice,
        rule: &'static str,
        doc: &Document<'_>,
        at: u32,
        node: &JsonNode,
    ) {
        let is_one_of = rule == "oneOf";
        let plain = candidate_types(doc, node, false);
        // A branch that would accept the value but lose digits still counts as a second match.
        let mode = if is_one_of { VerdictMode::SCHEMA } else { VerdictMode::PLAIN };
        let branches = match self.matching_branches(choice, plain, is_one_of, doc, at, mode) {
            MatchingBranches::None if self.coerce != Conversions::None => {
                let types = candidate_types(doc, node, self.coerce == Conversions::Lossless);
                let mode = VerdictMode { coerce: self.coerce, ..mode };
                match self.matching_branches(choice, types, true, doc, at, mode) {
                    // With coercion, more than one branch is ambiguous.
                    MatchingBranches::Several => MatchingBranches::None,
                    found @ (MatchingBranches::None | MatchingBranches::One(_)) => found,
                }
            }
            found @ (MatchingBranches::None
            | MatchingBranches::One(_)
            | MatchingBranches::Several) => found,
        };
        match branches {
            MatchingBranches::One(_)
                if self.quiet && mode.check_precision == self.check_precision => {}
            MatchingBranches::One(schema) => self.value(schema, doc, at),
            MatchingBranches::None => self.diagnose(choice, rule, plain, doc, at),
            MatchingBranches::Several => {
                let count = choice.branches.len();
                self.reject(doc, at, rule, || format!("exactly one of {count} alternatives"));
            }
        }
    }

    fn matching_branches(
        &mut self,
        choice: &'v Choice,
        types: Types,
        is_one_of: bool,
        doc: &Document<'_>,
        at: u32,
        mode: VerdictMode,
    ) -> MatchingBranches {
        let mut branches = MatchingBranches::None;
        for schema in self.possible_branches(choice, types) {
            if !self.passes(schema, doc, at, mode) {
                continue;
            }
            match branches {
                MatchingBranches::None if is_one_of => branches = MatchingBranches::One(schema),
                MatchingBranches::None => return MatchingBranches::One(schema),
                MatchingBranches::One(_) | MatchingBranches::Several => {
                    return MatchingBranches::Several;
                }
            }
        }
        branches
    }

    /// Reports the violations of the closest branch, if there is a single closest one.
    fn diagnose(
        &mut self,
        choice: &'v Choice,
        rule: &'static str,
        types: Types,
        doc: &Document<'_>,
        at: u32,
    ) {
        self.failed = true;
        if self.quiet {
            return;
        }
        let schemas = self.schemas;
        if self.possible_branches(choice, types).next().is_none() {
            return self.reject(doc, at, "type", || union(schemas, choice));
        }
        match self.closest(choice, types, doc, at) {
            Some(violations) => violations.into_iter().for_each(|found| self.record(found)),
            None => self.reject(doc, at, rule, || alternatives(schemas, choice)),
        }
    }

    /// The violations of the branch with the fewest of them.
    fn closest(
        &mut self,
        choice: &'v Choice,
        types: Types,
        doc: &Document<'_>,
        at: u32,
    ) -> Option<Vec<Violation>> {
        let mut best: Option<Vec<Violation>> = None;
        let mut tie = false;
        for schema in self.possible_branches(choice, types) {
            self.diagnoses_left = self.diagnoses_left.checked_sub(1)?;
            let branch_violations = self.violations_of(schema, doc, at);
            let fewest = best.as_ref().map_or(usize::MAX, Vec::len);
            tie = branch_violations.len() == fewest || (tie && branch_violations.len() > fewest);
            if branch_violations.len() < fewest {
                best = Some(branch_violations);
            }
        }
        best.filter(|_| !tie)
    }

    fn violations_of(&mut self, schema: SchemaId, doc: &Document<'_>, at: u32) -> Vec<Violation> {
        let (edits, overflow) = (self.edits.len(), self.overflow);
        let saved_violations = mem::take(&mut self.violations);
        self.value(schema, doc, at);
        self.edits.truncate(edits);
        self.overflow = overflow;
        mem::replace(&mut self.violations, saved_violations)
    }
}

/// The branches that an object may be meant for: the one that its discriminator selects, or all.
pub(super) fn meant_branches<'v>(
    choice: &'v Choice,
    doc: &Document<'_>,
    at: u32,
) -> &'v [SchemaId] {
    let selected = choice.tag.as_ref().and_then(|tag| {
        let property = doc.view.property(at, &tag.property)?;
        selected_branch(tag, doc, property)
    });
    selected.map_or(&choice.branches, std::slice::from_ref)
}

/// The branch that the value of a discriminator selects.
fn selected_branch<'v>(
    tag: &'v Discriminator,
    doc: &Document<'_>,
    property: u32,
) -> Option<&'v SchemaId> {
    let node = doc.view.node(property);
    let text = (node.kind == JsonKind::String).then(|| doc.view.string(node))?;
    tag.values.iter().find(|(value, _)| **value == *text).map(|(_, schema)| schema)
}

/// Number of branches that accept a value.
enum MatchingBranches {
    None,
    One(SchemaId),
    Several,
}

/// The types that any branch accepts.
fn union(schemas: &[SchemaNode], choice: &Choice) -> String {
    let possible_types = choice.branches.iter().map(|id| schemas[*id as usize].possible_types);
    possible_types.fold(Types::NONE, Types::or).text()
}

/// Lists the branches by name.
fn alternatives(schemas: &[SchemaNode], choice: &Choice) -> String {
    const MAX_NAMES: usize = 8;
    let mut names: Vec<String> = Vec::new();
    for id in &choice.branches {
        let name = schemas[*id as usize].name();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let left = names.len().saturating_sub(MAX_NAMES);
    names.truncate(MAX_NAMES);
    let more = if left > 0 { format!(" or {left} more") } else { String::new() };
    match names.as_slice() {
        [only] => format!("one of the {} forms of {only}", choice.branches.len()),
        names => format!("one of: {}{more}", names.join(", ")),
    }
}

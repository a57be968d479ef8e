//! Schemas made of schemas.

use std::mem;

use tool_contracts::Violation;

use super::super::model::{Choice, Logic, Schema, SchemaId, Tag};
use super::super::types::Types;
use super::scalar::candidates;
use super::{Doc, Question, Walk};
use crate::json::{Kind, Node, push_name};

impl<'v> Walk<'v> {
    pub(super) fn logic(&mut self, logic: &'v Logic, doc: &Doc<'_>, at: u32, node: &Node) {
        for schema in logic.reference.iter().chain(&logic.all) {
            if self.is_over() {
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
            if !self.is_over() && self.passes(not, doc, at, Question::SCHEMA) {
                self.refuse(doc, at, "not", || "a value unlike what `not` describes".to_owned());
            }
        }
        if let Some(condition) = &logic.condition {
            let holds = self.passes(condition.test, doc, at, Question::SCHEMA);
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
        doc: &Doc<'_>,
        at: u32,
        node: &Node,
    ) {
        if self.is_over() {
            return;
        }
        let schemas = self.schemas;
        let types = candidates(doc, node, self.coerce);
        let mut reached = self.reached(choice, types);
        match (reached.next(), reached.next()) {
            (None, _) => self.refuse(doc, at, "type", || union(schemas, choice)),
            (Some(only), None) => self.value(only, doc, at),
            _ => match &choice.tag {
                Some(tag) if node.kind == Kind::Object => self.tagged(tag, doc, at),
                _ => self.tried(choice, rule, doc, at, node),
            },
        }
    }

    /// The branches that a value of these types may pass.
    fn reached(&self, choice: &'v Choice, types: Types) -> impl Iterator<Item = SchemaId> + 'v {
        let schemas = self.schemas;
        let branches = choice.branches.iter().copied();
        branches.filter(move |id| schemas[*id as usize].reach.meets(types))
    }

    /// Checks the one branch that the tag asks for.
    fn tagged(&mut self, tag: &'v Tag, doc: &Doc<'_>, at: u32) {
        let Some(property) = doc.view.property(at, &tag.property) else {
            self.failed = true;
            if !self.quiet {
                let mut pointer = doc.pointer(at);
                push_name(&mut pointer, &tag.property);
                self.note(Violation::new(pointer, "required", tag.expected.to_string(), "absent"));
            }
            return;
        };
        let node = doc.view.node(property);
        let text = (node.kind == Kind::String).then(|| doc.view.string(node));
        let branch = text.and_then(|text| tag.values.iter().find(|(value, _)| **value == *text));
        match branch {
            Some((_, schema)) => self.value(*schema, doc, at),
            None => self.refuse(doc, property, "enum", || tag.expected.to_string()),
        }
    }

    /// Tries the branches: first as the value was sent, then with coercion.
    fn tried(
        &mut self,
        choice: &'v Choice,
        rule: &'static str,
        doc: &Doc<'_>,
        at: u32,
        node: &Node,
    ) {
        let single = rule == "oneOf";
        let plain = candidates(doc, node, false);
        // A second branch must not be overlooked because it would lose digits.
        let question = if single { Question::SCHEMA } else { Question::PLAIN };
        let found = match self.passing(choice, plain, single, doc, at, question) {
            Passing::None if self.coerce => {
                let types = candidates(doc, node, true);
                let question = Question { coerce: true, ..question };
                match self.passing(choice, types, true, doc, at, question) {
                    // It could mean either; neither is what was sent.
                    Passing::Several => Passing::None,
                    found => found,
                }
            }
            found => found,
        };
        match found {
            Passing::One(_) if self.quiet && question.digits == self.digits => {}
            Passing::One(schema) => self.value(schema, doc, at),
            Passing::None => self.diagnose(choice, rule, plain, doc, at),
            Passing::Several => {
                let count = choice.branches.len();
                self.refuse(doc, at, rule, || format!("exactly one of {count} alternatives"));
            }
        }
    }

    fn passing(
        &mut self,
        choice: &'v Choice,
        types: Types,
        single: bool,
        doc: &Doc<'_>,
        at: u32,
        question: Question,
    ) -> Passing {
        let mut found = Passing::None;
        for schema in self.reached(choice, types) {
            if !self.passes(schema, doc, at, question) {
                continue;
            }
            match found {
                Passing::None if single => found = Passing::One(schema),
                Passing::None => return Passing::One(schema),
                _ => return Passing::Several,
            }
        }
        found
    }

    /// Answers with what the closest branch misses, if one is closest.
    fn diagnose(
        &mut self,
        choice: &'v Choice,
        rule: &'static str,
        types: Types,
        doc: &Doc<'_>,
        at: u32,
    ) {
        self.failed = true;
        if self.quiet {
            return;
        }
        let schemas = self.schemas;
        if self.reached(choice, types).next().is_none() {
            return self.refuse(doc, at, "type", || union(schemas, choice));
        }
        match self.closest(choice, types, doc, at) {
            Some(violations) => violations.into_iter().for_each(|found| self.note(found)),
            None => self.refuse(doc, at, rule, || alternatives(schemas, choice)),
        }
    }

    /// The violations of the branch with the fewest of them.
    fn closest(
        &mut self,
        choice: &'v Choice,
        types: Types,
        doc: &Doc<'_>,
        at: u32,
    ) -> Option<Vec<Violation>> {
        let mut best: Option<Vec<Violation>> = None;
        let mut tie = false;
        for schema in self.reached(choice, types) {
            self.diagnoses = self.diagnoses.checked_sub(1)?;
            let found = self.violations_of(schema, doc, at);
            let fewest = best.as_ref().map_or(usize::MAX, Vec::len);
            tie = found.len() == fewest || (tie && found.len() > fewest);
            if found.len() < fewest {
                best = Some(found);
            }
        }
        best.filter(|_| !tie)
    }

    fn violations_of(&mut self, schema: SchemaId, doc: &Doc<'_>, at: u32) -> Vec<Violation> {
        let (edits, overflow) = (self.edits.len(), self.overflow);
        let kept = mem::take(&mut self.violations);
        self.value(schema, doc, at);
        self.edits.truncate(edits);
        self.overflow = overflow;
        mem::replace(&mut self.violations, kept)
    }
}

/// How many branches a value passes.
enum Passing {
    None,
    One(SchemaId),
    Several,
}

/// The types that any branch takes.
fn union(schemas: &[Schema], choice: &Choice) -> String {
    let reach = choice.branches.iter().map(|id| schemas[*id as usize].reach);
    reach.fold(Types::NONE, Types::or).text()
}

/// What to choose from.
fn alternatives(schemas: &[Schema], choice: &Choice) -> String {
    const MOST: usize = 8;
    let mut names: Vec<String> = Vec::new();
    for id in &choice.branches {
        let name = schemas[*id as usize].name();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let left = names.len().saturating_sub(MOST);
    names.truncate(MOST);
    let more = if left > 0 { format!(" or {left} more") } else { String::new() };
    match names.as_slice() {
        [only] => format!("one of the {} forms of {only}", choice.branches.len()),
        names => format!("one of: {}{more}", names.join(", ")),
    }
}

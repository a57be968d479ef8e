//! `unevaluatedProperties`: the properties that no other part of the schema looks at.

use tool_contracts::Violation;

use super::super::model::{Additional, Objects, Schema, SchemaId};
use super::super::nearest::nearest;
use super::object::no_other;
use super::{Doc, Question, Walk};

/// The rules of all schemas that a value passes beside the one at hand.
#[derive(Default)]
struct Evaluators<'v> {
    rules: Vec<&'v Objects>,
    /// One of them looks at every property.
    all: bool,
}

impl<'v> Walk<'v> {
    pub(super) fn unevaluated(
        &mut self,
        schema: &'v Schema,
        rest: SchemaId,
        doc: &Doc<'_>,
        at: u32,
    ) {
        let mut evaluators = Evaluators::default();
        self.evaluators(schema, doc, at, &mut evaluators);
        if evaluators.all {
            return;
        }
        for (id, child) in doc.view.children(at) {
            let name = doc.view.key(child);
            if self.is_over() {
                return;
            }
            let patterns: usize = evaluators.rules.iter().map(|rules| rules.patterns.len()).sum();
            if patterns > 0 && !self.may_match(&name) {
                return;
            }
            if evaluators.rules.iter().any(|rules| rules.schemas_for(&name).next().is_some()) {
                continue;
            }
            if self.schema(rest).never {
                self.unlooked(&evaluators, doc, id, &name);
            } else {
                self.value(rest, doc, id);
            }
        }
    }

    fn evaluators(
        &mut self,
        schema: &'v Schema,
        doc: &Doc<'_>,
        at: u32,
        found: &mut Evaluators<'v>,
    ) {
        if let Some(rules) = &schema.objects {
            found.rules.push(rules);
            found.all |= rules.additional != Additional::Open;
            for dependent in &rules.dependents {
                if doc.view.property(at, &dependent.name).is_some() {
                    self.inlined(dependent.schema, doc, at, found);
                }
            }
        }
        let Some(logic) = &schema.logic else { return };
        for id in logic.reference.iter().chain(&logic.all) {
            self.inlined(Some(*id), doc, at, found);
        }
        let question = Question { coerce: self.coerce, digits: false };
        for id in logic.any.iter().chain(&logic.one).flat_map(|choice| &choice.branches) {
            if self.passes(*id, doc, at, question) {
                self.inlined(Some(*id), doc, at, found);
            }
        }
        if let Some(condition) = &logic.condition {
            if self.passes(condition.test, doc, at, Question::SCHEMA) {
                self.inlined(Some(condition.test), doc, at, found);
                self.inlined(condition.pass, doc, at, found);
            } else {
                self.inlined(condition.fail, doc, at, found);
            }
        }
    }

    fn inlined(
        &mut self,
        id: Option<SchemaId>,
        doc: &Doc<'_>,
        at: u32,
        found: &mut Evaluators<'v>,
    ) {
        if let Some(schema) = id.map(|id| self.schema(id)) {
            let rest = schema.objects.as_ref().and_then(|rules| rules.unevaluated);
            found.all |= rest.is_some();
            self.evaluators(schema, doc, at, found);
        }
    }

    #[cold]
    fn unlooked(&mut self, evaluators: &Evaluators<'_>, doc: &Doc<'_>, id: u32, name: &str) {
        self.failed = true;
        if self.quiet {
            return;
        }
        let names = || {
            let properties = evaluators.rules.iter().flat_map(|rules| &rules.properties);
            properties.filter(|property| property.schema.is_some()).map(|property| &*property.name)
        };
        let rule = "unevaluatedProperties";
        let violation = Violation::new(doc.pointer(id), rule, no_other(names()), doc.received(id));
        let close = nearest(name, names(), 1);
        self.note(match close.first() {
            Some(close) => violation.with_hint(format!("did you mean `{close}`?")),
            None => violation,
        });
    }
}

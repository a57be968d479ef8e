//! Checks `unevaluatedProperties`: the properties that no other keyword evaluates.

use std::collections::BTreeSet;

use super::super::model::{AdditionalProperties, ObjectRules, SchemaId, SchemaNode};
use super::super::nearest::nearest;
use super::choice::meant_branches;
use super::object::{describe_known_names, with_close_name};
use super::{Document, VerdictMode, Walk};

/// The object rules of all other schemas that accept a value.
#[derive(Default)]
struct PropertyEvaluators<'v> {
    rules: Vec<&'v ObjectRules>,
    /// The schemas whose rules are listed.
    visited: BTreeSet<SchemaId>,
    /// One of them evaluates every property.
    all: bool,
    /// Another rule of the same value is violated, so the text is invalid already.
    failed: bool,
}

impl<'v> Walk<'v> {
    pub(super) fn unevaluated(
        &mut self,
        schema: &'v SchemaNode,
        rest: SchemaId,
        doc: &Document<'_>,
        at: u32,
    ) {
        let mut evaluators = PropertyEvaluators { failed: self.failed, ..Default::default() };
        self.collect_evaluators(schema, doc, at, &mut evaluators);
        if evaluators.all {
            return;
        }
        for (id, child) in doc.view.children(at) {
            let name = doc.view.key(child);
            if self.is_finished() {
                return;
            }
            let patterns: usize = evaluators.rules.iter().map(|rules| rules.patterns.len()).sum();
            if patterns > 0 && !self.may_match(&name) {
                return;
            }
            if evaluators.rules.iter().any(|rules| rules.schemas_for(&name).next().is_some()) {
                continue;
            }
            if self.schema(rest).rejects_all {
                self.check_unevaluated(&evaluators, doc, id, &name);
            } else {
                self.value(rest, doc, id);
            }
        }
    }

    fn collect_evaluators(
        &mut self,
        schema: &'v SchemaNode,
        doc: &Document<'_>,
        at: u32,
        found: &mut PropertyEvaluators<'v>,
    ) {
        if let Some(rules) = &schema.objects {
            found.rules.push(rules);
            found.all |= rules.additional != AdditionalProperties::Open;
            for dependent in &rules.dependents {
                if doc.view.property(at, &dependent.name).is_some() {
                    self.collect_from(dependent.schema, doc, at, found);
                }
            }
        }
        let Some(logic) = &schema.logic else { return };
        for id in logic.reference.iter().chain(&logic.all) {
            self.collect_from(Some(*id), doc, at, found);
        }
        let mode = VerdictMode { coerce: self.coerce, check_precision: false };
        for choice in logic.any.iter().chain(&logic.one) {
            let mut has_match = false;
            for id in &choice.branches {
                if self.passes(*id, doc, at, mode) {
                    has_match = true;
                    self.collect_from(Some(*id), doc, at, found);
                }
            }
            // The choice's own violation says what is wrong: the names of its branches are known.
            if !has_match && found.failed {
                for id in meant_branches(choice, doc, at) {
                    self.collect_from(Some(*id), doc, at, found);
                }
            }
        }
        if let Some(condition) = &logic.condition {
            if self.passes(condition.test, doc, at, VerdictMode::SCHEMA) {
                self.collect_from(Some(condition.test), doc, at, found);
                self.collect_from(condition.pass, doc, at, found);
            } else {
                self.collect_from(condition.fail, doc, at, found);
            }
        }
    }

    fn collect_from(
        &mut self,
        id: Option<SchemaId>,
        doc: &Document<'_>,
        at: u32,
        found: &mut PropertyEvaluators<'v>,
    ) {
        if let Some(schema) = id.filter(|id| found.visited.insert(*id)).map(|id| self.schema(id)) {
            let unevaluated_schema = schema.objects.as_ref().and_then(|rules| rules.unevaluated);
            found.all |= unevaluated_schema.is_some();
            self.collect_evaluators(schema, doc, at, found);
        }
    }

    #[cold]
    fn check_unevaluated(
        &mut self,
        evaluators: &PropertyEvaluators<'_>,
        doc: &Document<'_>,
        id: u32,
        name: &str,
    ) {
        self.failed = true;
        if self.quiet {
            return;
        }
        let names = || {
            let properties = evaluators.rules.iter().flat_map(|rules| &rules.properties);
            properties.filter(|property| property.schema.is_some()).map(|property| &*property.name)
        };
        let patterns = evaluators.rules.iter().flat_map(|rules| &rules.patterns);
        let expected = describe_known_names(names(), patterns.map(|(pattern, _)| pattern));
        let rule = "unevaluatedProperties";
        let violation = doc.violation(id, rule, expected);
        self.record(with_close_name(violation, doc, id, &nearest(name, names(), 1)));
    }
}

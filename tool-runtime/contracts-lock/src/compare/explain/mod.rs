//! Walks two schemas in parallel, and describes what has changed.
//!
//! Rules name a change and estimate its effect from a single keyword. The set of accepted values is
//! decided by a proof, which overrules a rule.

mod annotations;
mod arrays;
mod branches;
mod choices;
mod found;
mod objects;
mod scalars;
mod values;

use std::collections::{BTreeSet, HashSet};

use serde_json::Value;

use self::found::{FoundChange, PendingChange, Severity};
use super::equality::{equal, same_assertions};
use super::prove::{Proof, Prover};
use super::shape::ProofObstacle;
use super::subschema::{AllOf, Subschema, SubschemaPointers};
use super::{Compatibility, SchemaChange, SchemaReader};

/// Change of the set of accepted values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AcceptanceChange {
    Same,
    Widened,
    Narrowed,
    /// Both, or undecided.
    Unclear,
}

/// The rule of a part whose effect no rule decides, only a proof.
const PART_CHANGED: &str = "part-changed";

/// Overall change of a schema: a rule, and a message.
const WIDENED: (&str, &str) = ("widened", "accepts more values than before");
const NARROWED: (&str, &str) = ("narrowed", "accepts fewer values than before");

/// The same location in both documents.
#[derive(Debug, Clone, Copy)]
struct SchemaPair<'s> {
    before: Subschema<'s>,
    after: Subschema<'s>,
    /// The enclosing schema for properties that these schemas leave unevaluated.
    rest: (Option<Subschema<'s>>, Option<Subschema<'s>>),
    /// True if annotations are compared.
    compare_annotations: bool,
    /// True if `null` has been compared already.
    null_compared: bool,
}

/// Collects the changes.
pub(super) struct Explainer<'s> {
    prover: Prover<'s>,
    reader: SchemaReader,
    changes: Vec<FoundChange<'s>>,
    seen: BTreeSet<(usize, usize)>,
    pending: Vec<PendingChange<'s>>,
    /// The new document; every other location is in the old one.
    new_root: &'s Value,
}

impl<'s> Explainer<'s> {
    pub(super) fn new(before: Subschema<'s>, after: Subschema<'s>, reader: SchemaReader) -> Self {
        let prover = Prover::new(before, after);
        Self {
            prover,
            reader,
            changes: Vec::new(),
            seen: BTreeSet::new(),
            pending: Vec::new(),
            new_root: after.root,
        }
    }

    /// Lists all changes. If the whole change is proven compatible, none of them is breaking;
    /// otherwise at least one is.
    pub(super) fn explained(
        mut self,
        before: Subschema<'s>,
        after: Subschema<'s>,
    ) -> Vec<SchemaChange> {
        self.compare_schema(SchemaPair::new(before, after));
        if self.prover.equal_text_is_proof() && same_assertions(before, after) {
            self.limit_severity(Compatibility::None);
            return self.described();
        }
        // Results cached for one direction of the comparison could make the answer depend on the order
        // of the questions, so each direction has its own prover.
        let (mut backward, mut forward) = (Prover::new(after, before), Prover::new(before, after));
        let wider = forward.prove_documents(&before.all_of(), &after.all_of());
        let narrower = backward.prove_documents(&after.all_of(), &before.all_of());
        let same = wider.is_ok() && narrower.is_ok();
        let overall_change = if wider.is_ok() { WIDENED } else { NARROWED };
        let (proof, prover) = match self.reader {
            SchemaReader::Callee => (wider, forward),
            SchemaReader::Caller => (narrower, backward),
        };
        match proof {
            Ok(()) if same => self.limit_severity(Compatibility::None),
            Ok(()) => {
                self.limit_severity(Compatibility::Compatible);
                self.record_overall(overall_change, after);
            }
            Err(_) if prover.is_exhausted() => self.record_too_large(after),
            Err(obstacle) => self.record_undecided(&obstacle, after),
        }
        self.described()
    }

    fn described(self) -> Vec<SchemaChange> {
        let new_root = self.new_root;
        let pointers = SubschemaPointers::new(self.changes.iter().map(|change| change.at));
        let described = self.changes.into_iter().map(|change| {
            let pointer = pointers.pointer(change.at);
            change.described(pointer, new_root)
        });
        let mut identities = HashSet::new();
        let mut described: Vec<_> = described.collect();
        described.retain(|change| identities.insert(change.identity()));
        described
    }

    /// Records the overall change, unless a rule has recorded its cause.
    fn record_overall(&mut self, (rule, message): (&'static str, &str), after: Subschema<'s>) {
        let has_effect =
            |change: &FoundChange<'s>| change.severity != Severity::Decided(Compatibility::None);
        if !self.changes.iter().any(has_effect) {
            let severity = Severity::Decided(Compatibility::Compatible);
            self.add(after, rule, severity, message.to_owned());
        }
    }

    /// Limits the severity of every change to the proven overall severity, which also decides the
    /// undecided ones.
    fn limit_severity(&mut self, limit: Compatibility) {
        for change in &mut self.changes {
            let handling = ["alias-", "default-", "sensitivity-", "spending-"]
                .iter()
                .any(|of| change.rule.starts_with(of));
            if !handling {
                change.severity = change.severity.at_most(limit);
            }
        }
    }

    fn record_too_large(&mut self, after: Subschema<'s>) {
        if !self.changes.iter().any(|change| change.severity.is_breaking()) {
            let message = "the schemas have too many combinations to compare".to_owned();
            self.add(after, PART_CHANGED, Severity::Undecided, message);
        }
    }

    fn record_undecided(&mut self, obstacle: &ProofObstacle<'s>, after: Subschema<'s>) {
        if self.changes.iter().any(|change| change.severity.is_breaking()) {
            return;
        }
        let subschema = obstacle.subschema.unwrap_or(after);
        let words = [obstacle.keyword, "oneOf", "anyOf", "allOf", "$ref"];
        let keyword = words.into_iter().find(|word| subschema.get(word).is_some());
        let at = keyword.and_then(|word| subschema.child(word)).unwrap_or(subschema);
        let keyword = keyword.unwrap_or(obstacle.keyword);
        let message = format!("the effect is unknown because of `{keyword}`");
        self.add(at, PART_CHANGED, Severity::Undecided, message);
    }

    /// Compares the schemas of a value.
    fn compare_schema(&mut self, pair: SchemaPair<'s>) {
        if pair.compare_annotations {
            self.compare_annotations(pair.before, pair.after);
        }
        let pair = pair.resolved();
        let (before, after) = (pair.before, pair.after);
        if !self.seen.insert((before.id(), after.id())) {
            return;
        }
        let overall = match pair.rest {
            (None, None) if !pair.null_compared => self.effect(&before.all_of(), &after.all_of()),
            _ => AcceptanceChange::Unclear,
        };
        let outer = std::mem::take(&mut self.pending);
        let children = self.compare_keywords(pair);
        let pending = std::mem::replace(&mut self.pending, outer);
        self.finish_schema(pair, overall, pending);
        for child in children {
            self.compare_schema(child);
        }
    }

    /// Compares the keywords of a schema, and returns the subschemas to compare.
    fn compare_keywords(&mut self, pair: SchemaPair<'s>) -> Vec<SchemaPair<'s>> {
        if let Some(inner) = self.compare_null(pair) {
            return vec![inner];
        }
        if self.compare_false(pair) || self.compare_enum(pair) || self.record_restatement(pair) {
            return Vec::new();
        }
        self.compare_types(pair);
        self.compare_limits(pair);
        self.compare_strings(pair);
        self.compare_formats(pair);
        self.compare_unknown_keywords(pair);
        let mut children = self.compare_arrays(pair);
        children.extend(self.compare_objects(pair));
        children.extend(self.compare_choices(pair));
        children
    }

    /// Records the changes of a schema, adjusted to its overall change.
    fn finish_schema(
        &mut self,
        pair: SchemaPair<'s>,
        overall: AcceptanceChange,
        pending: Vec<PendingChange<'s>>,
    ) {
        if same_assertions(pair.before, pair.after) {
            return;
        }
        if overall == AcceptanceChange::Same && !pending.is_empty() {
            let message = "the same values are valid, expressed by other keywords".to_owned();
            let severity = Severity::Decided(Compatibility::None);
            return self.add(pair.after, "restated", severity, message);
        }
        for found in pending {
            let effect = limit_effect(found.effect, overall);
            let severity = self.severity(&found, effect);
            self.add(found.at, found.rule, severity, found.message);
        }
    }

    fn severity(&self, found: &PendingChange<'s>, effect: AcceptanceChange) -> Severity {
        let severity = Severity::Decided(self.compatibility(effect));
        let unproven = effect == AcceptanceChange::Unclear
            || (found.rule == PART_CHANGED && severity.is_breaking());
        if found.needs_proof && unproven { Severity::Undecided } else { severity }
    }

    fn compatibility(&self, effect: AcceptanceChange) -> Compatibility {
        match (effect, self.reader) {
            (AcceptanceChange::Same, _) => Compatibility::None,
            (AcceptanceChange::Widened, SchemaReader::Callee)
            | (AcceptanceChange::Narrowed, SchemaReader::Caller) => Compatibility::Compatible,
            (AcceptanceChange::Widened, SchemaReader::Caller)
            | (AcceptanceChange::Narrowed, SchemaReader::Callee)
            | (AcceptanceChange::Unclear, _) => Compatibility::Breaking,
        }
    }

    fn add(&mut self, at: Subschema<'s>, rule: &'static str, severity: Severity, message: String) {
        self.changes.push(FoundChange { at, rule, severity, message });
    }

    fn record(
        &mut self,
        at: Subschema<'s>,
        rule: &'static str,
        effect: AcceptanceChange,
        message: impl Into<String>,
    ) {
        let message = message.into();
        self.pending.push(PendingChange { at, rule, effect, message, needs_proof: false });
    }

    /// Records a change whose effect only a proof can decide.
    fn record_unproven(&mut self, at: Subschema<'s>, word: &str, rule: &'static str) {
        let message = format!("`{word}` has changed");
        let effect = AcceptanceChange::Unclear;
        self.pending.push(PendingChange { at, rule, effect, message, needs_proof: true });
    }

    /// Proofs that the new schema accepts all old values, and the reverse.
    fn proofs(&mut self, before: &AllOf<'s>, after: &AllOf<'s>) -> (Proof<'s>, Proof<'s>) {
        (self.prover.proof(before, after), self.prover.proof(after, before))
    }

    /// The change of the set of accepted values from `before` to `after`.
    fn effect(&mut self, before: &AllOf<'s>, after: &AllOf<'s>) -> AcceptanceChange {
        let pairs = before.iter().zip(after);
        if before.len() == after.len()
            && pairs.into_iter().all(|(old, new)| same_assertions(*old, *new))
        {
            return AcceptanceChange::Same;
        }
        let (wider, narrower) = self.proofs(before, after);
        match (wider.is_ok(), narrower.is_ok()) {
            (true, true) => AcceptanceChange::Same,
            (true, false) => AcceptanceChange::Widened,
            (false, true) => AcceptanceChange::Narrowed,
            (false, false) => AcceptanceChange::Unclear,
        }
    }
}

impl<'s> SchemaPair<'s> {
    /// Follows references, unless a side has keywords next to `$ref`.
    fn resolved(self) -> Self {
        let (before, after) = (self.before.resolved(), self.after.resolved());
        let refers = |subschema: Subschema<'s>| subschema.get("$ref").is_some();
        let beside = refers(before) != refers(after) && refers(self.before) && refers(self.after);
        if beside { self } else { Self { before, after, ..self } }
    }

    /// The subschemas of a keyword that both sides have.
    fn child(self, word: &str) -> Option<Self> {
        let (before, after) = (self.before.child(word)?, self.after.child(word)?);
        Some(Self::new(before, after))
    }

    const fn new(before: Subschema<'s>, after: Subschema<'s>) -> Self {
        Self { before, after, rest: (None, None), compare_annotations: true, null_compared: false }
    }

    /// The location of a keyword: in the new schema, or else in the old one. If neither has it,
    /// the new schema itself.
    fn part(self, word: &str) -> Subschema<'s> {
        let part = self.after.child(word).or_else(|| self.before.child(word));
        part.unwrap_or(self.after)
    }

    fn values(self, word: &str) -> (Option<&'s Value>, Option<&'s Value>) {
        (self.before.get(word), self.after.get(word))
    }

    fn differs(self, word: &str) -> bool {
        match self.values(word) {
            (Some(before), Some(after)) => !equal(before, after),
            (before, after) => before.is_some() != after.is_some(),
        }
    }
}

/// The overall change of a schema is more precise than that of a single keyword.
const fn limit_effect(effect: AcceptanceChange, overall: AcceptanceChange) -> AcceptanceChange {
    match overall {
        AcceptanceChange::Unclear => effect,
        overall @ (AcceptanceChange::Same
        | AcceptanceChange::Widened
        | AcceptanceChange::Narrowed) => overall,
    }
}

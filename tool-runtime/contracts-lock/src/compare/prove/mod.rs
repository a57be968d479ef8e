//! Proves that every value that is valid by one schema is valid by another.

mod array;
mod atomic_rules;
mod empty;
mod expand;
mod member;
mod object;
mod unevaluated;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use serde_json::Value;

pub(super) use self::expand::Expansion;
use super::equality::same_assertions;
use super::keywords;
use super::shape::{ProofObstacle, Shape, TypeConstraints};
use super::subschema::{AllOf, Subschema};

/// The most steps of one proof; a proof that needs more is undecided.
const MAX_STEPS: u32 = 20_000;
/// Pairs of alternatives that one comparison may combine for any schemas; further proofs are
/// undecided.
const LEAST_WORK: usize = 100_000;
/// Pairs that it may combine for each value in the schemas.
const WORK_PER_VALUE: usize = 50;
/// Values that are read in the time that a pair of alternatives takes.
const READS_PER_PAIR: usize = 16;
/// Deepest nesting of proofs: bounds the stack.
const MAX_DEPTH: u32 = 48;
/// Deepest nesting of proofs about the same value.
const MAX_SAME_VALUE_DEPTH: u32 = 6;

/// Proof that one set of values contains another, or the obstacle.
pub(super) type Proof<'s> = Result<(), ProofObstacle<'s>>;

/// The schemas of an `AllOf`, by identity.
type SchemaIds = Vec<usize>;

/// Cached facts about both documents during a comparison.
pub(super) struct Prover<'s> {
    /// Reason for which equal texts do not prove equal schemas.
    text_unreliable: Option<&'static str>,
    steps: u32,
    /// The work that is left for all proofs together, in pairs of alternatives.
    work_left: usize,
    /// Values that were read since work was last spent for them.
    reads: usize,
    depth: u32,
    same_value_depth: u32,
    /// Pairs that are proven or being proven. A reference back to one of them is granted, because
    /// instances are finite and every cycle leads one level deeper into the instance.
    granted: BTreeSet<(SchemaIds, SchemaIds)>,
    /// Granted pairs in order, to revoke them.
    granted_order: Vec<(SchemaIds, SchemaIds)>,
    expansions: BTreeMap<SchemaIds, Rc<Expansion<'s>>>,
    /// The schemas that are being expanded.
    expanding: Vec<usize>,
    /// The outermost of them that an expansion has reached again.
    outermost_reentry: usize,
    /// Current depth of the search for contradictions.
    contradiction_depth: u32,
    /// The search for contradictions was cut off.
    contradiction_search_cut: bool,
}

impl<'s> Prover<'s> {
    pub(super) fn new(before: Subschema<'s>, after: Subschema<'s>) -> Self {
        let dynamic_keyword = keywords::dynamic_keyword(before.root)
            .or_else(|| keywords::dynamic_keyword(after.root));
        let dialects = keywords::dialect(before.root) != keywords::dialect(after.root);
        Self {
            text_unreliable: dynamic_keyword.or(dialects.then_some("$schema")),
            steps: MAX_STEPS,
            work_left: work_for(before, after),
            reads: 0,
            depth: 0,
            same_value_depth: 0,
            granted: BTreeSet::new(),
            granted_order: Vec::new(),
            expansions: BTreeMap::new(),
            expanding: Vec::new(),
            outermost_reentry: usize::MAX,
            contradiction_depth: 0,
            contradiction_search_cut: false,
        }
    }

    /// Returns whether equal texts prove equal schemas.
    pub(super) const fn equal_text_is_proof(&self) -> bool {
        self.text_unreliable.is_none()
    }

    /// Allows steps for one proof, as long as work is left for all of them.
    fn allow(&mut self, steps: u32) {
        self.steps = if self.is_exhausted() { 0 } else { steps };
    }

    /// Returns whether all work is spent, so that no further proof succeeds.
    pub(super) const fn is_exhausted(&self) -> bool {
        self.work_left == 0
    }

    /// Spends work; returns false if none is left.
    fn spend(&mut self, work: usize) -> bool {
        tool_runtime_schema::test_cost::count(work);
        self.work_left = self.work_left.saturating_sub(work);
        if self.is_exhausted() {
            self.steps = 0;
        }
        !self.is_exhausted()
    }

    /// Spends work to read values, each of which takes less than a pair of alternatives.
    fn spend_reads(&mut self, values: usize) -> bool {
        let reads = self.reads + values;
        self.reads = reads % READS_PER_PAIR;
        self.spend(reads / READS_PER_PAIR)
    }

    /// Searches for a proof about two whole documents, with a larger budget of steps.
    pub(super) fn prove_documents(&mut self, a: &AllOf<'s>, b: &AllOf<'s>) -> Proof<'s> {
        self.allow(5 * MAX_STEPS);
        self.prove(a, b)
    }

    /// Searches for a proof that every value that is valid by `a` is valid by `b`.
    pub(super) fn proof(&mut self, a: &AllOf<'s>, b: &AllOf<'s>) -> Proof<'s> {
        self.allow(MAX_STEPS);
        self.prove(a, b)
    }

    /// Proves that every value that is valid by `a` is valid by `b`.
    fn prove(&mut self, a: &AllOf<'s>, b: &AllOf<'s>) -> Proof<'s> {
        if let Some(keyword) = self.text_unreliable {
            return Err(ProofObstacle { keyword, subschema: None });
        }
        let key = (key(a), key(b));
        if b.is_empty() || key.0 == key.1 || self.granted.contains(&key) {
            return Ok(());
        }
        if self.steps == 0 || self.depth == MAX_DEPTH {
            return Err(ProofObstacle { keyword: "$ref", subschema: b.first().copied() });
        }
        self.steps -= 1;
        self.spend(1);
        if let (&[a], &[b]) = (a.as_slice(), b.as_slice()) {
            if same_assertions(a, b) {
                return Ok(());
            }
        }
        let granted_count = self.granted_order.len();
        self.granted.insert(key.clone());
        self.granted_order.push(key);
        self.depth += 1;
        let proof = self.compare_expansions(a, b);
        self.depth -= 1;
        if proof.is_err() {
            for key in self.granted_order.drain(granted_count..) {
                self.granted.remove(&key);
            }
        }
        proof
    }

    /// Proves a statement about the same value, without the granted pairs.
    fn prove_same_value(&mut self, proof: impl FnOnce(&mut Self) -> bool) -> bool {
        if self.same_value_depth == MAX_SAME_VALUE_DEPTH || self.steps == 0 {
            return false;
        }
        self.steps -= 1;
        self.same_value_depth += 1;
        let granted = std::mem::take(&mut self.granted);
        let granted_order = std::mem::take(&mut self.granted_order);
        let result = proof(self);
        self.granted = granted;
        self.granted_order = granted_order;
        self.same_value_depth -= 1;
        result
    }

    fn compare_expansions(&mut self, a: &AllOf<'s>, b: &AllOf<'s>) -> Proof<'s> {
        let (left, right) = (self.expansion(a), self.expansion(b));
        if let Some(obstacle) = left.overflow.clone() {
            return Err(obstacle);
        }
        for shape in &left.shapes {
            self.shape_within(shape, &right, b)?;
        }
        Ok(())
    }

    /// Proves that every value of the shape is valid by the schemas with this expansion.
    fn shape_within(
        &mut self,
        shape: &Shape<'s>,
        expansion: &Expansion<'s>,
        all_of: &AllOf<'s>,
    ) -> Proof<'s> {
        let mut obstacle = expansion.overflow.clone();
        for other in &expansion.shapes {
            if !self.spend(1) {
                break;
            }
            match self.shapes_within(shape, other, all_of) {
                Ok(()) => return Ok(()),
                Err(found) => obstacle = obstacle.or(Some(found)),
            }
        }
        if self.is_empty(shape)
            || self.all_admitted(shape, expansion)
            || self.tags_within(shape, expansion, all_of)
        {
            return Ok(());
        }
        Err(obstacle.unwrap_or_else(|| ProofObstacle::at("type", all_of)))
    }

    /// Returns whether the values are enumerated and each of them is valid.
    fn all_admitted(&mut self, shape: &Shape<'s>, expansion: &Expansion<'s>) -> bool {
        let Some(values) = shape.listed() else { return false };
        values.iter().all(|value| {
            self.shape_admits(shape, value) == Some(false)
                || self.any_admits(&expansion.shapes, value) == Some(true)
        })
    }

    fn shapes_within(&mut self, a: &Shape<'s>, b: &Shape<'s>, all_of: &AllOf<'s>) -> Proof<'s> {
        let wrong = |keyword| Err(ProofObstacle::at(keyword, all_of));
        if b.values.is_some() && !self.lists_within(a, b) {
            return wrong(if all_of.iter().any(|subschema| subschema.get("const").is_some()) {
                "const"
            } else {
                "enum"
            });
        }
        let broken = match (&a.constraints, &b.constraints) {
            (TypeConstraints::Null, TypeConstraints::Null)
            | (TypeConstraints::Boolean, TypeConstraints::Boolean) => None,
            (TypeConstraints::Number(a), TypeConstraints::Number(b)) => a.violated_keyword(b),
            (TypeConstraints::Text(a), TypeConstraints::Text(b)) => a.violated_keyword(b),
            (TypeConstraints::Array(a), TypeConstraints::Array(b)) => {
                self.arrays_within(a, b, all_of)?;
                None
            }
            (TypeConstraints::Object(a), TypeConstraints::Object(b)) => {
                self.objects_within(a, b, all_of)?;
                None
            }
            (
                TypeConstraints::Null
                | TypeConstraints::Boolean
                | TypeConstraints::Number(_)
                | TypeConstraints::Text(_)
                | TypeConstraints::Array(_)
                | TypeConstraints::Object(_),
                _,
            ) => Some("type"),
        };
        match broken {
            Some(keyword) => wrong(keyword),
            None => b.rules.iter().try_for_each(|rule| self.implies(a, rule)),
        }
    }

    /// Returns whether the enumeration of `b` contains that of `a`.
    fn lists_within(&mut self, a: &Shape<'s>, b: &Shape<'s>) -> bool {
        let (Some(values), Some(listed)) = (a.listed(), &b.values) else { return false };
        if !self.spend_reads(values.len()) {
            return false;
        }
        let mut values = values.iter();
        values.all(|value| listed.contains(value) || self.shape_admits(a, value) == Some(false))
    }

    /// Returns whether every value of the shape is valid by the schema.
    fn shape_in(&mut self, shape: &Shape<'s>, subschema: Subschema<'s>) -> bool {
        let all_of = subschema.all_of();
        self.prove_same_value(|prover| {
            let expansion = prover.expansion(&all_of);
            prover.shape_within(shape, &expansion, &all_of).is_ok()
        })
    }
}

fn work_for(before: Subschema<'_>, after: Subschema<'_>) -> usize {
    let values = count_values(before.root) + count_values(after.root);
    LEAST_WORK.saturating_add(values.saturating_mul(WORK_PER_VALUE))
}

fn count_values(schema: &Value) -> usize {
    match schema {
        Value::Object(keywords) => 1 + keywords.values().map(count_values).sum::<usize>(),
        Value::Array(list) => 1 + list.iter().map(count_values).sum::<usize>(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
    }
}

fn key(all_of: &AllOf<'_>) -> SchemaIds {
    all_of.iter().map(|subschema| subschema.id()).collect()
}

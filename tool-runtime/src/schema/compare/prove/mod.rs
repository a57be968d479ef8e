//! Proofs that whatever passes one schema passes another. What cannot be proven is not claimed.

mod array;
mod atoms;
mod empty;
mod expand;
mod member;
mod object;
mod unevaluated;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use self::expand::Expansion;
use super::alike::alike;
use super::part::{Node, Part};
use super::shape::{Body, Gap, Shape};
use super::words;

/// How many steps one proof may take; whatever is not proven by then is undecided.
const STEPS: u32 = 20_000;
/// How deep proofs may lie within each other: a bound for the stack.
const DEEPEST: u32 = 48;
/// How deep proofs about one and the same value may lie within each other.
const ASIDE: u32 = 6;

/// Whether one set of values lies in another, and if that is not proven, what is in the way.
pub(super) type Proof<'s> = Result<(), Gap<'s>>;

/// The parts of a node, by identity.
type Key = Vec<usize>;

/// What is known of both documents while they are compared.
pub(super) struct Prover<'s> {
    /// Why nothing can be proven by the text of a part alone.
    blocked: Option<&'static str>,
    steps: u32,
    depth: u32,
    aside: u32,
    /// Pairs that are being proven, or were: a reference back to them is granted, as an instance
    /// is finite and every way back leads one level deeper into it.
    granted: BTreeSet<(Key, Key)>,
    /// The order in which they were granted, to take them back.
    trail: Vec<(Key, Key)>,
    expansions: BTreeMap<Key, Rc<Expansion<'s>>>,
    /// The parts that are being expanded.
    open: Vec<usize>,
    /// The outermost of them that an expansion since has met again.
    met: usize,
    /// How deep in the value a contradiction is being looked for.
    looking: u32,
    /// It was not looked for any deeper.
    cut: bool,
}

impl<'s> Prover<'s> {
    pub(super) fn new(before: Part<'s>, after: Part<'s>) -> Self {
        let entangled = words::entangled(before.root).or_else(|| words::entangled(after.root));
        let dialects = words::dialect(before.root) != words::dialect(after.root);
        Self {
            blocked: entangled.or(dialects.then_some("$schema")),
            steps: STEPS,
            depth: 0,
            aside: 0,
            granted: BTreeSet::new(),
            trail: Vec::new(),
            expansions: BTreeMap::new(),
            open: Vec::new(),
            met: usize::MAX,
            looking: 0,
            cut: false,
        }
    }

    /// Does the text of a part say what it means?
    pub(super) const fn reads_text(&self) -> bool {
        self.blocked.is_none()
    }

    /// Looks for a proof about two whole documents, for as long as for many of their places.
    pub(super) fn proof_of_all(&mut self, a: &Node<'s>, b: &Node<'s>) -> Proof<'s> {
        self.steps = 5 * STEPS;
        self.within(a, b)
    }

    /// Looks for a proof that everything that passes `a` passes `b`.
    pub(super) fn proof(&mut self, a: &Node<'s>, b: &Node<'s>) -> Proof<'s> {
        self.steps = STEPS;
        self.within(a, b)
    }

    /// Does everything that passes `a` pass `b`?
    fn within(&mut self, a: &Node<'s>, b: &Node<'s>) -> Proof<'s> {
        if let Some(keyword) = self.blocked {
            return Err(Gap { keyword, part: None });
        }
        let key = (key(a), key(b));
        if b.is_empty() || key.0 == key.1 || self.granted.contains(&key) {
            return Ok(());
        }
        if self.steps == 0 || self.depth == DEEPEST {
            return Err(Gap { keyword: "$ref", part: b.first().copied() });
        }
        self.steps -= 1;
        if let (&[a], &[b]) = (a.as_slice(), b.as_slice()) {
            if alike(a, b) {
                return Ok(());
            }
        }
        let kept = self.trail.len();
        self.granted.insert(key.clone());
        self.trail.push(key);
        self.depth += 1;
        let proof = self.compared(a, b);
        self.depth -= 1;
        if proof.is_err() {
            for key in self.trail.drain(kept..) {
                self.granted.remove(&key);
            }
        }
        proof
    }

    /// Proves something that is asked of the very same value: nothing granted so far counts.
    fn apart(&mut self, proof: impl FnOnce(&mut Self) -> bool) -> bool {
        if self.aside == ASIDE || self.steps == 0 {
            return false;
        }
        self.steps -= 1;
        self.aside += 1;
        let granted = std::mem::take(&mut self.granted);
        let trail = std::mem::take(&mut self.trail);
        let result = proof(self);
        self.granted = granted;
        self.trail = trail;
        self.aside -= 1;
        result
    }

    fn compared(&mut self, a: &Node<'s>, b: &Node<'s>) -> Proof<'s> {
        let (left, right) = (self.expansion(a), self.expansion(b));
        if let Some(gap) = left.overflow.clone() {
            return Err(gap);
        }
        for shape in &left.shapes {
            self.shape_within(shape, &right, b)?;
        }
        Ok(())
    }

    /// Does everything that passes the shape pass the node, of which the expansion is?
    fn shape_within(
        &mut self,
        shape: &Shape<'s>,
        expansion: &Expansion<'s>,
        node: &Node<'s>,
    ) -> Proof<'s> {
        let mut gap = expansion.overflow.clone();
        for other in &expansion.shapes {
            match self.shapes_within(shape, other, node) {
                Ok(()) => return Ok(()),
                Err(found) => gap = gap.or(Some(found)),
            }
        }
        if self.is_empty(shape)
            || self.all_admitted(shape, expansion)
            || self.tags_within(shape, expansion, node)
        {
            return Ok(());
        }
        Err(gap.unwrap_or_else(|| Gap::at("type", node)))
    }

    /// Are the values listed, and does each of them pass?
    fn all_admitted(&mut self, shape: &Shape<'s>, expansion: &Expansion<'s>) -> bool {
        let Some(values) = shape.listed() else { return false };
        values.iter().all(|value| {
            self.shape_admits(shape, value) == Some(false)
                || self.any_admits(&expansion.shapes, value) == Some(true)
        })
    }

    fn shapes_within(&mut self, a: &Shape<'s>, b: &Shape<'s>, node: &Node<'s>) -> Proof<'s> {
        let wrong = |keyword| Err(Gap::at(keyword, node));
        if b.values.is_some() && !self.lists_within(a, b) {
            return wrong(if node.iter().any(|part| part.get("const").is_some()) {
                "const"
            } else {
                "enum"
            });
        }
        let broken = match (&a.body, &b.body) {
            (Body::Null, Body::Null) | (Body::Boolean, Body::Boolean) => None,
            (Body::Number(a), Body::Number(b)) => a.beyond(b),
            (Body::Text(a), Body::Text(b)) => a.beyond(b),
            (Body::Array(a), Body::Array(b)) => {
                self.arrays_within(a, b, node)?;
                None
            }
            (Body::Object(own), Body::Object(b)) => {
                self.objects_within(own, b, node)?;
                None
            }
            _ => Some("type"),
        };
        match broken {
            Some(keyword) => wrong(keyword),
            None => b.atoms.iter().try_for_each(|atom| self.keeps(a, atom)),
        }
    }

    /// Are the values of one among those that the other lists?
    fn lists_within(&mut self, a: &Shape<'s>, b: &Shape<'s>) -> bool {
        let (Some(own), Some(listed)) = (a.listed(), &b.values) else { return false };
        let among = |value| listed.iter().any(|other| super::alike::equal(value, other));
        own.iter().all(|value| among(value) || self.shape_admits(a, value) == Some(false))
    }

    /// Does everything that passes the shape pass the schema?
    fn shape_in(&mut self, shape: &Shape<'s>, part: Part<'s>) -> bool {
        let node = part.node();
        self.apart(|prover| {
            let expansion = prover.expansion(&node);
            prover.shape_within(shape, &expansion, &node).is_ok()
        })
    }
}

fn key(node: &Node<'_>) -> Key {
    node.iter().map(|part| part.id()).collect()
}

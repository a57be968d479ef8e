//! Walks two schemas side by side, and says in words what has changed.
//!
//! Rules give a change its name and, as far as a single keyword tells, its effect. What passes in
//! the end is a matter of proof, and a proof overrules a rule.

mod annotations;
mod arrays;
mod branches;
mod choices;
mod objects;
mod scalars;
mod values;

use std::collections::BTreeSet;

use serde_json::Value;

use super::alike::{alike, equal};
use super::part::{Node, Part};
use super::prove::{Proof, Prover};
use super::shape::Gap;
use super::{Compatibility, Reader, SchemaChange};

/// Which instances pass that did not, and the other way round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    Same,
    Widened,
    Narrowed,
    /// Some of both, or nobody can tell.
    Unclear,
}

/// What a schema comes to as a whole: a rule, and what a person reads.
const WIDENED: (&str, &str) = ("widened", "more passes than before");
const NARROWED: (&str, &str) = ("narrowed", "less passes than before");

/// The same place in both documents.
#[derive(Debug, Clone, Copy)]
struct Pair<'s> {
    before: Part<'s>,
    after: Part<'s>,
    /// What a schema around them asks of the properties that they leave unevaluated.
    rest: (Option<Part<'s>>, Option<Part<'s>>),
    /// Do its annotations count?
    told: bool,
    /// Does null not count, as it has been compared?
    bare: bool,
}

/// A change of a place's own keywords, before it is known what the place comes to.
struct Found {
    path: String,
    rule: &'static str,
    effect: Effect,
    message: String,
    /// No rule decides what the change comes to, only a proof does.
    soft: bool,
}

/// What has been found so far.
pub(super) struct Explainer<'s> {
    prover: Prover<'s>,
    reader: Reader,
    changes: Vec<SchemaChange>,
    seen: BTreeSet<(usize, usize)>,
    own: Vec<Found>,
}

impl<'s> Explainer<'s> {
    pub(super) fn new(before: Part<'s>, after: Part<'s>, reader: Reader) -> Self {
        let prover = Prover::new(before, after);
        let (changes, own) = (Vec::new(), Vec::new());
        Self { prover, reader, changes, seen: BTreeSet::new(), own }
    }

    /// Lists all changes. Where the whole is proven, none of them breaks anything; where it is
    /// not, at least one does.
    pub(super) fn explained(mut self, before: Part<'s>, after: Part<'s>) -> Vec<SchemaChange> {
        self.place(Pair::of(before, after));
        if self.prover.reads_text() && alike(before, after) {
            self.spare(Compatibility::None);
            return self.changes;
        }
        let (wider, narrower) = (passes(before, after), passes(after, before));
        let same = wider.is_ok() && narrower.is_ok();
        let whole = if wider.is_ok() { WIDENED } else { NARROWED };
        let proof = if self.reader == Reader::Callee { wider } else { narrower };
        match proof {
            Ok(()) if same => self.spare(Compatibility::None),
            Ok(()) => {
                self.spare(Compatibility::Compatible);
                self.say(whole, after);
            }
            Err(gap) => self.doubt(&gap, after),
        }
        self.changes
    }

    /// Says what the whole comes to, if no rule has said where it comes from.
    fn say(&mut self, (rule, message): (&'static str, &str), after: Part<'s>) {
        if self.changes.iter().any(|change| change.compatibility != Compatibility::None) {
            return;
        }
        self.add(after.pointer(), rule, Compatibility::Compatible, message.to_owned());
    }

    /// Lets no change be worse than what all of them come to.
    fn spare(&mut self, most: Compatibility) {
        for change in &mut self.changes {
            let handling =
                ["default-", "sensitivity-"].iter().any(|of| change.rule.starts_with(of));
            if !handling {
                change.compatibility = change.compatibility.min(most);
            }
        }
    }

    fn doubt(&mut self, gap: &Gap<'s>, after: Part<'s>) {
        if self.changes.iter().any(|change| change.compatibility == Compatibility::Breaking) {
            return;
        }
        let part = gap.part.unwrap_or(after);
        let words = [gap.keyword, "oneOf", "anyOf", "allOf", "$ref"];
        let keyword = words.into_iter().find(|word| part.get(word).is_some());
        let path = keyword.map(|word| format!("/{word}")).unwrap_or_default();
        let keyword = keyword.unwrap_or(gap.keyword);
        let message = format!("nobody can tell what passes now, because of `{keyword}`");
        let pointer = part.pointer() + &path;
        self.add(pointer, "undecided", Compatibility::Breaking, message);
    }

    /// Explains a value's schema.
    fn place(&mut self, pair: Pair<'s>) {
        if pair.told {
            self.annotations(pair.before, pair.after);
        }
        let pair = pair.settled();
        let (before, after) = (pair.before, pair.after);
        if !self.seen.insert((before.id(), after.id())) {
            return;
        }
        let overall = match pair.rest {
            (None, None) if !pair.bare => self.effect(&before.node(), &after.node()),
            _ => Effect::Unclear,
        };
        let outer = std::mem::take(&mut self.own);
        let children = self.keywords(pair);
        let own = std::mem::replace(&mut self.own, outer);
        self.settle(pair, overall, own);
        for child in children {
            self.place(child);
        }
    }

    /// Compares the keywords of a place, and returns the places below.
    fn keywords(&mut self, pair: Pair<'s>) -> Vec<Pair<'s>> {
        if let Some(inner) = self.nulls(pair) {
            return vec![inner];
        }
        if self.forbids(pair) || self.values(pair) || self.reforms(pair) {
            return Vec::new();
        }
        self.types(pair);
        self.limits(pair);
        self.texts(pair);
        self.formats(pair);
        self.foreign(pair);
        let mut children = self.arrays(pair);
        children.extend(self.objects(pair));
        children.extend(self.choices(pair));
        children
    }

    /// Writes down what has been found at a place, in the light of what the place comes to.
    fn settle(&mut self, pair: Pair<'s>, overall: Effect, own: Vec<Found>) {
        if alike(pair.before, pair.after) {
            return;
        }
        let place = pair.after.pointer();
        if overall == Effect::Same && !own.is_empty() {
            let message = "the same is written in another way".to_owned();
            return self.add(place, "restated", Compatibility::None, message);
        }
        for found in own {
            let effect = fitted(found.effect, overall);
            let rule =
                if found.soft && effect == Effect::Unclear { "undecided" } else { found.rule };
            let class = self.class(effect);
            self.add(place.clone() + &found.path, rule, class, found.message);
        }
    }

    fn class(&self, effect: Effect) -> Compatibility {
        match (effect, self.reader) {
            (Effect::Same, _) => Compatibility::None,
            (Effect::Widened, Reader::Callee) | (Effect::Narrowed, Reader::Caller) => {
                Compatibility::Compatible
            }
            _ => Compatibility::Breaking,
        }
    }

    fn add(
        &mut self,
        pointer: String,
        rule: &'static str,
        compatibility: Compatibility,
        message: String,
    ) {
        let change = SchemaChange { pointer, rule, compatibility, message };
        if !self.changes.contains(&change) {
            self.changes.push(change);
        }
    }

    fn note(&mut self, path: &str, rule: &'static str, effect: Effect, message: impl Into<String>) {
        let message = message.into();
        self.own.push(Found { path: path.to_owned(), rule, effect, message, soft: false });
    }

    /// Notes a change that only a proof can class.
    fn note_soft(&mut self, word: &str, rule: &'static str, effect: Effect) {
        let message = format!("`{word}` has changed");
        self.own.push(Found { path: format!("/{word}"), rule, effect, message, soft: true });
    }

    /// Does all that passed pass, and did all that passes?
    fn proofs(&mut self, before: &Node<'s>, after: &Node<'s>) -> (Proof<'s>, Proof<'s>) {
        (self.prover.proof(before, after), self.prover.proof(after, before))
    }

    /// What a change from one node to the other comes to.
    fn effect(&mut self, before: &Node<'s>, after: &Node<'s>) -> Effect {
        let pairs = before.iter().zip(after);
        if before.len() == after.len() && pairs.into_iter().all(|(old, new)| alike(*old, *new)) {
            return Effect::Same;
        }
        let (wider, narrower) = self.proofs(before, after);
        match (wider.is_ok(), narrower.is_ok()) {
            (true, true) => Effect::Same,
            (true, false) => Effect::Widened,
            (false, true) => Effect::Narrowed,
            (false, false) => Effect::Unclear,
        }
    }
}

impl<'s> Pair<'s> {
    /// Follows references, unless a side has something beside its own.
    fn settled(self) -> Self {
        let (before, after) = (self.before.settled(), self.after.settled());
        let refers = |part: Part<'s>| part.get("$ref").is_some();
        let beside = refers(before) != refers(after) && refers(self.before) && refers(self.after);
        if beside { self } else { Self { before, after, ..self } }
    }

    /// The schemas of a keyword that both have.
    fn child(self, word: &str) -> Option<Self> {
        let (before, after) = (self.before.child(word)?, self.after.child(word)?);
        Some(Self::of(before, after))
    }

    const fn of(before: Part<'s>, after: Part<'s>) -> Self {
        Self { before, after, rest: (None, None), told: true, bare: false }
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

/// Does all that passes the one document pass the other?
///
/// What was found on the way through both is not used: a proof of one direction would find more
/// there than one of the other, and the same question would be answered by who asks.
fn passes<'s>(one: Part<'s>, other: Part<'s>) -> Proof<'s> {
    Prover::new(one, other).proof_of_all(&one.node(), &other.node())
}

/// What a place comes to tells more than one of its keywords.
const fn fitted(effect: Effect, overall: Effect) -> Effect {
    match overall {
        Effect::Unclear => effect,
        overall => overall,
    }
}

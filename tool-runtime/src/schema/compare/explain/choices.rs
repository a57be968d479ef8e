//! Schemas that look at the same value: references, combinations, conditions.

use serde_json::Value;

use super::super::alike::alike;
use super::branches::{matched, matched_all};
use super::{Effect, Explainer, NARROWED, Pair, WIDENED};
use crate::schema::compare::part::Part;

/// The rules for branches that are added and removed, and what adding one does.
const COMBINED: [(&str, [&str; 2], Effect); 3] = [
    ("allOf", ["all-of-branch-added", "all-of-branch-removed"], Effect::Narrowed),
    ("anyOf", ["any-of-branch-added", "any-of-branch-removed"], Effect::Widened),
    ("oneOf", ["one-of-branch-added", "one-of-branch-removed"], Effect::Widened),
];

/// Keywords of which both sides must have the same to be compared one by one.
const FORMS: [&str; 5] = ["$ref", "allOf", "anyOf", "oneOf", "not"];

impl<'s> Explainer<'s> {
    /// Notes a schema that is written in another form, so that its keywords say nothing alone.
    pub(super) fn reforms(&mut self, pair: Pair<'s>) -> bool {
        let moved = |word: &&str| pair.before.get(word).is_some() != pair.after.get(word).is_some();
        let Some(word) = FORMS.iter().find(|word| moved(word)) else { return false };
        let effect = match pair.rest {
            (None, None) => self.effect(&pair.before.node(), &pair.after.node()),
            _ => Effect::Unclear,
        };
        match effect {
            Effect::Same => self.note("", "restated", effect, "the same is written in another way"),
            Effect::Widened => self.note("", WIDENED.0, effect, WIDENED.1),
            Effect::Narrowed => self.note("", NARROWED.0, effect, NARROWED.1),
            Effect::Unclear => self.note_soft(word, "undecided", effect),
        }
        true
    }

    pub(super) fn choices(&mut self, pair: Pair<'s>) -> Vec<Pair<'s>> {
        let mut children = Vec::new();
        if let (Some(before), Some(after)) = (pair.before.target(), pair.after.target()) {
            children.push(inline(pair, before, after));
        } else if pair.differs("$ref") {
            self.note_soft("$ref", "undecided", Effect::Unclear);
        }
        for (word, rules, effect) in COMBINED {
            children.extend(self.branches(pair, word, rules, effect));
        }
        self.refused(pair);
        self.condition(pair);
        children
    }

    fn branches(
        &mut self,
        pair: Pair<'s>,
        word: &str,
        rules: [&'static str; 2],
        added: Effect,
    ) -> Vec<Pair<'s>> {
        let pairs = if word == "allOf" { matched_all } else { matched };
        let pairs = pairs(pair.before.list(word), pair.after.list(word));
        let removed = if added == Effect::Widened { Effect::Narrowed } else { Effect::Widened };
        for branch in pairs.added {
            let at = position(pair.after, word, branch);
            let message = format!("a branch of `{word}` is new");
            self.note(&format!("/{word}/{at}"), rules[0], added, message);
        }
        for branch in pairs.removed {
            let at = position(pair.before, word, branch);
            let message = format!("branch {at} of `{word}` is gone");
            self.note(&format!("/{word}"), rules[1], removed, message);
        }
        pairs.both.into_iter().map(|(before, after)| inline(pair, before, after)).collect()
    }

    /// What may not pass: less of it is more.
    fn refused(&mut self, pair: Pair<'s>) {
        let Some(inner) = pair.child("not").filter(|not| !alike(not.before, not.after)) else {
            return;
        };
        match self.effect(&inner.before.node(), &inner.after.node()) {
            Effect::Same => {}
            Effect::Widened => {
                self.note("/not", "not-widened", Effect::Narrowed, "more is refused than before");
            }
            Effect::Narrowed => {
                self.note("/not", "not-narrowed", Effect::Widened, "less is refused than before");
            }
            Effect::Unclear => self.note_soft("not", "undecided", Effect::Unclear),
        }
    }

    fn condition(&mut self, pair: Pair<'s>) {
        for word in ["if", "then", "else"] {
            let same = match pair.child(word) {
                Some(inner) => alike(inner.before, inner.after),
                None => !pair.differs(word),
            };
            if !same {
                self.note_soft(word, "condition-changed", Effect::Unclear);
            }
        }
    }
}

/// A schema of the same value. What is left unevaluated is known around it only.
fn inline<'s>(pair: Pair<'s>, before: Part<'s>, after: Part<'s>) -> Pair<'s> {
    let rest =
        |part: Part<'s>, around: Option<Part<'s>>| part.child("unevaluatedProperties").or(around);
    let rest = (rest(pair.before, pair.rest.0), rest(pair.after, pair.rest.1));
    Pair { rest, ..Pair::of(before, after) }
}

fn position(part: Part<'_>, word: &str, branch: Part<'_>) -> usize {
    let list = part.get(word).and_then(Value::as_array);
    let mut list = list.into_iter().flatten();
    list.position(|schema| std::ptr::eq(schema, branch.schema)).unwrap_or_default()
}

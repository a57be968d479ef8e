//! Changes of schemas that apply to the same value: references, combinations, conditions.

use super::super::equality::same_assertions;
use super::branches::{matched, matched_all};
use super::{AcceptanceChange, Explainer, NARROWED, PART_CHANGED, SchemaPair, WIDENED};
use crate::compare::subschema::Subschema;

/// The rules for added and removed branches, and the effect of adding one.
const COMBINED: [(&str, [&str; 2], AcceptanceChange); 3] = [
    ("allOf", ["all-of-branch-added", "all-of-branch-removed"], AcceptanceChange::Narrowed),
    ("anyOf", ["any-of-branch-added", "any-of-branch-removed"], AcceptanceChange::Widened),
    ("oneOf", ["one-of-branch-added", "one-of-branch-removed"], AcceptanceChange::Widened),
];

/// Keywords that must be present on both sides or on neither for a comparison by keyword.
const FORMS: [&str; 5] = ["$ref", "allOf", "anyOf", "oneOf", "not"];

impl<'s> Explainer<'s> {
    /// Records a schema that is expressed by other keywords, so that comparing keywords is useless.
    pub(super) fn record_restatement(&mut self, pair: SchemaPair<'s>) -> bool {
        let moved = |word: &&str| pair.before.get(word).is_some() != pair.after.get(word).is_some();
        let Some(word) = FORMS.iter().find(|word| moved(word)) else { return false };
        let effect = match pair.rest {
            (None, None) => self.effect(&pair.before.all_of(), &pair.after.all_of()),
            _ => AcceptanceChange::Unclear,
        };
        match effect {
            AcceptanceChange::Same => self.record(
                pair.after,
                "restated",
                effect,
                "the same values are valid, expressed by other keywords",
            ),
            AcceptanceChange::Widened => self.record(pair.after, WIDENED.0, effect, WIDENED.1),
            AcceptanceChange::Narrowed => self.record(pair.after, NARROWED.0, effect, NARROWED.1),
            AcceptanceChange::Unclear => self.record_unproven(pair.part(word), word, PART_CHANGED),
        }
        true
    }

    pub(super) fn compare_choices(&mut self, pair: SchemaPair<'s>) -> Vec<SchemaPair<'s>> {
        let mut children = Vec::new();
        if let (Some(before), Some(after)) = (pair.before.target(), pair.after.target()) {
            children.push(inline(pair, before, after));
        } else if pair.differs("$ref") {
            self.record_unproven(pair.part("$ref"), "$ref", PART_CHANGED);
        }
        for (word, rules, effect) in COMBINED {
            children.extend(self.compare_branches(pair, word, rules, effect));
        }
        self.compare_not(pair);
        self.compare_condition(pair);
        children
    }

    fn compare_branches(
        &mut self,
        pair: SchemaPair<'s>,
        word: &str,
        rules: [&'static str; 2],
        added: AcceptanceChange,
    ) -> Vec<SchemaPair<'s>> {
        let pairs = if word == "allOf" { matched_all } else { matched };
        let pairs = pairs(pair.before.list(word), pair.after.list(word));
        let removed = if added == AcceptanceChange::Widened {
            AcceptanceChange::Narrowed
        } else {
            AcceptanceChange::Widened
        };
        for branch in pairs.added {
            self.record(branch, rules[0], added, format!("a branch of `{word}` was added"));
        }
        for branch in pairs.removed {
            self.record(branch, rules[1], removed, format!("a branch of `{word}` was removed"));
        }
        pairs.both.into_iter().map(|(before, after)| inline(pair, before, after)).collect()
    }

    /// Compares `not`: a narrower `not` accepts more values.
    fn compare_not(&mut self, pair: SchemaPair<'s>) {
        let Some(inner) = pair.child("not").filter(|not| !same_assertions(not.before, not.after))
        else {
            return;
        };
        match self.effect(&inner.before.all_of(), &inner.after.all_of()) {
            AcceptanceChange::Same => {}
            AcceptanceChange::Widened => {
                self.record(
                    inner.after,
                    "not-widened",
                    AcceptanceChange::Narrowed,
                    "more values are rejected than before",
                );
            }
            AcceptanceChange::Narrowed => {
                self.record(
                    inner.after,
                    "not-narrowed",
                    AcceptanceChange::Widened,
                    "fewer values are rejected than before",
                );
            }
            AcceptanceChange::Unclear => {
                self.record_unproven(inner.after, "not", PART_CHANGED);
            }
        }
    }

    fn compare_condition(&mut self, pair: SchemaPair<'s>) {
        for word in ["if", "then", "else"] {
            let same = match pair.child(word) {
                Some(inner) => same_assertions(inner.before, inner.after),
                None => !pair.differs(word),
            };
            if !same {
                self.record_unproven(pair.part(word), word, "condition-changed");
            }
        }
    }
}

/// A pair that applies to the same value, without an inherited `unevaluatedProperties`.
fn inline<'s>(pair: SchemaPair<'s>, before: Subschema<'s>, after: Subschema<'s>) -> SchemaPair<'s> {
    let unevaluated_schema = |subschema: Subschema<'s>, around: Option<Subschema<'s>>| {
        subschema.child("unevaluatedProperties").or(around)
    };
    let unevaluated_schema =
        (unevaluated_schema(pair.before, pair.rest.0), unevaluated_schema(pair.after, pair.rest.1));
    SchemaPair { rest: unevaluated_schema, ..SchemaPair::new(before, after) }
}

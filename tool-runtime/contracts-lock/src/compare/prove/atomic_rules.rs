//! Rules that are compared as a whole.

use super::super::equality::equal;
use super::super::shape::{AtomicRule, ProofObstacle, Shape};
use super::super::subschema::Subschema;
use super::{Proof, Prover};

impl<'s> Prover<'s> {
    /// Proves that every value of the shape satisfies the rule.
    pub(super) fn implies(&mut self, shape: &Shape<'s>, rule: &AtomicRule<'s>) -> Proof<'s> {
        let (kept, keyword, subschema) = match rule {
            AtomicRule::Not(subschema) => (self.rejects_all(shape, *subschema), "not", *subschema),
            AtomicRule::One(subschema, branches) => {
                (self.implies_one_of(shape, branches), "oneOf", *subschema)
            }
            AtomicRule::UnknownKeyword(word, subschema) => {
                (implies_unknown_keyword(shape, word, *subschema), *word, *subschema)
            }
            AtomicRule::Unreadable(word, subschema) => {
                (implies_unreadable(shape, word, *subschema), *word, *subschema)
            }
        };
        if kept { Ok(()) } else { Err(ProofObstacle { keyword, subschema: Some(subschema) }) }
    }

    /// Returns whether no value of the shape is valid by the schema.
    fn rejects_all(&mut self, shape: &Shape<'s>, subschema: Subschema<'s>) -> bool {
        let any_rule_rejects = shape.rules.iter().any(|rule| match rule {
            AtomicRule::Not(own) => {
                let (wide, narrow) = (own.all_of(), subschema.all_of());
                self.prove_same_value(|prover| prover.prove(&narrow, &wide).is_ok())
            }
            AtomicRule::One(..) | AtomicRule::UnknownKeyword(..) | AtomicRule::Unreadable(..) => {
                false
            }
        });
        any_rule_rejects || self.is_disjoint(shape, subschema)
    }

    fn is_disjoint(&mut self, shape: &Shape<'s>, subschema: Subschema<'s>) -> bool {
        let expansion = self.expansion(&subschema.all_of());
        let met: Vec<_> =
            expansion.shapes.iter().filter_map(|other| shape.intersect(other)).collect();
        expansion.overflow.is_none() && met.iter().all(|both| self.is_empty(both))
    }

    fn implies_one_of(&mut self, shape: &Shape<'s>, branches: &[Subschema<'s>]) -> bool {
        let same_branches = shape.rules.iter().any(|rule| match rule {
            AtomicRule::One(_, own) => self.same_branches(own, branches),
            AtomicRule::Not(_) | AtomicRule::UnknownKeyword(..) | AtomicRule::Unreadable(..) => {
                false
            }
        });
        same_branches
            || branches.iter().enumerate().any(|(at, branch)| {
                let others = branches.iter().enumerate().filter(|(other, _)| *other != at);
                let others: Vec<_> = others.map(|(_, subschema)| *subschema).collect();
                self.shape_in(shape, *branch)
                    && others.iter().all(|subschema| self.is_disjoint(shape, *subschema))
            })
    }

    fn same_branches(&mut self, a: &[Subschema<'s>], b: &[Subschema<'s>]) -> bool {
        let mut left = b.to_vec();
        a.len() == b.len()
            && a.iter().all(|subschema| {
                let branch_index = left.iter().position(|other| self.same(*subschema, *other));
                branch_index.map(|at| left.swap_remove(at)).is_some()
            })
    }

    fn same(&mut self, a: Subschema<'s>, b: Subschema<'s>) -> bool {
        let (a, b) = (a.all_of(), b.all_of());
        self.prove_same_value(|prover| prover.prove(&a, &b).is_ok() && prover.prove(&b, &a).is_ok())
    }
}

fn implies_unknown_keyword(shape: &Shape<'_>, word: &str, subschema: Subschema<'_>) -> bool {
    shape.rules.iter().any(|rule| match rule {
        AtomicRule::UnknownKeyword(own, other) => {
            let values = (other.get(own), subschema.get(word));
            *own == word && values.0.zip(values.1).is_some_and(|(a, b)| equal(a, b))
        }
        AtomicRule::Not(_) | AtomicRule::One(..) | AtomicRule::Unreadable(..) => false,
    })
}

/// An unreadable keyword equals only itself.
fn implies_unreadable(shape: &Shape<'_>, word: &str, subschema: Subschema<'_>) -> bool {
    shape.rules.iter().any(|rule| match rule {
        AtomicRule::Unreadable(own, other) => *own == word && other.id() == subschema.id(),
        AtomicRule::Not(_) | AtomicRule::One(..) | AtomicRule::UnknownKeyword(..) => false,
    })
}

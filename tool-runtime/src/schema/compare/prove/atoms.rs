//! Rules that are compared as a whole.

use super::super::alike::equal;
use super::super::part::Part;
use super::super::shape::{Atom, Gap, Shape};
use super::{Proof, Prover};

impl<'s> Prover<'s> {
    /// Does everything that passes the shape keep the rule?
    pub(super) fn keeps(&mut self, shape: &Shape<'s>, atom: &Atom<'s>) -> Proof<'s> {
        let (kept, keyword, part) = match atom {
            Atom::Not(part) => (self.keeps_out(shape, *part), "not", *part),
            Atom::One(part, branches) => (self.keeps_one(shape, branches), "oneOf", *part),
            Atom::Foreign(word, part) => (keeps_foreign(shape, word, *part), *word, *part),
            Atom::Opaque(word, part) => (keeps_opaque(shape, word, *part), *word, *part),
        };
        if kept { Ok(()) } else { Err(Gap { keyword, part: Some(part) }) }
    }

    /// Is nothing of the shape in the schema?
    fn keeps_out(&mut self, shape: &Shape<'s>, part: Part<'s>) -> bool {
        let told = shape.atoms.iter().any(|atom| match atom {
            Atom::Not(own) => {
                let (wide, narrow) = (own.node(), part.node());
                self.apart(|prover| prover.within(&narrow, &wide).is_ok())
            }
            _ => false,
        });
        told || self.is_apart(shape, part)
    }

    fn is_apart(&mut self, shape: &Shape<'s>, part: Part<'s>) -> bool {
        let expansion = self.expansion(&part.node());
        let met: Vec<_> = expansion.shapes.iter().filter_map(|other| shape.meet(other)).collect();
        expansion.overflow.is_none() && met.iter().all(|both| self.is_empty(both))
    }

    fn keeps_one(&mut self, shape: &Shape<'s>, branches: &[Part<'s>]) -> bool {
        let told = shape.atoms.iter().any(|atom| match atom {
            Atom::One(_, own) => self.same_branches(own, branches),
            _ => false,
        });
        told || branches.iter().enumerate().any(|(at, branch)| {
            let others = branches.iter().enumerate().filter(|(other, _)| *other != at);
            let others: Vec<_> = others.map(|(_, part)| *part).collect();
            self.shape_in(shape, *branch) && others.iter().all(|part| self.is_apart(shape, *part))
        })
    }

    fn same_branches(&mut self, a: &[Part<'s>], b: &[Part<'s>]) -> bool {
        let mut left = b.to_vec();
        a.len() == b.len()
            && a.iter().all(|part| {
                let found = left.iter().position(|other| self.same(*part, *other));
                found.map(|at| left.swap_remove(at)).is_some()
            })
    }

    fn same(&mut self, a: Part<'s>, b: Part<'s>) -> bool {
        let (a, b) = (a.node(), b.node());
        self.apart(|prover| prover.within(&a, &b).is_ok() && prover.within(&b, &a).is_ok())
    }
}

fn keeps_foreign(shape: &Shape<'_>, word: &str, part: Part<'_>) -> bool {
    shape.atoms.iter().any(|atom| match atom {
        Atom::Foreign(own, other) => {
            let values = (other.get(own), part.get(word));
            *own == word && values.0.zip(values.1).is_some_and(|(a, b)| equal(a, b))
        }
        _ => false,
    })
}

/// What could not be read is the same only in the same place.
fn keeps_opaque(shape: &Shape<'_>, word: &str, part: Part<'_>) -> bool {
    shape.atoms.iter().any(|atom| match atom {
        Atom::Opaque(own, other) => *own == word && other.id() == part.id(),
        _ => false,
    })
}

//! Arrays within arrays.

use super::super::part::Node;
use super::super::shape::{Arrays, Contains, Gap};
use super::{Proof, Prover};

impl<'s> Prover<'s> {
    pub(super) fn arrays_within(
        &mut self,
        a: &Arrays<'s>,
        b: &Arrays<'s>,
        node: &Node<'s>,
    ) -> Proof<'s> {
        let most = self.longest(a);
        let broken = [
            (a.min < b.min, "minItems"),
            (most > b.max, "maxItems"),
            (b.unique && !a.unique && most > 1, "uniqueItems"),
        ];
        if let Some((_, keyword)) = broken.into_iter().find(|(broken, _)| *broken) {
            return Err(Gap::at(keyword, node));
        }
        let length = a.prefix.len().max(b.prefix.len());
        for at in 0..length.min(most) {
            self.within(&a.at(at), &b.at(at))?;
        }
        if most > length {
            self.within(&a.rest, &b.rest)?;
        }
        b.contains.iter().try_for_each(|asked| {
            if self.contains(a, most, asked) { Ok(()) } else { Err(Gap::at("contains", node)) }
        })
    }

    /// The most items there can be: no more than stand before one that nothing passes.
    fn longest(&mut self, arrays: &Arrays<'s>) -> usize {
        let end = (0..=arrays.prefix.len()).find(|at| self.is_never(&arrays.at(*at)));
        arrays.max.min(end.unwrap_or(usize::MAX))
    }

    fn contains(&mut self, a: &Arrays<'s>, most: usize, asked: &Contains<'s>) -> bool {
        self.contains_enough(a, asked) && self.contains_no_more(a, most, asked)
    }

    fn contains_enough(&mut self, a: &Arrays<'s>, asked: &Contains<'s>) -> bool {
        let asked_for = asked.part.node();
        let each = |prover: &mut Self| {
            a.min >= asked.min
                && (0..=a.prefix.len()).all(|at| prover.within(&a.at(at), &asked_for).is_ok())
        };
        asked.min == 0
            || a.contains.iter().any(|own| {
                own.min >= asked.min && self.within(&own.part.node(), &asked_for).is_ok()
            })
            || each(self)
    }

    fn contains_no_more(&mut self, a: &Arrays<'s>, most: usize, asked: &Contains<'s>) -> bool {
        let asked_for = asked.part.node();
        most <= asked.max
            || a.contains.iter().any(|own| {
                own.max <= asked.max && self.within(&asked_for, &own.part.node()).is_ok()
            })
    }
}

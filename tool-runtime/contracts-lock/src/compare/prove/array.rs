//! Containment of arrays.

use super::super::shape::{ArrayConstraints, ContainsBounds, ProofObstacle};
use super::super::subschema::AllOf;
use super::{Proof, Prover};

impl<'s> Prover<'s> {
    pub(super) fn arrays_within(
        &mut self,
        a: &ArrayConstraints<'s>,
        b: &ArrayConstraints<'s>,
        all_of: &AllOf<'s>,
    ) -> Proof<'s> {
        let max_items = self.longest(a);
        let broken = [
            (a.min < b.min, "minItems"),
            (max_items > b.max, "maxItems"),
            (b.unique && !a.unique && max_items > 1, "uniqueItems"),
        ];
        if let Some((_, keyword)) = broken.into_iter().find(|(broken, _)| *broken) {
            return Err(ProofObstacle::at(keyword, all_of));
        }
        let length = a.prefix.len().max(b.prefix.len());
        for at in 0..length.min(max_items) {
            self.prove(&a.at(at), &b.at(at))?;
        }
        if max_items > length {
            self.prove(&a.rest, &b.rest)?;
        }
        b.contains.iter().try_for_each(|wide| {
            if self.contains(a, max_items, wide) {
                Ok(())
            } else {
                Err(ProofObstacle::at("contains", all_of))
            }
        })
    }

    /// The largest possible number of items: those before an item that accepts no value.
    fn longest(&mut self, arrays: &ArrayConstraints<'s>) -> usize {
        let end = (0..=arrays.prefix.len()).find(|at| self.is_never(&arrays.at(*at)));
        arrays.max.min(end.unwrap_or(usize::MAX))
    }

    fn contains(
        &mut self,
        a: &ArrayConstraints<'s>,
        max_items: usize,
        wide: &ContainsBounds<'s>,
    ) -> bool {
        self.contains_enough(a, wide) && self.contains_no_more(a, max_items, wide)
    }

    fn contains_enough(&mut self, a: &ArrayConstraints<'s>, wide: &ContainsBounds<'s>) -> bool {
        let wide_items = wide.subschema.all_of();
        let each = |prover: &mut Self| {
            a.min >= wide.min
                && (0..=a.prefix.len()).all(|at| prover.prove(&a.at(at), &wide_items).is_ok())
        };
        wide.min == 0
            || a.contains.iter().any(|narrow| {
                narrow.min >= wide.min
                    && self.prove(&narrow.subschema.all_of(), &wide_items).is_ok()
            })
            || each(self)
    }

    fn contains_no_more(
        &mut self,
        a: &ArrayConstraints<'s>,
        max_items: usize,
        wide: &ContainsBounds<'s>,
    ) -> bool {
        let wide_items = wide.subschema.all_of();
        max_items <= wide.max
            || a.contains.iter().any(|narrow| {
                narrow.max <= wide.max
                    && self.prove(&wide_items, &narrow.subschema.all_of()).is_ok()
            })
    }
}

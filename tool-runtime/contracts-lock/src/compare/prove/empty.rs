//! Proofs that no value is valid.

use super::super::shape::{ObjectConstraints, Shape, TypeConstraints};
use super::super::subschema::AllOf;
use super::Prover;

/// The depth in a value to which contradictions are searched.
const MAX_DEPTH: u32 = 4;

impl<'s> Prover<'s> {
    /// Returns whether the schemas are proven to accept no value.
    pub(super) fn is_never(&mut self, all_of: &AllOf<'s>) -> bool {
        if self.steps == 0 || all_of.is_empty() {
            return false;
        }
        if self.contradiction_depth == MAX_DEPTH {
            self.contradiction_search_cut = true;
            return false;
        }
        self.steps -= 1;
        self.contradiction_depth += 1;
        let expansion = self.expansion(all_of);
        let empty = expansion.overflow.is_none()
            && expansion.shapes.iter().all(|shape| self.is_empty(shape));
        self.contradiction_depth -= 1;
        empty
    }

    /// Returns whether the shape is proven to accept no value.
    pub(super) fn is_empty(&mut self, shape: &Shape<'s>) -> bool {
        let out =
            |prover: &mut Self, value| prover.body_admits(&shape.constraints, value) == Some(false);
        let unlisted = shape.values.as_ref().is_some_and(|all| all.iter().all(|v| out(self, v)));
        unlisted
            || match &shape.constraints {
                TypeConstraints::Null | TypeConstraints::Boolean => false,
                TypeConstraints::Number(numbers) => numbers.is_empty(),
                TypeConstraints::Text(texts) => texts.min > texts.max,
                TypeConstraints::Array(arrays) => {
                    let first = arrays.min.min(arrays.prefix.len() + 1);
                    arrays.min > arrays.max || (0..first).any(|at| self.is_never(&arrays.at(at)))
                }
                TypeConstraints::Object(objects) => self.no_object(objects),
            }
    }

    fn no_object(&mut self, objects: &ObjectConstraints<'s>) -> bool {
        let (min, max) = objects.sizes();
        min > max
            || objects
                .required
                .iter()
                .any(|name| objects.property(name).is_some_and(|all_of| self.is_never(&all_of)))
    }
}

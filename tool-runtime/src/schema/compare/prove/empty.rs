//! Proofs that nothing passes.

use super::super::part::Node;
use super::super::shape::{Body, Objects, Shape};
use super::Prover;

/// How deep in a value a contradiction is looked for.
const DEEPEST: u32 = 4;

impl<'s> Prover<'s> {
    /// Is it proven that nothing passes the node?
    pub(super) fn is_never(&mut self, node: &Node<'s>) -> bool {
        if self.steps == 0 || node.is_empty() {
            return false;
        }
        if self.looking == DEEPEST {
            self.cut = true;
            return false;
        }
        self.steps -= 1;
        self.looking += 1;
        let expansion = self.expansion(node);
        let empty = expansion.overflow.is_none()
            && expansion.shapes.iter().all(|shape| self.is_empty(shape));
        self.looking -= 1;
        empty
    }

    /// Is it proven that nothing passes the shape?
    pub(super) fn is_empty(&mut self, shape: &Shape<'s>) -> bool {
        let out = |prover: &mut Self, value| prover.body_admits(&shape.body, value) == Some(false);
        let unlisted = shape.values.as_ref().is_some_and(|all| all.iter().all(|v| out(self, v)));
        unlisted
            || match &shape.body {
                Body::Null | Body::Boolean => false,
                Body::Number(numbers) => numbers.is_empty(),
                Body::Text(texts) => texts.min > texts.max,
                Body::Array(arrays) => {
                    let first = arrays.min.min(arrays.prefix.len() + 1);
                    arrays.min > arrays.max || (0..first).any(|at| self.is_never(&arrays.at(at)))
                }
                Body::Object(objects) => self.no_object(objects),
            }
    }

    fn no_object(&mut self, objects: &Objects<'s>) -> bool {
        let (min, max) = objects.sizes();
        min > max
            || objects
                .required
                .iter()
                .any(|name| objects.property(name).is_some_and(|node| self.is_never(&node)))
    }
}

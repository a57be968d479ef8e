//! `unevaluatedProperties`: what is asked of the properties that no other part looks at.

use super::super::part::Part;
use super::super::shape::{Atom, Body, Shape};
use super::expand::Expansion;

/// Asks something of the properties that no part of an alternative evaluates.
pub(super) fn unevaluated<'s>(part: Part<'s>, rest: Part<'s>, found: &mut Expansion<'s>) {
    let mut extra = Vec::new();
    for shape in &mut found.shapes {
        let Body::Object(objects) = &mut shape.body else { continue };
        if objects.vague {
            // At least what this alternative evaluates is; at most, nobody can tell.
            let mut loose = Shape::new(Body::Object(objects.clone()));
            loose.atoms.clone_from(&shape.atoms);
            loose.values.clone_from(&shape.values);
            loose.atoms.push(Atom::Opaque("unevaluatedProperties", part));
            extra.push(loose);
        }
        objects.ask_the_rest(rest);
    }
    found.shapes.extend(extra);
    found.shapes.iter_mut().for_each(Shape::look_at_all);
}

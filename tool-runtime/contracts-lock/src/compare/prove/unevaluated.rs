//! `unevaluatedProperties`: the schema of properties that no other keyword evaluates.

use super::super::shape::{AtomicRule, Shape, TypeConstraints};
use super::super::subschema::Subschema;
use super::expand::Expansion;

/// Applies a schema to the properties that no part of an alternative evaluates.
pub(super) fn unevaluated<'s>(
    subschema: Subschema<'s>,
    rest: Subschema<'s>,
    found: &mut Expansion<'s>,
) {
    let mut extra = Vec::new();
    for shape in &mut found.shapes {
        let TypeConstraints::Object(objects) = &mut shape.constraints else { continue };
        if objects.evaluation_unknown {
            // The alternative evaluates at least these properties; an upper bound is unknown.
            let mut loose = Shape::new(TypeConstraints::Object(objects.clone()));
            loose.rules.clone_from(&shape.rules);
            loose.values.clone_from(&shape.values);
            loose.rules.push(AtomicRule::Unreadable("unevaluatedProperties", subschema));
            extra.push(loose);
        }
        objects.constrain_unevaluated(rest);
    }
    found.shapes.extend(extra);
    found.shapes.iter_mut().for_each(Shape::mark_all_evaluated);
}

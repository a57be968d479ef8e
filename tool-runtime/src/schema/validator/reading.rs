//! Whether a typed reader refuses everything that the schema refuses.

use super::model::{Additional, Objects, Schema, SchemaId};
use super::number::{Bounds, Reader, Width};
use super::types::Types;

/// Can a typed reader let something pass that the schema does not admit?
///
/// Such a reader takes an object with known properties alone, each once; strings, booleans and
/// integers of a certain width; lists of those. Whatever goes beyond needs the check.
pub(super) fn needs_scan(schemas: &[Schema], root_bounds_checked: bool) -> bool {
    let root = &schemas[0];
    let plain = root.types == Types::OBJECT
        && root.reach == Types::OBJECT
        && root.arrays.is_none()
        && is_bare(root);
    let Some(rules) = root.objects.as_ref().filter(|_| plain && !root.holds.secret) else {
        return true;
    };
    !(is_closed(rules)
        && rules.properties.iter().all(|property| {
            property.schema.is_some_and(|id| is_read(schemas, id, root_bounds_checked))
        }))
}

/// No rule but type and structure?
fn is_bare(schema: &Schema) -> bool {
    schema.values.is_none() && schema.logic.is_none() && !schema.never && !schema.marked.secret
}

/// Known properties alone, and nothing else that counts or names them?
fn is_closed(rules: &Objects) -> bool {
    rules.additional == Additional::Closed
        && rules.patterns.is_empty()
        && rules.names.is_none()
        && rules.min == 0
        && rules.max == usize::MAX
        && rules.dependents.is_empty()
        && rules.unevaluated.is_none()
}

fn is_read(schemas: &[Schema], id: SchemaId, bounds_checked: bool) -> bool {
    let schema = &schemas[id as usize];
    if !is_bare(schema) {
        return false;
    }
    let nullable = schema.types.meets(Types::NULL);
    let rest = |types: Types| schema.types == if nullable { types.or(Types::NULL) } else { types };
    if rest(Types::STRING) {
        let rules = schema.strings.as_ref();
        return rules.is_none_or(|rules| rules.pattern.is_none() && bounds_checked);
    }
    if rest(Types::INTEGER) {
        let rules = schema.numbers.as_ref();
        return rules.is_none_or(|rules| bounds_checked || is_implied(rules, schema.reader));
    }
    if rest(Types::ARRAY) {
        return schema.arrays.as_ref().is_some_and(|rules| {
            let bounds = rules.min > 0 || rules.max < usize::MAX;
            rules.prefix.is_empty()
                && rules.contains.is_none()
                && !rules.unique
                && (bounds_checked || !bounds)
                && rules.items.is_some_and(|items| is_read(schemas, items, false))
        });
    }
    rest(Types::BOOL) || schema.types == Types::NULL
}

/// Are the bounds those of the integer type itself, or wider?
pub(super) fn is_implied(rules: &Bounds, reader: Reader) -> bool {
    let Reader::Integer(width) = reader else { return false };
    let width_is = |holds: bool| width != Width::WIDEST && holds;
    rules.above.is_none()
        && rules.below.is_none()
        && rules.step.is_none()
        && rules.min.as_ref().is_none_or(|min| width_is(width.is_at_least(min)))
        && rules.max.as_ref().is_none_or(|max| width_is(width.is_at_most(max)))
}

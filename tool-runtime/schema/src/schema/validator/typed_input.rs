//! Decides whether a typed reader enforces the whole schema.

use super::model::{AdditionalProperties, ObjectRules, SchemaId, SchemaNode};
use super::number::{IntegerWidth, NumberBounds, NumberReader};
use super::types::Types;

/// Returns whether a typed reader could accept a value that the schema rejects.
///
/// A typed reader enforces closed objects with unique properties, strings, booleans, integers of
/// a known width, and lists of those. Everything else needs the check.
pub(super) fn needs_scan(schemas: &[SchemaNode], root_bounds_checked: bool) -> bool {
    let root = &schemas[0];
    let plain = root.types == Types::OBJECT
        && root.possible_types == Types::OBJECT
        && root.arrays.is_none()
        && is_bare(root);
    let Some(rules) = root.objects.as_ref().filter(|_| plain && !root.deep_sensitivity.secret)
    else {
        return true;
    };
    !(is_closed(rules)
        && rules.properties.iter().all(|property| {
            property.schema.is_some_and(|id| is_read(schemas, id, root_bounds_checked))
        }))
}

/// Returns whether the schema has no rule but type and structure.
fn is_bare(schema: &SchemaNode) -> bool {
    schema.values.is_none()
        && schema.logic.is_none()
        && !schema.rejects_all
        && !schema.own_sensitivity.secret
}

/// Returns whether the object has only known properties and no further rules.
fn is_closed(rules: &ObjectRules) -> bool {
    rules.additional == AdditionalProperties::Closed
        && rules.patterns.is_empty()
        && rules.names.is_none()
        && rules.min == 0
        && rules.max == usize::MAX
        && rules.dependents.is_empty()
        && rules.unevaluated.is_none()
}

fn is_read(schemas: &[SchemaNode], id: SchemaId, bounds_checked: bool) -> bool {
    let schema = &schemas[id as usize];
    if !is_bare(schema) {
        return false;
    }
    let nullable = schema.types.intersects(Types::NULL);
    let has_type =
        |types: Types| schema.types == if nullable { types.or(Types::NULL) } else { types };
    if has_type(Types::STRING) {
        let rules = schema.strings.as_ref();
        return rules.is_none_or(|rules| rules.pattern.is_none() && bounds_checked);
    }
    if has_type(Types::INTEGER) {
        let rules = schema.numbers.as_ref();
        return rules.is_none_or(|rules| bounds_checked || is_implied(rules, schema.reader));
    }
    if has_type(Types::ARRAY) {
        return schema.arrays.as_ref().is_some_and(|rules| {
            let bounds = rules.min > 0 || rules.max < usize::MAX;
            rules.prefix.is_empty()
                && rules.contains.is_none()
                && !rules.unique
                && (bounds_checked || !bounds)
                && rules.items.is_some_and(|items| is_read(schemas, items, false))
        });
    }
    has_type(Types::BOOL) || schema.types == Types::NULL
}

/// Returns whether the bounds are those of the integer type itself, or wider.
pub(super) fn is_implied(rules: &NumberBounds, reader: NumberReader) -> bool {
    let NumberReader::Integer(width) = reader else { return false };
    let width_is = |holds: bool| width != IntegerWidth::WIDEST && holds;
    rules.above.is_none()
        && rules.below.is_none()
        && rules.step.is_none()
        && rules.min.as_ref().is_none_or(|min| width_is(width.is_at_least(min)))
        && rules.max.as_ref().is_none_or(|max| width_is(width.is_at_most(max)))
}

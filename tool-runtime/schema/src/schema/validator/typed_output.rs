//! Decides whether an output has to be checked after it was serialized.

use super::model::SchemaNode;
use super::number::{IntegerWidth, NumberBounds, NumberReader};
use super::typed_input::is_implied;
use super::types::Types;

/// The condition under which a typed tool's output is checked against its schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AnswerCheck {
    /// The type guarantees a valid output.
    Never,
    /// Only if a `null` was written: a float that is not a number is serialized as `null`.
    OnNull,
    /// The schema has rules that the type does not enforce.
    Always,
}

/// Looks for rules that the type behind the schema does not enforce: bounds, patterns, NaN.
///
/// The type guarantees types, structure and enumerated values: `Serialize` is derived from the same
/// declaration as the schema.
pub(super) fn answer_check(schemas: &[SchemaNode]) -> AnswerCheck {
    schemas.iter().map(schema_check).max().unwrap_or(AnswerCheck::Never)
}

fn schema_check(schema: &SchemaNode) -> AnswerCheck {
    if is_bounded(schema) {
        return AnswerCheck::Always;
    }
    // Wherever only integers are admitted, no float is written.
    let float = schema.types != Types::ANY && schema.types.intersects(Types::FRACTION);
    if float { AnswerCheck::OnNull } else { AnswerCheck::Never }
}

fn is_bounded(schema: &SchemaNode) -> bool {
    let numbers = schema.numbers.as_ref().is_some_and(|rules| !keeps(rules, schema.reader));
    let strings = schema.strings.is_some();
    let arrays = schema
        .arrays
        .as_ref()
        .is_some_and(|rules| rules.min > 0 || rules.max < usize::MAX || rules.contains.is_some());
    let objects =
        schema.objects.as_ref().is_some_and(|rules| rules.min > 0 || rules.max < usize::MAX);
    numbers || strings || arrays || objects
}

fn keeps(rules: &NumberBounds, reader: NumberReader) -> bool {
    matches!(reader, NumberReader::Integer(width) if width != IntegerWidth::WIDEST)
        && is_implied(rules, reader)
}

//! What a typed writer keeps of its own schema, and what has to be checked on the answer.

use super::model::Schema;
use super::number::{Bounds, Reader, Width};
use super::reading::is_implied;
use super::types::Types;

/// When an answer of a typed tool has to be checked by its schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum AnswerCheck {
    /// Its type keeps the schema by itself.
    Never,
    /// Only if a `null` was written: a float that is no number is written so.
    OnNull,
    /// The schema bounds what the type does not.
    Always,
}

/// Finds what the type behind the schema does not keep by itself: bounds, patterns, NaN.
///
/// Types, structure and enumerated values are the type's own: what writes them is derived from what
/// the schema is derived from.
pub(super) fn answer_check(schemas: &[Schema]) -> AnswerCheck {
    schemas.iter().map(of_schema).max().unwrap_or(AnswerCheck::Never)
}

fn of_schema(schema: &Schema) -> AnswerCheck {
    if is_bounded(schema) {
        return AnswerCheck::Always;
    }
    // Wherever only integers are admitted, no float is written.
    let float = schema.types != Types::ANY && schema.types.meets(Types::FRACTION);
    if float { AnswerCheck::OnNull } else { AnswerCheck::Never }
}

fn is_bounded(schema: &Schema) -> bool {
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

fn keeps(rules: &Bounds, reader: Reader) -> bool {
    matches!(reader, Reader::Integer(width) if width != Width::WIDEST) && is_implied(rules, reader)
}

//! Checks a tool's examples of arguments against its input schema.

use std::borrow::Cow;

use tool_runtime_schema::Limits;
use tool_runtime_schema::schema::{Coerce, ValidationReport, Validator};

use crate::tool::BuildProblem;

/// Checks each example as a call's arguments, without coercions.
pub(super) fn check(
    tool: &str,
    examples: &[Cow<'_, str>],
    input: &Validator,
    limits: &Limits,
) -> Vec<BuildProblem> {
    // The macro has checked the syntax; only the built schema has the meaning.
    let check = |(index, text): (usize, &Cow<'_, str>)| {
        let ValidationReport { malformed, violations, .. } = input.check(text, limits, Coerce::Off);
        let is_broken = malformed.is_some() || !violations.is_empty();
        let (tool, number) = (tool.to_owned(), index + 1);
        is_broken.then_some(BuildProblem::InputExample { tool, number, malformed, violations })
    };
    examples.iter().enumerate().filter_map(check).collect()
}

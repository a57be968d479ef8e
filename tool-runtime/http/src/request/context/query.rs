//! Reads the query's `trace_id`.

use std::borrow::Cow;

use tool_contracts::server::is_id;
use tool_runtime_schema::encoding::percent_decoded;

use super::field_problems::{FieldProblems, FieldSource};

/// Reads the form-encoded `trace_id` of a query and ignores other parameters.
pub(super) fn trace_id<'a>(
    query: Option<&'a str>,
    problems: &mut FieldProblems,
) -> Option<Cow<'a, str>> {
    let mut values = query?.split('&').filter_map(|pair| pair.strip_prefix("trace_id="));
    let value = values.next()?;
    if values.next().is_some() {
        problems.repeated(FieldSource::Query);
    }
    let text = decoded(value).filter(|text| is_id(text));
    if text.is_none() {
        problems.invalid_id(FieldSource::Query);
    }
    text
}

/// Decodes a value as a form writes it: percent-encoded, with `+` for a space.
pub(crate) fn decoded(value: &str) -> Option<Cow<'_, str>> {
    if !value.contains('+') {
        return percent_decoded(value);
    }
    let spaced = value.replace('+', " ");
    percent_decoded(&spaced).map(|text| Cow::Owned(text.into_owned()))
}

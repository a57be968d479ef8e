//! Reads the query's `trace_id`.

use std::borrow::Cow;

use tool_contracts::server::is_id;

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
pub(in crate::http) fn decoded(value: &str) -> Option<Cow<'_, str>> {
    if !value.contains(['%', '+']) {
        return Some(Cow::Borrowed(value));
    }
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => hex(rest.next()?)? << 4 | hex(rest.next()?)?,
            other => other,
        });
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

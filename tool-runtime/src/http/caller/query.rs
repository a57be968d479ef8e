//! The one thing that a query may say: the trace.

use std::borrow::Cow;

use tool_contracts::server::is_id;

use super::refusal::{Place, Refusals};

/// Reads the query's `trace_id`, as a form writes it; other names are for others.
pub(super) fn trace_id<'a>(
    query: Option<&'a str>,
    refusals: &mut Refusals,
) -> Option<Cow<'a, str>> {
    let mut values = query?.split('&').filter_map(|pair| pair.strip_prefix("trace_id="));
    let value = values.next()?;
    if values.next().is_some() {
        refusals.repeated(Place::Query);
    }
    let text = decoded(value).filter(|text| is_id(text));
    if text.is_none() {
        refusals.no_id(Place::Query);
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

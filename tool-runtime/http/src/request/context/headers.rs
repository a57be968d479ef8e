//! Reads the headers that give fields of a call's context.

use std::borrow::Cow;

use axum::http::{HeaderMap, HeaderValue};
use tool_contracts::server::is_id;
use tool_contracts::trace_context::{TRACEPARENT, TRACESTATE, TraceContext};

use super::field::Field;
use super::field_problems::{FieldProblems, FieldSource};

const FIELDS: usize = 10;

/// The values of the headers, each given at most once and valid as an id.
#[derive(Debug, Default)]
pub(super) struct Headers<'a> {
    texts: [Option<Cow<'a, str>>; FIELDS],
    times: [u8; FIELDS],
    has_parent: bool,
}

impl<'a> Headers<'a> {
    /// Reads all headers in one pass, because a lookup in the map costs more than a comparison.
    pub(super) fn read(headers: &'a HeaderMap, problems: &mut FieldProblems) -> Self {
        let mut fields = Self::default();
        for (name, value) in headers {
            let Some(field) = Field::from_header(name.as_str()) else {
                fields.has_parent |= name.as_str() == TRACEPARENT;
                continue;
            };
            let times = &mut fields.times[field as usize];
            *times = times.saturating_add(1);
            match *times {
                1 => fields.texts[field as usize] = text(field, value, problems),
                2 => problems.repeated(FieldSource::Header(field)),
                _ => {}
            }
        }
        fields
    }

    /// Returns a header's value; `None` if it is missing or invalid.
    pub(super) fn text(&self, field: Field) -> Option<&str> {
        self.texts[field as usize].as_deref()
    }

    /// Returns whether a header is present, even if it is invalid.
    pub(super) fn has(&self, field: Field) -> bool {
        self.times[field as usize] > 0
    }

    /// Returns the parent span of `traceparent`; an invalid one is ignored, as W3C Trace Context
    /// requires.
    pub(super) fn parent(&self, headers: &HeaderMap) -> Option<TraceContext> {
        if !self.has_parent {
            return None;
        }
        let states = headers.get_all(TRACESTATE);
        TraceContext::from_headers(headers.get_all(TRACEPARENT), states).ok()
    }
}

fn text<'a>(
    field: Field,
    value: &'a HeaderValue,
    problems: &mut FieldProblems,
) -> Option<Cow<'a, str>> {
    let text = std::str::from_utf8(value.as_bytes()).ok().map(Cow::Borrowed);
    let text = if field == Field::IdempotencyKey { text.and_then(unquoted) } else { text };
    let text = text.filter(|text| is_id(text));
    if text.is_none() {
        problems.invalid_id(FieldSource::Header(field));
    }
    text
}

/// Returns a key, plain or as the string of a structured field (RFC 9651, section 3.3.3), which is
/// the specified form of `Idempotency-Key`.
fn unquoted(text: Cow<'_, str>) -> Option<Cow<'_, str>> {
    let Some(rest) = text.strip_prefix('"') else { return Some(text) };
    let inner = rest.strip_suffix('"')?;
    let mut plain = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(next) = chars.next() {
        let escaped = match next {
            '\\' => chars.next().filter(|escaped| matches!(escaped, '"' | '\\'))?,
            '"' => return None,
            ' '..='~' => next,
            _ => return None,
        };
        plain.push(escaped);
    }
    Some(Cow::Owned(plain))
}

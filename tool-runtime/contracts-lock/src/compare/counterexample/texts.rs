//! Strings at and beside limits.

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::shape::{StringConstraints, matches};
use super::patterns::sample;

/// The longest string.
const MAX_LENGTH: usize = 2_048;
/// Ordinary strings, of which most patterns match or reject one.
const ORDINARY: [&str; 12] =
    ["a", "A", "0", "", "ab", "a b", "A1", "a-b", "a_b", "a.b", "-", "example"];

/// A string in each format by which values are parsed.
const FORMATS: [(&str, &str); 25] = [
    ("date-time", "2026-01-31T12:00:00Z"),
    ("partial-date-time", "2026-01-31T12:00:00"),
    ("zoned-date-time", "2026-01-31T12:00:00+00:00[UTC]"),
    ("date", "2026-01-31"),
    ("time", "12:00:00Z"),
    ("partial-time", "12:00:00"),
    ("duration", "PT1H"),
    ("email", "jane@example.com"),
    ("idn-email", "jane@example.com"),
    ("hostname", "example.com"),
    ("idn-hostname", "example.com"),
    ("ip", "192.0.2.1"),
    ("ipv4", "192.0.2.1"),
    ("ipv6", "2001:db8::1"),
    ("uri", "https://example.com/"),
    ("uri-reference", "/a"),
    ("iri", "https://example.com/"),
    ("iri-reference", "/a"),
    ("uri-template", "/a/{b}"),
    ("uuid", "018f3b2c-7d1e-7000-8000-000000000000"),
    ("json-pointer", "/a"),
    ("relative-json-pointer", "0/a"),
    ("regex", "a"),
    ("byte", "YQ=="),
    ("binary", "a"),
];

/// Makes strings that both sides may judge differently. A string of a parsed format is a sample of
/// that format, because no validator knows whether its reader accepts another one.
pub(super) fn texts(own: &StringConstraints<'_>, others: &[&StringConstraints<'_>]) -> Vec<Value> {
    let lengths = lengths(own, others);
    let mut candidates: Vec<String> = Vec::new();
    let formats = || others.iter().flat_map(|other| &other.formats).chain(&own.formats);
    candidates.extend(formats().filter_map(|format| sample_of_format(format)).map(str::to_owned));
    if own.formats.is_empty() {
        let patterns = own.patterns.iter().chain(others.iter().flat_map(|other| &other.patterns));
        candidates.extend(patterns.flat_map(|pattern| samples(pattern, &lengths)));
        candidates.extend(ORDINARY.map(str::to_owned));
        candidates.extend(lengths.iter().map(|length| "a".repeat(*length)));
    } else {
        candidates.retain(|text| {
            own.formats.iter().all(|it| sample_of_format(it) == Some(text.as_str()))
        });
    }
    candidates.retain(|text| may_be_admitted(own, text));
    candidates.into_iter().map(Value::from).collect()
}

/// Makes strings that match a pattern, of several lengths.
pub(super) fn samples(pattern: &str, lengths: &BTreeSet<usize>) -> Vec<String> {
    let more = [0, 1].into_iter().chain(lengths.iter().copied());
    let samples = more.filter_map(|more| sample(pattern, more.min(MAX_LENGTH)));
    samples.filter(|text| matches(pattern, text) != Some(false)).collect()
}

fn may_be_admitted(own: &StringConstraints<'_>, text: &str) -> bool {
    own.admits(text) != Some(false)
}

fn sample_of_format(format: &str) -> Option<&'static str> {
    FORMATS.iter().find(|(name, _)| *name == format).map(|(_, sample)| *sample)
}

fn lengths(own: &StringConstraints<'_>, others: &[&StringConstraints<'_>]) -> BTreeSet<usize> {
    let limits = others.iter().copied().chain([own]).flat_map(|limits| [limits.min, limits.max]);
    let near = limits.flat_map(|it| [it.saturating_sub(1), it, it.saturating_add(1)]);
    near.filter(|length| *length <= MAX_LENGTH).collect()
}

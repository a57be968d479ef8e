//! Strings: plain words, Unicode, long texts, formats.

use super::generator::{Generator, ValueSize};
use super::rules::ValueRules;

/// The longest text that is made up to a bound.
const MAX_LENGTH: usize = 10_000;
/// The longest text that is made without a bound.
const LONG: usize = 300;
/// The most tries to make a text that matches a pattern.
const TRIES: usize = 60;

/// Characters that programs often handle wrongly: other scripts, right to left, beyond 16 bits,
/// combining, invisible, control characters, quotes and escapes.
const ODD_CHARACTERS: [char; 16] = [
    'é', 'ß', 'İ', '日', 'ع', '🍵', '\u{301}', '\u{200B}', '\u{FEFF}', '\u{0}', '\n', '\t', '"',
    '\\', '\'', '%',
];

const PLAIN_CHARACTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789 -_";

impl Generator<'_> {
    /// Makes a string; the error says why it could not be made.
    pub(super) fn text(&mut self, value_rules: &ValueRules<'_>) -> Result<String, String> {
        let min = value_rules.at_least("minLength");
        let max = value_rules.at_most("maxLength").unwrap_or(usize::MAX);
        if min > max {
            return Err(format!("no text has at least {min} and at most {max} characters"));
        }
        if min > MAX_LENGTH {
            return Err(format!("texts longer than {MAX_LENGTH} characters are not made"));
        }
        let fits = |text: &String| (min..=max).contains(&text.chars().count());
        if let Some(pattern) = value_rules.texts("pattern").next() {
            let made = (0..TRIES).filter_map(|_| self.matching(pattern)).find(fits);
            return made.ok_or_else(|| format!("no text was found that matches `{pattern}`"));
        }
        if let Some(text) = value_rules.texts("format").find_map(|format| self.format(format)) {
            return if fits(&text) {
                Ok(text)
            } else {
                Err("its format has no such length".to_owned())
            };
        }
        let length = self.length(min, max, LONG.min(max - min), MAX_LENGTH);
        Ok(self.text_with_length(length))
    }

    fn text_with_length(&mut self, length: usize) -> String {
        if self.wanted_size == ValueSize::Least {
            return "a".repeat(length);
        }
        let short = length.min(12);
        match self.rng.below(6) {
            0 => (0..length).map(|_| self.odd()).collect(),
            1 => " ".repeat(length),
            2 => "a".repeat(length),
            _ => (0..short).chain(short..length).map(|_| self.plain()).collect(),
        }
    }

    /// Makes a short plain text.
    pub(super) fn words(&mut self, max: usize) -> String {
        let length = 1 + self.rng.below(max);
        (0..length).map(|_| self.plain()).collect()
    }

    fn plain(&mut self) -> char {
        self.rng.pick(PLAIN_CHARACTERS).map_or('a', |byte| char::from(*byte))
    }

    fn odd(&mut self) -> char {
        self.rng.pick(&ODD_CHARACTERS).copied().unwrap_or('é')
    }

    /// Makes a text of a known format; unknown formats are annotations.
    fn format(&mut self, format: &str) -> Option<String> {
        if format == "uuid" {
            return Some(self.uuid());
        }
        let samples = samples(format)?;
        let first = self.wanted_size == ValueSize::Least;
        let sample = if first { samples.first() } else { self.rng.pick(samples) };
        sample.map(|sample| (*sample).to_owned())
    }

    fn uuid(&mut self) -> String {
        if self.wanted_size == ValueSize::Least || self.rng.once_in(8) {
            return "00000000-0000-0000-0000-000000000000".to_owned();
        }
        let digits = format!("{:016x}{:016x}", self.rng.next_u64(), self.rng.next_u64());
        [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-")
    }
}

/// Returns whether a text is one that is made for a format; any text is for an unknown format.
pub(super) fn is_sample(format: &str, text: &str) -> bool {
    if format == "uuid" {
        let hyphens = [8, 13, 18, 23];
        return text.len() == 36
            && text.bytes().enumerate().all(|(at, byte)| {
                if hyphens.contains(&at) { byte == b'-' } else { byte.is_ascii_hexdigit() }
            });
    }
    samples(format).is_none_or(|samples| samples.contains(&text))
}

/// Returns texts of a known format other than `uuid`.
fn samples(format: &str) -> Option<&'static [&'static str]> {
    Some(match format {
        "date-time" => &[
            "1970-01-01T00:00:00Z",
            "2024-02-29T23:59:59.999999999Z",
            "1996-12-19T16:39:57-08:00",
            "9999-12-31T23:59:59+14:00",
        ],
        "partial-date-time" => &["1970-01-01T00:00:00", "2024-02-29T23:59:59.999"],
        "date" => &["1970-01-01", "2024-02-29", "0001-01-01", "9999-12-31"],
        "time" => &["00:00:00Z", "23:59:59.999Z", "12:30:00+02:00"],
        "partial-time" => &["00:00:00", "23:59:59.999"],
        "zoned-date-time" => &["2026-01-31T12:00:00+00:00[UTC]"],
        "duration" => &["PT0S", "P1D", "P1Y2M3DT4H5M6S", "P3W"],
        "email" | "idn-email" => &["a@b.co", "first.last+tag@mail.example.org"],
        "hostname" | "idn-hostname" => {
            &["a", "localhost", "www.example.org", "xn--bcher-kva.example"]
        }
        "ipv4" => &["0.0.0.0", "127.0.0.1", "255.255.255.255"],
        "ipv6" => {
            &["::", "::1", "2001:db8::8a2e:370:7334", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"]
        }
        "ip" => &["127.0.0.1", "::1"],
        "uri" | "iri" | "url" => {
            &["https://example.org/", "https://example.org/a/b?c=d&e=%20#f", "mailto:a@b.co"]
        }
        "uri-reference" | "iri-reference" => &["", "/a", "#f", "https://example.org/"],
        "json-pointer" => &["", "/a/0", "/a~1b"],
        "relative-json-pointer" => &["0/a"],
        "uri-template" => &["/a/{b}"],
        "regex" => &["", "^a+$"],
        "byte" => &["", "YQ=="],
        "binary" => &["a"],
        _ => return None,
    })
}

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
        let examples: &[&str] = match format {
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
            "regex" => &["", "^a+$"],
            "uuid" => return Some(self.uuid()),
            _ => return None,
        };
        let first = self.wanted_size == ValueSize::Least;
        let example = if first { examples.first() } else { self.rng.pick(examples) };
        example.map(|example| (*example).to_owned())
    }

    fn uuid(&mut self) -> String {
        if self.wanted_size == ValueSize::Least || self.rng.once_in(8) {
            return uuid::Uuid::nil().to_string();
        }
        uuid::Uuid::from_u64_pair(self.rng.next(), self.rng.next()).to_string()
    }
}

//! A set of named patterns, and its application to a text.

use std::borrow::Cow;
use std::fmt;

use regex_lite::Regex;

use super::checks::match_always;
use super::default_patterns::{self, FeatureThresholds, PatternStage, Prefilter, TextFeatures};
use super::pieces::{MatchCheck, TextPiece, cut};

/// Finds sensitive values in free text with a set of named patterns.
///
/// [`redact`](Self::redact) replaces each match by the pattern's name: `[card]`, `[email]`.
/// Patterns match the form of a text, not its meaning: they find values in their usual notation,
/// but not values that are hidden on purpose. Mark known sensitive arguments with `#[arg(secret)]`
/// or `#[arg(pii)]`.
///
/// # Default set
/// | name | matches | does not match |
/// | --- | --- | --- |
/// | `card` | 13 to 19 digits of a card network with a valid Luhn check digit, in one piece or in the groups of a card, separated by spaces or hyphens | other groupings, dots as separators, numbers of closed systems |
/// | `email` | `local@domain.tld`, also with `%40`, also beyond ASCII | quoted local parts, `at` and `dot` in words, domains without a dot |
/// | `phone` | `+` or `00` and 8 to 15 digits; `(555) 234-5678`; national numbers with a leading 0, and Chinese mobile numbers | national numbers of fewer than 9 digits, international ones of fewer than 8, extensions, numbers in words |
/// | `address` | a street with a house number in the notation of English, German, French, Spanish and Italian; in Chinese, in both scripts, a number with `号` or `號` after a street, a lane, a village or an estate, and a flat in a numbered building; a post box | a street without number, a town or post code alone, a Chinese number after another word, other languages |
/// | `iban` | an IBAN of a registered country with valid check digits | account numbers in other notations |
/// | `id` | US social security numbers with separators, Chinese resident ids, French NIR, British NI numbers, machine-readable lines of passports, and a number after `passport`, `id card`, `driving licence` and similar words, also `护照`, `護照`, `身份证`, `身分證`, `通行证`, `駕照`, `居留證` | numbers of other countries without such a word, US numbers without separators |
/// | `token` | JWT, `Bearer …`, keys with known prefixes (`sk-`, `ghp_`, `AKIA`, `xoxb-` …), mixed runs of at least 32 characters, unlabelled hexadecimal runs with the length of a key | short keys, keys of letters alone, 32 or 40 hexadecimal digits, which are trace ids and commits |
/// | `secret` | the value after `password`, `api_key`, `authorization` and similar words; user and password in a URL | a secret that is recognizable only by its sentence |
/// | `key` | PEM blocks, including truncated ones | keys in other encodings, unless `token` matches them |
///
/// Names of people, birthdays and places are not matched.
///
/// UUIDs, trace headers and ids, timestamps, versions, prices, and labelled digests (`sha256:…`)
/// are kept. A number of eleven digits that looks like a mobile number is replaced.
///
/// # Cost
/// Time is linear in the text's length, up to some ten microseconds a byte. One scan finds the
/// characters, the number of digits and the longest run of a text, and only the patterns that can
/// match such a text are searched for.
///
/// Only the beginning of a text that is longer than [`with_max_bytes`](Self::with_max_bytes) (64
/// KiB) is redacted and kept; `[… bytes left out]` states the length of the rest. The patterns of
/// the default set are linear. A custom pattern may not be: if its searches would read more than 32
/// MiB, counted as the rest of the text for each match, the whole text becomes `[redacted]`.
///
/// # Examples
/// ```
/// use tool_runtime::redact::Patterns;
///
/// let patterns = Patterns::default().with("customer", r"\bC-\d{6}\b")?;
/// let text = "C-204811 paid with 4111 1111 1111 1111, receipt to ada@example.com";
/// assert_eq!(patterns.redact(text), "[customer] paid with [card], receipt to [email]");
/// assert_eq!(patterns.redact("2024-02-30T12:00:00Z order 4711"), "2024-02-30T12:00:00Z order 4711");
/// # Ok::<(), tool_runtime::redact::PatternError>(())
/// ```
#[derive(Clone)]
pub struct Patterns {
    by_stage: Vec<Pattern>,
    thresholds: FeatureThresholds,
    max_bytes: usize,
}

#[derive(Clone)]
pub(super) struct Pattern {
    pub(super) name: Cow<'static, str>,
    /// The replacement of a match.
    pub(super) mark: Box<str>,
    pub(super) regex: Regex,
    pub(super) stage: PatternStage,
    pub(super) prefilter: Prefilter,
    pub(super) check: MatchCheck,
}

/// Replaces a text that cannot be redacted within the limits.
const WITHHELD: &str = "[redacted]";

/// The most applications of all patterns: removing one match may reveal another.
const MAX_ROUNDS: usize = 8;

const MAX_NAME_LENGTH: usize = 32;

/// The default limit on the length of a text.
const MAX_BYTES: usize = 64 * 1024;

/// Bytes that are dropped before the end of a truncated text, because a value that is cut in two
/// would not be recognized.
const CUT_MARGIN: usize = 256;

/// The most bytes that a custom pattern may search in one text.
const MAX_SEARCHED_BYTES: usize = 32 * 1024 * 1024;

impl Patterns {
    /// Creates a set without patterns.
    #[must_use]
    pub const fn none() -> Self {
        Self {
            by_stage: Vec::new(),
            thresholds: FeatureThresholds::UNREACHABLE,
            max_bytes: MAX_BYTES,
        }
    }

    /// Adds a pattern; if it has a capture group, only the first group is replaced.
    ///
    /// It is applied before all others. The syntax is that of the `regex-lite` crate.
    ///
    /// # Errors
    /// Returns an error if the name is not 1 to 32 of `a-z 0-9 _ -`, or if the pattern is not a
    /// valid regular expression.
    pub fn with(mut self, name: &str, pattern: &str) -> Result<Self, PatternError> {
        let letter = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-');
        if !(1..=MAX_NAME_LENGTH).contains(&name.len()) || !name.bytes().all(letter) {
            return Err(PatternError("a pattern's name is 1 to 32 of `a-z 0-9 _ -`"));
        }
        let regex = Regex::new(pattern)
            .map_err(|_| PatternError("the pattern is no regular expression of `regex-lite`"))?;
        let pattern = Pattern::new(
            name.to_owned().into(),
            regex,
            PatternStage::Custom,
            Prefilter::None,
            MatchCheck::One(match_always),
        );
        let place = self.by_stage.partition_point(|other| other.stage <= PatternStage::Custom);
        self.thresholds = self.thresholds.or(pattern.prefilter);
        self.by_stage.insert(place, pattern);
        Ok(self)
    }

    /// Removes all patterns of this name.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.by_stage.retain(|pattern| pattern.name != name);
        self
    }

    /// Returns the same patterns, each of which is tried on every text.
    #[cfg(test)]
    pub(super) fn without_prefilters(mut self) -> Self {
        for pattern in &mut self.by_stage {
            pattern.prefilter = Prefilter::None;
            self.thresholds = self.thresholds.or(pattern.prefilter);
        }
        self
    }

    /// Sets the longest text that is redacted and kept, in bytes; at least 1 KiB. Default: 64 KiB.
    ///
    /// # Examples
    /// ```
    /// use tool_runtime::redact::Patterns;
    ///
    /// let patterns = Patterns::default().with_max_bytes(1_024);
    /// let shown = patterns.redact(&"a note ".repeat(1_000)).into_owned();
    /// assert!(shown.len() < 1_024);
    /// assert!(shown.ends_with(" bytes left out]"));
    /// ```
    #[must_use]
    pub const fn with_max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = if bytes < 1_024 { 1_024 } else { bytes };
        self
    }

    /// Replaces each match of a pattern by the pattern's name in brackets.
    ///
    /// Redacting a redacted text does not change it.
    #[must_use]
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if text.len() <= self.max_bytes {
            return match self.redact_repeatedly(text) {
                Cow::Owned(shown) if shown.len() > self.max_bytes => {
                    Cow::Owned(shortened(shown, 0, self.max_bytes))
                }
                shown => shown,
            };
        }
        let (head, rest) = text.split_at(floor(text, self.max_bytes));
        let redacted_head = self.redact_repeatedly(head).into_owned();
        Cow::Owned(shortened(redacted_head, rest.len(), self.max_bytes))
    }

    /// Applies the patterns until there are no more matches.
    fn redact_repeatedly<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut redacted_text = match self.redact_once(text) {
            RoundOutcome::Unchanged => return Cow::Borrowed(text),
            RoundOutcome::Changed(shown) => shown,
            RoundOutcome::TooCostly => return Cow::Borrowed(WITHHELD),
        };
        for _ in 1..MAX_ROUNDS {
            match self.redact_once(&redacted_text) {
                RoundOutcome::Unchanged => return Cow::Owned(redacted_text),
                RoundOutcome::Changed(next) => redacted_text = next,
                RoundOutcome::TooCostly => break,
            }
        }
        Cow::Borrowed(WITHHELD)
    }

    /// Applies every pattern once.
    fn redact_once(&self, text: &str) -> RoundOutcome {
        let Some(pieces) = self.pieces(text) else { return RoundOutcome::TooCostly };
        if pieces.iter().any(|piece| matches!(piece, TextPiece::Replacement(_))) {
            RoundOutcome::Changed(pieces.iter().map(TextPiece::as_str).collect())
        } else {
            RoundOutcome::Unchanged
        }
    }

    /// Splits the text by all patterns; `None` if that would exceed the limits.
    fn pieces<'t>(&'t self, text: &'t str) -> Option<Vec<TextPiece<'t>>> {
        let features = TextFeatures::new(text);
        if !features.reaches_any(&self.thresholds) {
            return Some(Vec::new());
        }
        let passes = |pattern: &&Pattern| features.passes(pattern.prefilter, text);
        let mut wanted = self.by_stage.iter().filter(passes).peekable();
        if wanted.peek().is_none() {
            return Some(Vec::new());
        }
        let wanted: Vec<&Pattern> = wanted.collect();
        let mut pieces = self.split_at_replacements(text);
        let (early, late) =
            wanted.split_at(wanted.partition_point(|pattern| pattern.stage < PatternStage::ByForm));
        for pattern in early {
            pieces = pattern.apply(&pieces)?;
        }
        if !late.is_empty() {
            pieces = default_patterns::accept_harmless(&pieces);
        }
        for pattern in late {
            pieces = pattern.apply(&pieces)?;
        }
        Some(pieces)
    }

    /// Excludes existing replacements from matching.
    fn split_at_replacements<'t>(&self, text: &'t str) -> Vec<TextPiece<'t>> {
        let mut pieces = Vec::new();
        let (mut rest, mut from) = (text, 0);
        while let Some(at) = rest[from..].find('[').map(|at| from + at) {
            let marks = self.by_stage.iter().map(|pattern| &*pattern.mark).chain([WITHHELD]);
            let length = marks.filter(|mark| rest[at..].starts_with(mark)).map(str::len).max();
            let length = length.or_else(|| omission_mark_length(&rest[at..]));
            let Some(length) = length else {
                from = at + 1;
                continue;
            };
            if at > 0 {
                pieces.push(TextPiece::Unmatched(&rest[..at]));
            }
            pieces.push(TextPiece::Accepted(&rest[at..at + length]));
            (rest, from) = (&rest[at + length..], 0);
        }
        if !rest.is_empty() {
            pieces.push(TextPiece::Unmatched(rest));
        }
        pieces
    }
}

impl Default for Patterns {
    /// Returns the patterns of the table above.
    fn default() -> Self {
        let by_stage = default_patterns::patterns();
        let none = FeatureThresholds::UNREACHABLE;
        let thresholds = by_stage.iter().fold(none, |all, it| all.or(it.prefilter));
        Self { by_stage, thresholds, ..Self::none() }
    }
}

impl fmt::Debug for Patterns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.by_stage.iter().map(|pattern| &pattern.name)).finish()
    }
}

impl Pattern {
    pub(super) fn new(
        name: Cow<'static, str>,
        regex: Regex,
        stage: PatternStage,
        prefilter: Prefilter,
        check: MatchCheck,
    ) -> Self {
        let mark = format!("[{name}]").into();
        Self { name, mark, regex, stage, prefilter, check }
    }

    /// Splits the pieces by the pattern's matches; `None` if that would exceed the limits.
    fn apply<'p>(&'p self, pieces: &[TextPiece<'p>]) -> Option<Vec<TextPiece<'p>>> {
        let max_steps =
            if self.stage == PatternStage::Custom { MAX_SEARCHED_BYTES } else { usize::MAX };
        cut(pieces, &self.regex, self.check, max_steps, |_| TextPiece::Replacement(&self.mark))
    }
}

/// Result of applying all patterns once.
enum RoundOutcome {
    Unchanged,
    Changed(String),
    TooCostly,
}

/// Truncates a redacted text to fewer than `max_bytes` bytes, and appends the number of missing
/// bytes.
fn shortened(mut shown: String, beyond: usize, max_bytes: usize) -> String {
    let mut end = floor(&shown, shown.len().min(max_bytes).saturating_sub(CUT_MARGIN));
    // A replacement is kept or dropped as a whole.
    if let Some(open) = shown[..end].rfind('[').filter(|open| !shown[*open..end].contains(']')) {
        end = if end - open <= MAX_NAME_LENGTH + 2 { open } else { end };
    }
    let left_out = beyond + shown.len() - end;
    shown.truncate(end);
    shown.push_str(&omission_mark(left_out));
    shown
}

/// Replaces the omitted bytes of a text.
#[must_use]
pub fn omission_mark(bytes: usize) -> String {
    format!("[{bytes} bytes left out]")
}

/// The length of an omission mark at the beginning of the text.
fn omission_mark_length(text: &str) -> Option<usize> {
    const REST: &str = " bytes left out]";
    const MAX_DIGITS: usize = 10;
    let digits = text.strip_prefix('[')?;
    let length = digits.bytes().take_while(u8::is_ascii_digit).count();
    let is_mark = (1..=MAX_DIGITS).contains(&length) && digits[length..].starts_with(REST);
    is_mark.then_some(1 + length + REST.len())
}

/// The nearest character boundary at or before this position.
fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Indicates that a pattern is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PatternError(&'static str);

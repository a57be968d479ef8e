//! A set of named patterns, and how they are applied to a text.

use std::borrow::Cow;
use std::fmt;

use regex_lite::Regex;

use super::pieces::{Check, Piece, cut};
use super::shapes::{self, Sign, Signs, Stage};

/// Finds what should not be kept in free text: a set of named patterns.
///
/// [`redact`](Self::redact) puts the name of what it found in its place: `[card]`, `[email]`.
/// Patterns see shapes and not meanings. They catch what slips into a note or a message in its
/// usual form, and nobody who hides something on purpose; what is known to be sensitive belongs
/// under `#[arg(secret)]` or `#[arg(pii)]`.
///
/// # What the default set finds
/// | name | finds | does not find |
/// | --- | --- | --- |
/// | `card` | 13 to 19 digits of a card network that pass Luhn's check, in one piece or in groups of a card by spaces or hyphens | other groupings, dots between, numbers of closed systems |
/// | `email` | `local@domain.tld`, also with `%40`, also beyond ASCII | quoted local parts, `at` and `dot` in words, domains without a dot |
/// | `phone` | `+` or `00` and 8 to 15 digits; `(555) 234-5678`; national numbers with a leading 0, and Chinese mobile numbers | numbers of under 9 digits, extensions, numbers in words |
/// | `address` | a street with its number as written in English, German, French, Spanish, Italian and Chinese; a post box | a street without number, a town or post code alone, other languages |
/// | `iban` | an IBAN of a country of the registry, whose check digits are right | account numbers of other shapes |
/// | `id` | US social security numbers with separators, Chinese resident ids, French NIR, British NI numbers, machine-readable lines of passports, and a number after `passport`, `id card`, `driving licence` and their like | numbers of other countries without such a word, US numbers without separators |
/// | `token` | JWT, `Bearer …`, keys with the known prefixes (`sk-`, `ghp_`, `AKIA`, `xoxb-` …), mixed runs of 32 characters and more, unlabelled hexadecimal runs of a key's length | short keys, keys of letters alone, 32 or 40 hexadecimal digits: traces and commits look so |
/// | `secret` | the value after `password`, `api_key`, `authorization` and their like; user and password in a URL | a secret that only its sentence makes one |
/// | `key` | PEM blocks, also cut off | keys in other encodings, but for what `token` finds |
///
/// Names of people, birthdays and places are found by no pattern.
///
/// What has to survive does: UUIDs, trace headers and ids, timestamps, versions, prices, and
/// digests that say what they are (`sha256:…`). A number of eleven digits that looks like a mobile
/// number does not.
///
/// # Cost
/// Time grows with the text's length alone. A text without the signs of a pattern (an `@`, seven
/// digits, a long run) is passed through after one look.
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
    /// In the order of their stages.
    patterns: Vec<Pattern>,
}

#[derive(Clone)]
pub(super) struct Pattern {
    pub(super) name: Cow<'static, str>,
    /// What stands in its place.
    pub(super) mark: Box<str>,
    pub(super) regex: Regex,
    pub(super) stage: Stage,
    pub(super) sign: Sign,
    pub(super) check: Check,
}

/// Stands in place of a text that cannot be redacted within bounds.
const WHOLE: &str = "[redacted]";

/// How often the patterns are applied at most: what one takes out may lay another one bare.
const ROUNDS: usize = 8;

const LONGEST_NAME: usize = 32;

impl Patterns {
    /// Starts a set without any pattern.
    #[must_use]
    pub const fn none() -> Self {
        Self { patterns: Vec::new() }
    }

    /// Adds a pattern; where it has a group, only the first one is replaced.
    ///
    /// It is applied before all others. Its syntax is that of the `regex-lite` crate.
    ///
    /// # Errors
    /// The name is not 1 to 32 of `a-z 0-9 _ -`, or the pattern is no regular expression.
    pub fn with(mut self, name: &str, pattern: &str) -> Result<Self, PatternError> {
        let letter = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-');
        if !(1..=LONGEST_NAME).contains(&name.len()) || !name.bytes().all(letter) {
            return Err(PatternError("a pattern's name is 1 to 32 of `a-z 0-9 _ -`"));
        }
        let regex = Regex::new(pattern)
            .map_err(|_| PatternError("the pattern is no regular expression of `regex-lite`"))?;
        let pattern =
            Pattern::new(name.to_owned().into(), regex, Stage::Own, Sign::None, |found| {
                Some(found.range.clone())
            });
        let place = self.patterns.partition_point(|other| other.stage <= Stage::Own);
        self.patterns.insert(place, pattern);
        Ok(self)
    }

    /// Takes all patterns of this name out.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.patterns.retain(|pattern| pattern.name != name);
        self
    }

    /// Replaces whatever a pattern finds by the pattern's name in brackets.
    ///
    /// What was redacted once is not changed by a second time.
    #[must_use]
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let Some(mut shown) = self.once(text) else { return Cow::Borrowed(text) };
        for _ in 1..ROUNDS {
            match self.once(&shown) {
                None => return Cow::Owned(shown),
                Some(next) => shown = next,
            }
        }
        Cow::Borrowed(WHOLE)
    }

    /// Applies every pattern once; none if nothing was found.
    fn once(&self, text: &str) -> Option<String> {
        let signs = Signs::of(text);
        let shows = |pattern: &&Pattern| signs.show(pattern.sign, text);
        let mut wanted = self.patterns.iter().filter(shows).peekable();
        wanted.peek()?;
        let wanted: Vec<&Pattern> = wanted.collect();
        let mut pieces = self.split_at_marks(text);
        let (early, late) =
            wanted.split_at(wanted.partition_point(|pattern| pattern.stage < Stage::Late));
        for pattern in early {
            pieces = pattern.apply(&pieces);
        }
        if !late.is_empty() {
            pieces = shapes::keep_harmless(&pieces);
        }
        for pattern in late {
            pieces = pattern.apply(&pieces);
        }
        let found = pieces.iter().any(|piece| matches!(piece, Piece::Mark(_)));
        found.then(|| pieces.iter().map(Piece::as_str).collect())
    }

    /// Keeps what stands in place of something already.
    fn split_at_marks<'t>(&self, text: &'t str) -> Vec<Piece<'t>> {
        let mut pieces = Vec::new();
        let (mut rest, mut from) = (text, 0);
        while let Some(at) = rest[from..].find('[').map(|at| from + at) {
            let marks = self.patterns.iter().map(|pattern| &*pattern.mark).chain([WHOLE]);
            let length = marks.filter(|mark| rest[at..].starts_with(mark)).map(str::len).max();
            let Some(length) = length else {
                from = at + 1;
                continue;
            };
            if at > 0 {
                pieces.push(Piece::Open(&rest[..at]));
            }
            pieces.push(Piece::Kept(&rest[at..at + length]));
            (rest, from) = (&rest[at + length..], 0);
        }
        if !rest.is_empty() {
            pieces.push(Piece::Open(rest));
        }
        pieces
    }
}

impl Default for Patterns {
    /// Gives the patterns of the table above.
    fn default() -> Self {
        Self { patterns: shapes::patterns() }
    }
}

impl fmt::Debug for Patterns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.patterns.iter().map(|pattern| &pattern.name)).finish()
    }
}

impl Pattern {
    pub(super) fn new(
        name: Cow<'static, str>,
        regex: Regex,
        stage: Stage,
        sign: Sign,
        check: Check,
    ) -> Self {
        let mark = format!("[{name}]").into();
        Self { name, mark, regex, stage, sign, check }
    }

    fn apply<'p>(&'p self, pieces: &[Piece<'p>]) -> Vec<Piece<'p>> {
        cut(pieces, &self.regex, self.check, |_| Piece::Mark(&self.mark))
    }
}

/// Says why a pattern cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PatternError(&'static str);

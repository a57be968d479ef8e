//! A set of named patterns, and how they are applied to a text.

use std::borrow::Cow;
use std::fmt;

use regex_lite::Regex;

use super::checks::whole;
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
/// Time grows with the text's length alone, up to some ten microseconds a byte. A text without the
/// signs of a pattern (an `@`, seven digits, a long run) is passed through after one look.
///
/// Of a text that is longer than [`with_max_bytes`](Self::with_max_bytes) says (64 KiB), only the
/// beginning is looked at and kept; `[… bytes left out]` says how much of the text is missing. The
/// patterns of the default set are linear. A pattern of one's own may not be: where it would search
/// more than 32 MiB in all, counted as the rest of the text for each match, the whole text becomes
/// `[redacted]`.
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
    max_bytes: usize,
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

/// The longest text that is looked at, unless the set says otherwise.
const MAX_BYTES: usize = 64 * 1024;

/// How many bytes before the end of what is looked at are not kept: what is cut in two there would
/// not be recognised.
const MARGIN: usize = 256;

/// The most bytes that a user's own pattern may search in one text.
const MOST_SEARCHED: usize = 32 * 1024 * 1024;

impl Patterns {
    /// Starts a set without any pattern.
    #[must_use]
    pub const fn none() -> Self {
        Self { patterns: Vec::new(), max_bytes: MAX_BYTES }
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
            Pattern::new(name.to_owned().into(), regex, Stage::Own, Sign::None, Check::One(whole));
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

    /// Sets the longest text that is looked at and kept, in bytes; at least 1 KiB, 64 KiB unless set.
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

    /// Replaces whatever a pattern finds by the pattern's name in brackets.
    ///
    /// What was redacted once is not changed by a second time.
    #[must_use]
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if text.len() <= self.max_bytes {
            return match self.redacted(text) {
                Cow::Owned(shown) if shown.len() > self.max_bytes => {
                    Cow::Owned(shortened(shown, 0, self.max_bytes))
                }
                shown => shown,
            };
        }
        let (head, rest) = text.split_at(floor(text, self.max_bytes));
        let shown = self.redacted(head).into_owned();
        Cow::Owned(shortened(shown, rest.len(), self.max_bytes))
    }

    /// Applies the patterns until they find nothing more.
    fn redacted<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut shown = match self.once(text) {
            Redacted::Unchanged => return Cow::Borrowed(text),
            Redacted::Changed(shown) => shown,
            Redacted::TooCostly => return Cow::Borrowed(WHOLE),
        };
        for _ in 1..ROUNDS {
            match self.once(&shown) {
                Redacted::Unchanged => return Cow::Owned(shown),
                Redacted::Changed(next) => shown = next,
                Redacted::TooCostly => break,
            }
        }
        Cow::Borrowed(WHOLE)
    }

    /// Applies every pattern once.
    fn once(&self, text: &str) -> Redacted {
        let Some(pieces) = self.pieces(text) else { return Redacted::TooCostly };
        if pieces.iter().any(|piece| matches!(piece, Piece::Mark(_))) {
            Redacted::Changed(pieces.iter().map(Piece::as_str).collect())
        } else {
            Redacted::Unchanged
        }
    }

    /// The pieces that the patterns cut the text into; none if that would cost too much.
    fn pieces<'t>(&'t self, text: &'t str) -> Option<Vec<Piece<'t>>> {
        let signs = Signs::of(text);
        let shows = |pattern: &&Pattern| signs.show(pattern.sign, text);
        let mut wanted = self.patterns.iter().filter(shows).peekable();
        if wanted.peek().is_none() {
            return Some(Vec::new());
        }
        let wanted: Vec<&Pattern> = wanted.collect();
        let mut pieces = self.split_at_marks(text);
        let (early, late) =
            wanted.split_at(wanted.partition_point(|pattern| pattern.stage < Stage::Late));
        for pattern in early {
            pieces = pattern.apply(&pieces)?;
        }
        if !late.is_empty() {
            pieces = shapes::keep_harmless(&pieces);
        }
        for pattern in late {
            pieces = pattern.apply(&pieces)?;
        }
        Some(pieces)
    }

    /// Keeps what stands in place of something already.
    fn split_at_marks<'t>(&self, text: &'t str) -> Vec<Piece<'t>> {
        let mut pieces = Vec::new();
        let (mut rest, mut from) = (text, 0);
        while let Some(at) = rest[from..].find('[').map(|at| from + at) {
            let marks = self.patterns.iter().map(|pattern| &*pattern.mark).chain([WHOLE]);
            let length = marks.filter(|mark| rest[at..].starts_with(mark)).map(str::len).max();
            let length = length.or_else(|| left_out_mark_length(&rest[at..]));
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
        Self { patterns: shapes::patterns(), ..Self::none() }
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

    /// Cuts out what the pattern finds; none if that would cost too much.
    fn apply<'p>(&'p self, pieces: &[Piece<'p>]) -> Option<Vec<Piece<'p>>> {
        let most = if self.stage == Stage::Own { MOST_SEARCHED } else { usize::MAX };
        cut(pieces, &self.regex, self.check, most, |_| Piece::Mark(&self.mark))
    }
}

/// What one round of all patterns made of a text.
enum Redacted {
    Unchanged,
    Changed(String),
    TooCostly,
}

/// A redacted text cut to fewer bytes than `most`, and how many bytes are missing.
fn shortened(mut shown: String, beyond: usize, most: usize) -> String {
    let mut end = floor(&shown, shown.len().min(most).saturating_sub(MARGIN));
    // What stands in place of something is kept or left out whole.
    if let Some(open) = shown[..end].rfind('[').filter(|open| !shown[*open..end].contains(']')) {
        end = if end - open <= LONGEST_NAME + 2 { open } else { end };
    }
    let left_out = beyond + shown.len() - end;
    shown.truncate(end);
    shown.push_str(&left_out_mark(left_out));
    shown
}

/// Stands in place of so many bytes of a text.
pub(crate) fn left_out_mark(bytes: usize) -> String {
    format!("[{bytes} bytes left out]")
}

/// The length of what [`left_out_mark`] writes, where the text begins with it.
fn left_out_mark_length(text: &str) -> Option<usize> {
    const REST: &str = " bytes left out]";
    const MOST_DIGITS: usize = 10;
    let digits = text.strip_prefix('[')?;
    let length = digits.bytes().take_while(u8::is_ascii_digit).count();
    let is_mark = (1..=MOST_DIGITS).contains(&length) && digits[length..].starts_with(REST);
    is_mark.then_some(1 + length + REST.len())
}

/// The border of a character at this place, or the one before it.
fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Says why a pattern cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PatternError(&'static str);

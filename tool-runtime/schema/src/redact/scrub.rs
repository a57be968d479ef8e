//! Removes known values from a text, in any encoding.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use memchr::memmem::Finder;

use super::decoding::{DecodedText, MIN_DECODED_BYTES};
use crate::test_cost;

/// Removes known values from texts such as panic and error messages.
///
/// [`scrub`](Self::scrub) finds a value
/// - as written;
/// - with the escapes of JSON or of Rust's `Debug`, nested up to two levels;
/// - percent-encoded, for any choice of encoded characters, and with `+` for a space;
/// - in base64, standard or URL-safe, with or without padding, also inside of a longer encoded
///   text, as in `Authorization: Basic …`;
/// - in hexadecimal digits.
///
/// A value of fewer than 4 characters is matched only as a whole word, and one of fewer than 4 bytes
/// is not searched for in base64 and hexadecimal digits, where it would match too often. A part of a value, and a value that is hashed,
/// compressed or written in another case, is not found.
///
/// # Examples
/// ```
/// use tool_runtime::redact::ValueScrubber;
///
/// let scrub = ValueScrubber::new(["hunter 2", "7"]);
/// assert_eq!(scrub.scrub("login(\"hunter 2\") failed"), "login(\"***\") failed");
/// assert_eq!(scrub.scrub("?p=hunter%202 and ?p=hunter+2"), "?p=*** and ?p=***");
/// assert_eq!(scrub.scrub("Basic YWRhOmh1bnRlciAy"), "Basic YWRhO***");
/// assert_eq!(scrub.scrub("7 of 17"), "*** of 17");
/// ```
#[derive(Default, Clone)]
pub struct ValueScrubber {
    values: Vec<SearchValue>,
    /// There are more values than the limit: every text is withheld.
    too_many: bool,
}

#[derive(Clone)]
struct SearchValue {
    finder: Finder<'static>,
    whole_word: bool,
}

/// The most bytes that one byte of a value takes in a text, as in `\\\\u{00e9}`.
const MAX_ENCODED_LENGTH: usize = 12;

/// Replaces a value.
const MASK: &str = "***";

/// The most bytes of values times bytes of text; above it, the text is withheld.
const MAX_SEARCHED_BYTES: usize = 64 * 1024 * 1024;

/// The most values that are searched for.
pub const MAX_VALUES: usize = 16 * 1024;

/// The longest text that is searched, in bytes: its decodings take about a hundred times as much
/// memory.
const MAX_BYTES: usize = 256 * 1024;

impl ValueScrubber {
    /// Creates a scrubber of these values; blank ones are ignored.
    pub fn new<S: AsRef<str>>(values: impl IntoIterator<Item = S>) -> Self {
        let values: Vec<S> = values.into_iter().collect();
        Self::with_common_words(values.iter().map(AsRef::as_ref), [].iter().copied())
    }

    /// Creates a scrubber of values, and of others that may be everyday words; a short one of those
    /// matches only as a whole word.
    #[doc(hidden)]
    pub fn with_common_words<'v>(
        values: impl Iterator<Item = &'v str>,
        words: impl Iterator<Item = &'v str>,
    ) -> Self {
        let values = values.map(str::trim);
        let values = values.map(|value| (value, value.chars().count() < MIN_DECODED_BYTES));
        let words = words.map(str::trim).map(|word| (word, is_word_like(word)));
        let mut search_terms = BTreeMap::new();
        for (value, whole_word) in values.chain(words).filter(|(value, _)| !value.is_empty()) {
            *search_terms.entry(value).or_insert(whole_word) &= whole_word;
        }
        if search_terms.len() > MAX_VALUES {
            return Self { values: Vec::new(), too_many: true };
        }
        let as_value = |(value, whole_word)| SearchValue {
            finder: Finder::new(value).into_owned(),
            whole_word,
        };
        Self { values: search_terms.into_iter().map(as_value).collect(), too_many: false }
    }

    /// Returns whether there are no values to remove.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty() && !self.too_many
    }

    /// The most bytes that any value takes in a text, in its longest encoding.
    #[must_use]
    #[doc(hidden)]
    pub fn longest(&self) -> usize {
        let longest = self.values.iter().map(|value| value.finder.needle().len()).max();
        longest.unwrap_or(0).saturating_mul(MAX_ENCODED_LENGTH)
    }

    /// Replaces every value by `***`.
    ///
    /// Time grows with the text's length times the number of values. A text is replaced as a whole
    /// if it is longer than 256 KiB, if there are more than 16,384 values, or if their number times
    /// the text's length is more than 64 Mi.
    #[must_use]
    pub fn scrub<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.is_empty() || text.is_empty() {
            return Cow::Borrowed(text);
        }
        let withheld = self.too_many || text.len() > MAX_BYTES;
        if withheld || self.values.len().saturating_mul(text.len()) > MAX_SEARCHED_BYTES {
            return Cow::Borrowed(MASK);
        }
        let mut ranges = self.find(text);
        if ranges.is_empty() {
            return Cow::Borrowed(text);
        }
        ranges.sort_unstable_by_key(|range| (range.start, range.end));
        // All ranges are at character boundaries; otherwise the whole text is withheld.
        masked(text, &ranges).map_or(Cow::Borrowed(MASK), Cow::Owned)
    }

    /// The ranges of the values, in any encoding.
    fn find(&self, text: &str) -> Vec<Range<usize>> {
        let mut ranges = Vec::new();
        for reading in readings(text) {
            self.find_in(&reading, true, &mut ranges);
            for encoded in reading.base64().iter().chain(&reading.hexadecimal()) {
                self.find_in(encoded, false, &mut ranges);
            }
        }
        ranges
    }

    fn find_in(&self, reading: &DecodedText, includes_short: bool, found: &mut Vec<Range<usize>>) {
        test_cost::count(reading.bytes.len());
        for SearchValue { finder, whole_word } in &self.values {
            let length = finder.needle().len();
            if !includes_short && length < MIN_DECODED_BYTES {
                continue;
            }
            for at in finder.find_iter(&reading.bytes) {
                let range = at..at + length;
                if !whole_word || is_whole_word(&reading.bytes, &range) {
                    found.push(reading.place(range));
                }
            }
        }
    }
}

impl fmt::Debug for ValueScrubber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ValueScrubber").field("values", &self.values.len()).finish_non_exhaustive()
    }
}

/// The text, and its decodings of escapes and percent-encoding.
fn readings(text: &str) -> Vec<DecodedText> {
    let mut readings = vec![DecodedText::plain(text)];
    let once = readings[0].unescaped();
    let twice = once.as_ref().and_then(DecodedText::unescaped);
    readings.extend(once.into_iter().chain(twice));
    for index in 0..readings.len() {
        let spaced = readings[index].with_spaces();
        let decoded = readings[index].percent_decoded();
        let both = spaced.as_ref().and_then(DecodedText::percent_decoded);
        readings.extend(spaced.into_iter().chain(decoded).chain(both));
    }
    readings
}

/// Returns whether the value is short and plain, so that it may be part of many other words.
fn is_word_like(value: &str) -> bool {
    const MIN_PLAIN_BYTES: usize = 8;
    let plain = value.bytes().all(|byte| byte.is_ascii_alphabetic());
    value.chars().count() < MIN_DECODED_BYTES || (plain && value.len() < MIN_PLAIN_BYTES)
}

fn is_whole_word(bytes: &[u8], range: &Range<usize>) -> bool {
    let joins =
        |byte: Option<&u8>| byte.is_some_and(|it| it.is_ascii_alphanumeric() || *it == b'_');
    !joins(range.start.checked_sub(1).and_then(|at| bytes.get(at))) && !joins(bytes.get(range.end))
}

/// The text with these ranges masked; ranges are sorted and may overlap.
fn masked(text: &str, parts: &[Range<usize>]) -> Option<String> {
    let mut masked = String::with_capacity(text.len());
    let mut done = 0;
    for part in parts {
        if part.start > done || done == 0 {
            masked.push_str(text.get(done..part.start)?);
            masked.push_str(MASK);
        }
        done = done.max(part.end);
    }
    masked.push_str(text.get(done..)?);
    Some(masked)
}

//! Takes known values out of a text, however they are written in it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use memchr::memmem::Finder;

use super::readings::{Reading, SHORTEST};
use crate::steps;

/// Takes known values out of texts that somebody else wrote: a panic's, an error's.
///
/// [`scrub`](Self::scrub) finds a value
/// - as it is;
/// - with the escapes of JSON or of Rust's `Debug`, once or twice;
/// - percent-encoded, whichever characters that touches, and with `+` for a space;
/// - in base64, standard or for URLs, padded or not, also inside of a longer encoded text, as in
///   `Authorization: Basic …`;
/// - in hexadecimal digits.
///
/// A value of under 4 characters counts as a whole word alone, and is looked for in no encoding but
/// the escapes: it would be found everywhere. What is only a part of a value, or is hashed,
/// compressed or written in another case, is not found.
///
/// # Examples
/// ```
/// use tool_runtime::redact::Scrub;
///
/// let scrub = Scrub::of(["hunter 2", "7"]);
/// assert_eq!(scrub.scrub("login(\"hunter 2\") failed"), "login(\"***\") failed");
/// assert_eq!(scrub.scrub("?p=hunter%202 and ?p=hunter+2"), "?p=*** and ?p=***");
/// assert_eq!(scrub.scrub("Basic YWRhOmh1bnRlciAy"), "Basic YWRhO***");
/// assert_eq!(scrub.scrub("7 of 17"), "*** of 17");
/// ```
#[derive(Default, Clone)]
pub struct Scrub {
    values: Vec<Value>,
    /// There are more values than are looked for: every text is withheld.
    too_many: bool,
}

#[derive(Clone)]
struct Value {
    finder: Finder<'static>,
    whole_word: bool,
}

/// How many bytes one byte of a value takes at most, as `\\\\u{00e9}` does.
const LONGEST_FORM: usize = 12;

/// What stands in place of a value.
const MASK: &str = "***";

/// What is looked for times what it is looked for in, in bytes: beyond it, a text is withheld.
const MOST: usize = 64 * 1024 * 1024;

/// The most values that are looked for.
pub(crate) const MOST_VALUES: usize = 16 * 1024;

/// The longest text that is looked through, in bytes: all its readings take some hundred times as
/// much memory.
const MAX_BYTES: usize = 256 * 1024;

impl Scrub {
    /// Takes the values that no text may hold; blank ones are left out.
    pub fn of<S: AsRef<str>>(values: impl IntoIterator<Item = S>) -> Self {
        let values: Vec<S> = values.into_iter().collect();
        Self::with_words(values.iter().map(AsRef::as_ref), [].iter().copied())
    }

    /// Takes values, and some that may be everyday words: a short one of those counts only where it
    /// stands alone.
    pub(crate) fn with_words<'v>(
        values: impl Iterator<Item = &'v str>,
        words: impl Iterator<Item = &'v str>,
    ) -> Self {
        let values = values.map(|value| (value.trim(), value.chars().count() < SHORTEST));
        let words = words.map(|word| (word.trim(), is_word(word)));
        let mut all = BTreeMap::new();
        for (value, whole_word) in values.chain(words).filter(|(value, _)| !value.is_empty()) {
            *all.entry(value).or_insert(whole_word) &= whole_word;
        }
        if all.len() > MOST_VALUES {
            return Self { values: Vec::new(), too_many: true };
        }
        let as_value =
            |(value, whole_word)| Value { finder: Finder::new(value).into_owned(), whole_word };
        Self { values: all.into_iter().map(as_value).collect(), too_many: false }
    }

    /// Says whether there is nothing to take out.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty() && !self.too_many
    }

    /// How many bytes the longest value may take in a text, in the longest of its forms.
    pub(crate) fn longest(&self) -> usize {
        let longest = self.values.iter().map(|value| value.finder.needle().len()).max();
        longest.unwrap_or(0).saturating_mul(LONGEST_FORM)
    }

    /// Puts `***` in place of every value.
    ///
    /// Time grows with the text's length times the number of values. A text for which that would be
    /// too much is replaced whole: one of more than 256 KiB, or any if there are more than 16,384
    /// values.
    #[must_use]
    pub fn scrub<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.is_empty() || text.is_empty() {
            return Cow::Borrowed(text);
        }
        let withheld = self.too_many || text.len() > MAX_BYTES;
        if withheld || self.values.len().saturating_mul(text.len()) > MOST {
            return Cow::Borrowed(MASK);
        }
        let mut found = self.find(text);
        if found.is_empty() {
            return Cow::Borrowed(text);
        }
        found.sort_unstable_by_key(|range| (range.start, range.end));
        // All places are borders of characters; were one not, nothing of the text would be shown.
        masked(text, &found).map_or(Cow::Borrowed(MASK), Cow::Owned)
    }

    /// Where the values stand, in whichever form.
    fn find(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        for reading in readings(text) {
            self.find_in(&reading, true, &mut found);
            for encoded in reading.base64().iter().chain(&reading.hexadecimal()) {
                self.find_in(encoded, false, &mut found);
            }
        }
        found
    }

    fn find_in(&self, reading: &Reading, short: bool, found: &mut Vec<Range<usize>>) {
        steps::count(reading.bytes.len());
        for Value { finder, whole_word } in &self.values {
            let length = finder.needle().len();
            if !short && length < SHORTEST {
                continue;
            }
            for at in finder.find_iter(&reading.bytes) {
                let range = at..at + length;
                if !whole_word || stands_alone(&reading.bytes, &range) {
                    found.push(reading.place(range));
                }
            }
        }
    }
}

impl fmt::Debug for Scrub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scrub").field("values", &self.values.len()).finish_non_exhaustive()
    }
}

/// The text, and what it says once its escapes and percent signs are undone.
fn readings(text: &str) -> Vec<Reading> {
    let mut readings = vec![Reading::plain(text)];
    let once = readings[0].unescaped();
    let twice = once.as_ref().and_then(Reading::unescaped);
    readings.extend(once.into_iter().chain(twice));
    for index in 0..readings.len() {
        let spaced = readings[index].with_spaces();
        let decoded = readings[index].percent_decoded();
        let both = spaced.as_ref().and_then(Reading::percent_decoded);
        readings.extend(spaced.into_iter().chain(decoded).chain(both));
    }
    readings
}

/// Is it so short and plain that it may stand in many another word?
fn is_word(value: &str) -> bool {
    const LONGEST: usize = 8;
    let plain = value.bytes().all(|byte| byte.is_ascii_alphabetic());
    value.chars().count() < SHORTEST || (plain && value.len() < LONGEST)
}

fn stands_alone(bytes: &[u8], range: &Range<usize>) -> bool {
    let joins =
        |byte: Option<&u8>| byte.is_some_and(|it| it.is_ascii_alphanumeric() || *it == b'_');
    !joins(range.start.checked_sub(1).and_then(|at| bytes.get(at))) && !joins(bytes.get(range.end))
}

/// The text without these parts, which are in order and may overlap.
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

//! The words of a query, and their occurrences in passages.

use std::collections::HashMap;

use tool_runtime_core::search::tokenizer;

/// The most words of a query that count.
const MAX_TERMS: usize = 256;

/// The distinct words of a query, stemmed.
#[derive(Debug, Default)]
pub(super) struct QueryTerms {
    by_word: HashMap<String, usize>,
    /// True for the first bytes of words; a word that begins with another byte is none of them.
    starts: StartBytes,
}

#[derive(Debug)]
struct StartBytes([bool; 256]);

impl Default for StartBytes {
    fn default() -> Self {
        Self([false; 256])
    }
}

impl QueryTerms {
    /// Splits a query into its words; numbers are words too.
    pub(super) fn new(query: &str) -> Self {
        let mut terms = Self::default();
        let numbers = query.split(|letter: char| !letter.is_alphanumeric());
        let numbers = numbers.filter(|word| is_number(word)).map(str::to_owned);
        for word in tokenizer::query_words(query).into_iter().chain(numbers) {
            if terms.by_word.len() < MAX_TERMS {
                terms.insert(word);
            }
        }
        terms
    }

    fn insert(&mut self, word: String) {
        if let Some(&first) = word.as_bytes().first() {
            self.starts.0[usize::from(first)] = true;
            let next = self.by_word.len();
            self.by_word.entry(word).or_insert(next);
        }
    }

    /// Returns the number of distinct words.
    pub(super) fn len(&self) -> usize {
        self.by_word.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_word.is_empty()
    }

    /// Reports the occurrences of the query's words, and returns the number of all words.
    pub(super) fn find(&self, text: &str, mut found: impl FnMut(usize)) -> u32 {
        let mut count = 0;
        for run in text.split(|letter: char| !letter.is_alphanumeric()) {
            if run.is_empty() {
                continue;
            }
            count += 1;
            if run.is_ascii() && is_plain(run.as_bytes()) {
                if self.may_have(run.as_bytes()[0]) {
                    self.find_plain(run, &mut found);
                }
            } else {
                let parts = tokenizer::document_words(run);
                count += u32::try_from(parts.len()).unwrap_or(u32::MAX).saturating_sub(1);
                parts
                    .iter()
                    .filter_map(|part| self.by_word.get(part))
                    .for_each(|&term| found(term));
            }
        }
        count
    }

    fn may_have(&self, first: u8) -> bool {
        self.starts.0[usize::from(first.to_ascii_lowercase())]
    }

    /// Finds a word of letters of one case, or of digits.
    fn find_plain(&self, run: &str, found: &mut impl FnMut(usize)) {
        let term = if is_number(run) {
            self.by_word.get(run)
        } else {
            self.by_word.get(&tokenizer::stem(run))
        };
        if let Some(&term) = term {
            found(term);
        }
    }
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether a word needs no splitting: digits alone, or letters of one case after the first.
fn is_plain(word: &[u8]) -> bool {
    let Some((first, rest)) = word.split_first() else { return false };
    if first.is_ascii_digit() {
        return rest.iter().all(u8::is_ascii_digit);
    }
    rest.iter().all(u8::is_ascii_lowercase) || word.iter().all(u8::is_ascii_uppercase)
}

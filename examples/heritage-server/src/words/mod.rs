//! Splitting texts and questions into words, Chinese and English, identically for both databases.
//!
//! Traditional characters are mapped to simplified ones, and full-width letters to plain ones.
//! Chinese is cut into words as for a search engine (long words and the short ones in them), and
//! English words are reduced to their stems. The databases get the words, and do not split again.

mod indexed;
mod query;
#[cfg(test)]
mod tests;

pub(crate) use self::query::{Query, Term};

use std::collections::HashMap;
use std::fmt;

use frostem::{Algorithm, Stemmer};
use jieba_rs::Jieba;

/// Splits texts into words. Making one reads a dictionary and takes a while; make one per program.
pub(crate) struct Words {
    jieba: Jieba,
    stemmer: Stemmer,
    variants: HashMap<char, char>,
}

/// The indexed words of a content.
#[derive(Debug, PartialEq)]
pub(crate) struct Indexed {
    pub(crate) title: Vec<String>,
    pub(crate) body: Vec<String>,
    /// Each Chinese character, none where a phrase ends.
    pub(crate) characters: Vec<Option<char>>,
}

/// A stretch of a text in one script.
#[derive(Debug, PartialEq)]
enum Run {
    Chinese(String),
    Other(String),
}

/// The number of characters of a word that count; a `tsvector` takes 2,046 bytes.
const MAX_WORD_LENGTH: usize = 64;

/// Pairs of a traditional character and the simplified one for it.
const VARIANTS: &str = include_str!("../../data/variants.tsv");

impl Words {
    pub(crate) fn new() -> Self {
        let variants = VARIANTS.lines().filter_map(|line| {
            let (old, new) = line.split_once('\t')?;
            Some((old.chars().next()?, new.chars().next()?))
        });
        Self {
            jieba: Jieba::new(),
            stemmer: Stemmer::new(Algorithm::English),
            variants: variants.collect(),
        }
    }

    /// Splits a content into words.
    pub(crate) fn index(&self, title: &str, body: &str) -> Indexed {
        let (title, body) = (self.runs(title), self.runs(body));
        let characters = characters(title.iter().chain(&body));
        Indexed { title: self.words(&title), body: self.words(&body), characters }
    }

    /// Splits a question into words.
    pub(crate) fn query(&self, question: &str) -> Query {
        let runs = self.runs(question);
        let terms = runs.iter().flat_map(|run| match run {
            Run::Chinese(text) => self.chinese(text).map(Term::Chinese).collect::<Vec<_>>(),
            Run::Other(word) => vec![Term::Other { stem: self.stem(word), word: word.clone() }],
        });
        Query::of(terms)
    }

    fn words(&self, runs: &[Run]) -> Vec<String> {
        let words = runs.iter().flat_map(|run| match run {
            Run::Chinese(text) => self.chinese(text).collect::<Vec<_>>(),
            Run::Other(word) => vec![self.stem(word)],
        });
        words.collect()
    }

    /// Cuts Chinese into words, and long words also into the short ones in them.
    ///
    /// It uses only words of the dictionary: guessed words would depend on the context, so that a
    /// question would be cut differently from the text that answers it.
    fn chinese(&self, text: &str) -> impl Iterator<Item = String> {
        let words = self.jieba.cut_for_search(text, false).into_iter();
        words.map(|token| token.word.to_owned())
    }

    /// Reduces a word to its stem; only the beginning of a very long word counts.
    fn stem(&self, word: &str) -> String {
        let end = word.char_indices().nth(MAX_WORD_LENGTH).map_or(word.len(), |(end, _)| end);
        self.stemmer.stem(&word[..end]).into_owned()
    }

    /// Splits a text into stretches of Chinese and single words of anything else.
    fn runs(&self, text: &str) -> Vec<Run> {
        let mut runs = Vec::new();
        let mut apart = true;
        for char in text.chars().map(|char| self.folded(char)) {
            match runs.last_mut() {
                _ if !char.is_alphanumeric() => {}
                Some(Run::Chinese(run)) if is_chinese(char) && !apart => run.push(char),
                Some(Run::Other(run)) if !is_chinese(char) && !apart => {
                    run.extend(char.to_lowercase());
                }
                _ if is_chinese(char) => runs.push(Run::Chinese(char.into())),
                _ => runs.push(Run::Other(char.to_lowercase().collect())),
            }
            apart = !char.is_alphanumeric();
        }
        runs
    }

    fn folded(&self, char: char) -> char {
        match char {
            '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(char) - 0xfee0).unwrap_or(char),
            _ => self.variants.get(&char).copied().unwrap_or(char),
        }
    }
}

impl fmt::Debug for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Words").field("variants", &self.variants.len()).finish_non_exhaustive()
    }
}

/// Separates the characters so that a phrase never crosses the end of a stretch.
fn characters<'r>(runs: impl Iterator<Item = &'r Run>) -> Vec<Option<char>> {
    let mut characters = Vec::new();
    for run in runs {
        if let Run::Chinese(text) = run {
            characters.extend(text.chars().map(Some));
        }
        if characters.last() != Some(&None) {
            characters.push(None);
        }
    }
    characters
}

/// Returns whether a character is written without spaces between words.
fn is_chinese(char: char) -> bool {
    matches!(char,
        '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{323af}' | '\u{3007}')
}

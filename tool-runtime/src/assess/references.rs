//! What the question and the newest messages refer to, which is kept.

use std::collections::HashSet;

use super::identifiers::identifiers;
use super::query_terms::QueryTerms;
use super::salience::is_error;

/// Stems of words with which a question asks for errors.
const ERROR_WORDS: [&str; 8] =
    ["error", "fail", "failur", "except", "crash", "panic", "wrong", "broken"];

/// The identifiers, numbers and paths that are referred to, and whether errors are.
#[derive(Debug, Default)]
pub(super) struct References<'c> {
    words: HashSet<&'c str>,
    errors: bool,
}

impl<'c> References<'c> {
    /// Collects the references of the question and of the newest messages.
    pub(super) fn of(terms: &QueryTerms, texts: impl IntoIterator<Item = &'c str>) -> Self {
        let words = texts.into_iter().flat_map(identifiers).collect();
        Self { words, errors: ERROR_WORDS.iter().any(|word| terms.has(word)) }
    }

    /// Returns whether a passage has something that is referred to.
    pub(super) fn are_in(&self, passage: &str) -> bool {
        (self.errors && is_error(passage))
            || (!self.words.is_empty() && identifiers(passage).any(|it| self.words.contains(it)))
    }

    /// Returns the identifiers that are referred to and stand in the text, in a fixed order.
    pub(super) fn within<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let mut found: Vec<&str> =
            identifiers(text).filter(|word| self.words.contains(word)).collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

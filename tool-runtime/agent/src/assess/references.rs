//! The things that the question and the newest messages refer to: they are kept.

use std::collections::HashSet;

use tool_runtime_core::search::tokenizer;

use super::identifiers::{identifiers, with_parts};
use super::salience::is_error;

/// Stems of words with which a text asks for errors, or mentions them.
const ERROR_WORDS: [&str; 8] =
    ["error", "fail", "failur", "except", "crash", "panic", "wrong", "broken"];

/// The identifiers, numbers and paths that are referred to, and whether errors are.
#[derive(Debug, Default)]
pub(super) struct References<'c> {
    words: HashSet<&'c str>,
    errors: bool,
}

impl<'c> References<'c> {
    /// Collects the references of the question and of newer messages.
    pub(super) fn from_texts(texts: impl IntoIterator<Item = &'c str>) -> Self {
        let mut references = Self::default();
        for text in texts {
            references.words.extend(identifiers(text));
            references.errors |= names_errors(text);
        }
        references
    }

    /// Returns whether a passage has something that is referred to.
    pub(super) fn are_in(&self, passage: &str) -> bool {
        (self.errors && is_error(passage))
            || (!self.words.is_empty() && self.found(passage).next().is_some())
    }

    /// Returns the identifiers that are referred to and stand in the text, in a fixed order.
    pub(super) fn within<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let mut references: Vec<&str> = self.found(text).collect();
        references.sort_unstable();
        references.dedup();
        references
    }

    /// Lists the identifiers of a text that are referred to, whole or as a part of another one.
    fn found<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> {
        identifiers(text).flat_map(with_parts).filter(|word| self.words.contains(word))
    }
}

/// Returns whether a text asks for errors, or mentions them.
fn names_errors(text: &str) -> bool {
    let words = text.split(|letter: char| !letter.is_ascii_alphabetic());
    // Few words begin as one of the stems does, and only these are stemmed.
    let may_be = |word: &&str| {
        let start =
            |stem: &&str| word.get(..4).is_some_and(|it| it.eq_ignore_ascii_case(&stem[..4]));
        ERROR_WORDS.iter().any(start)
    };
    words.filter(may_be).any(|word| ERROR_WORDS.contains(&&*tokenizer::stem(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_joined_words_are_referred_to() {
        let references =
            References::from_texts(["Where is A-17, and what is wrong in src/tea.rs?"]);
        for passage in ["order_id=A-17", "at src/tea.rs:42", r#"{"note":"ok\nA-17"}"#] {
            assert!(references.are_in(passage), "{passage}");
        }
        assert!(!references.are_in("order_id=A-18, at src/teas.rs:42"));
        assert_eq!(references.within("id=A-17 A-17"), ["A-17"]);
    }
}

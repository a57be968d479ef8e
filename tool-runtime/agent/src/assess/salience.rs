//! Scores passages without a query: by identifiers, numbers, names, decisions and questions.

use super::identifiers::identifiers;

/// Beginnings of words of decisions, rules and open points.
const DECISIONS: &[&str] = &[
    "agree", "always", "approv", "cancel", "confirm", "decid", "decision", "declin", "deadline",
    "final", "must", "never", "prefer", "promis", "refus", "reject", "should", "todo", "will",
    "won't", "chose", "choose",
];

/// The salience of a question, which may still be open: that of a short sentence with an identifier.
const QUESTION: f64 = 0.3;

/// Returns the density of what a later turn may refer to.
pub(super) fn salience(text: &str) -> f64 {
    let marks = count(identifiers(text).take(64));
    let words = count(text.split_whitespace());
    (2.0 * marks + names(text)) / (words + 4.0)
}

/// Returns the salience of a passage of an older message: decisions and open questions count too.
pub(super) fn salience_of_message(text: &str) -> f64 {
    let lower = text.to_lowercase();
    let of_word = |word: &str| DECISIONS.iter().any(|decision| word.starts_with(decision));
    let decisions = count(lower.split_whitespace().filter(|word| of_word(word)));
    let words = count(text.split_whitespace());
    let question = if text.trim_end().ends_with(['?', '？']) { QUESTION } else { 0.0 };
    salience(text) + 1.5 * decisions / (words + 4.0) + question
}

/// Returns whether a passage reports an error.
pub(super) fn is_error(text: &str) -> bool {
    const MARKS: [&str; 8] =
        ["error", "exception", "failed", "failure", "fatal", "panicked", "traceback", "refused"];
    let lower = text.to_ascii_lowercase();
    MARKS.iter().any(|mark| lower.contains(mark))
}

/// Counts words with a capital letter that do not begin the sentence.
fn names(text: &str) -> f64 {
    let words = text.split_whitespace().skip(1);
    count(words.filter(|word| word.starts_with(char::is_uppercase) && word.len() > 1))
}

fn count<T>(words: impl Iterator<Item = T>) -> f64 {
    f64::from(u32::try_from(words.count()).unwrap_or(u32::MAX))
}

//! Splits texts and names into comparable words.

use frostem::{Algorithm, Stemmer};

/// English stop words; `s` and `t` are left over from "what's" and "don't".
const STOP_WORDS: &[&str] = &[
    "a", "about", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "could",
    "did", "do", "does", "for", "from", "had", "has", "have", "how", "i", "if", "in", "into", "is",
    "it", "its", "me", "my", "of", "on", "or", "our", "please", "s", "should", "so", "some", "t",
    "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those",
    "to", "us", "was", "we", "were", "what", "when", "where", "which", "who", "will", "with",
    "would", "you", "your",
];

/// The words of a part of a contract, including repetitions.
#[must_use]
pub fn document_words(text: &str) -> Vec<String> {
    words(text, Ideographs::SinglesAndPairs)
}

/// The distinct words of a query, in a fixed order.
#[must_use]
pub fn query_words(text: &str) -> Vec<String> {
    let mut words = words(text, Ideographs::Pairs);
    words.sort_unstable();
    words.dedup();
    words
}

/// Returns the stem of an English word in ASCII, in lower case.
#[must_use]
pub fn stem(word: &str) -> String {
    let word = word.to_ascii_lowercase();
    Stemmer::new(Algorithm::English).stem(&word).into_owned()
}

/// Tokens of a text whose words are not separated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ideographs {
    /// Pairs of adjacent characters, and isolated characters.
    Pairs,
    /// Each character too, so that a one-character word is found in a longer text.
    SinglesAndPairs,
}

fn words(text: &str, ideographs: Ideographs) -> Vec<String> {
    let mut tokens = Vec::new();
    for run in text.split(|letter: char| !letter.is_alphanumeric()) {
        for run in split_at(run, |before, here, _| is_ideograph(before) != is_ideograph(here)) {
            if run.starts_with(is_ideograph) {
                push_ideographs(run, ideographs, &mut tokens);
            } else {
                push_identifier_words(run, &mut tokens);
            }
        }
    }
    tokens
}

/// Appends the parts of a name such as `getHTTPStatus2`, and the whole name if it has several
/// parts.
fn push_identifier_words(run: &str, found: &mut Vec<String>) {
    let parts = split_at(run, begins_word_part);
    if parts.len() > 1 {
        push_word(run, found);
    }
    for part in parts {
        push_word(part, found);
    }
}

fn begins_word_part(before: char, here: char, after: Option<char>) -> bool {
    let in_capitals = before.is_uppercase() && here.is_uppercase();
    (before.is_lowercase() && here.is_uppercase())
        || (in_capitals && after.is_some_and(char::is_lowercase))
        || before.is_numeric() != here.is_numeric()
}

fn push_word(word: &str, found: &mut Vec<String>) {
    let word = word.to_lowercase();
    if word.chars().all(char::is_numeric) || STOP_WORDS.binary_search(&&*word).is_ok() {
        return;
    }
    let is_english = word.bytes().all(|letter| letter.is_ascii_lowercase());
    let stem = || Stemmer::new(Algorithm::English).stem(&word).into_owned();
    found.push(if is_english { stem() } else { word });
}

fn push_ideographs(run: &str, ideographs: Ideographs, found: &mut Vec<String>) {
    let letters: Vec<char> = run.chars().collect();
    found.extend(letters.windows(2).map(|pair| pair.iter().collect::<String>()));
    if letters.len() == 1 || ideographs == Ideographs::SinglesAndPairs {
        found.extend(letters.into_iter().map(String::from));
    }
}

/// Splits a text before each character that begins a part, given its neighbours.
fn split_at(text: &str, begins: impl Fn(char, char, Option<char>) -> bool) -> Vec<&str> {
    let letters: Vec<(usize, char)> = text.char_indices().collect();
    let (mut parts, mut start) = (Vec::new(), 0);
    for place in 1..letters.len() {
        let (end, here) = letters[place];
        let after = letters.get(place + 1).map(|(_, letter)| *letter);
        if begins(letters[place - 1].1, here, after) {
            parts.push(&text[start..end]);
            start = end;
        }
    }
    parts.push(&text[start..]);
    parts.retain(|part| !part.is_empty());
    parts
}

/// Returns whether a character belongs to Chinese, Japanese or Korean writing.
fn is_ideograph(letter: char) -> bool {
    matches!(
        letter,
        '\u{3005}'..='\u{3007}'
            | '\u{3040}'..='\u{30ff}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{ac00}'..='\u{d7af}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3ffff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(document_words(text), expected, "{text}");
    }

    #[test]
    fn names_come_apart_at_every_joint() {
        check("math_toolkit.sum-of/multiples", &["math", "toolkit", "sum", "multipl"]);
        check("getHTTPStatus", &["gethttpstatus", "get", "http", "status"]);
        check("HTTPServer", &["httpserver", "http", "server"]);
        check("oauth2Login", &["oauth2login", "oauth", "login"]);
    }

    #[test]
    fn forms_of_a_word_are_one_word() {
        check("Converting conversions, converted", &["convert", "convers", "convert"]);
        check("currencies Currency", &["currenc", "currenc"]);
    }

    #[test]
    fn numbers_and_empty_words_are_left_out() {
        check("What's the sum of 3 and 5?", &["sum"]);
        check("s3 mp3", &["s3", "mp3", "mp"]);
    }

    #[test]
    fn writing_without_spaces_is_taken_in_pairs() {
        check("查询天气", &["查询", "询天", "天气", "查", "询", "天", "气"]);
        check("用SQL查询", &["用", "sql", "查询", "查", "询"]);
        assert_eq!(query_words("天气"), ["天气"]);
        assert_eq!(query_words("茶"), ["茶"]);
    }

    #[test]
    fn letters_with_accents_stay_as_they_are() {
        check("Öffne das Café", &["öffne", "das", "café"]);
    }

    #[test]
    fn a_question_has_each_word_once() {
        assert_eq!(query_words("tea, Teas and more tea"), ["more", "tea"]);
    }

    #[test]
    fn empty_words_are_sorted_for_the_search_in_them() {
        assert!(STOP_WORDS.is_sorted());
    }
}

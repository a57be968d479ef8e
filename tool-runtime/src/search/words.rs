//! Takes texts and names apart into words that can be compared.

use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

/// English words that say nothing of what a tool does; `s` and `t` are what is left of "what's"
/// and "don't".
const EMPTY: &[&str] = &[
    "a", "about", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "could",
    "did", "do", "does", "for", "from", "had", "has", "have", "how", "i", "if", "in", "into", "is",
    "it", "its", "me", "my", "of", "on", "or", "our", "please", "s", "should", "so", "some", "t",
    "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those",
    "to", "us", "was", "we", "were", "what", "when", "where", "which", "who", "will", "with",
    "would", "you", "your",
];

static ENGLISH: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));

/// The words of a contract's part, each as often as it occurs.
pub(super) fn of_text(text: &str) -> Vec<String> {
    words(text, Ideographs::SinglesAndPairs)
}

/// The words of a question, each once, in one order.
pub(super) fn of_question(text: &str) -> Vec<String> {
    let mut words = words(text, Ideographs::Pairs);
    words.sort_unstable();
    words.dedup();
    words
}

/// What stands for a text whose words are not set apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ideographs {
    /// Pairs of neighbours, and a character that stands alone.
    Pairs,
    /// Each character too, so that a word of one character is found in a longer text.
    SinglesAndPairs,
}

fn words(text: &str, ideographs: Ideographs) -> Vec<String> {
    let mut found = Vec::new();
    for run in text.split(|letter: char| !letter.is_alphanumeric()) {
        for run in split_at(run, |before, here, _| is_ideograph(before) != is_ideograph(here)) {
            if run.starts_with(is_ideograph) {
                push_ideographs(run, ideographs, &mut found);
            } else {
                push_spelt(run, &mut found);
            }
        }
    }
    found
}

/// Adds the parts of a name such as `getHTTPStatus2`, and the whole of it where it has several.
fn push_spelt(run: &str, found: &mut Vec<String>) {
    let parts = split_at(run, begins_part);
    if parts.len() > 1 {
        push_word(run, found);
    }
    for part in parts {
        push_word(part, found);
    }
}

fn begins_part(before: char, here: char, after: Option<char>) -> bool {
    let in_capitals = before.is_uppercase() && here.is_uppercase();
    (before.is_lowercase() && here.is_uppercase())
        || (in_capitals && after.is_some_and(char::is_lowercase))
        || before.is_numeric() != here.is_numeric()
}

fn push_word(word: &str, found: &mut Vec<String>) {
    let word = word.to_lowercase();
    if word.chars().all(char::is_numeric) || EMPTY.binary_search(&&*word).is_ok() {
        return;
    }
    let is_english = word.bytes().all(|letter| letter.is_ascii_lowercase());
    found.push(if is_english { ENGLISH.stem(&word).into_owned() } else { word });
}

fn push_ideographs(run: &str, ideographs: Ideographs, found: &mut Vec<String>) {
    let letters: Vec<char> = run.chars().collect();
    found.extend(letters.windows(2).map(|pair| pair.iter().collect::<String>()));
    if letters.len() == 1 || ideographs == Ideographs::SinglesAndPairs {
        found.extend(letters.into_iter().map(String::from));
    }
}

/// Splits a text before each character that begins a part, seen between its neighbours.
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

/// Tells whether a character belongs to Chinese, Japanese or Korean writing.
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
        assert_eq!(of_text(text), expected, "{text}");
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
        assert_eq!(of_question("天气"), ["天气"]);
        assert_eq!(of_question("茶"), ["茶"]);
    }

    #[test]
    fn letters_with_accents_stay_as_they_are() {
        check("Öffne das Café", &["öffne", "das", "café"]);
    }

    #[test]
    fn a_question_has_each_word_once() {
        assert_eq!(of_question("tea, Teas and more tea"), ["more", "tea"]);
    }

    #[test]
    fn empty_words_are_sorted_for_the_search_in_them() {
        assert!(EMPTY.is_sorted());
    }
}

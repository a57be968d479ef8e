//! Identifiers and numbers in texts: what a compressed context must not lose.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::escapes::decoded;

/// Lists the identifiers, paths and numbers of a text, in order, repetitions included.
///
/// Such a word has a digit, an underscore, a slash, an `@`, a dot between letters, or a capital
/// letter after a small one.
pub(super) fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_outside).map(trimmed).filter(|word| is_identifier(word))
}

/// Lists an identifier, and the parts of one that is joined from several: `A-17` in `order=A-17`,
/// `src/tea.rs` in `src/tea.rs:42`, and `A-17` in `\nA-17`, after an escape of JSON.
pub(super) fn with_parts(word: &str) -> impl Iterator<Item = &str> {
    let parts = word.split(['=', ':', '&', '#']).filter(move |part| part.len() < word.len());
    let escaped = word.split('\\').skip(1).filter_map(|part| part.strip_prefix(['n', 'r', 't']));
    std::iter::once(word).chain(parts).chain(escaped).map(trimmed).filter(|part| !part.is_empty())
}

/// Returns whether an identifier is a number, with separators and a currency.
pub(super) fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit() || b".,:%$+-".contains(&byte))
}

/// Lists the distinct identifiers of a text that are no numbers: those that name one thing, as `A-17`
/// and `src/tea.rs` do, before words such as `created_at`, and the most frequent ones first.
pub(super) fn by_frequency(text: &str) -> Vec<&str> {
    let mut counts: HashMap<&str, (usize, usize)> = HashMap::new();
    for (at, word) in identifiers(text).filter(|word| !is_number(word)).enumerate() {
        counts.entry(word).or_insert((0, at)).0 += 1;
    }
    let names_one = |word: &str| word.bytes().any(|it| it.is_ascii_digit() || b"/@.".contains(&it));
    let mut words: Vec<_> = counts.into_iter().collect();
    words.sort_unstable_by_key(|&(word, (times, first))| (!names_one(word), Reverse(times), first));
    words.into_iter().map(|(word, _)| word).collect()
}

/// The distinct identifiers and numbers of a text.
fn distinct(text: &str) -> HashSet<&str> {
    identifiers(text).collect()
}

fn is_outside(letter: char) -> bool {
    match letter {
        '_' | '-' | '.' | ':' | '/' | '\\' | '@' | '#' | '$' | '%' | '&' | '+' | '=' | '~' => false,
        _ => !letter.is_alphanumeric(),
    }
}

fn trimmed(word: &str) -> &str {
    word.trim_matches(|letter: char| {
        !letter.is_alphanumeric() && !matches!(letter, '/' | '@' | '$' | '_' | '%')
    })
}

fn is_identifier(word: &str) -> bool {
    let bytes = word.as_bytes();
    if bytes.len() < 2 {
        return bytes.first().is_some_and(u8::is_ascii_digit);
    }
    let mut before = b' ';
    for (at, &byte) in bytes.iter().enumerate() {
        let is_inside = at > 0 && at + 1 < bytes.len();
        match byte {
            b'0'..=b'9' | b'_' | b'@' => return true,
            b'/' | b'\\' | b'.' if is_inside => return true,
            b'A'..=b'Z' if before.is_ascii_lowercase() => return true,
            _ => before = byte,
        }
    }
    false
}

/// The number of distinct identifiers and numbers of a context that are in its compressed text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Retention {
    pub(super) identifiers: u64,
    pub(super) identifiers_kept: u64,
    pub(super) numbers: u64,
    pub(super) numbers_kept: u64,
}

impl Retention {
    /// Counts what two texts say; either may have its words behind escapes of JSON.
    pub(super) fn new(original: &str, compressed: &str) -> Self {
        let (original, plain) = (decoded(original), decoded(compressed));
        let mut compressed_words = distinct(compressed);
        if let Cow::Owned(plain) = &plain {
            compressed_words.extend(identifiers(plain));
        }
        let mut retention = Self::default();
        for word in distinct(&original) {
            let is_kept = u64::from(compressed_words.contains(word));
            if is_number(word) {
                retention.numbers += 1;
                retention.numbers_kept += is_kept;
            } else {
                retention.identifiers += 1;
                retention.identifiers_kept += is_kept;
            }
        }
        retention
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(identifiers(text).collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn identifiers_paths_and_numbers_are_found() {
        check("Order A-17 costs $49.99 (was 60).", &["A-17", "$49.99", "60"]);
        check(
            "see src/main.rs, config.toml and getStatus",
            &["src/main.rs", "config.toml", "getStatus"],
        );
        check("my page is @coffee_creations_1237.", &["@coffee_creations_1237"]);
        check(r#"{"id":"9f86d0","open":true}"#, &["9f86d0"]);
        check("at 12:30, 17% off", &["12:30", "17%"]);
    }

    #[test]
    fn joined_identifiers_have_parts() {
        let check = |word: &str, expected: &[&str]| {
            assert_eq!(with_parts(word).collect::<Vec<_>>(), expected, "{word}");
        };
        check("A-17", &["A-17"]);
        check("order_id=A-17", &["order_id=A-17", "order_id", "A-17"]);
        check("src/tea.rs:42", &["src/tea.rs:42", "src/tea.rs", "42"]);
        check(r"ok\nA-17", &[r"ok\nA-17", "A-17"]);
    }

    #[test]
    fn plain_words_are_no_identifiers() {
        check("I like tea. Do you? A well-known name: Ada", &[]);
    }

    #[test]
    fn frequent_names_of_one_thing_come_first() {
        let text = "created_at b_1 created_at 17 17 17 a_2 b_1 created_at src/tea.rs";
        assert_eq!(by_frequency(text), ["b_1", "a_2", "src/tea.rs", "created_at"]);
    }

    #[test]
    fn retention_counts_each_once() {
        let retention = Retention::new("a_b a_b 17 18", "18 a_b");
        let expected =
            Retention { identifiers: 1, identifiers_kept: 1, numbers: 2, numbers_kept: 1 };
        assert_eq!(retention, expected);
    }

    #[test]
    fn retention_is_the_same_whichever_characters_are_escaped() {
        let whole = r#"{"note":"ok\nA-17 of März_17: 3.5\t\"kg_1\" C:\\new\\tea_1"}"#;
        for same in [
            whole,
            r#"{"note":"ok\nA\u002d17 of M\u00e4rz_17: 3.5\t\"kg_1\" C:\\new\\tea_1"}"#,
            r#"note: "ok\nA-17 of März_17: 3.5\t\"kg_1\" C:\\new\\tea_1""#,
            "A-17, März_17, \"kg_1\" and 3.5 are in C:\\new\\tea_1",
        ] {
            let retention = Retention::new(whole, same);
            assert_eq!((retention.identifiers, retention.numbers), (4, 1), "{same}");
            assert_eq!((retention.identifiers_kept, retention.numbers_kept), (4, 1), "{same}");
        }
        let retention = Retention::new(r"at C:\new\tea_1 or D:\old\tea_2", r"at C:\new\tea_1");
        assert!(
            retention.identifiers_kept > 0 && retention.identifiers_kept < retention.identifiers
        );
    }
}

//! Identifiers and numbers in texts: what a compressed context must not lose.

use std::collections::HashSet;

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

/// The distinct identifiers and numbers of a text.
pub(super) fn distinct(text: &str) -> HashSet<&str> {
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
    pub(super) fn of(original: &str, compressed: &str) -> Self {
        let kept = distinct(compressed);
        let mut retention = Self::default();
        for word in distinct(original) {
            let is_kept = u64::from(kept.contains(word));
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
    fn retention_counts_each_once() {
        let found = Retention::of("a_b a_b 17 18", "18 a_b");
        let expected =
            Retention { identifiers: 1, identifiers_kept: 1, numbers: 2, numbers_kept: 1 };
        assert_eq!(found, expected);
    }
}

//! Normalizes and compares the names of users and principals.

use std::borrow::Cow;

use tool_contracts::has_hidden_characters;
use unicode_normalization::{UnicodeNormalization, is_nfc};

/// The empty braille pattern: it looks like a space, but Unicode does not class it as one.
const BLANK: char = '\u{2800}';

/// Returns a name in normalization form C (Unicode Standard Annex 15).
pub(crate) fn normalized(name: &str) -> Cow<'_, str> {
    if name.is_ascii() || is_nfc(name) {
        return Cow::Borrowed(name);
    }
    Cow::Owned(name.nfc().collect())
}

/// Returns a configured name in normalization form C, trimmed and without hidden characters.
pub(super) fn cleaned(name: &str) -> Cow<'_, str> {
    let name = name.trim();
    if !has_hidden_characters(name) {
        return normalized(name);
    }
    let visible: String = name.chars().filter(|it| !is_hidden(*it)).collect();
    Cow::Owned(normalized(visible.trim()).into_owned())
}

/// Returns whether two names look alike: they differ at most in hidden characters, spaces, width,
/// case and normalization.
pub(crate) fn are_alike(one: &str, other: &str) -> bool {
    one == other || folded(one) == folded(other)
}

fn folded(name: &str) -> String {
    // Ignoring more than NFC does can only refuse more approvals. Ids elsewhere are compared
    // exactly, in NFC.
    let is_seen = |it: &char| !it.is_whitespace() && *it != BLANK && !is_hidden(*it);
    let lower: String = name.nfkc().filter(is_seen).flat_map(char::to_lowercase).collect();
    lower.nfkc().collect()
}

fn is_hidden(character: char) -> bool {
    has_hidden_characters(character.encode_utf8(&mut [0; 4]))
}

#[cfg(test)]
mod tests {
    use super::{are_alike, cleaned, normalized};

    #[test]
    fn names_that_look_the_same_are_alike() {
        for other in [
            "boss",
            "Boss",
            " boss ",
            "b\u{a0}oss",
            "bo\u{200b}ss",
            "bo\u{ad}ss",
            "\u{202d}boss\u{202c}",
            "\u{ff42}\u{ff4f}ss",
            "bos\u{17f}",
            "boss\u{e0041}",
            "boss\u{2800}",
        ] {
            assert!(are_alike("boss", other), "{}", other.escape_unicode());
        }
        assert!(are_alike("jos\u{e9}", "jose\u{301}"));
        assert!(!are_alike("boss", "bos") && !are_alike("boss", "chief"));
    }

    #[test]
    fn a_name_is_kept_in_one_form() {
        assert_eq!(normalized("jose\u{301}"), "jos\u{e9}");
        assert_eq!(normalized("jane"), "jane");
        assert_eq!(cleaned(" de\u{200b}sk "), "desk");
        assert_eq!(cleaned("\u{200b}"), "");
    }
}

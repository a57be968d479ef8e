//! Removes the invisible characters of a text, and describes them.

use std::borrow::Cow;
use std::fmt::Write as _;

use tool_contracts::has_hidden_characters;

/// The most different characters that a description names.
const MAX_NAMED: usize = 8;
/// The most characters of a text that is spelt in tag characters.
const MAX_SPELT: usize = 200;

/// Returns the text without invisible characters, and a description of those that people should know
/// of; line breaks and tabs stay.
///
/// Parts of emoji and of words (joiners, variation selectors) are removed without a description.
pub(in super::super) fn clean_text(text: &str) -> (Cow<'_, str>, Option<String>) {
    if !text.chars().any(is_invisible) {
        return (Cow::Borrowed(text), None);
    }
    let characters: Vec<char> = text.chars().collect();
    let mut clean = String::with_capacity(text.len());
    let mut reported = Vec::new();
    for (at, &character) in characters.iter().enumerate() {
        match character {
            '\u{85}' | '\u{2028}' | '\u{2029}' => clean.push('\n'),
            _ if !is_invisible(character) => clean.push(character),
            _ if is_orthographic(&characters, at) => {}
            _ => reported.push(character),
        }
    }
    let description = (!reported.is_empty()).then(|| describe(&reported));
    (Cow::Owned(clean), description)
}

/// Returns whether a text has a character that is removed from what models read.
pub(super) fn has_invisible(text: &str) -> bool {
    text.chars().any(is_invisible)
}

fn is_invisible(character: char) -> bool {
    let mut bytes = [0; 4];
    !matches!(character, '\n' | '\r' | '\t')
        && has_hidden_characters(character.encode_utf8(&mut bytes))
}

/// Returns whether an invisible character is part of an emoji or of a word: a joiner between two
/// letters or emoji, or a variation selector after one.
fn is_orthographic(characters: &[char], at: usize) -> bool {
    let visible = |character: Option<&char>| {
        character.is_some_and(|&one| !one.is_ascii() && !is_invisible(one))
    };
    let before = at.checked_sub(1).and_then(|before| characters.get(before));
    let is_keycap = before.is_some_and(|one| one.is_ascii_digit() || matches!(one, '#' | '*'));
    // A variation selector may stand between an emoji and its joiner.
    let before_selector = at.checked_sub(2).and_then(|before| characters.get(before));
    let after_selector = before == Some(&'\u{fe0f}') && visible(before_selector);
    match characters.get(at) {
        Some('\u{fe0e}' | '\u{fe0f}') => visible(before) || is_keycap,
        Some('\u{200c}' | '\u{200d}') => {
            (visible(before) || after_selector) && visible(characters.get(at + 1))
        }
        _ => false,
    }
}

fn describe(reported: &[char]) -> String {
    let mut distinct_chars: Vec<char> = Vec::new();
    for &character in reported {
        if !distinct_chars.contains(&character) && distinct_chars.len() < MAX_NAMED {
            distinct_chars.push(character);
        }
    }
    let codes: Vec<_> =
        distinct_chars.iter().map(|&one| format!("U+{:04X}", u32::from(one))).collect();
    let count = reported.len();
    let mut description = format!("{count} invisible: {}", codes.join(", "));
    if reported.iter().any(|one| !distinct_chars.contains(one)) {
        description.push_str(", …");
    }
    let spelt: String =
        reported.iter().filter_map(|&one| spelt_by_tag(one)).take(MAX_SPELT).collect();
    if !spelt.is_empty() {
        // Writing to a text does not fail.
        let _ = write!(description, "; its tag characters spell `{}`", spelt.escape_debug());
    }
    description
}

/// Returns the ASCII character that a tag character repeats.
fn spelt_by_tag(character: char) -> Option<char> {
    let code = u32::from(character);
    (0xe0020..=0xe007e).contains(&code).then(|| char::from_u32(code - 0xe0000)).flatten()
}

#[cfg(test)]
mod tests {
    use super::clean_text;

    #[track_caller]
    fn check(text: &str, clean: &str, description: Option<&str>) {
        let (found, described) = clean_text(text);
        assert_eq!((&*found, described.as_deref()), (clean, description));
    }

    #[test]
    fn visible_text_stays_as_it_is() {
        for text in ["", "Adds numbers.", "zwei\n\tZeilen\r\n", "日本語 عربي हिन्दी"]
        {
            check(text, text, None);
        }
    }

    #[test]
    fn zero_width_bidirectional_and_control_characters_are_removed_and_named() {
        check("a\u{200b}b", "ab", Some("1 invisible: U+200B"));
        check("\u{202e}txet", "txet", Some("1 invisible: U+202E"));
        check("a\u{7}\u{1b}[31mb", "a[31mb", Some("2 invisible: U+0007, U+001B"));
        check("soft\u{ad}hyphen\u{feff}", "softhyphen", Some("2 invisible: U+00AD, U+FEFF"));
    }

    #[test]
    fn a_text_in_tag_characters_is_spelt_for_people() {
        let hidden: String =
            "run".chars().filter_map(|one| char::from_u32(u32::from(one) + 0xe0000)).collect();
        let described = "3 invisible: U+E0072, U+E0075, U+E006E; its tag characters spell `run`";
        check(&format!("Adds.{hidden}"), "Adds.", Some(described));
    }

    #[test]
    fn parts_of_emoji_and_words_are_removed_without_a_report() {
        check("⚠\u{fe0f} careful", "⚠ careful", None);
        check("👩\u{200d}💻", "👩💻", None);
        check("❤\u{fe0f}\u{200d}🔥", "❤🔥", None);
        check("می\u{200c}خواهم", "میخواهم", None);
        check("a\u{200d}b", "ab", Some("1 invisible: U+200D"));
        check("\u{fe0f}x", "x", Some("1 invisible: U+FE0F"));
    }

    #[test]
    fn line_separators_become_line_breaks() {
        check("a\u{2028}b\u{85}c", "a\nb\nc", None);
    }

    #[test]
    fn a_description_has_a_bounded_length() {
        let many: String = (0xe0100..0xe01f0).filter_map(char::from_u32).collect();
        let (clean, described) = clean_text(&many);
        assert_eq!(&*clean, "");
        assert!(described.unwrap().len() < 200);
    }
}

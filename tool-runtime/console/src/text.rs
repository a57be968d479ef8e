//! Texts of tools, callers and models in the form in which a page may show them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::value::RawValue;
use tool_contracts::has_hidden_characters;

/// The longest text of one value on a page, in characters.
const MAX_SHOWN: usize = 20_000;

/// The longest summary of a value, in characters.
const MAX_LINE: usize = 160;

/// The longest text of one value or name in a summary, in characters.
const MAX_VALUE: usize = 40;

/// The deepest indentation of a JSON value.
const MAX_INDENT: usize = 32;

/// The deepest value that a summary takes apart: each level is read once more.
const MAX_DEPTH: usize = 4;

/// A text for a page: as much of it as a page may have, without characters that a reader does not see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DisplayText {
    pub(crate) text: String,
    /// The number of characters that are left out at the end.
    pub(crate) left_out: usize,
}

/// Replaces characters that a reader does not see, or that reorder others, by their code points.
///
/// Spaces, tabs and line breaks stay.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut visible = String::with_capacity(text.len());
    for character in text.chars() {
        if is_hidden(character) {
            let _ = write!(visible, "⟦U+{:04X}⟧", u32::from(character));
        } else {
            visible.push(character);
        }
    }
    Cow::Owned(visible)
}

/// Writes a JSON text with escapes for characters that a reader does not see; only strings have them.
pub(crate) fn with_escapes(json: &str) -> Cow<'_, str> {
    if !json.chars().any(is_hidden) {
        return Cow::Borrowed(json);
    }
    let mut escaped = String::with_capacity(json.len());
    for character in json.chars() {
        if is_hidden(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(character);
        }
    }
    Cow::Owned(escaped)
}

/// Returns whether a JSON text has a character that a reader does not see, or the escape of one.
pub(crate) fn has_escapes(json: &str) -> bool {
    json.contains("\\u") || json.chars().any(is_hidden)
}

/// Makes the display text of a text.
fn display_text(text: &str) -> DisplayText {
    let end = text.char_indices().nth(MAX_SHOWN).map_or(text.len(), |(end, _)| end);
    let left_out = text[end..].chars().count();
    DisplayText { text: visible(&text[..end]).into_owned(), left_out }
}

/// Makes the display text of a JSON value: a string as it is, anything else in the words of its JSON, each member on a
/// line.
pub(crate) fn display_json(json: &RawValue) -> DisplayText {
    if let Ok(text) = serde_json::from_str::<String>(json.get()) {
        return display_text(&text);
    }
    let (text, left_out) = break_lines(json.get());
    DisplayText { text: visible(&text).into_owned(), left_out }
}

/// Breaks the lines of a JSON text, whose numbers and strings stay as they are written, until the text is as long as a
/// page may have it; returns the number of the characters that are left out.
fn break_lines(json: &str) -> (String, usize) {
    let (mut text, mut depth, mut is_string, mut is_escaped) =
        (String::new(), 0_usize, false, false);
    let mut characters = json.chars().peekable();
    let new_line = |text: &mut String, depth: usize| {
        text.push('\n');
        text.extend(std::iter::repeat_n("  ", depth.min(MAX_INDENT)));
    };
    // Longer in bytes than in characters, so that no more than a page's text is written.
    while text.len() < MAX_SHOWN {
        let Some(character) = characters.next() else { break };
        if is_string {
            text.push(character);
            is_string = is_escaped || character != '"';
            is_escaped = !is_escaped && character == '\\';
            continue;
        }
        match character {
            '{' | '[' => {
                text.push(character);
                while characters.peek().is_some_and(char::is_ascii_whitespace) {
                    characters.next();
                }
                if characters.peek().is_some_and(|next| !matches!(next, '}' | ']')) {
                    depth += 1;
                    new_line(&mut text, depth);
                } else {
                    text.extend(characters.next());
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                new_line(&mut text, depth);
                text.push(character);
            }
            ',' => {
                text.push(character);
                new_line(&mut text, depth);
            }
            ':' => text.push_str(": "),
            _ if character.is_ascii_whitespace() => {}
            _ => {
                is_string = character == '"';
                text.push(character);
            }
        }
    }
    (text, characters.count())
}

/// Summarizes a JSON value in one line: a string as it is, the members of an object with their names and their strings
/// in quotes, so that no string looks like another member.
pub(crate) fn one_line(json: &RawValue) -> String {
    let mut line = String::new();
    match serde_json::from_str::<String>(json.get()) {
        Ok(text) => push_shortened(&text, MAX_LINE, &mut line),
        Err(_) => write_line(json, &mut line, 0),
    }
    let mut shortened = String::new();
    push_shortened(&line, MAX_LINE, &mut shortened);
    visible(&shortened).into_owned()
}

/// Writes a value until the line is long enough; numbers stay as they are written.
fn write_line(json: &RawValue, line: &mut String, depth: usize) {
    let text = json.get();
    let is_nested = depth < MAX_DEPTH && text.len() > 2;
    if let Some(members) = is_nested.then(|| serde_json::from_str(text).ok()).flatten() {
        let members: BTreeMap<String, &RawValue> = members;
        for (index, (name, member)) in members.into_iter().enumerate() {
            if line.len() > 4 * MAX_LINE {
                return;
            }
            line.push_str(if index == 0 { "" } else { " · " });
            push_shortened(&name, MAX_VALUE, line);
            line.push_str(": ");
            write_line(member, line, depth + 1);
        }
    } else if let Some(items) = is_nested.then(|| serde_json::from_str(text).ok()).flatten() {
        let items: Vec<&RawValue> = items;
        for (index, item) in items.into_iter().enumerate() {
            if line.len() > 4 * MAX_LINE {
                return;
            }
            line.push_str(if index == 0 { "" } else { ", " });
            write_line(item, line, depth + 1);
        }
    } else if text == "null" {
        line.push('–');
    } else if let Ok(string) = serde_json::from_str::<String>(text) {
        line.push('"');
        push_shortened(&string.replace('"', "\\\""), MAX_VALUE, line);
        line.push('"');
    } else {
        push_shortened(text, MAX_VALUE, line);
    }
}

/// Appends a text with plain spaces, or the beginning of it and an ellipsis.
fn push_shortened(text: &str, longest: usize, line: &mut String) {
    let words = text.split_whitespace().take(longest);
    let spaced: String = words.collect::<Vec<_>>().join(" ");
    let mut characters = spaced.chars();
    line.extend(characters.by_ref().take(longest));
    if characters.next().is_some() {
        line.push('…');
    }
}

/// Returns whether a character is hidden as in names, but for line breaks and tabs.
fn is_hidden(character: char) -> bool {
    !matches!(character, '\n' | '\t' | '\r')
        && has_hidden_characters(character.encode_utf8(&mut [0; 4]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).expect("JSON")
    }

    #[test]
    fn characters_that_hide_or_reorder_others_are_shown_by_their_code_points() {
        assert_eq!(visible("pay \u{202e}001\u{202c} EUR"), "pay ⟦U+202E⟧001⟦U+202C⟧ EUR");
        assert_eq!(visible("a\u{200b}b\u{7}\u{e0041}"), "a⟦U+200B⟧b⟦U+0007⟧⟦U+E0041⟧");
        assert_eq!(visible("\u{3164}\u{fe0f}\u{e01ef}"), "⟦U+3164⟧⟦U+FE0F⟧⟦U+E01EF⟧");
        assert_eq!(visible("لمة\n盐田\tß"), "لمة\n盐田\tß");
    }

    #[test]
    fn a_long_text_says_how_much_of_it_is_left_out() {
        let long = "ü".repeat(MAX_SHOWN + 5);
        let display = display_text(&long);
        assert_eq!((display.text.chars().count(), display.left_out), (MAX_SHOWN, 5));
    }

    #[test]
    fn a_long_value_is_no_longer_with_its_breaks() {
        let long = raw(&format!("{}1{}", "[".repeat(100), ",1".repeat(100_000) + &"]".repeat(100)));
        let display = display_json(&long);
        assert!(display.text.len() <= MAX_SHOWN + 2 * MAX_INDENT, "{}", display.text.len());
        assert!(display.left_out > 190_000, "{}", display.left_out);
    }

    #[test]
    fn half_of_a_surrogate_pair_is_shown_as_its_escape() {
        assert_eq!(display_json(&raw(r#"["\ud800"]"#)).text, "[\n  \"\\ud800\"\n]");
        assert_eq!(one_line(&raw(r#""\ud800""#)), r#""\ud800""#);
        let escaped = with_escapes("\"a\u{202e}\u{e0041}\"");
        assert_eq!(escaped, r#""a\u202e\udb40\udc41""#);
    }

    #[test]
    fn a_value_is_broken_into_lines_without_a_change_of_its_words() {
        let value = raw(r#"{"a":[1.50,{"b":"x,{\"y\\"}],"c" : { },"d":[]}"#);
        let lines = "{\n  \"a\": [\n    1.50,\n    {\n      \"b\": \"x,{\\\"y\\\\\"\n    }\n  ],\n  \"c\": {},\n  \"d\": []\n}";
        assert_eq!(display_json(&value).text, lines);
        assert_eq!(display_json(&raw("\"a\\nb\"")).text, "a\nb");
        assert_eq!(display_json(&raw("18446744073709551616.10")).text, "18446744073709551616.10");
    }

    #[test]
    fn a_summary_is_one_line_of_bounded_length() {
        let preview = raw(r#"{"action":"refund","amount":12.50,"lines":["a\nb",null,true]}"#);
        assert_eq!(
            one_line(&preview),
            "action: \"refund\" · amount: 12.50 · lines: \"a b\", –, true"
        );
        let forged = raw(r#"{"a":"x\" · amount: 5","amount":5000}"#);
        assert_eq!(one_line(&forged), r#"a: "x\" · amount: 5" · amount: 5000"#);
        let padded = raw(&format!(r#"{{"a":"{}","amount":5000}}"#, "x ".repeat(1000)));
        assert!(one_line(&padded).ends_with("…\" · amount: 5000"));
        let long = raw(&format!("[{}1]", "{\"name\":\"text\"},".repeat(100_000)));
        assert_eq!(one_line(&long).chars().count(), MAX_LINE + 1);
    }
}

//! Hidden characters, which names must not contain because two names could look the same.

/// The schema's pattern of an id: excludes hidden characters up to U+FFFF.
pub(crate) const VISIBLE: &str = concat!(
    r"^[^\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f",
    r"\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]+$",
);

/// The error for a name with a hidden character.
pub(crate) const NOT_VISIBLE: &str =
    "expected text without control, bidirectional or zero-width characters";

/// Returns whether a text has hidden characters: control, bidirectional or zero-width characters.
///
/// Ids of users, sessions, actors and approvers contain none, so that different ids never look the
/// same.
///
/// ```
/// use tool_contracts::has_hidden_characters;
///
/// assert!(!has_hidden_characters("boss") && !has_hidden_characters("严田"));
/// assert!(has_hidden_characters("bo\u{200b}ss") && has_hidden_characters("\u{202e}ssob"));
/// assert!(has_hidden_characters("two\nlines"));
/// ```
#[must_use]
pub fn has_hidden_characters(text: &str) -> bool {
    let is_ascii = || text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    !is_ascii() && text.chars().any(is_hidden)
}

/// Returns whether a text has characters that change the direction of the text around them, so that a
/// reader sees another text than the one that is recorded.
///
/// ```
/// use tool_contracts::has_bidirectional_controls;
///
/// assert!(has_bidirectional_controls("paid \u{202e}005"));
/// assert!(!has_bidirectional_controls("שולם\nпо счёту"));
/// ```
#[must_use]
pub fn has_bidirectional_controls(text: &str) -> bool {
    let is_control = |character| {
        matches!(
            character,
            '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
    };
    !text.is_ascii() && text.chars().any(is_control)
}

/// Matches controls, line separators, bidirectional marks and default ignorable code points.
fn is_hidden(character: char) -> bool {
    matches!(
        character,
        '\0'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

//! Decodes the escapes of JSON, so that words and identifiers behind them are found.

use std::borrow::Cow;

use tool_runtime_schema::json::text::escape;

/// Returns a text with its escapes decoded; a backslash that begins no escape stays.
pub(super) fn decoded(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find('\\') else { return Cow::Borrowed(text) };
    let mut plain = String::with_capacity(text.len());
    plain.push_str(&text[..first]);
    let mut tail = &text[first..];
    while !tail.is_empty() {
        let used = if is_escape(tail) {
            let (meant, used) = escape(tail);
            plain.push(meant);
            used
        } else {
            plain.push('\\');
            1
        };
        tail = &tail[used..];
        let (before, next) = tail.split_at(tail.find('\\').unwrap_or(tail.len()));
        plain.push_str(before);
        tail = next;
    }
    Cow::Owned(plain)
}

/// Returns whether a text begins with an escape of JSON.
fn is_escape(text: &str) -> bool {
    match text.as_bytes() {
        [b'\\', b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => true,
        [b'\\', b'u', one, two, three, four, ..] => {
            [one, two, three, four].into_iter().all(u8::is_ascii_hexdigit)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_decoded_and_other_backslashes_stay() {
        for (text, expected) in [
            ("no escape", "no escape"),
            (r#"K\u00e4se\n\"tea\"\/\\n"#, "Käse\n\"tea\"/\\n"),
            (r"\ud83c\udf75 \ud83c tea \udf75\ud83c", "🍵 \u{fffd} tea \u{fffd}\u{fffd}"),
            (r"\x \u12 \u+123 \", r"\x \u12 \u+123 \"),
            (r"\", r"\"),
            (r"\u00e", r"\u00e"),
            (r"\ä\u00e4\茶", r"\ää\茶"),
        ] {
            assert_eq!(decoded(text), expected, "{text}");
        }
        assert!(matches!(decoded("plain"), Cow::Borrowed("plain")));
    }
}

//! Decodes escapes in JSON strings; a lone surrogate becomes U+FFFD.

/// Decodes the escapes of a string that [`read`](super::read) has accepted.
#[must_use]
pub fn unescape(raw: &str) -> String {
    decode(raw, |text, _, meant| text.push(meant))
}

/// Copies a string; `push` appends each escape, as it is written and as the character that it means.
pub(super) fn decode(raw: &str, push: impl Fn(&mut String, &str, char)) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut tail = raw;
    while let Some(at) = tail.find('\\') {
        text.push_str(&tail[..at]);
        let (meant, used) = escape(&tail[at..]);
        push(&mut text, tail.get(at..at + used).unwrap_or_default(), meant);
        tail = &tail[at + used..];
    }
    text.push_str(tail);
    text
}

/// The character of an escape, and the length of the escape in bytes.
#[must_use]
pub fn escape(at: &str) -> (char, usize) {
    match at.as_bytes().get(1) {
        Some(b'u') => unicode(at),
        Some(b'b') => ('\u{8}', 2),
        Some(b'f') => ('\u{c}', 2),
        Some(b'n') => ('\n', 2),
        Some(b'r') => ('\r', 2),
        Some(b't') => ('\t', 2),
        Some(&byte) => (char::from(byte), 2),
        None => (char::REPLACEMENT_CHARACTER, 1),
    }
}

fn unicode(at: &str) -> (char, usize) {
    let high = hex(at, 2);
    if !(0xD800..0xDC00).contains(&high) {
        return (char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER), 6);
    }
    let low = hex(at, 8);
    if at.get(6..8) != Some("\\u") || !(0xDC00..0xE000).contains(&low) {
        return (char::REPLACEMENT_CHARACTER, 6);
    }
    let joined = 0x1_0000 + ((high - 0xD800) << 10) + (low.wrapping_sub(0xDC00) & 0x3FF);
    (char::from_u32(joined).unwrap_or(char::REPLACEMENT_CHARACTER), 12)
}

pub(super) fn hex(at: &str, from: usize) -> u32 {
    at.get(from..from + 4).and_then(|digits| u32::from_str_radix(digits, 16).ok()).unwrap_or(0)
}

//! Base64 with padding (RFC 4648), in a few lines instead of a crate.

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

#[must_use]
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let digit = (bits >> (18 - 6 * place)) & 63;
            let is_padding = place > chunk.len();
            text.push(if is_padding { '=' } else { char::from(DIGITS[digit as usize]) });
        }
    }
    text
}

/// Decodes the canonical encoding of some bytes; none for any other text.
#[must_use]
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut known) = (0_u32, 0);
    for digit in digits.bytes() {
        bits = bits << 6 | u32::from(sextet(digit)?);
        known += 6;
        if known >= 8 {
            known -= 8;
            bytes.push(u8::try_from((bits >> known) & 0xff).ok()?);
        }
    }
    // The alphabet for URLs is another encoding.
    (encode(&bytes) == text).then_some(bytes)
}

/// Returns the value of a digit, its place in `DIGITS` or in the alphabet for URLs, which has `-`
/// and `_` for `+` and `/`.
#[must_use]
pub fn sextet(digit: u8) -> Option<u8> {
    match digit {
        b'A'..=b'Z' => Some(digit - b'A'),
        b'a'..=b'z' => Some(digit - b'a' + 26),
        b'0'..=b'9' => Some(digit - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_rfc_and_back() {
        let examples =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")];
        for (bytes, text) in examples {
            assert_eq!(encode(bytes.as_bytes()), text);
            assert_eq!(decode(text).as_deref(), Some(bytes.as_bytes()));
        }
    }

    #[test]
    fn another_spelling_of_the_same_bytes_is_refused() {
        for text in ["Zg", "Zg=", "Zg===", "Zh==", "Zm9v\n", "Zm 9v", "=", "Z", "-_-_"] {
            assert_eq!(decode(text), None, "{text:?}");
        }
    }
}

//! Hexadecimal digits, Base64 and percent-encoding, shared by the formats that use them.

pub mod base64;
mod hex;
mod percent;

use std::borrow::Cow;

pub use self::hex::{array_of_hex, hex, hex_digits};
pub use self::percent::percent_encoded;

/// Returns the value of a hexadecimal digit of either case.
#[must_use]
pub fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// Decodes percent-encoding (RFC 3986); `None` if a `%` stands without two digits, or if the
/// result is not UTF-8.
pub fn percent_decoded(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('%') {
        return Some(Cow::Borrowed(text));
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut encoded_bytes = text.bytes();
    while let Some(byte) = encoded_bytes.next() {
        bytes.push(match byte {
            b'%' => digit(encoded_bytes.next()?)? << 4 | digit(encoded_bytes.next()?)?,
            other => other,
        });
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_encoding_is_decoded_in_either_case_or_not_at_all() {
        for (text, decoded) in [
            ("", Some("")),
            ("a+b", Some("a+b")),
            ("%41%c3%A9", Some("Aé")),
            ("%25zz", Some("%zz")),
            ("%", None),
            ("%4", None),
            ("%+1", None),
            ("%zz", None),
            ("%c3", None),
        ] {
            assert_eq!(percent_decoded(text).as_deref(), decoded, "{text}");
        }
    }
}

//! Hexadecimal digits and percent-encoding, shared by the formats that use them.

use std::borrow::Cow;

/// Returns the value of a hexadecimal digit of either case.
pub(crate) fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// Returns the two hexadecimal digits of a byte, in lower case.
#[cfg(feature = "canonical")]
pub(crate) fn hex(byte: u8) -> [u8; 2] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]
}

/// Decodes hexadecimal digits in lower case, the only spelling of some bytes that is accepted.
#[cfg(feature = "canonical")]
pub(crate) fn array_of_hex<const N: usize>(digits: &[u8]) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    read_hex(digits, &mut bytes).then_some(bytes)
}

/// Decodes any number of hexadecimal digits in lower case.
#[cfg(feature = "canonical")]
pub(crate) fn bytes_of_hex(digits: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = vec![0; digits.len() / 2];
    read_hex(digits, &mut bytes).then_some(bytes)
}

#[cfg(feature = "canonical")]
fn read_hex(digits: &[u8], bytes: &mut [u8]) -> bool {
    let digit = |byte: u8| digit(byte).filter(|_| !byte.is_ascii_uppercase());
    let pair = |pair: &[u8]| Some(digit(pair[0])? << 4 | digit(pair[1])?);
    digits.len() == 2 * bytes.len()
        && bytes
            .iter_mut()
            .zip(digits.chunks_exact(2))
            .all(|(byte, digits)| pair(digits).map(|read| *byte = read).is_some())
}

/// Decodes percent-encoding (RFC 3986); `None` if a `%` stands without two digits, or if the
/// result is not UTF-8.
pub(crate) fn percent_decoded(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('%') {
        return Some(Cow::Borrowed(text));
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => digit(rest.next()?)? << 4 | digit(rest.next()?)?,
            other => other,
        });
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "canonical")]
    #[test]
    fn bytes_have_one_spelling_in_hexadecimal_digits() {
        let bytes: Vec<u8> = (0..=u8::MAX).collect();
        let digits: Vec<u8> = bytes.iter().copied().flat_map(hex).collect();
        assert!(digits.starts_with(b"000102"), "{digits:?}");
        assert!(digits.ends_with(b"fdfeff"), "{digits:?}");
        assert_eq!(array_of_hex::<256>(&digits).map(Vec::from), Some(bytes.clone()));
        assert_eq!(array_of_hex::<255>(&digits), None);
        assert_eq!(bytes_of_hex(&digits), Some(bytes));
        for other in ["a", "0g", "+1", "0A", "0x", "\u{e9}"] {
            assert_eq!(bytes_of_hex(other.as_bytes()), None, "{other}");
        }
    }

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

//! Order of property names by UTF-16 code units (RFC 8785, section 3.2.3).

use std::cmp::Ordering;

/// Compares two names by UTF-16 code units, without converting them.
///
/// UTF-8 sorts by code points. UTF-16 differs only in that the surrogates of characters above
/// U+FFFF sort before U+E000 to U+FFFF.
pub(super) fn utf16_order(left: &str, right: &str) -> Ordering {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    let different = left.iter().zip(right).find(|(a, b)| a != b);
    match different {
        Some((a, b)) => rank(*a).cmp(&rank(*b)),
        None => left.len().cmp(&right.len()),
    }
}

/// Maps the first bytes of U+E000 to U+FFFF (0xEE, 0xEF) above those of U+10000 and up (to 0xF4).
const fn rank(byte: u8) -> u8 {
    if byte == 0xEE || byte == 0xEF { byte + 0x10 } else { byte }
}

//! Hexadecimal digits in lower case, the only spelling that digests and ids accept.

use super::digit;

/// Returns the two hexadecimal digits of a byte, in lower case.
#[must_use]
pub fn hex(byte: u8) -> [u8; 2] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]
}

/// Returns the hexadecimal digits of bytes, in lower case.
pub fn hex_digits(bytes: &[u8]) -> impl Iterator<Item = char> + '_ {
    bytes.iter().copied().flat_map(hex).map(char::from)
}

/// Decodes hexadecimal digits in lower case.
#[must_use]
pub fn array_of_hex<const N: usize>(digits: &[u8]) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    read_hex(digits, &mut bytes).then_some(bytes)
}

fn read_hex(digits: &[u8], bytes: &mut [u8]) -> bool {
    let digit = |byte: u8| digit(byte).filter(|_| !byte.is_ascii_uppercase());
    let pair = |pair: &[u8]| Some(digit(pair[0])? << 4 | digit(pair[1])?);
    digits.len() == 2 * bytes.len()
        && bytes
            .iter_mut()
            .zip(digits.chunks_exact(2))
            .all(|(byte, digits)| pair(digits).map(|read| *byte = read).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_one_spelling_in_hexadecimal_digits() {
        let bytes: Vec<u8> = (0..=u8::MAX).collect();
        let digits: Vec<u8> = bytes.iter().copied().flat_map(hex).collect();
        assert!(digits.starts_with(b"000102"), "{digits:?}");
        assert!(digits.ends_with(b"fdfeff"), "{digits:?}");
        assert_eq!(array_of_hex::<256>(&digits).map(Vec::from), Some(bytes));
        assert_eq!(array_of_hex::<255>(&digits), None);
        for other in ["a", "0g", "+1", "0A", "0x", "\u{e9}"] {
            assert_eq!(array_of_hex::<1>(other.as_bytes()), None, "{other}");
        }
    }
}

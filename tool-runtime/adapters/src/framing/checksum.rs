//! Computes the checksum of Amazon's event streams: CRC-32 as in gzip (ISO-HDLC).

/// The remainders of all bytes by the reversed polynomial.
const REMAINDERS: [u32; 256] = remainders();

/// The checksum of some bytes.
pub(super) fn crc32(bytes: &[u8]) -> u32 {
    let next = |crc: u32, byte: &u8| {
        let [low, ..] = crc.to_le_bytes();
        REMAINDERS[usize::from(low ^ byte)] ^ (crc >> 8)
    };
    !bytes.iter().fold(!0, next)
}

const fn remainders() -> [u32; 256] {
    let mut table = [0; 256];
    let (mut at, mut value) = (0, 0_u32);
    while at < table.len() {
        let (mut remainder, mut bit) = (value, 0);
        while bit < 8 {
            let is_odd = remainder & 1 == 1;
            remainder = if is_odd { 0xedb8_8320 ^ (remainder >> 1) } else { remainder >> 1 };
            bit += 1;
        }
        table[at] = remainder;
        at += 1;
        value += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::crc32;

    #[test]
    fn the_published_check_value_is_computed() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(b""), 0);
    }
}

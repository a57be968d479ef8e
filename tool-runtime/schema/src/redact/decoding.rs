//! Decodes a text in several ways: escapes, percent-encoding, base64 and hexadecimal.

use std::ops::Range;

use crate::encoding::{base64, digit};

/// The decoded bytes of a text or a part of it.
#[derive(Debug, Clone)]
// The text is decoded, rather than the secret encoded: one pass finds every mixture of escapes,
// percent signs and alignments of base64.
pub(super) struct DecodedText {
    pub(super) bytes: Vec<u8>,
    /// The range of the text that each byte was decoded from.
    ranges: Vec<(usize, usize)>,
}

impl DecodedText {
    /// The text without decoding.
    pub(super) fn plain(text: &str) -> Self {
        let ranges = (0..text.len()).map(|at| (at, at + 1)).collect();
        Self { bytes: text.as_bytes().to_vec(), ranges }
    }

    fn with_room(bytes: usize) -> Self {
        Self { bytes: Vec::with_capacity(bytes), ranges: Vec::with_capacity(bytes) }
    }

    /// The range of the text that these bytes were decoded from.
    pub(super) fn place(&self, bytes: Range<usize>) -> Range<usize> {
        let (first, last) = (self.ranges.get(bytes.start), self.ranges.get(bytes.end - 1));
        first.map_or(0, |place| place.0)..last.map_or(0, |place| place.1)
    }

    fn push(&mut self, byte: u8, place: (usize, usize)) {
        self.bytes.push(byte);
        self.ranges.push(place);
    }

    /// Decodes the escapes of JSON and of Rust's `Debug`; `None` if there are none.
    pub(super) fn unescaped(&self) -> Option<Self> {
        self.bytes.contains(&b'\\').then(|| self.decoded(escape))
    }

    /// Decodes percent-encoding; `None` if there is none.
    pub(super) fn percent_decoded(&self) -> Option<Self> {
        self.bytes.contains(&b'%').then(|| self.decoded(percent))
    }

    /// Decodes `+` as a space, as in forms; `None` if there is none.
    pub(super) fn with_spaces(&self) -> Option<Self> {
        let plus = |rest: &[u8]| (rest[0] == b'+').then_some((DecodedUnit::Byte(b' '), 1));
        self.bytes.contains(&b'+').then(|| self.decoded(plus))
    }

    /// Replaces every sequence that the decoder accepts.
    fn decoded(&self, decode: impl Fn(&[u8]) -> Option<(DecodedUnit, usize)>) -> Self {
        let mut read = Self::with_room(self.bytes.len());
        let mut at = 0;
        while at < self.bytes.len() {
            let Some((meant, used)) = decode(&self.bytes[at..]) else {
                read.push(self.bytes[at], self.ranges[at]);
                at += 1;
                continue;
            };
            let place = self.place(at..at + used);
            let mut room = [0; 4];
            let encoded: &[u8] = match meant {
                DecodedUnit::Byte(byte) => &[byte],
                DecodedUnit::Character(character) => character.encode_utf8(&mut room).as_bytes(),
            };
            for byte in encoded {
                read.push(*byte, (place.start, place.end));
            }
            at += used;
        }
        read
    }

    /// Decodes every run of base64 from each of its four alignments.
    pub(super) fn base64(&self) -> Vec<Self> {
        self.runs(base64::sextet, 6, MIN_DECODED_BYTES * 4 / 3, 4)
    }

    /// Decodes every run of hexadecimal digits from both alignments.
    pub(super) fn hexadecimal(&self) -> Vec<Self> {
        self.runs(digit, 4, MIN_DECODED_BYTES * 2, 2)
    }

    fn runs(
        &self,
        digit: fn(u8) -> Option<u8>,
        bits: u32,
        shortest: usize,
        starts: usize,
    ) -> Vec<Self> {
        let mut encoded_runs = Vec::new();
        let mut run: Vec<(u8, (usize, usize))> = Vec::new();
        // A line break does not end an encoded text.
        let breaks = |byte: &u8| matches!(byte, b'\r' | b'\n');
        let units = self.bytes.iter().zip(&self.ranges).filter(|(byte, _)| !breaks(byte));
        let digits = units.map(|(byte, place)| digit(*byte).map(|digit| (digit, *place)));
        for digit in digits.chain([None]) {
            if let Some(digit) = digit {
                run.push(digit);
                continue;
            }
            if run.len() >= shortest {
                encoded_runs.extend((0..starts).map(|start| packed(&run[start..], bits)));
            }
            run.clear();
        }
        encoded_runs
    }
}

/// The value of an escape.
#[derive(Debug, Clone, Copy)]
enum DecodedUnit {
    Byte(u8),
    Character(char),
}

/// Encoded texts of fewer decoded bytes are ignored.
pub(super) const MIN_DECODED_BYTES: usize = 4;

/// Packs digits of `bits` bits each into bytes.
fn packed(digits: &[(u8, (usize, usize))], bits: u32) -> DecodedText {
    let mut read = DecodedText::with_room(digits.len());
    let (mut held, mut count) = (0_u32, 0);
    let mut begun = 0;
    for (index, (digit, place)) in digits.iter().enumerate() {
        if count == 0 {
            begun = index;
        }
        held = (held << bits) | u32::from(*digit);
        count += bits;
        if count >= 8 {
            count -= 8;
            let byte = u8::try_from((held >> count) & 0xFF).unwrap_or_default();
            read.push(byte, (digits[begun].1.0, place.1));
            // The remaining bits, and so this digit, belong to the next byte.
            begun = index;
        }
    }
    read
}

fn percent(rest: &[u8]) -> Option<(DecodedUnit, usize)> {
    match rest {
        [b'%', high, low, ..] => Some((DecodedUnit::Byte((digit(*high)? << 4) | digit(*low)?), 3)),
        _ => None,
    }
}

fn escape(rest: &[u8]) -> Option<(DecodedUnit, usize)> {
    let [b'\\', kind, ..] = rest else { return None };
    let byte = match kind {
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'b' => 8,
        b'f' => 12,
        b'0' => 0,
        b'"' | b'\'' | b'\\' | b'/' => *kind,
        b'u' => {
            return unicode(rest)
                .map(|(character, used)| (DecodedUnit::Character(character), used));
        }
        _ => return None,
    };
    Some((DecodedUnit::Byte(byte), 2))
}

/// `\u00e9`, a surrogate pair of these, or `\u{e9}`.
fn unicode(rest: &[u8]) -> Option<(char, usize)> {
    if rest.get(2) == Some(&b'{') {
        let length = rest.iter().skip(3).take(7).position(|byte| *byte == b'}')?;
        return Some((char::from_u32(hex(&rest[3..3 + length])?)?, length + 4));
    }
    let high = hex(rest.get(2..6)?)?;
    if let Some(character) = char::from_u32(high) {
        return Some((character, 6));
    }
    let low = hex(rest.get(6..12)?.strip_prefix(b"\\u")?)?;
    let high = high.checked_sub(0xD800).filter(|high| *high < 0x400)?;
    let low = low.checked_sub(0xDC00).filter(|low| *low < 0x400)?;
    Some((char::from_u32(0x1_0000 + (high << 10) + low)?, 12))
}

fn hex(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |value, byte| Some((value << 4) | u32::from(digit(*byte)?)))
}

//! The ways in which a text may be read: escapes, percent signs, base64 and hexadecimal undone.

use std::ops::Range;

/// The bytes that a text, or a part of it, stands for.
#[derive(Debug, Clone)]
pub(super) struct Reading {
    pub(super) bytes: Vec<u8>,
    /// Where in the text what each byte comes from begins and ends.
    places: Vec<(usize, usize)>,
}

impl Reading {
    /// The text as it stands.
    pub(super) fn plain(text: &str) -> Self {
        let places = (0..text.len()).map(|at| (at, at + 1)).collect();
        Self { bytes: text.as_bytes().to_vec(), places }
    }

    fn with_room(bytes: usize) -> Self {
        Self { bytes: Vec::with_capacity(bytes), places: Vec::with_capacity(bytes) }
    }

    /// The part of the text that some of the bytes come from.
    pub(super) fn place(&self, bytes: Range<usize>) -> Range<usize> {
        let (first, last) = (self.places.get(bytes.start), self.places.get(bytes.end - 1));
        first.map_or(0, |place| place.0)..last.map_or(0, |place| place.1)
    }

    fn push(&mut self, byte: u8, place: (usize, usize)) {
        self.bytes.push(byte);
        self.places.push(place);
    }

    /// Undoes the escapes of JSON and of Rust's `Debug`; none if there are none.
    pub(super) fn unescaped(&self) -> Option<Self> {
        self.bytes.contains(&b'\\').then(|| self.decoded(escape))
    }

    /// Undoes percent-encoding; none if there is none.
    pub(super) fn percent_decoded(&self) -> Option<Self> {
        self.bytes.contains(&b'%').then(|| self.decoded(percent))
    }

    /// Reads `+` as a space, as forms write it; none if there is none.
    pub(super) fn with_spaces(&self) -> Option<Self> {
        let plus = |rest: &[u8]| (rest[0] == b'+').then_some((Meant::Byte(b' '), 1));
        self.bytes.contains(&b'+').then(|| self.decoded(plus))
    }

    /// Replaces every unit that the decoder knows.
    fn decoded(&self, decode: impl Fn(&[u8]) -> Option<(Meant, usize)>) -> Self {
        let mut read = Self::with_room(self.bytes.len());
        let mut at = 0;
        while at < self.bytes.len() {
            let Some((meant, used)) = decode(&self.bytes[at..]) else {
                read.push(self.bytes[at], self.places[at]);
                at += 1;
                continue;
            };
            let place = self.place(at..at + used);
            let mut room = [0; 4];
            let encoded: &[u8] = match meant {
                Meant::Byte(byte) => &[byte],
                Meant::Character(character) => character.encode_utf8(&mut room).as_bytes(),
            };
            for byte in encoded {
                read.push(*byte, (place.start, place.end));
            }
            at += used;
        }
        read
    }

    /// Reads every run of base64 as bytes, from each of the four places where one may begin.
    pub(super) fn base64(&self) -> Vec<Self> {
        self.runs(sextet, 6, SHORTEST * 4 / 3, 4)
    }

    /// Reads every run of hexadecimal digits as bytes, from both places where one may begin.
    pub(super) fn hexadecimal(&self) -> Vec<Self> {
        self.runs(nibble, 4, SHORTEST * 2, 2)
    }

    fn runs(
        &self,
        digit: fn(u8) -> Option<u8>,
        bits: u32,
        shortest: usize,
        starts: usize,
    ) -> Vec<Self> {
        let mut found = Vec::new();
        let mut run: Vec<(u8, (usize, usize))> = Vec::new();
        // A line's end does not end an encoded text.
        let breaks = |byte: &u8| matches!(byte, b'\r' | b'\n');
        let units = self.bytes.iter().zip(&self.places).filter(|(byte, _)| !breaks(byte));
        let digits = units.map(|(byte, place)| digit(*byte).map(|digit| (digit, *place)));
        for digit in digits.chain([None]) {
            if let Some(digit) = digit {
                run.push(digit);
                continue;
            }
            if run.len() >= shortest {
                found.extend((0..starts).map(|start| packed(&run[start..], bits)));
            }
            run.clear();
        }
        found
    }
}

/// What an escape stands for.
#[derive(Debug, Clone, Copy)]
enum Meant {
    Byte(u8),
    Character(char),
}

/// Encoded texts that stand for less than this are not looked into.
pub(super) const SHORTEST: usize = 4;

/// Packs digits of so many bits into bytes.
fn packed(digits: &[(u8, (usize, usize))], bits: u32) -> Reading {
    let mut read = Reading::with_room(digits.len());
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
            // The bits that are left belong to the next byte, and so does this digit.
            begun = index;
        }
    }
    read
}

fn sextet(byte: u8) -> Option<u8> {
    Some(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    })
}

fn nibble(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

fn percent(rest: &[u8]) -> Option<(Meant, usize)> {
    match rest {
        [b'%', high, low, ..] => Some((Meant::Byte((nibble(*high)? << 4) | nibble(*low)?), 3)),
        _ => None,
    }
}

fn escape(rest: &[u8]) -> Option<(Meant, usize)> {
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
            return unicode(rest).map(|(character, used)| (Meant::Character(character), used));
        }
        _ => return None,
    };
    Some((Meant::Byte(byte), 2))
}

/// `\u00e9`, a pair of them, or `\u{e9}`.
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
    digits.iter().try_fold(0, |value, byte| Some((value << 4) | u32::from(nibble(*byte)?)))
}

//! The tokens of JSON: strings, numbers and literals.

use super::malformed::Malformed;
use super::tree::{ESCAPED, FRACTION, NEGATIVE, WIDE};

/// The most digits that a 64-bit float always preserves.
const EXACT_DIGITS: usize = 15;

/// A position in the text.
#[derive(Debug)]
pub(super) struct JsonScanner<'t> {
    pub(super) bytes: &'t [u8],
    pub(super) at: usize,
    pub(super) max_string: usize,
    /// True if a lone surrogate is accepted.
    pub(super) accepts_lone_surrogates: bool,
    /// The error, once reading has stopped.
    pub(super) error: Option<Malformed>,
}

/// A result; `None` if reading stopped, with the error stored in the scanner. Returning the error
/// in a `Result` would pass it through memory at every step.
pub(super) type ScanResult<T> = Option<T>;

impl JsonScanner<'_> {
    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Records that the byte at the current position is invalid.
    #[cold]
    pub(super) fn unexpected<T>(&mut self, expected: &'static str) -> ScanResult<T> {
        self.unexpected_at(self.at, expected)
    }

    #[cold]
    fn unexpected_at<T>(&mut self, position: usize, expected: &'static str) -> ScanResult<T> {
        self.stop(if position < self.bytes.len() {
            Malformed::Syntax { position, expected }
        } else {
            Malformed::Truncated { position: self.bytes.len() }
        })
    }

    #[cold]
    pub(super) fn stop<T>(&mut self, error: Malformed) -> ScanResult<T> {
        self.error = Some(error);
        None
    }

    #[inline]
    pub(super) fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    /// Reads a string; the position is after its opening quote.
    pub(super) fn string(&mut self) -> ScanResult<(usize, u8)> {
        let start = self.at;
        let mut flags = 0;
        loop {
            self.at = special(self.bytes, self.at);
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    flags = ESCAPED;
                    self.escape()?;
                }
                _ => return self.unexpected("an escape in place of the control character"),
            }
        }
        if self.at - start > self.max_string {
            let limit = self.max_string;
            return self.stop(Malformed::StringTooLong { position: start - 1, limit });
        }
        self.at += 1;
        Some((self.at - 1, flags))
    }

    fn escape(&mut self) -> ScanResult<()> {
        match self.bytes.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.at += 2;
                Some(())
            }
            Some(b'u') => self.unicode(),
            _ => self.unexpected_at(self.at + 1, "one of the escapes \" \\ / b f n r t u"),
        }
    }

    fn unicode(&mut self) -> ScanResult<()> {
        let start = self.at;
        let unit = self.unit()?;
        match unit {
            0xD800..=0xDBFF => self.low_surrogate(start),
            0xDC00..=0xDFFF if !self.accepts_lone_surrogates => {
                self.unexpected_at(start, LONE_SURROGATE)
            }
            _ => Some(()),
        }
    }

    fn low_surrogate(&mut self, start: usize) -> ScanResult<()> {
        if self.accepts_lone_surrogates {
            return Some(());
        }
        for (ahead, wanted) in [b'\\', b'u'].into_iter().enumerate() {
            match self.bytes.get(self.at + ahead) {
                Some(&byte) if byte == wanted => {}
                Some(_) => return self.unexpected_at(start, LONE_SURROGATE),
                None => return self.unexpected_at(self.bytes.len(), LONE_SURROGATE),
            }
        }
        match self.unit()? {
            0xDC00..=0xDFFF => Some(()),
            _ => self.unexpected_at(start, LONE_SURROGATE),
        }
    }

    /// Reads `\uXXXX`.
    fn unit(&mut self) -> ScanResult<u32> {
        let mut unit = 0;
        for at in self.at + 2..self.at + 6 {
            match self.bytes.get(at).and_then(|byte| char::from(*byte).to_digit(16)) {
                Some(digit) => unit = unit * 16 + digit,
                None => return self.unexpected_at(at, "four hexadecimal digits"),
            }
        }
        self.at += 6;
        Some(unit)
    }

    /// Reads a number; the position is at its first byte.
    pub(super) fn number(&mut self) -> ScanResult<u8> {
        let mut flags = 0;
        if self.peek() == Some(b'-') {
            self.at += 1;
            flags |= NEGATIVE;
        }
        let mut digits = 1;
        match self.peek() {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => digits = self.digits(),
            _ => return self.unexpected("a digit"),
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            flags |= FRACTION;
            digits += self.some_digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            flags |= FRACTION | WIDE;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.some_digits()?;
        }
        if digits > EXACT_DIGITS {
            flags |= WIDE;
        }
        Some(flags)
    }

    fn some_digits(&mut self) -> ScanResult<usize> {
        match self.digits() {
            0 => self.unexpected("a digit"),
            digits => Some(digits),
        }
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        self.at - start
    }

    /// Reads `true`, `false` or `null`.
    pub(super) fn word(&mut self, word: &'static str) -> ScanResult<()> {
        let sent = self.bytes.get(self.at..).unwrap_or_default();
        let length = word.bytes().zip(sent).take_while(|(wanted, byte)| wanted == *byte).count();
        if length < word.len() {
            // Text that only begins with the same letters is not meant as this word.
            return self.unexpected_at(self.at + length, "a value");
        }
        self.at += length;
        Some(())
    }
}

const LONE_SURROGATE: &str = "both halves of the surrogate pair";

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = ONES * 0x80;
const SPACES: u64 = ONES * 0x20;
const QUOTES: u64 = ONES * 0x22;
const BACKSLASHES: u64 = ONES * 0x5C;

/// The position of the first quote, backslash or control character at or after `at`, or the end;
/// scans eight bytes at a time.
pub fn special(bytes: &[u8], mut at: usize) -> usize {
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let special_bits = specials(u64::from_le_bytes(*chunk));
        if special_bits != 0 {
            return at + (special_bits.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    let tail = bytes.get(at..).unwrap_or_default();
    // Four to seven bytes are tested at once, those in the middle twice.
    if let (Some(first), Some(last)) = (tail.first_chunk(), tail.last_chunk()) {
        let [first, last] = [first, last].map(|half| u64::from(u32::from_le_bytes(*half)));
        if specials(first | (last << 32)) == 0 {
            return bytes.len();
        }
    }
    while let Some(&byte) = bytes.get(at) {
        if matches!(byte, b'"' | b'\\' | 0..=0x1F) {
            break;
        }
        at += 1;
    }
    at
}

/// Sets the highest bit of the first byte that is a quote, a backslash or a control character; the
/// bits above it mean nothing. Zero if no byte is one.
#[inline]
fn specials(word: u64) -> u64 {
    let quote = word ^ QUOTES;
    let slash = word ^ BACKSLASHES;
    ((quote.wrapping_sub(ONES) & !quote)
        | (slash.wrapping_sub(ONES) & !slash)
        | (word.wrapping_sub(SPACES) & !word))
        & HIGHS
}

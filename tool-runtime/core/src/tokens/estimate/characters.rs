//! The classes and the weights of characters.

use super::weights::{CYRILLIC, OTHER, OTHER_UPPERCASE, PAIRS, RANGES};

/// The columns of [`PAIRS`] for ASCII characters.
const COLUMNS: [u8; 128] = columns();
const NO_COLUMN: u8 = u8::MAX;

/// The last character of a piece, as far as it decides the weight of the next one.
#[derive(Clone, Copy)]
pub(super) struct Previous {
    /// Its row of [`PAIRS`].
    row: usize,
    /// Its range of [`RANGES`]; none for ASCII.
    range: Option<usize>,
}

impl Previous {
    pub(super) const fn row(row: usize) -> Self {
        Self { row, range: None }
    }

    /// Returns the weight of a letter or a symbol of ASCII after this character.
    #[inline]
    pub(super) fn weigh_ascii(&mut self, byte: u8) -> u64 {
        let column = usize::from(COLUMNS[usize::from(byte)]);
        let weight = PAIRS[self.row][column] - b'0';
        *self = Self::row(column);
        u64::from(weight)
    }

    /// Returns the weight of a character after this one.
    pub(super) fn weigh(&mut self, character: char) -> u64 {
        if COLUMNS.get(character as usize).is_some_and(|column| *column != NO_COLUMN) {
            return self.weigh_ascii(character as u8);
        }
        let range = RANGES.partition_point(|(last, ..)| *last < character);
        let (_, each, first) = RANGES[range];
        let is_first = self.range != Some(range);
        *self = Self { row: OTHER, range: Some(range) };
        u64::from(each) + if is_first { u64::from(first) } else { 0 } + cyrillic(character)
    }
}

/// Returns what an uppercase letter beyond ASCII weighs more than its range.
pub(super) fn uppercase_weight(letter: char) -> u64 {
    if letter.is_uppercase() { OTHER_UPPERCASE } else { 0 }
}

fn cyrillic(letter: char) -> u64 {
    let lowercase = match letter {
        '\u{400}'..='\u{40f}' => letter as usize + 0x50,
        '\u{410}'..='\u{42f}' => letter as usize + 0x20,
        '\u{430}'..='\u{45f}' => letter as usize,
        _ => return 0,
    };
    u64::from(CYRILLIC[lowercase - 0x430])
}

/// The class of a character, which decides the pieces.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum CharacterClass {
    /// A letter, or a mark on one.
    Letter,
    Number,
    WhiteSpace,
    Symbol,
}

#[inline]
pub(super) fn class(character: char) -> CharacterClass {
    match character {
        'a'..='z' | 'A'..='Z' => CharacterClass::Letter,
        '0'..='9' => CharacterClass::Number,
        ' ' | '\t'..='\r' => CharacterClass::WhiteSpace,
        '\0'..='\x7f' => CharacterClass::Symbol,
        _ => class_beyond_ascii(character),
    }
}

fn class_beyond_ascii(character: char) -> CharacterClass {
    if character.is_alphabetic() && !character.is_numeric() || is_mark(character) {
        CharacterClass::Letter
    } else if character.is_whitespace() {
        CharacterClass::WhiteSpace
    } else if character.is_numeric() {
        CharacterClass::Number
    } else {
        CharacterClass::Symbol
    }
}

/// Returns whether a character is a mark that is no letter by itself: an accent, a virama, a tone.
fn is_mark(character: char) -> bool {
    match character {
        '\u{900}'..='\u{dff}' => matches!(character as u32 & 0x7f, 0x3c | 0x4d),
        '\u{300}'..='\u{36f}'
        | '\u{591}'..='\u{5bd}'
        | '\u{64b}'..='\u{65f}'
        | '\u{e47}'..='\u{e4e}'
        | '\u{fe00}'..='\u{fe0f}' => true,
        _ => false,
    }
}

const fn columns() -> [u8; 128] {
    let mut columns = [NO_COLUMN; 128];
    let (mut byte, mut symbol) = (0_u8, 26);
    while byte < 128 {
        if byte.is_ascii_alphabetic() {
            columns[byte as usize] = byte.to_ascii_lowercase() - b'a';
        } else if byte.is_ascii_punctuation() {
            columns[byte as usize] = symbol;
            symbol += 1;
        }
        byte += 1;
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ranges_ascend_to_the_last_character() {
        assert!(RANGES.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert_eq!(RANGES[RANGES.len() - 1].0, char::MAX);
    }

    #[test]
    fn every_letter_and_symbol_of_ascii_has_a_column() {
        let graphic = (0..128_u8).filter(|byte| byte.is_ascii_graphic() && !byte.is_ascii_digit());
        for byte in graphic {
            assert!(usize::from(COLUMNS[usize::from(byte)]) < PAIRS[0].len(), "{byte}");
        }
    }

    #[test]
    fn every_pair_weighs_less_than_two_tokens() {
        let weights = PAIRS.iter().flatten();
        assert!(weights.into_iter().all(|weight| (b'0'..b'0' + 64).contains(weight)));
    }
}

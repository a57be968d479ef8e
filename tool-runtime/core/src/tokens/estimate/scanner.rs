//! Splits a text into pieces, and weighs the characters of each.
//!
//! The pieces follow `o200k_base`:
//!
//! | piece | tokens |
//! | --- | --- |
//! | a word, with one space or symbol before it, and a contraction (`'s`) after it | one and more |
//! | up to three digits | one |
//! | a run of symbols, with one space before it and line ends after it | one and more |
//! | white space up to the last line end | one |
//! | other white space, but for a last character that belongs to the next piece | one |

use super::characters::CharacterClass::{Letter, Number, Symbol, WhiteSpace};
use super::characters::{Previous, class, uppercase_weight};
use super::weights::{LONG, SPACE, START, TAB, TOKEN, UPPERCASE};

/// Letters of a word before [`LONG`] applies.
const LONG_AFTER: u32 = 12;

/// Characters of white space in a token, where there are many.
const BLANKS: usize = 64;

/// The text that is left, and the weight of what was read.
pub(super) struct TokenScanner<'t> {
    rest: &'t str,
    weight: u64,
}

/// A word that is being read.
struct Word {
    previous: Previous,
    letters: u32,
    has_lowercase: bool,
}

impl<'t> TokenScanner<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { rest: text, weight: 0 }
    }

    /// Reads the text to its end.
    pub(super) fn tokens(mut self) -> u64 {
        while let Some(first) = self.rest.chars().next() {
            match class(first) {
                Letter => self.word(Previous::row(START)),
                Number => self.digits(),
                WhiteSpace => self.white_space(),
                Symbol => self.symbols_or_word(first),
            }
        }
        (self.weight + TOKEN / 2) / TOKEN
    }

    fn digits(&mut self) {
        self.weight += TOKEN;
        let numbers = self.rest.chars().take(3).take_while(|digit| digit.is_numeric());
        let end: usize = numbers.map(char::len_utf8).sum();
        self.rest = &self.rest[end..];
    }

    /// Reads the word at the start of the rest: uppercase letters, then lowercase ones.
    fn word(&mut self, prefix: Previous) {
        self.weight += TOKEN;
        let mut word = Word { previous: prefix, letters: 0, has_lowercase: false };
        while self.ascii_letters(&mut word) || self.other_letter(&mut word) {}
        self.contraction(word.previous);
    }

    /// Reads letters of ASCII, and returns whether there were any.
    fn ascii_letters(&mut self, word: &mut Word) -> bool {
        let mut end = 0;
        for byte in self.rest.bytes() {
            let uppercase = byte.is_ascii_uppercase();
            if !byte.is_ascii_alphabetic() || (uppercase && word.has_lowercase) {
                break;
            }
            self.weight += word.previous.weigh_ascii(byte);
            self.weight += word.position_weight();
            if uppercase && word.letters > 1 {
                self.weight += UPPERCASE;
            }
            word.has_lowercase |= !uppercase;
            end += 1;
        }
        self.rest = &self.rest[end..];
        end > 0
    }

    /// Reads a letter beyond ASCII, and returns whether there was one.
    fn other_letter(&mut self, word: &mut Word) -> bool {
        let Some(letter) = self.rest.chars().next() else { return false };
        if letter.is_ascii() || class(letter) != Letter {
            return false;
        }
        if word.has_lowercase && letter.is_uppercase() {
            return false;
        }
        word.has_lowercase |= letter.is_lowercase();
        self.weight += word.previous.weigh(letter) + uppercase_weight(letter);
        self.weight += word.position_weight();
        self.rest = &self.rest[letter.len_utf8()..];
        true
    }

    /// Reads `'s`, `'t`, `'re`, `'ve`, `'m`, `'ll` or `'d` after a word.
    fn contraction(&mut self, mut previous: Previous) {
        let length = match self.rest.as_bytes() {
            [b'\'', b's' | b'S' | b't' | b'T' | b'm' | b'M' | b'd' | b'D', ..] => 2,
            [b'\'', b'r' | b'R' | b'v' | b'V', b'e' | b'E', ..]
            | [b'\'', b'l' | b'L', b'l' | b'L', ..] => 3,
            _ => return,
        };
        let (read, rest) = self.rest.split_at(length);
        self.weight += read.bytes().map(|byte| previous.weigh_ascii(byte)).sum::<u64>();
        self.rest = rest;
    }

    /// Reads a run of symbols, or a word if only one symbol is before it.
    fn symbols_or_word(&mut self, first: char) {
        let after = &self.rest[first.len_utf8()..];
        let mut previous = Previous::row(START);
        if after.chars().next().is_some_and(|next| class(next) == Letter) {
            self.weight += previous.weigh(first);
            self.rest = after;
            self.word(previous);
        } else {
            self.symbols(previous);
        }
    }

    fn symbols(&mut self, mut previous: Previous) {
        self.weight += TOKEN;
        let mut end = 0;
        for symbol in self.rest.chars().take_while(|symbol| class(*symbol) == Symbol) {
            self.weight += previous.weigh(symbol);
            end += symbol.len_utf8();
        }
        self.rest = self.rest[end..].trim_start_matches(['\r', '\n']);
    }

    fn white_space(&mut self) {
        // By far the most frequent case.
        if let [b' ', next @ (b'a'..=b'z' | b'A'..=b'Z'), ..] = self.rest.as_bytes() {
            return self.after_blank(" ", char::from(*next));
        }
        let length = self.rest.len() - self.rest.trim_start().len();
        let (blank, after) = self.rest.split_at(length);
        if let Some(last) = blank.rfind(['\r', '\n']) {
            return self.blanks(last + 1);
        }
        let last = blank.chars().next_back().map_or(0, char::len_utf8);
        match after.chars().next() {
            None => self.blanks(length),
            Some(_) if length > last => self.blanks(length - last),
            Some(next) => self.after_blank(blank, next),
        }
    }

    fn blanks(&mut self, length: usize) {
        self.weight += TOKEN * (1 + length / BLANKS) as u64;
        self.rest = &self.rest[length..];
    }

    /// Reads one character of white space, with the piece after it if it belongs there.
    fn after_blank(&mut self, blank: &str, next: char) {
        let is_space = blank == " ";
        match class(next) {
            Letter => {
                self.rest = &self.rest[blank.len()..];
                self.word(Previous::row(if is_space { SPACE } else { TAB }));
            }
            Symbol if is_space => {
                self.rest = &self.rest[1..];
                self.symbols(Previous::row(SPACE));
            }
            Number | WhiteSpace | Symbol => self.blanks(blank.len()),
        }
    }
}

impl Word {
    /// Counts a letter, and returns what its position in the word weighs.
    fn position_weight(&mut self) -> u64 {
        self.letters = self.letters.saturating_add(1);
        if self.letters > LONG_AFTER { LONG } else { 0 }
    }
}

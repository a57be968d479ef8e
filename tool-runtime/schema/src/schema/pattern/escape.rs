//! Reads what follows a backslash: ECMA-262 gives some letters another meaning than `regex-lite`.

use super::translation::Place;

/// The meaning of an escape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Escape {
    Character(char),
    /// The ranges of a class, in the syntax of `regex-lite`.
    Class(&'static str),
    Anchor(&'static str),
    Unsupported(&'static str),
}

/// White space and line terminators of ECMA-262.
const WHITE_SPACE: &str =
    r"\t-\r \u{A0}\u{1680}\u{2000}-\u{200A}\u{2028}\u{2029}\u{202F}\u{205F}\u{3000}\u{FEFF}";
/// All other characters.
const NO_WHITE_SPACE: &str = r"\u{0}-\u{8}\u{E}-\u{1F}!-\u{9F}\u{A1}-\u{167F}\u{1681}-\u{1FFF}\u{200B}-\u{2027}\u{202A}-\u{202E}\u{2030}-\u{205E}\u{2060}-\u{2FFF}\u{3001}-\u{FEFE}\u{FF00}-\u{10FFFF}";

/// Letters and numbers that ECMA-262 reserves with the flag `u`.
const OTHER_SYNTAX: Escape =
    Escape::Unsupported("an escape of another syntax, such as `\\A`, `\\z` or `\\x{41}`");

/// Reads the escape at the start of a text, after its backslash, with its length.
pub(super) fn escape(rest: &str, place: Place) -> Option<(Escape, usize)> {
    let first = rest.chars().next()?;
    let after = &rest[first.len_utf8()..];
    let (escape, length) = match (first, place) {
        ('c', _) => control(after),
        ('0', _) => null(after),
        ('x', _) => hexadecimal(after, 2).map_or((OTHER_SYNTAX, 0), |code| (character(code), 2)),
        ('u', _) => code_point(after).unwrap_or((OTHER_SYNTAX, 0)),
        _ => (one_letter(first, place), 0),
    };
    Some((escape, first.len_utf8() + length))
}

fn one_letter(letter: char, place: Place) -> Escape {
    match (letter, place) {
        ('d', _) => Escape::Class(r"\d"),
        ('D', _) => Escape::Class(r"\D"),
        ('w', _) => Escape::Class(r"\w"),
        ('W', _) => Escape::Class(r"\W"),
        ('s', _) => Escape::Class(WHITE_SPACE),
        ('S', _) => Escape::Class(NO_WHITE_SPACE),
        ('b', Place::Class) => Escape::Character('\u{8}'),
        ('b', Place::Pattern) => Escape::Anchor(r"\b"),
        ('B', Place::Pattern) => Escape::Anchor(r"\B"),
        ('t', _) => Escape::Character('\t'),
        ('n', _) => Escape::Character('\n'),
        ('v', _) => Escape::Character('\u{B}'),
        ('f', _) => Escape::Character('\u{C}'),
        ('r', _) => Escape::Character('\r'),
        ('p' | 'P', _) => Escape::Unsupported("a Unicode class (`\\p`)"),
        ('k' | '1'..='9', Place::Pattern) => Escape::Unsupported("a back-reference"),
        ('1'..='9', Place::Class) => Escape::Unsupported("an octal escape"),
        (letter, _) if letter.is_ascii_alphanumeric() => OTHER_SYNTAX,
        (literal, _) => Escape::Character(literal),
    }
}

/// The rest of `\cA`.
fn control(after: &str) -> (Escape, usize) {
    match after.bytes().next().filter(u8::is_ascii_alphabetic) {
        Some(letter) => (Escape::Character(char::from(letter % 32)), 1),
        None => (OTHER_SYNTAX, 0),
    }
}

/// The rest of `\0`.
fn null(after: &str) -> (Escape, usize) {
    if after.starts_with(|next: char| next.is_ascii_digit()) {
        (Escape::Unsupported("an octal escape"), 0)
    } else {
        (Escape::Character('\0'), 0)
    }
}

/// The rest of `\u{1F600}`, `\u0041`, or of a pair of surrogates.
fn code_point(after: &str) -> Option<(Escape, usize)> {
    if let Some(braced) = after.strip_prefix('{') {
        let length = braced.find(|next: char| !next.is_ascii_hexdigit())?;
        let digits = braced[..length].trim_start_matches('0');
        let is_code = length > 0 && digits.len() <= 6 && braced[length..].starts_with('}');
        let code = u32::from_str_radix(if digits.is_empty() { "0" } else { digits }, 16).ok()?;
        return is_code.then(|| (character(code), length + 2));
    }
    let code = hexadecimal(after, 4)?;
    let low = after[4..].strip_prefix("\\u").and_then(|low| hexadecimal(low, 4));
    let pair = low.and_then(|low| surrogate_pair(code, low));
    Some(pair.map_or((character(code), 4), |pair| (Escape::Character(pair), 10)))
}

fn surrogate_pair(high: u32, low: u32) -> Option<char> {
    let units = [u16::try_from(high).ok()?, u16::try_from(low).ok()?];
    let mut characters = char::decode_utf16(units);
    let pair = characters.next()?.ok()?;
    characters.next().is_none().then_some(pair)
}

fn hexadecimal(after: &str, digits: usize) -> Option<u32> {
    let text = after.get(..digits)?;
    let is_number = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    u32::from_str_radix(text, 16).ok().filter(|_| is_number)
}

fn character(code: u32) -> Escape {
    match char::from_u32(code) {
        Some(character) => Escape::Character(character),
        None if code <= 0xDFFF => Escape::Unsupported("a surrogate (`\\uD800` and above)"),
        None => OTHER_SYNTAX,
    }
}

//! Finds regular expressions that OpenAI refuses.
//!
//! OpenAI compiles each `pattern` of a declaration with Python's `re`, and rejects the whole request
//! where that fails; its newer models reject look-around too. What is accepted here matches in Python at
//! least what it matches in the tool's own validator, but for U+FEFF: ECMA-262's `\s` in
//! the validator has all white space of Unicode and that character, and Python's lacks it. Models do not write it.
//!
//! In Python, `\w` and `\d` have all of Unicode, and in the validator ASCII alone. Their opposites and
//! word boundaries therefore match less in Python, and are not accepted, nor is `\S`: Python's `\s` also
//! has U+0085 and the separators U+001C to U+001F.
//!
//! A pattern that the validator does not check, such as one with `\A` or `(?P<name>)`, is sent where
//! Python compiles it.

use std::collections::HashSet;

/// Returns whether OpenAI compiles a regular expression, and admits all texts that the validator admits.
pub(super) fn is_accepted(pattern: &str) -> bool {
    let mut scan =
        PythonScan { rest: pattern, groups: 0, names: HashSet::new(), previous: Item::Nothing };
    while !scan.rest.is_empty() {
        if scan.item().is_none() {
            return false;
        }
    }
    scan.groups == 0
}

/// The longest number of repetitions.
const MAX_REPETITIONS: u32 = 100_000;

struct PythonScan<'p> {
    rest: &'p str,
    /// The number of open groups.
    groups: usize,
    names: HashSet<&'p str>,
    previous: Item,
}

/// The part before the current position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Item {
    /// Nothing that may be repeated: a start, an alternative, an anchor, a repetition.
    Nothing,
    Repeatable,
    /// A repetition, which one `?` makes lazy.
    Greedy,
}

/// An item of a class.
#[derive(Debug, Clone, Copy)]
enum ClassItem {
    Character(char),
    /// A class of its own, such as `\d`.
    Class,
}

impl ClassItem {
    fn character(self) -> Option<char> {
        match self {
            Self::Character(character) => Some(character),
            Self::Class => None,
        }
    }
}

/// The place of an escape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EscapePlace {
    Pattern,
    Class,
    NegatedClass,
}

/// A step; `None` if the expression is not accepted.
type Step = Option<()>;

impl PythonScan<'_> {
    fn item(&mut self) -> Step {
        let before = std::mem::replace(&mut self.previous, Item::Repeatable);
        match self.next()? {
            '\\' => self.previous = self.escape(EscapePlace::Pattern)?,
            '[' => self.class()?,
            '(' => self.open_group()?,
            ')' => self.groups = self.groups.checked_sub(1)?,
            '|' | '^' | '$' => self.previous = Item::Nothing,
            '?' if before == Item::Greedy => self.previous = Item::Nothing,
            '*' | '+' | '?' => self.repeat(before)?,
            '{' => {
                self.counts()?;
                self.repeat(before)?;
            }
            _ => {}
        }
        Some(())
    }

    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let next = chars.next()?;
        self.rest = chars.as_str();
        Some(next)
    }

    fn skip(&mut self, text: &str) -> bool {
        let tail = self.rest.strip_prefix(text);
        self.rest = tail.unwrap_or(self.rest);
        tail.is_some()
    }

    fn repeat(&mut self, before: Item) -> Step {
        self.previous = Item::Greedy;
        (before == Item::Repeatable).then_some(())
    }

    /// The rest of `{1}`, `{1,}` or `{1,2}`.
    fn counts(&mut self) -> Step {
        let (counts, rest) = self.rest.split_once('}')?;
        let number = |text: &str| {
            let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse::<u32>().ok().filter(|count| is_number && *count <= MAX_REPETITIONS)
        };
        self.rest = rest;
        match counts.split_once(',') {
            None => number(counts).map(drop),
            Some((min, "")) => number(min).map(drop),
            Some((min, max)) => (number(min)? <= number(max)?).then_some(()),
        }
    }

    fn open_group(&mut self) -> Step {
        self.groups += 1;
        self.previous = Item::Nothing;
        if !self.rest.starts_with('?') || self.skip("?:") {
            return Some(());
        }
        let name = self.rest.strip_prefix("?P<")?;
        let (name, rest) = name.split_once('>')?;
        let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_';
        let is_name =
            name.starts_with(is_letter) && name.chars().all(|c| is_letter(c) || c.is_ascii_digit());
        self.rest = rest;
        (is_name && self.names.insert(name)).then_some(())
    }

    /// The rest of an escape; outside of a class also an anchor.
    fn escape(&mut self, place: EscapePlace) -> Option<Item> {
        let escaped = self.next()?;
        match escaped {
            'A' if place == EscapePlace::Pattern => return Some(Item::Nothing),
            'd' | 'w' | 's' if place != EscapePlace::NegatedClass => {}
            't' | 'n' | 'r' | 'f' | 'v' => {}
            'x' => {
                self.hexadecimal(2)?;
            }
            'u' => {
                char::from_u32(self.hexadecimal(4)?)?;
            }
            _ if escaped.is_ascii_punctuation() => {}
            _ => return None,
        }
        Some(Item::Repeatable)
    }

    fn hexadecimal(&mut self, digits: usize) -> Option<u32> {
        let (text, rest) = self.rest.split_at_checked(digits)?;
        let is_number = text.bytes().all(|byte| byte.is_ascii_hexdigit());
        self.rest = rest;
        u32::from_str_radix(text, 16).ok().filter(|_| is_number)
    }

    /// The rest of a class.
    fn class(&mut self) -> Step {
        let place = if self.skip("^") { EscapePlace::NegatedClass } else { EscapePlace::Class };
        // An empty class, or one that begins with a bracket, is not the same everywhere.
        if self.rest.starts_with(']') {
            return None;
        }
        loop {
            if self.skip("]") {
                return Some(());
            }
            let first = self.class_item(place)?;
            // A range that ends with `-`, for which Python warns of a set operation.
            if self.rest.starts_with("--") {
                return None;
            }
            if self.rest.starts_with('-') && !self.rest.starts_with("-]") {
                self.skip("-");
                let last = self.class_item(place)?;
                (first.character()? <= last.character()?).then_some(())?;
            }
        }
    }

    fn class_item(&mut self, place: EscapePlace) -> Option<ClassItem> {
        // Set operations and nested classes, which the syntaxes read differently.
        let is_odd = ["[", "&&", "--", "~~", "||"].iter().any(|odd| self.rest.starts_with(odd));
        if is_odd {
            return None;
        }
        let before = self.rest;
        match self.next()? {
            '\\' => self.escape(place)?,
            plain => return Some(ClassItem::Character(plain)),
        };
        let escape = &before[..before.len() - self.rest.len()];
        Some(escaped_character(escape).map_or(ClassItem::Class, ClassItem::Character))
    }
}

/// The character of an escape; `None` for a class.
fn escaped_character(escape: &str) -> Option<char> {
    match escape.chars().nth(1)? {
        'd' | 'w' | 's' => None,
        't' => Some('\t'),
        'n' => Some('\n'),
        'r' => Some('\r'),
        'f' => Some('\u{c}'),
        'v' => Some('\u{b}'),
        'x' | 'u' => char::from_u32(u32::from_str_radix(escape.get(2..)?, 16).ok()?),
        plain => Some(plain),
    }
}

#[cfg(test)]
mod tests {
    use tool_runtime_schema::schema::pattern::Pattern;

    use super::*;

    #[test]
    fn a_pattern_that_python_compiles_is_accepted() {
        for pattern in [
            "",
            "^[a-z ]+$",
            r"^\d{4}-\d{2}$",
            r"^(?:a|b)*?c{1,3}$",
            r"[\w.+-]+@[\w-]+\.[a-z]{2,}",
            "é+",
            r"^(?P<year>\d+)$",
            r"^[^\u0000]*$",
            r"[\w\s]",
            r"^[^a-z\n]$",
            r"[\x20-\x7e]",
            r"^[-a]$",
            r"\/\-",
            r"^\<b\>$",
            "a|",
            "()",
            r"^[0-9a-f]{8}-[0-9a-f]{4}$",
        ] {
            assert!(is_accepted(pattern), "{pattern}");
        }
    }

    /// Python's own white space, of which the validator's is a part but for U+FEFF.
    #[test]
    fn the_white_space_of_the_validator_is_pythons_and_one_character() {
        let validator = Pattern::new(r"^\s$").expect("a pattern");
        let only_python = ['\u{1C}', '\u{1D}', '\u{1E}', '\u{1F}', '\u{85}'];
        let is_python =
            |character: char| character.is_whitespace() || only_python.contains(&character);
        let characters = (0..=0xFFFF).filter_map(char::from_u32);
        let different: Vec<char> = characters
            .filter(|it| validator.is_match(it.encode_utf8(&mut [0; 4])) && !is_python(*it))
            .collect();
        assert_eq!(different, ['\u{FEFF}']);
    }

    #[test]
    fn a_pattern_that_python_refuses_or_reads_differently_is_rejected() {
        for pattern in [
            r"\p{L}",
            r"\u{1F600}",
            "(?<name>a)",
            r"a\z",
            r"a\Z",
            "a*+",
            "a**",
            "a++",
            "(?>a)",
            "(?i)a",
            "*a",
            "a|*",
            "^*",
            r"\b+",
            "(?=a)",
            "(?!a)",
            "(?<=a)b",
            "(?<!a)b",
            r"(a)\1",
            "[[:alpha:]]",
            "[a&&b]",
            "[a--b]",
            "[+--]",
            "[]a]",
            "[]",
            "[z-a]",
            r"[\d-z]",
            "(a",
            "a)",
            "a{3,1}",
            "a{,3}",
            "a{x}",
            r"\cA",
            r"\0",
            "(?P<a>x)(?P<a>y)",
            r"\",
            "[a",
            r"\x{41}",
            r"\Q",
            r"\ud83d",
            "a{4294967296}",
            // Python matches less: all of Unicode is excluded where the validator excludes ASCII.
            r"\W",
            r"\D",
            r"\S",
            r"[\W]",
            r"[^\w]",
            r"[^\d ]",
            r"\bword\b",
            r"\B",
        ] {
            assert!(!is_accepted(pattern), "{pattern}");
        }
    }
}

//! Converts a `pattern` of JSON Schema to a regular expression that matches whole texts.

use std::iter::Peekable;
use std::str::Chars;

/// The regular expression in the syntax of the crate `regex`, which accepts at least the texts that
/// the pattern accepts; `None` if the syntaxes differ in a part of it.
pub(super) fn whole_text_regex(pattern: &str) -> Option<String> {
    let inner = pattern.strip_prefix('^')?.strip_suffix('$')?;
    let escapes = inner.chars().rev().take_while(|character| *character == '\\').count();
    if escapes % 2 == 1 {
        return None;
    }
    let mut scan = RegexScan { rest: inner.chars().peekable(), groups: 0, is_repeated: false };
    while let Some(character) = scan.rest.next() {
        scan.item(character)?;
    }
    (scan.groups == 0).then(|| pattern.to_owned())
}

struct RegexScan<'p> {
    rest: Peekable<Chars<'p>>,
    /// The number of open groups.
    groups: usize,
    /// True after a repetition, which a `?` would make lazy.
    is_repeated: bool,
}

impl RegexScan<'_> {
    fn item(&mut self, character: char) -> Option<()> {
        let was_repeated = std::mem::take(&mut self.is_repeated);
        match character {
            '^' | '$' | '}' | ']' => None,
            '|' => (self.groups > 0).then_some(()),
            '\\' => self.escape(false),
            '[' => self.class(),
            '(' => self.group(),
            ')' => {
                self.groups = self.groups.checked_sub(1)?;
                Some(())
            }
            '*' | '+' | '?' | '{' => {
                self.is_repeated = true;
                (!was_repeated).then_some(())?;
                if character == '{' { self.count() } else { Some(()) }
            }
            _ => Some(()),
        }
    }

    /// Only plain groups, and those without a number.
    fn group(&mut self) -> Option<()> {
        self.groups += 1;
        if self.rest.next_if_eq(&'?').is_some() {
            self.rest.next_if_eq(&':')?;
        }
        Some(())
    }

    /// A repetition `{2}`, `{2,}` or `{2,3}`.
    fn count(&mut self) -> Option<()> {
        let mut digits = 0;
        let mut commas = 0;
        loop {
            match self.rest.next()? {
                '0'..='9' => digits += usize::from(commas == 0),
                ',' if digits > 0 && commas == 0 => commas = 1,
                '}' if digits > 0 => return Some(()),
                _ => return None,
            }
        }
    }

    /// A character, or a class that contains at least what the pattern's contains.
    fn escape(&mut self, is_negated: bool) -> Option<()> {
        match self.rest.next()? {
            'd' | 'w' | 's' => (!is_negated).then_some(()),
            'n' | 'r' | 't' => Some(()),
            character => character.is_ascii_punctuation().then_some(()),
        }
    }

    /// A class without operators of the crate `regex`: `[`, `&&`, `--`, `~~`.
    fn class(&mut self) -> Option<()> {
        let is_negated = self.rest.next_if_eq(&'^').is_some();
        let mut previous = None;
        loop {
            let character = self.rest.next()?;
            match character {
                ']' => return previous.map(|_| ()),
                '[' => return None,
                '&' | '-' | '~' if previous == Some(character) => return None,
                '\\' => self.escape(is_negated)?,
                _ => {}
            }
            previous = Some(character);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::whole_text_regex;

    #[test]
    fn patterns_that_both_syntaxes_read_alike_are_kept() {
        for pattern in [
            r"^[A-Z]{2}-\d+$",
            r"^(?:a|b)*$",
            "^$",
            r"^\$\\$",
            r"^a{2,}b{1,3}.?$",
            "^(a|é)$",
            r"^[^a\-]+$",
            r"^[\]\d]$",
        ] {
            assert_eq!(whole_text_regex(pattern).as_deref(), Some(pattern));
        }
    }

    #[test]
    fn patterns_that_a_whole_match_would_narrow_are_not_sent() {
        for pattern in [
            "a",
            "^a",
            "a$",
            "^a|b$",
            r"^a\$",
            "^a^$",
            "^(?=a)a$",
            "^(?<n>a)$",
            "^a+?$",
            "^a{2}?$",
            r"^\bA$",
            r"^\D$",
            r"^[^\d]$",
            r"^(a)\1$",
            "^[[a]$",
            "^[a&&b]$",
            "^[]$",
            "^a{$",
            "^a{,2}$",
            r"^\p{L}$",
            "^(a$",
            "^a)$",
            "^a]$",
        ] {
            assert_eq!(whole_text_regex(pattern), None, "{pattern}");
        }
    }
}

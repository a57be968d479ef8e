//! Makes a text for a regular expression, of the parts that most patterns consist of.

use std::iter::Peekable;
use std::str::Chars;

/// The longest text.
const MAX_LENGTH: usize = 2_048;
/// Characters that a class is tried with, the most ordinary first.
const TRIED: &str = "aA0 -_.,:;/@+*#!?=&%$'\"()[]{}<>|~^\\";

/// Makes a text that a pattern is likely to match, with `more` repetitions than each unbounded part
/// needs; `None` if the pattern has parts that are not supported.
pub(super) fn sample(pattern: &str, more: usize) -> Option<String> {
    let mut sampler = Sampler { rest: pattern.chars().peekable(), more };
    let text = sampler.alternatives()?;
    sampler.rest.next().is_none().then_some(text)
}

struct Sampler<'p> {
    rest: Peekable<Chars<'p>>,
    more: usize,
}

/// A range of characters.
type CharRange = (char, char);

impl Sampler<'_> {
    /// Reads alternatives, and samples the first.
    fn alternatives(&mut self) -> Option<String> {
        let first = self.sequence()?;
        while self.rest.next_if_eq(&'|').is_some() {
            self.sequence()?;
        }
        Some(first)
    }

    fn sequence(&mut self) -> Option<String> {
        let mut text = String::new();
        while let Some(next) = self.rest.next_if(|next| !"|)".contains(*next)) {
            let part = self.part(next)?;
            let count = self.repetitions()?;
            if text.len().saturating_add(part.len().saturating_mul(count)) > MAX_LENGTH {
                return None;
            }
            text.push_str(&part.repeat(count));
        }
        Some(text)
    }

    fn part(&mut self, next: char) -> Option<String> {
        Some(match next {
            '^' | '$' => String::new(),
            '.' => "a".to_owned(),
            '(' => self.group()?,
            '[' => self.class()?.to_string(),
            '\\' if self.rest.next_if(|next| "bB".contains(*next)).is_some() => String::new(),
            '\\' => self.escape()?.0.to_string(),
            literal => literal.to_string(),
        })
    }

    fn group(&mut self) -> Option<String> {
        if self.rest.next_if_eq(&'?').is_some() {
            match self.rest.next()? {
                ':' => {}
                '<' => self.skip_name()?,
                _ => return None,
            }
        }
        let text = self.alternatives()?;
        self.rest.next_if_eq(&')').map(|_| text)
    }

    /// Skips the rest of a group's name; a look-behind has none.
    fn skip_name(&mut self) -> Option<()> {
        self.rest.next_if(|next| !"=!".contains(*next))?;
        self.rest.find(|next| *next == '>').map(|_| ())
    }

    /// The characters of an escape, without the backslash.
    fn escape(&mut self) -> Option<CharRange> {
        Some(match self.rest.next()? {
            'd' => ('0', '9'),
            'w' | 'D' | 'S' => ('a', 'z'),
            's' | 'W' => (' ', ' '),
            'n' => ('\n', '\n'),
            't' => ('\t', '\t'),
            'r' => ('\r', '\r'),
            letter if letter.is_alphanumeric() => return None,
            literal => (literal, literal),
        })
    }

    /// Reads a class, and chooses one of its characters.
    fn class(&mut self) -> Option<char> {
        let negated = self.rest.next_if_eq(&'^').is_some();
        let mut ranges = Vec::new();
        loop {
            match self.rest.next()? {
                ']' if !ranges.is_empty() => break,
                // An empty class matches no text, or any.
                '[' | ']' => return None,
                next => ranges.push(self.range(next)?),
            }
        }
        let within =
            |letter: &char| ranges.iter().any(|(low, high)| (low..=high).contains(&letter));
        let tried = TRIED.chars().find(|letter| within(letter) != negated);
        tried.or_else(|| ranges.first().filter(|_| !negated).map(|(low, _)| *low))
    }

    fn range(&mut self, next: char) -> Option<CharRange> {
        let (low, high) = if next == '\\' { self.escape()? } else { (next, next) };
        let mut ahead = self.rest.clone();
        let is_range = low == high && ahead.next() == Some('-') && ahead.next() != Some(']');
        if !is_range {
            return Some((low, high));
        }
        self.rest.next();
        let end = match self.rest.next()? {
            '\\' => self.escape()?.1,
            end => end,
        };
        Some((low, end))
    }

    /// Reads a quantifier.
    fn repetitions(&mut self) -> Option<usize> {
        let more = self.more;
        let count = match self.rest.peek() {
            Some('*') => self.taken(more),
            Some('+') => self.taken(more.max(1)),
            Some('?') => self.taken(more.min(1)),
            Some('{') => {
                self.rest.next();
                self.counted()?
            }
            _ => return Some(1),
        };
        // A lazy quantifier matches the same texts.
        self.rest.next_if_eq(&'?');
        Some(count)
    }

    fn taken(&mut self, count: usize) -> usize {
        self.rest.next();
        count
    }

    /// Reads `2}`, `2,}` or `2,5}`.
    fn counted(&mut self) -> Option<usize> {
        let min = self.number()?;
        if self.rest.next_if_eq(&',').is_none() {
            return self.rest.next_if_eq(&'}').map(|_| min);
        }
        let max = self.number().unwrap_or(usize::MAX);
        self.rest.next_if_eq(&'}')?;
        Some(min.saturating_add(self.more).min(max).max(min))
    }

    fn number(&mut self) -> Option<usize> {
        let mut digits = String::new();
        while let Some(digit) = self.rest.next_if(char::is_ascii_digit) {
            digits.push(digit);
        }
        digits.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::shape::matches;
    use super::sample;

    #[test]
    fn common_patterns_match_their_samples() {
        let patterns = [
            "",
            "^$",
            "abc",
            "^[a-z]+$",
            "^[A-Z]{2}[0-9]{4}$",
            r"^\d{4}-\d{2}-\d{2}$",
            "^(foo|bar)$",
            "^[^@ ]+@[^@ ]+$",
            r"^\+?[0-9]{6,14}$",
            "^(?:[a-z0-9]+-)*[a-z]{1,3}$",
            "^(?<year>[0-9]{4})?$",
            r"^[\w.-]+$",
            r"\bword\b",
            "^a.c$",
            r"^[a\-z]+?$",
            "^x{0,3}$",
            r"^[+\-*/]$",
        ];
        for pattern in patterns {
            for more in [0, 1, 5] {
                let text = sample(pattern, more).unwrap_or_else(|| panic!("{pattern}"));
                assert_eq!(matches(pattern, &text), Some(true), "{pattern} {text}");
            }
        }
    }

    #[test]
    fn a_pattern_that_is_not_supported_or_too_long_has_no_sample() {
        for pattern in
            ["(?=a)a", "(?<!a)b", r"\p{L}", "(", "[", "a{3", ")", "(a{1000}){1000}", "[[:alpha:]]"]
        {
            assert_eq!(sample(pattern, 1), None, "{pattern}");
        }
    }
}

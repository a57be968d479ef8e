//! Translates expressions of ECMA-262 to `regex-lite`, whose syntax looks alike and differs in meaning.
//!
//! Literals are written as escapes, so that a character has no meaning that only `regex-lite` knows.

use std::fmt::Write;

use super::PatternError;
use super::escape::{Escape, escape};

/// Any character but the line terminators of ECMA-262.
const NO_LINE_TERMINATOR: &str = r"[^\n\r\u{2028}\u{2029}]";

/// The expression in the syntax of `regex-lite`.
pub fn translated(source: &str) -> Result<String, PatternError> {
    let mut translation = Translation {
        rest: source,
        text: String::with_capacity(source.len()),
        groups: 0,
        previous: Term::Nothing,
        has_empty_class: false,
        unsupported: None,
    };
    while let Some(first) = translation.next_char() {
        translation.term(first)?;
    }
    match translation.unsupported {
        _ if translation.groups > 0 => Err(PatternError::Syntax("a group is not closed")),
        Some(construct) => Err(PatternError::Unsupported(construct)),
        None => Ok(translation.text),
    }
}

/// The part before the current position, which a repetition would repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Term {
    /// The start of the expression, of a group or of an alternative.
    Nothing,
    /// A character, a class or a group.
    Atom,
    /// `^`, `$`, `\b` or `\B`.
    Anchor,
    Repetition,
}

pub(super) struct Translation<'p> {
    pub(super) rest: &'p str,
    pub(super) text: String,
    /// The number of open groups.
    groups: usize,
    previous: Term,
    pub(super) has_empty_class: bool,
    /// The first construct that cannot be matched. The rest is read for syntax errors.
    unsupported: Option<&'static str>,
}

type Step = Result<(), PatternError>;

impl Translation<'_> {
    fn next_char(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let next = chars.next()?;
        self.rest = chars.as_str();
        Some(next)
    }

    pub(super) fn skip(&mut self, text: &str) -> bool {
        let tail = self.rest.strip_prefix(text);
        self.rest = tail.unwrap_or(self.rest);
        tail.is_some()
    }

    pub(super) fn unsupported(&mut self, construct: &'static str) {
        self.unsupported.get_or_insert(construct);
    }

    pub(super) fn literal(&mut self, character: char) {
        if character.is_ascii_alphanumeric() || !character.is_ascii() {
            self.text.push(character);
        } else {
            // Writing to a `String` does not fail.
            let _ = write!(self.text, "\\x{{{:X}}}", u32::from(character));
        }
    }

    fn term(&mut self, first: char) -> Step {
        let previous = std::mem::replace(&mut self.previous, Term::Atom);
        match first {
            '\\' => self.escape()?,
            '[' => self.class()?,
            '(' => self.open_group(),
            ')' => self.close_group()?,
            '|' => {
                self.previous = Term::Nothing;
                self.text.push(first);
            }
            '^' | '$' => {
                self.previous = Term::Anchor;
                self.text.push(first);
            }
            '.' => self.text.push_str(NO_LINE_TERMINATOR),
            '*' | '+' | '?' => self.repeat(previous, first.encode_utf8(&mut [0; 4]))?,
            '{' => self.brace(previous)?,
            ']' if self.has_empty_class => self.unsupported("a class that begins with `]`"),
            other => self.literal(other),
        }
        Ok(())
    }

    fn escape(&mut self) -> Step {
        match self.escape_at(Place::Pattern)? {
            Escape::Character(character) => self.literal(character),
            Escape::Class(ranges) => {
                let _ = write!(self.text, "[{ranges}]");
            }
            Escape::Anchor(anchor) => {
                self.previous = Term::Anchor;
                self.text.push_str(anchor);
            }
            Escape::Unsupported(construct) => self.unsupported(construct),
        }
        Ok(())
    }

    /// Reads an escape after its backslash.
    pub(super) fn escape_at(&mut self, place: Place) -> Result<Escape, PatternError> {
        let end = PatternError::Syntax("the pattern ends with a backslash");
        let (escape, length) = escape(self.rest, place).ok_or(end)?;
        self.rest = &self.rest[length..];
        Ok(escape)
    }

    fn open_group(&mut self) {
        self.groups += 1;
        self.previous = Term::Nothing;
        if !self.rest.starts_with('?') || self.skip("?:") {
            self.text.push_str("(?:");
        } else if let Some(length) = group_name(self.rest) {
            self.rest = &self.rest[length..];
            self.text.push_str("(?:");
        } else {
            self.unsupported(group_construct(self.rest));
            // Otherwise it would be a repetition of nothing.
            self.skip("?");
        }
    }

    fn close_group(&mut self) -> Step {
        let groups = self.groups.checked_sub(1);
        self.groups = groups.ok_or(PatternError::Syntax("a `)` closes no group"))?;
        self.text.push(')');
        Ok(())
    }

    fn repeat(&mut self, previous: Term, repetition: &str) -> Step {
        self.previous = Term::Repetition;
        match previous {
            Term::Nothing => return Err(PatternError::Syntax("a repetition repeats nothing")),
            Term::Atom => {}
            Term::Anchor | Term::Repetition => {
                self.unsupported("a repetition of an anchor or of another repetition");
            }
        }
        self.text.push_str(repetition);
        if self.skip("?") {
            self.text.push('?');
        }
        Ok(())
    }

    /// Reads a repetition with counts, or a brace that is a literal.
    fn brace(&mut self, previous: Term) -> Step {
        let end = self.rest.find(|next: char| !next.is_ascii_digit() && next != ',');
        let end = end.filter(|end| self.rest[*end..].starts_with('}'));
        let counts = end.map_or("", |end| &self.rest[..end]);
        let (min, max) = counts.split_once(',').unwrap_or((counts, counts));
        match (min.is_empty(), max) {
            (true, "") => self.literal('{'),
            (_, max) if max.contains(',') => self.literal('{'),
            (true, _) => self.unsupported("a repetition without a minimum (`{,3}`)"),
            (false, max) if !max.is_empty() && number(min) > number(max) => {
                return Err(PatternError::Syntax("a repetition has a minimum above its maximum"));
            }
            (false, _) => {
                self.rest = &self.rest[counts.len() + 1..];
                return self.repeat(previous, &format!("{{{counts}}}"));
            }
        }
        Ok(())
    }
}

/// The location of an escape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Pattern,
    Class,
}

/// A count; counts that are too large for the matcher are equal.
fn number(digits: &str) -> u64 {
    digits.parse().unwrap_or(u64::MAX)
}

/// The length of `?<name>`.
fn group_name(rest: &str) -> Option<usize> {
    let name = rest.strip_prefix("?<")?;
    let is_part = |next: char| next.is_alphanumeric() || "_$".contains(next);
    let length = name.find(|next| !is_part(next))?;
    let is_name = name[length..].starts_with('>') && length > 0;
    (is_name && !name.starts_with(char::is_numeric)).then_some("?<".len() + length + 1)
}

/// Names a group from the question mark after its parenthesis.
fn group_construct(rest: &str) -> &'static str {
    let is_any = |starts: [&str; 2]| starts.iter().any(|start| rest.starts_with(start));
    let flags = rest[1..].trim_start_matches(|next: char| next.is_ascii_lowercase() || next == '-');
    if is_any(["?=", "?!"]) {
        "look-ahead"
    } else if is_any(["?<=", "?<!"]) {
        "look-behind"
    } else if flags.starts_with([':', ')']) {
        "a flag in the pattern (`(?i)`)"
    } else {
        "a group of another syntax, such as `(?P<name>)` or `(?>)`"
    }
}

//! Texts that match a regular expression.

use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

use super::generator::{Generator, ValueSize};
use crate::schema::pattern::{Pattern, translated};

/// The most repetitions without a bound.
const MAX_REPETITIONS: u32 = 8;
/// The longest text that is made.
const MAX_LENGTH: usize = 10_000;

impl Generator<'_> {
    /// Makes a text that matches the pattern; none if this try failed.
    pub(super) fn matching(&mut self, pattern: &str) -> Option<String> {
        let hir = regex_syntax::Parser::new().parse(&translated(pattern).ok()?).ok()?;
        let mut text = String::new();
        self.write(&hir, &mut text);
        // Some texts continue outside the match, since an unanchored pattern admits that.
        if self.wanted_size == ValueSize::Any && self.rng.once_in(4) {
            let around = format!("{}{text}", self.words(3));
            text = if is_match(pattern, &around) { around } else { text };
        }
        is_match(pattern, &text).then_some(text)
    }

    fn write(&mut self, hir: &Hir, text: &mut String) {
        if text.len() > MAX_LENGTH {
            return;
        }
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => {}
            HirKind::Literal(literal) => text.push_str(&String::from_utf8_lossy(&literal.0)),
            HirKind::Class(class) => text.extend(self.one_of(class)),
            HirKind::Repetition(repetition) => {
                for _ in 0..self.times(repetition) {
                    self.write(&repetition.sub, text);
                }
            }
            HirKind::Capture(capture) => self.write(&capture.sub, text),
            HirKind::Concat(all) => all.iter().for_each(|part| self.write(part, text)),
            HirKind::Alternation(branches) => {
                let first = self.wanted_size == ValueSize::Least;
                let branch = if first { branches.first() } else { self.rng.pick(branches) };
                if let Some(branch) = branch {
                    self.write(branch, text);
                }
            }
        }
    }

    fn times(&mut self, repetition: &Repetition) -> u32 {
        let min = repetition.min;
        let max = repetition.max.unwrap_or(min.saturating_add(MAX_REPETITIONS)).min(min + 256);
        let span = usize::try_from(max - min).unwrap_or(0);
        let more = match (self.wanted_size, self.rng.below(4)) {
            (ValueSize::Most, 0..=2) | (ValueSize::Any, 0) => span,
            (ValueSize::Any, 1) | (ValueSize::Least, 0..=2) => 0,
            _ => self.rng.below(span + 1),
        };
        min + u32::try_from(more).unwrap_or(0)
    }

    /// Chooses a character of a class, mostly a printable one.
    fn one_of(&mut self, class: &Class) -> Option<char> {
        let ranges: Vec<(u32, u32)> = match class {
            Class::Unicode(class) => {
                class.iter().map(|range| (range.start().into(), range.end().into())).collect()
            }
            Class::Bytes(class) => {
                class.iter().map(|range| (range.start().into(), range.end().into())).collect()
            }
        };
        let seen: Vec<(u32, u32)> = ranges
            .iter()
            .map(|(first, last)| ((*first).max(0x20), (*last).min(0x7e)))
            .filter(|(first, last)| first <= last)
            .collect();
        let odd = self.wanted_size == ValueSize::Any && self.rng.once_in(10);
        let from = if seen.is_empty() || odd { &ranges } else { &seen };
        let (first, last) = *self.rng.pick(from)?;
        let edge = self.rng.once_in(4);
        let code_point =
            if edge { first.into() } else { self.rng.within(first.into(), last.into()) };
        u32::try_from(code_point).ok().and_then(char::from_u32)
    }
}

pub(super) fn is_match(pattern: &str, text: &str) -> bool {
    Pattern::new(pattern).is_ok_and(|regex| regex.is_match(text))
}

//! Splits a text into parts that still need matching and parts that are finished.

use std::ops::Range;

use regex_lite::Regex;

use crate::test_cost;

/// A part of a text.
#[derive(Debug, Clone, Copy)]
pub(super) enum TextPiece<'t> {
    /// Not matched yet.
    Unmatched(&'t str),
    /// Kept as written.
    Accepted(&'t str),
    /// A replacement.
    Replacement(&'t str),
}

impl<'t> TextPiece<'t> {
    pub(super) fn as_str(&self) -> &'t str {
        match self {
            Self::Unmatched(text) | Self::Accepted(text) | Self::Replacement(text) => text,
        }
    }
}

/// A match of a pattern, with its surrounding text.
#[derive(Debug, Clone)]
pub(super) struct PatternMatch<'t> {
    pub(super) text: &'t str,
    pub(super) range: Range<usize>,
}

impl<'t> PatternMatch<'t> {
    pub(super) fn as_str(&self) -> &'t str {
        &self.text[self.range.clone()]
    }

    /// Returns whether the match has no adjacent letter, digit or underscore.
    pub(super) fn is_whole_word(&self) -> bool {
        self.starts_at_word_boundary() && self.ends_at_word_boundary()
    }

    pub(super) fn starts_at_word_boundary(&self) -> bool {
        !self.before().next_back().is_some_and(joins)
    }

    pub(super) fn ends_at_word_boundary(&self) -> bool {
        !self.after().next().is_some_and(joins)
    }

    /// Returns whether the match is part of a longer number: `1.5`, `7-1`.
    pub(super) fn continues_a_number(&self) -> bool {
        let joint = |c: char| matches!(c, '.' | ',' | '-' | ':' | '/');
        let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        let (mut before, mut after) = (self.before(), self.after());
        (before.next_back().is_some_and(joint) && digit(before.next_back()))
            || (after.next().is_some_and(joint) && digit(after.next()))
    }

    fn before(&self) -> std::str::Chars<'t> {
        self.text[..self.range.start].chars()
    }

    fn after(&self) -> std::str::Chars<'t> {
        self.text[self.range.end..].chars()
    }
}

fn joins(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Selects the parts of a match that are replaced; none if the match is a false positive.
#[derive(Debug, Clone, Copy)]
pub(super) enum MatchCheck {
    /// At most one part; the text after it is searched again.
    One(fn(&PatternMatch<'_>) -> Option<Range<usize>>),
    /// All parts of a run in one pass, so that a run with many parts is not searched once per part.
    Many(fn(&PatternMatch<'_>, &mut Vec<Range<usize>>)),
}

impl MatchCheck {
    /// Appends the parts to replace, and returns whether the whole match is finished.
    fn parts(self, found: &PatternMatch<'_>, parts: &mut Vec<Range<usize>>) -> bool {
        match self {
            Self::One(check) => {
                parts.extend(check(found).filter(|part| !part.is_empty()));
                false
            }
            Self::Many(check) => {
                check(found, parts);
                true
            }
        }
    }
}

/// Splits the open pieces at every match; if the pattern has a group, only the group is replaced.
///
/// Returns `None` if the searches could take more than `max_steps` steps. A step is one byte that a
/// search may read: in the worst case the rest of the text for each match.
pub(super) fn cut<'t>(
    pieces: &[TextPiece<'t>],
    regex: &Regex,
    check: MatchCheck,
    max_steps: usize,
    as_piece: impl Fn(&'t str) -> TextPiece<'t>,
) -> Option<Vec<TextPiece<'t>>> {
    let mut cut = Vec::with_capacity(pieces.len() + 2);
    let mut parts = Vec::new();
    let mut left = max_steps;
    for piece in pieces {
        let TextPiece::Unmatched(mut rest) = *piece else {
            cut.push(*piece);
            continue;
        };
        let mut from = 0;
        while from <= rest.len() {
            left = left.checked_sub(rest.len() - from)?;
            let Some((range, end)) = next(regex, rest, from) else {
                test_cost::count(rest.len() - from);
                break;
            };
            test_cost::count(end - from + 1);
            parts.clear();
            let decided = check.parts(&PatternMatch { text: rest, range }, &mut parts);
            let Some(last) = parts.last().map(|part| part.end) else {
                from = end.max(beyond(rest, from));
                continue;
            };
            let mut done = 0;
            for part in parts.drain(..) {
                if part.start > done {
                    cut.push(TextPiece::Unmatched(&rest[done..part.start]));
                }
                done = part.end;
                cut.push(as_piece(&rest[part]));
            }
            // The search restarts after the match, so that adjacent matches are found as well.
            rest = &rest[last..];
            from = if decided { end.saturating_sub(last) } else { 0 };
        }
        if !rest.is_empty() {
            cut.push(TextPiece::Unmatched(rest));
        }
    }
    Some(cut)
}

/// The replaced part of the next match, and the end of the match.
fn next(regex: &Regex, text: &str, from: usize) -> Option<(Range<usize>, usize)> {
    if regex.captures_len() > 1 {
        let captures = regex.captures_at(text, from)?;
        let match_range = captures.get(0)?.range();
        Some((captures.get(1).map_or(match_range.clone(), |group| group.range()), match_range.end))
    } else {
        let next_match = regex.find_at(text, from)?;
        Some((next_match.range(), next_match.end()))
    }
}

/// The position after the character at this position.
fn beyond(text: &str, at: usize) -> usize {
    at + text[at..].chars().next().map_or(1, char::len_utf8)
}

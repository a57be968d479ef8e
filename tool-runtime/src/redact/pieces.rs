//! A text cut into what may still be looked at and what is decided.

use std::ops::Range;

use regex_lite::Regex;

use crate::steps;

/// A part of a text.
#[derive(Debug, Clone, Copy)]
pub(super) enum Piece<'t> {
    /// Not looked at yet.
    Open(&'t str),
    /// Stands as it is.
    Kept(&'t str),
    /// Stands in place of something.
    Mark(&'t str),
}

impl<'t> Piece<'t> {
    pub(super) fn as_str(&self) -> &'t str {
        match self {
            Self::Open(text) | Self::Kept(text) | Self::Mark(text) => text,
        }
    }
}

/// What a pattern found, with what stands around it.
#[derive(Debug, Clone)]
pub(super) struct Found<'t> {
    pub(super) text: &'t str,
    pub(super) range: Range<usize>,
}

impl<'t> Found<'t> {
    pub(super) fn as_str(&self) -> &'t str {
        &self.text[self.range.clone()]
    }

    /// Says whether no letter, digit or underscore borders on it.
    pub(super) fn stands_alone(&self) -> bool {
        self.begins_at_a_gap() && self.ends_at_a_gap()
    }

    pub(super) fn begins_at_a_gap(&self) -> bool {
        !self.before().next_back().is_some_and(joins)
    }

    pub(super) fn ends_at_a_gap(&self) -> bool {
        !self.after().next().is_some_and(joins)
    }

    /// Says whether it is a part of a longer number: `1.5`, `7-1`.
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

/// Says which parts of what was found count; none if it only looked so.
#[derive(Debug, Clone, Copy)]
pub(super) enum Check {
    /// One part counts at most; what follows it is looked at anew.
    One(fn(&Found<'_>) -> Option<Range<usize>>),
    /// All parts of a run are found in one pass, so that a run of many is not looked at once for
    /// each of them.
    Many(fn(&Found<'_>, &mut Vec<Range<usize>>)),
}

impl Check {
    /// Adds the parts that count, and returns whether all of the match is decided.
    fn parts(self, found: &Found<'_>, parts: &mut Vec<Range<usize>>) -> bool {
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

/// Cuts every match out of the open pieces; where the pattern has a group, only that.
///
/// Returns none where the searches could take more than `most` steps: a step is a byte that a
/// search may look at, in the worst case all that is left of the text for each match.
pub(super) fn cut<'t>(
    pieces: &[Piece<'t>],
    regex: &Regex,
    check: Check,
    most: usize,
    as_piece: impl Fn(&'t str) -> Piece<'t>,
) -> Option<Vec<Piece<'t>>> {
    let mut cut = Vec::with_capacity(pieces.len() + 2);
    let mut parts = Vec::new();
    let mut left = most;
    for piece in pieces {
        let Piece::Open(mut rest) = *piece else {
            cut.push(*piece);
            continue;
        };
        let mut from = 0;
        while from <= rest.len() {
            left = left.checked_sub(rest.len() - from)?;
            let Some((range, end)) = next(regex, rest, from) else {
                steps::count(rest.len() - from);
                break;
            };
            steps::count(end - from + 1);
            parts.clear();
            let decided = check.parts(&Found { text: rest, range }, &mut parts);
            let Some(last) = parts.last().map(|part| part.end) else {
                from = end.max(beyond(rest, from));
                continue;
            };
            let mut done = 0;
            for part in parts.drain(..) {
                if part.start > done {
                    cut.push(Piece::Open(&rest[done..part.start]));
                }
                done = part.end;
                cut.push(as_piece(&rest[part]));
            }
            // What follows starts anew, so that a neighbour without a gap is seen as well.
            rest = &rest[last..];
            from = if decided { end.saturating_sub(last) } else { 0 };
        }
        if !rest.is_empty() {
            cut.push(Piece::Open(rest));
        }
    }
    Some(cut)
}

/// What of the next match counts, and where the match ends.
fn next(regex: &Regex, text: &str, from: usize) -> Option<(Range<usize>, usize)> {
    if regex.captures_len() > 1 {
        let captures = regex.captures_at(text, from)?;
        let whole = captures.get(0)?.range();
        Some((captures.get(1).map_or(whole.clone(), |group| group.range()), whole.end))
    } else {
        let found = regex.find_at(text, from)?;
        Some((found.range(), found.end()))
    }
}

/// The place behind the character at this one.
fn beyond(text: &str, at: usize) -> usize {
    at + text[at..].chars().next().map_or(1, char::len_utf8)
}

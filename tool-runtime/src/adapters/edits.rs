//! Edits of a JSON text that keep all other bytes.

use std::borrow::Cow;
use std::ops::Range;

use crate::json::JsonNode;

/// Ranges of a text to replace.
#[derive(Debug, Default)]
pub(super) struct TextEdits {
    edits: Vec<(Range<usize>, String)>,
}

impl TextEdits {
    pub(super) fn replace(&mut self, range: Range<usize>, with: String) {
        self.edits.push((range, with));
    }

    /// Removes members of one object, with the commas between them.
    pub(super) fn remove_members(&mut self, members: &[(u32, &JsonNode)], removed: &[bool]) {
        let kept = removed.iter().rposition(|removed| !removed).map_or(0, |last| last + 1);
        for (at, pair) in members.windows(2).enumerate().take(kept) {
            if let ([(_, member), (_, next)], true) = (pair, removed[at]) {
                self.replace(member.member_start()..next.member_start(), String::new());
            }
        }
        if let (Some((_, first)), Some((_, last))) = (members.get(kept), members.last()) {
            let before = kept.checked_sub(1).and_then(|at| members.get(at));
            let start = before.map_or(first.member_start(), |(_, member)| member.end());
            self.replace(start..last.end(), String::new());
        }
    }

    /// The text with the ranges replaced; they may be in any order, and do not overlap.
    pub(super) fn apply(mut self, text: &str) -> Cow<'_, str> {
        if self.edits.is_empty() {
            return Cow::Borrowed(text);
        }
        self.edits.sort_by_key(|(range, _)| range.start);
        let mut result = String::with_capacity(text.len());
        let mut at = 0;
        for (range, with) in &self.edits {
            result.push_str(&text[at..range.start]);
            result.push_str(with);
            at = range.end;
        }
        result.push_str(&text[at..]);
        Cow::Owned(result)
    }
}

//! Edits of a JSON text that keep all other bytes.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use tool_runtime_schema::json::{JsonNode, removed_members};

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
        let removed: BTreeSet<u32> = members
            .iter()
            .zip(removed)
            .filter_map(|((id, _), removed)| removed.then_some(*id))
            .collect();
        for (_, range) in removed_members(members, |id| removed.contains(&id)) {
            self.replace(range, String::new());
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

//! Removes members of an object from its text, with the commas that separate them.

use std::ops::Range;

use super::JsonNode;

/// Returns the range that goes with each removed member, in their order; none of them overlap.
///
/// Members at the end go together with the comma before them: the range of the first of them holds
/// all, and those of the others are empty.
pub fn removed_members(
    members: &[(u32, &JsonNode)],
    is_removed: impl Fn(u32) -> bool,
) -> Vec<(u32, Range<usize>)> {
    let last_kept = members.iter().rposition(|(id, _)| !is_removed(*id));
    let tail = last_kept.map_or(0, |last| last + 1);
    let mut ranges: Vec<_> = members
        .windows(2)
        .take(tail)
        .filter_map(|pair| match pair {
            [(id, member), (_, next)] if is_removed(*id) => {
                Some((*id, member.member_start()..next.member_start()))
            }
            _ => None,
        })
        .collect();
    let end = members.last().map_or(0, |(_, last)| last.end());
    for (index, (id, member)) in members.iter().enumerate().skip(tail) {
        let start = match (index == tail, last_kept.and_then(|last| members.get(last))) {
            (true, Some((_, kept))) => kept.end(),
            (true, None) => member.member_start(),
            (false, _) => end,
        };
        ranges.push((*id, start..end));
    }
    ranges
}

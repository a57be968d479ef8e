//! Suggests names for a misspelt one.

use crate::test_cost;

/// The longest name, in bytes, that is compared.
const MAX_LENGTH: usize = 64;

/// Returns at most `max` names that are close to the wanted one, closest first.
///
/// Case and the separators `_`, `-`, `.` and space are ignored. Swapping two neighbours counts as
/// one edit. A third of the letters may differ. Runs in linear time, at most 64 steps per name.
pub(super) fn nearest<'a>(
    wanted: &str,
    names: impl Iterator<Item = &'a str>,
    max: usize,
) -> Vec<&'a str> {
    let Some(masks) = LetterMasks::new(wanted) else { return Vec::new() };
    let mut best: Vec<(usize, &str)> = Vec::new();
    for name in names {
        test_cost::count(1);
        let Some(distance) = masks.distance(name) else { continue };
        let at = best.partition_point(|(other, _)| *other <= distance);
        if at < max {
            best.truncate(max - 1);
            best.insert(at, (distance, name));
        }
    }
    best.into_iter().map(|(_, name)| name).collect()
}

/// Returns at most `max` tool names that are close to the wanted one, closest first.
///
/// Some models write a namespace before a tool's name (`functions.now`). A name that equals the
/// rest comes first; if no name is close to the whole, names that are close to the rest follow.
#[must_use]
pub fn nearest_tools<'a>(wanted: &str, names: &[&'a str], max: usize) -> Vec<&'a str> {
    let mut nearest_names = nearest(wanted, names.iter().copied(), max);
    if wanted.len() > 2 * MAX_LENGTH {
        return nearest_names;
    }
    let inner = |name: &str| name.find(['.', '/', ':']).map(|at| at + 1);
    let rests = std::iter::successors(inner(wanted), |at| Some(at + inner(&wanted[*at..])?));
    for rest in rests.map(|at| &wanted[at..]) {
        test_cost::count(names.len());
        if let Some(exact) = names.iter().find(|name| **name == rest) {
            nearest_names.retain(|name| name != exact);
            nearest_names.insert(0, exact);
            nearest_names.truncate(max);
            return nearest_names;
        }
        if nearest_names.is_empty() {
            nearest_names = nearest(rest, names.iter().copied(), max);
        }
    }
    nearest_names
}

/// Bit masks by byte: bit `i` is set if letter `i` is that byte.
struct LetterMasks {
    rows: [u64; 256],
    length: usize,
    letters: Letters,
}

impl LetterMasks {
    fn new(name: &str) -> Option<Self> {
        let letters = Letters::from_name(name)?;
        let mut rows = [0; 256];
        for (at, letter) in letters.as_slice().iter().enumerate() {
            rows[usize::from(*letter)] |= 1 << at;
        }
        Some(Self { rows, length: letters.length, letters })
    }

    /// The edit distance of a name, if it is within the accepted limit.
    fn distance(&self, name: &str) -> Option<usize> {
        let letters = Letters::from_name(name)?;
        let allowed = (self.length.max(letters.length) / 3).max(1);
        let shorter = self.length.min(letters.length);
        if shorter >= 4 && is_part(self.letters.as_slice(), letters.as_slice()) {
            return Some(allowed.min(self.length.abs_diff(letters.length)));
        }
        if self.length.abs_diff(letters.length) > allowed {
            return None;
        }
        let steps = self.steps(letters.as_slice());
        (steps <= allowed && steps < shorter).then_some(steps)
    }

    /// The edit distance with swaps (optimal string alignment), after Hyyrö 2003: each column of
    /// the usual table is a few machine words.
    fn steps(&self, letters: &[u8]) -> usize {
        let last = 1_u64 << (self.length - 1);
        let (mut up, mut down, mut same, mut before) = (u64::MAX, 0_u64, 0_u64, 0_u64);
        let mut steps = self.length;
        for letter in letters {
            let row = self.rows[usize::from(*letter)];
            let swap = ((!same & row) << 1) & before;
            same = ((row & up).wrapping_add(up) ^ up) | row | down | swap;
            let right = down | !(same | up);
            let left = same & up;
            steps += usize::from(right & last != 0);
            steps -= usize::from(left & last != 0);
            let right = (right << 1) | 1;
            up = (left << 1) | !(same | right);
            down = right & same;
            before = row;
        }
        steps
    }
}

/// Returns whether one name is a prefix or suffix of the other.
fn is_part(a: &[u8], b: &[u8]) -> bool {
    let (long, short) = if a.len() > b.len() { (a, b) } else { (b, a) };
    long.starts_with(short) || long.ends_with(short)
}

/// The bytes of a name that are compared.
struct Letters {
    bytes: [u8; MAX_LENGTH],
    length: usize,
}

impl Letters {
    fn from_name(name: &str) -> Option<Self> {
        let mut letters = Self { bytes: [0; MAX_LENGTH], length: 0 };
        if name.len() > 2 * MAX_LENGTH {
            return None;
        }
        for byte in name.bytes().filter(|byte| !matches!(byte, b'_' | b'-' | b'.' | b' ')) {
            *letters.bytes.get_mut(letters.length)? = byte.to_ascii_lowercase();
            letters.length += 1;
        }
        (letters.length > 0).then_some(letters)
    }

    fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::{nearest, nearest_tools};

    #[track_caller]
    fn check(wanted: &str, names: &[&str], expected: &[&str]) {
        assert_eq!(nearest(wanted, names.iter().copied(), 3), expected);
    }

    #[test]
    fn slips_find_what_was_meant() {
        check("limti", &["query", "limit", "tags"], &["limit"]);
        check("Limit", &["query", "limit"], &["limit"]);
        check("maxResults", &["max_results", "min_results"], &["max_results", "min_results"]);
        check("querry", &["query"], &["query"]);
        check("search", &["search_content", "delete_content"], &["search_content"]);
        check("tag", &["tags", "query"], &["tags"]);
    }

    #[track_caller]
    fn check_tools(wanted: &str, names: &[&str], expected: &[&str]) {
        assert_eq!(nearest_tools(wanted, names, 3), expected);
    }

    #[test]
    fn a_namespace_before_a_tools_name_is_ignored() {
        check_tools("functions.now", &["now", "later"], &["now"]);
        check_tools("functions.now", &["function_new", "now"], &["now", "function_new"]);
        check_tools("default_api:now", &["now"], &["now"]);
        check_tools("tools/functions.now", &["now"], &["now"]);
        check_tools("functions.lter", &["now", "later"], &["later"]);
        check_tools("functions.content.get", &["content.get"], &["content.get"]);
        check_tools("functions.", &["now"], &[]);
        check_tools(&"x.".repeat(10_000), &["x"], &[]);
    }

    #[test]
    fn strangers_find_nothing() {
        check("colour", &["query", "limit", "tags"], &[]);
        check("x", &["y"], &[]);
        check("", &["query"], &[]);
        check(&"x".repeat(10_000), &["query"], &[]);
    }

    #[test]
    fn the_closest_come_first_and_at_most_max() {
        let names = ["abcdeg", "abcdef", "abcdxx", "abcdey", "abcdez"];
        check("abcdef", &names, &["abcdef", "abcdeg", "abcdey"]);
    }
}

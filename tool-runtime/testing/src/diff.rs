//! Differences between two texts.

use similar::TextDiff;

/// Returns the lines that differ, with context; `-` was expected, `+` was found.
pub(super) fn lines(expected: &str, found: &str) -> String {
    let difference = TextDiff::from_lines(expected, found);
    let difference =
        difference.unified_diff().context_radius(3).header("expected", "found").to_string();
    difference.trim_end().to_owned()
}

//! What differs between two texts, as people read it.

use similar::TextDiff;

/// The lines that differ, with those around them; `-` was expected, `+` was found.
pub(super) fn lines(expected: &str, found: &str) -> String {
    let difference = TextDiff::from_lines(expected, found);
    let difference =
        difference.unified_diff().context_radius(3).header("expected", "found").to_string();
    difference.trim_end().to_owned()
}

//! Finds the markers that git leaves in a file whose merge has conflicts.

/// The shortest marker; `conflict-marker-size` makes it longer.
const LENGTH: usize = 7;

/// The conflict markers of a text, with their lines, counted from 1; `None` if there are none.
///
/// No line of valid JSON begins like a marker.
#[must_use]
pub fn markers(text: &str) -> Option<Vec<(usize, char)>> {
    let lines = text.lines().enumerate();
    let marker_lines: Vec<_> =
        lines.filter_map(|(at, line)| Some((at + 1, marker(line)?))).collect();
    (!marker_lines.is_empty()).then_some(marker_lines)
}

/// The character that a marker repeats: `|` begins the common ancestor in the styles `diff3` and
/// `zdiff3`.
fn marker(line: &str) -> Option<char> {
    let sign = line.chars().next().filter(|sign| "<|=>".contains(*sign))?;
    let label = line.trim_start_matches(sign);
    let is_long = line.len() - label.len() >= LENGTH;
    (is_long && (label.is_empty() || label.starts_with(' '))).then_some(sign)
}

#[cfg(test)]
mod tests {
    use super::markers;

    #[test]
    fn markers_are_found_with_their_lines_in_every_style() {
        let merge = "{\n<<<<<<< HEAD\n1\n=======\n2\n>>>>>>> other\n}\n";
        assert_eq!(markers(merge), Some(vec![(2, '<'), (4, '='), (6, '>')]));
        let diff3 = "<<<<<<< ours\r\n1\r\n||||||| base\r\n0\r\n=======\r\n2\r\n>>>>>>> theirs\r\n";
        assert_eq!(markers(diff3), Some(vec![(1, '<'), (3, '|'), (5, '='), (7, '>')]));
        assert_eq!(markers("<<<<<<<<<<<< a longer marker"), Some(vec![(1, '<')]));
    }

    #[test]
    fn other_lines_are_no_markers() {
        for text in ["", "{}", "  =======", "\"=======\"", "======", "=======x", "<<<<<<>"] {
            assert_eq!(markers(text), None, "{text}");
        }
    }
}

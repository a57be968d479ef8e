//! Columns as wide as their contents, and lines that fit a terminal.

/// The longest line.
pub(crate) const WIDTH: usize = 100;

/// The gap between two columns.
const GAP: &str = "  ";

/// The alignment of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// Formats rows as lines with aligned columns.
pub(crate) fn lines<const N: usize>(align: [Align; N], rows: &[[String; N]]) -> Vec<String> {
    let mut widths = [0; N];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let cell = |((cell, width), align): ((&String, usize), Align)| match align {
        Align::Left => format!("{cell:<width$}"),
        Align::Right => format!("{cell:>width$}"),
    };
    let line = |row: &[String; N]| {
        let cells: Vec<_> = row.iter().zip(widths).zip(align).map(cell).collect();
        cells.join(GAP).trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

/// Joins parts by dots, and breaks lines between them at the maximum width.
pub(crate) fn wrapped(parts: &[String], indent: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 3 + part.chars().count() <= WIDTH => {
                line.extend([" · ", part]);
            }
            _ => lines.push(format!("{:indent$}{part}", "")),
        }
    }
    lines
}

/// Truncates a text to this many characters.
pub(crate) fn cut(text: &str, max_chars: usize) -> String {
    if text.chars().count() <= max_chars {
        return text.to_owned();
    }
    text.chars().take(max_chars.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_what_is_in_them() {
        let rows = [["a", "1"], ["bcd", "234"]].map(|row| row.map(str::to_owned));
        assert_eq!(lines([Align::Left, Align::Right], &rows), ["a      1", "bcd  234"]);
        assert_eq!(lines([Align::Right, Align::Left], &rows), ["  a  1", "bcd  234"]);
    }

    #[test]
    fn a_line_is_broken_between_its_parts() {
        let parts = vec!["é".repeat(49), "b".repeat(48), "c".to_owned()];
        let lines = wrapped(&parts, 0);
        assert_eq!(lines.iter().map(|line| line.chars().count()).collect::<Vec<_>>(), [100, 1]);
        assert_eq!((cut("éèê", 3), cut("éèêë", 3)), ("éèê".to_owned(), "éè…".to_owned()));
    }
}

//! Escapes texts for Markdown.

/// A text for a table cell: one line, escaped for tables and HTML.
pub(super) fn cell(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.replace('\\', "\\\\").replace('|', "\\|").replace('<', "&lt;")
}

/// A text as inline code, valid in a table.
pub(super) fn code(text: &str) -> String {
    let longest = text.split(|it| it != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let space = if longest > 0 { " " } else { "" };
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
    format!("{fence}{space}{text}{space}{fence}")
}

/// A description in Markdown, with its headings moved below the tool's heading.
pub(super) fn paragraph(text: &str) -> String {
    let lines = text.trim().lines().map(|line| match line.strip_prefix('#') {
        Some(rest) => format!("####{}", rest.trim_start_matches('#')),
        None => line.trim_end().to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The anchor that common hosts generate for a heading with this name as inline code.
pub(super) fn anchor(name: &str) -> String {
    let anchor_chars =
        name.chars().filter(|it| it.is_ascii_alphanumeric() || *it == '_' || *it == '-');
    anchor_chars.collect::<String>().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::{anchor, cell, code, paragraph};

    #[test]
    fn nothing_breaks_out_of_a_cell() {
        assert_eq!(cell("a | b\n<script>"), r"a \| b &lt;script>");
        assert_eq!(code("a|b"), r"`a\|b`");
        assert_eq!(code("a``b"), "``` a``b ```");
    }

    #[test]
    fn headings_go_below_the_tools_own() {
        assert_eq!(paragraph("Sends.\n\n# Errors\nNone. "), "Sends.\n\n#### Errors\nNone.");
        assert_eq!(anchor("Orders.place_order"), "ordersplace_order");
    }
}

//! Refuses tables with very many fields, which `serde_toon` checks in quadratic time.

use tool_contracts::articulate::SerializationError;

/// The most fields of a table that is read.
const MAX_FIELDS: usize = 1_024;

/// Refuses a text in which a table's header has more than 1,024 fields.
///
/// # Errors
/// Returns an error with the header's line and column.
pub(super) fn check(text: &str) -> Result<(), SerializationError> {
    for (line, number) in text.split('\n').zip(1_u64..) {
        let Some(fields) = fields_of_header(line) else { continue };
        let delimiters = fields.bytes().filter(|byte| matches!(byte, b',' | b'|' | b'\t'));
        if delimiters.count() >= MAX_FIELDS {
            let column = (line.len() - fields.len() + 1) as u64;
            let message = format!("expected at most {MAX_FIELDS} fields in a table");
            return Err(SerializationError::new(message).at(number, column));
        }
    }
    Ok(())
}

/// Returns what follows the `{` of a table's header; `None` for any other line.
fn fields_of_header(line: &str) -> Option<&str> {
    if line.len() < MAX_FIELDS {
        return None;
    }
    let mut line_tail = line.trim_start_matches(' ');
    while let Some(item) = line_tail.strip_prefix("- ") {
        line_tail = item.trim_start_matches(' ');
    }
    let header_tail = after_key(line_tail)?.strip_prefix('[')?;
    let digits_end = header_tail.find(|sign: char| !sign.is_ascii_digit())?;
    header_tail[digits_end..].trim_start_matches([',', '|', '\t', ':']).strip_prefix("]{")
}

/// Returns what follows an optional key.
fn after_key(line: &str) -> Option<&str> {
    let Some(quoted) = line.strip_prefix('"') else {
        return line.find(['[', ':', ',', '"']).map(|end| &line[end..]);
    };
    let mut is_escaped = false;
    let end = quoted.find(|sign: char| {
        let ends = sign == '"' && !is_escaped;
        is_escaped = sign == '\\' && !is_escaped;
        ends
    })?;
    Some(&quoted[end + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(count: usize) -> String {
        (0..count).map(|n| format!("k{n}")).collect::<Vec<_>>().join(",")
    }

    #[track_caller]
    fn check_refused(text: &str, line: u64, column: u64) {
        let error = check(text).expect_err("it is refused");
        assert_eq!((error.line(), error.column()), (Some(line), Some(column)), "{error}");
    }

    #[test]
    fn a_header_with_too_many_fields_is_refused_wherever_it_is() {
        let many = fields(1_025);
        check_refused(&format!("[1]{{{many}}}:\n  1"), 1, 5);
        check_refused(&format!("a: 1\nrows[12]{{{many}}}:"), 2, 10);
        check_refused(&format!("  \"a \\\" [b\"[2|]{{{}}}:", many.replace(',', "|")), 1, 17);
        check_refused(&format!("- - x[2:]{{{many}}}:"), 1, 11);
    }

    #[test]
    fn other_lines_may_be_as_wide_as_they_like() {
        let many = fields(5_000);
        for line in [
            format!("[1]{{{}}}:", fields(1_024)),
            format!("[5000]: {many}"),
            format!("a: \"x[2]{{{many}}}:\""),
            format!("\"x[2]{{{many}\": 1"),
            format!("  1,[2]{{{many}"),
            format!("a: [2]{{{many}}}:"),
        ] {
            assert_eq!(check(&line), Ok(()), "{}", &line[..20]);
        }
    }
}

//! File names of exported schemas, unique on every file system.

use std::collections::BTreeMap;

/// The kinds of schema files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SchemaFile {
    Input,
    Output,
    ToolCallRequest,
    ToolOutput,
    ResponseEnvelope,
}

impl SchemaFile {
    pub(super) const ALL: [Self; 5] = [
        Self::Input,
        Self::Output,
        Self::ToolCallRequest,
        Self::ToolOutput,
        Self::ResponseEnvelope,
    ];

    pub(super) const fn suffix(self) -> &'static str {
        match self {
            Self::Input => ".input.json",
            Self::Output => ".output.json",
            Self::ToolCallRequest => ".tool_call_request.json",
            Self::ToolOutput => ".tool_output.json",
            Self::ResponseEnvelope => ".response_envelope.json",
        }
    }
}

/// Returns whether a name has the form of a schema file, without a path.
pub(super) fn is_schema_file(name: &str) -> bool {
    let admitted = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-+".contains(&byte);
    let is_shared = name == super::ENVELOPES || super::SHARED.contains(&name);
    let is_tools = SchemaFile::ALL.iter().any(|part| name.ends_with(part.suffix()));
    name.bytes().all(admitted) && (is_shared || is_tools)
}

/// The file stems of tools with these names, in order.
///
/// A stem is the tool's name, with two exceptions that append a `+`, which no tool name contains:
/// names that differ only in case would be one file on a case-insensitive file system, so the
/// positions of their upper case letters are appended; and reserved device names of Windows are not
/// valid as file names.
pub(super) fn stems<'n>(names: impl Iterator<Item = &'n str> + Clone) -> Vec<String> {
    let mut alike = BTreeMap::<String, usize>::new();
    names.clone().for_each(|name| *alike.entry(name.to_ascii_lowercase()).or_default() += 1);
    let is_alone = |name: &str| alike.get(&name.to_ascii_lowercase()) == Some(&1);
    names
        .map(|name| {
            let device = if is_device(name) { "+" } else { "" };
            let case = if is_alone(name) { String::new() } else { upper_case(name) };
            format!("{device}{name}{case}")
        })
        .collect()
}

/// Encodes the positions of upper case letters as hexadecimal digits of four letters each.
fn upper_case(name: &str) -> String {
    if !name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return String::new();
    }
    let digit = |four: &[u8]| {
        let bits = four.iter().map(|byte| u32::from(byte.is_ascii_uppercase()));
        char::from_digit(bits.fold(0, |all, bit| all * 2 + bit), 16).unwrap_or('0')
    };
    std::iter::once('+').chain(name.as_bytes().chunks(4).map(digit)).collect()
}

fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let numbered = |stem: &str| stem.len() == 1 && stem.bytes().all(|it| it.is_ascii_digit());
    matches!(stem.as_str(), "con" | "prn" | "aux" | "nul")
        || ["com", "lpt"].iter().any(|it| stem.strip_prefix(it).is_some_and(numbered))
}

#[cfg(test)]
mod tests {
    use super::{SchemaFile, is_schema_file, stems};

    #[track_caller]
    fn check(names: &[&str], expected: &[&str]) {
        assert_eq!(stems(names.iter().copied()), expected);
    }

    #[test]
    fn a_file_is_named_after_its_tool() {
        check(&["mail.send", "Search", "a-b_c"], &["mail.send", "Search", "a-b_c"]);
    }

    #[test]
    fn names_that_differ_in_case_are_two_files_where_case_is_ignored() {
        check(
            &["SEARCH", "Search", "search", "searcH"],
            &["SEARCH+f3", "Search+80", "search", "searcH+01"],
        );
    }

    #[test]
    fn a_device_of_windows_is_no_file() {
        check(
            &["NUL", "com1.x", "com", "con", "console"],
            &["+NUL", "+com1.x", "com", "+con", "console"],
        );
    }

    #[test]
    fn only_what_could_be_a_schema_file_counts_as_one() {
        for part in SchemaFile::ALL {
            assert!(is_schema_file(&format!("+NUL+80{}", part.suffix())));
        }
        for name in
            ["../a.input.json", "/a.input.json", r"..\a.input.json", "a.json", "main.rs", ""]
        {
            assert!(!is_schema_file(name), "{name}");
        }
    }
}

//! The file of a lock: one line a tool, with fixed lines around each, so that git merges changes of
//! different tools.

use std::path::Path;

use serde_json::{Value, json};
use tool_runtime_contracts_lock::export::{conflict_markers, read_file, replace_file};
use tool_runtime_schema::canonical::Digest;

use super::{ACCEPT, PinnedDefinition, PinnedDefinitions};
use crate::remote::error::{RemoteError, RemoteErrorKind};

/// The format version of the lock.
const FORMAT: u64 = 1;

/// The most bytes of a lock.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// Reads a lock; `None` if there is no file, or an empty one.
pub(super) fn read(path: &Path) -> Result<Option<PinnedDefinitions>, RemoteError> {
    let bytes = read_file(path).map_err(|error| lock_error(error.to_string()))?;
    let Some(bytes) = bytes.filter(|bytes| !bytes.iter().all(u8::is_ascii_whitespace)) else {
        return Ok(None);
    };
    if bytes.len() > MAX_BYTES {
        return Err(damaged(path, "it is larger than a lock can be"));
    }
    parse(&String::from_utf8_lossy(&bytes), path).map(Some)
}

fn parse(text: &str, path: &Path) -> Result<PinnedDefinitions, RemoteError> {
    if let Some(markers) = conflict_markers(text) {
        let line = markers.first().map_or(0, |(line, _)| *line);
        return Err(damaged(
            path,
            &format!("it has the conflict markers of a merge at line {line}"),
        ));
    }
    let lock: Value =
        serde_json::from_str(text).map_err(|error| damaged(path, &error.to_string()))?;
    match lock["format"].as_u64() {
        Some(FORMAT) => {}
        Some(format) if format > FORMAT => {
            return Err(lock_error(format!(
                "{} has format {format}, and this version of `tool-runtime` reads up to {FORMAT}; \
                 use the version that wrote it, or a later one",
                path.display()
            )));
        }
        _ => return Err(damaged(path, "`format` is not a known version")),
    }
    let Value::Array(entries) = &lock["tools"] else {
        return Err(damaged(path, "`tools` is not a list"));
    };
    let mut pins = PinnedDefinitions::new();
    for entry in entries.iter().filter(|entry| !entry.is_string()) {
        let (name, pin) = read_entry(entry)
            .ok_or_else(|| damaged(path, "an entry has no `name`, `sha256` or `pinned`"))?;
        if pins.insert(name.clone(), pin).is_some() {
            return Err(damaged(path, &format!("it has `{name}` twice")));
        }
    }
    Ok(pins)
}

fn read_entry(entry: &Value) -> Option<(String, PinnedDefinition)> {
    let digest: Digest = entry["sha256"].as_str()?.parse().ok()?;
    let pinned = entry.get("pinned")?.clone();
    Some((entry["name"].as_str()?.to_owned(), PinnedDefinition { digest, pinned }))
}

/// Formats a lock.
pub(super) fn text(pins: &PinnedDefinitions) -> String {
    let lines: String = pins.iter().map(|(name, pin)| lines(name, pin)).collect();
    let end = json!(format!("one line a tool; `{ACCEPT}` writes this file"));
    format!("{{\n\"format\": {FORMAT},\n\"tools\": [\n{lines}{end}\n]\n}}\n")
}

fn lines(name: &str, pin: &PinnedDefinition) -> String {
    let (begin, end) = (json!(format!("<{name}>")), json!(format!("</{name}>")));
    let (name, digest) = (json!(name), json!(pin.digest));
    let mut pinned = pin.pinned.clone();
    pinned.sort_all_objects();
    format!("{begin},\n{{\"name\":{name},\"sha256\":{digest},\"pinned\":{pinned}}},\n{end},\n")
}

/// Replaces the file atomically.
pub(super) fn write(path: &Path, text: &str) -> Result<(), RemoteError> {
    replace_file(path, text).map_err(|error| lock_error(error.to_string()))
}

fn damaged(path: &Path, why: &str) -> RemoteError {
    lock_error(format!(
        "{} is damaged: {why}; restore it from version control, or remove it and accept the tools \
         again",
        path.display()
    ))
}

fn lock_error(message: String) -> RemoteError {
    RemoteError::new(RemoteErrorKind::Lock, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::remote::definition::ToolDefinition;

    fn pins() -> PinnedDefinitions {
        let pin = |name: &str| {
            let listed = json!({"name": name, "inputSchema": {"type": "object", "b": 1, "a": 2}});
            (name.to_owned(), PinnedDefinition::new(&ToolDefinition::parse(&listed).unwrap()))
        };
        [pin("b"), pin("a/b")].into_iter().collect()
    }

    fn at() -> &'static Path {
        Path::new("tools.json")
    }

    #[test]
    fn written_pins_are_read_again() {
        assert_eq!(parse(&text(&pins()), at()).unwrap(), pins());
        assert_eq!(
            parse(&text(&PinnedDefinitions::new()), at()).unwrap(),
            PinnedDefinitions::new()
        );
    }

    #[test]
    fn each_tool_has_one_line_between_two_lines_with_its_name() {
        let text = text(&pins());
        let lines: Vec<_> = text.lines().skip(3).take(3).collect();
        assert_eq!((lines[0], lines[2]), ("\"<a/b>\",", "\"</a/b>\","));
        assert!(lines[1].contains(r#""pinned":{"inputSchema":{"a":2,"b":1,"type":"object"}}"#));
    }

    #[test]
    fn a_damaged_lock_is_an_error_that_names_the_damage() {
        let twice = text(&pins()).replace("\"name\":\"b\"", "\"name\":\"a/b\"");
        for (text, why) in [
            ("{", "EOF"),
            ("{\"format\": 9}", "format 9"),
            ("{\"format\": 1}", "`tools` is not a list"),
            ("{\"format\": 1, \"tools\": [{}]}", "an entry has no"),
            ("<<<<<<< HEAD\n", "conflict markers of a merge at line 1"),
            (&*twice, "`a/b` twice"),
        ] {
            let error = parse(text, at()).unwrap_err();
            assert_eq!(error.kind(), RemoteErrorKind::Lock);
            assert!(error.to_string().contains(why), "{error}");
        }
    }
}

//! Documents in JSON: their compact text, its rows and long texts, and repeated objects.

use std::collections::HashMap;
use std::ops::Range;

use serde_json::value::RawValue;
use tool_contracts::articulate::{OutputSerializer, SerializationRequest};
use tool_runtime_core::articulate::{Articulator, COMPACT, json_text_without};
use tool_runtime_schema::Limits;
use tool_runtime_schema::json::{JsonKind, JsonNode, JsonTree, JsonView, pointer, read};

use super::context_text::PassageKind;
use super::options::AssessOptions;
use super::passages::sentences;

/// The fewest elements of an array whose elements may be left out.
const MIN_ROWS: usize = 4;
/// The shortest array and the shortest text that are split into passages, in bytes.
const MIN_PASSAGES_LENGTH: usize = 200;
/// The sizes of objects that may be replaced by a reference, in bytes.
const REPLACEABLE_BYTES: Range<usize> = 40..2_048;

/// A range of a document with the passages that it consists of.
pub(super) type JsonPassages = (Range<usize>, PassageKind, Vec<Range<usize>>);

/// Writes an object or an array as compact JSON; `None` for another value.
pub(super) fn compact(data: &RawValue, options: &AssessOptions) -> Option<String> {
    let json = data.get();
    if !json.starts_with(['{', '[']) {
        return None;
    }
    let tree = parsed(json)?;
    let view = tree.view(json);
    let is_left_out = |node: &JsonNode| {
        node.is_property()
            && (options.drops_nulls() && is_empty(view, node)
                || options.drops_links() && is_link(view, node))
    };
    Some(json_text_without(view, COMPACT, is_left_out))
}

fn parsed(json: &str) -> Option<JsonTree> {
    read(json, &Limits::WIDEST).ok()
}

fn is_empty(view: JsonView<'_>, node: &JsonNode) -> bool {
    matches!(view.raw(node), "null" | "\"\"" | "[]" | "{}")
}

fn is_link(view: JsonView<'_>, node: &JsonNode) -> bool {
    let raw = view.raw(node);
    raw.starts_with("\"https://") || raw.starts_with("\"http://")
}

/// Finds the outermost arrays of rows and the long texts of a compact document.
pub(super) fn passages(json: &str) -> Vec<JsonPassages> {
    let Some(tree) = parsed(json) else { return Vec::new() };
    let view = tree.view(json);
    let mut all_passages = Vec::new();
    let mut id = 0;
    while let Some(node) = view.nodes.get(id as usize) {
        id = match passages_in(view, id, node) {
            Some(passages) => {
                all_passages.push(passages);
                node.next()
            }
            None => id + 1,
        };
    }
    all_passages
}

fn passages_in(view: JsonView<'_>, id: u32, node: &JsonNode) -> Option<JsonPassages> {
    let inside = node.start() + 1..node.end().saturating_sub(1);
    if inside.len() < MIN_PASSAGES_LENGTH {
        return None;
    }
    match node.kind {
        JsonKind::String => {
            let moved = |range: Range<usize>| inside.start + range.start..inside.start + range.end;
            let ranges = sentences(&view.text[inside.clone()]).map(moved).collect();
            Some((inside, PassageKind::Sentences, ranges))
        }
        JsonKind::Array => {
            let is_row =
                |kind| matches!(kind, JsonKind::Object | JsonKind::Array | JsonKind::String);
            let rows: Vec<_> = view.children(id).map(|(_, row)| row).collect();
            // A few nulls or numbers between them are rows too; an array of numbers alone is not.
            let row_count = rows.iter().filter(|row| is_row(row.kind)).count();
            let is_table = rows.len() >= MIN_ROWS && row_count * 2 >= rows.len();
            let ranges = || rows.iter().map(|row| row.start()..row.end()).collect();
            is_table.then(|| (inside, PassageKind::Rows, ranges()))
        }
        JsonKind::Object | JsonKind::Null | JsonKind::Bool | JsonKind::Number => None,
    }
}

/// Writes a document in the shortest form: as it is, with references to repeated objects, or as a
/// table of the serializer, whose format is named in a line before it.
pub(super) fn in_short(body: String, serializer: Option<&Articulator>) -> String {
    let table = serializer.and_then(|serializer| as_table(&body, serializer));
    let body = with_references(&body).unwrap_or(body);
    table.filter(|table| table.len() < body.len()).unwrap_or(body)
}

fn as_table(body: &str, serializer: &Articulator) -> Option<String> {
    if !body.starts_with(['{', '[']) {
        return None;
    }
    let data: Box<RawValue> = serde_json::from_str(body).ok()?;
    let output = serializer.serialize(&SerializationRequest::new(data)).ok()?;
    let note = output.format_used().model_note()?;
    Some([note, "\n", output.serialized_text()].concat())
}

/// Replaces repeated objects by references to the first of them: `{"$ref":"#/0/owner"}`.
///
/// Returns `None` if that is no shorter, or the text is not JSON.
pub(super) fn with_references(json: &str) -> Option<String> {
    let tree = parsed(json)?;
    let view = tree.view(json);
    let mut first: HashMap<&str, u32> = HashMap::new();
    let mut text = String::with_capacity(json.len());
    let (mut id, mut at) = (0, 0);
    while let Some(node) = view.nodes.get(id as usize) {
        id += 1;
        let raw = view.raw(node);
        if node.kind != JsonKind::Object || !REPLACEABLE_BYTES.contains(&raw.len()) {
            continue;
        }
        let original = *first.entry(raw).or_insert(id - 1);
        if original == id - 1 {
            continue;
        }
        let pointer = pointer(view, original);
        let reference = format!("{{\"$ref\":\"#{pointer}\"}}");
        if pointer.bytes().all(is_plain) && reference.len() < raw.len() {
            text.extend([&json[at..node.start()], &reference]);
            at = node.end();
            id = node.next();
        }
    }
    text.push_str(&json[at..]);
    (text.len() < json.len()).then_some(text)
}

/// Returns whether a byte of a pointer needs no escape, neither in JSON nor in a URI.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"/_-.~$".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(json: &str) -> Box<RawValue> {
        serde_json::from_str(json).expect("the test's own JSON")
    }

    #[test]
    fn nulls_and_links_are_dropped_only_when_asked() {
        let data = raw(r#"{ "a": null, "b": "", "url": "https://example.org", "c": [null, 1] }"#);
        let options = AssessOptions::default();
        let whole = r#"{"a":null,"b":"","url":"https://example.org","c":[null,1]}"#;
        assert_eq!(compact(&data, &options).as_deref(), Some(whole));
        let options = options.with_nulls_dropped(true);
        let without = r#"{"url":"https://example.org","c":[null,1]}"#;
        assert_eq!(compact(&data, &options).as_deref(), Some(without));
        let options = options.with_links_dropped(true);
        assert_eq!(compact(&data, &options).as_deref(), Some(r#"{"c":[null,1]}"#));
        assert_eq!(compact(&raw("7"), &options), None);
    }

    #[test]
    fn repeated_objects_become_references() {
        let owner = r#"{"id":7,"name":"Ada Lovelace","city":"London"}"#;
        let json = format!(r#"{{"rows":[{{"n":1,"owner":{owner}}},{{"n":2,"owner":{owner}}}]}}"#);
        let expected = format!(
            r##"{{"rows":[{{"n":1,"owner":{owner}}},{{"n":2,"owner":{{"$ref":"#/rows/0/owner"}}}}]}}"##
        );
        assert_eq!(with_references(&json).as_deref(), Some(expected.as_str()));
        assert_eq!(with_references("[1,1]"), None);
    }

    #[test]
    fn rows_and_long_texts_are_slots() {
        let row = format!(r#"{{"text":"{}"}}"#, "x".repeat(60));
        let json =
            format!(r#"{{"rows":[{}],"note":"{}"}}"#, [&*row; 4].join(","), "One. ".repeat(60));
        let found = passages(&json);
        let contents: Vec<_> =
            found.iter().map(|(_, content, rows)| (*content, rows.len())).collect();
        assert_eq!(contents, [(PassageKind::Rows, 4), (PassageKind::Sentences, 60)]);
        assert_eq!(&json[found[0].2[1].clone()], row);
    }
}

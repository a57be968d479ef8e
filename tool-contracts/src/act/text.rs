//! Data as text for a model: texts as they are, everything else as indented JSON.

use serde_json::value::RawValue;

/// Writes data for a model.
///
/// A text is written without quotes, an object or an array as JSON with two spaces of indentation,
/// and a number, a boolean or null as in JSON.
pub(super) fn render(data: &RawValue) -> String {
    let json = data.get();
    match json.as_bytes().first() {
        // A raw value is JSON, but one with a lone surrogate is no text.
        Some(b'"') => serde_json::from_str(json).unwrap_or_else(|_| json.to_owned()),
        Some(b'{' | b'[') => indented(json),
        _ => json.to_owned(),
    }
}

/// Indents valid JSON by two spaces a level; keeps the order of fields and numbers. Characters that
/// are escaped by their number are written as they are.
fn indented(json: &str) -> String {
    let mut writer = Indented { text: String::with_capacity(json.len() * 2), depth: 0 };
    let (mut start, mut at) = (0, 0);
    let bytes = json.as_bytes();
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'"' => {
                let end = end_of_text(bytes, at);
                if let Some(text) = unescaped(&json[at - 1..end]) {
                    writer.text.push_str(json[start..at - 1].trim_ascii());
                    writer.text.push_str(&text);
                    start = end;
                }
                at = end;
            }
            b'{' | b'[' | b'}' | b']' | b',' | b':' => {
                writer.text.push_str(json[start..at - 1].trim_ascii());
                writer.push_mark(byte, next_mark(bytes, at));
                start = at;
            }
            _ => {}
        }
    }
    writer.text.push_str(json[start..].trim_ascii());
    writer.text
}

/// Writes a JSON text without `\u` escapes that it does not need; `None` if it has none.
fn unescaped(json: &str) -> Option<String> {
    // A text with a lone surrogate stays as it is.
    let text: String = json.contains(r"\u").then(|| serde_json::from_str(json).ok()).flatten()?;
    serde_json::to_string(&text).ok()
}

/// Returns the index after the quote that ends the text.
fn end_of_text(bytes: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = bytes.get(at) {
        at += match byte {
            b'"' => return at + 1,
            b'\\' => 2,
            _ => 1,
        };
    }
    at.min(bytes.len())
}

/// Returns the next byte that is not white space.
fn next_mark(bytes: &[u8], at: usize) -> Option<u8> {
    bytes.get(at..)?.iter().copied().find(|byte| !byte.is_ascii_whitespace())
}

struct Indented {
    text: String,
    depth: usize,
}

impl Indented {
    /// Appends a mark of JSON; an empty object or array stays on its line.
    fn push_mark(&mut self, mark: u8, next: Option<u8>) {
        match mark {
            b'{' | b'[' => {
                self.text.push(char::from(mark));
                self.depth += 1;
                if !matches!(next, Some(b'}' | b']')) {
                    self.push_line();
                }
            }
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                if !self.text.ends_with(['{', '[']) {
                    self.push_line();
                }
                self.text.push(char::from(mark));
            }
            b',' => {
                self.text.push(',');
                self.push_line();
            }
            _ => self.text.push_str(": "),
        }
    }

    fn push_line(&mut self) {
        self.text.push('\n');
        for _ in 0..self.depth {
            self.text.push_str("  ");
        }
    }
}

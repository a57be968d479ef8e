//! The differences between an accepted definition and the one that the server lists now.

use std::fmt;

use serde_json::{Map, Value};
use tool_runtime_schema::schema::reference::escaped;

/// The most differences of one tool.
const MAX_DIFFERENCES: usize = 64;
/// The most characters of a value in a difference.
const MAX_SHOWN: usize = 400;

/// One difference between the accepted definition of a tool and the one that its server lists now.
///
/// The values are the JSON of both sides for people: of a bounded length, with invisible characters
/// escaped. `Display` writes them as lines that begin with `-` and `+`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinDifference {
    pointer: String,
    accepted: Option<String>,
    listed: Option<String>,
}

impl PinDifference {
    /// Returns the place in the definition as a JSON Pointer (RFC 6901), such as `/description`.
    #[must_use]
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// Returns the accepted value; `None` if there was none.
    #[must_use]
    pub fn accepted(&self) -> Option<&str> {
        self.accepted.as_deref()
    }

    /// Returns the value that the server lists; `None` if it was removed.
    #[must_use]
    pub fn listed(&self) -> Option<&str> {
        self.listed.as_deref()
    }
}

impl fmt::Display for PinDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.pointer)?;
        if let Some(accepted) = &self.accepted {
            write!(f, "\n- {accepted}")?;
        }
        self.listed.iter().try_for_each(|listed| write!(f, "\n+ {listed}"))
    }
}

/// Lists the differences of two values, at the deepest places that explain them.
pub(in super::super) fn differences(accepted: &Value, listed: &Value) -> Vec<PinDifference> {
    let mut pin_differences = Vec::new();
    compare(Some(accepted), Some(listed), "", &mut pin_differences);
    pin_differences
}

fn compare(
    accepted: Option<&Value>,
    listed: Option<&Value>,
    pointer: &str,
    found: &mut Vec<PinDifference>,
) {
    if accepted == listed || found.len() >= MAX_DIFFERENCES {
        return;
    }
    match (accepted, listed) {
        (Some(Value::Object(before)), Some(Value::Object(after))) => {
            for name in names(before, after) {
                let pointer = format!("{pointer}/{}", escaped(name));
                compare(before.get(name), after.get(name), &pointer, found);
            }
        }
        (Some(Value::Array(before)), Some(Value::Array(after))) if before.len() == after.len() => {
            for (at, (before, after)) in before.iter().zip(after).enumerate() {
                compare(Some(before), Some(after), &format!("{pointer}/{at}"), found);
            }
        }
        _ => found.push(PinDifference {
            pointer: pointer.chars().flat_map(char::escape_debug).collect(),
            accepted: accepted.map(shown),
            listed: listed.map(shown),
        }),
    }
}

fn names<'v>(before: &'v Map<String, Value>, after: &'v Map<String, Value>) -> Vec<&'v String> {
    let mut names: Vec<_> = before.keys().chain(after.keys()).collect();
    names.sort();
    names.dedup();
    names
}

/// Writes a value for people: JSON, in which no character is invisible.
fn shown(value: &Value) -> String {
    let json = value.to_string();
    let mut excerpt = String::new();
    for character in json.chars().take(MAX_SHOWN) {
        if character.is_ascii() {
            excerpt.push(character);
        } else {
            excerpt.extend(character.escape_debug());
        }
    }
    if json.chars().nth(MAX_SHOWN).is_some() {
        excerpt.push('…');
    }
    excerpt
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn differences_are_named_at_the_deepest_place() {
        let accepted = json!({"description": "Adds.", "inputSchema": {"properties": {
            "a": {"type": "integer"}, "b": {}}, "required": ["a", "b"]}, "title": "Add"});
        let listed = json!({"description": "Adds\u{200b}.", "inputSchema": {"properties": {
            "a": {"type": "string"}, "b": {}}, "required": ["a", "c"]}, "annotations": {}});
        let lines: Vec<_> =
            differences(&accepted, &listed).iter().map(ToString::to_string).collect();
        assert_eq!(
            lines,
            [
                "/annotations\n+ {}",
                "/description\n- \"Adds.\"\n+ \"Adds\\u{200b}.\"",
                "/inputSchema/properties/a/type\n- \"integer\"\n+ \"string\"",
                "/inputSchema/required/1\n- \"b\"\n+ \"c\"",
                "/title\n- \"Add\"",
            ]
        );
        assert_eq!(differences(&accepted, &accepted), []);
    }

    #[test]
    fn differences_and_their_values_are_bounded() {
        let many: Map<String, Value> =
            (0..100).map(|at| (at.to_string(), json!("x".repeat(9_999)))).collect();
        let found = differences(&json!({}), &Value::Object(many));
        assert_eq!(found.len(), MAX_DIFFERENCES);
        assert!(found.iter().all(|one| one.listed().unwrap().len() < 500));
    }
}

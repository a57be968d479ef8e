//! JSON for people: one line per field, and formatted amounts of money.

use tool_runtime::serde_json::{self, Map, Value};

use crate::money::Money;

/// Formats JSON as indented lines; text that is not JSON is returned unchanged.
pub(crate) fn outline(json: &str, indent: usize) -> String {
    let mut text = String::new();
    match serde_json::from_str(json) {
        Ok(value) => match short(&value) {
            Some(value) => line(&value, indent, &mut text),
            None => below(&value, indent, &mut text),
        },
        Err(_) => line(json, indent, &mut text),
    }
    text
}

fn object(fields: &Map<String, Value>, indent: usize, text: &mut String) {
    for (name, value) in fields {
        let inline = short(value).map(|value| format!(" {value}")).unwrap_or_default();
        line(&format!("{name}:{inline}"), indent, text);
        if inline.is_empty() {
            below(value, indent + 2, text);
        }
    }
}

/// Writes a value that does not fit into one line.
fn below(value: &Value, indent: usize, text: &mut String) {
    match value {
        Value::Object(fields) => object(fields, indent, text),
        Value::Array(items) => items.iter().for_each(|value| item(value, indent, text)),
        _ => {}
    }
}

fn item(value: &Value, indent: usize, text: &mut String) {
    if let Some(value) = short(value) {
        return line(&format!("- {value}"), indent, text);
    }
    let start = text.len() + indent;
    below(value, indent + 2, text);
    // The first line has the list marker.
    text.replace_range(start..=start, "-");
}

/// Formats a value that fits into one line.
fn short(value: &Value) -> Option<String> {
    match value {
        Value::String(string) => Some(string.clone()),
        Value::Array(items) => {
            let items: Option<Vec<_>> = items.iter().map(plain).collect();
            items.map(|items| if items.is_empty() { "none".to_owned() } else { items.join(" ") })
        }
        Value::Object(fields) if fields.is_empty() => Some("none".to_owned()),
        Value::Object(fields) => money(fields),
        Value::Null => Some("none".to_owned()),
        value => Some(value.to_string()),
    }
}

fn plain(value: &Value) -> Option<String> {
    let nested = value.is_array() || value.is_object();
    if nested { None } else { short(value) }
}

fn money(fields: &Map<String, Value>) -> Option<String> {
    let amount: Money = serde_json::from_value(Value::Object(fields.clone())).ok()?;
    Some(amount.to_string())
}

fn line(content: &str, indent: usize, text: &mut String) {
    text.extend([&" ".repeat(indent), content, "\n"]);
}

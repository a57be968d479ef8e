//! Joins the streamed pieces of a message's content and reasoning.

use serde_json::{Map, Value, json};

use crate::format::{merge_piece, text_in};

/// Merges a piece into the fields of a message.
pub(super) fn merge(fields: &mut Map<String, Value>, mut piece: Map<String, Value>) {
    if let Some(more) = piece.remove("content") {
        let content = joined_content(fields.remove("content"), more);
        fields.insert("content".to_owned(), content);
    }
    if let Some(Value::Array(more)) = piece.remove("reasoning_details") {
        let details = fields.entry("reasoning_details").or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(details) = details {
            for detail in more {
                add_detail(details, detail);
            }
        }
    }
    merge_piece(fields, piece);
}

/// The texts and the reasoning in a piece of content: a text, or parts as Mistral sends them.
pub(super) fn texts_in(content: &Value) -> Vec<ContentText> {
    match content {
        Value::String(text) => vec![ContentText::Text(text.clone())],
        Value::Array(parts) => parts.iter().filter_map(Value::as_object).map(text_of).collect(),
        _ => Vec::new(),
    }
}

/// The reasoning in the fields of a message, or of a piece of one, beside its content.
///
/// Servers with OpenAI's dialect send it as `reasoning_content` or `reasoning`, some of them in both,
/// or only in the texts of `reasoning_details`.
pub(super) fn reasoning(fields: &Map<String, Value>) -> String {
    let field_texts = ["reasoning_content", "reasoning"].map(|name| text_in(fields, name));
    if let Some(text) = field_texts.into_iter().find(|text| !text.is_empty()) {
        return text.to_owned();
    }
    let details = fields.get("reasoning_details").and_then(Value::as_array).into_iter().flatten();
    let texts = details
        .filter_map(Value::as_object)
        .flat_map(|detail| ["summary", "text"].map(|name| text_in(detail, name)));
    texts.collect()
}

/// The text of a part of the content.
#[derive(Debug)]
pub(super) enum ContentText {
    Text(String),
    Thinking(String),
}

fn text_of(part: &Map<String, Value>) -> ContentText {
    match part.get("thinking") {
        None => ContentText::Text(text_in(part, "text").to_owned()),
        Some(Value::Array(parts)) => {
            let texts = parts.iter().filter_map(Value::as_object).map(|part| text_in(part, "text"));
            ContentText::Thinking(texts.collect())
        }
        Some(thinking) => ContentText::Thinking(thinking.as_str().unwrap_or_default().to_owned()),
    }
}

/// The content followed by more of it. Mistral streams reasoning as parts, and then texts.
fn joined_content(known: Option<Value>, more: Value) -> Value {
    match (known, more) {
        (None, more) => more,
        (Some(Value::String(known)), Value::String(more)) => (known + &more).into(),
        (Some(known), more) => {
            let mut parts = into_parts(known);
            for part in into_parts(more) {
                add_part(&mut parts, part);
            }
            parts.into()
        }
    }
}

fn into_parts(content: Value) -> Vec<Value> {
    match content {
        Value::Array(parts) => parts,
        Value::String(text) if text.is_empty() => Vec::new(),
        text => vec![json!({ "type": "text", "text": text })],
    }
}

/// Adds a part of a content; a text or reasoning continues the part before it.
fn add_part(parts: &mut Vec<Value>, part: Value) {
    let last = parts.last_mut().and_then(Value::as_object_mut);
    match (last, part) {
        (Some(last), Value::Object(part)) if continues(last, &part) => {
            for (name, value) in part {
                match (last.get_mut(&name), value) {
                    (Some(Value::Array(known)), Value::Array(more)) => {
                        for part in more {
                            add_part(known, part);
                        }
                    }
                    (Some(Value::String(known)), Value::String(more)) if name != "type" => {
                        known.push_str(&more);
                    }
                    (_, value) => drop(last.insert(name, value)),
                }
            }
        }
        (_, part) => parts.push(part),
    }
}

/// Returns whether a part continues the one before it.
fn continues(last: &Map<String, Value>, part: &Map<String, Value>) -> bool {
    let kind = text_in(part, "type");
    text_in(last, "type") == kind && (kind == "text" || kind == "thinking")
}

/// Adds a detail of the `reasoning_details` of `OpenRouter`; one with a known index and type continues it.
fn add_detail(known: &mut Vec<Value>, detail: Value) {
    let identity = |detail: &Value| (detail.get("index").cloned(), detail.get("type").cloned());
    let id = identity(&detail);
    let position = match &id {
        (Some(_), _) => known.iter().rposition(|known| identity(known) == id),
        (None, _) => known.len().checked_sub(1).filter(|last| identity(&known[*last]) == id),
    };
    let earlier = position.and_then(|at| known.get_mut(at)?.as_object_mut());
    match (earlier, detail) {
        (Some(earlier), Value::Object(detail)) => continue_detail(earlier, detail),
        (_, detail) => known.push(detail),
    }
}

fn continue_detail(earlier: &mut Map<String, Value>, detail: Map<String, Value>) {
    const APPENDED: [&str; 3] = ["text", "summary", "data"];
    for (name, value) in detail {
        match (earlier.get_mut(&name), value) {
            (Some(Value::String(text)), Value::String(more)) if APPENDED.contains(&&*name) => {
                text.push_str(&more);
            }
            (Some(_), Value::Null) => {}
            (_, value) => drop(earlier.insert(name, value)),
        }
    }
}

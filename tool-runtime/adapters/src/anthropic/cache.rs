//! Marks for the prompt cache: `cache_control` at a tool or at a content block.

use serde_json::{Value, json};

use crate::CacheLifetime;
use crate::format::is_blank;

/// Marks the last tool. A deferred tool cannot have a mark; it is not among these.
pub(super) fn mark_tools(tools: &mut [Value], lifetime: CacheLifetime) {
    if let Some(last) = tools.last_mut() {
        mark(last, lifetime);
    }
}

/// Marks the last block of a message that can have a mark.
pub(super) fn mark_message(message: &mut Value, lifetime: CacheLifetime) -> bool {
    let Some(content) = message.get_mut("content") else { return false };
    if let Some(text) = content.as_str() {
        *content = json!([{ "type": "text", "text": text }]);
    }
    let blocks = content.as_array_mut().into_iter().flatten();
    let block = blocks.rev().find(|block| can_have_mark(block));
    block.map(|block| mark(block, lifetime)).is_some()
}

pub(super) fn unmark_message(message: &mut Value) {
    let blocks = message.get_mut("content").and_then(Value::as_array_mut).into_iter().flatten();
    for block in blocks.filter_map(Value::as_object_mut) {
        block.remove("cache_control");
    }
}

/// Thinking and blank texts cannot have one.
fn can_have_mark(block: &Value) -> bool {
    match block["type"].as_str() {
        Some("thinking" | "redacted_thinking") | None => false,
        Some("text") => !is_blank(block["text"].as_str().unwrap_or_default()),
        Some(_) => true,
    }
}

fn mark(part: &mut Value, lifetime: CacheLifetime) {
    part["cache_control"] = match lifetime {
        CacheLifetime::FiveMinutes => json!({ "type": "ephemeral" }),
        CacheLifetime::OneHour => json!({ "type": "ephemeral", "ttl": "1h" }),
    };
}

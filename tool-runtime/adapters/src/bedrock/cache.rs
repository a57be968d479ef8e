//! Marks for the prompt cache: a `cachePoint` after tools or after content blocks.

use serde_json::{Value, json};

use crate::CacheLifetime;

/// Marks the end of the tools.
pub(super) fn mark_tools(tools: &mut Vec<Value>, lifetime: CacheLifetime) {
    if !tools.is_empty() {
        tools.push(cache_point(lifetime));
    }
}

/// Marks the end of a message.
pub(super) fn mark_message(message: &mut Value, lifetime: CacheLifetime) -> bool {
    let content = message.get_mut("content").and_then(Value::as_array_mut);
    let content = content.filter(|content| !content.is_empty());
    content.map(|content| content.push(cache_point(lifetime))).is_some()
}

pub(super) fn unmark_message(message: &mut Value) {
    if let Some(content) = message.get_mut("content").and_then(Value::as_array_mut) {
        content.retain(|block| block.get("cachePoint").is_none());
    }
}

fn cache_point(lifetime: CacheLifetime) -> Value {
    match lifetime {
        CacheLifetime::FiveMinutes => json!({ "cachePoint": { "type": "default" } }),
        CacheLifetime::OneHour => json!({ "cachePoint": { "type": "default", "ttl": "1h" } }),
    }
}

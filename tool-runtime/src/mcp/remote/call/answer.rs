//! Reads the answer to a call: structured content or text as data, other content as attachments.

use rmcp::model::{ContentBlock, ResourceContents, ServerResult};
use serde_json::{Map, Value};
use tool_contracts::ErrorCode;

use super::attach::Attacher;
use super::audited::AuditedError;
use super::failure;
use crate::failure::Failure;
use crate::json::normalized;
use crate::mcp::remote::findings::clean_text;
use crate::mcp::remote::limits::RemoteLimits;
use crate::tool::CallScope;

/// The parts of an answer.
#[derive(Debug, Default)]
struct RemoteAnswer {
    content: Vec<ContentBlock>,
    /// The number of blocks of no known type.
    unknown: usize,
    structured: Option<Value>,
    is_error: bool,
    meta: Value,
}

/// Reads the answer to a call.
pub(super) fn read_answer(
    result: ServerResult,
    call: &CallScope,
    limits: RemoteLimits,
) -> Result<Value, Failure> {
    let answer = match result {
        ServerResult::CallToolResult(result) => RemoteAnswer {
            content: result.content,
            unknown: 0,
            structured: result.structured_content,
            is_error: result.is_error.unwrap_or_default(),
            meta: result.meta.map(|meta| Value::Object(meta.0)).unwrap_or_default(),
        },
        // An answer without content.
        ServerResult::EmptyResult(_) | ServerResult::TaskAckResult(_) => RemoteAnswer::default(),
        // One block of an unknown type makes the whole answer one of no known type.
        ServerResult::CustomResult(result) => loose_answer(result.0).ok_or_else(no_result)?,
        _ => return Err(no_result()),
    };
    if answer.is_error {
        let error = AuditedError::of(&answer.meta);
        return Err(failure::of_tool(&texts(&answer.content), error.as_ref(), limits));
    }
    let mut attacher = Attacher::of(call)?;
    if answer.unknown > 0 {
        attacher.warn(format!("{} parts of the answer have an unknown type", answer.unknown));
    }
    let text = texts(&answer.content);
    if clean_text(&text).1.is_some() {
        attacher.warn("the text of the answer has invisible characters".to_owned());
    }
    for block in answer.content {
        attacher.attach(block);
    }
    let Some(data) = answer.structured.map(normalized) else {
        return Ok(if text.is_empty() { Value::Null } else { Value::String(text) });
    };
    if !text.is_empty() && !repeats(&text, &data) {
        attacher.attach_text(text);
    }
    Ok(data)
}

fn no_result() -> Failure {
    Failure::of(ErrorCode::UpstreamError)
        .with_message("the response of the server is not the result of a tool call")
}

/// Joins the texts of an answer, a line for each.
fn texts(content: &[ContentBlock]) -> String {
    let texts = content.iter().filter_map(|block| match block {
        ContentBlock::Text(text) => Some(&*text.text),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// Returns whether a text repeats the structured content, as servers write it for older clients.
fn repeats(text: &str, data: &Value) -> bool {
    let only = |data: &Map<String, Value>| match data.iter().next() {
        Some((_, value)) if data.len() == 1 => Some(value.clone()),
        _ => None,
    };
    // Some servers wrap an answer that is no object into one, and repeat it without.
    let wrapped = data.as_object().and_then(only);
    let is = |found: &Value| found == data || wrapped.as_ref() == Some(found);
    is(&Value::String(text.to_owned()))
        || serde_json::from_str(text).is_ok_and(|found: Value| is(&normalized(found)))
}

fn loose_answer(mut result: Value) -> Option<RemoteAnswer> {
    let fields = result.as_object_mut()?;
    let content = match fields.remove("content") {
        Some(Value::Array(content)) => content,
        None if fields.keys().all(|key| key == "_meta" || key == "resultType") => Vec::new(),
        None if fields.contains_key("structuredContent") => Vec::new(),
        Some(_) | None => return None,
    };
    let listed = content.len();
    let content: Vec<ContentBlock> =
        content.into_iter().filter_map(|block| serde_json::from_value(block).ok()).collect();
    Some(RemoteAnswer {
        unknown: listed - content.len(),
        content,
        structured: fields.remove("structuredContent"),
        // A value other than `false` may be meant as an error, which must not count as a success.
        is_error: !matches!(fields.get("isError"), None | Some(Value::Null | Value::Bool(false))),
        meta: fields.remove("_meta").unwrap_or_default(),
    })
}

/// Returns the URI of a resource.
pub(super) fn uri_of(resource: &ResourceContents) -> &str {
    match resource {
        ResourceContents::TextResourceContents { uri, .. }
        | ResourceContents::BlobResourceContents { uri, .. } => uri,
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_that_repeats_the_structured_content_is_recognized() {
        let data = json!({"sum": 3});
        assert!(repeats(r#"{ "sum": 3 }"#, &data));
        assert!(repeats("3", &data), "without the object around it");
        assert!(repeats("ok", &json!({"result": "ok"})));
        assert!(!repeats("The sum is 3.", &data));
        assert!(!repeats("3", &json!({"sum": 3, "of": 2})));
    }

    #[test]
    fn an_answer_with_an_unknown_block_keeps_the_others() {
        let answer = loose_answer(json!({"content": [
            {"type": "text", "text": "a"}, {"type": "hologram"}, {"type": "text", "text": "b"}],
            "isError": true}))
        .unwrap();
        assert_eq!((texts(&answer.content).as_str(), answer.unknown), ("a\nb", 1));
        assert!(answer.is_error);
        assert!(loose_answer(json!({"other": 1})).is_none());
        assert!(loose_answer(json!([])).is_none());
        assert_eq!(loose_answer(json!({"_meta": {}})).unwrap().unknown, 0);
    }
}

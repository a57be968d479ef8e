//! A scripted model in any dialect.

use serde_json::{Value, json};
use tool_runtime::adapters::Dialect;

/// One call: its id, what the model calls the tool, the arguments as it writes them.
pub(super) type Call<'c> = (&'c str, &'c str, &'c str);

/// The end of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Done,
    Length,
    Filter,
}

/// Returns the body of a response with these calls, whose arguments are JSON.
pub(super) fn response(dialect: Dialect, calls: &[Call<'_>], end: End) -> String {
    let list = calls.iter().map(|call| written(dialect, *call)).collect::<Vec<_>>().join(",");
    let word = word(dialect, end);
    match dialect {
        Dialect::OpenAiChat => format!(
            r#"{{"choices":[{{"message":{{"role":"assistant","tool_calls":[{list}]}},"finish_reason":"{word}"}}]}}"#
        ),
        Dialect::OpenAiResponses => {
            let status = if end == End::Done { "completed" } else { "incomplete" };
            let details = json!({ "reason": word });
            format!(r#"{{"status":"{status}","incomplete_details":{details},"output":[{list}]}}"#)
        }
        Dialect::Anthropic => format!(r#"{{"content":[{list}],"stop_reason":"{word}"}}"#),
        Dialect::Gemini => format!(
            r#"{{"candidates":[{{"content":{{"role":"model","parts":[{list}]}},"finishReason":"{word}"}}]}}"#
        ),
        Dialect::BedrockConverse => format!(
            r#"{{"output":{{"message":{{"role":"assistant","content":[{list}]}}}},"stopReason":"{word}"}}"#
        ),
        Dialect::Ollama => format!(
            r#"{{"message":{{"role":"assistant","tool_calls":[{list}]}},"done":true,"done_reason":"{word}"}}"#
        ),
        unknown => panic!("the responses of {unknown:?} are not described here"),
    }
}

/// Returns the events of a response with one call and any arguments; none if the dialect never
/// splits calls.
pub(super) fn events(dialect: Dialect, (id, name, arguments): Call<'_>) -> Option<Vec<Value>> {
    let call =
        json!({ "id": id, "index": 0, "function": { "name": name, "arguments": arguments } });
    let choice = json!({ "delta": { "tool_calls": [call] }, "finish_reason": "tool_calls" });
    let item =
        json!({ "type": "function_call", "call_id": id, "name": name, "arguments": arguments });
    let item = json!({ "type": "response.output_item.done", "output_index": 0, "item": item });
    let closed = json!({ "type": "response.completed", "response": { "status": "completed" } });
    let block = json!({ "type": "tool_use", "id": id, "name": name, "input": {} });
    let start = json!({ "toolUse": { "toolUseId": id, "name": name } });
    let input = json!({ "toolUse": { "input": arguments } });
    let partial = json!({ "type": "input_json_delta", "partial_json": arguments });
    Some(match dialect {
        Dialect::OpenAiChat => vec![json!({ "choices": [choice] })],
        Dialect::OpenAiResponses => vec![item, closed],
        Dialect::Anthropic => vec![
            json!({ "type": "content_block_start", "index": 0, "content_block": block }),
            json!({ "type": "content_block_delta", "index": 0, "delta": partial }),
            json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" } }),
            json!({ "type": "message_stop" }),
        ],
        Dialect::BedrockConverse => vec![
            json!({ "contentBlockStart": { "contentBlockIndex": 0, "start": start } }),
            json!({ "contentBlockDelta": { "contentBlockIndex": 0, "delta": input } }),
            json!({ "messageStop": { "stopReason": "tool_use" } }),
        ],
        Dialect::Gemini | Dialect::Ollama => return None,
        unknown => panic!("the events of {unknown:?} are not described here"),
    })
}

/// Formats a call as in a response, with the arguments as JSON or as text.
fn written(dialect: Dialect, (id, name, arguments): Call<'_>) -> String {
    let text = json!(arguments);
    match dialect {
        Dialect::OpenAiChat => format!(
            r#"{{"id":"{id}","type":"function","function":{{"name":"{name}","arguments":{text}}}}}"#
        ),
        Dialect::OpenAiResponses => format!(
            r#"{{"type":"function_call","call_id":"{id}","name":"{name}","arguments":{text}}}"#
        ),
        Dialect::Anthropic => {
            format!(r#"{{"type":"tool_use","id":"{id}","name":"{name}","input":{arguments}}}"#)
        }
        Dialect::Gemini => {
            format!(r#"{{"functionCall":{{"id":"{id}","name":"{name}","args":{arguments}}}}}"#)
        }
        Dialect::BedrockConverse => {
            format!(r#"{{"toolUse":{{"toolUseId":"{id}","name":"{name}","input":{arguments}}}}}"#)
        }
        Dialect::Ollama => {
            format!(r#"{{"id":"{id}","function":{{"name":"{name}","arguments":{arguments}}}}}"#)
        }
        unknown => panic!("the calls of {unknown:?} are not described here"),
    }
}

/// Returns the provider's stop reason.
fn word(dialect: Dialect, end: End) -> &'static str {
    match (dialect, end) {
        (Dialect::OpenAiChat, End::Done) => "tool_calls",
        (Dialect::Anthropic | Dialect::BedrockConverse, End::Done) => "tool_use",
        (Dialect::Gemini, End::Done) => "STOP",
        (_, End::Done) => "stop",
        (Dialect::OpenAiChat | Dialect::Ollama, End::Length) => "length",
        (Dialect::OpenAiResponses, End::Length) => "max_output_tokens",
        (Dialect::Gemini, End::Length) => "MAX_TOKENS",
        (_, End::Length) => "max_tokens",
        (Dialect::Gemini, End::Filter) => "SAFETY",
        (Dialect::Anthropic, End::Filter) => "refusal",
        (Dialect::BedrockConverse, End::Filter) => "guardrail_intervened",
        (_, End::Filter) => "content_filter",
    }
}

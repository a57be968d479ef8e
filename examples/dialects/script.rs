//! The responses of each provider; the identifiers and the signatures are made up.

use tool_runtime::adapters::Dialect;
use tool_runtime::serde_json::{Value, json};

use crate::asked;

const SENTENCE: &str = "Let me look.";

/// Returns the response of a model that knows the tools by the names that `wire` returns.
pub(crate) fn response<'n>(dialect: Dialect, wire: &dyn Fn(&'static str) -> &'n str) -> Value {
    let [first, second] = asked().map(|(tool, arguments)| (wire(tool), arguments));
    match dialect {
        Dialect::OpenAiChat => chat(&[first, second]),
        Dialect::OpenAiResponses => responses(&[first, second]),
        Dialect::Anthropic => anthropic(&[first, second]),
        Dialect::Gemini => gemini(&[first, second]),
        Dialect::BedrockConverse => bedrock(&[first, second]),
        Dialect::Ollama => ollama(&[first, second]),
        unknown => unimplemented!("a response of {unknown:?}"),
    }
}

type Call<'n> = (&'n str, Value);

fn chat(calls: &[Call<'_>]) -> Value {
    let call = |(place, (name, arguments)): (usize, &Call<'_>)| {
        let function = json!({ "name": name, "arguments": arguments.to_string() });
        json!({ "id": format!("call_{place}"), "type": "function", "function": function })
    };
    let calls: Vec<_> = calls.iter().enumerate().map(call).collect();
    let message = json!({ "role": "assistant", "content": SENTENCE, "tool_calls": calls });
    json!({ "choices": [{ "index": 0, "message": message, "finish_reason": "tool_calls" }] })
}

fn responses(calls: &[Call<'_>]) -> Value {
    let content = json!([{ "type": "output_text", "text": SENTENCE, "annotations": [] }]);
    let mut output = vec![
        json!({ "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAAB" }),
        json!({ "type": "message", "id": "msg_1", "role": "assistant", "content": content }),
    ];
    output.extend(calls.iter().enumerate().map(|(place, (name, arguments))| {
        json!({ "type": "function_call", "id": format!("fc_{place}"), "call_id": format!("call_{place}"),
            "name": name, "arguments": arguments.to_string(), "status": "completed" })
    }));
    json!({ "status": "completed", "output": output })
}

fn anthropic(calls: &[Call<'_>]) -> Value {
    let mut content = vec![
        json!({ "type": "thinking", "thinking": "Tea, then.", "signature": "EuYB" }),
        json!({ "type": "text", "text": SENTENCE }),
    ];
    content.extend(calls.iter().enumerate().map(|(place, (name, input))| {
        json!({ "type": "tool_use", "id": format!("toolu_{place}"), "name": name, "input": input })
    }));
    json!({ "role": "assistant", "content": content, "stop_reason": "tool_use" })
}

fn gemini(calls: &[Call<'_>]) -> Value {
    let mut parts = vec![json!({ "text": SENTENCE })];
    let call = |(name, args): &Call<'_>| json!({ "functionCall": { "name": name, "args": args } });
    parts.extend(calls.iter().map(call));
    parts[1]["thoughtSignature"] = "CiQB".into();
    let content = json!({ "role": "model", "parts": parts });
    json!({ "candidates": [{ "content": content, "finishReason": "STOP" }] })
}

fn bedrock(calls: &[Call<'_>]) -> Value {
    let mut content = vec![json!({ "text": SENTENCE })];
    content.extend(calls.iter().enumerate().map(|(place, (name, input))| {
        json!({ "toolUse": { "toolUseId": format!("tooluse_{place}"), "name": name, "input": input } })
    }));
    let message = json!({ "role": "assistant", "content": content });
    json!({ "output": { "message": message }, "stopReason": "tool_use" })
}

fn ollama(calls: &[Call<'_>]) -> Value {
    let call = |(name, arguments): &Call<'_>| json!({ "function": { "name": name, "arguments": arguments } });
    let calls: Vec<_> = calls.iter().map(call).collect();
    let message = json!({ "role": "assistant", "content": SENTENCE, "tool_calls": calls });
    json!({ "message": message, "done": true, "done_reason": "stop" })
}

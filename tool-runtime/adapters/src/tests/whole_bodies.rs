//! Servers that answer a request for a stream with a whole response.

use serde_json::{Value, json};

use super::*;

/// A whole response of each dialect: reasoning where it has a place, a text and a call.
fn whole(dialect: Dialect) -> Value {
    let arguments = json!({ "query": "tea" });
    let name = adapter(dialect).wire_name("content.search").unwrap().to_owned();
    match dialect {
        Dialect::OpenAiChat => {
            json!({ "id": "r", "object": "chat.completion", "choices": [{ "index": 0,
            "finish_reason": "tool_calls", "message": { "role": "assistant", "content": "Hi",
                "tool_calls": [{ "id": "a", "type": "function", "function":
                    { "name": name, "arguments": arguments.to_string() } }] } }],
            "usage": { "prompt_tokens": 3, "completion_tokens": 2 } })
        }
        Dialect::OpenAiResponses => {
            json!({ "id": "r", "object": "response", "status": "completed", "output": [
            { "type": "message", "id": "m", "content": [{ "type": "output_text", "text": "Hi" }] },
            { "type": "function_call", "call_id": "a", "name": name,
                "arguments": arguments.to_string() }],
            "usage": { "input_tokens": 3, "output_tokens": 2 } })
        }
        Dialect::Anthropic => json!({ "id": "r", "type": "message", "role": "assistant",
            "content": [{ "type": "text", "text": "Hi" }, { "type": "tool_use", "id": "a",
                "name": name, "input": arguments }],
            "stop_reason": "tool_use", "usage": { "input_tokens": 3, "output_tokens": 2 } }),
        Dialect::Gemini => json!({ "responseId": "r", "candidates": [{ "finishReason": "STOP",
            "content": { "role": "model", "parts": [{ "text": "Hi" },
                { "functionCall": { "id": "a", "name": name, "args": arguments } }] } }],
            "usageMetadata": { "promptTokenCount": 3, "candidatesTokenCount": 2, "totalTokenCount": 5 } }),
        Dialect::BedrockConverse => json!({ "output": { "message": { "role": "assistant",
            "content": [{ "text": "Hi" }, { "toolUse": { "toolUseId": "a",
                "name": name, "input": arguments } }] } }, "stopReason": "tool_use",
            "usage": { "inputTokens": 3, "outputTokens": 2, "totalTokens": 5 } }),
        Dialect::Ollama => json!({ "model": "m", "done": true, "done_reason": "stop", "message": {
            "role": "assistant", "content": "Hi", "tool_calls": [{ "id": "a", "function":
                { "name": name, "arguments": arguments } }] },
            "prompt_eval_count": 3, "eval_count": 2 }),
    }
}

fn bytes(dialect: Dialect, body: &str, size: usize) -> (Turn, Vec<Delta>) {
    let adapter = adapter(dialect);
    let mut stream = adapter.stream();
    let mut deltas = Vec::new();
    for part in body.as_bytes().chunks(size) {
        deltas.extend(stream.push_bytes(part).unwrap());
    }
    deltas.extend(stream.push_last_event().unwrap());
    (stream.finish().unwrap(), deltas)
}

#[test]
fn a_whole_response_is_read_in_place_of_a_stream_in_every_dialect() {
    for dialect in Dialect::ALL {
        let response = whole(dialect);
        let expected = read(dialect, &response);
        assert_eq!((expected.text(), expected.calls().len()), ("Hi", 1), "{dialect:?}");
        let shown = [Delta::Text("Hi".to_owned()), Delta::CallStarted("content.search".to_owned())];
        let body = response.to_string();
        let mut streamed = vec![
            bytes(dialect, &body, 7),
            bytes(dialect, &body, usize::MAX),
            stream(dialect, &[response]),
        ];
        if matches!(dialect, Dialect::OpenAiChat | Dialect::OpenAiResponses | Dialect::Anthropic) {
            streamed.push(bytes(dialect, &format!("data: {body}\n\ndata: [DONE]\n\n"), 11));
        }
        for (turn, deltas) in streamed {
            assert_eq!(deltas, shown, "{dialect:?}");
            assert_eq!(turn.text(), "Hi");
            assert_eq!(asked(&turn), asked(&expected));
            assert_eq!(turn.messages(), expected.messages());
            assert_eq!(
                (turn.stop_reason(), turn.usage()),
                (expected.stop_reason(), expected.usage())
            );
        }
    }
}

#[test]
fn a_body_that_is_no_response_is_an_error() {
    let dialects = [
        Dialect::OpenAiChat,
        Dialect::OpenAiResponses,
        Dialect::Anthropic,
        Dialect::BedrockConverse,
    ];
    for dialect in dialects {
        for body in [r#"{"type":"x","detail":"no"}"#, r#"{"choices":[]}"#] {
            let adapter = adapter(dialect);
            let mut stream = adapter.stream();
            let pushed = stream.push_bytes(body.as_bytes()).map(drop);
            assert!(pushed.and_then(|()| stream.finish().map(drop)).is_err(), "{dialect:?} {body}");
        }
    }
}

#[test]
fn a_whole_response_that_calls_nothing_and_says_nothing_is_still_read() {
    let body = json!({ "choices": [{ "message": { "role": "assistant", "content": "" }, "finish_reason": "stop" }] });
    let (turn, deltas) = bytes(Dialect::OpenAiChat, &body.to_string(), 5);
    assert_eq!((turn.text(), turn.stop_reason(), deltas.len()), ("", &StopReason::Done, 0));
}

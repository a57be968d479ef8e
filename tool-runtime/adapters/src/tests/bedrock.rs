//! Amazon Bedrock's Converse.

use serde_json::{Value, json};

use super::*;

const BEDROCK: Dialect = Dialect::BedrockConverse;

fn response(content: &[Value], reason: &str) -> Value {
    let message = json!({ "role": "assistant", "content": content });
    json!({ "output": { "message": message }, "stopReason": reason, "usage": {} })
}

fn call(id: &str, name: &str, input: &Value) -> Value {
    json!({ "toolUse": { "toolUseId": id, "name": name, "input": input } })
}

fn reasoning(text: &str) -> Value {
    json!({ "reasoningContent": { "reasoningText": { "text": text, "signature": "c2ln" } } })
}

#[test]
fn blocks_are_read_and_repeated_as_they_came() {
    let text = json!({ "text": "Let me look." });
    let content = [reasoning("tea"), text, call("tooluse_1", "content_search", &json!({ "q": 1 }))];
    let turn = read(BEDROCK, &response(&content, "tool_use"));
    assert_eq!(turn.text(), "Let me look.");
    assert_eq!(asked(&turn), [("tooluse_1", "content.search", r#"{"q":1}"#)]);
    check_stop(&turn, &StopReason::Done, 1);
    assert_eq!(turn.messages(), [json!({ "role": "assistant", "content": content })]);
}

#[test]
fn a_blank_text_is_not_repeated() {
    let content = [json!({ "text": "\n" }), call("a", "ping", &json!({}))];
    let turn = read(BEDROCK, &response(&content, "tool_use"));
    assert_eq!(turn.messages()[0]["content"], json!([content[1]]));
}

#[test]
fn thinking_that_was_cut_off_before_it_was_signed_is_not_repeated() {
    let thought = json!({ "reasoningContent": { "reasoningText": { "text": "tea" } } });
    let of = |reason| {
        let turn = read(BEDROCK, &response(&[thought.clone(), json!({ "text": "So" })], reason));
        turn.messages()[0]["content"].as_array().unwrap().len()
    };
    assert_eq!((of("max_tokens"), of("end_turn")), (1, 2));
}

#[test]
fn no_call_may_run_unless_the_message_came_to_its_end() {
    let of = |reason| read(BEDROCK, &response(&[call("a", "ping", &json!({}))], reason));
    check_stop(&of("tool_use"), &StopReason::Done, 1);
    check_stop(&of("max_tokens"), &StopReason::Length, 0);
    check_stop(&of("guardrail_intervened"), &refused("guardrail_intervened"), 0);
    check_stop(&of("malformed_tool_use"), &other("malformed_tool_use"), 0);
}

#[test]
fn a_call_of_the_providers_own_tool_is_kept_and_not_asked() {
    let own = json!({ "toolUse": { "toolUseId": "s", "name": "search", "input": {}, "type": "server_tool_use" } });
    let turn = read(BEDROCK, &response(std::slice::from_ref(&own), "end_turn"));
    assert!(turn.calls().is_empty());
    assert_eq!(turn.messages()[0]["content"], json!([own]));
}

#[test]
fn events_become_what_the_whole_is() {
    let delta = |index: u64, delta: Value| json!({ "contentBlockDelta": { "contentBlockIndex": index, "delta": delta } });
    let start = json!({ "toolUse": { "toolUseId": "a", "name": "content_search" } });
    let (turn, deltas) = stream(
        BEDROCK,
        &[
            json!({ "messageStart": { "role": "assistant" } }),
            delta(0, json!({ "reasoningContent": { "text": "te" } })),
            delta(0, json!({ "reasoningContent": { "text": "a" } })),
            delta(0, json!({ "reasoningContent": { "signature": "c2ln" } })),
            json!({ "contentBlockStop": { "contentBlockIndex": 0 } }),
            delta(1, json!({ "text": "Let " })),
            delta(1, json!({ "text": "me." })),
            json!({ "contentBlockStart": { "contentBlockIndex": 2, "start": start } }),
            delta(2, json!({ "toolUse": { "input": "{\"q\":" } })),
            delta(2, json!({ "toolUse": { "input": " 1}" } })),
            delta(3, json!({ "text": "It says so." })),
            delta(3, json!({ "citation": { "title": "Tea" } })),
            json!({ "messageStop": { "stopReason": "tool_use" } }),
            json!({ "metadata": { "usage": {} } }),
        ],
    );
    assert_eq!(asked(&turn), [("a", "content.search", r#"{"q": 1}"#)]);
    check_stop(&turn, &StopReason::Done, 1);
    let cited = json!({ "citationsContent": {
        "content": [{ "text": "It says so." }], "citations": [{ "title": "Tea" }] } });
    let content = json!([reasoning("tea"), { "text": "Let me." },
        call("a", "content_search", &json!({ "q": 1 })), cited]);
    assert_eq!(turn.messages()[0]["content"], content);
    assert_eq!(deltas[0], Delta::Thinking("te".to_owned()));
    assert_eq!(deltas[4], Delta::CallStarted("content.search".to_owned()));
}

#[test]
fn a_stream_without_its_stop_was_interrupted() {
    let start = json!({ "toolUse": { "toolUseId": "a", "name": "ping" } });
    let event = json!({ "contentBlockStart": { "contentBlockIndex": 0, "start": start } });
    check_stop(&stream(BEDROCK, &[event]).0, &StopReason::Interrupted, 0);
}

fn block(index: u64, start: &Value, deltas: &[Value]) -> Vec<Value> {
    let started = json!({ "contentBlockStart": { "contentBlockIndex": index, "start": start } });
    let delta = |delta: &Value| json!({ "contentBlockDelta": { "contentBlockIndex": index, "delta": delta } });
    let deltas = deltas.iter().map(delta);
    let started = Some(started).filter(|_| !start.is_null());
    started.into_iter().chain(deltas).collect()
}

/// The content of the repeated message.
fn repeated(blocks: &[Vec<Value>]) -> Value {
    let end = vec![json!({ "messageStop": { "stopReason": "end_turn" } })];
    let (turn, _) = stream(Dialect::BedrockConverse, &[blocks.concat(), end].concat());
    assert_eq!(turn.calls().len(), 0);
    turn.messages()[0]["content"].clone()
}

#[test]
fn a_streamed_use_of_the_providers_own_tools_is_repeated() {
    let call = json!({ "toolUseId": "s", "name": "nova_grounding", "type": "server_tool_use" });
    let result = json!({ "toolUseId": "s", "type": "nova_grounding_result", "status": "success" });
    let content = repeated(&[
        block(
            0,
            &json!({ "toolUse": call }),
            &[
                json!({ "toolUse": { "input": "{\"query\":" } }),
                json!({ "toolUse": { "input": "\"tea\"}" } }),
            ],
        ),
        block(
            1,
            &json!({ "toolResult": result }),
            &[
                json!({ "toolResult": [{ "text": "all " }] }),
                json!({ "toolResult": [{ "text": "about tea" }, { "json": { "hits": 1 } }] }),
            ],
        ),
    ]);
    let mut call = call;
    call["input"] = json!({ "query": "tea" });
    let mut result = result;
    result["content"] = json!([{ "text": "all about tea" }, { "json": { "hits": 1 } }]);
    assert_eq!(content, json!([{ "toolUse": call }, { "toolResult": result }]));
    // The same as of a complete response.
    let whole =
        json!({ "output": { "message": { "content": content } }, "stopReason": "end_turn" });
    assert_eq!(read(Dialect::BedrockConverse, &whole).messages()[0]["content"], content);
}

#[test]
fn an_unfinished_call_of_the_providers_own_tool_is_not_repeated() {
    let call =
        json!({ "toolUse": { "toolUseId": "s", "name": "search", "type": "server_tool_use" } });
    let (turn, _) = stream(Dialect::BedrockConverse, &block(0, &call, &[]));
    assert_eq!((turn.stop_reason(), turn.messages().len()), (&StopReason::Interrupted, 0));
}

#[test]
fn bytes_in_pieces_are_joined() {
    // "a", "bc" and "d": each piece has padding of its own.
    let redacted = |data: &str| json!({ "reasoningContent": { "redactedContent": data } });
    let bytes = |data: &str| json!({ "image": { "source": { "bytes": data } } });
    let content = repeated(&[
        block(0, &Value::Null, &[redacted("YQ=="), redacted("YmM="), redacted("ZA==")]),
        block(1, &json!({ "image": { "format": "png" } }), &[bytes("YQ=="), bytes("YmM=")]),
    ]);
    let image = json!({ "format": "png", "source": { "bytes": "YWJj" } });
    let thought = json!({ "redactedContent": "YWJjZA==" });
    assert_eq!(content, json!([{ "reasoningContent": thought }, { "image": image }]));
}

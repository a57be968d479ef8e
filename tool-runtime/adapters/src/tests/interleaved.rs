//! Streamed calls whose pieces come in turns, or under indices and ids that several calls share.

use serde_json::{Value, json};

use super::*;
use crate::RequestedCall;

const FIRST: (&str, &str, &str) = ("a", "add", r#"{"a":1}"#);
const SECOND: (&str, &str, &str) = ("b", "add", r#"{"a":2}"#);

fn chat(calls: &Value) -> Value {
    json!({ "choices": [{ "index": 0, "delta": { "tool_calls": calls } }] })
}

fn chat_end() -> Value {
    json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "tool_calls" }] })
}

fn piece(index: Option<u64>, id: &str, name: Option<&str>, arguments: &str) -> Value {
    let mut function = json!({ "arguments": arguments });
    if let Some(name) = name {
        function["name"] = name.into();
    }
    let mut call = json!({ "id": id, "type": "function", "function": function });
    if let Some(index) = index {
        call["index"] = index.into();
    }
    chat(&json!([call]))
}

#[test]
fn chat_pieces_of_two_calls_in_turns_are_two_whole_calls() {
    for index in [Some(0), None] {
        for starts in ["", "{"] {
            let rest = |text: &'static str| text.strip_prefix(starts).unwrap();
            let events = [
                piece(index, "a", Some("add"), starts),
                piece(index, "b", Some("add"), starts),
                piece(index, "a", None, rest(r#"{"a""#)),
                piece(index, "b", None, rest(r#"{"a""#)),
                piece(index, "b", None, ":2}"),
                piece(index, "a", None, ":1}"),
                chat_end(),
            ];
            let (turn, _) = stream(Dialect::OpenAiChat, &events);
            assert_eq!(asked(&turn), [FIRST, SECOND], "{index:?} {starts}");
        }
    }
}

#[test]
fn two_streamed_calls_whose_id_is_the_text_null_are_two_calls() {
    let bare = |call: &RequestedCallParts| (call.1.clone(), call.2.clone());
    for id in ["null", "None", ""] {
        for index in [[Some(0), Some(0)], [Some(0), Some(1)], [None, None]] {
            let events = [
                piece(index[0], id, Some("add"), ""),
                piece(index[0], id, None, r#"{"a":1}"#),
                piece(index[1], id, Some("add"), ""),
                piece(index[1], id, None, r#"{"a":2}"#),
                chat_end(),
            ];
            let (turn, _) = stream(Dialect::OpenAiChat, &events);
            let calls = parts(&turn);
            let called: Vec<_> = calls.iter().map(bare).collect();
            let expected = [r#"{"a":1}"#, r#"{"a":2}"#].map(|it| ("add".to_owned(), it.to_owned()));
            assert_eq!(called, expected, "{id} {index:?}");
            assert!(calls[0].0 != calls[1].0 && calls.iter().all(|call| call.0.len() > 4));
        }
    }
}

#[test]
fn two_whole_pieces_under_one_id_are_two_calls() {
    let events = [
        piece(Some(0), "x", Some("add"), r#"{"a":1}"#),
        piece(Some(0), "x", Some("add"), r#"{"a":2}"#),
        chat_end(),
    ];
    let (turn, _) = stream(Dialect::OpenAiChat, &events);
    let calls = parts(&turn);
    assert_eq!((&*calls[0].2, &*calls[1].2), (r#"{"a":1}"#, r#"{"a":2}"#));
    assert_eq!(calls[0].0, "x");
    assert_ne!(calls[1].0, "x");
}

#[test]
fn a_call_of_any_dialect_whose_id_is_the_text_null_gets_an_id() {
    let (id, input) = ("null", json!({}));
    let cases = [
        (
            Dialect::Anthropic,
            json!({ "stop_reason": "tool_use", "content": [
            { "type": "tool_use", "id": id, "name": "add", "input": input }] }),
        ),
        (
            Dialect::OpenAiResponses,
            json!({ "status": "completed", "output": [
            { "type": "function_call", "call_id": id, "name": "add", "arguments": "{}" }] }),
        ),
        (
            Dialect::BedrockConverse,
            json!({ "stopReason": "tool_use", "output": { "message": { "content": [
            { "toolUse": { "toolUseId": id, "name": "add", "input": input } }] } } }),
        ),
    ];
    for (dialect, response) in cases {
        let turn = read(dialect, &response);
        assert!(turn.calls()[0].call_id().starts_with("call_"), "{dialect:?}");
    }
}

type RequestedCallParts = (String, String, String);

fn parts(turn: &Turn) -> Vec<RequestedCallParts> {
    asked(turn).into_iter().map(|(id, name, text)| (id.into(), name.into(), text.into())).collect()
}

fn added(index: u64, id: &str, call: &str) -> Value {
    json!({ "type": "response.output_item.added", "output_index": index, "item": { "type": "function_call",
        "id": id, "call_id": call, "name": "add", "arguments": "" } })
}

fn delta(index: u64, id: &str, text: &str) -> Value {
    json!({ "type": "response.function_call_arguments.delta", "output_index": index, "item_id": id, "delta": text })
}

fn item(id: &str, (call, name, arguments): (&str, &str, &str)) -> Value {
    json!({ "type": "function_call", "id": id, "call_id": call, "name": name, "arguments": arguments,
        "status": "completed" })
}

#[test]
fn items_under_one_output_index_are_told_apart_by_their_ids() {
    for is_closed_by_items in [true, false] {
        for output in [json!([]), json!([item("1", FIRST), item("2", SECOND)])] {
            for second in [0, 1] {
                let mut events = vec![
                    added(0, "1", "a"),
                    added(second, "2", "b"),
                    delta(0, "1", r#"{"a""#),
                    delta(second, "2", r#"{"a""#),
                    delta(second, "2", ":2}"),
                    delta(0, "1", ":1}"),
                ];
                if is_closed_by_items {
                    let done = |index: u64, item: Value| json!({ "type": "response.output_item.done", "output_index": index, "item": item });
                    events.extend([done(0, item("1", FIRST)), done(second, item("2", SECOND))]);
                }
                let response = json!({ "status": "completed", "output": output });
                events.push(json!({ "type": "response.completed", "response": response }));
                let (turn, _) = stream(Dialect::OpenAiResponses, &events);
                assert_eq!(asked(&turn), [FIRST, SECOND]);
            }
        }
    }
}

#[test]
fn the_items_of_the_final_event_add_no_call_that_was_streamed_under_other_ids() {
    let events = [
        added(0, "1", "a"),
        delta(0, "1", r#"{"a":1}"#),
        json!({ "type": "response.output_item.done", "output_index": 0, "item": item("1", FIRST) }),
        added(0, "2", "b"),
        json!({ "type": "response.output_item.done", "output_index": 0, "item": item("2", SECOND) }),
        json!({ "type": "response.completed", "response": { "status": "completed", "output": [
            item("8", ("x", "add", r#"{"a":1}"#)), item("9", ("y", "add", r#"{"a":2}"#))] } }),
    ];
    let (turn, _) = stream(Dialect::OpenAiResponses, &events);
    assert_eq!(asked(&turn), [FIRST, SECOND]);
}

#[test]
fn blocks_that_use_an_index_again_are_kept() {
    let start = |call: (&str, &str, &str)| {
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "tool_use",
            "id": call.0, "name": call.1, "input": {} } })
    };
    let delta = |text: &str| {
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "input_json_delta",
            "partial_json": text } })
    };
    let stop = json!({ "type": "content_block_stop", "index": 0 });
    let events = [
        start(FIRST),
        delta(FIRST.2),
        stop.clone(),
        start(SECOND),
        delta(SECOND.2),
        stop,
        json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" } }),
        json!({ "type": "message_stop" }),
    ];
    let (turn, _) = stream(Dialect::Anthropic, &events);
    assert_eq!(asked(&turn), [FIRST, SECOND]);

    let start = |call: (&str, &str, &str)| {
        json!({ "contentBlockStart": { "contentBlockIndex": 0, "start": { "toolUse": {
            "toolUseId": call.0, "name": call.1 } } } })
    };
    let delta = |text: &str| json!({ "contentBlockDelta": { "contentBlockIndex": 0, "delta": { "toolUse": { "input": text } } } });
    let stop = json!({ "contentBlockStop": { "contentBlockIndex": 0 } });
    let text =
        json!({ "contentBlockDelta": { "contentBlockIndex": 0, "delta": { "text": "Done." } } });
    let events = [
        start(FIRST),
        delta(FIRST.2),
        stop.clone(),
        start(SECOND),
        delta(SECOND.2),
        stop,
        text,
        json!({ "messageStop": { "stopReason": "tool_use" } }),
    ];
    let (turn, _) = stream(Dialect::BedrockConverse, &events);
    assert_eq!((asked(&turn), turn.text()), (vec![FIRST, SECOND], "Done."));
}

#[test]
fn items_without_a_usable_id_under_one_index_are_several_calls() {
    for id in [json!("null"), json!("None"), json!(""), Value::Null] {
        let event = |kind: &str, arguments: &str| {
            json!({ "type": format!("response.output_item.{kind}"), "output_index": 0, "item": {
                "type": "function_call", "id": id, "call_id": id, "name": "add", "arguments": arguments } })
        };
        let events = [
            event("added", ""),
            event("done", r#"{"a":1}"#),
            event("added", ""),
            event("done", r#"{"a":2}"#),
            json!({ "type": "response.completed", "response": { "status": "completed" } }),
        ];
        let (turn, _) = stream(Dialect::OpenAiResponses, &events);
        let arguments: Vec<_> = turn.calls().iter().map(RequestedCall::arguments).collect();
        assert_eq!(arguments, [r#"{"a":1}"#, r#"{"a":2}"#], "{id}");
    }
}

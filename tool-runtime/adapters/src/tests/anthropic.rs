//! Anthropic's Messages.

use serde_json::{Value, json};

use super::*;

const ANTHROPIC: Dialect = Dialect::Anthropic;

fn call(id: &str, name: &str, input: &Value) -> Value {
    json!({ "type": "tool_use", "id": id, "name": name, "input": input })
}

fn thinking(signature: &str) -> Value {
    json!({ "type": "thinking", "thinking": "tea, then", "signature": signature })
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn message(content: &[Value], reason: &str) -> Value {
    json!({ "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": content,
        "stop_reason": reason, "stop_sequence": null })
}

#[test]
fn blocks_are_read_and_repeated_as_they_came() {
    let search = json!({ "type": "server_tool_use", "id": "srv", "name": "web_search", "input": { "query": "t" } });
    let found = json!({ "type": "web_search_tool_result", "tool_use_id": "srv", "content": [] });
    let redacted = json!({ "type": "redacted_thinking", "data": "ZW5j" });
    let call = call("toolu_1", "content_search", &json!({ "query": "tea" }));
    let content = [thinking("c2ln"), redacted, search, found, text("Let me look."), call];
    let turn = read(ANTHROPIC, &message(&content, "tool_use"));
    assert_eq!(turn.text(), "Let me look.");
    assert_eq!(asked(&turn), [("toolu_1", "content.search", r#"{"query":"tea"}"#)]);
    check_stop(&turn, &StopReason::Done, 1);
    assert_eq!(turn.messages(), [json!({ "role": "assistant", "content": content })]);
}

#[test]
fn arguments_keep_their_digits_their_order_and_their_repeated_names() {
    let written = r#"{"z": 1.0, "a":12345678901234567890123, "z":2}"#;
    let response = format!(
        r#"{{"content":[{{"type":"tool_use","id":"a","name":"ping","input":{written}}}],"stop_reason":"tool_use"}}"#
    );
    let turn = adapter(ANTHROPIC).read(&response).unwrap();
    assert_eq!(asked(&turn), [("a", "ping", written)]);
    assert_eq!(turn.requests().next().unwrap().arguments().get(), written);
}

#[test]
fn a_number_that_no_float_holds_does_not_spoil_the_response() {
    let response = r#"{"content":[{"type":"tool_use","id":"a","name":"ping","input":{"n":1e999}}],"stop_reason":"tool_use"}"#;
    let turn = adapter(ANTHROPIC).read(response).unwrap();
    assert_eq!(asked(&turn), [("a", "ping", r#"{"n":1e999}"#)]);
    assert_eq!(turn.messages()[0]["content"][0]["input"], json!({}));
}

#[test]
fn no_call_may_run_unless_the_message_came_to_its_end() {
    let of = |reason| read(ANTHROPIC, &message(&[call("a", "ping", &json!({}))], reason));
    check_stop(&of("tool_use"), &StopReason::Done, 1);
    check_stop(&of("stop_sequence"), &StopReason::Done, 1);
    check_stop(&of("max_tokens"), &StopReason::Length, 0);
    check_stop(&of("model_context_window_exceeded"), &StopReason::Length, 0);
    check_stop(&of("refusal"), &refused("refusal"), 0);
    check_stop(&of("pause_turn"), &other("pause_turn"), 0);
}

#[test]
fn content_that_the_provider_would_refuse_is_not_repeated() {
    let search =
        json!({ "type": "server_tool_use", "id": "srv", "name": "web_search", "input": {} });
    let cut = [thinking(""), text("  "), text("So"), search.clone()];
    let turn = read(ANTHROPIC, &message(&cut, "max_tokens"));
    assert_eq!(turn.messages()[0]["content"], json!([text("So")]));

    // A turn that is only paused goes on where it was.
    let turn = read(ANTHROPIC, &message(&[text("So"), search.clone()], "pause_turn"));
    assert_eq!(turn.messages()[0]["content"], json!([text("So"), search]));

    let turn = read(ANTHROPIC, &message(&[], "end_turn"));
    assert!(turn.messages().is_empty());
}

fn start(index: u64, block: &Value) -> Value {
    json!({ "type": "content_block_start", "index": index, "content_block": block })
}

fn delta(index: u64, delta: &Value) -> Value {
    json!({ "type": "content_block_delta", "index": index, "delta": delta })
}

fn input(index: u64, text: &str) -> Value {
    delta(index, &json!({ "type": "input_json_delta", "partial_json": text }))
}

fn end(reason: &str) -> [Value; 2] {
    let delta = json!({ "stop_reason": reason, "stop_sequence": null });
    [json!({ "type": "message_delta", "delta": delta }), json!({ "type": "message_stop" })]
}

#[test]
fn events_become_what_the_whole_is() {
    let [ended, closed] = end("tool_use");
    let citation = json!({ "type": "char_location", "cited_text": "tea", "document_index": 0 });
    let events = [
        json!({ "type": "message_start", "message": message(&[], "") }),
        start(0, &json!({ "type": "thinking", "thinking": "", "signature": "" })),
        json!({ "type": "ping" }),
        delta(0, &json!({ "type": "thinking_delta", "thinking": "tea, " })),
        delta(0, &json!({ "type": "thinking_delta", "thinking": "then" })),
        delta(0, &json!({ "type": "signature_delta", "signature": "c2ln" })),
        json!({ "type": "content_block_stop", "index": 0 }),
        start(1, &text("")),
        delta(1, &json!({ "type": "text_delta", "text": "Let me." })),
        delta(1, &json!({ "type": "citations_delta", "citation": citation })),
        start(2, &call("a", "content_search", &json!({}))),
        input(2, ""),
        input(2, r#"{"query": "t"#),
        input(2, r#"ea"}"#),
        start(3, &call("b", "ping", &json!({}))),
        input(3, ""),
        ended,
        closed,
    ];
    let (turn, deltas) = stream(ANTHROPIC, &events);
    assert_eq!(asked(&turn), [("a", "content.search", r#"{"query": "tea"}"#), ("b", "ping", "{}")]);
    check_stop(&turn, &StopReason::Done, 2);
    let said = json!({ "type": "text", "text": "Let me.", "citations": [citation] });
    let calls =
        [call("a", "content_search", &json!({ "query": "tea" })), call("b", "ping", &json!({}))];
    let content = json!([thinking("c2ln"), said, calls[0], calls[1]]);
    assert_eq!(turn.messages(), [json!({ "role": "assistant", "content": content })]);
    assert_eq!(deltas[0], Delta::Thinking("tea, ".to_owned()));
    assert_eq!(deltas[2], Delta::Text("Let me.".to_owned()));
    assert_eq!(deltas[3], Delta::CallStarted("content.search".to_owned()));
}

#[test]
fn partial_arguments_are_shown_to_nobody_but_the_host() {
    let [ended, closed] = end("max_tokens");
    let (turn, _) = stream(
        ANTHROPIC,
        &[start(0, &call("a", "ping", &json!({}))), input(0, r#"{"n": "te"#), ended, closed],
    );
    check_stop(&turn, &StopReason::Length, 0);
    assert_eq!(asked(&turn), [("a", "ping", r#"{"n": "te"#)]);
    assert_eq!(turn.messages()[0]["content"][0]["input"], json!({}));
}

#[test]
fn a_stream_without_its_last_event_was_interrupted() {
    let [ended, _] = end("tool_use");
    let (turn, _) = stream(ANTHROPIC, &[start(0, &call("a", "ping", &json!({}))), ended]);
    check_stop(&turn, &StopReason::Interrupted, 0);
}

#[test]
fn a_block_of_a_kind_that_nobody_knows_yet_is_put_together() {
    let [ended, closed] = end("end_turn");
    let block = |content: &str| json!({ "type": "compaction", "content": content });
    let more = |content: &str| delta(0, &json!({ "type": "compaction_delta", "content": content }));
    let (turn, _) =
        stream(ANTHROPIC, &[start(0, &block("")), more("all "), more("of it"), ended, closed]);
    assert_eq!(turn.messages()[0]["content"], json!([block("all of it")]));
}

fn streamed(events: &[Value]) -> Turn {
    let stop = [json!({ "type": "message_stop" })];
    stream(ANTHROPIC, &[events, &stop].concat()).0
}

fn ended() -> Value {
    json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" }, "usage": {} })
}

fn started(input: &Value) -> Value {
    let block = call("a", "ping", input);
    json!({ "type": "content_block_start", "index": 0, "content_block": block })
}

fn piece(text: &str) -> Value {
    let delta = json!({ "type": "input_json_delta", "partial_json": text });
    json!({ "type": "content_block_delta", "index": 0, "delta": delta })
}

#[test]
fn a_later_message_delta_without_a_reason_does_not_take_the_reason_away() {
    let usage = json!({ "type": "message_delta", "delta": {}, "usage": { "output_tokens": 9 } });
    let empty = json!({ "type": "message_delta", "delta": { "stop_reason": null } });
    for later in [usage, empty] {
        check_stop(&streamed(&[started(&json!({})), ended(), later]), &StopReason::Done, 1);
    }
}

#[test]
fn the_input_of_deltas_replaces_that_of_the_start() {
    // As `anthropic.lib.streaming` does.
    let both = [started(&json!({ "n": 1 })), piece(""), piece("{\"n\":"), piece("2}"), ended()];
    assert_eq!(asked(&streamed(&both)), [("a", "ping", r#"{"n":2}"#)]);
    let start = [started(&json!({ "n": 1 })), piece(""), ended()];
    assert_eq!(asked(&streamed(&start)), [("a", "ping", r#"{"n":1}"#)]);
}

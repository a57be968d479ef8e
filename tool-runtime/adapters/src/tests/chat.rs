//! Chat completions of OpenAI and of compatible servers.

use serde_json::{Value, json};

use super::*;

const CHAT: Dialect = Dialect::OpenAiChat;

fn call(id: &str, name: &str, arguments: &str) -> Value {
    json!({ "id": id, "type": "function", "function": { "name": name, "arguments": arguments } })
}

fn completion(message: &Value, reason: &str) -> Value {
    json!({ "id": "c", "object": "chat.completion", "choices": [
        { "index": 0, "message": message, "finish_reason": reason, "logprobs": null }
    ] })
}

fn calls(calls: &[Value], reason: &str) -> Turn {
    let message = json!({ "role": "assistant", "content": null, "tool_calls": calls });
    read(CHAT, &completion(&message, reason))
}

fn chunk(calls: &Value) -> Value {
    json!({ "choices": [{ "index": 0, "delta": { "tool_calls": calls }, "finish_reason": null }] })
}

/// The calls of chunks with a complete end.
fn streamed(pieces: &[Value]) -> Turn {
    let end = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "tool_calls" }] });
    let chunks: Vec<_> = pieces.iter().map(|piece| chunk(&json!([piece]))).chain([end]).collect();
    stream(CHAT, &chunks).0
}

#[test]
fn a_completion_is_read_and_repeated_as_it_came() {
    let message = json!({
        "role": "assistant",
        "content": "Let me look.",
        "reasoning_content": "tea, then",
        "tool_calls": [
            call("call_1", "content_search", r#"{"query": "tea", "limit":1e1}"#),
            call("call_2", "ping", ""),
        ],
    });
    let turn = read(CHAT, &completion(&message, "tool_calls"));
    assert_eq!(turn.text(), "Let me look.");
    assert_eq!(
        asked(&turn),
        [
            ("call_1", "content.search", r#"{"query": "tea", "limit":1e1}"#),
            ("call_2", "ping", "{}"),
        ]
    );
    check_stop(&turn, &StopReason::Done, 2);
    let mut repeated = message;
    repeated["tool_calls"][1]["function"]["arguments"] = "{}".into();
    assert_eq!(turn.messages(), [repeated]);
}

#[test]
fn broken_arguments_are_kept_for_the_answer_and_left_out_of_the_message() {
    let turn = calls(&[call("a", "ping", r#"{"n": "#), call("b", "ping", "[1]")], "tool_calls");
    assert_eq!(asked(&turn), [("a", "ping", r#"{"n": "#), ("b", "ping", "[1]")]);
    // The list is JSON, so that the runtime can report the error in it.
    check_stop(&turn, &StopReason::Done, 1);
    for place in 0..2 {
        let function = &turn.messages()[0]["tool_calls"][place]["function"];
        assert_eq!(function["arguments"], "{}");
    }
}

#[test]
fn an_id_that_is_missing_or_given_twice_is_made_here_in_the_message_too() {
    let ids = [call("same", "ping", ""), call("same", "ping", ""), call("", "ping", "")];
    let turn = calls(&ids, "tool_calls");
    let given: Vec<_> = asked(&turn).into_iter().map(|(id, ..)| id).collect();
    assert_eq!(given[0], "same");
    assert!(given[1].starts_with("call_") && given[2].starts_with("call_") && given[1] != given[2]);
    for (place, id) in given.into_iter().enumerate() {
        assert_eq!(turn.messages()[0]["tool_calls"][place]["id"], id);
    }
}

#[test]
fn no_call_may_run_unless_the_response_came_to_its_end() {
    let of = |reason| calls(&[call("a", "ping", "{}")], reason);
    for ended in ["stop", "tool_calls", "function_call", "eos", "eos_token"] {
        check_stop(&of(ended), &StopReason::Done, 1);
    }
    check_stop(&of("length"), &StopReason::Length, 0);
    check_stop(&of("content_filter"), &refused("content_filter"), 0);
    check_stop(&of("insufficient_system_resource"), &other("insufficient_system_resource"), 0);
    let open = json!({ "choices": [{ "message": { "tool_calls": [call("a", "ping", "{}")] } }] });
    check_stop(&read(CHAT, &open), &StopReason::Interrupted, 0);
}

#[test]
fn a_refusal_is_said_and_nothing_runs() {
    let message = json!({ "role": "assistant", "content": null, "refusal": "I will not.",
        "tool_calls": [call("a", "ping", "{}")] });
    let turn = read(CHAT, &completion(&message, "stop"));
    assert_eq!((turn.refusal(), turn.text()), (Some("I will not."), ""));
    check_stop(&turn, &refused("refusal"), 0);
}

#[test]
fn a_call_of_another_type_is_kept_and_is_the_hosts() {
    let foreign = json!({ "id": "x", "type": "retrieval", "retrieval": { "query": "select" } });
    let mut signed = call("a", "ping", "{}");
    signed["extra_content"] = json!({ "google": { "thought_signature": "c2ln" } });
    let turn = calls(&[foreign.clone(), signed.clone()], "tool_calls");
    assert_eq!(asked(&turn), [("a", "ping", "{}")]);
    assert_eq!(turn.messages()[0]["tool_calls"], json!([foreign, signed]));
}

#[test]
fn a_custom_call_of_an_undeclared_tool_is_repeated_under_a_legal_name_and_answered() {
    let custom = |name: &Value, input: &Value| json!({ "id": "x", "type": "custom", "custom": { "name": name, "input": input } });
    let odd =
        [json!(""), json!(" "), Value::Null, json!(7), json!("run sql!"), json!("x".repeat(300))];
    for name in odd {
        for input in [json!("select"), json!({ "a": 1 }), Value::Null] {
            let turn = calls(&[custom(&name, &input), call("a", "ping", "{}")], "tool_calls");
            let call = &turn.messages()[0]["tool_calls"][0];
            let repeated = call["custom"]["name"].as_str().unwrap();
            let is_accepted = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
            assert!(
                (1..=64).contains(&repeated.len()) && repeated.chars().all(is_accepted),
                "{call}"
            );
            assert!(call["custom"]["input"].is_string() && call["id"] == "x", "{call}");
            let runnable: Vec<_> = turn.requests().map(|call| call.name().to_owned()).collect();
            assert_eq!((turn.calls().len(), runnable), (2, vec!["ping".to_owned()]));
            let answers = ["x", "a"].map(|id| ToolAnswer::from_text(id, "done"));
            let answers = adapter(CHAT).answer_messages(&turn, answers).unwrap();
            assert_eq!(answers[0]["tool_call_id"], "x");
        }
    }
}

#[test]
fn a_custom_call_of_a_function_has_its_text_as_the_arguments() {
    let custom = |input: &str| json!({ "id": "x", "type": "custom", "custom": { "name": "ping", "input": input } });
    let turn = calls(&[custom(r#"{"n": 1}"#)], "tool_calls");
    assert_eq!(asked(&turn), [("x", "ping", r#"{"n": 1}"#)]);
    check_stop(&turn, &StopReason::Done, 1);
    // A text that is not JSON is no argument.
    check_stop(&calls(&[custom("select")], "tool_calls"), &StopReason::Done, 0);
}

#[test]
fn nulls_and_empty_lists_that_the_provider_refuses_are_left_out() {
    let message = json!({ "role": "assistant", "content": "Hi", "refusal": null, "audio": null,
        "function_call": null, "tool_calls": [] });
    let turn = read(CHAT, &completion(&message, "stop"));
    assert_eq!(turn.messages(), [json!({ "role": "assistant", "content": "Hi" })]);
}

#[test]
fn audio_goes_back_by_its_id() {
    let audio = json!({ "id": "audio_1", "data": "UklGRg==", "expires_at": 1, "transcript": "Hi" });
    let message = json!({ "role": "assistant", "content": null, "audio": audio });
    let turn = read(CHAT, &completion(&message, "stop"));
    assert_eq!(turn.messages(), [json!({ "role": "assistant", "audio": { "id": "audio_1" } })]);
}

#[test]
fn content_in_parts_is_text_too() {
    let content = json!([{ "type": "text", "text": "Hi" }, { "type": "reference", "ids": [1] }]);
    let turn = read(CHAT, &completion(&json!({ "role": "assistant", "content": content }), "stop"));
    assert_eq!(turn.text(), "Hi");
}

#[test]
fn chunks_become_what_the_whole_is() {
    let (turn, deltas) = stream(
        CHAT,
        &[
            json!({ "choices": [{ "index": 0, "delta": { "role": "assistant", "content": "Let " } }] }),
            json!({ "choices": [{ "index": 0, "delta": { "content": "me" } }] }),
            chunk(&json!([{ "index": 0, "id": "a", "type": "function",
                "function": { "name": "content_search", "arguments": "" } }])),
            chunk(&json!([{ "index": 1, "id": "b", "type": "function",
                "function": { "name": "add", "arguments": "{\"a\"" } }])),
            chunk(&json!([{ "index": 0, "function": { "arguments": "{\"q\":" } }])),
            chunk(&json!([{ "index": 1, "function": { "arguments": ":1}" } },
                { "index": 0, "function": { "arguments": "2}" } }])),
            json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "tool_calls" }] }),
            json!({ "choices": [], "usage": { "total_tokens": 9 } }),
        ],
    );
    assert_eq!(asked(&turn), [("a", "content.search", r#"{"q":2}"#), ("b", "add", r#"{"a":1}"#)]);
    check_stop(&turn, &StopReason::Done, 2);
    let said = |text: &str| Delta::Text(text.to_owned());
    let calls = |name: &str| Delta::CallStarted(name.to_owned());
    assert_eq!(deltas, [said("Let "), said("me"), calls("content.search"), calls("add")]);
}

#[test]
fn whole_calls_that_all_have_the_index_0_are_told_apart() {
    let piece = |id: &str, arguments: &str| {
        let mut call = call(id, "ping", arguments);
        call["index"] = 0.into();
        call
    };
    let turn = streamed(&[piece("a", r#"{"n":1}"#), piece("b", r#"{"n":2}"#)]);
    assert_eq!(asked(&turn), [("a", "ping", r#"{"n":1}"#), ("b", "ping", r#"{"n":2}"#)]);
}

#[test]
fn calls_of_one_id_are_told_apart_by_their_index() {
    let piece = |index: u64, name: &str, arguments: &str| {
        let mut call = call("same", name, arguments);
        call["index"] = index.into();
        call
    };
    let turn = streamed(&[piece(0, "add", ""), piece(1, "ping", r#"{"a":1}"#)]);
    let found: Vec<_> = asked(&turn).into_iter().map(|(_, name, given)| (name, given)).collect();
    assert_eq!(found, [("add", "{}"), ("ping", r#"{"a":1}"#)]);
}

#[test]
fn pieces_without_index_or_id_go_where_they_belong() {
    let named = |name: &str, arguments: &str| json!({ "function": { "name": name, "arguments": arguments } });
    let more = |arguments: &str| json!({ "function": { "arguments": arguments } });
    let turn = streamed(&[
        named("ping", r#"{"n":"#),
        more("1}"),
        named("ping", r#"{"n":2}"#),
        named("add", "{"),
        more("}"),
    ]);
    let calls: Vec<_> =
        asked(&turn).into_iter().map(|(_, name, arguments)| (name, arguments)).collect();
    assert_eq!(calls, [("ping", r#"{"n":1}"#), ("ping", r#"{"n":2}"#), ("add", "{}")]);
}

#[test]
fn a_name_or_an_id_that_every_piece_repeats_begins_one_call() {
    let piece = |id: &str, arguments: &str| {
        json!({ "index": 0, "id": id,
        "function": { "name": "ping", "arguments": arguments } })
    };
    let turn = streamed(&[piece("a", ""), piece("a", r#"{"n":"#), piece("a", "1}")]);
    assert_eq!(asked(&turn), [("a", "ping", r#"{"n":1}"#)]);

    // Each piece has its own id, but only the first has a name.
    let more = json!({ "index": 0, "id": "c", "function": { "arguments": "1}" } });
    let turn = streamed(&[piece("b", r#"{"n":"#), more]);
    assert_eq!(asked(&turn), [("b", "ping", r#"{"n":1}"#)]);
}

#[test]
fn a_stream_without_a_finish_reason_was_interrupted() {
    let whole =
        json!([{ "index": 0, "id": "a", "function": { "name": "ping", "arguments": "{}" } }]);
    let (turn, _) = stream(CHAT, &[chunk(&whole)]);
    check_stop(&turn, &StopReason::Interrupted, 0);
    assert_eq!(turn.messages()[0]["tool_calls"][0]["id"], "a");
}

#[test]
fn a_streamed_call_of_a_custom_tool_is_no_function() {
    let piece =
        |custom: Value| json!({ "index": 0, "id": "x", "type": "custom", "custom": custom });
    let function =
        json!({ "index": 1, "id": "a", "function": { "name": "ping", "arguments": "{}" } });
    let more = json!({ "index": 0, "custom": { "input": "lect" } });
    let turn = streamed(&[piece(json!({ "name": "sql", "input": "se" })), more, function]);
    assert_eq!(asked(&turn), [("x", "sql", "select"), ("a", "ping", "{}")]);
    let custom =
        json!({ "id": "x", "type": "custom", "custom": { "name": "sql", "input": "select" } });
    assert_eq!(turn.messages()[0]["tool_calls"], json!([custom, call("a", "ping", "{}")]));
}

#[test]
fn the_deprecated_function_call_is_a_call() {
    let function = json!({ "name": "content_search", "arguments": "{\"query\":\"tea\"}" });
    let message = json!({ "role": "assistant", "content": null, "function_call": function });
    let whole = read(CHAT, &completion(&message, "function_call"));
    let delta =
        |function: Value| json!({ "choices": [{ "delta": { "function_call": function } }] });
    let (streamed, deltas) = stream(
        CHAT,
        &[
            delta(json!({ "name": "content_search", "arguments": "" })),
            delta(json!({ "arguments": "{\"query\":" })),
            delta(json!({ "arguments": "\"tea\"}" })),
            json!({ "choices": [{ "delta": {}, "finish_reason": "function_call" }] }),
        ],
    );
    assert_eq!(deltas, [Delta::CallStarted("content.search".to_owned())]);
    for turn in [whole, streamed] {
        let [(id, name, arguments)] = asked(&turn)[..] else { panic!("one call") };
        assert_eq!((name, arguments), ("content.search", r#"{"query":"tea"}"#));
        check_stop(&turn, &StopReason::Done, 1);
        assert_eq!(turn.messages(), std::slice::from_ref(&message));
        // As `ChatCompletionFunctionMessageParam` of the package `openai` has it.
        let answer =
            adapter(CHAT).answer_messages(&turn, [ToolAnswer::from_text(id, "found")]).unwrap();
        let expected = json!({ "role": "function", "name": "content_search", "content": "found" });
        assert_eq!(answer, [expected]);
    }
}

#[test]
fn a_function_call_beside_the_same_tool_call_is_one_call() {
    let function = json!({ "name": "ping", "arguments": "{}" });
    let message = json!({ "role": "assistant", "content": null, "function_call": function,
        "tool_calls": [call("a", "ping", "{}")] });
    let turn = read(CHAT, &completion(&message, "tool_calls"));
    assert_eq!(asked(&turn), [("a", "ping", "{}")]);
    assert_eq!(turn.messages()[0].get("function_call"), None);
}

#[test]
fn reasoning_in_parts_stays_beside_the_text_that_follows_it() {
    let delta = |content: Value| json!({ "choices": [{ "delta": { "content": content } }] });
    let thinking = |text: &str| json!([{ "type": "thinking", "thinking": [{ "type": "text", "text": text }] }]);
    let end = json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] });
    let (turn, deltas) = stream(
        CHAT,
        &[
            delta(json!("")),
            delta(thinking("tea, ")),
            delta(thinking("then")),
            delta(json!("Let ")),
            delta(json!("me")),
            end,
        ],
    );
    let expected = json!([thinking("tea, then")[0], { "type": "text", "text": "Let me" }]);
    assert_eq!(turn.messages()[0]["content"], expected);
    assert_eq!(turn.text(), "Let me");
    let thought = |text: &str| Delta::Thinking(text.to_owned());
    let said = |text: &str| Delta::Text(text.to_owned());
    assert_eq!(deltas, [thought("tea, "), thought("then"), said("Let "), said("me")]);
}

#[test]
fn fields_that_groq_refuses_are_not_repeated_and_its_usage_is_read() {
    let done = json!([{ "type": "search", "index": 0, "arguments": "{}", "output": "tea" }]);
    let cited = json!([{ "type": "function_citation" }]);
    let delta = json!({ "content": "Hi", "reasoning": "tea", "executed_tools": done,
        "annotations": cited });
    let usage = json!({ "prompt_tokens": 9, "completion_tokens": 1 });
    let ended = json!({ "index": 0, "delta": {}, "finish_reason": "stop" });
    let (turn, _) = stream(
        CHAT,
        &[
            json!({ "choices": [{ "index": 0, "delta": delta }], "x_groq": { "id": "r" } }),
            json!({ "choices": [ended], "x_groq": { "id": "r", "usage": usage } }),
        ],
    );
    let expected = json!({ "role": "assistant", "content": "Hi", "reasoning": "tea" });
    assert_eq!(turn.messages(), [expected]);
    let usage = turn.usage().expect("the last event has it");
    assert_eq!((usage.input, usage.output), (Some(9), Some(1)));
}

#[test]
fn reasoning_details_are_joined_by_their_index() {
    let delta =
        |details: Value| json!({ "choices": [{ "delta": { "reasoning_details": details } }] });
    let text = |index: u64, text: &str| json!({ "type": "reasoning.text", "text": text, "index": index, "signature": null });
    let signed = json!({ "type": "reasoning.text", "text": "", "index": 0, "signature": "c2ln" });
    let encrypted = json!({ "type": "reasoning.encrypted", "data": "ZW5j", "id": "r", "index": 1 });
    let end = json!({ "choices": [{ "delta": { "content": "Hi" }, "finish_reason": "stop" }] });
    let (turn, _) = stream(
        CHAT,
        &[
            delta(json!([text(0, "tea, ")])),
            delta(json!([text(0, "then")])),
            delta(json!([signed, encrypted])),
            end,
        ],
    );
    let joined =
        json!({ "type": "reasoning.text", "text": "tea, then", "index": 0, "signature": "c2ln" });
    assert_eq!(turn.messages()[0]["reasoning_details"], json!([joined, encrypted]));
}

#[test]
fn reasoning_of_a_complete_response_is_shown_and_repeated_in_its_own_form() {
    let part = |text: &str| json!({ "type": "text", "text": text });
    let content = json!([
        { "type": "thinking", "thinking": [part("tea, "), part("then")], "closed": true },
        part("Let "),
        { "type": "thinking", "thinking": "more" },
        { "type": "reference", "reference_ids": [1] },
        part("me"),
    ]);
    let message = json!({ "role": "assistant", "content": content });
    let turn = read(CHAT, &completion(&message, "stop"));
    assert_eq!((turn.text(), turn.thinking()), ("Let me", "tea, thenmore"));
    assert_eq!(turn.messages(), [message]);

    let details = |variants: Value| json!({ "role": "assistant", "content": "Hi", "reasoning_details": variants });
    let text = json!({ "type": "reasoning.text", "text": "tea", "signature": "c2ln", "index": 0 });
    let summary = json!({ "type": "reasoning.summary", "summary": "S", "id": "r", "index": 1 });
    let encrypted = json!({ "type": "reasoning.encrypted", "data": "ZW5j", "index": 2 });
    for (variants, thinking) in [
        (json!([text, summary, encrypted]), "teaS"),
        (json!([encrypted]), ""),
        (json!([]), ""),
        (json!([summary]), "S"),
    ] {
        let message = details(variants);
        let turn = read(CHAT, &completion(&message, "stop"));
        assert_eq!((turn.text(), turn.thinking()), ("Hi", thinking), "{message}");
        assert_eq!(turn.messages(), std::slice::from_ref(&message));
        // A text beside them is not shown twice.
        let mut beside = message.clone();
        beside["reasoning"] = "tea".into();
        assert_eq!(read(CHAT, &completion(&beside, "stop")).thinking(), "tea");
    }
}

//! Token counts, ids, models, reasoning and refusals, whole and streamed.

use super::*;
use crate::TurnUsage;

/// Reads a response whole and in events; both are to tell the same.
#[track_caller]
fn both(dialect: Dialect, whole: &Value, events: &[Value]) -> (Turn, Vec<Delta>) {
    let (streamed, deltas) = stream(dialect, events);
    let whole = read(dialect, whole);
    let facts = |turn: &Turn| {
        let (id, model) = (turn.response_id().map(str::to_owned), turn.model().map(str::to_owned));
        let refusal = turn.refusal().map(str::to_owned);
        (turn.usage(), id, model, turn.thinking().to_owned(), turn.text().to_owned(), refusal)
    };
    assert_eq!(facts(&streamed), facts(&whole), "{dialect}");
    let thought: String = deltas
        .iter()
        .filter_map(|delta| match delta {
            Delta::Thinking(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(thought, streamed.thinking(), "{dialect}: the deltas");
    (streamed, deltas)
}

fn counts(turn: &Turn) -> [Option<u64>; 5] {
    let TurnUsage { input, output, cache_read, cache_write, reasoning } =
        turn.usage().expect("the provider reported its usage");
    [input, output, cache_read, cache_write, reasoning]
}

#[test]
fn chat_reports_its_usage_in_a_chunk_without_choices() {
    let usage = json!({ "prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120,
        "prompt_tokens_details": { "cached_tokens": 64, "cache_write_tokens": 8 },
        "completion_tokens_details": { "reasoning_tokens": 12 } });
    let choice = |name: &str, message: Value, reason: Value| json!({ "index": 0, name: message, "finish_reason": reason });
    let message = json!({ "role": "assistant", "content": "Hi", "reasoning_content": "tea, then" });
    let whole = json!({ "id": "chatcmpl-1", "model": "m-1", "usage": usage,
        "choices": [choice("message", message, "stop".into())] });
    let chunk = |choices: Value, usage: &Value| json!({ "id": "chatcmpl-1", "model": "m-1", "choices": choices, "usage": usage });
    let events = [
        // Some hosts send the same reasoning under both names.
        json!({ "reasoning_content": "tea, ", "reasoning": "tea, " }),
        json!({ "reasoning_content": "then" }),
        json!({ "content": "Hi" }),
    ];
    let pieces =
        events.map(|delta| chunk(json!([choice("delta", delta, Value::Null)]), &Value::Null));
    let end = chunk(json!([choice("delta", json!({}), "stop".into())]), &Value::Null);
    let events: Vec<_> = pieces.into_iter().chain([end, chunk(json!([]), &usage)]).collect();
    let (turn, _) = both(Dialect::OpenAiChat, &whole, &events);
    assert_eq!(counts(&turn), [Some(100), Some(20), Some(64), Some(8), Some(12)]);
    assert_eq!((turn.response_id(), turn.model()), (Some("chatcmpl-1"), Some("m-1")));
    assert_eq!((turn.thinking(), turn.text()), ("tea, then", "Hi"));
}

#[test]
fn chat_has_reasoning_in_parts_and_in_details_too() {
    let read = |message: Value| {
        let choice = json!({ "index": 0, "message": message, "finish_reason": "stop" });
        read(
            Dialect::OpenAiChat,
            &json!({ "choices": [choice], "usage": { "prompt_tokens": 9,
            "completion_tokens": 1, "prompt_cache_hit_tokens": 4 } }),
        )
    };
    let parts = json!([{ "type": "thinking", "thinking": [{ "type": "text", "text": "tea" }] },
        { "type": "text", "text": "Hi" }]);
    let turn = read(json!({ "role": "assistant", "content": parts }));
    assert_eq!((turn.thinking(), turn.text()), ("tea", "Hi"));
    assert_eq!(counts(&turn), [Some(9), Some(1), Some(4), None, None]);
    let details = json!([{ "type": "reasoning.text", "text": "tea" },
        { "type": "reasoning.encrypted", "data": "x" }, { "type": "reasoning.summary", "summary": "!" }]);
    let turn = read(json!({ "role": "assistant", "content": "Hi", "reasoning_details": details }));
    assert_eq!(turn.thinking(), "tea!");
    let turn = read(json!({ "role": "assistant", "content": "Hi", "reasoning": "tea",
        "reasoning_details": details }));
    assert_eq!(turn.thinking(), "tea");
}

#[test]
fn a_refusal_is_no_text() {
    let message =
        |refusal: &str| json!({ "role": "assistant", "content": null, "refusal": refusal });
    let choice = |name: &str, message: Value, reason: Value| json!({ "choices": [{ "index": 0, name: message, "finish_reason": reason }] });
    let events = [
        choice("delta", json!({ "refusal": "I " }), Value::Null),
        choice("delta", json!({ "refusal": "will not." }), "stop".into()),
    ];
    let whole = choice("message", message("I will not."), "stop".into());
    let (turn, deltas) = both(Dialect::OpenAiChat, &whole, &events);
    assert_eq!((turn.refusal(), turn.text()), (Some("I will not."), ""));
    check_stop(&turn, &refused("refusal"), 0);
    let pieces = ["I ", "will not."].map(|piece| Delta::Refusal(piece.to_owned()));
    assert_eq!(deltas, pieces);
    assert_eq!(turn.messages()[0]["refusal"], "I will not.");
}

#[test]
fn responses_report_their_usage_in_the_last_event() {
    let usage = json!({ "input_tokens": 100, "output_tokens": 20, "total_tokens": 120,
        "input_tokens_details": { "cached_tokens": 64, "cache_write_tokens": 8 },
        "output_tokens_details": { "reasoning_tokens": 12 } });
    let reasoning = json!({ "type": "reasoning", "id": "rs",
        "summary": [{ "type": "summary_text", "text": "tea, then" }] });
    let message = json!({ "type": "message", "id": "msg", "role": "assistant", "status": "completed",
        "content": [{ "type": "output_text", "text": "Hi", "annotations": [] }] });
    let response = |status: &str, output: &[&Value], usage: &Value| json!({ "id": "resp_1", "model": "m-1", "status": status, "output": output, "usage": usage });
    let whole = response("completed", &[&reasoning, &message], &usage);
    let created = response("in_progress", &[], &Value::Null);
    let summary = |delta: &str| json!({ "type": "response.reasoning_summary_text.delta", "output_index": 0, "delta": delta });
    let events = [
        json!({ "type": "response.created", "response": created }),
        json!({ "type": "response.output_item.added", "output_index": 0,
            "item": { "type": "reasoning", "id": "rs", "summary": [] } }),
        summary("tea, "),
        summary("then"),
        json!({ "type": "response.output_item.done", "output_index": 0, "item": reasoning }),
        json!({ "type": "response.output_item.done", "output_index": 1, "item": message }),
        json!({ "type": "response.completed", "response": whole }),
    ];
    let (turn, _) = both(Dialect::OpenAiResponses, &whole, &events);
    assert_eq!(counts(&turn), [Some(100), Some(20), Some(64), Some(8), Some(12)]);
    assert_eq!((turn.response_id(), turn.model()), (Some("resp_1"), Some("m-1")));
    let (cut, _) = stream(Dialect::OpenAiResponses, &events[..3]);
    assert_eq!((cut.thinking(), cut.response_id()), ("tea, ", Some("resp_1")));
    assert_eq!((cut.usage(), cut.stop_reason()), (None, &StopReason::Interrupted));
    let cut_off = json!({ "id": "resp_1", "status": "incomplete", "output": [], "usage": usage,
        "incomplete_details": { "reason": "max_output_tokens" } });
    let (cut, _) = stream(
        Dialect::OpenAiResponses,
        &[json!({ "type": "response.incomplete", "response": cut_off })],
    );
    assert_eq!((cut.stop_reason(), counts(&cut)[1]), (&StopReason::Length, Some(20)));
}

#[test]
fn a_streamed_refusal_of_responses_is_repeated_as_one() {
    let item = json!({ "type": "message", "id": "msg", "role": "assistant", "status": "in_progress",
        "content": [] });
    let (turn, deltas) = stream(
        Dialect::OpenAiResponses,
        &[
            json!({ "type": "response.output_item.added", "output_index": 0, "item": item }),
            json!({ "type": "response.refusal.delta", "output_index": 0, "delta": "I will" }),
        ],
    );
    assert_eq!((turn.refusal(), turn.text()), (Some("I will"), ""));
    assert_eq!(deltas, [Delta::Refusal("I will".to_owned())]);
    assert_eq!(turn.messages()[0]["content"][0], json!({ "type": "refusal", "refusal": "I will" }));
}

/// The events of an Anthropic message with thinking and a text.
fn anthropic_events() -> Vec<Value> {
    let message = json!({ "id": "msg_1", "model": "m-1", "role": "assistant", "content": [],
        "stop_reason": null, "usage": { "input_tokens": 10, "output_tokens": 1,
            "cache_read_input_tokens": 80, "cache_creation_input_tokens": 10 } });
    let delta = |delta: Value| json!({ "type": "content_block_delta", "index": 0, "delta": delta });
    vec![
        json!({ "type": "message_start", "message": message }),
        json!({ "type": "content_block_start", "index": 0,
            "content_block": { "type": "thinking", "thinking": "", "signature": "" } }),
        delta(json!({ "type": "thinking_delta", "thinking": "tea, " })),
        delta(json!({ "type": "thinking_delta", "thinking": "then" })),
        delta(json!({ "type": "signature_delta", "signature": "c2ln" })),
        // Only some of the counts, as `MessageDeltaUsage` allows.
        json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" },
            "usage": { "output_tokens": 20, "output_tokens_details": { "thinking_tokens": 12 } } }),
        json!({ "type": "message_stop" }),
    ]
}

#[test]
fn anthropic_counts_the_cached_input_beside_the_rest_and_we_within() {
    let usage = json!({ "input_tokens": 10, "output_tokens": 20, "cache_read_input_tokens": 80,
        "cache_creation_input_tokens": 10, "output_tokens_details": { "thinking_tokens": 12 } });
    let thought = json!({ "type": "thinking", "thinking": "tea, then", "signature": "c2ln" });
    let whole = json!({ "id": "msg_1", "model": "m-1", "content": [thought],
        "stop_reason": "end_turn", "usage": usage });
    let (turn, _) = both(Dialect::Anthropic, &whole, &anthropic_events());
    assert_eq!(counts(&turn), [Some(100), Some(20), Some(80), Some(10), Some(12)]);
    assert_eq!((turn.response_id(), turn.model()), (Some("msg_1"), Some("m-1")));
    assert_eq!(turn.thinking(), "tea, then");
}

#[test]
fn a_cut_off_message_has_the_usage_reported_before() {
    let (turn, _) = stream(Dialect::Anthropic, &anthropic_events()[..3]);
    assert_eq!(turn.stop_reason(), &StopReason::Interrupted);
    assert_eq!(counts(&turn), [Some(100), Some(1), Some(80), Some(10), None]);
    assert_eq!(turn.thinking(), "tea, ", "although the unsigned block is not repeated");
}

#[test]
fn anthropic_explains_a_refusal_apart_from_the_text() {
    let details = json!({ "type": "refusal", "category": null, "explanation": "I will not." });
    let ended = json!({ "stop_reason": "refusal", "stop_details": details });
    let whole = json!({ "content": [], "stop_reason": "refusal", "stop_details": details });
    let events =
        [json!({ "type": "message_delta", "delta": ended }), json!({ "type": "message_stop" })];
    let (turn, deltas) = both(Dialect::Anthropic, &whole, &events);
    assert_eq!((turn.refusal(), turn.text(), turn.usage()), (Some("I will not."), "", None));
    assert_eq!(deltas, [Delta::Refusal("I will not.".to_owned())]);
}

#[test]
fn gemini_counts_in_every_chunk() {
    let response = |parts: Value, reason: Value, usage: Value| {
        json!({ "responseId": "r-1", "modelVersion": "m-1", "usageMetadata": usage,
            "candidates": [{ "content": { "role": "model", "parts": parts }, "finishReason": reason }] })
    };
    let usage = json!({ "promptTokenCount": 90, "toolUsePromptTokenCount": 10,
        "cachedContentTokenCount": 64, "candidatesTokenCount": 8, "thoughtsTokenCount": 12,
        "totalTokenCount": 120 });
    let early = json!({ "promptTokenCount": 90, "thoughtsTokenCount": 5 });
    let parts = json!([{ "text": "tea, then", "thought": true }, { "text": "Hi" }]);
    let whole = response(parts, "STOP".into(), usage.clone());
    let events = [
        response(json!([{ "text": "tea, ", "thought": true }]), Value::Null, early.clone()),
        response(json!([{ "text": "then", "thought": true }]), Value::Null, early),
        response(json!([{ "text": "Hi" }]), "STOP".into(), usage),
    ];
    let (turn, _) = both(Dialect::Gemini, &whole, &events);
    assert_eq!(counts(&turn), [Some(100), Some(20), Some(64), None, Some(12)]);
    assert_eq!((turn.response_id(), turn.model()), (Some("r-1"), Some("m-1")));
    assert_eq!((turn.thinking(), turn.text()), ("tea, then", "Hi"));
    let (cut, _) = stream(Dialect::Gemini, &events[..1]);
    assert_eq!(counts(&cut), [Some(90), Some(5), None, None, Some(5)]);
}

#[test]
fn bedrock_counts_in_an_event_after_the_end() {
    let usage = json!({ "inputTokens": 10, "outputTokens": 20, "totalTokens": 120,
        "cacheReadInputTokens": 80, "cacheWriteInputTokens": 10 });
    let trace = json!({ "promptRouter": { "invokedModelId": "arn:m-1" } });
    let thought = json!({ "reasoningContent": { "reasoningText":
        { "text": "tea, then", "signature": "c2ln" } } });
    let whole = json!({ "output": { "message": { "role": "assistant", "content": [thought] } },
        "stopReason": "end_turn", "usage": usage, "trace": trace });
    let delta = |delta: Value| {
        json!({ "contentBlockDelta": { "contentBlockIndex": 0,
            "delta": { "reasoningContent": delta } } })
    };
    let events = [
        delta(json!({ "text": "tea, " })),
        delta(json!({ "text": "then" })),
        delta(json!({ "signature": "c2ln" })),
        json!({ "messageStop": { "stopReason": "end_turn" } }),
        json!({ "metadata": { "usage": usage, "metrics": { "latencyMs": 1 }, "trace": trace } }),
    ];
    let (turn, _) = both(Dialect::BedrockConverse, &whole, &events);
    assert_eq!(counts(&turn), [Some(100), Some(20), Some(80), Some(10), None]);
    assert_eq!((turn.response_id(), turn.model()), (None, Some("arn:m-1")));
}

#[test]
fn ollama_counts_in_the_last_line() {
    let message = |content: &str, thinking: &str| json!({ "role": "assistant", "content": content, "thinking": thinking });
    let line = |message: Value| json!({ "model": "m-1", "message": message, "done": false });
    let ended = |message: Value| {
        json!({ "model": "m-1", "message": message, "done": true, "done_reason": "length",
            "prompt_eval_count": 100, "eval_count": 20 })
    };
    let events = [line(message("", "tea, ")), line(message("", "then")), ended(message("Hi", ""))];
    let (turn, _) = both(Dialect::Ollama, &ended(message("Hi", "tea, then")), &events);
    assert_eq!(counts(&turn), [Some(100), Some(20), None, None, None]);
    assert_eq!((turn.response_id(), turn.model()), (None, Some("m-1")));
    assert_eq!(
        turn.stop_reason(),
        &StopReason::Length,
        "the counts are those of a cut-off response"
    );
}

#[test]
fn facts_of_other_types_are_ignored() {
    let turn = read(
        Dialect::Anthropic,
        &json!({ "id": 7, "model": {}, "content": [], "stop_reason": "end_turn",
            "usage": { "input_tokens": "ten", "output_tokens": -1 }, "stop_details": "no" }),
    );
    assert_eq!((turn.response_id(), turn.model(), turn.refusal()), (None, None, None));
    assert_eq!(turn.usage(), Some(TurnUsage::default()));
}

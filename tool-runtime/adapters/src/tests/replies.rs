//! Answers to the model.

use serde_json::{Map, Value, json};
use tool_contracts::{ErrorCode, ToolErrorDetail, ToolErrorMeta, ToolResultMeta};
use tool_runtime_core::ToolOutput;

use super::super::{AnswerError, ToolAnswer};
use super::*;

/// A turn with calls of `content.search` and of `ping`.
pub(super) fn turn(dialect: Dialect) -> Turn {
    let calls = [("a", "content_search"), ("b", "ping")];
    let response = match dialect {
        Dialect::OpenAiChat => {
            let call = |(id, name)| {
                json!({ "id": id, "type": "function",
                "function": { "name": name, "arguments": "{}" } })
            };
            json!({ "choices": [{ "message": { "tool_calls": calls.map(call) }, "finish_reason": "stop" }] })
        }
        Dialect::OpenAiResponses => {
            let call = |(id, name)| json!({ "type": "function_call", "call_id": id, "name": name, "arguments": "{}" });
            json!({ "status": "completed", "output": calls.map(call) })
        }
        Dialect::Anthropic => {
            let call =
                |(id, name)| json!({ "type": "tool_use", "id": id, "name": name, "input": {} });
            json!({ "content": calls.map(call), "stop_reason": "tool_use" })
        }
        Dialect::Gemini => {
            let call =
                |(id, name)| json!({ "functionCall": { "id": id, "name": name, "args": {} } });
            json!({ "candidates": [{ "content": { "parts": calls.map(call) }, "finishReason": "STOP" }] })
        }
        Dialect::BedrockConverse => {
            let call =
                |(id, name)| json!({ "toolUse": { "toolUseId": id, "name": name, "input": {} } });
            json!({ "output": { "message": { "content": calls.map(call) } }, "stopReason": "tool_use" })
        }
        Dialect::Ollama => {
            let call =
                |(id, name)| json!({ "id": id, "function": { "name": name, "arguments": {} } });
            json!({ "message": { "tool_calls": calls.map(call) }, "done": true })
        }
    };
    read(dialect, &response)
}

pub(super) fn ok(data: &str, meta: &ToolResultMeta) -> ToolOutput {
    ToolOutput::given_before(Some(r#"{"token":"sk-canary"}"#), data, meta.clone())
}

fn failed() -> ToolOutput {
    let detail =
        ToolErrorDetail::from_code(ErrorCode::RateLimited, "too many calls").retry_after_ms(2_000);
    let detail = detail.cause("reqwest::Error").endpoint("https://internal.example").build();
    ToolOutput::failed(Some(r#"{"token":"sk-canary"}"#), detail, ToolErrorMeta::new(1))
}

pub(super) fn plain() -> ToolResultMeta {
    ToolResultMeta::new(1)
}

/// The messages after both calls, the first of which succeeded.
fn messages(dialect: Dialect) -> Vec<Value> {
    let (adapter, turn) = (adapter(dialect), turn(dialect));
    let answers =
        [ToolAnswer::new("b", &failed()), ToolAnswer::new("a", &ok(r#"["tea"]"#, &plain()))];
    adapter.answer_messages(&turn, answers).unwrap()
}

/// The text that the model reads for one answer.
fn text_of(answer: ToolAnswer) -> String {
    let (adapter, turn) = (adapter(Dialect::Anthropic), turn(Dialect::Anthropic));
    let rest = ToolAnswer::new("b", &ok("1", &plain()));
    let messages = adapter.answer_messages(&turn, [answer, rest]).unwrap();
    messages[0]["content"][0]["content"].as_str().unwrap().to_owned()
}

const FAILED: &str = r#"{"error":{"type":"RATE_LIMIT","code":"RATE_LIMITED","message":"too many calls","retry_after_ms":2000}}"#;

#[test]
fn every_dialect_says_it_in_its_own_shape_in_the_models_order() {
    let failed: Value = serde_json::from_str(FAILED).unwrap();
    let expected = [
        json!([
            { "role": "tool", "tool_call_id": "a", "content": "[\"tea\"]" },
            { "role": "tool", "tool_call_id": "b", "content": FAILED },
        ]),
        json!([
            { "type": "function_call_output", "call_id": "a", "output": "[\"tea\"]" },
            { "type": "function_call_output", "call_id": "b", "output": FAILED },
        ]),
        json!([{ "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": "a", "content": "[\"tea\"]" },
            { "type": "tool_result", "tool_use_id": "b", "content": FAILED, "is_error": true },
        ] }]),
        json!([{ "role": "user", "parts": [
            { "functionResponse": { "id": "a", "name": "content_search", "response": { "output": ["tea"] } } },
            { "functionResponse": { "id": "b", "name": "ping", "response": failed } },
        ] }]),
        json!([{ "role": "user", "content": [
            { "toolResult": { "toolUseId": "a", "content": [{ "text": "[\"tea\"]" }] } },
            { "toolResult": { "toolUseId": "b", "content": [{ "text": FAILED }], "status": "error" } },
        ] }]),
        json!([
            { "role": "tool", "tool_name": "content_search", "tool_call_id": "a", "content": "[\"tea\"]" },
            { "role": "tool", "tool_name": "ping", "tool_call_id": "b", "content": FAILED },
        ]),
    ];
    for (dialect, expected) in Dialect::ALL.into_iter().zip(expected) {
        let messages = Value::from(messages(dialect));
        assert_eq!(messages, expected, "{dialect}");
        let text = messages.to_string();
        assert!(
            !text.contains("canary") && !text.contains("internal") && !text.contains("reqwest")
        );
    }
}

#[test]
fn a_warning_coercion_edit_or_dry_run_is_noted_beside_the_answer() {
    let meta = plain()
        .with_warnings(["the index is a day old".to_owned()])
        .with_coercions([tool_contracts::Coercion::new("/limit", "string", "integer")])
        .with_edits(["/to".to_owned()])
        .with_dry_run(true)
        .with_cache_hit(true);
    assert_eq!(
        text_of(ToolAnswer::new("a", &ok("[1.0]", &meta))),
        r#"{"data":[1.0],"notes":["the index is a day old","the argument `/limit` was converted from string to integer","a person changed the arguments at `/to` before the call ran","this was a dry run; nothing was changed"]}"#
    );
}

#[test]
fn a_host_may_show_something_else_and_say_why() {
    let answer = || ToolAnswer::new("a", &ok("[1,2,3]", &plain()));
    assert_eq!(text_of(answer().with_text("three rows")), "three rows");
    assert_eq!(
        text_of(answer().with_data("[1]").with_note("of 3")),
        r#"{"data":[1],"notes":["of 3"]}"#
    );
    assert_eq!(text_of(answer().with_text("three").with_note("rows")), "three\n\nrows");
    assert_eq!(text_of(answer().with_text(" ")), r#""""#);
    assert!(ToolAnswer::new("a", &failed()).with_text("no").is_error());
}

#[test]
fn a_call_that_is_the_hosts_own_is_answered_by_hand() {
    assert_eq!(text_of(ToolAnswer::from_text("a", "it rains")), "it rains");
    let (adapter, turn) = (adapter(Dialect::Gemini), turn(Dialect::Gemini));
    let answers = ["a", "b"].map(|id| ToolAnswer::from_text(id, "no").as_error());
    let messages = adapter.answer_messages(&turn, answers).unwrap();
    let response = &messages[0]["parts"][1]["functionResponse"]["response"];
    assert_eq!(*response, json!({ "error": "no" }));
}

#[test]
fn tools_are_named_as_the_model_knows_them() {
    let detail = ToolErrorDetail::from_code(
        ErrorCode::NotFound,
        "no tool has this name; the closest are `content.search`, `ping`",
    );
    let detail = detail.detail("closest", json!(["content.search", "ping"])).build();
    let output = ToolOutput::failed(None, detail, ToolErrorMeta::new(0));
    let text = text_of(ToolAnswer::new("a", &output));
    assert!(text.contains("the closest are `content_search`, `ping`"), "{text}");
    assert!(text.contains(r#""closest":["content_search","ping"]"#), "{text}");
}

#[test]
fn every_call_is_answered_once() {
    let (adapter, turn) = (adapter(Dialect::Anthropic), turn(Dialect::Anthropic));
    let answer = |id: &str| ToolAnswer::new(id, &ok("1", &plain()));
    let refused = |answers: &[&str]| {
        adapter.answer_messages(&turn, answers.iter().map(|id| answer(id))).unwrap_err()
    };
    let id = |id: &str| id.to_owned();
    assert_eq!(refused(&["a"]), AnswerError::Missing { call_id: id("b") });
    assert_eq!(refused(&["a", "b", "a"]), AnswerError::Duplicate { call_id: id("a") });
    assert_eq!(refused(&["a", "b", "c"]), AnswerError::Unknown { call_id: id("c") });
}

#[test]
fn a_turn_without_calls_has_no_answers() {
    let turn = read(
        Dialect::Anthropic,
        &json!({ "content": [{ "type": "text", "text": "Hi" }], "stop_reason": "end_turn" }),
    );
    let none: [ToolAnswer; 0] = [];
    assert_eq!(
        adapter(Dialect::Anthropic).answer_messages(&turn, none).unwrap(),
        Vec::<Value>::new()
    );
}

#[test]
fn calls_without_ids_are_answered_without_ids() {
    let part = json!({ "functionCall": { "name": "ping" } });
    let response =
        json!({ "candidates": [{ "content": { "parts": [part] }, "finishReason": "STOP" }] });
    let turn = read(Dialect::Gemini, &response);
    let answer = ToolAnswer::new(turn.calls()[0].call_id(), &ok("1", &plain()));
    let messages = adapter(Dialect::Gemini).answer_messages(&turn, [answer]).unwrap();
    let response = &messages[0]["parts"][0]["functionResponse"];
    assert_eq!(*response, json!({ "name": "ping", "response": { "output": 1 } }));
}

#[test]
fn an_error_of_a_response_that_was_cut_off_says_that_it_was() {
    let call = json!({ "type": "tool_use", "id": "a", "name": "ping", "input": {} });
    let turn = read(Dialect::Anthropic, &json!({ "content": [call], "stop_reason": "max_tokens" }));
    let detail =
        ToolErrorDetail::from_code(ErrorCode::InvalidArgument, "not readable").details(Map::new());
    let output = ToolOutput::failed(None, detail.build(), ToolErrorMeta::new(0));
    let messages = adapter(Dialect::Anthropic)
        .answer_messages(&turn, [ToolAnswer::new("a", &output)])
        .unwrap();
    let text = messages[0]["content"][0]["content"].as_str().unwrap();
    assert!(text.contains("repeat them, with fewer or shorter calls"), "{text}");
}

#[test]
fn an_approvals_ticket_is_not_for_the_model() {
    let call = json!({ "type": "tool_use", "id": "a", "name": "ping", "input": {} });
    let turn = read(Dialect::Anthropic, &json!({ "content": [call], "stop_reason": "tool_use" }));
    let detail =
        ToolErrorDetail::from_code(ErrorCode::NeedsUserConfirmation, "a person has to decide")
            .detail("ticket", json!({ "signature": "7819" }))
            .detail("effect", "none");
    let output = ToolOutput::failed(None, detail.build(), ToolErrorMeta::new(0));
    let messages = adapter(Dialect::Anthropic)
        .answer_messages(&turn, [ToolAnswer::new("a", &output)])
        .unwrap();
    let text = messages[0]["content"][0]["content"].as_str().unwrap();
    assert!(text.contains("a person has to decide") && text.contains("effect"), "{text}");
    assert!(!text.contains("ticket") && !text.contains("7819"), "{text}");
}

//! The Responses API.

use serde_json::{Value, json};

use super::*;

const RESPONSES: Dialect = Dialect::OpenAiResponses;

fn call(id: &str, name: &str, arguments: &str) -> Value {
    json!({ "type": "function_call", "id": format!("fc_{id}"), "call_id": id, "name": name,
        "arguments": arguments, "status": "completed" })
}

fn reasoning() -> Value {
    json!({ "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA" })
}

fn message(text: &str) -> Value {
    json!({ "type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
        "content": [{ "type": "output_text", "text": text, "annotations": [] }] })
}

fn response(output: &[Value], status: &str, reason: Option<&str>) -> Value {
    let details = reason.map(|reason| json!({ "reason": reason }));
    json!({ "id": "resp_1", "object": "response", "status": status, "error": null,
        "incomplete_details": details, "output": output })
}

#[test]
fn items_are_read_and_repeated_as_they_came() {
    let output = [reasoning(), message("Let me look."), call("a", "content_search", r#"{"q": 1}"#)];
    let turn = read(RESPONSES, &response(&output, "completed", None));
    assert_eq!(turn.text(), "Let me look.");
    assert_eq!(asked(&turn), [("a", "content.search", r#"{"q": 1}"#)]);
    check_stop(&turn, &StopReason::Done, 1);
    assert_eq!(turn.messages(), output);
}

#[test]
fn nulls_of_an_item_are_left_out_since_they_are_unknown_parameters() {
    let mut reasoning = reasoning();
    reasoning["status"] = Value::Null;
    let turn = read(RESPONSES, &response(&[reasoning, call("a", "ping", "{}")], "completed", None));
    assert!(turn.messages()[0].get("status").is_none());
}

#[test]
fn no_call_may_run_unless_the_response_came_to_its_end() {
    let of =
        |status, reason| read(RESPONSES, &response(&[call("a", "ping", "{}")], status, reason));
    check_stop(&of("completed", None), &StopReason::Done, 1);
    check_stop(&of("incomplete", Some("max_output_tokens")), &StopReason::Length, 0);
    check_stop(&of("incomplete", Some("content_filter")), &refused("content_filter"), 0);
    check_stop(&of("in_progress", None), &StopReason::Interrupted, 0);
    check_stop(&of("cancelled", None), &other("cancelled"), 0);

    let mut incomplete = call("a", "ping", "{}");
    incomplete["status"] = "incomplete".into();
    let turn = read(RESPONSES, &response(&[incomplete], "completed", None));
    check_stop(&turn, &StopReason::Interrupted, 0);
}

#[test]
fn reasoning_that_led_to_nothing_is_not_repeated() {
    let output = [message("So"), reasoning()];
    let turn = read(RESPONSES, &response(&output, "incomplete", Some("max_output_tokens")));
    assert_eq!(turn.messages(), [message("So")]);
}

#[test]
fn a_refusal_is_said_and_nothing_runs() {
    let mut message = message("");
    message["content"] = json!([{ "type": "refusal", "refusal": "I will not." }]);
    let turn = read(RESPONSES, &response(&[message, call("a", "ping", "{}")], "completed", None));
    assert_eq!((turn.refusal(), turn.text()), (Some("I will not."), ""));
    check_stop(&turn, &refused("refusal"), 0);
}

#[test]
fn items_of_the_providers_own_tools_are_kept() {
    let search = json!({ "type": "web_search_call", "id": "ws_1", "status": "completed" });
    let turn = read(RESPONSES, &response(std::slice::from_ref(&search), "completed", None));
    assert!(turn.calls().is_empty());
    assert_eq!(turn.messages(), [search]);
}

fn added(place: u64, item: &Value) -> Value {
    json!({ "type": "response.output_item.added", "output_index": place, "item": item })
}

fn done(place: u64, item: &Value) -> Value {
    json!({ "type": "response.output_item.done", "output_index": place, "item": item })
}

fn delta(place: u64, text: &str) -> Value {
    json!({ "type": "response.function_call_arguments.delta", "output_index": place, "delta": text })
}

#[test]
fn the_item_that_is_done_counts_and_not_the_one_that_was_added() {
    let mut early = reasoning();
    early["encrypted_content"] = "gA".into();
    let whole = [reasoning(), call("a", "ping", r#"{"n":1}"#)];
    let (turn, deltas) = stream(
        RESPONSES,
        &[
            json!({ "type": "response.created", "response": { "status": "in_progress" } }),
            added(0, &early),
            done(0, &whole[0]),
            added(1, &call("a", "ping", "")),
            delta(1, r#"{"n""#),
            delta(1, ":1}"),
            done(1, &whole[1]),
            json!({ "type": "response.completed", "response": response(&[], "completed", None) }),
        ],
    );
    assert_eq!(turn.messages(), whole);
    check_stop(&turn, &StopReason::Done, 1);
    assert_eq!(deltas, [Delta::CallStarted("ping".to_owned())]);
}

#[test]
fn the_closing_event_alone_is_enough() {
    let output = [message("Hi"), call("a", "ping", "{}")];
    let closed =
        json!({ "type": "response.completed", "response": response(&output, "completed", None) });
    assert_eq!(stream(RESPONSES, &[closed]).0.messages(), output);
}

#[test]
fn a_stream_that_breaks_off_keeps_what_was_said_and_runs_nothing() {
    let mut call = call("a", "ping", "");
    call["status"] = "in_progress".into();
    let mut message = message("");
    message["content"] = json!([]);
    let text =
        json!({ "type": "response.output_text.delta", "output_index": 0, "delta": "Let me" });
    let events = [added(0, &message), text, added(1, &call), delta(1, r#"{"n":"#)];
    let (turn, _) = stream(RESPONSES, &events);
    assert_eq!((turn.text(), asked(&turn)), ("Let me", vec![("a", "ping", r#"{"n":"#)]));
    check_stop(&turn, &StopReason::Interrupted, 0);
    assert_eq!(turn.messages()[0]["content"][0]["text"], "Let me");
    assert_eq!(turn.messages()[1]["arguments"], "{}");
}

#[test]
fn nulls_that_a_request_requires_are_repeated() {
    let code = json!({ "type": "code_interpreter_call", "id": "ci_1", "status": "completed",
        "container_id": "c", "code": "1", "outputs": null });
    let image = json!({ "type": "image_generation_call", "id": "ig_1", "status": "failed", "result": null });
    let response = json!({ "status": "completed", "output": [code, image] });
    assert_eq!(read(Dialect::OpenAiResponses, &response).messages(), [code, image]);
}

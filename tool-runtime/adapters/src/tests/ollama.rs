//! Ollama's chat.

use serde_json::{Value, json};

use super::*;

const OLLAMA: Dialect = Dialect::Ollama;

fn response(message: &Value, reason: &str) -> Value {
    json!({ "model": "m", "created_at": "t", "message": message, "done": true, "done_reason": reason })
}

fn call(name: &str, arguments: &Value) -> Value {
    json!({ "function": { "name": name, "arguments": arguments } })
}

fn calls(calls: &[Value]) -> Value {
    json!({ "role": "assistant", "content": "", "tool_calls": calls })
}

#[test]
fn a_message_is_read_and_repeated_as_it_came() {
    let mut message =
        calls(&[call("content_search", &json!({ "q": 1 })), call("ping", &json!({}))]);
    message["thinking"] = "tea, then".into();
    let turn = read(OLLAMA, &response(&message, "stop"));
    let named: Vec<_> =
        asked(&turn).into_iter().map(|(_, name, arguments)| (name, arguments)).collect();
    assert_eq!(named, [("content.search", r#"{"q":1}"#), ("ping", "{}")]);
    check_stop(&turn, &StopReason::Done, 2);
    assert_eq!(turn.messages(), [message]);
}

#[test]
fn no_arguments_may_be_null() {
    let turn = read(OLLAMA, &response(&calls(&[call("ping", &Value::Null)]), "stop"));
    assert_eq!(asked(&turn)[0].2, "{}");
    check_stop(&turn, &StopReason::Done, 1);
}

#[test]
fn no_call_may_run_unless_the_response_came_to_its_end() {
    let of = |reason| read(OLLAMA, &response(&calls(&[call("ping", &json!({}))]), reason));
    check_stop(&of("length"), &StopReason::Length, 0);
    check_stop(&of("unload"), &other("unload"), 0);
    let mut open = response(&calls(&[call("ping", &json!({}))]), "stop");
    open["done"] = false.into();
    check_stop(&read(OLLAMA, &open), &StopReason::Interrupted, 0);
}

#[test]
fn lines_become_what_the_whole_is() {
    let line = |message: &Value| json!({ "message": message, "done": false });
    let said = |text: &str| line(&json!({ "role": "assistant", "content": text }));
    let first = call("content_search", &json!({ "q": 1 }));
    let second = call("add", &json!({}));
    let (turn, deltas) = stream(
        OLLAMA,
        &[
            line(&json!({ "role": "assistant", "content": "", "thinking": "tea" })),
            said("Let "),
            said("me."),
            line(&calls(std::slice::from_ref(&first))),
            line(&calls(std::slice::from_ref(&second))),
            response(&json!({ "role": "assistant", "content": "" }), "stop"),
        ],
    );
    check_stop(&turn, &StopReason::Done, 2);
    let message = json!({ "role": "assistant", "content": "Let me.", "thinking": "tea",
        "tool_calls": [first, second] });
    assert_eq!(turn.messages(), [message]);
    assert_eq!(deltas[0], Delta::Thinking("tea".to_owned()));
    assert_eq!(deltas[1], Delta::Text("Let ".to_owned()));
    assert_eq!(deltas[3], Delta::CallStarted("content.search".to_owned()));
}

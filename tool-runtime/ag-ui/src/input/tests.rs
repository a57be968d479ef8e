use serde_json::{Value, json};

use super::*;

fn refusal(input: &Value) -> String {
    let refusal = RunInput::read(input.to_string().as_bytes(), &AgUiLimits::new()).unwrap_err();
    refusal.message().to_owned()
}

fn with(name: &str, value: Value) -> Value {
    let mut input = json!({"threadId": "t", "runId": "r", "messages": []});
    input[name] = value;
    input
}

#[test]
fn an_error_names_its_place_and_no_value() {
    let planted = "hunter2";
    for (input, place) in [
        (with("threadId", json!([planted])), "threadId: "),
        (with("runId", json!("")), "runId: "),
        (with("messages", json!({"a": planted})), "messages: "),
        (with("messages", json!([{"id": "m", "role": planted}])), "messages[0].role: "),
        (
            with("messages", json!([{"id": "m", "role": "user", "content": 7}])),
            "messages[0].content: ",
        ),
        (with("messages", json!([{"id": "m", "role": "tool"}])), "messages[0].toolCallId: "),
        (with("tools", json!([{"name": "a b", "description": planted}])), "tools[0]: "),
        (with("tools", json!([{"name": "a"}, {"name": "a"}])), "tools[1].name: "),
        (with("resume", json!([{"interruptId": "i", "status": planted}])), "resume[0]: "),
        (with("context", json!([{"value": planted}])), "context[0]: "),
    ] {
        let message = refusal(&input);
        assert!(message.starts_with(place), "{place} {message}");
        assert!(!message.contains(planted), "{message}");
    }
}

#[test]
fn what_a_client_sends_is_bounded() {
    let limits = AgUiLimits::new().with_max_bytes(2_000).with_max_messages(3).with_max_tools(1);
    let refused = |body: &str| RunInput::read(body.as_bytes(), &limits).unwrap_err();
    assert_eq!(refused(&" ".repeat(2_001)).status(), StatusCode::PAYLOAD_TOO_LARGE);
    let deep = format!(r#"{{"threadId":"t","state":{}{}}}"#, "[".repeat(40), "]".repeat(40));
    assert_eq!(refused(&deep).code(), "invalid_input");
    let message = json!({"id": "m", "role": "user", "content": "x"});
    let messages = with("messages", json!([message, message, message, message])).to_string();
    assert!(refused(&messages).message().starts_with("messages: 4 entries"));
    let tools = with("tools", json!([{"name": "a"}, {"name": "b"}])).to_string();
    assert!(refused(&tools).message().starts_with("tools: 2 entries"));
    assert!(refused(r#"{"threadId":"t","threadId":"u"}"#).message().contains("one key twice"));
}

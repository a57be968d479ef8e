//! The program converses with a provider on this machine.
#![allow(clippy::unwrap_used, reason = "a test fails by it")]

use std::io;

use shop::provider::{self, Body, Output, Provider, Step};
use tool_runtime::serde_json::{Value, json};

/// Writes a step as events of Chat Completions.
fn write(step: &Step) -> Body {
    write_with(step, None)
}

/// Writes an order as events of a response that the length limit cut off after the call.
fn write_order_cut_off(step: &Step) -> Body {
    write_with(step, step.is_order().then_some("length"))
}

/// Writes the text as events of a response that the length limit cut off.
fn write_text_cut_off(step: &Step) -> Body {
    write_with(step, (*step == Step::Text).then_some("length"))
}

fn write_with(step: &Step, reason: Option<&str>) -> Body {
    let (delta, usual) = match step {
        Step::Call { id, name, arguments } => {
            let function = json!({ "name": name, "arguments": arguments.to_string() });
            let call = json!({ "index": 0, "id": id, "type": "function", "function": function });
            (json!({ "role": "assistant", "tool_calls": [call] }), "tool_calls")
        }
        Step::Text => (json!({ "role": "assistant", "content": provider::TEXT }), "stop"),
    };
    let event = |delta: Value, reason: Option<&str>| {
        json!({
            "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 0, "model": "local",
            "choices": [{ "index": 0, "delta": delta, "finish_reason": reason }],
        })
        .to_string()
    };
    Body::Events(vec![
        event(delta, None),
        event(json!({}), reason.or(Some(usual))),
        "[DONE]".to_owned(),
    ])
}

/// Returns the text of the last tool message of each request but the first.
fn answers(provider: &Provider) -> Vec<String> {
    let requests = provider.requests();
    let last = |request: &Value| request["messages"].as_array().unwrap().last().unwrap().clone();
    let messages = requests.iter().skip(1).map(last);
    messages.map(|message| message["content"].as_str().unwrap().to_owned()).collect()
}

async fn run(provider: &Provider, input: &str) -> io::Result<Output> {
    let variables = [("OPENAI_BASE_URL", provider.url()), ("OPENAI_API_KEY", "none")];
    provider::run(env!("CARGO_BIN_EXE_async-openai-client"), &variables, input).await
}

async fn converse(input: &str) -> (Output, Provider) {
    let provider = Provider::start(write).await.unwrap();
    (run(&provider, input).await.unwrap(), provider)
}

#[tokio::test]
async fn the_model_corrects_its_search_and_orders() {
    let (output, provider) = converse("y\n").await;
    assert_eq!(output.stdout.trim(), provider::TEXT);

    let tools = &provider.requests()[0]["tools"];
    assert_eq!(tools[1]["function"]["name"], "shop_search");
    let answers = answers(&provider);
    assert!(
        answers[0].contains("INVALID_ARGUMENT") && answers[0].contains("/limit"),
        "{answers:?}"
    );
    assert!(answers[1].contains(r#""sku":"T-2""#), "{answers:?}");
    assert_eq!(answers[2], r#"{"sku":"T-2","packets":2,"cents":1280}"#);
}

#[tokio::test]
async fn an_order_that_is_declined_is_not_placed() {
    let (_, provider) = converse("n\n").await;
    assert!(answers(&provider)[2].contains("DECLINED"));
}

#[tokio::test]
async fn an_undecided_order_is_not_placed() {
    let (_, provider) = converse("").await;
    assert!(answers(&provider)[2].contains("NEEDS_USER_CONFIRMATION"));
}

#[tokio::test]
async fn the_calls_of_a_response_that_was_cut_off_do_not_run() {
    let provider = Provider::start(write_order_cut_off).await.unwrap();
    let output = run(&provider, "y\n").await.unwrap();
    // The model is told so, and ends the conversation.
    assert_eq!(output.stdout.trim(), provider::TEXT);
    assert!(!output.stderr.contains("Approve?"), "{}", output.stderr);
    let answers = answers(&provider);
    assert!(answers[2].contains("CANCELLED"), "{answers:?}");
}

#[tokio::test]
async fn a_text_that_was_cut_off_is_an_error() {
    let provider = Provider::start(write_text_cut_off).await.unwrap();
    let error = run(&provider, "y\n").await.unwrap_err().to_string();
    assert!(error.contains("the model stopped: Length"), "{error}");
    assert_eq!(provider.requests().len(), 4);
}

#[tokio::test]
async fn an_order_that_is_repeated_under_its_id_is_placed_once() {
    let order = || Step::order("call_0", "T-2");
    let provider = Provider::start_with([order(), order()], write).await.unwrap();
    // A second question would be answered too.
    let output = run(&provider, "y\ny\n").await.unwrap();
    assert_eq!(output.stderr.matches("Approve?").count(), 1, "{}", output.stderr);
    let answers = answers(&provider);
    let order = r#"{"sku":"T-2","packets":2,"cents":1280}"#;
    assert_eq!(answers[0], order);
    assert!(
        answers[1].contains(order) && answers[1].contains("the tool was not run again"),
        "{answers:?}"
    );
}

#[tokio::test]
async fn no_person_is_asked_about_an_order_that_would_fail() {
    let provider = Provider::start_with([Step::order("call_0", "T-9")], write).await.unwrap();
    let output = run(&provider, "y\n").await.unwrap();
    assert!(output.stderr.contains("would fail: no article has this number"), "{}", output.stderr);
    assert!(!output.stderr.contains("Approve?"), "{}", output.stderr);
    assert!(answers(&provider)[0].contains("NEEDS_USER_CONFIRMATION"));
}

//! The program converses with a provider on this machine.
#![allow(clippy::unwrap_used, reason = "a test fails by it")]

use std::io;

use shop::provider::{self, Body, Output, Provider, Step};
use tool_runtime::serde_json::{Value, json};

/// Writes a step as a response of Anthropic's Messages API.
fn write(step: &Step) -> Body {
    let (content, reason) = match step {
        Step::Call { id, name, arguments } => {
            (json!({ "type": "tool_use", "id": id, "name": name, "input": arguments }), "tool_use")
        }
        Step::Text => (json!({ "type": "text", "text": provider::TEXT }), "end_turn"),
    };
    Body::Json(response(&content, reason))
}

/// Writes an order as a response that the length limit cut off after the call.
fn write_order_cut_off(step: &Step) -> Body {
    if step.is_order() { cut_off(write(step)) } else { write(step) }
}

/// Writes the text as a response that the length limit cut off.
fn write_text_cut_off(step: &Step) -> Body {
    if *step == Step::Text { cut_off(write(step)) } else { write(step) }
}

fn cut_off(body: Body) -> Body {
    let Body::Json(mut response) = body else { unreachable!("`write` returns JSON") };
    response["stop_reason"] = json!("max_tokens");
    Body::Json(response)
}

fn response(content: &Value, reason: &str) -> Value {
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "local",
        "content": [content], "stop_reason": reason, "stop_sequence": null,
        "usage": { "input_tokens": 1, "output_tokens": 1 },
    })
}

/// Returns the text of the result in the last message of each request but the first.
fn answers(provider: &Provider) -> Vec<String> {
    let requests = provider.requests();
    let last = |request: &Value| request["messages"].as_array().unwrap().last().unwrap().clone();
    let messages = requests.iter().skip(1).map(last);
    messages.map(|message| message["content"][0]["content"].as_str().unwrap().to_owned()).collect()
}

async fn run(provider: &Provider, input: &str) -> io::Result<Output> {
    let variables = [("ANTHROPIC_BASE_URL", provider.url()), ("ANTHROPIC_API_KEY", "none")];
    provider::run(env!("CARGO_BIN_EXE_genai-client"), &variables, input).await
}

async fn converse(input: &str) -> (Output, Provider) {
    let provider = Provider::start(write).await.unwrap();
    (run(&provider, input).await.unwrap(), provider)
}

#[tokio::test]
async fn the_model_corrects_its_search_and_orders() {
    let (output, provider) = converse("y\n").await;
    assert_eq!(output.stdout.trim(), provider::TEXT);

    let requests = provider.requests();
    let search = &requests[0]["tools"][1];
    assert_eq!(search["name"], "shop_search");
    assert_eq!(search["input_schema"]["properties"]["limit"]["maximum"], 10);
    assert_eq!(requests[1]["messages"][1]["content"][0]["id"], "call_0");
    assert_eq!(requests[1]["messages"][2]["content"][0]["tool_use_id"], "call_0");

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
    let error = run(&provider, "y\n").await.unwrap_err().to_string();
    assert!(error.contains("the model stopped: max_tokens"), "{error}");
    assert!(!error.contains("Approve?"), "{error}");
    assert_eq!(provider.requests().len(), 3);
}

#[tokio::test]
async fn a_text_that_was_cut_off_is_an_error() {
    let provider = Provider::start(write_text_cut_off).await.unwrap();
    let error = run(&provider, "y\n").await.unwrap_err().to_string();
    assert!(error.contains("the model stopped: max_tokens"), "{error}");
    assert_eq!(provider.requests().len(), 4);
}

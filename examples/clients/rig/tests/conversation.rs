//! The program converses with a provider on this machine.
#![allow(clippy::unwrap_used, reason = "a test fails by it")]

use std::io;

use shop::provider::{self, Body, Output, Provider, Step};
use tool_runtime::serde_json::{Value, json};

/// Writes a step as a response of Chat Completions.
fn write(step: &Step) -> Body {
    Body::Json(match step {
        Step::Call { id, name, arguments } => {
            response(&called(id, name, &arguments.to_string()), "tool_calls")
        }
        Step::Text => response(&json!({ "content": provider::TEXT }), "stop"),
    })
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
    response["choices"][0]["finish_reason"] = json!("length");
    Body::Json(response)
}

/// Writes the first search with arguments that are not JSON, and the second with an unknown name.
fn write_invalid(step: &Step) -> Body {
    Body::Json(match step {
        Step::Call { id, name, .. } if id == "call_0" => {
            response(&called(id, name, r#"{"query":"green","#), "tool_calls")
        }
        Step::Call { id, arguments, .. } if id == "call_1" => {
            response(&called(id, "shop_find", &arguments.to_string()), "tool_calls")
        }
        Step::Call { .. } | Step::Text => return write(step),
    })
}

fn called(id: &str, name: &str, arguments: &str) -> Value {
    let function = json!({ "name": name, "arguments": arguments });
    json!({ "tool_calls": [{ "id": id, "type": "function", "function": function }] })
}

fn response(message: &Value, reason: &str) -> Value {
    let mut message = message.clone();
    message["role"] = json!("assistant");
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": "local",
        "choices": [{ "index": 0, "message": message, "finish_reason": reason }],
        "usage": { "prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2 },
    })
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
    provider::run(env!("CARGO_BIN_EXE_rig-client"), &variables, input).await
}

async fn converse(input: &str) -> (Output, Provider) {
    let provider = Provider::start(write).await.unwrap();
    (run(&provider, input).await.unwrap(), provider)
}

#[tokio::test]
async fn the_model_corrects_its_search_and_orders() {
    let (output, provider) = converse("y\n").await;
    assert_eq!(output.stdout.trim(), provider::TEXT);

    let tools = provider.requests()[0]["tools"].clone();
    let is_search = |tool: &&Value| tool["function"]["name"] == "shop_search";
    let search = tools.as_array().unwrap().iter().find(is_search).unwrap();
    assert_eq!(search["function"]["parameters"]["properties"]["limit"]["maximum"], 10);

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
    assert!(error.contains("the model stopped: Length"), "{error}");
    assert!(!error.contains("Approve?"), "{error}");
    assert_eq!(provider.requests().len(), 3);
}

#[tokio::test]
async fn a_text_that_was_cut_off_is_an_error() {
    let provider = Provider::start(write_text_cut_off).await.unwrap();
    let error = run(&provider, "y\n").await.unwrap_err().to_string();
    assert!(error.contains("the model stopped: Length"), "{error}");
    assert_eq!(provider.requests().len(), 4);
}

#[tokio::test]
async fn the_runtime_answers_calls_that_rig_does_not_pass_to_a_tool() {
    let provider = Provider::start(write_invalid).await.unwrap();
    run(&provider, "y\n").await.unwrap();
    let answers = answers(&provider);
    assert!(answers[0].contains("INVALID_ARGUMENT"), "{answers:?}");
    assert!(answers[1].contains("NOT_FOUND"), "{answers:?}");
}

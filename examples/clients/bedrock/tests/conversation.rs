//! The program converses with a provider on this machine.
#![allow(clippy::unwrap_used, reason = "a test fails by it")]

use std::io;

use shop::provider::{self, Body, Output, Provider, Step};
use tool_runtime::serde_json::{Value, json};

/// Writes a step as a response of Converse.
fn write(step: &Step) -> Body {
    let (block, reason) = match step {
        Step::Call { id, name, arguments } => {
            let call = json!({ "toolUseId": id, "name": name, "input": arguments });
            (json!({ "toolUse": call }), "tool_use")
        }
        Step::Text => (json!({ "text": provider::TEXT }), "end_turn"),
    };
    respond(block, reason)
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
    response["stopReason"] = json!("max_tokens");
    Body::Json(response)
}

/// Writes a step with arguments that are nested too deeply.
fn nested(step: &Step) -> Body {
    let Step::Call { id, name, .. } = step else { return write(step) };
    let deep = (0..200).fold(json!(1), |inner, _| json!([inner]));
    let call = json!({ "toolUseId": id, "name": name, "input": { "query": deep } });
    respond(json!({ "toolUse": call }), "tool_use")
}

fn respond(block: Value, reason: &str) -> Body {
    Body::Json(json!({
        "output": { "message": { "role": "assistant", "content": [block] } },
        "stopReason": reason,
        "usage": { "inputTokens": 1, "outputTokens": 1, "totalTokens": 2 },
        "metrics": { "latencyMs": 1 },
    }))
}

/// Returns the status and the text of the last result in each request but the first.
fn answers(provider: &Provider) -> Vec<(String, String)> {
    let requests = provider.requests();
    let last = |request: &Value| request["messages"].as_array().unwrap().last().unwrap().clone();
    let results = requests.iter().skip(1).map(last).map(|message| {
        assert_eq!(message["role"], "user");
        message["content"][0]["toolResult"].clone()
    });
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    results.map(|result| (text(&result["status"]), text(&result["content"][0]["text"]))).collect()
}

async fn run(provider: &Provider, input: &str) -> io::Result<Output> {
    let variables = [
        ("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", provider.url()),
        ("AWS_REGION", "eu-central-1"),
        ("AWS_ACCESS_KEY_ID", "test"),
        ("AWS_SECRET_ACCESS_KEY", "test"),
    ];
    provider::run(env!("CARGO_BIN_EXE_bedrock-client"), &variables, input).await
}

async fn converse(write: fn(&Step) -> Body, input: &str) -> (Output, Provider) {
    let provider = Provider::start(write).await.unwrap();
    (run(&provider, input).await.unwrap(), provider)
}

#[tokio::test]
async fn the_model_corrects_its_search_and_orders() {
    let (output, provider) = converse(write, "y\n").await;
    assert_eq!(output.stdout.trim(), provider::TEXT);

    let tool = &provider.requests()[0]["toolConfig"]["tools"][1]["toolSpec"];
    assert_eq!(tool["name"], "shop_search");
    assert_eq!(tool["inputSchema"]["json"]["properties"]["limit"]["maximum"], 10);

    let answers = answers(&provider);
    let (status, text) = &answers[0];
    assert_eq!(status, "error");
    assert!(text.contains("INVALID_ARGUMENT") && text.contains("/limit"), "{text}");
    let (status, text) = &answers[1];
    assert_eq!(status, "success");
    assert!(text.contains(r#""sku":"T-2""#), "{text}");
    let order = r#"{"sku":"T-2","packets":2,"cents":1280}"#;
    assert_eq!(answers[2], ("success".to_owned(), order.to_owned()));

    // The results answer the calls by their ids.
    let messages = provider.requests()[3]["messages"].clone();
    assert_eq!(messages[5]["content"][0]["toolUse"]["toolUseId"], "call_2");
    assert_eq!(messages[6]["content"][0]["toolResult"]["toolUseId"], "call_2");
}

#[tokio::test]
async fn an_order_that_is_declined_is_not_placed() {
    let (_, provider) = converse(write, "n\n").await;
    let (status, text) = &answers(&provider)[2];
    assert!(status == "error" && text.contains("DECLINED"), "{status} {text}");
}

#[tokio::test]
async fn an_undecided_order_is_not_placed() {
    let (_, provider) = converse(write, "").await;
    let (status, text) = &answers(&provider)[2];
    assert!(status == "error" && text.contains("NEEDS_USER_CONFIRMATION"), "{status} {text}");
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

#[tokio::test]
async fn arguments_that_cannot_be_converted_are_answered_with_their_place() {
    let (output, provider) = converse(nested, "y\n").await;
    assert_eq!(output.stdout.trim(), provider::TEXT);
    let (status, text) = &answers(&provider)[0];
    assert_eq!(status, "error");
    assert!(text.contains("nested too deeply, at `/query/0/0"), "{text}");
    let call = &provider.requests()[1]["messages"][1]["content"][0]["toolUse"];
    assert_eq!(call["input"], json!({}));
}

#[tokio::test]
async fn an_order_that_is_repeated_under_its_id_is_placed_once() {
    let order = || Step::order("call_0", "T-2");
    let provider = Provider::start_with([order(), order()], write).await.unwrap();
    // A second question would be answered too.
    let output = run(&provider, "y\ny\n").await.unwrap();
    assert_eq!(output.stderr.matches("Approve?").count(), 1, "{}", output.stderr);
    let (status, text) = &answers(&provider)[1];
    assert_eq!(status, "success");
    assert!(text.contains("the tool was not run again"), "{text}");
}

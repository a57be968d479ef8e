//! The program converses with a provider on this machine.
#![allow(clippy::unwrap_used, reason = "a test fails by it")]

use shop::provider::{self, Body, Provider, Step};
use tool_runtime::serde_json::{Value, json};

/// Writes a step as events of Chat Completions.
fn write(step: &Step) -> Body {
    let (delta, reason) = match step {
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
    Body::Events(vec![event(delta, None), event(json!({}), Some(reason)), "[DONE]".to_owned()])
}

/// Returns the text of the last tool message of each request but the first.
fn answers(provider: &Provider) -> Vec<String> {
    let requests = provider.requests();
    let last = |request: &Value| request["messages"].as_array().unwrap().last().unwrap().clone();
    let messages = requests.iter().skip(1).map(last);
    messages.map(|message| message["content"].as_str().unwrap().to_owned()).collect()
}

async fn converse(input: &str) -> (String, Provider) {
    let provider = Provider::start(write).await.unwrap();
    let variables = [("OPENAI_BASE_URL", provider.url()), ("OPENAI_API_KEY", "none")];
    let text = provider::run(env!("CARGO_BIN_EXE_async-openai-client"), &variables, input).await;
    (text.unwrap(), provider)
}

#[tokio::test]
async fn the_model_corrects_its_search_and_orders() {
    let (text, provider) = converse("y\n").await;
    assert_eq!(text.trim(), provider::TEXT);

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

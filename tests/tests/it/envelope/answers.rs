//! An output as a response envelope: borrowed, taken, and by way of the contract's union.

use serde_json::value::RawValue;

use super::*;

/// Gives back what it is given, letter by letter.
#[ai_tool(effect = "read")]
async fn echo(
    /// Whatever.
    #[arg(default)]
    text: String,
) -> Value {
    json!({"text": text, "number": 0.1})
}

/// Answers what it cannot have meant.
#[ai_tool(effect = "read")]
async fn echo_raw() -> Box<RawValue> {
    RawValue::from_string("{ \"digits\" : 1.00 ,\"n\":12345678901234567890123 }".to_owned())
        .unwrap()
}

async fn output(name: &str, arguments: &str) -> ToolOutput {
    let log = Log::default();
    let tools = builder(&log).tool::<EchoTool>().tool::<EchoRawTool>().build().unwrap();
    let mut call = tools.call(name, arguments, &request().into_context(TENANT));
    call.execute().await;
    call.into_output().unwrap()
}

/// Each way to the envelope writes the same text.
#[track_caller]
fn check(output: ToolOutput) {
    let whole: tool_runtime::contracts::ToolOutput<Value, Box<RawValue>> = output.decode().unwrap();
    let expected = serde_json::to_string(&ResponseEnvelope::from(whole)).unwrap();
    assert_eq!(serde_json::to_string(&output.to_envelope()).unwrap(), expected);
    assert_eq!(serde_json::to_string(&output.into_envelope()).unwrap(), expected);
}

#[tokio::test]
async fn every_way_to_an_envelope_says_the_same() {
    let long = json!({"text": "é".repeat(5_000)}).to_string();
    for (name, arguments) in [
        ("echo", "{}"),
        ("echo", &*long),
        ("echo_raw", "{}"),
        ("find_seat", r#"{"seat":"7A"}"#),
        ("find_seat", r#"{"seat":"taken"}"#),
        ("find_seat", r#"{"seat":7}"#),
        ("book_seat", BOOK_WITHOUT_A_SEAT),
        ("book_seat", r#"{"seat":"7A"}"#),
        ("nothing", "{}"),
    ] {
        check(output(name, arguments).await);
    }
}

const BOOK_WITHOUT_A_SEAT: &str = r#"{"pin":"correct-horse-battery"}"#;

#[tokio::test]
async fn data_is_borrowed_from_the_output_byte_for_byte() {
    let output = output("echo_raw", "{}").await;
    let response = output.to_envelope();
    let data = response.data().unwrap().get();
    assert_eq!(data, r#"{ "digits" : 1.00 ,"n":12345678901234567890123 }"#);
    assert!(output.json().as_bytes().as_ptr_range().contains(&data.as_ptr()));
}

#[tokio::test]
async fn the_input_is_left_behind() {
    let response = output("echo", r#"{"text":"a-rare-word"}"#).await.into_envelope();
    assert_eq!(wire(&response)["data"]["text"], "a-rare-word");
    let response = output("find_seat", r#"{"seat":"7A","note":"a-rare-word"}"#).await;
    assert!(!wire(&response.into_envelope()).to_string().contains("a-rare-word"));
}

//! Unreadable responses, and their errors.

use serde_json::{Value, json};

use super::super::ReadError;
use super::*;

const SECRET: &str = "sk-live-canary";

#[track_caller]
fn check(dialect: Dialect, response: &Value, message: &str) {
    let error = adapter(dialect).read(&response.to_string()).unwrap_err();
    let said = error.to_string();
    assert!(said.starts_with(message), "{dialect}: {said}");
    assert!(!format!("{said} {error:?}").contains("canary"), "{dialect}: {said}");
}

#[test]
fn a_response_of_another_dialect_is_refused_with_the_place() {
    let cases = [
        (
            Dialect::OpenAiChat,
            "expected a list of choices at `/choices` of the response, found nothing",
        ),
        (
            Dialect::OpenAiResponses,
            "expected a list of items at `/output` of the response, found nothing",
        ),
        (
            Dialect::Anthropic,
            "expected a list of content blocks at `/content` of the response, found nothing",
        ),
        (
            Dialect::Gemini,
            "expected a list of candidates at `/candidates` of the response, found nothing",
        ),
        (
            Dialect::BedrockConverse,
            "expected the output at `/output` of the response, found nothing",
        ),
        (
            Dialect::Ollama,
            "expected the assistant's message at `/message` of the response, found nothing",
        ),
    ];
    for (dialect, message) in cases {
        check(dialect, &json!({ "foreign": SECRET }), message);
    }
}

#[test]
fn a_value_at_a_wrong_place_is_named_by_its_type() {
    let content = json!([{ "type": [SECRET], "id": "a", "name": "ping", "input": {} }]);
    check(
        Dialect::Anthropic,
        &json!({ "content": content }),
        "expected a text at `/content/0/type` of the response, found a list",
    );
    check(
        Dialect::OpenAiChat,
        &json!({ "choices": SECRET }),
        "expected a list at `/choices` of the response, found a text",
    );
}

#[test]
fn an_error_of_the_provider_is_said_in_its_words_and_not_in_its_sentence() {
    let sentence = format!("Incorrect API key provided: {SECRET}");
    let cases = [
        (
            Dialect::OpenAiChat,
            json!({ "error": { "message": sentence, "type": "invalid_request_error", "code": "invalid_api_key" } }),
            "of type `invalid_request_error` and code `invalid_api_key`",
        ),
        (
            Dialect::Anthropic,
            json!({ "type": "error", "error": { "type": "overloaded_error", "message": sentence } }),
            "`overloaded_error`",
        ),
        (
            Dialect::Gemini,
            json!({ "error": { "code": 429, "message": sentence, "status": "RESOURCE_EXHAUSTED" } }),
            "of type `RESOURCE_EXHAUSTED` and code `429`",
        ),
        (
            Dialect::BedrockConverse,
            json!({ "__type": "ThrottlingException", "message": sentence }),
            "`ThrottlingException`",
        ),
        (
            Dialect::BedrockConverse,
            json!({ "message": sentence }),
            "; see its message in the response",
        ),
        (Dialect::Ollama, json!({ "error": sentence }), "; see its message in the response"),
        (
            Dialect::OpenAiResponses,
            json!({ "status": "failed", "output": [], "error": { "code": "server_error", "message": sentence } }),
            "`server_error`",
        ),
        // A text that is not an enumerated value is not repeated.
        (
            Dialect::OpenAiChat,
            json!({ "error": { "code": sentence } }),
            "; see its message in the response",
        ),
    ];
    for (dialect, response, words) in cases {
        let error = adapter(dialect).read(&response.to_string()).unwrap_err();
        assert!(matches!(error, ReadError::Provider(_)), "{dialect}: {error}");
        let space = if words.starts_with(';') { "" } else { " " };
        check(dialect, &response, &format!("the provider returned an error{space}{words}"));
    }
}

#[test]
fn an_error_in_a_stream_ends_it() {
    let cases = [
        (Dialect::OpenAiChat, json!({ "error": { "type": "server_error" } }), "server_error"),
        (Dialect::OpenAiChat, json!({ "choices": [], "x_groq": { "error": "over" } }), "an error"),
        (
            Dialect::OpenAiResponses,
            json!({ "type": "error", "code": "server_error", "message": "" }),
            "server_error",
        ),
        (
            Dialect::OpenAiResponses,
            json!({ "type": "response.failed", "response": { "status": "failed", "error": { "code": "rate_limit_exceeded" } } }),
            "rate_limit_exceeded",
        ),
        (
            Dialect::Anthropic,
            json!({ "type": "error", "error": { "type": "overloaded_error" } }),
            "overloaded_error",
        ),
        (Dialect::Gemini, json!({ "error": { "code": 503 } }), "503"),
        (
            Dialect::BedrockConverse,
            json!({ "throttlingException": { "message": "slow" } }),
            "throttlingException",
        ),
        (Dialect::Ollama, json!({ "error": "broke" }), "an error"),
    ];
    for (dialect, event, word) in cases {
        let adapter = adapter(dialect);
        let error = adapter.stream().push(&event.to_string()).unwrap_err();
        assert!(matches!(error, ReadError::Provider(_)), "{dialect}: {error}");
        assert!(error.to_string().contains(word), "{dialect}: {error}");
    }
}

#[test]
fn no_response_is_made_of_a_stream_that_lost_an_event() {
    let adapter = adapter(Dialect::Anthropic);
    let mut stream = adapter.stream();
    let block = json!({ "type": "tool_use", "id": "a", "name": "ping", "input": {} });
    let start = json!({ "type": "content_block_start", "index": 0, "content_block": block });
    let stop = json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" } });
    stream.push(&start.to_string()).unwrap();
    let lost = stream.push(r#"{"type":"content_block_delta","ind"#).unwrap_err();
    for event in [stop, json!({ "type": "message_stop" })] {
        assert_eq!(stream.push(&event.to_string()), Err(lost.clone()));
    }
    assert_eq!(stream.finish().unwrap_err(), lost);
}

#[test]
fn a_debug_text_of_a_turn_shows_none_of_its_contents() {
    let adapter = adapter(Dialect::Anthropic);
    let input = json!({ "password": SECRET });
    let call = json!({ "type": "tool_use", "id": "a", "name": "ping", "input": input });
    let said = json!({ "type": "text", "text": SECRET });
    let whole = json!({ "content": [said, call], "stop_reason": "tool_use" });
    let turn = adapter.read(&whole.to_string()).unwrap();
    let mut stream = adapter.stream();
    let start = json!({ "type": "content_block_start", "index": 0, "content_block": said });
    stream.push(&start.to_string()).unwrap();
    let shown = format!("{turn:?} {stream:?}");
    assert!(shown.contains("ping") && !shown.contains("canary"), "{shown}");
}

#[test]
fn a_response_that_is_no_json_is_refused_with_its_place() {
    let error = adapter(Dialect::Anthropic).read("data: {}").unwrap_err();
    assert_eq!(
        error.to_string(),
        "the response cannot be read: not JSON: expected a value at byte 0; \
         pass its body, or the data of one event"
    );
}

#[test]
fn nesting_without_an_end_is_refused() {
    let deep = "[".repeat(100_000);
    for dialect in Dialect::ALL {
        assert!(matches!(adapter(dialect).read(&deep), Err(ReadError::Malformed(_))), "{dialect}");
    }
}

#[test]
fn a_response_that_is_too_long_is_refused_whole_and_streamed() {
    let line =
        json!({ "message": { "role": "assistant", "content": "tea" }, "done": false }).to_string();
    let adapter = Adapter::builder(Dialect::Ollama)
        .max_response_bytes(line.len() * 2 + 1)
        .build(std::iter::empty::<ToolSpec>());
    let mut stream = adapter.stream();
    assert!(stream.push(&line).is_ok() && stream.push(&line).is_ok());
    let limit = line.len() * 2 + 1;
    assert_eq!(stream.push(&line), Err(ReadError::TooLong { limit }));
    let long = format!("{line}{}", " ".repeat(limit));
    assert_eq!(adapter.read(&long).unwrap_err(), ReadError::TooLong { limit });
}

#[test]
fn a_stream_in_which_nothing_came_is_no_response() {
    let adapter = adapter(Dialect::OpenAiChat);
    let mut stream = adapter.stream();
    assert_eq!(stream.push("[DONE]"), Ok(Vec::new()));
    assert!(matches!(stream.finish(), Err(ReadError::Malformed(_))));
}

//! Gemini's `generateContent`.

use serde_json::{Value, json};

use super::*;

const GEMINI: Dialect = Dialect::Gemini;

fn response(parts: &[Value], reason: &str) -> Value {
    json!({ "candidates": [
        { "content": { "parts": parts, "role": "model" }, "finishReason": reason, "index": 0 }
    ] })
}

fn call(name: &str, args: &Value) -> Value {
    json!({ "functionCall": { "name": name, "args": args } })
}

#[test]
fn parts_are_read_and_repeated_as_they_came() {
    let mut first = call("content.search", &json!({ "query": "tea" }));
    first["thoughtSignature"] = "c2ln".into();
    let mut second = call("add", &json!({ "a": 1 }));
    second["functionCall"]["id"] = "fc_1".into();
    let thought = json!({ "text": "tea, then", "thought": true });
    let parts = [thought, json!({ "text": "Let me look." }), first, second];
    let turn = read(GEMINI, &response(&parts, "STOP"));
    assert_eq!(turn.text(), "Let me look.");
    assert_eq!(asked(&turn)[1], ("fc_1", "add", r#"{"a":1}"#));
    let (id, name, _) = asked(&turn)[0];
    assert!(id.starts_with("call_") && name == "content.search");
    check_stop(&turn, &StopReason::Done, 2);
    assert_eq!(turn.messages(), [json!({ "role": "model", "parts": parts })]);
}

#[test]
fn a_call_without_arguments_has_none_in_json() {
    let turn = read(GEMINI, &response(&[json!({ "functionCall": { "name": "ping" } })], "STOP"));
    assert_eq!(asked(&turn)[0].2, "{}");
    check_stop(&turn, &StopReason::Done, 1);
}

#[test]
fn no_call_may_run_unless_the_candidate_came_to_its_end() {
    let of = |reason| read(GEMINI, &response(&[call("ping", &json!({}))], reason));
    check_stop(&of("STOP"), &StopReason::Done, 1);
    check_stop(&of("MAX_TOKENS"), &StopReason::Length, 0);
    check_stop(&of("SAFETY"), &refused("SAFETY"), 0);
    check_stop(&of("MALFORMED_FUNCTION_CALL"), &other("MALFORMED_FUNCTION_CALL"), 0);
}

#[test]
fn a_prompt_that_was_blocked_says_so() {
    let turn = read(GEMINI, &json!({ "promptFeedback": { "blockReason": "SAFETY" } }));
    check_stop(&turn, &refused("SAFETY"), 0);
    assert!(turn.messages().is_empty());
}

#[test]
fn chunks_are_put_together_but_for_what_is_signed() {
    let part = |text: &str| json!({ "text": text });
    let chunk = |parts: &[Value]| json!({ "candidates": [{ "content": { "parts": parts } }] });
    let signed = json!({ "text": "", "thoughtSignature": "c2ln" });
    let (turn, deltas) = stream(
        GEMINI,
        &[
            chunk(&[json!({ "text": "te", "thought": true })]),
            chunk(&[json!({ "text": "a", "thought": true }), part("Let ")]),
            chunk(&[part("me.")]),
            chunk(&[signed.clone(), part(" Now")]),
            chunk(&[call("content.search", &json!({ "q": 1 })), call("ping", &json!({}))]),
            response(&[part("")], "STOP"),
            json!({ "usageMetadata": {} }),
        ],
    );
    let thought = json!({ "text": "tea", "thought": true });
    let calls = [call("content.search", &json!({ "q": 1 })), call("ping", &json!({}))];
    let parts = json!([thought, part("Let me."), signed, part(" Now"), calls[0], calls[1]]);
    assert_eq!(turn.messages(), [json!({ "role": "model", "parts": parts })]);
    assert_eq!(turn.text(), "Let me. Now");
    check_stop(&turn, &StopReason::Done, 2);
    assert_eq!(deltas[0], Delta::Thinking("te".to_owned()));
    assert_eq!(deltas.last(), Some(&Delta::CallStarted("ping".to_owned())));
}

#[test]
fn a_stream_without_a_finish_reason_was_interrupted() {
    let chunk = json!({ "candidates": [{ "content": { "parts": [call("ping", &json!({}))] } }] });
    check_stop(&stream(GEMINI, &[chunk]).0, &StopReason::Interrupted, 0);
}

#[test]
fn arguments_in_pieces_are_refused_with_the_cure() {
    let part = json!({ "functionCall": { "name": "ping", "willContinue": true } });
    let error = adapter(GEMINI).read(&response(&[part], "STOP").to_string()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the arguments at `/candidates/0/content/parts/0/functionCall` are streamed in pieces; \
         leave `streamFunctionCallArguments` out of the request"
    );
}

#[test]
fn a_streamed_body_without_server_sent_events_is_a_list_of_responses() {
    let text =
        |text: &str| json!({ "candidates": [{ "content": { "parts": [{ "text": text }] } }] });
    let call = json!({ "functionCall": { "name": "ping", "args": {} } });
    let end = json!({ "candidates": [{ "content": { "parts": [call] }, "finishReason": "STOP" }] });
    let body = json!([text("Let "), text("me"), end]);
    let (streamed, deltas) = stream(Dialect::Gemini, std::slice::from_ref(&body));
    assert_eq!(deltas.len(), 3);
    for turn in [read(Dialect::Gemini, &body), streamed] {
        assert_eq!((turn.text(), turn.calls().len()), ("Let me", 1));
        check_stop(&turn, &StopReason::Done, 1);
    }
    let failed = json!([text("Let "), { "error": { "code": 503, "status": "UNAVAILABLE" } }]);
    let error = adapter(Dialect::Gemini).read(&failed.to_string()).unwrap_err().to_string();
    assert!(error.contains("`UNAVAILABLE`"), "{error}");
    let error = adapter(Dialect::Gemini).read("[]").unwrap_err().to_string();
    assert!(error.contains("expected a response, or a list of responses"), "{error}");
}

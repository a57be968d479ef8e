//! A request envelope and an input in one body.

use serde_json::value::RawValue;
use tool_contracts::envelope::{CallEnvelope, RequestEnvelope};

const REQUEST: &str = r#""request_id":"req-7","actor":{"type":"user","id":"u_123"}"#;

fn read(fields: &str) -> Result<CallEnvelope, String> {
    serde_json::from_str(&format!("{{{REQUEST}{fields}}}")).map_err(|error| error.to_string())
}

#[test]
fn an_input_that_is_left_out_or_null_is_empty() {
    for fields in ["", r#","input":null"#] {
        assert_eq!(read(fields).unwrap().input().get(), "{}");
    }
}

#[test]
fn the_input_keeps_every_byte_and_may_be_borrowed() {
    for input in [r#"{"n": 1e400, "n": 0.10}"#, "[ ]", "\"text\""] {
        let body = format!(r#"{{"input":{input},{REQUEST}}}"#);
        let call: CallEnvelope<&RawValue> = serde_json::from_str(&body).unwrap();
        assert_eq!(call.input().get(), input);
        assert!(body.as_bytes().as_ptr_range().contains(&call.input().get().as_ptr()));
    }
}

#[test]
fn the_fields_beside_the_input_are_those_of_a_request_envelope() {
    let call = read(r#","trace":{"span_id":"s"},"dry_run":true,"input":{}"#).unwrap();
    let request: RequestEnvelope = serde_json::from_str(&format!(
        "{{{REQUEST},\"trace\":{{\"span_id\":\"s\"}},\"dry_run\":true}}"
    ))
    .unwrap();
    assert_eq!(call.request(), &request);
}

#[test]
fn the_rules_of_a_request_envelope_hold_here_too() {
    for field in ["locale", "user_id"] {
        let refused = read(&format!(r#","{field}":"""#)).unwrap_err();
        assert!(refused.starts_with(&format!("`{field}`: ")), "{refused}");
    }
    let unknown = read(r#","inputs":{}"#).unwrap_err();
    assert!(unknown.starts_with("`inputs`: "), "{unknown}");
}

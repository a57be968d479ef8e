//! The rules of answers, and answers as outputs.

use proptest::prelude::*;
use serde_json::{Value, json, value::RawValue};
use tool_contracts::{
    ErrorCode, ToolErrorDetail, ToolErrorMeta, ToolOutput, ToolResultMeta,
    envelope::ResponseEnvelope,
};

use crate::round_trip::values;

fn read(response: &Value) -> Result<ResponseEnvelope<Value>, String> {
    serde_json::from_str(&response.to_string()).map_err(|error| error.to_string())
}

fn success() -> Value {
    json!({"ok": true, "data": {}, "warnings": []})
}

fn failure() -> Value {
    json!({"ok": false, "warnings": [], "error": {"code": "CONFLICT", "message": "busy"}})
}

#[track_caller]
fn check_refused(mut response: Value, field: &str, value: Value, expectation: &str) {
    response[field] = value;
    let message = read(&response).unwrap_err();
    assert!(message.starts_with(&format!("`{field}`: ")), "{message}");
    assert!(message.contains(expectation), "{message}");
}

#[test]
fn warnings_are_always_written_and_the_rest_where_there_is_some() {
    let success = ResponseEnvelope::success(json!(1), ToolResultMeta::default());
    assert_eq!(serde_json::to_string(&success).unwrap(), r#"{"ok":true,"data":1,"warnings":[]}"#);
    let busy = ToolErrorDetail::from_code(ErrorCode::Conflict, "busy").build();
    let failure = ResponseEnvelope::<Value>::failure(busy, ToolErrorMeta::new(3));
    assert_eq!(
        serde_json::to_string(&failure).unwrap(),
        r#"{"ok":false,"warnings":[],"error":{"code":"CONFLICT","message":"busy"},"meta":{"took_ms":3}}"#,
    );
}

#[test]
fn an_answer_shows_what_it_says() {
    let meta = ToolResultMeta::new(42)
        .with_warnings(["old".to_owned()])
        .with_ttl_seconds(60)
        .with_evidence(tool_contracts::Evidence::new("ev_1", vec![]).unwrap());
    let answer = ResponseEnvelope::success(7, meta);
    assert_eq!((answer.is_ok(), answer.data(), answer.as_result()), (true, Some(&7), Ok(&7)));
    assert_eq!((answer.warnings(), answer.ttl_seconds()), (&["old".to_owned()][..], Some(60)));
    assert_eq!(answer.evidence().unwrap().snapshot_id(), "ev_1");
    assert_eq!((answer.took_ms(), answer.error()), (42, None));
}

#[test]
fn an_error_shows_what_it_says() {
    let busy = ToolErrorDetail::from_code(ErrorCode::Conflict, "busy").build();
    let answer = ResponseEnvelope::<u8>::failure(busy, ToolErrorMeta::new(3));
    assert_eq!((answer.is_ok(), answer.data(), answer.took_ms()), (false, None, 3));
    assert_eq!(answer.error().unwrap().code(), ErrorCode::Conflict);
    assert_eq!(answer.as_result().unwrap_err().message(), "busy");
    assert!(answer.warnings().is_empty());
    assert_eq!((answer.ttl_seconds(), answer.evidence()), (None, None));
}

#[test]
fn an_error_may_have_warnings_a_time_for_which_it_holds_and_a_proof() {
    let mut response = failure();
    response["warnings"] = json!(["ask again tomorrow"]);
    response["ttl_seconds"] = json!(60);
    response["evidence"] = json!({"snapshot_id": "ev_1", "sources": []});
    let answer = read(&response).unwrap();
    assert_eq!(answer.warnings(), ["ask again tomorrow"]);
    assert_eq!(answer.ttl_seconds(), Some(60));
    assert_eq!(answer.evidence().unwrap().snapshot_id(), "ev_1");
    assert_eq!(serde_json::to_value(&answer).unwrap(), response);
    let output = answer.clone().into_output(json!({}));
    let ToolOutput::Error(error) = &output else { panic!("it is an error") };
    assert_eq!(error.meta().evidence().unwrap().snapshot_id(), "ev_1");
    assert_eq!(ResponseEnvelope::from(output), answer);
}

#[test]
fn null_is_absent_wherever_it_stands() {
    for field in ["warnings", "error", "ttl_seconds", "evidence", "meta"] {
        let mut response = success();
        response[field] = Value::Null;
        assert_eq!(read(&response), read(&success()), "{field}");
    }
    for field in ["data", "warnings", "ttl_seconds", "evidence", "meta"] {
        let mut response = failure();
        response[field] = Value::Null;
        assert_eq!(read(&response), read(&failure()), "{field}");
    }
}

#[test]
fn data_may_be_null_and_has_to_be_there() {
    let mut response = success();
    response["data"] = Value::Null;
    assert_eq!(read(&response).unwrap().data(), Some(&Value::Null));
    let text = r#"{"ok":true,"data":null}"#;
    let raw: ResponseEnvelope = serde_json::from_str(text).unwrap();
    assert_eq!(raw.data().map(|data| data.get()), Some("null"));
    let typed = serde_json::from_str::<ResponseEnvelope<Option<u8>>>(text).unwrap();
    assert_eq!(typed.data(), Some(&None));
    let message = serde_json::from_str::<ResponseEnvelope<u8>>(text).unwrap_err().to_string();
    assert!(message.starts_with("`data`: expected u8"), "{message}");
    let message = read(&json!({"ok": true})).unwrap_err();
    assert!(message.starts_with("`data`: missing"), "{message}");
}

#[test]
fn an_answer_is_no_error_and_an_error_no_answer() {
    check_refused(success(), "error", failure()["error"].clone(), "not allowed where `ok` is true");
    check_refused(failure(), "data", json!({}), "not allowed where `ok` is false");
    check_refused(failure(), "error", Value::Null, "missing");
    check_refused(success(), "ok", Value::Null, "missing");
}

#[test]
fn fields_keep_to_their_types() {
    check_refused(success(), "ok", json!("true"), "true or false");
    check_refused(success(), "warnings", json!([1]), "a list of texts");
    check_refused(success(), "ttl_seconds", json!(-60), "a whole number from 0");
    check_refused(success(), "evidence", json!({"snapshot_id": "ev_1"}), "`sources`: missing");
    check_refused(success(), "status", json!("ok"), "unknown field");
    check_refused(success(), "meta", json!({}), "`took_ms`: missing");
    check_refused(success(), "meta", json!({"took_ms": 1, "speed": 1}), "unknown field");
    check_refused(failure(), "meta", json!({"took_ms": 1, "cache_hit": true}), "unknown field");
    check_refused(failure(), "error", json!({"code": "OH_NO", "message": "m"}), "`code`: expected");
}

#[test]
fn the_rest_repeats_nothing_that_stands_beside_it() {
    for (field, value) in [
        ("warnings", json!(["w"])),
        ("ttl_seconds", json!(60)),
        ("evidence", json!({"snapshot_id": "ev_1", "sources": []})),
    ] {
        let meta = json!({"took_ms": 1, field: value});
        let expectation = format!("`{field}`: not a field of an envelope's `meta`");
        check_refused(success(), "meta", meta.clone(), &expectation);
        check_refused(failure(), "meta", meta, &expectation);
    }
}

#[test]
fn raw_data_keeps_its_bytes() {
    let text = r#"{"meta":{"took_ms":1},"data":{"n": 1e400, "n": 0.10},"ok":true}"#;
    let response: ResponseEnvelope = serde_json::from_str(text).unwrap();
    assert_eq!(response.data().map(|data| data.get()), Some(r#"{"n": 1e400, "n": 0.10}"#));
    let output = response.into_output(RawValue::from_string("[ ]".to_owned()).unwrap());
    assert_eq!(
        serde_json::to_string(&output).unwrap(),
        r#"{"status":"ok","input":[ ],"data":{"n": 1e400, "n": 0.10},"meta":{"took_ms":1}}"#,
    );
}

#[test]
fn borrowed_data_is_not_copied() {
    let text = r#"{"status":"ok","input":{},"data":[ 1 ],"meta":{"took_ms":1}}"#;
    let output: ToolOutput<serde::de::IgnoredAny, &RawValue> = serde_json::from_str(text).unwrap();
    let response = ResponseEnvelope::from(output);
    let data = response.data().unwrap().get();
    assert!(text.as_bytes().as_ptr_range().contains(&data.as_ptr()));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_output_comes_back_from_the_wire_of_its_view(output in values::output()) {
        let wire = serde_json::to_string(&ResponseEnvelope::from(output.clone())).unwrap();
        let read: ResponseEnvelope<Value> = serde_json::from_str(&wire).unwrap();
        prop_assert_eq!(read.into_output(output.input().clone()), output);
    }

    #[test]
    fn an_envelope_comes_back_from_its_output(response in values::response_envelope()) {
        let output = response.clone().into_output(());
        prop_assert_eq!(ResponseEnvelope::from(output), response);
    }
}

//! The rules of answers, and answers as outputs.

use proptest::prelude::*;
use serde_json::{Value, json, value::RawValue};
use tool_contracts::{
    ErrorCode, ToolErrorDetail, ToolErrorMeta, ToolErrorType, ToolOutput, ToolResultMeta,
    server::{Audit, AuditStatus, CallResponse},
};

use crate::round_trip::values;

fn audit() -> Audit {
    Audit::new("trace-1", "search", 45, "0".repeat(64)).unwrap()
}

fn busy() -> ToolErrorDetail {
    ToolErrorDetail::from_code(ErrorCode::Conflict, "busy").build()
}

fn success() -> Value {
    let meta = ToolResultMeta::new(45);
    serde_json::to_value(CallResponse::success(json!({}), meta, audit())).unwrap()
}

fn failure() -> Value {
    let meta = ToolErrorMeta::new(45);
    serde_json::to_value(CallResponse::<Value>::failure(busy(), meta, audit())).unwrap()
}

fn read(response: &Value) -> Result<CallResponse<Value>, String> {
    serde_json::from_str(&response.to_string()).map_err(|error| error.to_string())
}

#[track_caller]
fn check_refused(mut response: Value, pointer: &str, value: Value, expectation: &str) {
    let (parent, field) = pointer.rsplit_once('/').unwrap();
    response.pointer_mut(parent).unwrap()[field] = value;
    let message = read(&response).unwrap_err();
    assert!(message.contains(expectation), "{message}");
}

#[test]
fn a_success_has_the_published_shape() {
    let hash = "0".repeat(64);
    assert_eq!(
        success(),
        json!({
            "success": true,
            "output": {},
            "audit": {
                "trace_id": "trace-1", "tool_name": "search", "status": "success",
                "latency_ms": 45, "request_payload_hash": hash,
            },
        }),
    );
}

#[test]
fn a_failure_has_the_published_shape_and_all_that_is_known() {
    let hash = "0".repeat(64);
    assert_eq!(
        failure(),
        json!({
            "success": false,
            "error": "busy",
            "error_type": "CONFLICT",
            "detail": {"type": "RETRYABLE", "message": "busy", "code": "CONFLICT"},
            "audit": {
                "trace_id": "trace-1", "tool_name": "search", "status": "error",
                "latency_ms": 45, "request_payload_hash": hash,
                "error_type": "CONFLICT", "error_message": "busy",
            },
        }),
    );
}

#[test]
fn an_error_is_named_by_its_code_or_else_by_its_type() {
    let named = |detail: ToolErrorDetail| {
        let response = CallResponse::<Value>::failure(detail, ToolErrorMeta::default(), audit());
        assert_eq!(response.audit().error_type(), response.error_type());
        response.error_type().unwrap().to_owned()
    };
    assert_eq!(named(busy()), "CONFLICT");
    let taken = ToolErrorDetail::builder(ToolErrorType::Retryable, "taken");
    assert_eq!(named(taken.clone().code("SEAT_TAKEN").build()), "SEAT_TAKEN");
    assert_eq!(named(taken.build()), "RETRYABLE");
}

#[test]
fn meta_is_left_out_where_the_audit_says_it_all() {
    let written = |took_ms| {
        let meta = ToolResultMeta::new(took_ms);
        serde_json::to_value(CallResponse::success(7, meta, audit())).unwrap()
    };
    assert_eq!(written(45).get("meta"), None);
    assert_eq!(written(44)["meta"], json!({"took_ms": 44}));
    let meta = ToolResultMeta::new(45).with_cache_hit(true);
    let response = CallResponse::success(7, meta, audit());
    let written = serde_json::to_value(&response).unwrap();
    assert_eq!(written["meta"], json!({"took_ms": 45, "cache_hit": true}));
}

#[test]
fn the_audit_is_of_the_answer_it_is_put_into() {
    let failed = CallResponse::<u8>::failure(busy(), ToolErrorMeta::default(), audit());
    assert_eq!(failed.audit().status(), AuditStatus::Error);
    assert_eq!(failed.audit().error_message(), Some("busy"));
    let audit = failed.audit().clone();
    let answered = CallResponse::success(7, ToolResultMeta::default(), audit);
    assert_eq!(answered.audit().status(), AuditStatus::Success);
    assert_eq!((answered.audit().error_type(), answered.audit().error_message()), (None, None));
}

#[test]
fn an_answer_shows_what_it_says() {
    let answer = CallResponse::success(7, ToolResultMeta::new(45), audit());
    assert_eq!(
        (answer.is_success(), answer.output(), answer.as_result()),
        (true, Some(&7), Ok(&7))
    );
    assert_eq!((answer.detail(), answer.error_type()), (None, None));
    let failed = CallResponse::<u8>::failure(busy(), ToolErrorMeta::new(45), audit());
    assert_eq!((failed.is_success(), failed.output()), (false, None));
    assert_eq!((failed.detail(), failed.as_result()), (Some(&busy()), Err(&busy())));
}

#[test]
fn null_is_absent_wherever_it_stands() {
    for field in ["error", "error_type", "detail", "meta"] {
        let mut response = success();
        response[field] = Value::Null;
        assert_eq!(read(&response), read(&success()), "{field}");
    }
    for field in ["output", "meta"] {
        let mut response = failure();
        response[field] = Value::Null;
        assert_eq!(read(&response), read(&failure()), "{field}");
    }
}

#[test]
fn an_output_may_be_null_and_has_to_be_there() {
    let mut response = success();
    response["output"] = Value::Null;
    assert_eq!(read(&response).unwrap().output(), Some(&Value::Null));
    response.as_object_mut().unwrap().remove("output");
    assert!(read(&response).unwrap_err().starts_with("`output`: missing"));
}

#[test]
fn an_answer_is_no_error_and_an_error_no_answer() {
    let not = "not allowed where `success` is true";
    check_refused(success(), "/error", json!("busy"), not);
    check_refused(success(), "/error_type", json!("CONFLICT"), not);
    check_refused(success(), "/detail", failure()["detail"].clone(), not);
    check_refused(failure(), "/output", json!({}), "not allowed where `success` is false");
    // A failure without `detail` is read by the other two.
    for field in ["error", "error_type"] {
        let pointer = format!("/{field}");
        check_refused(failure(), &pointer, Value::Null, &format!("`{field}`: missing"));
    }
    check_refused(success(), "/status", json!("ok"), "unknown field");
}

#[test]
fn fields_that_repeat_each_other_must_agree() {
    check_refused(failure(), "/error", json!("other"), "`error`: expected what `detail.message`");
    check_refused(failure(), "/error_type", json!("FATAL"), "`error_type`: expected what the code");
    let other = "`audit`: expected the status and the error that the answer has";
    check_refused(failure(), "/audit/error_type", json!("FATAL"), other);
    check_refused(failure(), "/audit/error_message", json!("other"), other);
    check_refused(success(), "/audit", failure()["audit"].clone(), other);
    check_refused(failure(), "/audit", success()["audit"].clone(), other);
}

#[test]
fn an_audit_keeps_to_its_rules() {
    let digits = "`audit`: `request_payload_hash`: expected 64 lower-case hex digits";
    for hash in ["a1b2c3d4".to_owned(), "A".repeat(64), "g".repeat(64), "0".repeat(65)] {
        check_refused(success(), "/audit/request_payload_hash", json!(hash), digits);
    }
    check_refused(success(), "/audit/trace_id", json!(""), "`audit`: `trace_id`: expected text");
    check_refused(success(), "/audit/status", json!("error"), "`error_type`: required if `status`");
    check_refused(failure(), "/audit/status", json!("success"), "`error_type`: required if");
    check_refused(
        success(),
        "/audit/latency_ms",
        json!(-1),
        "`latency_ms`: expected a whole number",
    );
    assert!(Audit::new("", "t", 0, "0".repeat(64)).is_err());
}

#[test]
fn raw_output_keeps_its_bytes() {
    let audit = serde_json::to_string(&audit()).unwrap();
    let text = format!(r#"{{"success":true,"output":{{"n": 1e400, "n": 0.10}},"audit":{audit}}}"#);
    let response: CallResponse = serde_json::from_str(&text).unwrap();
    assert_eq!(serde_json::to_string(&response).unwrap(), text);
    let borrowed: CallResponse<&RawValue> = serde_json::from_str(&text).unwrap();
    assert!(text.as_bytes().as_ptr_range().contains(&borrowed.output().unwrap().get().as_ptr()));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_output_comes_back_from_the_wire_of_its_view(
        output in values::output(),
        audit in values::audit(),
    ) {
        let view = CallResponse::from_output(output.clone(), audit);
        let wire = serde_json::to_string(&view).unwrap();
        let read: CallResponse<Value> = serde_json::from_str(&wire).unwrap();
        prop_assert_eq!(read.into_output(output.input().clone()), output);
    }

    #[test]
    fn an_answer_comes_back_from_its_output(response in values::call_response()) {
        let audit = response.audit().clone();
        let output: ToolOutput<(), Value> = response.clone().into_output(());
        prop_assert_eq!(CallResponse::from_output(output, audit), response);
    }
}

//! The rules of errors.

use serde_json::{Value, json};
use tool_contracts::{ErrorCode, ToolError, ToolErrorDetail, ToolErrorMeta, ToolErrorType};

fn detail() -> Value {
    json!({"type": "VALIDATION", "message": "no"})
}

fn read(detail: &Value) -> Result<ToolErrorDetail, String> {
    serde_json::from_str(&detail.to_string()).map_err(|error| error.to_string())
}

#[track_caller]
fn check_refused(field: &str, value: Value, expectation: &str) {
    let mut detail = detail();
    detail[field] = value;
    let message = read(&detail).unwrap_err();
    assert!(message.starts_with(&format!("`{field}`: ")), "{message}");
    assert!(message.contains(expectation), "{message}");
}

#[test]
fn an_unknown_type_is_refused_with_the_admitted_ones() {
    check_refused("type", json!("validation"), "one of `RATE_LIMIT`, `TIMEOUT`, `UPSTREAM`");
    check_refused("type", json!("PANIC"), "`VALIDATION`, `RETRYABLE`, `FATAL`");
    check_refused("type", Value::Null, "missing");
}

#[test]
fn fields_keep_to_their_types() {
    check_refused("message", json!(7), "expected text");
    check_refused("message", Value::Null, "missing");
    check_refused("code", json!(""), "not empty");
    check_refused("details", json!([1]), "expected an object");
    check_refused("retry_after_ms", json!(-1), "whole number");
    check_refused("upstream_status", json!(65_536), "from 0 to 65535");
    check_refused("attempt", json!(4_294_967_296_u64), "from 0 to 4294967295");
    check_refused("why", json!("because"), "unknown field");
}

#[test]
fn a_standard_code_admits_its_own_type_only() {
    for code in ErrorCode::ALL {
        for error_type in ToolErrorType::ALL {
            let read = read(&json!({"type": error_type, "message": "m", "code": code}));
            assert_eq!(read.is_ok(), code.error_type() == *error_type, "{code} {error_type}");
        }
    }
    let message = read(&json!({"type": "FATAL", "message": "m", "code": "TIMEOUT"})).unwrap_err();
    assert!(message.starts_with("`type`: expected `TIMEOUT`, the one type of"), "{message}");
}

#[test]
fn a_tool_has_codes_of_its_own_with_any_type() {
    for error_type in ToolErrorType::ALL {
        let detail =
            read(&json!({"type": error_type, "message": "m", "code": "SEAT_TAKEN"})).unwrap();
        assert_eq!((detail.code(), detail.error_code()), (Some("SEAT_TAKEN"), None));
    }
}

#[test]
fn the_builder_cannot_part_a_code_from_its_type() {
    for code in ErrorCode::ALL {
        assert_eq!(ToolErrorDetail::from_code(*code, "m").build().error_type(), code.error_type());
        let mixed = ToolErrorDetail::builder(ToolErrorType::Fatal, "m").code(code.as_str()).build();
        assert_eq!((mixed.error_type(), mixed.error_code()), (code.error_type(), Some(*code)));
    }
    assert_eq!(ToolErrorDetail::builder(ToolErrorType::Fatal, "m").code("").build().code(), None);
}

#[test]
fn details_are_added_one_by_one() {
    let detail = ToolErrorDetail::from_code(ErrorCode::UpstreamError, "the service failed")
        .detail("upstream_code", "E17")
        .detail("upstream_code", "E18")
        .detail("tries", 2)
        .build();
    assert_eq!(
        serde_json::to_value(detail.details()).unwrap(),
        json!({"upstream_code": "E18", "tries": 2})
    );
}

#[test]
fn an_error_starts_again_from_a_built_one() {
    let first = ToolErrorDetail::from_code(ErrorCode::Conflict, "busy").attempt(1).build();
    let second = first.clone().into_builder().attempt(2).build();
    assert_eq!((second.code(), second.attempt()), (first.code(), Some(2)));
}

#[test]
fn the_meta_of_an_error_is_closed_too() {
    let read = |text: &str| serde_json::from_str::<ToolErrorMeta>(text);
    assert_eq!(read(r#"{"took_ms":10}"#).unwrap(), ToolErrorMeta::new(10));
    for (text, start) in [
        (r"{}", "`took_ms`: missing"),
        (r#"{"took_ms":-1}"#, "`took_ms`: expected a whole number from 0"),
        (r#"{"took_ms":null}"#, "`took_ms`: missing"),
        (r#"{"took_ms":1,"cache_hit":true}"#, "`cache_hit`: unknown field"),
        (r#"{"took_ms":1,"took_ms":1}"#, "`took_ms`: given twice"),
        (r#"{"took_ms":1,"replayed":"yes"}"#, "`replayed`: expected true or false"),
    ] {
        let message = read(text).unwrap_err().to_string();
        assert!(message.starts_with(start), "{message}");
    }
}

#[test]
fn an_error_alone_refuses_what_is_no_error() {
    let read = |text: &str| serde_json::from_str::<ToolError<Value>>(text).unwrap_err().to_string();
    let ok = r#"{"status":"ok","input":1,"data":2,"meta":{"took_ms":1}}"#;
    assert!(read(ok).starts_with("`status`: expected `error`"));
    let data = r#"{"status":"error","input":1,"data":2,"error":{"type":"FATAL","message":"m"},"meta":{"took_ms":1}}"#;
    assert!(read(data).starts_with("`data`: not allowed with the status `error`"));
    let late = r#"{"input":1,"meta":{"took_ms":1,"cache_hit":true},"status":"error"}"#;
    assert!(read(late).starts_with("`meta`: `cache_hit`: unknown field"));
}

//! Errors under standard codes.

use proptest::prelude::*;
use serde_json::{Value, json};
use tool_contracts::{ErrorCode, ToolErrorDetail, ToolErrorType, envelope::ResponseError, schemas};

use crate::round_trip::values;

fn read(error: &Value) -> Result<ResponseError, String> {
    serde_json::from_str(&error.to_string()).map_err(|error| error.to_string())
}

fn written(detail: ToolErrorDetail) -> Value {
    serde_json::to_value(ResponseError::from(detail)).unwrap()
}

#[track_caller]
fn check_detail_refused(details: Value, start: &str) {
    let error = json!({"code": "INTERNAL", "message": "m", "details": details});
    let message = read(&error).unwrap_err();
    assert!(message.starts_with(&format!("`details`: {start}")), "{message}");
}

#[test]
fn the_example_of_the_standard_is_read() {
    let error = read(&json!({"code": "CONFLICT", "message": "busy", "details": {}})).unwrap();
    assert_eq!(error.as_detail().error_type(), ToolErrorType::Retryable);
    assert_eq!((error.code(), error.tool_code()), (ErrorCode::Conflict, None));
}

#[test]
fn only_closed_codes_are_admitted() {
    for code in ErrorCode::ALL {
        let error = read(&json!({"code": code, "message": "m"})).unwrap();
        assert_eq!(error, ToolErrorDetail::from_code(*code, "m").build().into());
        assert_eq!(written(error.into()), json!({"code": code, "message": "m"}));
    }
    let message = read(&json!({"code": "SEAT_TAKEN", "message": "m"})).unwrap_err();
    assert!(message.starts_with("`code`: expected one of `INVALID_ARGUMENT`, "), "{message}");
}

#[test]
fn a_code_of_the_tools_own_moves_into_the_details() {
    for (error_type, code) in [
        (ToolErrorType::RateLimit, "RATE_LIMITED"),
        (ToolErrorType::Timeout, "TIMEOUT"),
        (ToolErrorType::Upstream, "UPSTREAM_ERROR"),
        (ToolErrorType::Validation, "INVALID_ARGUMENT"),
        (ToolErrorType::Retryable, "UNAVAILABLE"),
        (ToolErrorType::Fatal, "INTERNAL"),
    ] {
        let own = ToolErrorDetail::builder(error_type, "m").code("SEAT_TAKEN").build();
        let wire = json!({"code": code, "message": "m", "details": {"tool_code": "SEAT_TAKEN"}});
        assert_eq!(written(own.clone()), wire);
        assert_eq!(ToolErrorDetail::from(read(&wire).unwrap()), own);
        assert_eq!(ResponseError::from(own).tool_code(), Some("SEAT_TAKEN"));
    }
}

#[test]
fn an_error_without_a_code_has_an_empty_one_of_its_own() {
    let plain = ToolErrorDetail::builder(ToolErrorType::Fatal, "m").build();
    let wire = json!({"code": "INTERNAL", "message": "m", "details": {"tool_code": ""}});
    assert_eq!(written(plain.clone()), wire);
    let read = read(&wire).unwrap();
    assert_eq!(read.tool_code(), None);
    assert_eq!(ToolErrorDetail::from(read), plain);
}

#[test]
fn the_details_of_an_error_hold_its_other_fields() {
    let detail = ToolErrorDetail::from_code(ErrorCode::UpstreamError, "m")
        .retry_after_ms(2_000)
        .cause("reqwest::Error")
        .upstream_status(503)
        .endpoint("/v1")
        .attempt(2)
        .detail("upstream_code", "E17")
        .build();
    assert_eq!(
        written(detail)["details"],
        json!({
            "retry_after_ms": 2000,
            "cause": "reqwest::Error",
            "upstream_status": 503,
            "endpoint": "/v1",
            "attempt": 2,
            "upstream_code": "E17",
        }),
    );
}

#[test]
fn facts_under_a_name_of_the_envelope_stay_together() {
    let schemas = schemas::all();
    let (_, schema) = schemas.iter().find(|(name, _)| *name == "response_error.json").unwrap();
    let own = schema.pointer("/$defs/ResponseErrorDetails/properties").unwrap();
    assert_eq!(own.as_object().unwrap().len(), 7);
    for name in own.as_object().unwrap().keys() {
        let facts = json!({name: "soon", "seat": "12A"});
        let detail = ToolErrorDetail::from_code(ErrorCode::Conflict, "m").attempt(2);
        let detail = detail.details(facts.as_object().unwrap().clone()).build();
        let wire = written(detail.clone());
        assert_eq!(wire["details"], json!({"attempt": 2, "details": facts}));
        assert_eq!(ToolErrorDetail::from(read(&wire).unwrap()), detail);
    }
}

#[test]
fn no_facts_and_an_empty_object_of_facts_are_told_apart() {
    let none = ToolErrorDetail::from_code(ErrorCode::Conflict, "m");
    let empty = none.clone().details(serde_json::Map::new());
    assert_eq!(written(none.clone().build()), json!({"code": "CONFLICT", "message": "m"}));
    assert_eq!(written(empty.clone().build())["details"], json!({}));
    assert_eq!(written(none.attempt(1).build())["details"], json!({"attempt": 1}));
    assert_eq!(written(empty.attempt(1).build())["details"], json!({"attempt": 1, "details": {}}));
}

#[test]
fn fields_keep_to_their_types() {
    check_detail_refused(json!("hunter2"), "expected an object");
    check_detail_refused(json!({"tool_code": 7}), "`tool_code`: expected text");
    check_detail_refused(json!({"retry_after_ms": "soon"}), "`retry_after_ms`: expected a whole");
    check_detail_refused(json!({"cause": ["a"]}), "`cause`: expected text");
    check_detail_refused(json!({"upstream_status": 65_536}), "`upstream_status`: expected a whole");
    check_detail_refused(json!({"endpoint": {}}), "`endpoint`: expected text");
    check_detail_refused(json!({"attempt": -1}), "`attempt`: expected a whole number from 0");
    check_detail_refused(json!({"details": "none"}), "`details`: expected an object");
    check_detail_refused(
        json!({"details": {}, "seat": 1}),
        "`details`: expected all of the tool's",
    );
    let message = read(&json!({"code": "CONFLICT", "message": "m", "type": "FATAL"})).unwrap_err();
    assert!(message.starts_with("`type`: unknown field"), "{message}");
}

#[test]
fn null_is_absent_in_the_details_too() {
    let details = json!({"tool_code": null, "attempt": null, "details": null});
    let error = read(&json!({"code": "CONFLICT", "message": "m", "details": details})).unwrap();
    assert_eq!(error, ToolErrorDetail::from_code(ErrorCode::Conflict, "m").build().into());
}

#[test]
fn a_fact_that_is_named_twice_is_refused() {
    let twice = r#"{"code":"CONFLICT","message":"m","details":{"attempt":1,"attempt":2}}"#;
    let message = serde_json::from_str::<ResponseError>(twice).unwrap_err().to_string();
    assert!(message.starts_with("`details`: `an entry`: given twice"), "{message}");
}

#[test]
fn a_code_of_the_tools_own_stands_beside_its_standard_code_only() {
    for code in ErrorCode::ALL {
        let detail = ToolErrorDetail::builder(code.error_type(), "m").code("SEAT_TAKEN").build();
        let standard_code = ResponseError::from(detail).code();
        let wire = json!({"code": code, "message": "m", "details": {"tool_code": "SEAT_TAKEN"}});
        match read(&wire) {
            Ok(_) => assert_eq!(*code, standard_code),
            Err(message) => {
                assert_ne!(*code, standard_code);
                assert!(
                    message.starts_with(&format!("`code`: expected `{standard_code}`")),
                    "{message}"
                );
            }
        }
        check_detail_refused(
            json!({"tool_code": code}),
            "`tool_code`: expected a code of the tool",
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_error_comes_back_from_the_wire_of_its_view(detail in values::detail()) {
        let wire = serde_json::to_string(&ResponseError::from(detail.clone())).unwrap();
        let read: ResponseError = serde_json::from_str(&wire).unwrap();
        prop_assert_eq!(read.code().error_type(), detail.error_type());
        prop_assert_eq!(ToolErrorDetail::from(read), detail);
    }
}

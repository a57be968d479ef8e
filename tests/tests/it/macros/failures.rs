//! `#[derive(ToolFailure)]`: the errors that a caller gets.

#[path = "../../../../tool-derive/src/failure/codes.rs"]
mod codes;

use std::collections::BTreeSet;
use std::fmt;

use serde_json::{Value, json};
use tool_runtime::contracts::{ErrorCode, ToolErrorType};
use tool_runtime::prelude::*;

use super::{error, runtime};

#[derive(Debug, ToolFailure)]
#[allow(dead_code)]
enum DeskError {
    #[failure(UNAVAILABLE, retry_after = "2s")]
    Rebuilding,
    #[failure(UPSTREAM_ERROR, hide, upstream_status = status, endpoint = "search")]
    Http { status: u16, body: String },
    #[failure(UPSTREAM_ERROR, hide, upstream_code = code)]
    Refused { code: Option<u32> },
    #[failure(RATE_LIMITED, message = "wait {0} ms", retry_after_ms = _0, endpoint = _1)]
    Busy(u64, String),
    #[failure(
        code = "SEAT_TAKEN",
        type = RETRYABLE,
        message = "seat {row:>3}{seat} is {{taken}}",
        retry_after_ms = wait,
        upstream_status = 409,
        details(row, seat)
    )]
    Taken { row: u8, seat: char, wait: Option<u64> },
    #[failure(transparent)]
    Inner(Closed),
}

#[derive(Debug, ToolFailure)]
#[failure(COMPLIANCE_BLOCKED, message = "closed on {day}")]
struct Closed {
    day: &'static str,
}

impl fmt::Display for DeskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the desk says no")
    }
}

#[track_caller]
fn check(which: u8, expected: &Value) {
    /// Fails in some way.
    #[ai_tool(effect = "read")]
    async fn fail(
        /// Which way.
        which: u8,
    ) -> Result<(), DeskError> {
        Err(match which {
            0 => DeskError::Rebuilding,
            1 => DeskError::Http { status: 503, body: "private".to_owned() },
            2 => DeskError::Busy(40, "queue".to_owned()),
            3 => DeskError::Taken { row: 7, seat: 'A', wait: None },
            4 => DeskError::Taken { row: 7, seat: 'A', wait: Some(9) },
            5 => DeskError::Refused { code: Some(4_711) },
            6 => DeskError::Refused { code: None },
            _ => DeskError::Inner(Closed { day: "Sunday" }),
        })
    }

    let error = error(&runtime::<FailTool>(), "fail", &json!({ "which": which }).to_string());
    for (key, value) in expected.as_object().expect("an object") {
        assert_eq!(error.get(key).unwrap_or(&Value::Null), value, "{key} of {error:#}");
    }
}

#[test]
fn display_is_the_message_unless_told_otherwise() {
    check(
        0,
        &json!({
            "type": "RETRYABLE", "code": "UNAVAILABLE", "message": "the desk says no",
            "retry_after_ms": 2000,
        }),
    );
}

#[test]
fn a_hidden_error_says_only_what_its_code_says() {
    check(
        1,
        &json!({
            "type": "UPSTREAM", "code": "UPSTREAM_ERROR", "upstream_status": 503, "endpoint": "search",
            "message": "a service that the tool depends on failed", "details": null,
        }),
    );
}

#[test]
fn the_code_of_an_upstream_service_is_a_detail() {
    check(5, &json!({"code": "UPSTREAM_ERROR", "details": {"upstream_code": 4_711}}));
    check(6, &json!({"code": "UPSTREAM_ERROR", "details": null}));
}

#[test]
fn values_come_from_the_fields() {
    check(
        2,
        &json!({
            "type": "RATE_LIMIT", "message": "wait 40 ms", "retry_after_ms": 40, "endpoint": "queue",
        }),
    );
    check(
        3,
        &json!({
            "type": "RETRYABLE", "code": "SEAT_TAKEN", "message": "seat   7A is {taken}",
            "retry_after_ms": null, "upstream_status": 409, "details": {"row": 7, "seat": "A"},
        }),
    );
    check(4, &json!({"retry_after_ms": 9}));
}

#[test]
fn a_transparent_error_means_what_its_inside_means() {
    check(7, &json!({"code": "COMPLIANCE_BLOCKED", "message": "closed on Sunday"}));
    let codes: Vec<&str> =
        DeskError::codes().iter().map(tool_runtime::FailureCode::as_str).collect();
    let expected =
        ["UNAVAILABLE", "UPSTREAM_ERROR", "RATE_LIMITED", "SEAT_TAKEN", "COMPLIANCE_BLOCKED"];
    assert_eq!(codes, expected);
}

#[test]
fn generic_and_empty_errors_compile() {
    #[derive(Debug, ToolFailure)]
    enum Never {}

    #[derive(Debug, ToolFailure)]
    enum Wrapped<E: fmt::Debug> {
        #[failure(INTERNAL, hide)]
        Of(E),
    }

    assert!(Never::codes().is_empty());
    assert_eq!(Wrapped::Of(1).failure().code().as_str(), "INTERNAL");
}

#[test]
fn an_unmapped_error_says_nothing_of_itself() {
    struct Silent;

    /// Fails in silence.
    #[ai_tool(effect = "read")]
    async fn fail_silently() -> Result<u8, Silent> {
        Err(Silent)
    }

    let error = error(&runtime::<FailSilentlyTool>(), "fail_silently", "{}");
    assert_eq!((&error["type"], &error["code"]), (&json!("FATAL"), &json!("INTERNAL")));
}

#[tokio::test]
async fn a_hidden_failure_has_a_text_for_the_log_whatever_its_type_implements() {
    #[derive(Debug, ToolFailure)]
    enum OnlyDebug {
        #[failure(UPSTREAM_ERROR, hide)]
        Http {
            #[allow(dead_code, reason = "only `Debug` reads it")]
            status: u16,
        },
    }

    #[derive(ToolFailure)]
    enum Bare {
        #[failure(UPSTREAM_ERROR, hide)]
        Gone,
    }

    struct ByHand;

    impl ToolFailure for ByHand {
        fn failure(&self) -> Failure {
            Failure::from_code(ErrorCode::Conflict).with_log("the row was locked")
        }

        fn codes() -> &'static [tool_runtime::FailureCode] {
            const { &[tool_runtime::FailureCode::standard(ErrorCode::Conflict)] }
        }
    }

    /// Fails with an error that has only `Debug`.
    #[ai_tool(effect = "read")]
    async fn fail_debug() -> Result<u8, OnlyDebug> {
        Err(OnlyDebug::Http { status: 502 })
    }

    /// Fails with an error that has `Display`.
    #[ai_tool(effect = "read")]
    async fn fail_display() -> Result<u8, DeskError> {
        Err(DeskError::Http { status: 502, body: "x".to_owned() })
    }

    /// Fails with an error that has nothing.
    #[ai_tool(effect = "read")]
    async fn fail_bare() -> Result<u8, Bare> {
        Err(Bare::Gone)
    }

    /// Fails with an error that says what the log gets.
    #[ai_tool(effect = "read")]
    async fn fail_by_hand() -> Result<u8, ByHand> {
        Err(ByHand)
    }

    let logs = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let observed = logs.clone();
    let runtime = Runtime::builder()
        .tool::<FailDebugTool>()
        .tool::<FailDisplayTool>()
        .tool::<FailBareTool>()
        .tool::<FailByHandTool>()
        .observe(move |record: &tool_runtime::CallRecord<'_>| {
            observed.lock().unwrap().push(record.log().to_owned());
        })
        .build()
        .unwrap();
    for name in ["fail_debug", "fail_display", "fail_bare", "fail_by_hand"] {
        let mut call = runtime.call(name, "{}", &crate::support::cx());
        let output = call.execute().await.to_string();
        let texts = ["Http {", "the desk says", "locked"];
        assert!(texts.iter().all(|text| !output.contains(text)), "{output}");
    }
    let logs = logs.lock().unwrap();
    assert!(logs[0].contains("Http { status: 502 }"), "{logs:?}");
    assert_eq!(logs[1], "the desk says no");
    assert!(logs[2].ends_with("Bare: UPSTREAM_ERROR"), "{logs:?}");
    assert_eq!(logs[3], "the row was locked");
}

#[test]
fn the_macro_knows_each_code_and_each_type_of_the_contracts() {
    let named = |table: &[(&'static str, &'static str)]| {
        table.iter().map(|&(word, name)| (word, name.to_owned())).collect::<BTreeSet<_>>()
    };
    let (codes, types) = (named(&codes::CODES), named(&codes::ERROR_TYPES));
    let is_reserved = |code: &&ErrorCode| codes::RESERVED.contains(&code.as_str());
    let reserved = ErrorCode::ALL.iter().filter(is_reserved).count();
    assert_eq!(reserved, codes::RESERVED.len(), "a reserved code does not exist");
    let standard = ErrorCode::ALL.iter().filter(|code| !is_reserved(code));
    let standard: BTreeSet<_> = standard.map(|code| (code.as_str(), format!("{code:?}"))).collect();
    assert_eq!(codes, standard, "tool-derive/src/failure/codes.rs and ErrorCode differ");
    let known: BTreeSet<_> =
        ToolErrorType::ALL.iter().map(|it| (it.as_str(), format!("{it:?}"))).collect();
    assert_eq!(types, known, "tool-derive/src/failure/codes.rs and ToolErrorType differ");
}

//! The closed sets of words.

use std::{fmt::Debug, str::FromStr};

use serde::{Serialize, de::DeserializeOwned};
use tool_contracts::{
    ActorType, CallStatus, ClientApp, ContractError, Effect, ErrorCode, Permission, ToolErrorType,
    schemas,
};

#[track_caller]
fn check<T>(all: &[T], words: &[&str], file: &str)
where
    T: Serialize + DeserializeOwned + FromStr<Err = ContractError> + ToString + Debug + PartialEq,
{
    assert_eq!(all.len(), words.len());
    for (value, word) in all.iter().zip(words) {
        let json = format!("\"{word}\"");
        assert_eq!(value.to_string(), *word);
        assert_eq!(&T::from_str(word).unwrap(), value);
        assert_eq!(serde_json::to_string(value).unwrap(), json);
        assert_eq!(&serde_json::from_str::<T>(&json).unwrap(), value);
    }
    check_refusals::<T>(words);
    check_schema(words, file);
}

#[track_caller]
fn check_refusals<T: DeserializeOwned + FromStr<Err = ContractError> + Debug>(words: &[&str]) {
    let admitted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    let expected = format!("expected one of {}", admitted.join(", "));
    for unknown in [r#""hunter2""#, "7", "-7", "0.5", "true", "null", "[]", "{}"] {
        let message = serde_json::from_str::<T>(unknown).unwrap_err().to_string();
        assert!(!message.contains("hunter2") && !message.contains('7'), "{message}");
        assert!(message.contains(&expected) || unknown == "{}", "{message}");
    }
    let message = T::from_str("hunter2").unwrap_err().to_string();
    assert!(message.ends_with(&expected) && !message.contains("hunter2"), "{message}");
}

#[track_caller]
fn check_schema(words: &[&str], file: &str) {
    let (_, schema) = schemas::all().into_iter().find(|(name, _)| *name == file).unwrap();
    let branches = schema.get("oneOf").unwrap().as_array().unwrap();
    let admitted: Vec<_> =
        branches.iter().map(|branch| branch["const"].as_str().unwrap()).collect();
    assert_eq!(admitted, words);
}

#[test]
fn effects() {
    check(Effect::ALL, &["read", "write", "destructive"], "effect.json");
}

#[test]
fn permissions() {
    check(Permission::ALL, &["allow", "ask", "deny"], "permission.json");
}

#[test]
fn actor_types() {
    check(ActorType::ALL, &["user", "agent", "system"], "actor_type.json");
}

#[test]
fn client_apps() {
    check(ClientApp::ALL, &["web", "ios", "android"], "client_app.json");
}

#[test]
fn call_statuses() {
    let words = [
        "pending",
        "executing",
        "executed",
        "failed",
        "interrupted",
        "rejected",
        "declined",
        "not_executed",
    ];
    check(CallStatus::ALL, &words, "call_status.json");
}

#[test]
fn error_types() {
    let words = ["RATE_LIMIT", "TIMEOUT", "UPSTREAM", "VALIDATION", "RETRYABLE", "FATAL"];
    check(ToolErrorType::ALL, &words, "tool_error_type.json");
}

#[test]
fn an_error_that_a_retry_cannot_fix_is_not_transient() {
    let lasting = [ToolErrorType::Validation, ToolErrorType::Fatal];
    for error_type in ToolErrorType::ALL {
        assert_eq!(error_type.is_transient(), !lasting.contains(error_type), "{error_type:?}");
    }
}

#[test]
fn error_codes() {
    let words: Vec<&str> = CODES.iter().map(|(code, _)| *code).collect();
    check(ErrorCode::ALL, &words, "error_code.json");
}

#[test]
fn each_code_has_the_type_of_the_design() {
    for (code, error_type) in CODES {
        assert_eq!(ErrorCode::from_str(code).unwrap().error_type().as_str(), *error_type, "{code}");
    }
}

#[test]
fn a_call_that_never_ran_is_told_from_one_that_did() {
    let never_ran =
        [CallStatus::Pending, CallStatus::Rejected, CallStatus::Declined, CallStatus::NotExecuted];
    for status in CallStatus::ALL {
        assert_eq!(status.has_run(), !never_ran.contains(status), "{status}");
        let open = matches!(status, CallStatus::Pending | CallStatus::Executing);
        assert_eq!(status.is_final(), !open, "{status}");
    }
}

const CODES: &[(&str, &str)] = &[
    ("INVALID_ARGUMENT", "VALIDATION"),
    ("ADDRESS_INVALID", "VALIDATION"),
    ("NOT_FOUND", "VALIDATION"),
    ("UNAUTHORIZED", "FATAL"),
    ("FORBIDDEN", "FATAL"),
    ("CONFLICT", "RETRYABLE"),
    ("TIMEOUT", "TIMEOUT"),
    ("UPSTREAM_ERROR", "UPSTREAM"),
    ("NEEDS_USER_CONFIRMATION", "FATAL"),
    ("COMPLIANCE_BLOCKED", "FATAL"),
    ("PRICE_CHANGED", "FATAL"),
    ("OUT_OF_STOCK", "FATAL"),
    ("RATE_LIMITED", "RATE_LIMIT"),
    ("INTERNAL", "FATAL"),
    ("INVALID_OUTPUT", "VALIDATION"),
    ("DECLINED", "FATAL"),
    ("CANCELLED", "FATAL"),
    ("UNAVAILABLE", "RETRYABLE"),
];

//! Requests to run tools, and their results.

use chrono::{DateTime, Utc};
use serde_json::{Value, json, value::RawValue};
use tool_contracts::act::{ActResult, RetryConfig, ToolRequest, ToolType};
use tool_contracts::{ToolCallRequest, ToolOutput};

fn time() -> DateTime<Utc> {
    "2026-05-03T12:34:56Z".parse().unwrap()
}

fn request(fields: &Value) -> Result<ToolRequest, String> {
    let mut request =
        json!({"tool_id": "orders", "tool_type": "database_query", "function_name": "all"});
    request.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    serde_json::from_str(&request.to_string()).map_err(|error| error.to_string())
}

#[track_caller]
fn check_refused(fields: &Value, expected: &str) {
    let error = request(fields).unwrap_err();
    assert!(error.contains(expected), "{error}");
}

#[track_caller]
fn check_text(data: &str, expected: &str) {
    let data: Box<RawValue> = serde_json::from_str(data).unwrap();
    let result = ActResult::succeeded("orders", data, time()).build().unwrap();
    assert_eq!(result.to_text(), expected);
}

#[test]
fn omitted_fields_have_the_defaults() {
    let request = request(&json!({"parameters": null})).unwrap();
    assert_eq!((request.parameters().get(), request.timeout_seconds()), ("{}", 30));
    assert_eq!(request.retry_config(), None);
    let config: RetryConfig = serde_json::from_str("{}").unwrap();
    assert_eq!(config, RetryConfig::default());
    assert_eq!(config, RetryConfig::new(3, 2.0, 100).unwrap());
}

#[test]
fn bounds_are_in_their_ranges_and_the_next_values_are_not() {
    for seconds in [1, 300] {
        assert_eq!(
            request(&json!({"timeout_seconds": seconds})).unwrap().timeout_seconds(),
            seconds
        );
    }
    for seconds in [0, 301] {
        check_refused(
            &json!({"timeout_seconds": seconds}),
            "`timeout_seconds`: expected a whole number of seconds from 1 to 300",
        );
    }
    let retries = |config: Value| request(&json!({"retry_config": config}));
    for config in [
        json!({"max_attempts": 1}),
        json!({"max_attempts": 5}),
        json!({"backoff_multiplier": 1}),
        json!({"backoff_multiplier": 1000}),
        json!({"initial_delay_ms": 10}),
        json!({"initial_delay_ms": 3_600_000}),
    ] {
        assert!(retries(config.clone()).is_ok(), "{config}");
    }
    for (config, field) in [
        (json!({"max_attempts": 0}), "max_attempts"),
        (json!({"max_attempts": 6}), "max_attempts"),
        (json!({"backoff_multiplier": 0.99}), "backoff_multiplier"),
        (json!({"initial_delay_ms": 9}), "initial_delay_ms"),
    ] {
        let error = retries(config).unwrap_err();
        assert!(error.contains("`retry_config`") && error.contains(field), "{error}");
    }
    assert!(RetryConfig::new(3, f64::INFINITY, 100).is_err());
}

#[test]
fn parameters_are_an_object() {
    check_refused(&json!({"parameters": [1]}), "`parameters`: expected an object");
    let builder = ToolRequest::builder("", ToolType::ApiCall, "").parameters("text");
    let error = builder.timeout_seconds(0).build().unwrap_err();
    let fields: Vec<&str> = error.problems().iter().map(tool_contracts::Problem::field).collect();
    assert_eq!(fields, ["tool_id", "function_name", "parameters", "timeout_seconds"]);
}

#[test]
fn parameters_keep_every_digit() {
    let text = r#"{"tool_id":"a","tool_type":"api_call","function_name":"b","parameters":{"n": 123456789012345678901234567890},"timeout_seconds":30}"#;
    let request: ToolRequest = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&request).unwrap(), text);
}

#[test]
fn an_unknown_type_is_refused_with_all_types() {
    check_refused(
        &json!({"tool_type": "sql"}),
        "one of `database_query`, `api_call`, `rag_retrieval`, `file_operation`, `python_function`",
    );
}

#[test]
fn data_is_written_for_a_model() {
    check_text(r#""two\nlines: äöü""#, "two\nlines: äöü");
    check_text("true", "true");
    check_text("null", "null");
    check_text("1.50", "1.50");
    check_text("[]", "[]");
    check_text("{ }", "{}");
    check_text(
        r#"{"b":[1, 2e1,{}],"a":{"text":"{\"x\": [1,2]}, 茶","none":null}}"#,
        "{\n  \"b\": [\n    1,\n    2e1,\n    {}\n  ],\n  \"a\": {\n    \"text\": \"{\\\"x\\\": [1,2]}, 茶\",\n    \"none\": null\n  }\n}",
    );
    check_text(
        r#"{"t\u00e9":"\u8336\n\u0001","half":"\ud83c"}"#,
        "{\n  \"té\": \"茶\\n\\u0001\",\n  \"half\": \"\\ud83c\"\n}",
    );
}

#[test]
fn a_failure_is_its_message_for_a_model() {
    let result = ActResult::failed("orders", "no such table", time()).build().unwrap();
    assert_eq!((result.success(), result.data().get()), (false, "null"));
    assert_eq!(result.to_text(), "error: no such table");
    assert!(ActResult::failed("orders", "", time()).build().is_err());
}

#[test]
fn an_error_belongs_to_a_failure_alone() {
    let read = |success: bool, data: Value, error: Value| {
        let text = json!({
            "tool_id": "orders", "success": success, "data": data, "error": error,
            "execution_time_ms": 1, "timestamp": "2026-05-03T12:34:56Z", "token_estimate": 0,
        });
        serde_json::from_str::<ActResult>(&text.to_string()).map_err(|error| error.to_string())
    };
    assert!(read(true, json!(1), Value::Null).is_ok());
    assert!(read(false, Value::Null, json!("no")).is_ok());
    assert!(
        read(true, json!(1), json!("no")).unwrap_err().contains("`error`: expected if and only if")
    );
    assert!(read(false, Value::Null, Value::Null).unwrap_err().contains("`error`"));
    assert!(read(false, json!(1), json!("no")).unwrap_err().contains("`data`: expected null"));
}

#[test]
fn counts_are_not_negative_and_names_not_empty() {
    let result = json!({
        "tool_id": "orders", "success": true, "data": 1, "execution_time_ms": 1,
        "timestamp": "2026-05-03T12:34:56Z", "token_estimate": 0, "retry_count": 0,
    });
    let read = |field: &str, value: Value| {
        let mut result = result.clone();
        result[field] = value;
        serde_json::from_str::<ActResult>(&result.to_string()).map_err(|error| error.to_string())
    };
    assert!(read("token_estimate", json!(7)).is_ok());
    for (field, value) in
        [("token_estimate", json!(-1)), ("retry_count", json!(-1)), ("tool_id", json!(""))]
    {
        let error = read(field, value).unwrap_err();
        assert!(error.contains(&format!("`{field}`: expected")), "{error}");
    }
    for field in ["tool_id", "function_name"] {
        check_refused(&json!({field: ""}), &format!("`{field}`: expected"));
    }
    check_refused(&json!({"retries": 3}), "`retries`: unknown field");
}

#[test]
fn durations_are_finite_and_not_negative() {
    for time_ms in [-1.0, f64::NAN, f64::INFINITY] {
        let result = ActResult::succeeded("orders", 1, time()).execution_time_ms(time_ms).build();
        assert!(result.is_err(), "{time_ms}");
    }
}

#[test]
fn debug_shows_neither_parameters_nor_data() {
    let builder = ToolRequest::builder("orders", ToolType::ApiCall, "all")
        .parameters(json!({"key": "planted"}));
    let shown = format!("{builder:?} {:?}", builder.clone().build().unwrap());
    assert!(!shown.contains("planted"), "{shown}");
    let builder = ActResult::succeeded("orders", "planted", time());
    let shown = format!("{builder:?} {:?}", builder.clone().build().unwrap());
    assert!(!shown.contains("planted"), "{shown}");
}

#[test]
fn a_request_becomes_a_call_unless_it_sets_what_a_call_has_not() {
    let call = ToolCallRequest::try_from(request(&json!({"parameters": {"a": 1}})).unwrap());
    let call = call.unwrap();
    assert_eq!(call.name(), "orders.all");
    let again = request(&json!({"parameters": {"a": 1}})).unwrap();
    let again = ToolCallRequest::try_from(again).unwrap();
    assert_ne!(call.call_id(), again.call_id(), "another request is no repeat");
    let whole = json!({"tool_id": "orders.all", "function_name": "all"});
    assert_eq!(ToolCallRequest::try_from(request(&whole).unwrap()).unwrap().name(), "orders.all");
    let same = json!({"tool_id": "orders.all", "function_name": "orders.all"});
    assert_eq!(ToolCallRequest::try_from(request(&same).unwrap()).unwrap().name(), "orders.all");
    assert_eq!(call.arguments().get(), r#"{"a":1}"#);
    let fields = json!({"timeout_seconds": 5, "retry_config": {}});
    let error = ToolCallRequest::try_from(request(&fields).unwrap()).unwrap_err();
    assert_eq!(error.problems().len(), 2, "{error}");
}

const EVIDENCE: &str = r#"{"snapshot_id":"ev_1","sources":[]}"#;

#[test]
fn outputs_become_results_and_outputs_again() {
    for text in [
        r#"{"status":"ok","input":null,"data":[1.50],"meta":{"took_ms":42,"attempts":3}}"#,
        r#"{"status":"error","input":null,"error":{"type":"UPSTREAM","message":"no","code":"OWN"},"meta":{"took_ms":7,"attempts":1}}"#,
        r#"{"status":"ok","input":null,"data":1,"meta":{"took_ms":42,"warnings":["it is old"],"evidence":EVIDENCE,"replayed":true,"attempts":1,"dry_run":true,"attachments":[{"media_type":"image/png","name":"a.png","url":"https://example.org/a.png"}]}}"#,
        r#"{"status":"error","input":null,"error":{"type":"FATAL","message":"ask","code":"NEEDS_USER_CONFIRMATION","details":{"effect":"none","ticket":"t-1"},"retry_after_ms":9,"upstream_status":503,"endpoint":"queue"},"meta":{"took_ms":7,"attempts":1,"warnings":["it is old"],"evidence":EVIDENCE}}"#,
    ] {
        let text = &text.replace("EVIDENCE", EVIDENCE);
        let output: ToolOutput<Value, Box<RawValue>> = serde_json::from_str(text).unwrap();
        let result = ActResult::from_output("orders", &output, time()).build().unwrap();
        assert_eq!(result.success(), output.is_ok());
        let again = ToolOutput::try_from(result).unwrap();
        assert_eq!(serde_json::to_string(&again).unwrap(), *text);
    }
}

#[test]
fn a_fact_of_another_form_is_no_output() {
    let result = ActResult::succeeded("orders", 1, time()).metadata("dry_run", "yes").build();
    let error = ToolOutput::try_from(result.unwrap()).unwrap_err();
    assert!(error.to_string().contains("`dry_run`"), "{error}");
}

#[test]
fn results_keep_what_an_output_says_of_itself() {
    let text = r#"{"status":"ok","input":null,"data":1,"meta":{"took_ms":42,"attempts":3,"replayed":true,"warnings":["it is old"]}}"#;
    let output: ToolOutput = serde_json::from_str(text).unwrap();
    let result = ActResult::from_output("orders", &output, time()).build().unwrap();
    assert_eq!(result.retry_count(), 2);
    assert_eq!(result.metadata()["replayed"], true);
    assert_eq!(result.metadata()["warnings"][0], "it is old");
}

#[test]
fn results_list_the_attachments_of_an_output() {
    let text = r#"{"status":"ok","input":null,"data":1,"meta":{"took_ms":42,"attachments":[{"media_type":"image/png","name":"a.png","url":"https://example.org/a.png"}]}}"#;
    let output: ToolOutput = serde_json::from_str(text).unwrap();
    let result = ActResult::from_output("orders", &output, time()).build().unwrap();
    let expected = json!([
        {"media_type": "image/png", "name": "a.png", "url": "https://example.org/a.png"},
    ]);
    assert_eq!(result.metadata()["attachments"], expected);
}

#[test]
fn a_failure_without_its_type_is_no_output() {
    let result = ActResult::failed("orders", "no", time()).build().unwrap();
    let error = ToolOutput::try_from(result).unwrap_err();
    assert!(error.to_string().contains("error_type"), "{error}");
}

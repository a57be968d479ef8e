//! Requests to serialize data, and serialized data.

use serde_json::{Value, json};
use tool_contracts::articulate::{
    SerializationError, SerializationFormat, SerializationMetadata, SerializationRequest,
    SerializedOutput,
};

fn output() -> Value {
    json!({
        "serialized_text": "[2]: 1,2", "format_used": "toon", "original_tokens": 10,
        "optimized_tokens": 8, "savings_ratio": 0.2, "is_valid": true,
        "serialization_time_ms": 0.5, "schema_complexity": "simple",
    })
}

#[track_caller]
fn check_refused(field: &str, value: &Value, expected: &str) {
    let mut changed = output();
    changed[field] = value.clone();
    let error = serde_json::from_str::<SerializedOutput>(&changed.to_string()).unwrap_err();
    let text = error.to_string();
    assert!(text.contains(field) && text.contains(expected), "{text}");
}

#[test]
fn a_request_without_hints_has_the_defaults() {
    let read: SerializationRequest = serde_json::from_str(r#"{"data":[1]}"#).unwrap();
    assert_eq!(read, SerializationRequest::new(json!([1])));
    assert!(read.include_length_markers() && read.validate_output());
    assert_eq!(read.force_format(), None);
}

#[test]
fn null_is_data_but_data_is_required() {
    let read: SerializationRequest = serde_json::from_str(r#"{"data":null}"#).unwrap();
    assert_eq!(read.into_data(), Value::Null);
    let error = serde_json::from_str::<SerializationRequest>("{}").unwrap_err().to_string();
    assert!(error.starts_with("`data`: missing"), "{error}");
}

#[test]
fn an_unknown_format_is_refused_without_its_name() {
    let body = r#"{"data":1,"force_format":"yaml"}"#;
    let error = serde_json::from_str::<SerializationRequest>(body).unwrap_err().to_string();
    assert!(error.contains("one of `toon`, `compact_json`"), "{error}");
    assert!(!error.contains("yaml"), "{error}");
}

#[test]
fn the_schema_of_a_model_stays_off_the_wire() {
    let request = SerializationRequest::for_model(vec![1_u8]);
    assert_eq!(request.schema().and_then(|schema| schema.get("type")), Some(&json!("array")));
    assert!(!serde_json::to_string(&request).unwrap().contains("array"));
}

#[test]
fn debug_shows_neither_data_nor_text() {
    let request = SerializationRequest::new("planted");
    let output = SerializedOutput::builder("planted", SerializationFormat::Toon).build().unwrap();
    assert!(!format!("{request:?} {output:?}").contains("planted"));
}

#[test]
fn savings_that_contradict_the_tokens_are_refused() {
    check_refused("savings_ratio", &json!(0.3), "1 - `optimized_tokens` / `original_tokens`");
    check_refused("savings_ratio", &json!("a fifth"), "a number");
    let mut rounded = output();
    rounded["optimized_tokens"] = json!(3);
    rounded["original_tokens"] = json!(9);
    rounded["savings_ratio"] = json!(0.67);
    let read: SerializedOutput = serde_json::from_str(&rounded.to_string()).unwrap();
    assert!((read.savings_ratio() - 0.67).abs() < f64::EPSILON);
}

#[test]
fn a_negative_time_is_refused() {
    check_refused("serialization_time_ms", &json!(-1), "a number of milliseconds from 0");
    let builder = SerializedOutput::builder("", SerializationFormat::CompactJson);
    assert!(builder.clone().time_ms(f64::NAN).build().is_err());
    assert!(builder.time_ms(f64::INFINITY).build().is_err());
}

#[test]
fn shares_are_from_0_to_1() {
    let read = |share: f64| {
        let text =
            json!({"token_method": "estimate", "compact_json_tokens": 1, "table_share": share});
        serde_json::from_str::<SerializationMetadata>(&text.to_string())
    };
    assert!(read(1.0).is_ok());
    assert!(read(1.5).unwrap_err().to_string().contains("a number from 0 to 1"));
    let metadata = || SerializationMetadata::new("estimate", 1).unwrap();
    assert_eq!(metadata().with_table_share(7.0).table_share(), Some(1.0));
    assert_eq!(metadata().with_table_share(f64::NAN).table_share(), Some(0.0));
    assert!(SerializationMetadata::new("", 1).is_err());
}

#[test]
fn an_error_shows_its_position_first() {
    let error = SerializationError::new("expected a quote");
    assert_eq!((error.line(), error.to_string()), (None, "expected a quote".to_owned()));
    let placed = error.at(2, 7);
    assert_eq!(placed.to_string(), "line 2, column 7: expected a quote");
    assert_eq!(placed.message(), "expected a quote");
}

//! Strict TOON is read or refused with its place, and what is read is written and read again as it was.

use serde_json::Value;
use tool_runtime::articulate::{Articulator, from_toon, to_toon};
use tool_runtime::contracts::articulate::{
    OutputSerializer, SerializationFormat, SerializationRequest,
};

pub(super) fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match from_toon::<Value>(text) {
        Ok(value) => reads_back(&value),
        Err(error) => assert!(error.line().is_some(), "{error}"),
    }
    if let Ok(value) = serde_json::from_str::<Value>(text) {
        reads_back(&value);
        chosen_reads_back(&value);
    }
}

fn reads_back(value: &Value) {
    // Wide tables and deep documents are written, but not read.
    let text = to_toon(value).expect("every value of JSON has a text");
    if let Ok(again) = from_toon::<Value>(&text) {
        assert!(same(value, &again), "{text}");
    }
}

fn chosen_reads_back(value: &Value) {
    let request = SerializationRequest::new(value);
    let output = Articulator::new().serialize(&request).expect("it is JSON");
    let (text, format) = (output.serialized_text(), output.format_used());
    if output.is_valid() || format == SerializationFormat::Toon {
        let again: Value = Articulator::new().deserialize(text, format).expect("it is valid");
        assert!(same(value, &again), "{text}");
    }
}

/// Returns whether two values are equal; TOON does not tell 1.0 from 1.
fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let equals = |(key, a): (&String, &Value)| b.get(key).is_some_and(|b| same(a, b));
            a.len() == b.len() && a.iter().all(equals)
        }
        _ => left == right,
    }
}

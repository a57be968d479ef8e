//! The serializer as a whole: choice, fallback, figures, and texts that do not read back.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Articulator, from_toon, to_toon};
use schemars::JsonSchema;
use serde_json::value::RawValue;
use tool_contracts::articulate::{
    OutputSerializer, SchemaComplexity, SerializationFormat, SerializationRequest, SerializedOutput,
};

const TOON: SerializationFormat = SerializationFormat::Toon;
const JSON: SerializationFormat = SerializationFormat::CompactJson;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Hit {
    id: u64,
    title: String,
    score: Option<f64>,
}

fn hits(count: u64) -> Vec<Hit> {
    let hit = |id| Hit { id, title: format!("Green tea, {id}: \"fine\""), score: Some(0.5) };
    (0..count).map(hit).collect()
}

fn serialize<T: Serialize>(request: &SerializationRequest<T>) -> SerializedOutput {
    Articulator::new().serialize(request).expect("the test's own data")
}

fn raw(json: &str) -> Box<RawValue> {
    RawValue::from_string(json.to_owned()).expect("the test's own JSON")
}

fn fallback(output: &SerializedOutput) -> Option<&str> {
    output.metadata()?.fallback()
}

#[test]
fn tables_become_toon_and_read_back_as_their_type() {
    let hits = hits(20);
    let output = serialize(&SerializationRequest::new(&hits));
    assert_eq!(
        (output.format_used(), output.schema_complexity()),
        (TOON, SchemaComplexity::Tabular)
    );
    assert!(output.is_valid() && fallback(&output).is_none());
    let compact = output.metadata().expect("always set").compact_json_tokens();
    assert!(output.optimized_tokens() < compact && compact <= output.original_tokens());
    let again: Vec<Hit> = Articulator::new().deserialize(output.serialized_text(), TOON).unwrap();
    assert_eq!(again, hits);
}

#[test]
fn short_tables_and_objects_stay_json() {
    for data in [json!(hits(5)), json!({"a": {"b": [1, 2]}}), json!("text"), json!(null)] {
        let output = serialize(&SerializationRequest::new(&data));
        assert_eq!((output.format_used(), output.is_valid()), (JSON, true), "{data}");
        assert_eq!(output.serialized_text(), data.to_string());
    }
}

#[test]
fn more_rows_count_as_a_table_where_the_host_says_so() {
    let data = SerializationRequest::new(hits(8));
    let strict = Articulator::new().table_rows(8);
    assert_eq!(strict.negotiate_format(&data), Ok(JSON));
    assert_eq!(Articulator::new().table_rows(7).negotiate_format(&data), Ok(TOON));
}

#[test]
fn a_required_format_is_kept() {
    let toon = serialize(&SerializationRequest::new(json!({"a": [1]})).with_format(TOON));
    assert_eq!((toon.serialized_text(), toon.format_used()), ("a[1]: 1", TOON));
    let json = serialize(&SerializationRequest::new(hits(9)).with_format(JSON));
    assert_eq!(json.format_used(), JSON);
}

#[test]
fn each_format_is_written_by_its_name_and_read_back() {
    let hits = hits(20);
    for format in SerializationFormat::ALL.iter().copied() {
        let output = serialize(&SerializationRequest::new(&hits).with_format(format));
        assert_eq!((output.format_used(), output.is_valid()), (format, true), "{format}");
        let again: Vec<Hit> =
            Articulator::new().deserialize(output.serialized_text(), format).unwrap();
        assert_eq!(again, hits, "{format}");
    }
}

#[test]
fn a_model_without_arrays_of_objects_is_json_by_its_schema_alone() {
    #[derive(Serialize, JsonSchema)]
    struct Names {
        names: Vec<String>,
    }
    let names = Names { names: vec!["a".to_owned(); 9] };
    let request = SerializationRequest::for_model(names);
    assert_eq!(Articulator::new().negotiate_format(&request), Ok(JSON));
    assert_eq!(
        Articulator::new().negotiate_format(&SerializationRequest::for_model(hits(9))),
        Ok(TOON)
    );
}

#[test]
fn raw_json_is_made_compact() {
    let output = serialize(&SerializationRequest::new(raw("{ \"a\" : [ 1 , 2 ] }")));
    assert_eq!(output.serialized_text(), r#"{"a":[1,2]}"#);
    assert!(output.is_valid());
}

#[test]
fn a_number_that_toon_cannot_keep_falls_back_to_json_and_says_so() {
    for number in ["123456789012345678901", "1e400", "0.1234567890123456789"] {
        let data = raw(&format!("[{number}]"));
        let output = serialize(&SerializationRequest::new(data).with_format(TOON));
        assert_eq!(output.format_used(), JSON, "{number}");
        assert!(fallback(&output).is_some_and(|reason| reason.contains("digits")), "{output:?}");
        assert_eq!(output.serialized_text(), format!("[{number}]"));
    }
}

#[test]
fn a_large_number_with_few_digits_is_kept() {
    let output = serialize(
        &SerializationRequest::new(raw("[100000000000000000000,-1e300]")).with_format(TOON),
    );
    assert_eq!((output.format_used(), output.is_valid()), (TOON, true));
}

#[test]
fn repeated_keys_are_kept_but_not_called_valid() {
    let data = raw(r#"{"a":1,"a":2}"#);
    let output = serialize(&SerializationRequest::new(data).with_format(TOON));
    assert_eq!((output.serialized_text(), output.format_used()), (r#"{"a":1,"a":2}"#, JSON));
    assert!(!output.is_valid() && fallback(&output).is_some());
}

#[test]
fn data_that_is_too_deep_is_returned_as_it_is() {
    let text = format!("{}1{}", "[".repeat(200), "]".repeat(200));
    let output = serialize(&SerializationRequest::new(raw(&text)));
    assert_eq!((output.serialized_text(), output.format_used()), (&*text, JSON));
    assert!(fallback(&output).is_some_and(|reason| reason.contains("126 levels")));
    assert_eq!(output.schema_complexity(), SchemaComplexity::Complex);
}

#[test]
fn a_text_is_not_called_valid_where_it_was_not_read_back() {
    let output = serialize(&SerializationRequest::new(hits(9)).with_validation(false));
    assert!(!output.is_valid() && fallback(&output).is_none());
    assert_eq!(output.format_used(), TOON);
}

#[test]
fn length_markers_are_always_written() {
    let request = SerializationRequest::new(hits(9)).with_length_markers(false);
    assert!(serialize(&request).serialized_text().starts_with("[9]{"));
}

#[test]
fn data_that_is_no_json_is_an_error_without_the_data() {
    struct Broken;
    impl Serialize for Broken {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("planted"))
        }
    }
    let error = Articulator::new().serialize(&SerializationRequest::new(Broken)).unwrap_err();
    assert_eq!(error.to_string(), "the data cannot be written as JSON");
}

#[track_caller]
fn check_refused(text: &str, position: Option<(u64, u64)>, expected: &str) {
    let error = Articulator::new().deserialize::<Value>(text, TOON).expect_err("refused");
    assert_eq!(error.line().zip(error.column()), position, "{error}");
    assert!(error.message().contains(expected), "{error}");
    assert!(!error.to_string().contains("planted"), "{error}");
}

#[test]
fn toon_is_read_strictly() {
    check_refused("[3]{a}:\n  1\n  2", Some((1, 1)), "header declares 3, found 2");
    check_refused("[1]{a}:\n  1\n  2", Some((1, 1)), "header declares 1, found 2");
    check_refused("planted: 1\nplanted: 2", Some((2, 1)), "duplicate key");
    check_refused("a:\n   planted: 1", Some((2, 4)), "expected");
    check_refused("a: \"planted\\q\"", Some((1, 12)), "invalid escape");
    check_refused("a: \"planted", Some((1, 4)), "");
    check_refused("[4000000000]:", Some((1, 1)), "");
}

#[test]
fn a_text_of_another_type_is_told_from_an_invalid_one() {
    let read = |text, format| Articulator::new().deserialize::<Vec<u8>>(text, format).unwrap_err();
    assert!(read("a: 1", TOON).message().contains("not of the expected type"));
    assert!(read(r#"{"a":1}"#, JSON).message().contains("not of the expected type"));
    let error = read("[1,", JSON);
    assert_eq!(
        (error.message(), error.line(), error.column()),
        ("expected a text in JSON", Some(1), Some(3))
    );
}

#[test]
fn raw_json_within_data_is_written_as_what_it_contains() {
    #[derive(Serialize)]
    struct Wrapper {
        raw: Box<RawValue>,
    }
    let wrapper = Wrapper { raw: raw(r#"{"a":[1,"x"]}"#) };
    assert_eq!(to_toon(&wrapper).as_deref(), Ok("raw:\n  a[2]: 1,x"));
    assert_eq!(from_toon::<Value>("raw:\n  a[2]: 1,x"), Ok(json!({"raw": {"a": [1, "x"]}})));
    let named = json!({"$serde_json::private::": 1});
    assert_eq!(from_toon::<Value>(&to_toon(&named).unwrap()), Ok(named));
}

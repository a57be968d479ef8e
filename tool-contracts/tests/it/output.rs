//! Reading the union.

use serde::Deserialize;
use serde_json::{Value, value::RawValue};
use tool_contracts::{
    ErrorCode, ToolError, ToolErrorDetail, ToolErrorMeta, ToolOutput, ToolResult, ToolResultMeta,
};

type Raw = ToolOutput<Box<RawValue>, Box<RawValue>>;

const OK: [&str; 4] = [
    r#""status":"ok""#,
    r#""input":{ "a": 1.50 }"#,
    r#""data":[1,  2]"#,
    r#""meta":{"took_ms":7,"cache_hit":true}"#,
];
const ERROR: [&str; 4] = [
    r#""status":"error""#,
    r#""input": null"#,
    r#""error":{"type":"TIMEOUT","message":"late"}"#,
    r#""meta":{"took_ms":7,"attempts":2}"#,
];

fn object(fields: &[&str]) -> String {
    format!("{{{}}}", fields.join(","))
}

fn orders(fields: [&str; 4]) -> impl Iterator<Item = String> {
    let all = (0..4).flat_map(|a| (0..4).flat_map(move |b| (0..4).map(move |c| [a, b, c])));
    let distinct = all.filter(|[a, b, c]| a != b && b != c && a != c);
    distinct.map(move |[a, b, c]| object(&[fields[a], fields[b], fields[c], fields[6 - a - b - c]]))
}

#[track_caller]
fn check_refused(text: &str, start: &str) {
    let message = serde_json::from_str::<Raw>(text).unwrap_err().to_string();
    assert!(message.starts_with(start), "{message}");
}

#[test]
fn raw_values_keep_their_bytes_in_any_order() {
    assert_eq!(orders(OK).count(), 24);
    for text in orders(OK) {
        let output: Raw = serde_json::from_str(&text).unwrap();
        let result = output.as_result().unwrap();
        assert_eq!(result.input().get(), r#"{ "a": 1.50 }"#);
        assert_eq!(result.data().get(), "[1,  2]");
        assert_eq!(result.meta(), &ToolResultMeta::new(7).with_cache_hit(true));
    }
}

#[test]
fn errors_are_read_in_any_order() {
    for text in orders(ERROR) {
        let output: Raw = serde_json::from_str(&text).unwrap();
        assert_eq!(output.status(), "error");
        let error = output.into_result().unwrap_err();
        assert_eq!(error.input().get(), "null");
        assert_eq!(error.error().message(), "late");
        assert_eq!(error.meta(), &ToolErrorMeta::new(7).with_attempts(2));
    }
}

#[test]
fn borrowed_raw_values_point_into_the_text() {
    let text = object(&OK);
    let output: ToolOutput<&RawValue, &RawValue> = serde_json::from_str(&text).unwrap();
    let inside = text.as_bytes().as_ptr_range();
    assert!(inside.contains(&output.input().get().as_ptr()));
}

#[test]
fn bytes_readers_and_values_are_read_too() {
    let text = object(&OK);
    assert!(serde_json::from_slice::<Raw>(text.as_bytes()).unwrap().is_ok());
    assert!(serde_json::from_reader::<_, Raw>(text.as_bytes()).unwrap().is_ok());
    let value: Value = serde_json::from_str(&text).unwrap();
    assert!(serde_json::from_value::<ToolOutput<Value, Value>>(value).unwrap().is_ok());
}

#[test]
fn an_unknown_status_is_refused_with_the_admitted_ones() {
    for status in [r#""maybe""#, "1", "true", "[]", r#""OK""#] {
        check_refused(
            &format!(r#"{{"status":{status}}}"#),
            "`status`: expected one of `ok`, `error`",
        );
    }
    check_refused(r#"{"status":null}"#, "`status`: missing");
}

#[test]
fn a_missing_field_is_named() {
    for (fields, names) in
        [(OK, ["status", "input", "data", "meta"]), (ERROR, ["status", "input", "error", "meta"])]
    {
        for (at, name) in names.iter().enumerate() {
            let mut left = fields.to_vec();
            left.remove(at);
            check_refused(&object(&left), &format!("`{name}`: missing"));
        }
    }
}

#[test]
fn a_field_given_twice_is_named() {
    for (fields, names) in
        [(OK, ["status", "input", "data", "meta"]), (ERROR, ["status", "input", "error", "meta"])]
    {
        for (at, name) in names.iter().enumerate() {
            let mut twice = fields.to_vec();
            twice.push(fields[at]);
            check_refused(&object(&twice), &format!("`{name}`: given twice"));
        }
    }
}

#[test]
fn a_field_of_the_other_kind_is_refused() {
    check_refused(&object(&[OK[0], OK[1], OK[2], OK[3], ERROR[2]]), "`error`: not allowed");
    check_refused(&object(&[ERROR[0], ERROR[1], ERROR[2], ERROR[3], OK[2]]), "`data`: not allowed");
    check_refused(r#"{"status":"ok","result":1}"#, "`result`: unknown field");
}

#[test]
fn the_meta_follows_the_status_wherever_it_stands() {
    let wrong = OK[3];
    let early = object(&[ERROR[0], ERROR[1], ERROR[2], wrong]);
    let late = object(&[wrong, ERROR[1], ERROR[2], ERROR[0]]);
    for text in [early, late] {
        check_refused(&text, "`meta`: `cache_hit`: unknown field");
    }
    let null = r#"{"meta":{"took_ms":1,"cache_hit":null},"input":1,"error":{"type":"FATAL","message":"m"},"status":"error"}"#;
    check_refused(null, "`meta`: `cache_hit`: unknown field");
    let twice = r#"{"meta":{"took_ms":1,"took_ms":2},"input":1,"data":1,"status":"ok"}"#;
    check_refused(twice, "`meta`: `took_ms`: given twice");
}

#[derive(Debug, PartialEq, Deserialize)]
struct Query {
    limit: u32,
}

#[test]
fn the_field_of_a_wrong_type_is_named() {
    let read = |text: &str| serde_json::from_str::<ToolOutput<Query, Query>>(text);
    let text = r#"{"status":"ok","input":{"limit":"7"},"data":{"limit":7},"meta":{"took_ms":1}}"#;
    let error = read(text).unwrap_err();
    assert!(error.to_string().starts_with("`input`: expected u32 at line 1 column 3"), "{error}");
    let text = r#"{"status":"ok","input":{"limit":7},"data":{"limt":7},"meta":{"took_ms":1}}"#;
    let error = read(text).unwrap_err();
    assert!(error.to_string().starts_with("`data`: missing field `limit`"), "{error}");
    let text = r#"{"status":"ok","input":{"limit":7},"data":{"limit":7},"meta":{"took_ms":"1"}}"#;
    let error = read(text).unwrap_err();
    assert!(error.to_string().starts_with("`meta`: `took_ms`: expected a whole"), "{error}");
    let text = r#"{"status":"error","input":{"limit":7},"error":{"type":"BAD","message":"m"}}"#;
    let error = read(text).unwrap_err();
    assert!(
        error.to_string().starts_with("`error`: `type`: expected one of `RATE_LIMIT`"),
        "{error}"
    );
}

#[test]
fn broken_json_stays_a_syntax_error() {
    let text = object(&OK);
    for end in 1..text.len() {
        let error = serde_json::from_str::<Raw>(&text[..end]).unwrap_err();
        assert!(!error.is_data(), "{error}");
    }
    for value in ["]", "nulx", "-x", "1e999", r#""\q""#] {
        let broken =
            format!(r#"{{"status":"ok","input":1,"data":2,"meta":{{"took_ms":{value}}}}}"#);
        let error = serde_json::from_str::<Raw>(&broken).unwrap_err();
        assert!(error.is_syntax(), "{error}");
    }
}

#[test]
fn no_other_shape_is_an_output() {
    for text in ["[]", "7", r#""ok""#, "null", "true"] {
        let message = serde_json::from_str::<Raw>(text).unwrap_err().to_string();
        assert!(message.contains("expected a tool's output"), "{message}");
    }
}

#[test]
fn an_optional_output_is_still_required() {
    type Output = ToolOutput<Value, Option<u32>>;
    let read = serde_json::from_str::<Output>;
    let null = r#"{"status":"ok","input":1,"data":null,"meta":{"took_ms":1}}"#;
    assert_eq!(read(null).unwrap().data(), Some(&None));
    let absent = r#"{"status":"ok","input":1,"meta":{"took_ms":1}}"#;
    assert!(read(absent).unwrap_err().to_string().starts_with("`data`: missing"));
    let unit = serde_json::from_str::<ToolOutput<Value, ()>>(null).unwrap();
    assert_eq!(serde_json::to_string(&unit).unwrap(), null);
}

#[test]
fn both_states_turn_into_the_union() {
    let ok: ToolOutput<u8, u8> = ToolResult::new(1, 2, ToolResultMeta::new(3)).into();
    assert_eq!((ok.status(), ok.input(), ok.data(), ok.took_ms()), ("ok", &1, Some(&2), 3));
    assert!(ok.error().is_none());
    let detail = ToolErrorDetail::from_code(ErrorCode::Internal, "m").build();
    let error: ToolOutput<u8, u8> = ToolError::new(1, detail, ToolErrorMeta::new(4)).into();
    assert_eq!((error.status(), error.data(), error.took_ms()), ("error", None, 4));
    assert!(error.as_result().is_err() && !error.is_ok());
}

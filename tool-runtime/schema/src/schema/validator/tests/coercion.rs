//! The rows of the `Coerce` table, and values that no row covers.

use serde_json::json;

use super::{Coerce, coerces, report};

#[test]
fn strings_that_hold_one_value_become_it() {
    coerces(json!({"type": "integer"}), r#""5""#, Ok("5"));
    coerces(json!({"type": "integer"}), r#""-2""#, Ok("-2"));
    coerces(json!({"type": "integer"}), r#""1.0""#, Ok("1"));
    coerces(json!({"type": "integer"}), r#""\u0035""#, Ok("5"));
    coerces(json!({"type": "number"}), r#""2.5""#, Ok("2.5"));
    coerces(json!({"type": "number"}), r#""1e3""#, Ok("1e3"));
    coerces(json!({"type": "boolean"}), r#""true""#, Ok("true"));
    coerces(json!({"type": "boolean"}), r#""false""#, Ok("false"));
    coerces(json!({"type": "array"}), r#""[1, \"x\"]""#, Ok(r#"[1, "x"]"#));
    coerces(json!({"type": "object"}), r#""{\"a\": 1}""#, Ok(r#"{"a": 1}"#));
    coerces(json!({"type": ["integer", "null"]}), r#""5""#, Ok("5"));
}

#[test]
fn numbers_become_strings_as_written() {
    coerces(json!({"type": "string"}), "5", Ok(r#""5""#));
    coerces(json!({"type": "string"}), "2.50", Ok(r#""2.50""#));
    coerces(json!({"type": "string"}), "18446744073709551616", Ok(r#""18446744073709551616""#));
    coerces(json!({"type": "string", "maxLength": 1}), "55", Err(&["maxLength", "type"]));
}

#[test]
fn null_leaves_out_what_may_be_absent() {
    let schema = json!({
        "properties": {"a": {"type": "string"}, "b": {"type": "integer"}, "c": true},
        "required": ["b"],
    });
    let rows = [
        (r#"{"a": null, "b": 1}"#, r#"{"b": 1}"#),
        (r#"{"b": 1, "a": null}"#, r#"{"b": 1}"#),
        (r#"{"b": 1 , "a" : null , "c": null}"#, r#"{"b": 1 , "c": null}"#),
        (r#"{"b": "1", "a": null}"#, r#"{"b": 1}"#),
    ];
    for (sent, becomes) in rows {
        let found = report(&schema, sent, Coerce::Lossless);
        assert_eq!(found.coerced.as_deref(), Some(becomes), "{:?}", found.violations);
    }
    let found = report(&schema, r#"{"b": null}"#, Coerce::Lossless);
    assert_eq!(found.violations[0].pointer(), "/b");
    let all = json!({"properties": {"a": {"type": "string"}, "b": {"type": "string"}}});
    let found = report(&all, r#"{"a": null, "b": null}"#, Coerce::Lossless);
    assert_eq!(found.coerced.as_deref(), Some("{}"));
    assert_eq!((found.coercions[1].pointer(), found.coercions[1].to()), ("/b", "absent"));
    let counted = json!({"properties": {"a": {"type": "string"}}, "minProperties": 1});
    assert!(!report(&counted, r#"{"a": null}"#, Coerce::Lossless).is_admitted());
    let map = json!({"additionalProperties": {"type": "string"}});
    assert!(!report(&map, r#"{"a": null}"#, Coerce::Lossless).is_admitted());
}

#[test]
fn a_value_that_no_row_covers_stays_refused() {
    let integer = || json!({"type": "integer"});
    for text in [
        r#"" 5""#,
        r#""5 ""#,
        r#""05""#,
        r#""+5""#,
        r#""5x""#,
        r#""""#,
        r#""five""#,
        r#""1.5""#,
        r#""0x5""#,
        r#""1_000""#,
        r#""null""#,
        r#""NaN""#,
        "true",
        "[5]",
        "null",
        r#""[5]""#,
        r#""\"5\"""#,
        r#""99999999999999999999""#,
    ] {
        let schema = json!({"properties": {"v": integer()}, "required": ["v"]});
        let found = report(&schema, &format!("{{\"v\":{text}}}"), Coerce::Lossless);
        assert!(!found.is_admitted(), "{text}");
    }
    coerces(json!({"type": "boolean"}), r#""True""#, Err(&["type"]));
    coerces(json!({"type": "boolean"}), r#""yes""#, Err(&["type"]));
    coerces(json!({"type": "boolean"}), "1", Err(&["type"]));
    coerces(json!({"type": "string"}), "true", Err(&["type"]));
    coerces(json!({"type": "string"}), "[]", Err(&["type"]));
    coerces(json!({"type": "array"}), "1", Err(&["type"]));
    coerces(json!({"type": "array"}), r#""1, 2""#, Err(&["type"]));
    coerces(json!({"type": "array"}), r#"" [1]""#, Err(&["type"]));
    coerces(json!({"type": "object"}), r#""{\"a\": 1, \"a\": 2}""#, Err(&["type"]));
    coerces(json!({"type": "object"}), "[]", Err(&["type"]));
    coerces(json!({"type": "null"}), r#""null""#, Err(&["type"]));
    coerces(json!({"type": "number"}), r#""9007199254740993""#, Err(&["precision", "type"]));
}

#[test]
fn nothing_becomes_a_value_that_is_then_refused() {
    coerces(json!({"type": "integer", "maximum": 4}), r#""5""#, Err(&["maximum", "type"]));
    coerces(json!({"type": "integer", "enum": [1, 2]}), r#""5""#, Err(&["enum", "type"]));
    coerces(json!({"enum": [5]}), r#""5""#, Err(&["enum"]));
    // Two contradicting rules for one value.
    let both = json!({"allOf": [{"type": "integer"}, {"minLength": 1, "type": "string"}]});
    coerces(both, r#""5""#, Err(&["type"]));
    let unique = json!({"type": "array", "items": {"type": "string"}, "uniqueItems": true});
    coerces(unique, r#"["1", 1]"#, Err(&["type"]));
}

#[test]
fn a_value_inside_a_string_is_coerced_likewise() {
    let schema = json!({"type": "array", "items": {
        "type": "object",
        "properties": {"n": {"type": "integer"}, "s": {"type": "string"}},
        "additionalProperties": false,
    }});
    let sent = r#""[{\"n\": \"1\", \"s\": 2}, \"{\\\"n\\\": 3.0}\"]""#;
    coerces(schema.clone(), sent, Ok(r#"[{"n": 1, "s": "2"}, {"n": 3}]"#));
    let root = json!({"properties": {"v": schema.clone()}});
    let found = report(&root, &format!("{{\"v\":{sent}}}"), Coerce::Lossless);
    let receipts: Vec<_> = found
        .coercions
        .iter()
        .map(|c| format!("{} {}→{}", c.pointer(), c.from(), c.to()))
        .collect();
    let expected = [
        "/v string→array",
        "/v/0/n string→integer",
        "/v/0/s integer→string",
        "/v/1 string→object",
        "/v/1/n number→integer",
    ];
    assert_eq!(receipts, expected);
    let found = report(&root, r#"{"v": "[{\"m\": 1}]"}"#, Coerce::Lossless);
    assert_eq!(found.violations[0].pointer(), "/v/0/m");
}

#[test]
fn a_choice_is_coerced_only_if_one_branch_fits() {
    let choice = json!({"anyOf": [{"type": "integer"}, {"type": "boolean"}]});
    coerces(choice.clone(), r#""5""#, Ok("5"));
    coerces(choice, r#""true""#, Ok("true"));
    let both = json!({"anyOf": [{"type": "integer"}, {"type": "number", "minimum": 0}]});
    coerces(both, r#""5""#, Err(&["type"]));
    let string = json!({"anyOf": [{"type": "integer"}, {"type": "string"}]});
    let found = report(&json!({"properties": {"v": string}}), r#"{"v": "5"}"#, Coerce::Lossless);
    assert_eq!((found.is_admitted(), found.coerced), (true, None));
    let optional = json!({"anyOf": [
        {"type": "object", "properties": {"n": {"type": "integer"}}},
        {"type": "null"},
    ]});
    coerces(optional.clone(), r#"{"n": "5"}"#, Ok(r#"{"n": 5}"#));
    coerces(optional, r#""{\"n\": 5}""#, Ok(r#"{"n": 5}"#));
}

#[test]
fn off_reads_whole_numbers_and_nothing_else() {
    for (schema, text) in [("integer", "\"5\""), ("string", "5"), ("array", "\"[]\"")] {
        let found = report(&json!({"type": schema}), text, Coerce::Off);
        assert_eq!(found.violations.len(), 1);
        assert_eq!(found.violations[0].rule(), "type");
    }
}

#[test]
fn nothing_is_reported_as_coerced_beside_a_violation() {
    let schema = json!({"properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}});
    let found = report(&schema, r#"{"a": "1", "b": "x"}"#, Coerce::Lossless);
    assert_eq!(found.violations.len(), 1);
    assert_eq!((found.coerced, found.coercions.len()), (None, 0));
}

//! Adversarial texts and schemas: bounded time, memory and stack, and no panic.

use serde_json::{Value, json};

use super::{Coerce, ValidationReport, Validator};
use crate::limits::Limits;

fn roomy() -> Limits {
    Limits::new().with_max_bytes(1 << 20).with_max_string_bytes(1 << 20).with_max_depth(127)
}

fn run(schema: &Value, text: &str) -> ValidationReport {
    Validator::compile(schema).unwrap().check(text, &roomy(), Coerce::Lossless)
}

fn array(item: &str, count: usize) -> String {
    format!("[{}]", vec![item; count].join(","))
}

#[test]
fn long_lists_cost_in_proportion() {
    let integers = json!({"items": {"type": "integer"}});
    let many = 100_000;
    let listed = ValidationReport::MAX_LISTED + 1;
    assert_eq!(run(&integers, &array("1.0", many)).coercions.len(), listed);
    assert_eq!(run(&integers, &array("\"5\"", many)).coercions.len(), listed);
    assert_eq!(
        run(&integers, &array("\"x\"", many)).violations.len(),
        ValidationReport::MAX_LISTED
    );
    let lists = json!({"items": {"type": "array"}});
    assert_eq!(run(&lists, &array("\"[]\"", many)).coercions.len(), listed);
    let unique = json!({"uniqueItems": true});
    let distinct: Vec<_> = (0..50_000).map(|n| format!("{{\"{n}\":{n}}}")).collect();
    assert!(run(&unique, &format!("[{}]", distinct.join(","))).is_admitted());
    let names: Vec<_> = (0..60_000).map(|n| format!("\"{n}\":null")).collect();
    let object = format!("{{{}}}", names.join(","));
    assert!(run(&unique, &object).is_admitted());
    let closed = json!({"properties": {"a": true}, "additionalProperties": false});
    assert_eq!(run(&closed, &object).violations.len(), ValidationReport::MAX_LISTED);
    let twice = format!("[{object}]");
    assert!(
        run(&json!({"items": {"unevaluatedProperties": {"type": "null"}}}), &twice).is_admitted()
    );
    assert!(run(&json!({"items": {"propertyNames": {"maxLength": 9}}}), &twice).is_admitted());
}

#[test]
fn huge_numbers_cost_in_proportion() {
    let long = "9".repeat(500_000);
    for text in [long.clone(), format!("0.{long}"), format!("1e{long}"), format!("-1e-{long}")] {
        for schema in [json!(true), json!({"type": "integer"}), json!({"type": "number"})] {
            assert!(!run(&schema, &text).is_admitted());
        }
        assert!(run(&json!({"type": "string"}), &text).is_admitted());
    }
    assert!(run(&json!({"type": "integer"}), &format!("0e{long}")).is_admitted());
}

#[test]
fn choices_within_choices_do_not_multiply() {
    for rule in ["anyOf", "oneOf"] {
        let branch = |extra: &str| {
            json!({"type": "object", "properties": {
                "next": {"$ref": "#/$defs/node"}, "n": {"type": "integer"}, extra: {"type": "null"},
            }})
        };
        let schema = json!({
            "$defs": {"node": {rule: [branch("a"), branch("b"), branch("c"), {"type": "null"}]}},
            "$ref": "#/$defs/node",
        });
        for leaf in ["{\"n\": true}", "{\"n\": \"5\"}", "{\"n\": 5}", "{}"] {
            let text = "{\"next\":".repeat(100) + leaf + &"}".repeat(100);
            let report = run(&schema, &text);
            // Every branch takes the rest: one of them is enough, but not exactly one.
            let fits = leaf != "{\"n\": true}";
            assert_eq!(report.is_admitted(), fits && rule == "anyOf" && !leaf.contains("\"5\""));
        }
    }
}

#[test]
fn strings_in_strings_do_not_multiply() {
    let schema = json!({
        "$defs": {"node": {"anyOf": [
            {"type": "array", "items": {"$ref": "#/$defs/node"}, "maxItems": 2},
            {"type": "array", "items": {"$ref": "#/$defs/node"}, "minItems": 1},
            {"type": "boolean"},
        ]}},
        "$ref": "#/$defs/node",
    });
    let nested = (0..16).fold("0".to_owned(), |inner, _| format!("[{}]", json!(inner)));
    let report = run(&schema, &nested);
    assert!(!report.is_admitted());
}

#[test]
fn the_stack_is_bounded() {
    let chain = (0..50)
        .fold(json!({"properties": {"a": {"$ref": "#"}}}), |inner, _| json!({"allOf": [inner]}));
    let text = "{\"a\":".repeat(126) + "1" + &"}".repeat(126);
    let report = run(&chain, &text);
    assert_eq!(report.violations[0].rule(), "depth");
    let plain = json!({"properties": {"a": {"$ref": "#"}}, "allOf": [{"anyOf": [{"type": ["object", "integer"]}]}]});
    assert!(run(&plain, &text).is_admitted());
    let deep = "[".repeat(126) + &"]".repeat(126);
    assert!(run(&json!({"uniqueItems": true, "items": {"$ref": "#"}}), &deep).is_admitted());
    let endless = (0..100).fold(json!({"type": "null"}), |inner, _| json!({"not": inner}));
    assert!(Validator::compile(&endless).is_err());
}

#[test]
fn no_text_makes_it_panic() {
    let schema = json!({
        "type": "object",
        "properties": {
            "s": {"type": "string", "minLength": 1, "pattern": "[a-z]", "x-sensitivity": "secret"},
            "i": {"type": "integer", "minimum": 0, "multipleOf": 2},
            "n": {"type": "number"},
            "l": {"type": "array", "items": {"$ref": "#"}, "uniqueItems": true},
            "c": {"oneOf": [{"type": "string", "enum": ["a"]}, {"type": "object", "properties": {"x": {"const": 1}}}]},
        },
        "additionalProperties": false,
    });
    let validator = Validator::compile(&schema).unwrap();
    let seeds = [
        r#"{"s": "a\ud83d\ude00", "i": "12", "n": 1.5e3, "l": [{"i": -4.0}, "{\"n\": 1}"], "c": {"x": 1}}"#,
        r#"{"c": "{\"x\": \"1\"}", "l": "[{\"s\": null}]", "i": 1e2, "zz": [1, {}, "\\"]}"#,
    ];
    let tokens =
        ["\"", "\\", "\\u", "{", "}", "[", "]", ",", ":", "-", "1e9", ".", "é", "\u{1}", "null"];
    let mut random = 0x9E37_79B9_7F4A_7C15_u64;
    let mut below = |bound: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        usize::try_from(random >> 33).unwrap() % bound
    };
    for round in 0..10_000 {
        let mut text: Vec<char> = seeds[round % 2].chars().collect();
        for _ in 0..=below(4) {
            let at = below(text.len() + 1);
            match below(3) {
                0 => text.truncate(at),
                1 if at < text.len() => drop(text.remove(at)),
                _ => drop(text.splice(at..at, tokens[below(tokens.len())].chars())),
            }
        }
        let text: String = text.into_iter().collect();
        let report = validator.check(&text, &Limits::new(), Coerce::Lossless);
        let _ = validator.violation_at(&text, below(text.len() + 2), &Limits::new());
        if let Some(coerced) = &report.coerced {
            assert!(validator.check(coerced, &Limits::new(), Coerce::Off).is_admitted(), "{text}");
        }
        for read in report.coerced.iter().chain(&report.masked) {
            assert!(serde_json::from_str::<Value>(read).is_ok(), "{text}\n{read}");
        }
    }
}

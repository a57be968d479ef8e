//! Precision and bounds of numbers.

use serde_json::{Value, json};

use super::{Coerce, check, report};

#[track_caller]
fn keeps(schema: Value, kept: &[&str], lost: &[&str]) {
    for text in kept {
        let found = report(&schema, text, Coerce::Off);
        assert!(found.is_admitted(), "{schema} {text} {:?}", found.violations);
    }
    for text in lost {
        check(&schema, text, &["precision "]);
    }
}

#[test]
fn a_double_keeps_what_it_prints_back() {
    let kept = [
        "0",
        "-0",
        "0.0",
        "0e999999999",
        "0.1",
        "3.14",
        "-2.50",
        "1e22",
        "1e23",
        "1.0e2",
        "1e308",
        "9007199254740992",
        "9007199254740994",
        "1152921504606846976",
        "0.30000000000000004",
        "1.7976931348623157e308",
        "5e-324",
        "0.10000000000000001",
        "12345.6789e-5",
    ];
    let lost = [
        "9007199254740993",
        "-9007199254740993",
        "1e400",
        "-1e400",
        "1e-400",
        "1e999999999",
        "1e-999999999",
        "3.14159265358979323846",
        "0.1234567890123456789",
        "123456789.123456789e-5",
        "18446744073709551615",
    ];
    keeps(json!({"type": "number"}), &kept, &lost);
    keeps(json!({"type": "number", "format": "double"}), &kept, &lost);
}

#[test]
fn a_float_keeps_what_every_language_prints_of_it() {
    let schema = json!({"type": "number"});
    for power in -1074..1024 {
        for read in [2f64.powi(power), -3.0 * 2f64.powi(power - 2)] {
            keeps(schema.clone(), &[&format!("{read}"), &format!("{read:e}")], &[]);
        }
    }
    let schema = json!({"type": "number", "format": "float"});
    for power in -149..128 {
        let read = 2f32.powi(power);
        keeps(schema.clone(), &[&format!("{read}"), &format!("{read:e}")], &[]);
    }
}

#[test]
fn a_single_keeps_fewer() {
    let schema = json!({"type": "number", "format": "float"});
    let kept = ["0", "0.1", "3.14", "16777216", "16777218", "1e10", "3.4028235e38"];
    keeps(schema, &kept, &["16777217", "3.14159265", "1e39", "1e-50", "0.123456789"]);
}

#[test]
fn an_integer_keeps_its_range() {
    let kept = ["0", "-9223372036854775808", "18446744073709551615", "9007199254740993"];
    let lost = ["18446744073709551616", "-9223372036854775809", "1e20", "1e999999999"];
    keeps(json!({"type": "integer"}), &kept, &lost);
    let rows: [(&str, &[&str], &[&str]); 9] = [
        ("uint8", &["0", "255", "2.55e2"], &["256", "-1", "1e3"]),
        ("int8", &["-128", "127"], &["-129", "128"]),
        ("int16", &["-32768", "32767"], &["32768"]),
        ("uint32", &["4294967295"], &["4294967296", "-1"]),
        ("int32", &["-2147483648"], &["2147483648"]),
        ("int64", &["-9223372036854775808"], &["9223372036854775808"]),
        ("uint64", &["18446744073709551615"], &["18446744073709551616", "-1"]),
        (
            "uint128",
            &["340282366920938463463374607431768211455"],
            &["340282366920938463463374607431768211456"],
        ),
        (
            "int128",
            &["-170141183460469231731687303715884105728"],
            &["170141183460469231731687303715884105728"],
        ),
    ];
    for (format, kept, lost) in rows {
        keeps(json!({"type": "integer", "format": format}), kept, lost);
    }
}

#[test]
fn untyped_numbers_are_integers_or_doubles() {
    let kept = ["18446744073709551615", "9007199254740993", "0.1", "1e20", "1.0"];
    let lost = ["18446744073709551616", "9007199254740993.0", "1e400", "1e-400"];
    keeps(json!({}), &kept, &lost);
    keeps(json!({"type": ["integer", "number"]}), &kept, &lost);
    keeps(json!({"type": "number", "format": "int64"}), &kept, &lost);
    check(&json!({"type": "object"}), r#"{"a": {"b": [1e400]}}"#, &["precision /a/b/0"]);
    let choice = json!({"anyOf": [{"type": "integer"}, {"type": "null"}]});
    keeps(choice, &["9007199254740993"], &["18446744073709551616"]);
}

#[test]
fn lost_digits_turn_no_rule_around() {
    let wide = "9007199254740993";
    check(&json!({"not": {"type": "number"}}), wide, &["not "]);
    let schema = json!({"if": {"type": "number"}, "then": {"maximum": 1}});
    check(&schema, wide, &["maximum "]);
    check(&json!({"oneOf": [{"type": "number"}, {"type": "integer"}]}), wide, &["oneOf "]);
    check(&json!({"anyOf": [{"type": "number"}, {"type": "integer"}]}), wide, &[]);
    let schema = json!({"contains": {"type": "number"}, "maxContains": 0, "minContains": 0});
    check(&schema, "[9007199254740993]", &["maxContains "]);
    let nested = json!({"anyOf": [
        {"oneOf": [{"type": "number", "minimum": 0}, {"type": "number", "maximum": 0}]},
        {"type": "number", "maximum": 1},
    ]});
    check(&nested, wide, &["anyOf "]);
}

#[test]
fn whole_numbers_in_any_spelling_are_integers() {
    let rows = [
        ("1.0", "1"),
        ("1e0", "1"),
        ("-0", "0"),
        ("-0.0", "0"),
        ("1.0e2", "100"),
        ("-2500E-2", "-25"),
        ("1e19", "10000000000000000000"),
        ("0e999999999", "0"),
    ];
    for (sent, plain) in rows {
        for coerce in [Coerce::Off, Coerce::Lossless] {
            let found = report(&json!({"type": "integer"}), sent, coerce);
            assert_eq!(found.coerced.as_deref(), Some(plain), "{sent}");
            let [receipt] = &*found.coercions else { panic!("{sent}") };
            assert_eq!((receipt.from(), receipt.to()), ("number", "integer"));
        }
    }
    for text in ["1.5", "1e-1", "0.1e0"] {
        check(&json!({"type": "integer"}), text, &["type "]);
    }
    let found = report(&json!({"type": "number"}), "1.0", Coerce::Lossless);
    assert_eq!((found.coerced, found.coercions.len()), (None, 0));
}

#[test]
fn bounds_are_exact() {
    let schema = json!({"minimum": 1, "maximum": 2.5});
    check(&schema, "1", &[]);
    check(&schema, "2.5", &[]);
    check(&schema, "0.999", &["minimum "]);
    check(&schema, "25.1e-1", &["maximum "]);
    let schema = json!({"exclusiveMinimum": 1, "exclusiveMaximum": 2});
    check(&schema, "1.5", &[]);
    check(&schema, "1", &["exclusiveMinimum "]);
    check(&schema, "2.0", &["exclusiveMaximum "]);
    let old = json!({"minimum": 1, "exclusiveMinimum": true});
    check(&old, "1", &["exclusiveMinimum "]);
    let schema = json!({"type": "integer", "maximum": 9_007_199_254_740_992_u64});
    check(&schema, "9007199254740992", &[]);
    check(&schema, "9007199254740993", &["maximum "]);
    let schema = json!({"type": "integer", "maximum": u64::MAX, "minimum": i64::MIN});
    check(&schema, "18446744073709551615", &[]);
    check(&schema, "-9223372036854775808", &[]);
    check(&json!({"type": "number", "minimum": 1e25}), "1e25", &[]);
    check(&json!({"type": "number", "maximum": 1e300}), "1.5e300", &["maximum "]);
}

#[test]
fn steps_are_decimal() {
    let tenths = json!({"multipleOf": 0.1});
    for text in ["0.3", "0", "-0.7", "1e20", "12.5", "1e300"] {
        check(&tenths, text, &[]);
    }
    check(&tenths, "0.35", &["multipleOf "]);
    check(&json!({"multipleOf": 3}), "1e2", &["multipleOf "]);
    check(&json!({"multipleOf": 3}), "111e20", &[]);
    check(&json!({"multipleOf": 1e30}), "1", &["multipleOf "]);
    check(&json!({"multipleOf": 1e-30}), "1", &[]);
}

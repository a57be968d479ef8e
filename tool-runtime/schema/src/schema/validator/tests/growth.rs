//! Linear cost for adversarial texts.

use std::fmt::Write as _;

use serde_json::json;

use super::shapes::{grows_in_proportion, items, members, roomy, shapes};
use super::{Coerce, ValidationReport, Validator};
use crate::limits::Limits;
use crate::test_cost;

#[test]
fn a_check_of_hostile_arguments_costs_in_proportion_to_their_length() {
    for (name, schema, text) in shapes() {
        let validator = Validator::compile(&schema).unwrap();
        for coerce in [Coerce::Off, Coerce::Lossless] {
            grows_in_proportion(name, |count| {
                let text = text(count);
                let (report, steps) =
                    test_cost::measure(|| validator.check(&text, &roomy(), coerce));
                assert!(report.violations.len() <= ValidationReport::MAX_LISTED, "{name}");
                assert!(steps < 300 * text.len() as u64 + 200_000, "{name}: {steps} steps");
                steps
            });
        }
    }
}

#[test]
fn schemas_that_one_value_reaches_on_many_ways_are_applied_once() {
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let fan = |level: usize| {
            let next = json!({"$ref": format!("#/$defs/L{}", level + 1)});
            json!({ keyword: [next, next] })
        };
        let mut named: serde_json::Map<_, _> =
            (0..30).map(|level| (format!("L{level}"), fan(level))).collect();
        named.insert("L30".to_owned(), json!({"minimum": 1}));
        let schema = json!({"$ref": "#/$defs/L0", "$defs": named});
        let validator = Validator::compile(&schema).unwrap();
        for text in ["5", "0"] {
            let check = || validator.check(text, &Limits::new(), Coerce::Off);
            let (report, steps) = test_cost::measure(check);
            assert!(steps < 100_000, "{keyword} {text} {steps}");
            // Both branches of each `oneOf` match, or none does.
            assert_eq!(report.is_admitted(), text == "5" && keyword != "oneOf", "{keyword} {text}");
        }
    }
}

#[test]
fn repeated_names_are_counted_and_answered_once() {
    let validator = Validator::compile(&json!({"properties": {"k": {"type": "string"}}})).unwrap();
    let report = validator.check(r#"{"k":1,"k":1,"x":1,"k":1,"x":2}"#, &roomy(), Coerce::Off);
    let found: Vec<_> =
        report.violations.iter().map(|v| (v.pointer(), v.rule(), v.hint())).collect();
    let times = Some("the property occurs 3 times");
    assert_eq!(found, [("/k", "duplicate", times), ("/x", "duplicate", None)]);
    let pairs = members(1_000, |n| format!("\"x{}\":1", n / 2));
    let report = validator.check(&pairs, &roomy(), Coerce::Off);
    assert_eq!(report.violations.len(), ValidationReport::MAX_LISTED);
    let last = report.violations[ValidationReport::MAX_LISTED - 1].hint();
    assert_eq!(last, Some("there are more: only the first 64 are listed"));
}

#[test]
fn a_pattern_is_not_matched_against_a_string_that_is_too_long() {
    let schema = json!({"type": "string", "maxLength": 100, "pattern": "^(a|b|ab)*c$"});
    let validator = Validator::compile(&schema).unwrap();
    let text = format!("\"{}\"", "ab".repeat(100_000));
    let (report, steps) = test_cost::measure(|| validator.check(&text, &roomy(), Coerce::Off));
    let rules: Vec<_> = report.violations.iter().map(tool_contracts::Violation::rule).collect();
    assert_eq!(rules, ["maxLength"]);
    assert!(steps < 10_000, "{steps} steps");
}

#[test]
fn patterns_are_matched_against_so_much_of_one_text() {
    let schema = json!({"items": {"type": "string", "pattern": "^[a-z]+$"}});
    let validator = Validator::compile(&schema).unwrap();
    let limits = roomy().with_max_pattern_bytes(1_000);
    let list = |count: usize| items(count, |_| format!("\"{}\"", "a".repeat(100)));
    assert!(validator.check(&list(10), &limits, Coerce::Off).is_admitted());
    let report = validator.check(&list(11), &limits, Coerce::Off);
    let found: Vec<_> =
        report.violations.iter().map(|v| (v.pointer(), v.rule(), v.expected())).collect();
    let expected = "at most 1000 bytes of text to match against patterns";
    assert_eq!(found, [("", "pattern", expected)]);
    // In an inverted rule, a text that was not matched is not a text that fails to match.
    let not = Validator::compile(&json!({"items": {"not": {"pattern": "^b"}}})).unwrap();
    assert!(not.check(&list(10), &limits, Coerce::Off).is_admitted());
    assert!(!not.check(&list(11), &limits, Coerce::Off).is_admitted());
    let names = members(11, |n| format!("\"{}{n}\":1", "a".repeat(100)));
    let by_pattern = Validator::compile(&json!({"patternProperties": {"^b": false}})).unwrap();
    assert!(!by_pattern.check(&names, &limits, Coerce::Off).is_admitted());
}

#[test]
fn receipts_are_bounded_and_say_how_many_are_left_out() {
    let strings = Validator::compile(&json!({"items": {"type": "string"}})).unwrap();
    let report = strings.check(&items(5_000, |_| "1".to_owned()), &roomy(), Coerce::Lossless);
    assert_eq!(report.coercions.len(), ValidationReport::MAX_LISTED + 1);
    assert_eq!(report.coercions[ValidationReport::MAX_LISTED - 1].pointer(), "/63");
    let last = &report.coercions[ValidationReport::MAX_LISTED];
    assert_eq!((last.pointer(), last.from(), last.to()), ("", "4936 more values", "not listed"));
    let report = strings.check(&items(64, |_| "1".to_owned()), &roomy(), Coerce::Lossless);
    assert_eq!(report.coercions.len(), ValidationReport::MAX_LISTED);
    // Coercions within a string count as well.
    let lists =
        Validator::compile(&json!({"items": {"type": "array", "items": {"type": "string"}}}))
            .unwrap();
    let inner = items(100, |_| "1".to_owned());
    let report = lists.check(&items(2, |_| json!(inner).to_string()), &roomy(), Coerce::Lossless);
    assert_eq!(
        report.coercions.last().map(tool_contracts::Coercion::from),
        Some("138 more values")
    );
    // The bytes of their pointers count, too.
    let mut deep = String::new();
    for level in 0..20 {
        let _ = write!(deep, "{{\"{}{level}\":", "x".repeat(60));
    }
    let any = json!({"$defs": {"n": {"additionalProperties": {"$ref": "#/$defs/n"}, "items": {"type": "string"}}}, "$ref": "#/$defs/n"});
    let deep = deep + &items(60, |_| "1".to_owned()) + &"}".repeat(20);
    let report = Validator::compile(&any).unwrap().check(&deep, &roomy(), Coerce::Lossless);
    let bytes: usize = report.coercions.iter().map(|receipt| receipt.pointer().len()).sum();
    assert!(bytes < 18 * 1024, "{bytes} bytes");
    assert!(report.coercions.last().is_some_and(|last| last.pointer().is_empty()));
}

#[test]
fn a_pointer_into_deep_nesting_is_bounded() {
    let name = "é".repeat(64);
    let deep = format!("{{\"{name}\":").repeat(100) + "1" + &"}".repeat(100);
    let schema = json!({"$defs": {"n": {"type": "object", "additionalProperties": {"$ref": "#/$defs/n"}}}, "$ref": "#/$defs/n"});
    let report = Validator::compile(&schema).unwrap().check(&deep, &roomy(), Coerce::Off);
    let pointer = report.violations[0].pointer();
    assert!(pointer.len() < 1_300 && pointer.ends_with("/…"), "{} bytes", pointer.len());
}

//! Linear cost for adversarial texts.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{Coerce, ValidationReport, Validator};
use crate::limits::Limits;
use crate::steps;

/// A schema, and a text of `count` adversarial parts.
type Shape = (&'static str, Value, fn(usize) -> String);

fn roomy() -> Limits {
    Limits::new().with_max_bytes(1 << 24).with_max_string_bytes(1 << 24).with_max_depth(126)
}

fn members(count: usize, member: impl Fn(usize) -> String) -> String {
    let members: Vec<_> = (0..count).map(member).collect();
    format!("{{{}}}", members.join(","))
}

fn items(count: usize, item: impl Fn(usize) -> String) -> String {
    let items: Vec<_> = (0..count).map(item).collect();
    format!("[{}]", items.join(","))
}

/// Names that differ only beyond the part that a pointer repeats.
fn long_names(count: usize) -> String {
    members(count, |n| format!("\"{}{n}\":1", "x".repeat(64)))
}

#[allow(clippy::too_many_lines, reason = "it is one table")]
fn shapes() -> Vec<Shape> {
    let closed = || json!({"type": "object", "properties": {"k": {"type": "string"}}, "additionalProperties": false});
    let choice = |rule: &str| {
        let branch = |name: &str| json!({"type": "object", "properties": {name: {"type": "integer"}}, "required": [name], "additionalProperties": false});
        json!({"items": {rule: [branch("a"), branch("b"), {"type": "string"}]}})
    };
    let many_names: serde_json::Map<_, _> =
        (0..200).map(|n| (format!("p{n}"), json!({"type": "integer"}))).collect();
    let required: Vec<_> = many_names.keys().cloned().collect();
    vec![
        ("an unknown name, repeated", closed(), |n| members(n, |_| "\"x\":1".to_owned())),
        ("a known name of a wrong type, repeated", closed(), |n| {
            members(n, |_| "\"k\":1".to_owned())
        }),
        ("a name, repeated in its escapes", closed(), |n| {
            members(n, |n| if n % 2 == 0 { "\"k\":1" } else { "\"\\u006b\":1" }.to_owned())
        }),
        ("names repeated in pairs", closed(), |n| members(n, |n| format!("\"x{}\":1", n / 2))),
        ("a name repeated deep inside", json!({"items": closed()}), |n| {
            format!("[{}]", members(n, |_| "\"x\":1".to_owned()))
        }),
        ("objects that each repeat a name", json!({"items": closed()}), |n| {
            items(n, |_| r#"{"x":1,"x":2}"#.to_owned())
        }),
        ("unknown names", closed(), |n| members(n, |n| format!("\"x{n}\":1"))),
        ("unknown names with one beginning", closed(), long_names),
        ("unknown names behind many known ones", closed(), |n| {
            members(n, |n| if n < 10 { format!("\"k{n}\":1") } else { format!("\"x{n}\":1") })
        }),
        ("names refused by propertyNames", json!({"propertyNames": {"maxLength": 1}}), |n| {
            members(n, |n| format!("\"x{n}\":1"))
        }),
        (
            "long names refused by propertyNames",
            json!({"propertyNames": {"maxLength": 1}}),
            long_names,
        ),
        ("names taken by propertyNames", json!({"propertyNames": {"minLength": 1}}), |n| {
            members(n, |n| format!("\"x{n}\":1"))
        }),
        (
            "values refused by patternProperties",
            json!({"patternProperties": {"^x": {"type": "string"}}}),
            |n| members(n, |n| format!("\"x{n}\":1")),
        ),
        (
            "long names under patternProperties",
            json!({"patternProperties": {"^x": {"type": "string"}}}),
            long_names,
        ),
        ("a map of wrong values", json!({"additionalProperties": {"type": "string"}}), |n| {
            members(n, |n| format!("\"x{n}\":1"))
        }),
        (
            "a map of wrong values under long names",
            json!({"additionalProperties": {"type": "string"}}),
            long_names,
        ),
        (
            "names that are unevaluated",
            json!({"allOf": [{"properties": {"k": true}}], "unevaluatedProperties": false}),
            |n| members(n, |n| format!("\"x{n}\":1")),
        ),
        (
            "long names that are unevaluated",
            json!({"allOf": [{"properties": {"k": true}}], "unevaluatedProperties": false}),
            long_names,
        ),
        (
            "many required names, none there",
            json!({"properties": many_names, "required": required}),
            |n| members(n, |n| format!("\"x{n}\":1")),
        ),
        ("wrong items", json!({"items": {"type": "string"}}), |n| items(n, |_| "1".to_owned())),
        (
            "wrong items in lists of their own",
            json!({"items": {"items": {"type": "boolean"}}}),
            |n| items(n, |_| "[1]".to_owned()),
        ),
        ("equal items", json!({"uniqueItems": true}), |n| items(n, |_| "{\"a\":[1]}".to_owned())),
        ("different items", json!({"uniqueItems": true}), |n| {
            items(n, |n| format!("{{\"a\":[{n}]}}"))
        }),
        ("items that no enum has", json!({"items": {"enum": ["a", "b", 1, [2], {"c": 3}]}}), |n| {
            items(n, |n| format!("{{\"c\":{n}}}"))
        }),
        ("items of no branch of oneOf", choice("oneOf"), |n| items(n, |_| r#"{"c":1}"#.to_owned())),
        ("items of no branch of anyOf", choice("anyOf"), |n| items(n, |_| r#"{"c":1}"#.to_owned())),
        ("items of one branch of oneOf", choice("oneOf"), |n| {
            items(n, |_| r#"{"b":1}"#.to_owned())
        }),
        ("one item under contains", json!({"contains": {"type": "string"}}), |n| {
            items(n, |_| "1".to_owned())
        }),
        ("numbers for strings", json!({"items": {"type": "string"}}), |n| {
            items(n, |_| "1".to_owned())
        }),
        ("strings for numbers", json!({"items": {"type": "integer"}}), |n| {
            items(n, |_| "\"1\"".to_owned())
        }),
        (
            "lists in strings",
            json!({"items": {"type": "array", "items": {"type": "integer"}}}),
            |n| items(n, |_| "\"[\\\"1\\\",2.0]\"".to_owned()),
        ),
        (
            "nulls to leave out",
            json!({"items": {"properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}}}),
            |n| items(n, |_| r#"{"a":null,"b":null}"#.to_owned()),
        ),
        ("numbers of many digits", json!({"items": {"type": "number"}}), |n| {
            items(n, |_| "1.000000000000000000001".to_owned())
        }),
        ("one number of many digits", json!({"type": "number", "multipleOf": 0.1}), |n| {
            "9".repeat(n)
        }),
        ("strings that a pattern refuses", json!({"items": {"pattern": "^[a-z]+$"}}), |n| {
            items(n, |n| format!("\"A{n}\""))
        }),
        ("one string under a pattern", json!({"pattern": "^[a-z]+$"}), |n| {
            format!("\"{}\"", "a".repeat(n))
        }),
        (
            "secrets in lists",
            json!({"properties": {"s": {"x-sensitivity": "secret"}, "l": {"items": {"x-sensitivity": "secret"}}}}),
            |n| {
                format!(
                    "{{\"l\":{},\"s\":{}}}",
                    items(n, |_| "1".to_owned()),
                    items(n, |_| "1".to_owned())
                )
            },
        ),
        (
            "nesting",
            json!({"$defs": {"n": {"anyOf": [{"properties": {"a": {"$ref": "#/$defs/n"}}, "required": ["a"]}, {"items": {"$ref": "#/$defs/n"}, "type": "array", "maxItems": 0}]}}, "$ref": "#/$defs/n"}),
            |n| items(n / 100, |_| format!("{}1{}", "{\"a\":".repeat(60), "}".repeat(60))),
        ),
    ]
}

const FEW: usize = 2_000;

/// Asserts that four times the input takes at most about four times the steps.
#[track_caller]
fn grows_in_proportion(name: &str, cost: impl Fn(usize) -> u64) {
    let (few, many) = (cost(FEW), cost(4 * FEW));
    // Costs that do not depend on the input are in both measurements.
    assert!(many <= few * 42 / 10 + 20_000, "{name}: {few} steps, then {many}");
}

#[test]
fn a_check_of_hostile_arguments_costs_in_proportion_to_their_length() {
    for (name, schema, text) in shapes() {
        let validator = Validator::compile(&schema).unwrap();
        for coerce in [Coerce::Off, Coerce::Lossless] {
            grows_in_proportion(name, |count| {
                let text = text(count);
                let (report, steps) = steps::of(|| validator.check(&text, &roomy(), coerce));
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
            let (report, steps) = steps::of(check);
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
    let (report, steps) = steps::of(|| validator.check(&text, &roomy(), Coerce::Off));
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

/// Whole calls, which need a timer.
#[cfg(feature = "tokio")]
mod calls {
    use tool_contracts::{Effect, ToolContext};
    use uuid::Uuid;

    use super::*;
    use crate::failure::Failure;
    use crate::runtime::Runtime;
    use crate::tool::CallScope;
    use crate::tool::registry::DynamicTool;
    use crate::{ToolCall, ToolOutput};

    #[test]
    fn a_call_with_hostile_arguments_costs_in_proportion_to_their_length() {
        let cx = ToolContext::builder(Uuid::now_v7(), "trace-1").run_id("run-1").build().unwrap();
        for (name, mut schema, text) in shapes() {
            let arguments = |count: usize| {
                let text = text(count);
                if text.starts_with('{') { text } else { format!("{{\"v\":{text}}}") }
            };
            if arguments(1).starts_with("{\"v\"") {
                let defs = schema.as_object_mut().and_then(|schema| schema.remove("$defs"));
                schema = json!({"type": "object", "properties": {"v": schema}});
                if let Some(defs) = defs {
                    schema["$defs"] = defs;
                }
            } else {
                schema["type"] = json!("object");
            }
            let tool = DynamicTool::new("take", Effect::Read)
                .description("Takes anything.")
                .input_schema(schema);
            let tool = tool.handler(|_: CallScope| async { Ok::<_, Failure>(1) });
            let runtime = Runtime::builder().dynamic(tool).limits(roomy()).build().unwrap();
            grows_in_proportion(name, |count| {
                let text = arguments(count);
                let (length, steps) = steps::of(|| {
                    let mut call = runtime.call("take", text.as_str(), &cx);
                    executed(&mut call).json().len()
                });
                assert!(length < 256 * 1024 + 2 * text.len(), "{name}: {length} bytes");
                steps
            });
        }
    }

    fn executed(call: &mut ToolCall) -> &ToolOutput {
        let executor = tokio::runtime::Builder::new_current_thread().enable_time().build();
        executor.expect("it starts").block_on(call.execute())
    }

    #[test]
    fn arguments_of_a_refused_call_are_repeated_up_to_a_bound() {
        let cx = ToolContext::builder(Uuid::now_v7(), "trace-1").run_id("run-1").build().unwrap();
        let schema = json!({"type": "object", "properties": {"k": {"type": "integer"}}});
        let tool =
            DynamicTool::new("take", Effect::Read).description("Takes.").input_schema(schema);
        let tool = tool.handler(|_: CallScope| async { Ok::<_, Failure>(1) });
        let runtime = Runtime::builder().dynamic(tool).build().unwrap();
        for (name, length, expected) in
            [("take", 1_000, false), ("take", 100_000, true), ("tkae", 100_000, true)]
        {
            let text = json!({"k": "x".repeat(length)}).to_string();
            let mut call = runtime.call(name, text.as_str(), &cx);
            let answer: Value = serde_json::from_str(executed(&mut call).json()).unwrap();
            assert_eq!(answer["input"].is_null(), expected, "{name} {length}");
        }
    }
}

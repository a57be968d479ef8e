//! Adversarial texts, and the assertion that their cost is linear; for whole calls too.

use serde_json::{Value, json};

use crate::Limits;

/// A schema, and a text of `count` adversarial parts.
pub(crate) type Shape = (&'static str, Value, fn(usize) -> String);

pub(crate) fn roomy() -> Limits {
    Limits::new().with_max_bytes(1 << 24).with_max_string_bytes(1 << 24).with_max_depth(126)
}

pub(crate) fn members(count: usize, member: impl Fn(usize) -> String) -> String {
    let members: Vec<_> = (0..count).map(member).collect();
    format!("{{{}}}", members.join(","))
}

pub(crate) fn items(count: usize, item: impl Fn(usize) -> String) -> String {
    let items: Vec<_> = (0..count).map(item).collect();
    format!("[{}]", items.join(","))
}

/// Names that differ only beyond the part that a pointer repeats.
fn long_names(count: usize) -> String {
    members(count, |n| format!("\"{}{n}\":1", "x".repeat(64)))
}

#[allow(clippy::too_many_lines, reason = "it is one table")]
pub(crate) fn shapes() -> Vec<Shape> {
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
pub(crate) fn grows_in_proportion(name: &str, cost: impl Fn(usize) -> u64) {
    let (few, many) = (cost(FEW), cost(4 * FEW));
    // Costs that do not depend on the input are in both measurements.
    assert!(many <= few * 42 / 10 + 20_000, "{name}: {few} steps, then {many}");
}

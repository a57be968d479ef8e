//! The answers to bad calls, as in the guide's table, row by row.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tool_runtime::Limits;
use tool_runtime::prelude::*;
use tool_runtime::schema::Coerce;

use crate::support::{answer, cx, envelope};

/// A place on a map.
#[ai_type]
#[derive(Debug)]
struct Point {
    /// Degrees east.
    x: f64,
    /// Degrees north.
    y: f64,
}

/// Finds things.
#[ai_tool(effect = "read")]
async fn find(
    cx: &ToolContext,
    /// What to look for.
    #[arg(length(1..=20))]
    query: &str,
    /// Most hits.
    #[arg(default = 10, range(1..=50))]
    limit: u32,
    /// Only with these tags.
    #[arg(default)]
    tags: Vec<String>,
    /// Near here.
    near: Option<Point>,
    /// Weights by name.
    #[arg(default)]
    weights: BTreeMap<String, f32>,
) -> Value {
    let _ = cx;
    json!([query, limit, tags, near.map(|point| [point.x, point.y]), weights])
}

/// Stores a thing.
#[ai_tool(effect = "write")]
async fn store(
    dry_run: &DryRun,
    /// The thing's number.
    id: u32,
) -> u32 {
    let _ = dry_run;
    id
}

/// Takes any arguments.
#[ai_tool(effect = "read", unknown_fields = "ignore")]
async fn lenient(
    /// The thing's number.
    id: u32,
) -> u32 {
    id
}

/// Counts.
#[ai_tool(effect = "read")]
async fn count(
    /// Up to here.
    limit: u32,
) -> u32 {
    limit
}

/// Tells the time.
#[ai_tool(effect = "read")]
async fn now() -> &'static str {
    "done"
}

/// Empties the store.
#[ai_tool(effect = "write")]
async fn wipe(dry_run: &DryRun) -> &'static str {
    if dry_run.is_active() { "would be done" } else { "done" }
}

/// A runtime with the tools of the table.
pub(crate) fn runtime() -> Runtime {
    Runtime::builder()
        .tool::<FindTool>()
        .tool::<StoreTool>()
        .tool::<LenientTool>()
        .tool::<CountTool>()
        .permission("store", Permission::Allow)
        .build()
        .unwrap()
}

/// Checks that the call is rejected with this code, and that `(pointer, rule)` are exactly its
/// violations.
#[track_caller]
fn check(name: &str, arguments: &str, violations: &[(&str, &str)]) {
    let runtime = runtime();
    let call = runtime.call(name, arguments, &cx());
    assert_eq!(call.status(), CallStatus::Rejected, "{name} {arguments} was admitted");
    let found: Vec<_> = call.violations().iter().map(|one| (one.pointer(), one.rule())).collect();
    assert_eq!(found, violations, "{arguments}");
    let error = call.output().and_then(ToolOutput::error).unwrap();
    assert_eq!(error.code(), Some("INVALID_ARGUMENT"));
    assert_eq!(error.details().unwrap()["violations"].as_array().unwrap().len(), violations.len());
}

#[test]
fn a_namespace_before_a_tools_name_is_answered_with_the_name() {
    let runtime = Runtime::builder().tool::<NowTool>().tool::<WipeTool>().build().unwrap();
    for name in ["functions.now", "default_api:now", "tools/functions.now"] {
        let call = runtime.call(name, "{}", &cx());
        let error = call.output().and_then(ToolOutput::error).unwrap();
        assert_eq!(error.details().unwrap()["closest"], json!(["now"]), "{name}");
    }
}

#[test]
fn an_unknown_tool_is_answered_with_the_closest_names() {
    let runtime = runtime();
    let call = runtime.call("fnd", "{}", &cx());
    assert_eq!(call.status(), CallStatus::Rejected);
    let error = call.output().and_then(ToolOutput::error).unwrap();
    assert_eq!(error.code(), Some("NOT_FOUND"));
    assert_eq!(error.details().unwrap()["closest"][0], "find");
    assert!(!error.message().contains("fnd"), "the wrong name is not repeated");
}

#[test]
fn all_violations_are_told_at_once() {
    check(
        "find",
        r#"{"limit":99,"tags":[true],"near":{"x":1}}"#,
        &[
            ("/limit", "maximum"),
            ("/tags/0", "type"),
            ("/near/y", "required"),
            ("/query", "required"),
        ],
    );
}

#[test]
fn a_violation_names_types_and_never_values() {
    let runtime = runtime();
    let call = runtime.call("find", r#"{"query":"tea","limit":"hunter2"}"#, &cx());
    let violation = &call.violations()[0];
    assert_eq!(
        (violation.pointer(), violation.expected(), violation.received()),
        ("/limit", "integer", "string")
    );
    let error = call.output().and_then(ToolOutput::error).unwrap();
    assert!(!serde_json::to_string(error).unwrap().contains("hunter2"));
}

#[test]
fn an_extra_field_is_refused_with_the_closest_name() {
    check("find", r#"{"query":"tea","limt":3}"#, &[("/limt", "additionalProperties")]);
    let runtime = runtime();
    let call = runtime.call("find", r#"{"query":"tea","limt":3}"#, &cx());
    assert!(call.violations()[0].hint().unwrap().contains("`limit`"));
}

#[tokio::test]
async fn a_tool_may_take_extra_fields() {
    assert_eq!(answer(&runtime(), "lenient", r#"{"id":1,"more":true}"#).await["data"], 1);
}

#[test]
fn a_value_for_an_injected_parameter_is_an_extra_field() {
    check("find", r#"{"query":"tea","cx":{"tenant_id":"x"}}"#, &[("/cx", "additionalProperties")]);
}

#[tokio::test]
async fn a_read_mends_lossless_slips_and_says_so() {
    let found = answer(&runtime(), "find", r#"{"query":"tea","limit":"5","tags":"[\"a\"]"}"#).await;
    assert_eq!(found["data"], json!(["tea", 5, ["a"], null, {}]));
    assert_eq!(
        found["meta"]["coercions"],
        json!([
            { "pointer": "/limit", "from": "string", "to": "integer" },
            { "pointer": "/tags", "from": "string", "to": "array" },
        ])
    );
    assert_eq!(found["input"]["limit"], "5", "the echo is what was sent");
}

#[test]
fn a_write_mends_nothing() {
    check("store", r#"{"id":"5"}"#, &[("/id", "type")]);
}

#[tokio::test]
async fn both_defaults_of_mending_can_be_set() {
    let runtime = Runtime::builder()
        .tool::<StoreTool>()
        .tool::<CountTool>()
        .permission("store", Permission::Allow)
        .coerce_reads(Coerce::Off)
        .coerce_writes(Coerce::Lossless)
        .build()
        .unwrap();
    assert_eq!(answer(&runtime, "store", r#"{"id":"5"}"#).await["data"], 5);
    assert_eq!(answer(&runtime, "count", r#"{"limit":"5"}"#).await["status"], "error");
}

#[test]
fn duplicate_keys_are_refused_at_any_depth() {
    check("count", r#"{"limit":1,"limit":1}"#, &[("/limit", "duplicate")]);
    check("find", r#"{"query":"t","weights":{"a":1,"a":2}}"#, &[("/weights/a", "duplicate")]);
    check("find", r#"{"query":"t","near":{"x":1,"x":1,"y":2}}"#, &[("/near/x", "duplicate")]);
}

#[test]
fn numbers_that_would_lose_digits_are_refused() {
    check(
        "find",
        r#"{"query":"t","near":{"x":9007199254740993,"y":0}}"#,
        &[("/near/x", "precision")],
    );
    check("find", r#"{"query":"t","weights":{"a":16777217}}"#, &[("/weights/a", "precision")]);
    check("find", r#"{"query":"t","near":{"x":1e999,"y":0}}"#, &[("/near/x", "precision")]);
    check("count", r#"{"limit":4294967296}"#, &[("/limit", "precision")]);
}

#[test]
fn an_array_is_no_object() {
    check("find", r#"["tea"]"#, &[("", "type")]);
    check("find", r#"{"query":"t","near":[1,2]}"#, &[("/near", "type")]);
}

#[tokio::test]
async fn an_integral_float_is_an_integer_with_a_receipt() {
    for (text, effect) in [("1.0", "count"), ("1e0", "count"), ("-0", "count")] {
        let found = answer(&runtime(), effect, &format!(r#"{{"limit":{text}}}"#)).await;
        assert_eq!(found["status"], "ok", "{text}: {found}");
        assert_eq!(found["meta"]["coercions"][0]["to"], "integer", "{text}");
    }
    assert_eq!(answer(&runtime(), "store", r#"{"id":7.0}"#).await["data"], 7, "writes too");
}

#[test]
fn truncated_json_is_refused_with_the_byte_position() {
    let whole = r#"{"query":"tea","limit":5}"#;
    // An empty text is no cut one: it means that there are no arguments.
    for cut in 1..whole.len() {
        let runtime = runtime();
        let call = runtime.call("find", &whole[..cut], &cx());
        let found = envelope(call.output().unwrap());
        assert_eq!(found["error"]["details"]["position"], cut, "{}", &whole[..cut]);
        assert_eq!(found["error"]["details"]["input_bytes"], cut);
        assert_eq!(found["input"], Value::Null);
    }
}

/// Texts that mean that there are no arguments, with the receipt's name for each.
const WITHOUT_ARGUMENTS: [(&str, &str); 4] =
    [("", "nothing"), (" \n", "nothing"), ("null", "null"), ("\tnull ", "null")];

#[tokio::test]
async fn a_text_without_arguments_is_an_empty_object_with_a_receipt() {
    for name in ["now", "wipe"] {
        for (text, written) in WITHOUT_ARGUMENTS {
            let runtime = Runtime::builder()
                .tool::<NowTool>()
                .tool::<WipeTool>()
                .permission("wipe", Permission::Allow);
            let runtime = runtime.build().unwrap();
            let mut call = runtime.call(name, text, &cx());
            let found = envelope(call.execute().await);
            assert_eq!((&found["data"], &found["input"]), (&json!("done"), &json!({})), "{text:?}");
            let receipt = json!([{"pointer": "", "from": written, "to": "object"}]);
            assert_eq!(found["meta"]["coercions"], receipt, "{name} {text:?}");
        }
    }
}

#[test]
fn a_text_without_arguments_lacks_the_required_ones() {
    for (text, _) in WITHOUT_ARGUMENTS {
        check("find", text, &[("/query", "required")]);
        check("store", text, &[("/id", "required")]);
    }
    for text in ["nul", "\u{a0}", r#""""#, "[]", "false"] {
        let runtime = runtime();
        assert_eq!(runtime.call("count", text, &cx()).status(), CallStatus::Rejected, "{text:?}");
    }
}

#[test]
fn invalid_json_arguments_are_rejected() {
    for text in
        [r#"{"limit":NaN}"#, "{'limit':1}", r#"{"limit":1,}"#, r#"{"limit":1} x"#, "{\"limit\":01}"]
    {
        let runtime = runtime();
        let call = runtime.call("count", text, &cx());
        assert_eq!(call.status(), CallStatus::Rejected, "{text}");
    }
}

#[test]
fn size_depth_and_strings_are_bounded() {
    let limits = Limits::default();
    let long = format!(r#"{{"query":"{}"}}"#, "x".repeat(10_000_000));
    let big_string = format!(r#"{{"query":"{}"}}"#, "x".repeat(limits.max_string_bytes() + 1));
    let deep = format!(r#"{{"tags":{}{}}}"#, "[".repeat(10_000), "]".repeat(10_000));
    for text in [long, big_string, deep] {
        let runtime = runtime();
        let call = runtime.call("find", text, &cx());
        let found = envelope(call.output().unwrap());
        assert_eq!(found["error"]["code"], "INVALID_ARGUMENT");
        assert_eq!(found["input"], Value::Null);
        assert!(found.to_string().len() < 2_000, "the answer is short");
    }
}

#[test]
fn limits_can_be_set() {
    let small = Runtime::builder()
        .tool::<CountTool>()
        .limits(Limits::default().with_max_bytes(12))
        .build()
        .unwrap();
    assert_eq!(small.call("count", r#"{"limit":1}"#, &cx()).status(), CallStatus::Pending);
    assert_eq!(small.call("count", r#"{"limit":10}"#, &cx()).status(), CallStatus::Pending);
    assert_eq!(small.call("count", r#"{"limit":100}"#, &cx()).status(), CallStatus::Rejected);
}

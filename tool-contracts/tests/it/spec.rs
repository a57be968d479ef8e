//! The rules of a tool's description and of requests.

use serde_json::{Value, json};
use tool_contracts::{
    Effect, Permission, ToolAnnotations, ToolCallRequest, ToolSpec, ToolkitSpec, Violation,
};

fn valid() -> Value {
    json!({
        "name": "content.search",
        "version": "1.0.0",
        "description": "Searches.",
        "effect": "read",
        "annotations": {},
        "permission": "allow",
        "input_schema": {"type": "object"},
    })
}

fn read(spec: &Value) -> Result<ToolSpec, String> {
    serde_json::from_str(&spec.to_string()).map_err(|error| error.to_string())
}

#[track_caller]
fn check_refused(field: &str, value: Value, expectation: &str) {
    let mut spec = valid();
    spec["effect"] = json!("write");
    spec[field] = value;
    let message = read(&spec).unwrap_err();
    assert!(message.starts_with(&format!("`{field}`: ")), "{message}");
    assert!(message.contains(expectation), "{message}");
}

#[test]
fn a_tool_needs_leave_and_sign_in_unless_it_says_otherwise() {
    let spec = read(&valid()).unwrap();
    assert!(spec.requires_auth() && spec.ai_callable());
    for (effect, permission) in [
        (Effect::Read, Permission::Allow),
        (Effect::Write, Permission::Ask),
        (Effect::Destructive, Permission::Ask),
    ] {
        assert_eq!(ToolSpec::builder("a", effect).build().unwrap().permission(), permission);
    }
}

#[test]
fn names_are_short_and_plain() {
    for name in ["a", "pricing.get_realtime_quote", "A-9", &"x".repeat(128)] {
        assert_eq!(ToolSpec::builder(name, Effect::Read).build().unwrap().name(), name);
    }
    for name in ["", "a b", "a/b", "ä", "a\n", &"x".repeat(129)] {
        assert!(ToolSpec::builder(name, Effect::Read).build().is_err());
        check_refused("name", json!(name), "1 to 128");
    }
}

#[test]
fn fields_keep_to_their_rules() {
    check_refused("version", json!(""), "not empty");
    check_refused("effect", json!("maybe"), "one of `read`, `write`, `destructive`");
    check_refused("permission", json!("perhaps"), "one of `allow`, `ask`, `deny`");
    check_refused("ttl_seconds", json!(60), "only results of a read can be cached");
    check_refused("timeout_ms", json!(0), "more than 0");
    check_refused("input_schema", json!(true), "an object");
    check_refused("input_examples", json!([{}, 1]), "a list of objects");
    check_refused("input_examples", json!({}), "a list of objects");
    check_refused("output_schema", json!([]), "an object");
    check_refused("requires_auth", json!("no"), "true or false");
    check_refused("annotations", json!({"pure": true}), "`pure`: unknown field");
    check_refused("annotations", json!({"idempotent": 1}), "`idempotent`: expected true or false");
    check_refused("toolkit", json!({"name": "content"}), "`description`: missing");
    check_refused("toolkit", json!({"name": "a b", "description": "A."}), "1 to 64");
    check_refused("toolkit", json!({"name": "content", "description": ""}), "not empty");
    check_refused("toolkit", json!({"name": "pages", "description": "A."}), "`toolkit.tool`");
    check_refused("handler", json!("f"), "unknown field");
}

#[test]
fn the_builder_names_every_problem_at_once() {
    let refused = ToolSpec::builder("a b", Effect::Destructive)
        .version("")
        .ttl_seconds(1)
        .timeout_ms(0)
        .input_schema(json!(true))
        .input_example(json!([]))
        .output_schema(json!("text"))
        .build()
        .unwrap_err();
    let fields: Vec<&str> = refused.problems().iter().map(tool_contracts::Problem::field).collect();
    assert_eq!(
        fields,
        [
            "name",
            "version",
            "ttl_seconds",
            "timeout_ms",
            "input_schema",
            "input_examples",
            "output_schema"
        ]
    );
}

#[test]
fn a_toolkit_begins_the_names_of_its_tools() {
    let with = |name: &str, toolkit: &str| {
        let toolkit = ToolkitSpec::new(toolkit, "Keeps notes.").unwrap();
        ToolSpec::builder(name, Effect::Read).toolkit(toolkit).build()
    };
    for (name, toolkit) in [("notes.add", "notes"), ("a.b.c", "a.b"), ("a.b.c", "a")] {
        let spec = with(name, toolkit).unwrap();
        assert_eq!(spec.toolkit().unwrap().name(), toolkit);
        assert_eq!(spec.toolkit().unwrap().description(), "Keeps notes.");
        assert_eq!(read(&serde_json::to_value(&spec).unwrap()).unwrap(), spec);
    }
    for (name, toolkit) in [("notes", "notes"), ("notes.", "notes"), ("notesadd", "notes")] {
        assert_eq!(with(name, toolkit).unwrap_err().problems()[0].field(), "toolkit");
    }
    let refused = ToolkitSpec::new("", "").unwrap_err();
    let fields: Vec<&str> = refused.problems().iter().map(tool_contracts::Problem::field).collect();
    assert_eq!(fields, ["name", "description"]);
    assert!(ToolkitSpec::new("x".repeat(65), "Too long a name.").is_err());
}

#[test]
fn a_description_from_before_toolkits_has_none() {
    assert_eq!(read(&valid()).unwrap().toolkit(), None);
    let mut null = valid();
    null["toolkit"] = Value::Null;
    assert_eq!(read(&null).unwrap(), read(&valid()).unwrap());
}

#[test]
fn examples_keep_their_order_and_none_are_not_written() {
    let examples = [json!({"query": "tea"}), json!({})];
    let builder = ToolSpec::builder("a", Effect::Read);
    let spec =
        examples.iter().cloned().fold(builder, tool_contracts::ToolSpecBuilder::input_example);
    let spec = spec.build().unwrap();
    let written = serde_json::to_value(&spec).unwrap();
    assert_eq!(written["input_examples"], json!(examples));
    assert_eq!(read(&written).unwrap(), spec);

    let without = read(&valid()).unwrap();
    assert!(without.input_examples().is_empty());
    assert!(serde_json::to_value(&without).unwrap().get("input_examples").is_none());
}

#[test]
fn a_built_description_reads_back() {
    let spec = ToolSpec::builder("cart.add", Effect::Write)
        .title("Add to cart")
        .version("2.1.0")
        .description("Adds an item.")
        .category("cart")
        .annotations(ToolAnnotations::new().with_idempotent(true).with_open_world(true))
        .permission(Permission::Deny)
        .input_schema(json!({"type": "object", "additionalProperties": false}))
        .output_schema(json!({"type": "object"}))
        .timeout_ms(5_000)
        .requires_auth(false)
        .ai_callable(false)
        .build()
        .unwrap();
    assert_eq!(read(&serde_json::to_value(&spec).unwrap()).unwrap(), spec);
}

#[test]
fn a_request_keeps_the_bytes_of_its_arguments() {
    let text = r#"{"call_id":"","name":"no such tool!","arguments":{"a" : 1.50, "a":2}}"#;
    let request: ToolCallRequest = serde_json::from_str(text).unwrap();
    assert_eq!(request.arguments().get(), r#"{"a" : 1.50, "a":2}"#);
    assert_eq!(serde_json::to_string(&request).unwrap(), text);
    let null: ToolCallRequest =
        serde_json::from_str(r#"{"call_id":"1","name":"a","arguments":null}"#).unwrap();
    assert_eq!(null.arguments().get(), "null");
}

#[test]
fn a_request_needs_its_three_fields() {
    for (text, start) in [
        (r#"{"name":"a","arguments":{}}"#, "`call_id`: missing"),
        (r#"{"call_id":"1","arguments":{}}"#, "`name`: missing"),
        (r#"{"call_id":"1","name":"a"}"#, "`arguments`: missing"),
        (r#"{"call_id":"1","name":"a","arguments":{},"id":1}"#, "`id`: unknown field"),
        (r#"{"call_id":1,"name":"a","arguments":{}}"#, "`call_id`: expected text"),
    ] {
        let message = serde_json::from_str::<ToolCallRequest>(text).unwrap_err().to_string();
        assert!(message.starts_with(start), "{message}");
    }
}

#[test]
fn a_violation_needs_its_four_fields() {
    let violation = Violation::new("/a", "type", "an integer", "string");
    assert_eq!(violation.hint(), None);
    for field in ["pointer", "rule", "expected", "received"] {
        let mut json = serde_json::to_value(&violation).unwrap();
        json.as_object_mut().unwrap().remove(field);
        let message = serde_json::from_value::<Violation>(json).unwrap_err().to_string();
        assert!(message.starts_with(&format!("`{field}`: missing")), "{message}");
    }
}

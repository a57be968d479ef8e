//! Nulls that stand for omitted properties, and nulls that do not.

use serde_json::{Value, json};
use tool_contracts::{Effect, ToolSpec};

use crate::{Adapter, Dialect};

fn adapter(schema: &Value) -> Adapter {
    let spec = ToolSpec::builder("t", Effect::Write).input_schema(schema.clone()).build().unwrap();
    Adapter::new(Dialect::OpenAiChat, [&spec])
}

/// The arguments of a strict tool, as it gets them.
#[track_caller]
fn check(schema: &Value, written: &str, meant: &str) {
    let adapter = adapter(schema);
    let losses: Vec<_> = adapter.report().losses().map(ToString::to_string).collect();
    assert!(adapter.tools()[0].is_strict(), "{losses:?}");
    assert_eq!(adapter.restore("t", written), meant);
}

/// The tool is not declared strict, because of a property or choice at this location.
#[track_caller]
fn check_loss(schema: &Value, loss: &str) {
    let adapter = adapter(schema);
    assert!(!adapter.tools()[0].is_strict());
    assert!(!adapter.tools()[0].schema().to_string().contains("x-omitted"));
    let first = adapter.report().losses().next().map(ToString::to_string).unwrap_or_default();
    assert!(first.starts_with(&format!("t: {loss}: not declared strict: ")), "{first}");
    for text in [r#"{"a":null}"#, r#"{"it":{"a":null}}"#] {
        assert_eq!(adapter.restore("t", text), text);
    }
}

fn object(properties: &Value, required: &[&str]) -> Value {
    json!({"type": "object", "properties": properties, "required": required,
        "additionalProperties": false})
}

/// The arguments with one required property.
fn it(schema: &Value) -> Value {
    object(&json!({"it": schema}), &["it"])
}

fn text_or_null() -> Value {
    json!({"type": ["string", "null"]})
}

#[test]
fn a_property_that_may_be_null_or_absent_is_not_declared_strict_at_any_depth() {
    let issue = object(
        &json!({"number": {"type": "integer"}, "state": {"enum": ["open", "closed"]},
            "assignee": text_or_null(),
            "milestone": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}),
        &["number"],
    );
    check_loss(&issue, "required at `/properties/assignee`");
    let part = object(&json!({"a": text_or_null()}), &[]);
    check_loss(&it(&part), "required at `/properties/it/properties/a`");
    let list = json!({"type": "array", "items": part});
    check_loss(&it(&list), "required at `/properties/it/items/properties/a`");
    let choice = json!({"anyOf": [{"type": "string"}, part]});
    check_loss(&it(&choice), "required at `/properties/it/anyOf/1/properties/a`");
    let mut named = it(&json!({"$ref": "#/$defs/part"}));
    named["$defs"] = json!({ "part": part });
    check_loss(&named, "required at `/$defs/part/properties/a`");
}

#[test]
fn the_report_says_how_the_tool_can_be_declared_strict() {
    let adapter = adapter(&object(&json!({"a": text_or_null()}), &[]));
    let losses: Vec<_> = adapter.report().losses().map(ToString::to_string).collect();
    let loss = "t: required at `/properties/a`: not declared strict: the property may be `null` or \
                absent, which a strict call cannot tell apart; `\"default\": null` in its schema says that \
                both mean the same";
    assert_eq!(losses, [loss]);
}

#[test]
fn a_null_that_is_the_default_may_be_left_out() {
    let mut clears = text_or_null();
    clears["default"] = Value::Null;
    let schema = object(&json!({"a": clears, "b": {"type": "string"}}), &["b"]);
    check(&schema, r#"{"a":null,"b":"x"}"#, r#"{"b":"x"}"#);
    check(&schema, r#"{"a":"y","b":"x"}"#, r#"{"a":"y","b":"x"}"#);
}

#[test]
fn a_rule_that_counts_properties_keeps_the_default_apart_from_its_absence() {
    let mut clears = text_or_null();
    clears["default"] = Value::Null;
    let mut counted = object(&json!({"a": clears, "b": {"type": "string"}}), &[]);
    counted["minProperties"] = 1.into();
    check_loss(&counted, "minProperties at ``");
}

#[test]
fn a_rule_around_an_object_keeps_the_default_apart_from_its_absence() {
    let mut clears = text_or_null();
    clears["default"] = Value::Null;
    let word = |name: &str| object(&json!({"word": {"type": "string"}, name: clears}), &[]);
    // `{"word":"x"}` matches both branches, `{"word":"x","a":null}` the first alone.
    let one = json!({"oneOf": [word("a"), {"$ref": "#/$defs/b"}]});
    let mut schema = it(&one);
    schema["$defs"] = json!({"b": word("b")});
    check_loss(&schema, "oneOf at `/properties/it`");
    let root = json!({"type": "object", "oneOf": [word("a"), word("b")]});
    check_loss(&root, "oneOf at ``");
    let list = json!({"type": "array", "items": word("a"), "uniqueItems": true});
    check_loss(&it(&list), "uniqueItems at `/properties/it`");
    // A required tag tells the branches apart, whatever else is left out.
    let tagged = |tag: &str| object(&json!({"tag": {"const": tag}, "a": clears}), &["tag"]);
    let schema = it(&json!({"oneOf": [tagged("x"), tagged("y")]}));
    check(&schema, r#"{"it":{"tag":"x","a":null}}"#, r#"{"it":{"tag":"x"}}"#);
}

#[test]
fn a_property_that_one_branch_requires_is_never_taken_from_it() {
    let mut clears = text_or_null();
    clears["default"] = Value::Null;
    let kind = |kind: &str| json!({"const": kind});
    let schema = json!({"type": "object", "anyOf": [
        object(&json!({"kind": kind("a"), "note": clears}), &["kind", "note"]),
        object(&json!({"kind": kind("b")}), &["kind"]),
    ]});
    check_loss(&schema, "required at `/properties/note`");
}

#[test]
fn a_null_that_says_nothing_is_taken_out_wherever_it_stands() {
    let schema = object(
        &json!({
            "a": {"type": "integer"},
            "b": {"type": "string"},
            "c": text_or_null(),
            "d": {"type": "array", "items": {"$ref": "#"}},
        }),
        &["b", "c"],
    );
    let part = r#"{"a":null,"b":"y","c":null,"d":null}"#;
    let kept = r#"{"b":"y","c":null}"#;
    check(&schema, r#"{"a":null,"b":"x"}"#, r#"{"b":"x"}"#);
    check(&schema, r#"{"b":"x","a":null}"#, r#"{"b":"x"}"#);
    check(&schema, r#"{ "b" : "x" , "a" : null , "d" : null }"#, r#"{ "b" : "x" }"#);
    check(&schema, r#"{"a":null, "d":null}"#, "{}");
    check(&schema, r#"{"a":null,"b":"x","d":null}"#, r#"{"b":"x"}"#);
    check(
        &schema,
        &format!(r#"{{"d":[{part}],"b":"x"}}"#),
        &format!(r#"{{"d":[{kept}],"b":"x"}}"#),
    );
    // A provider that does not enforce the schema may leave out any of them.
    for text in [r#"{"b":null}"#, r#"{"b":"x","c":null}"#, r#"{"b":"x","e":null}"#, "null"] {
        check(&schema, text, text);
    }
}

#[test]
fn malformed_arguments_are_left_to_the_reader() {
    let schema = object(&json!({"a": {"type": "integer"}, "b": {"type": "string"}}), &["b"]);
    let twice = r#"{"a":null,"b":"x","a":null}"#;
    for text in [twice, r#"{"a":null"#, r#"{"a":nul}"#, "", r#"{"b":01,"a":null}"#] {
        check(&schema, text, text);
    }
    check(&schema, r#"{"b":1e999,"a":null}"#, r#"{"b":1e999}"#);
    let escaped = r#"{"\u0061":null,"b":"\ud83d\ude00"}"#;
    check(&schema, escaped, r#"{"b":"\ud83d\ude00"}"#);
}

#[test]
fn a_null_beside_an_omitted_enumeration_stays() {
    let email = object(
        &json!({"kind": {"const": "email"}, "cc": text_or_null(),
            "priority": {"type": "string", "enum": ["low", "high"]}}),
        &["kind", "cc"],
    );
    let sms = object(&json!({"kind": {"const": "sms"}, "to": {"type": "string"}}), &["kind", "to"]);
    let schema = it(&json!({"anyOf": [email, sms]}));
    check(
        &schema,
        r#"{"it":{"kind":"email","cc":null,"priority":null}}"#,
        r#"{"it":{"kind":"email","cc":null}}"#,
    );
    // The same where the provider does not enforce the schema.
    check(
        &schema,
        r#"{"it":{"kind":"email","cc":null,"priority":null,"more":1}}"#,
        r#"{"it":{"kind":"email","cc":null,"more":1}}"#,
    );
}

#[test]
fn the_branch_that_is_meant_decides() {
    let branch = |kind: &str, note: &Value, required: &[&str]| {
        object(&json!({"kind": {"const": kind}, "note": note}), required)
    };
    let schema = it(&json!({"oneOf": [
        branch("a", &json!({"type": "string"}), &["kind"]),
        branch("b", &text_or_null(), &["kind", "note"]),
    ]}));
    let b = r#"{"it":{"kind":"b","note":null}}"#;
    check(&schema, r#"{"it":{"kind":"a","note":null}}"#, r#"{"it":{"kind":"a"}}"#);
    check(&schema, b, b);
}

#[test]
fn branches_that_nothing_tells_apart_must_agree_on_their_nulls() {
    let branch = |id: &str, note: &Value, required: &[&str]| {
        object(&json!({"id": {"type": id}, "note": note}), required)
    };
    let text = json!({"type": "string"});
    let choice = |id: &str| {
        it(&json!({"anyOf": [
            branch("integer", &text_or_null(), &["id", "note"]),
            branch(id, &text, &["id"]),
        ]}))
    };
    check_loss(&choice("integer"), "anyOf at `/properties/it`");
    check_loss(&choice("number"), "anyOf at `/properties/it`");
    let told_apart = choice("string");
    let number = r#"{"it":{"id":1,"note":null}}"#;
    check(&told_apart, number, number);
    check(&told_apart, r#"{"it":{"id":"x","note":null}}"#, r#"{"it":{"id":"x"}}"#);
    let alike = it(&json!({"anyOf": [
        branch("integer", &text, &["id"]),
        branch("number", &json!({"type": "string", "maxLength": 3}), &["id"]),
    ]}));
    check(&alike, number, r#"{"it":{"id":1}}"#);
    // The difference lies deeper than the choice.
    let deep = |inner: Value| object(&json!({"in": inner}), &["in"]);
    let schema = it(&json!({"oneOf": [
        deep(branch("integer", &text_or_null(), &["id", "note"])),
        deep(branch("integer", &text, &["id"])),
    ]}));
    check_loss(&schema, "anyOf at `/properties/it`");
}

#[test]
fn a_choice_within_itself_ends() {
    let node = json!({"$ref": "#/$defs/node"});
    let leaf = object(&json!({"word": {"type": "string"}}), &[]);
    let tree = object(&json!({"left": node, "right": node}), &["left", "right"]);
    let mut schema = it(&node);
    schema["$defs"] = json!({"node": {"anyOf": [leaf, tree, node]}});
    let written =
        r#"{"it":{"left":{"word":null},"right":{"left":{"word":"a"},"right":{"word":null}}}}"#;
    let meant = r#"{"it":{"left":{},"right":{"left":{"word":"a"},"right":{}}}}"#;
    check(&schema, written, meant);
}

#[test]
fn a_choice_that_takes_too_long_to_compare_is_not_declared_strict() {
    let branch = |at: usize| object(&json!({"a": {"type": "string", "maxLength": at}}), &[]);
    let branches: Vec<_> = (1..700).map(branch).collect();
    let adapter = adapter(&it(&json!({ "anyOf": branches })));
    let loss = adapter.report().losses().next().map(ToString::to_string).unwrap_or_default();
    assert!(loss.ends_with("too many branches to compare"), "{loss}");
}

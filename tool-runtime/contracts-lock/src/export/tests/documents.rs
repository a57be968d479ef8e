//! The exported documents: valid by their dialect, and valid for real calls.

use std::fs;

use serde_json::{Value, json};
use tool_contracts::{Effect, ToolkitSpec};
use tool_runtime::prelude::*;
use tool_runtime_core::tool::registry::Registry;

use super::{TempFolder, export, tool, tool_of};
use crate::Export;

/// What a login is for.
#[ai_type]
#[derive(Clone)]
enum Purpose {
    /// To read.
    Reading,
    /// To write, and what.
    Writing(String),
}

/// A login.
#[ai_type]
struct Login {
    /// Who.
    user: String,
    /// The password.
    #[arg(secret)]
    password: Option<String>,
    /// Earlier ones.
    before: Vec<Login>,
}

/// Why nobody got in.
#[derive(Debug, ToolFailure)]
#[failure(code = "LOCKED_OUT", type = FATAL, message = "too many tries")]
struct LockedOut;

/// Logs somebody in.
#[ai_tool(effect = "read")]
fn log_in(
    /// Who, and with what.
    login: Login,
    /// What for.
    purpose: Option<Purpose>,
    /// How often it was tried.
    #[arg(default)]
    tries: u32,
    /// The house's code.
    #[arg(secret, pattern = "^[0-9]+$")]
    code: String,
) -> Result<Vec<String>, LockedOut> {
    let _ = (login.password, login.before, purpose, code);
    if tries > 3 { Err(LockedOut) } else { Ok(vec![login.user]) }
}

/// Logs somebody out.
#[ai_tool(effect = "write", preview = show_log_out)]
fn log_out(
    /// Who.
    user: String,
) -> usize {
    user.len()
}

#[allow(clippy::needless_pass_by_value, reason = "it takes what the tool takes")]
fn show_log_out(user: String) -> String {
    format!("would log out {user}")
}

fn registry() -> Registry {
    Registry::new().tool::<LogInTool>().tool::<LogOutTool>()
}

fn schema(folder: &TempFolder, name: &str) -> jsonschema::Validator {
    let text = fs::read_to_string(folder.at(name)).unwrap();
    jsonschema::validator_for(&serde_json::from_str(&text).unwrap()).unwrap()
}

#[track_caller]
fn all_valid(folder: &TempFolder) {
    for name in folder.names() {
        let text = fs::read_to_string(folder.at(&name)).unwrap();
        assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{name}");
        if name == "TOOLS.md" || name == "tools.json" {
            continue;
        }
        let document: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(document["$schema"], "https://json-schema.org/draft/2020-12/schema", "{name}");
        assert_eq!(document["$id"], *name);
        jsonschema::meta::validate(&document).unwrap_or_else(|error| panic!("{name}: {error}"));
        jsonschema::validator_for(&document).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn every_schema_is_one_of_its_dialect() {
    let folder = TempFolder::new();
    Export::new(registry()).accepting().write_to(&folder).unwrap();
    assert_eq!(folder.names().len(), 2 * 5 + 9);
    all_valid(&folder);
}

#[test]
fn envelopes_may_be_written_once_and_be_left_out() {
    let folder = TempFolder::new();
    Export::new(registry()).accepting().write_to(&folder).unwrap();
    let all: u64 = folder.names().iter().map(|it| fs::metadata(folder.at(it)).unwrap().len()).sum();

    let export = Export::new(registry()).accepting().shared_envelopes();
    export.write_to(&folder).unwrap();
    let names =
        ["input", "output"].map(|part| ["log_in", "log_out"].map(|it| format!("{it}.{part}.json")));
    let mut expected: Vec<_> = names.into_iter().flatten().collect();
    expected.extend(["TOOLS.md", "envelopes.json", "tools.json"].map(str::to_owned));
    expected.sort();
    assert_eq!(folder.names(), expected, "the files of the earlier export are removed");
    all_valid(&folder);
    let few: u64 = folder.names().iter().map(|it| fs::metadata(folder.at(it)).unwrap().len()).sum();
    assert!(few * 2 < all, "{few} of {all} bytes");

    // Each envelope is the one of the contract.
    let text = fs::read_to_string(folder.at("envelopes.json")).unwrap();
    let envelopes: Value = serde_json::from_str(&text).unwrap();
    for (name, schema) in tool_contracts::schemas::all() {
        let schema = schema.to_value();
        let Some(title) = schema["title"].as_str().filter(|_| {
            let written = ["tool_output.json", "response_envelope.json", "tool_call_request.json"];
            written.contains(&name) || super::super::SHARED.contains(&name)
        }) else {
            continue;
        };
        let mut envelope = envelopes.clone();
        envelope["$ref"] = json!(format!("#/$defs/{title}"));
        let validator = jsonschema::validator_for(&envelope).unwrap();
        for example in schema["examples"].as_array().unwrap() {
            validator.validate(example).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        assert!(!validator.is_valid(&json!({"nothing": 1})), "{name}");
    }

    Export::new(registry()).accepting().inputs_only().write_to(&folder).unwrap();
    let inputs = ["TOOLS.md", "log_in.input.json", "log_out.input.json", "tools.json"];
    assert_eq!(folder.names(), inputs);
}

#[test]
fn older_dialects_are_said_in_the_new_one() {
    let folder = TempFolder::new();
    let input = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": "https://example.com/old",
        "type": "object",
        "properties": {
            "pair": {"items": [{"type": "string"}, {"$ref": "#/definitions/n"}], "additionalItems": false},
            "above": {"type": "number", "minimum": 0, "exclusiveMinimum": true},
            "maybe": {"type": "string", "nullable": true},
            "some": {"enum": ["a", "b"], "nullable": true},
            "$ref": {"type": "string"},
        },
        "dependencies": {"above": ["pair"], "maybe": {"required": ["some"]}},
        "definitions": {"n": {"type": "integer"}},
        "examples": [{"$ref": "#/nowhere"}],
    });
    export([tool_of("old", input.clone())]).write_to(&folder).unwrap();
    all_valid(&folder);

    let ours = tool_runtime_schema::schema::Validator::compile(&input).unwrap();
    let theirs = schema(&folder, "old.input.json");
    let request = schema(&folder, "old.tool_call_request.json");
    let instances = [
        (r#"{"pair": ["a", 1]}"#, true),
        (r#"{"pair": ["a", "1"]}"#, false),
        (r#"{"pair": ["a", 1, 2]}"#, false),
        (r#"{"above": 0, "pair": []}"#, false),
        (r#"{"above": 0.5, "pair": []}"#, true),
        (r#"{"above": 0.5}"#, false),
        (r#"{"maybe": null}"#, false),
        (r#"{"maybe": null, "some": "a"}"#, true),
        (r#"{"some": null}"#, false),
        (r#"{"some": "c"}"#, false),
        (r#"{"$ref": "x"}"#, true),
    ];
    for (text, valid) in instances {
        let report = ours.check(
            text,
            &tool_runtime_schema::Limits::new(),
            tool_runtime_schema::schema::Coerce::Off,
        );
        let instance: Value = serde_json::from_str(text).unwrap();
        assert_eq!(report.is_admitted(), valid, "ours: {text}");
        assert_eq!(theirs.is_valid(&instance), valid, "theirs: {text}");
        let call = json!({"call_id": "1", "name": "old", "arguments": instance});
        assert_eq!(request.is_valid(&call), valid, "request: {text}");
    }
}

#[test]
fn a_tool_with_the_names_of_the_contract_does_not_change_it() {
    let folder = TempFolder::new();
    let meta = json!({"$defs": {"ToolResultMeta": {"const": 1}, "Input": {"const": 2}}});
    let input = json!({
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/ToolResultMeta"}, "b": {"$ref": "#/$defs/Input"}},
        "$defs": meta["$defs"],
    });
    export([tool_of("names", input)]).write_to(&folder).unwrap();
    let output = schema(&folder, "names.tool_output.json");
    let said = |a: u64, took: Value| json!({"status": "ok", "input": {"a": a, "b": 2}, "data": null, "meta": {"took_ms": took}});
    assert!(output.is_valid(&said(1, json!(5))));
    assert!(!output.is_valid(&said(2, json!(5))));
    assert!(!output.is_valid(&said(1, json!("5"))));
}

#[test]
fn a_request_is_for_its_own_tool() {
    let folder = TempFolder::new();
    export([tool("a", &json!({"n": {"type": "integer"}}))]).write_to(&folder).unwrap();
    let request = schema(&folder, "a.tool_call_request.json");
    let call = |name: &str, arguments: Value| json!({"call_id": "call_1", "name": name, "arguments": arguments});
    assert!(request.is_valid(&call("a", json!({"n": 1}))));
    assert!(!request.is_valid(&call("b", json!({"n": 1}))));
    assert!(!request.is_valid(&call("a", json!({"n": "1"}))));
}

/// The output of a call in both envelopes, each valid by the tool's own schema.
async fn answered(
    runtime: &Runtime,
    folder: &TempFolder,
    tool: &str,
    text: &str,
    dry: bool,
) -> Value {
    let cx = ToolContext::builder(Uuid::nil(), "trace-1").run_id("run-1").dry_run(dry);
    let mut call = runtime.call(tool, text, &cx.build().unwrap());
    let output = call.execute().await;
    let response = serde_json::to_value(output.to_envelope()).unwrap();
    let output: Value = serde_json::from_str(&output.to_string()).unwrap();
    for (part, value) in [("tool_output", &output), ("response_envelope", &response)] {
        let schema = schema(folder, &format!("{tool}.{part}.json"));
        let errors: Vec<_> = schema.iter_errors(value).map(|it| it.to_string()).collect();
        assert!(errors.is_empty(), "{part} {value}: {errors:?}");
        // Other data, input or status is not valid.
        let mut wrong = value.clone();
        wrong["data"] = json!({"no": "such"});
        assert_eq!(schema.is_valid(&wrong), dry && effect(tool) != Effect::Read, "{part} {wrong}");
    }
    output
}

fn effect(tool: &str) -> Effect {
    if tool == "log_in" { Effect::Read } else { Effect::Write }
}

#[tokio::test]
async fn every_answer_is_valid_by_its_exported_envelope() {
    let folder = TempFolder::new();
    Export::new(registry()).accepting().write_to(&folder).unwrap();
    let runtime = Runtime::builder()
        .tool::<LogInTool>()
        .tool::<LogOutTool>()
        .permission("log_out", Permission::Allow)
        .build()
        .unwrap();
    let login = r#"{"user": "ann", "password": "hunter2", "before": [{"user": "x", "password": null, "before": []}]}"#;
    let calls = [
        ("ok", format!(r#"{{"login": {login}, "code": "123"}}"#)),
        (
            "ok",
            format!(r#"{{"login": {login}, "code": "123", "tries": "2", "purpose": "Reading"}}"#),
        ),
        ("ok", format!(r#"{{"login": {login}, "code": "123", "purpose": {{"Writing": "it"}}}}"#)),
        ("error", format!(r#"{{"login": {login}, "code": "123", "tries": 9}}"#)),
        ("error", format!(r#"{{"login": {login}, "code": "abc"}}"#)),
        ("error", r#"{"login": "#.to_owned()),
        ("error", "[]".to_owned()),
    ];
    for (status, text) in calls {
        let output = answered(&runtime, &folder, "log_in", &text, false).await;
        assert_eq!(output["status"], status, "{text}");
        assert!(!output.to_string().contains("hunter2"));
    }
    for dry in [false, true] {
        let output = answered(&runtime, &folder, "log_out", r#"{"user": "ann"}"#, dry).await;
        assert_eq!((&output["status"], output["data"].is_string()), (&json!("ok"), dry));
    }
}

#[tokio::test]
async fn a_masked_echo_is_valid_whatever_is_said_of_secrets() {
    let folder = TempFolder::new();
    let secret = |more: Value| {
        let mut schema = json!({"type": "string", "x-sensitivity": "secret"});
        schema.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        schema
    };
    let input = json!({
        "type": "object",
        "properties": {
            "token": {"anyOf": [secret(json!({"minLength": 4})), {"type": "null"}]},
            "keys": {"type": "array", "uniqueItems": true, "items": {"$ref": "#/$defs/key"}},
            "pin": {"oneOf": [secret(json!({"maxLength": 4})), {"type": "string", "minLength": 5}]},
            "by": {"type": "string", "enum": ["pin", "token"]},
            "code": {
                "type": "string", "minLength": 4, "if": {"minLength": 1}, "then": secret(json!({})),
            },
        },
        "allOf": [{"properties": {"pin": {"not": {"const": "***"}}}}],
        "required": ["by"],
        "$defs": {"key": secret(json!({"pattern": "^[a-z]{5}$"}))},
    });
    let tool = || tool_of("open", input.clone());
    export([tool()]).write_to(&folder).unwrap();
    let runtime = Runtime::builder().dynamic(tool()).build().unwrap();
    let cx = ToolContext::builder(Uuid::nil(), "trace-1").run_id("run-1").build().unwrap();
    let schema = schema(&folder, "open.tool_output.json");
    for text in [
        r#"{"by": "token", "token": "hunter2", "keys": ["hunte", "rtwoo"], "code": "12345"}"#,
        r#"{"by": "pin", "token": null, "pin": "1234"}"#,
        r#"{"by": "pin", "keys": [], "pin": "hunter2"}"#,
    ] {
        let mut call = runtime.call("open", text, &cx);
        let output: Value = serde_json::from_str(&call.execute().await.to_string()).unwrap();
        assert_eq!(output["status"], "ok", "{output}");
        let errors: Vec<_> = schema.iter_errors(&output).map(|it| it.to_string()).collect();
        assert!(errors.is_empty(), "{output}: {errors:?}");
        let mut wrong = output;
        wrong["input"]["by"] = json!("key");
        assert!(!schema.is_valid(&wrong), "what is no secret is still checked");
    }
}

#[test]
fn an_answer_that_breaks_the_contract_is_not_valid() {
    let folder = TempFolder::new();
    Export::new(registry()).accepting().write_to(&folder).unwrap();
    let output = schema(&folder, "log_in.tool_output.json");
    let input = json!({"login": {"user": "a", "password": "***", "before": []}, "code": "***"});
    let good = json!({"status": "ok", "input": input, "data": ["a"], "meta": {"took_ms": 1}});
    assert!(output.is_valid(&good));
    let mut plain_secret = good.clone();
    plain_secret["input"]["code"] = json!("123");
    let mut unasked = good.clone();
    unasked["input"]["tries"] = json!("2");
    let mut mended = unasked.clone();
    mended["meta"]["coercions"] = json!([{"pointer": "/tries", "from": "string", "to": "integer"}]);
    assert!(!output.is_valid(&plain_secret));
    assert!(!output.is_valid(&unasked));
    assert!(output.is_valid(&mended));

    let failed = |error_type: &str| {
        let error = json!({"type": error_type, "message": "no", "code": "LOCKED_OUT"});
        json!({"status": "error", "input": null, "error": error, "meta": {"took_ms": 1}})
    };
    assert!(output.is_valid(&failed("FATAL")));
    assert!(!output.is_valid(&failed("RETRYABLE")));
}

#[test]
fn the_reference_tells_a_person_what_a_call_needs() {
    let folder = TempFolder::new();
    let lines = json!({"type": "array", "minItems": 1, "items": {
        "type": "object", "required": ["sku"],
        "properties": {
            "sku": {"type": "string", "pattern": "^[a-z|]+$", "examples": ["tea"], "description": "Which | one."},
            "count": {"type": "integer", "minimum": 1, "maximum": 9, "default": 1},
        },
    }});
    let input = json!({"type": "object", "properties": {"lines": lines}, "required": ["lines"]});
    export([tool_of("order", input)]).write_to(&folder).unwrap();
    Export::new(registry()).accepting().write_to(folder.at("typed")).unwrap();
    let dynamic = fs::read_to_string(folder.at("TOOLS.md")).unwrap();
    let typed = fs::read_to_string(folder.at("typed").join("TOOLS.md")).unwrap();
    let lines = [
        (&dynamic, "| `lines` | list of object | yes |  | 1 items or more |  |"),
        (&dynamic, r"| `lines[].sku` | string | yes |  | pattern `^[a-z\|]+$` | Which \| one. |"),
        (&dynamic, "| `lines[].count` | integer | no | `1` | 1 to 9 |  |"),
        (&dynamic, "      \"sku\": \"tea\""),
        (&dynamic, "Any JSON."),
        (&typed, "| `login.password` | string or null | no |  | secret | The password. |"),
        (&typed, "| `LOCKED_OUT` | FATAL |"),
        (&typed, "`data` is list of string."),
    ];
    for (page, line) in lines {
        assert!(page.lines().any(|it| it == line), "{line}\nin\n{page}");
    }
}

#[test]
fn the_reference_shows_the_authors_examples_in_place_of_a_generated_call() {
    let find = DynamicTool::new("find", Effect::Read)
        .description("Finds pages.")
        .input_schema(json!({"type": "object", "properties": {"query": {"type": "string"}}}))
        .input_example(json!({"query": "tea"}))
        .handler(|_| async { Ok::<_, Failure>(()) });
    let folder = TempFolder::new();
    export([find]).write_to(&folder).unwrap();
    let reference = fs::read_to_string(folder.at("TOOLS.md")).unwrap();
    assert!(reference.contains("Examples:\n\n```json\n{\"query\":\"tea\"}\n```"), "{reference}");
    assert!(!reference.contains("A minimal call"), "{reference}");
}

#[test]
fn catalogue_and_reference_show_each_toolkit() {
    let notes = ToolkitSpec::new("notes", "Keeps notes.\n\n# Limits\nTen notes.").unwrap();
    let tools =
        ["notes.add", "notes.list"].map(|name| tool(name, &json!({})).toolkit(notes.clone()));
    let folder = TempFolder::new();
    export(tools.into_iter().chain([tool("alone", &json!({}))])).write_to(&folder).unwrap();
    let page = fs::read_to_string(folder.at("TOOLS.md")).unwrap();
    let section =
        "\n## Toolkit `notes`\n\nKeeps notes.\n\n#### Limits\nTen notes.\n\n## `notes.add`\n";
    assert_eq!(page.matches(section).count(), 1, "{page}");
    assert_eq!(page.matches("## Toolkit").count(), 1, "{page}");
    assert_eq!(page.matches("\n| toolkit | `notes` |\n").count(), 2, "{page}");

    let catalogue = fs::read_to_string(folder.at("tools.json")).unwrap();
    let catalogue: Value = serde_json::from_str(&catalogue).unwrap();
    let toolkits: Vec<_> =
        catalogue["tools"].as_array().unwrap().iter().map(|it| &it["toolkit"]["name"]).collect();
    assert_eq!(toolkits, [&Value::Null, &json!("notes"), &json!("notes")]);
}

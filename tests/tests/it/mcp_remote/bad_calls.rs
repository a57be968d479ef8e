//! The table of bad calls, for a tool of another server: nothing of a bad call is sent.

use serde_json::json;
use tool_runtime::Limits;
use tool_runtime::mcp::{self, Remote};
use tool_runtime::prelude::*;

use super::server::{TestServer, tool};
use super::{answer, cx, envelope, runtime};
use crate::bad_calls;

/// Connects to a server of the tools of the table.
async fn table_of_another_server(runtime: &Runtime) -> Remote {
    let serve = || {
        let (here, there) = tokio::io::duplex(1 << 16);
        let (input, output) = tokio::io::split(there);
        tokio::spawn(mcp::stdio(bad_calls::runtime()).serve_on(input, output));
        here
    };
    let builder = super::remote(serve).effect("find", Effect::Read).effect("count", Effect::Read);
    builder.effect("store", Effect::Write).connect(runtime).await.unwrap()
}

#[tokio::test]
async fn each_bad_call_is_refused_as_one_of_a_tool_of_this_program() {
    let (here, there) = (bad_calls::runtime(), runtime());
    let _remote = table_of_another_server(&there).await;
    let whole = r#"{"query":"tea","limit":5}"#;
    let texts = [
        ("find", r#"{"limit":99,"tags":[true],"near":{"x":1}}"#.to_owned()),
        ("find", r#"{"query":"tea","limit":"hunter2"}"#.to_owned()),
        ("find", r#"{"query":"tea","limt":3}"#.to_owned()),
        ("find", r#"{"query":"tea","cx":{"tenant_id":"x"}}"#.to_owned()),
        ("find", r#"{"query":"t","weights":{"a":1,"a":2}}"#.to_owned()),
        ("find", r#"{"query":"t","near":{"x":1,"x":1,"y":2}}"#.to_owned()),
        ("find", r#"{"query":"t","near":{"x":9007199254740993,"y":0}}"#.to_owned()),
        ("find", r#"{"query":"t","near":{"x":1e999,"y":0}}"#.to_owned()),
        ("find", r#"["tea"]"#.to_owned()),
        ("find", format!(r#"{{"query":"{}"}}"#, "x".repeat(10_000_000))),
        (
            "find",
            format!(r#"{{"query":"{}"}}"#, "x".repeat(Limits::default().max_string_bytes() + 1)),
        ),
        ("find", format!(r#"{{"tags":{}{}}}"#, "[".repeat(10_000), "]".repeat(10_000))),
        ("store", r#"{"id":"5"}"#.to_owned()),
        ("store", String::new()),
        ("count", r#"{"limit":1,"limit":1}"#.to_owned()),
        ("count", r#"{"limit":NaN}"#.to_owned()),
        ("count", r#"{"limit":1} x"#.to_owned()),
    ];
    let cut = (1..whole.len()).map(|length| ("find", whole[..length].to_owned()));
    for (tool, text) in texts.into_iter().chain(cut) {
        let begin = &text[..text.len().min(40)];
        let one = here.call(tool, &*text, &cx());
        let other = there.call(&format!("far.{tool}"), &*text, &cx());
        assert_eq!(other.status(), CallStatus::Rejected, "{tool} {begin}");
        let error = |call: &tool_runtime::ToolCall| {
            let found = envelope(call.output().unwrap());
            (found["error"].clone(), found["input"].clone())
        };
        assert_eq!(error(&other), error(&one), "{tool} {begin}");
    }
    let unknown = answer(&there, "far.fnd", "{}").await;
    assert_eq!(unknown["error"]["code"], "NOT_FOUND");
    assert_eq!(unknown["error"]["details"]["closest"], json!(["far.find"]));
}

#[tokio::test]
async fn slips_that_lose_nothing_are_mended_with_the_same_receipts() {
    let (here, there) = (bad_calls::runtime(), runtime());
    let _remote = table_of_another_server(&there).await;
    let slips = [
        ("find", r#"{"query":"tea","limit":"5","tags":"[\"a\"]"}"#),
        ("count", r#"{"limit":1.0}"#),
        ("count", r#"{"limit":-0}"#),
        ("store", r#"{"id":7.0}"#),
    ];
    for (tool, text) in slips {
        let one = answer(&here, tool, text).await;
        let other = answer(&there, &format!("far.{tool}"), text).await;
        assert!(one["meta"]["coercions"].is_array(), "{one}");
        assert_eq!(other["meta"]["coercions"], one["meta"]["coercions"], "{other}");
        assert_eq!(other["data"], one["data"], "{other}");
    }
}

#[tokio::test]
async fn bad_arguments_are_refused_before_anything_is_sent() {
    let mut find = tool("find");
    find["inputSchema"]["required"] = json!(["message"]);
    find["inputSchema"]["additionalProperties"] = json!(false);
    let server = TestServer::new([find]);
    let runtime = runtime();
    let _remote = server.remote().effect("find", Effect::Read).connect(&runtime).await.unwrap();
    let table: &[(&str, &[(&str, &str)])] = &[
        ("{}", &[("/message", "required")]),
        (
            r#"{"message":"012345678901234567890","count":0}"#,
            &[("/message", "maxLength"), ("/count", "minimum")],
        ),
        (r#"{"message":true}"#, &[("/message", "type")]),
        (r#"{"message":"a","mesage":"b"}"#, &[("/mesage", "additionalProperties")]),
        (r#"{"message":"a","count":1.5}"#, &[("/count", "type")]),
    ];
    for (arguments, violations) in table {
        let call = runtime.call("far.find", *arguments, &cx());
        assert_eq!(call.status(), CallStatus::Rejected, "{arguments}");
        let found: Vec<_> =
            call.violations().iter().map(|one| (one.pointer(), one.rule())).collect();
        assert_eq!(found, *violations, "{arguments}");
    }
    assert_eq!(server.calls(), []);
}

#[tokio::test]
async fn a_lossless_slip_is_mended_for_a_read_and_refused_for_a_write() {
    let server = TestServer::new([tool("find"), tool("save")]);
    let runtime = runtime();
    let _remote = server.remote().effect("find", Effect::Read).connect(&runtime).await.unwrap();
    let mended = answer(&runtime, "far.find", r#"{"count":"5"}"#).await;
    assert_eq!(mended["meta"]["coercions"][0]["pointer"], "/count", "{mended}");
    assert_eq!(server.calls(), [("find".to_owned(), json!({"count": 5}))]);
    let refused = answer(&runtime, "far.save", r#"{"count":"5"}"#).await;
    assert_eq!(refused["error"]["code"], "INVALID_ARGUMENT");
    assert_eq!(server.calls().len(), 1);
}

#[tokio::test]
async fn an_output_that_breaks_its_schema_is_not_delivered() {
    let mut wrong = super::server::adder();
    wrong["name"] = json!("wrong");
    let server = TestServer::new([wrong]);
    let runtime = runtime();
    let _remote = server.remote().connect(&runtime).await.unwrap();
    let refused = answer(&runtime, "far.wrong", r#"{"count":1}"#).await;
    assert_eq!(refused["error"]["code"], "INVALID_OUTPUT");
    assert!(refused.get("data").is_none(), "{refused}");
}

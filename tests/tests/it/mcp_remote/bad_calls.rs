//! The table of bad calls, for a tool of another server: nothing of a bad call is sent.

use serde_json::json;
use tool_runtime::prelude::*;

use super::server::{TestServer, tool};
use super::{answer, cx, runtime};

#[tokio::test]
async fn bad_arguments_are_refused_before_anything_is_sent() {
    let mut find = tool("find");
    find["inputSchema"]["required"] = json!(["message"]);
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
    for malformed in ["", "[1]", "{\"message\":\"a\"", r#"{"message":"a","message":"b"}"#, "NaN"] {
        if malformed.is_empty() {
            continue;
        }
        let refused = answer(&runtime, "far.find", malformed).await;
        assert_eq!(refused["error"]["code"], "INVALID_ARGUMENT", "{malformed}");
    }
    let deep = format!("{{\"message\":{}1{}}}", "[".repeat(10_000), "]".repeat(10_000));
    assert_eq!(answer(&runtime, "far.find", &deep).await["error"]["code"], "INVALID_ARGUMENT");
    let unknown = answer(&runtime, "far.fnd", "{}").await;
    assert_eq!(unknown["error"]["code"], "NOT_FOUND");
    assert_eq!(unknown["error"]["details"]["closest"], json!(["far.find"]));
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

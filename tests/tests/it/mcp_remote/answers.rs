//! The answers of remote tools: data, attachments, failures, progress, cancellation, and what a server
//! asks its client for.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use tool_runtime::ProgressUpdate;
use tool_runtime::mcp::RemoteLimits;

use super::server::{TestServer, tool};
use super::{ERAS, answer, cx, envelope, runtime};

#[tokio::test]
async fn images_sounds_files_and_links_arrive_as_attachments() {
    let server = TestServer::new([tool("media")]);
    let runtime = runtime();
    let _remote = server.remote().connect(&runtime).await.unwrap();
    let mut call = runtime.call("far.media", "{}", &cx());
    let output = call.execute().await;
    assert_eq!(output.data_json(), Some(r#""a picture""#));
    let attached: Vec<_> = output
        .attachments()
        .iter()
        .map(|one| (one.media_type(), one.name(), one.as_text().or(one.url())))
        .collect();
    assert_eq!(
        attached,
        [
            ("image/png", None, None),
            ("audio/wav", None, None),
            ("text/plain", Some("tea.txt"), Some("green")),
            ("application/octet-stream", Some("blob"), None),
            ("application/pdf", Some("a.pdf"), Some("https://example.com/a.pdf")),
            ("text/uri-list", Some("one"), Some("test://1\n")),
        ]
    );
    let attachments = output.attachments();
    assert_eq!(attachments[0].as_bytes(), Some(&b"\x89PNG"[..]));
    assert!(!attachments[0].is_for(tool_runtime::contracts::Audience::Assistant));
    assert_eq!(attachments[4].description(), Some("An invoice."));
    let warnings = envelope(output)["meta"]["warnings"].to_string();
    assert!(warnings.contains("not base64"), "{warnings}");
}

#[tokio::test]
async fn an_error_of_the_tool_is_a_failure_with_the_bounded_text_of_the_server() {
    let server = TestServer::new([tool("fail")]);
    let runtime = runtime();
    let limits = RemoteLimits::new().with_max_error_chars(6);
    let remote = server.remote().connect(&runtime).await.unwrap();
    let failed = answer(&runtime, "far.fail", "{}").await;
    assert_eq!(failed["error"]["code"], "UPSTREAM_ERROR");
    assert_eq!(failed["error"]["message"], "no tea left");
    remote.close().await;
    let _remote = server.remote().limits(limits).connect(&runtime).await.unwrap();
    let failed = answer(&runtime, "far.fail", "{}").await;
    assert_eq!(failed["error"]["message"], "no tea…");
}

#[tokio::test]
async fn an_error_of_the_protocol_is_a_failure_with_its_code() {
    for protocol in ERAS {
        let server = TestServer::new([tool("refuse"), tool("break")]);
        let runtime = runtime();
        let _remote = server.remote().protocol(protocol).connect(&runtime).await.unwrap();
        let refused = answer(&runtime, "far.refuse", "{}").await["error"].clone();
        assert_eq!(refused["code"], "INVALID_ARGUMENT", "{refused}");
        assert_eq!(refused["details"], json!({"upstream_code": -32602, "effect": "none"}));
        assert!(refused["message"].as_str().unwrap().ends_with("no such pot"));
        let broken = answer(&runtime, "far.break", "{}").await["error"].clone();
        assert_eq!(broken["code"], "UPSTREAM_ERROR");
        assert_eq!(broken["details"]["effect"], "unknown", "{broken}");
    }
}

#[tokio::test]
async fn progress_of_the_server_reaches_the_host() {
    for protocol in ERAS {
        let server = TestServer::new([tool("steps")]);
        let runtime = runtime();
        let _remote = server.remote().protocol(protocol).connect(&runtime).await.unwrap();
        let steps = Arc::new(Mutex::new(Vec::new()));
        let seen = steps.clone();
        let mut call = runtime.call("far.steps", "{}", &cx());
        call.on_progress(move |update: ProgressUpdate| {
            seen.lock().unwrap().push((update.fraction, update.message.clone()));
        });
        assert_eq!(call.execute().await.data_json(), Some(r#""done""#));
        let steps = steps.lock().unwrap().clone();
        assert!(steps.contains(&(Some(0.5), "step 1".to_owned())), "{steps:?}");
    }
}

#[tokio::test]
async fn a_deadline_of_the_call_is_cancelled_on_the_server() {
    for protocol in ERAS {
        let server = TestServer::new([tool("slow")]);
        let runtime = runtime();
        let builder = server.remote().protocol(protocol);
        let builder = builder.call_timeout(Duration::from_millis(50));
        let _remote = builder.connect(&runtime).await.unwrap();
        let late = answer(&runtime, "far.slow", "{}").await;
        assert_eq!(late["error"]["code"], "TIMEOUT");
        assert_eq!(late["error"]["details"]["effect"], "unknown");
        server.cancelled().await;
    }
}

#[tokio::test]
async fn a_cancellation_by_the_host_is_sent_to_the_server() {
    let server = TestServer::new([tool("slow")]);
    let runtime = runtime();
    let _remote = server.remote().connect(&runtime).await.unwrap();
    let mut call = runtime.call("far.slow", "{}", &cx());
    let cancellation = call.cancellation().unwrap();
    let cancel = async {
        server.started().await;
        cancellation.cancel();
        server.cancelled().await;
    };
    let (output, ()) = tokio::join!(call.execute(), cancel);
    assert_eq!(envelope(output)["error"]["code"], "CANCELLED");
}

#[tokio::test]
async fn an_elicitation_is_declined_in_both_eras() {
    for protocol in ERAS {
        let server = TestServer::new([tool("ask")]);
        let runtime = runtime();
        let _remote = server.remote().protocol(protocol).connect(&runtime).await.unwrap();
        let declined = answer(&runtime, "far.ask", "{}").await;
        assert_eq!(declined["data"], "decline", "{protocol:?} {declined}");
    }
}

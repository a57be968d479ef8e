//! Files, images and links beside an answer: in the envelope, in stores, in records and over HTTP.

mod http;
mod previews;
mod records;

use serde_json::{Value, json};
use tool_runtime::adapters::{Adapter, Dialect, ToolAnswer};
use tool_runtime::contracts::Audience;
use tool_runtime::policy::Policy;
use tool_runtime::prelude::*;
use tool_runtime::store::MemoryStore;
use tool_runtime::{Attachment, AttachmentError, AttachmentHandle, AttachmentLimits, Attachments};

use crate::support::{cx, envelope};

/// The SHA-256 of `hello`.
const SHA256: &str = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

/// Makes files.
#[ai_tool(effect = "read", ttl = "60s", version = "1.0.0", evidence)]
async fn proven(attachments: &Attachments) -> Result<u32, AttachmentError> {
    attachments.add(Attachment::text("text/plain", "hello").with_name("greeting.txt"))?;
    Ok(1)
}

/// Makes a file of a length.
#[ai_tool(effect = "read", version = "1.0.0")]
async fn export(
    attachments: &Attachments,
    /// The length.
    bytes: u32,
    /// The number of files.
    #[arg(default = 1)]
    count: u32,
) -> Result<u32, AttachmentError> {
    for _ in 0..count {
        let content = vec![b'x'; bytes as usize];
        attachments.add(Attachment::bytes("application/zip", content).with_name("export.zip"))?;
    }
    Ok(count)
}

/// Sends a report, once for each key.
#[ai_tool(effect = "write", version = "1.0.0")]
async fn report(dry: &DryRun, attachments: &Attachments) -> Result<u32, AttachmentError> {
    let _ = dry;
    attachments.add(Attachment::bytes("image/png", vec![7; 100_000]).with_name("chart.png"))?;
    Ok(1)
}

/// Repeats a secret.
#[ai_tool(effect = "read", version = "1.0.0")]
async fn leak(
    attachments: &Attachments,
    /// The token.
    #[arg(secret)]
    token: String,
) -> Result<u32, AttachmentError> {
    let text = format!("the token is {token}");
    attachments
        .add(Attachment::text("text/csv", &*text).with_name(&*token).with_description(&*text))?;
    attachments.add(Attachment::link("image/png", format!("https://example.org/{token}")))?;
    Ok(1)
}

/// Attaches what the contract does not allow.
#[ai_tool(effect = "read", version = "1.0.0")]
async fn wrong(attachments: &Attachments) -> Result<u32, AttachmentError> {
    attachments.add(Attachment::text("PNG", "x").with_name("../etc/passwd"))?;
    Ok(1)
}

fn builder() -> tool_runtime::RuntimeBuilder {
    Runtime::builder()
        .tool::<ExportTool>()
        .tool::<ReportTool>()
        .tool::<LeakTool>()
        .tool::<WrongTool>()
        .permission("report", Permission::Allow)
}

fn keyed(key: &str) -> ToolContext {
    let cx = ToolContext::builder(Uuid::nil(), "trace-1").run_id("run-1").user_id("jane");
    cx.idempotency_key(key).build().unwrap()
}

async fn output_of(runtime: &Runtime, tool: &str, input: &str, cx: &ToolContext) -> ToolOutput {
    let mut call = runtime.call(tool, input, cx);
    call.execute().await.clone()
}

fn handle_of(output: &ToolOutput) -> AttachmentHandle {
    let envelope: Value = envelope(output);
    let id = envelope["meta"]["attachments"][0]["id"].as_str().expect("it is stored");
    AttachmentHandle::parse(id).unwrap()
}

#[tokio::test]
async fn a_small_file_is_in_the_envelope_with_its_size_and_hash() {
    let runtime = builder().build().unwrap();
    let output = output_of(&runtime, "export", r#"{"bytes":3}"#, &cx()).await;
    let written = &envelope(&output)["meta"]["attachments"];
    let expected = json!([{
        "media_type": "application/zip",
        "name": "export.zip",
        "size": 3,
        "sha256": "cd2eb0837c9b4c962c22d2ff8b5441b7b45805887f051d39bf133b583baf6860",
        "data": "eHh4",
    }]);
    assert_eq!(*written, expected);
    assert_eq!(output.attachments()[0].as_bytes(), Some(&b"xxx"[..]));
    let typed = output.decode::<Value, u32>().unwrap();
    assert_eq!(typed.as_result().unwrap().meta().attachments().len(), 1);
}

#[tokio::test]
async fn a_large_file_is_in_the_store_for_its_own_caller_only() {
    let runtime = builder().build().unwrap();
    let (jane, input) = (keyed("k"), r#"{"bytes":70000}"#);
    let output = output_of(&runtime, "export", input, &jane).await;
    assert!(output.json().len() < 1_000, "the bytes are not in the envelope");
    // The process that made the answer still has the bytes.
    assert_eq!(output.attachments()[0].as_bytes().map(<[u8]>::len), Some(70_000));
    let handle = handle_of(&output);
    let read = runtime.outputs().attachment(handle, &jane).await.unwrap().expect("it is stored");
    assert_eq!(read, output.attachments()[0]);
    for other in [
        cx(),
        ToolContext::builder(Uuid::from_u128(1), "t").run_id("r").user_id("jane").build().unwrap(),
    ] {
        assert_eq!(runtime.outputs().attachment(handle, &other).await.unwrap(), None);
    }
}

#[tokio::test]
async fn the_limits_of_the_runtime_refuse_what_is_too_much() {
    let limits =
        AttachmentLimits::new().with_max_count(2).with_max_bytes(10).with_max_inline_bytes(4);
    let runtime = builder().attachment_limits(limits).build().unwrap();
    for (input, message) in [
        (r#"{"bytes":11}"#, "the attachments of an answer have at most 10 bytes together"),
        (r#"{"bytes":6,"count":2}"#, "the attachments of an answer have at most 10 bytes together"),
        (r#"{"bytes":1,"count":3}"#, "an answer has at most 2 attachments"),
    ] {
        let output = output_of(&runtime, "export", input, &cx()).await;
        let error = output.error().expect(input);
        assert_eq!((error.code(), error.message()), (Some("INVALID_OUTPUT"), message));
        assert!(output.attachments().is_empty());
    }
    let output = output_of(&runtime, "export", r#"{"bytes":5,"count":2}"#, &cx()).await;
    assert!(output.is_ok() && output.attachments().iter().all(|it| it.handle().is_some()));
}

#[tokio::test]
async fn a_value_that_the_contract_does_not_allow_is_named() {
    let runtime = builder().build().unwrap();
    let output = output_of(&runtime, "wrong", "{}", &cx()).await;
    let message = output.error().unwrap().message().to_owned();
    assert!(message.contains("`media_type`") && message.contains("`name`"), "{message}");
    assert!(!message.contains("passwd"), "{message}");
}

#[tokio::test]
async fn secrets_of_the_call_are_in_no_text_of_an_attachment() {
    let runtime = builder().build().unwrap();
    let output = output_of(&runtime, "leak", r#"{"token":"canary-5f2c"}"#, &cx()).await;
    assert_eq!(output.attachments().len(), 2);
    let text = output.attachments()[0].as_text().unwrap();
    assert!(text.starts_with("the token is ") && !text.contains("canary"), "{text}");
    assert!(!output.json().contains("canary"), "{}", output.json());
}

#[tokio::test]
async fn a_repeat_under_the_same_key_names_the_same_file() {
    let runtime = builder().policy(Policy::new().store(MemoryStore::new())).build().unwrap();
    let first = output_of(&runtime, "report", "{}", &keyed("k")).await;
    let second = output_of(&runtime, "report", "{}", &keyed("k")).await;
    assert!(second.meta().replayed());
    assert_eq!(handle_of(&first), handle_of(&second));
    // A repeat reads no bytes until it is asked for them.
    assert_eq!(second.attachments()[0].as_bytes(), None);
    let read =
        runtime.outputs().attachment(handle_of(&second), &keyed("k")).await.unwrap().unwrap();
    assert_eq!(read.as_bytes(), Some(&*vec![7; 100_000]));
}

#[tokio::test]
async fn a_model_sees_the_picture_of_a_write_that_is_replayed() {
    let runtime = builder().policy(Policy::new().store(MemoryStore::new())).build().unwrap();
    let adapter = Adapter::new(Dialect::Anthropic, runtime.specs_for_model());
    let response = r#"{"stop_reason":"tool_use","content":[{"type":"tool_use","id":"t","name":"report","input":{}}]}"#;
    let turn = adapter.read(response).unwrap();
    let mut pictures = Vec::new();
    for is_replay in [false, true] {
        let mut calls = turn.open_calls(&runtime, &keyed("k"));
        runtime.execute_all(&mut calls).await;
        assert_eq!(calls[0].output().unwrap().meta().replayed(), is_replay);
        let answer = ToolAnswer::for_model(&calls[0]).await;
        let messages = adapter.answer_messages(&turn, [answer]).unwrap();
        let shown = &messages[0]["content"][0]["content"];
        pictures.push(shown[1]["source"].clone());
    }
    assert!(pictures[0]["data"].is_string() && pictures[0] == pictures[1]);

    // A host that has only the output reads the store itself.
    let output = output_of(&runtime, "report", "{}", &keyed("k")).await;
    let read = runtime.outputs().attachment(handle_of(&output), &keyed("k")).await.unwrap();
    let answer = ToolAnswer::new("t", &output).with_attachments(read);
    let messages = adapter.answer_messages(&turn, [answer]).unwrap();
    assert!(messages[0]["content"][0]["content"][1]["source"] == pictures[0]);
}

#[tokio::test]
async fn an_attachment_says_for_whom_it_is() {
    let file = Attachment::text("text/csv", "a").with_audience([Audience::User]);
    assert!(file.is_for(Audience::User) && !file.is_for(Audience::Assistant));
    assert!(Attachment::text("text/csv", "a").is_for(Audience::Assistant));
}

#[tokio::test]
async fn a_tool_s_function_is_tested_without_a_runtime() {
    let attachments = Attachments::detached();
    assert_eq!(export(&attachments, 3, 1).await, Ok(1));
    assert!(matches!(wrong(&attachments).await, Err(AttachmentError::Invalid(_))));
}

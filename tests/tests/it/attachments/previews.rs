//! Attachments of a preview, which an approver sees.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use serde_json::json;
use tool_runtime::http;
use tool_runtime::policy::{Policy, ToolPolicy};
use tool_runtime::prelude::*;
use tool_runtime::{Attachment, AttachmentError, Attachments};

use super::keyed;
use crate::http::{call, get, open, send};

/// The colour of the poster.
struct Colour(AtomicU8);

async fn plan(attachments: &Attachments, colour: &Colour) -> Result<u32, AttachmentError> {
    let bytes = vec![colour.0.load(Ordering::SeqCst); 3];
    attachments.add(Attachment::bytes("image/png", bytes).with_name("poster.png"))?;
    Ok(1)
}

/// Prints a poster.
#[ai_tool(effect = "write", version = "1.0.0", preview = plan)]
async fn print_poster(attachments: &Attachments, colour: &Colour) -> Result<u32, AttachmentError> {
    plan(attachments, colour).await
}

fn runtime(policy: Policy) -> (Runtime, Arc<Colour>) {
    let colour = Arc::new(Colour(AtomicU8::new(b'x')));
    let builder = Runtime::builder().tool::<PrintPosterTool>().policy(policy);
    (builder.shared_state(colour.clone()).build().unwrap(), colour)
}

#[tokio::test]
async fn the_approver_sees_what_the_preview_attached() {
    let (runtime, _) = runtime(Policy::new());
    let mut call = runtime.call("print_poster", "{}", &keyed("k"));
    let preview = call.load_preview().await;
    assert!(
        preview.to_string().ends_with(": 1; attached: poster.png (image/png, 3 bytes)"),
        "{preview}"
    );
    let attachments = preview.attachments();
    assert_eq!((attachments.len(), attachments[0].data()), (1, Some("eHh4")));
}

#[tokio::test]
async fn a_waiting_call_has_the_attachments_of_its_preview() {
    let (runtime, _) = runtime(Policy::new());
    let mut call = runtime.call("print_poster", "{}", &keyed("k"));
    call.execute().await;
    let waiting = runtime.tickets().waiting(Uuid::nil(), None, 10).await.unwrap();
    assert_eq!(waiting.calls[0].preview(), Some("1"));
    assert_eq!(waiting.calls[0].preview_attachments()[0].name(), Some("poster.png"));
}

#[tokio::test]
async fn an_approver_over_http_sees_the_picture_of_the_preview() {
    let (runtime, _) = runtime(Policy::new());
    let app = http::router(runtime, open());
    let asked = call(&app, "print_poster", "{}").await;
    assert_eq!(asked.json()["detail"]["code"], "NEEDS_USER_CONFIRMATION", "{}", asked.text);
    let mut request = get("/approvals");
    for (name, value) in
        [("x-tenant-id", "yantian"), ("x-site-id", "yantian-main"), ("x-trace-id", "trace-2")]
    {
        request.headers_mut().insert(name, value.parse().unwrap());
    }
    let listed = send(&app, request).await.json();
    let expected = json!([{
        "media_type": "image/png",
        "name": "poster.png",
        "size": 3,
        "sha256": "cd2eb0837c9b4c962c22d2ff8b5441b7b45805887f051d39bf133b583baf6860",
        "data": "eHh4",
    }]);
    assert_eq!(listed["approvals"][0]["preview_attachments"], expected, "{listed}");
}

#[tokio::test]
async fn an_approval_of_another_picture_does_not_hold() {
    let policy = Policy::new().rules(ToolPolicy::new().bind_preview(true));
    let (runtime, colour) = runtime(policy);
    let mut call = runtime.call("print_poster", "{}", &keyed("k"));
    let output = call.execute().await.clone();
    assert_eq!(output.error().and_then(|error| error.code()), Some("NEEDS_USER_CONFIRMATION"));
    let waiting = runtime.tickets().waiting(Uuid::nil(), None, 10).await.unwrap();
    let ticket = waiting.calls[0].ticket().id();
    let mut resumed = runtime.tickets().resume_by_id(ticket, &keyed("k")).await;
    resumed.approve("joe").unwrap();
    colour.0.store(b'y', Ordering::SeqCst);
    let error = resumed.execute().await.error().cloned().expect("it does not run");
    assert_eq!(error.details().unwrap()["reason"], "preview_changed");
}

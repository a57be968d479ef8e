//! Attachments in the form of each provider.

use serde_json::{Value, json};
use tool_contracts::{Audience, ToolResultMeta};
use tool_runtime_core::ToolOutput;
use tool_runtime_core::tool::Attachment;

use super::super::ToolAnswer;
use super::replies::turn;
use super::*;

fn png() -> Attachment {
    Attachment::bytes("image/png", *b"PNG").with_name("chart.png").with_description("May.")
}

fn pdf() -> Attachment {
    Attachment::bytes("application/pdf", *b"PDF").with_name("terms: 1.pdf")
}

fn csv() -> Attachment {
    Attachment::text("text/csv", "id\n7\n").with_name("orders.csv")
}

/// The output `1` with these attachments.
pub(super) fn output(attachments: &[Attachment]) -> ToolOutput {
    let wire = attachments.iter().map(|it| it.to_wire().unwrap());
    ToolOutput::given_before(None, "1", ToolResultMeta::new(1).with_attachments(wire))
}

/// The messages after a turn whose first call has these attachments.
pub(super) fn messages(dialect: Dialect, attachments: &[Attachment]) -> Vec<Value> {
    let other = ToolOutput::given_before(None, "2", ToolResultMeta::new(1));
    let answers = [ToolAnswer::new("a", &output(attachments)), ToolAnswer::new("b", &other)];
    adapter(dialect).answer_messages(&turn(dialect), answers).unwrap()
}

/// The JSON text of an answer `1` with these notes.
fn text(notes: &[&str]) -> String {
    json!({ "data": 1, "notes": notes }).to_string()
}

const CHART: &str = "attached: chart.png (image/png, 3 bytes): May.";
const TERMS: &str = "attached: terms: 1.pdf (application/pdf, 3 bytes)";
const ORDERS: &str = "attached: orders.csv (text/csv, 5 bytes)";

fn all() -> Vec<Attachment> {
    vec![png(), pdf(), csv()]
}

#[test]
fn anthropic_takes_images_and_documents_in_the_result() {
    let message = &messages(Dialect::Anthropic, &all())[0];
    let expected = json!([
        { "type": "text", "text": text(&[CHART, TERMS, ORDERS]) },
        { "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "UE5H" } },
        {
            "type": "document",
            "source": { "type": "base64", "media_type": "application/pdf", "data": "UERG" },
            "title": "terms: 1.pdf",
        },
        {
            "type": "document",
            "source": { "type": "text", "media_type": "text/plain", "data": "id\n7\n" },
            "title": "orders.csv",
        },
    ]);
    assert_eq!(message["content"][0]["content"], expected);
    assert_eq!(message["content"][1]["content"], "2", "an answer without attachments is a text");
}

#[test]
fn responses_take_a_list_in_the_output() {
    let item = &messages(Dialect::OpenAiResponses, &all())[0];
    let expected = json!([
        { "type": "input_text", "text": text(&[CHART, TERMS, ORDERS]) },
        { "type": "input_image", "image_url": "data:image/png;base64,UE5H" },
        {
            "type": "input_file",
            "filename": "terms: 1.pdf",
            "file_data": "data:application/pdf;base64,UERG",
        },
        { "type": "input_text", "text": "id\n7\n" },
    ]);
    assert_eq!(item["output"], expected);
}

#[test]
fn chat_gets_files_in_a_message_of_the_user_after_all_results() {
    let messages = messages(Dialect::OpenAiChat, &all());
    assert_eq!(messages.len(), 3);
    let shown = format!("{}\n\nid\n7\n", text(&[CHART, TERMS, ORDERS]));
    assert_eq!(messages[0]["content"], shown);
    let expected = json!({ "role": "user", "content": [
        { "type": "text", "text": "Files of the tool results above:" },
        { "type": "image_url", "image_url": { "url": "data:image/png;base64,UE5H" } },
        { "type": "file", "file": {
            "filename": "terms: 1.pdf",
            "file_data": "data:application/pdf;base64,UERG",
        } },
    ] });
    assert_eq!(messages[2], expected);
}

#[test]
fn gemini_takes_inline_data_in_the_function_response() {
    let message = &messages(Dialect::Gemini, &all())[0];
    let response = &message["parts"][0]["functionResponse"];
    let expected = json!([
        { "inlineData": { "mimeType": "image/png", "data": "UE5H", "displayName": "chart.png" } },
        { "inlineData": {
            "mimeType": "application/pdf", "data": "UERG", "displayName": "terms: 1.pdf",
        } },
        { "inlineData": { "mimeType": "text/plain", "data": "aWQKNwo=", "displayName": "orders.csv" } },
    ]);
    assert_eq!(response["parts"], expected);
    assert_eq!(response["response"]["notes"], json!([CHART, TERMS, ORDERS]));
}

#[test]
fn bedrock_takes_images_and_documents_in_the_result() {
    let message = &messages(Dialect::BedrockConverse, &all())[0];
    let expected = json!([
        { "text": text(&[CHART, TERMS, ORDERS]) },
        { "image": { "format": "png", "source": { "bytes": "UE5H" } } },
        { "document": {
            "format": "pdf", "name": "terms--1-pdf-e2bc299b", "source": { "bytes": "UERG" },
        } },
        { "text": "id\n7\n" },
    ]);
    assert_eq!(message["content"][0]["toolResult"]["content"], expected);
}

#[test]
fn ollama_takes_images_and_reads_of_other_files() {
    let message = &messages(Dialect::Ollama, &all())[0];
    let hidden = TERMS.replace("attached", "attached, but not shown here");
    assert_eq!(message["images"], json!(["UE5H"]));
    assert_eq!(message["content"], format!("{}\n\nid\n7\n", text(&[CHART, &hidden, ORDERS])));
}

#[test]
fn no_model_sees_a_file_that_is_for_the_user() {
    for dialect in Dialect::ALL {
        let file = || csv().with_audience([Audience::User]);
        let image = || png().with_audience([Audience::User]);
        let sent = json!(messages(dialect, &[file(), image()])).to_string();
        assert!(!sent.contains("id\\n7") && !sent.contains("UE5H"), "{dialect:?}: {sent}");
        assert!(sent.contains("attached for the user, and not shown here: orders.csv"), "{sent}");
    }
}

#[test]
fn a_link_is_sent_where_the_provider_follows_it_and_is_named_everywhere() {
    let link = || Attachment::link("image/png", "https://example.org/a.png");
    for dialect in Dialect::ALL {
        let sent = json!(messages(dialect, &[link()])).to_string();
        let follows = match dialect {
            Dialect::Anthropic | Dialect::OpenAiChat | Dialect::OpenAiResponses => true,
            Dialect::Gemini | Dialect::BedrockConverse | Dialect::Ollama => false,
        };
        assert_eq!(sent.contains("not shown here"), !follows, "{dialect:?}: {sent}");
        assert!(sent.contains("at https://example.org/a.png"), "{dialect:?}: {sent}");
    }
}

#[test]
fn a_long_text_and_a_file_of_another_kind_are_named_only() {
    let long = Attachment::text("text/plain", "x".repeat(70_000)).with_name("long.txt");
    let zip = Attachment::bytes("application/zip", *b"PK").with_name("all.zip");
    for dialect in Dialect::ALL {
        let sent = json!(messages(dialect, &[long.clone(), zip.clone()])).to_string();
        assert!(sent.len() < 2_000, "{dialect:?}");
        for name in ["long.txt", "all.zip"] {
            assert!(sent.contains(&format!("not shown here: {name}")), "{dialect:?}: {sent}");
        }
    }
}

//! Attachments that one provider refuses and another takes.

use std::collections::HashSet;

use serde_json::{Value, json};
use tool_runtime_core::tool::Attachment;

use super::attachments::{messages, output};
use super::*;

fn png(bytes: usize) -> Attachment {
    Attachment::bytes("image/png", vec![7; bytes]).with_name("chart.png")
}

fn pdf(bytes: usize) -> Attachment {
    Attachment::bytes("application/pdf", vec![7; bytes])
}

/// The names of the documents in the results of one message.
fn document_names(message: &Value) -> Vec<String> {
    let results = message["content"].as_array().unwrap();
    let blocks = results.iter().flat_map(|it| it["toolResult"]["content"].as_array().unwrap());
    blocks.filter_map(|it| Some(it["document"]["name"].as_str()?.to_owned())).collect()
}

/// The names of two documents of each of these two calls.
fn names_of_calls(ids: [&str; 2]) -> Vec<String> {
    let call = |id| json!({ "toolUse": { "toolUseId": id, "name": "ping", "input": {} } });
    let response = json!({
        "output": { "message": { "content": ids.map(call) } }, "stopReason": "tool_use"
    });
    let turn = read(Dialect::BedrockConverse, &response);
    let answers = ids.map(|id| {
        let named = || pdf(3).with_name("terms.pdf");
        ToolAnswer::new(id, &output(&[pdf(3), pdf(3), named(), named()]))
    });
    let messages = adapter(Dialect::BedrockConverse).answer_messages(&turn, answers).unwrap();
    document_names(&messages[0])
}

#[test]
fn bedrock_gets_no_name_of_a_document_twice_in_a_conversation() {
    let turns = [names_of_calls(["a", "b"]), names_of_calls(["c", "d"])];
    let names = turns.concat();
    assert!(names.len() > 8, "{names:?}");
    let lower: HashSet<_> = names.iter().map(|name| name.to_lowercase()).collect();
    assert_eq!(lower.len(), names.len(), "{names:?}");
    assert_eq!(names_of_calls(["a", "b"]), turns[0], "a repeated request must hit the cache");
}

#[test]
fn a_name_of_a_document_is_never_longer_than_bedrock_accepts() {
    let sent = messages(Dialect::BedrockConverse, &[pdf(3).with_name("x".repeat(255))]);
    let names = document_names(&sent[0]);
    assert_eq!(names[0].len(), 200);
}

#[test]
fn bedrock_gets_five_documents_and_twenty_images_of_a_turn() {
    let files: Vec<_> = (0..6).map(|_| pdf(3)).chain((0..21).map(|_| png(3))).collect();
    let sent = messages(Dialect::BedrockConverse, &files);
    let content = sent[0]["content"][0]["toolResult"]["content"].as_array().unwrap();
    let count = |kind: &str| content.iter().filter(|block| block.get(kind).is_some()).count();
    assert_eq!((count("document"), count("image")), (5, 20));
    let text = content[0]["text"].as_str().unwrap();
    assert_eq!(text.matches("attached, but not shown here").count(), 2, "{text}");
}

#[test]
fn a_gif_is_sent_to_the_providers_that_take_it_only() {
    let gif = || Attachment::bytes("image/gif", *b"GIF").with_name("a.gif");
    for dialect in Dialect::ALL {
        let sent = json!(messages(dialect, &[gif()])).to_string();
        let takes = match dialect {
            Dialect::Anthropic
            | Dialect::OpenAiChat
            | Dialect::OpenAiResponses
            | Dialect::BedrockConverse => true,
            Dialect::Gemini | Dialect::Ollama => false,
        };
        assert_eq!(sent.contains("R0lG"), takes, "{dialect:?}: {sent}");
        assert_eq!(sent.contains("not shown here: a.gif"), !takes, "{dialect:?}: {sent}");
    }
}

#[track_caller]
fn check_limit(dialect: Dialect, file: fn(usize) -> Attachment, limit: usize) {
    let is_shown =
        |bytes| !json!(messages(dialect, &[file(bytes)])).to_string().contains("not shown");
    assert!(is_shown(limit), "{dialect:?} takes {limit} bytes");
    assert!(!is_shown(limit + 1), "{dialect:?} takes no more than {limit} bytes");
}

#[test]
fn a_file_beyond_the_limit_of_its_provider_is_named_only() {
    // 5 MiB in base64.
    check_limit(Dialect::Anthropic, png, 3_932_160);
    check_limit(Dialect::BedrockConverse, png, 3_750_000);
    check_limit(Dialect::BedrockConverse, pdf, 4_500_000);
    let shown = messages(Dialect::Gemini, &[png(3_932_161)]);
    let notes = &shown[0]["parts"][0]["functionResponse"]["response"]["notes"][0];
    assert_eq!(*notes, "attached: chart.png (image/png, 3932161 bytes)");
}

//! Writes answers as `tool_result` blocks: all of a turn in one message, before other content.

use serde_json::{Value, json};
use tool_runtime_core::tool::Attachment;
use tool_runtime_schema::encoding::base64;

use crate::format::{
    AttachedContent, AttachedSource, CallNamespace, FileRules, IMAGES_AND_GIF, PreparedAnswer,
};

/// An image has at most 5 MiB (5,242,880 bytes) in base64. A document is bounded by the request's 32 MB
/// alone, like everything else.
const FILES: FileRules =
    FileRules { max_image_bytes: Some(5 * 1024 * 1024 / 4 * 3), ..FileRules::new(IMAGES_AND_GIF) };

pub(super) fn messages(answers: &[PreparedAnswer<'_>]) -> Vec<Value> {
    let results: Vec<_> = answers.iter().map(result).collect();
    vec![json!({ "role": "user", "content": results })]
}

fn result(answer: &PreparedAnswer<'_>) -> Value {
    let id = &answer.call.call_id;
    let (content, blocks) = answer.content.with_parts(block);
    let text = content.to_text();
    let result_content = if blocks.is_empty() {
        text.into()
    } else {
        let text = json!({ "type": "text", "text": text });
        [text].into_iter().chain(blocks).collect::<Value>()
    };
    let mut result = json!({ "type": "tool_result", "tool_use_id": id, "content": result_content });
    if content.is_error {
        result["is_error"] = true.into();
    }
    if let Some(CallNamespace { field, name }) = &answer.call.namespace {
        result[*field] = name.as_str().into();
    }
    result
}

/// Writes an attachment as an `image` or a `document` block.
fn block(attachment: &Attachment) -> Option<Value> {
    let (kind, source) = match AttachedContent::new(attachment, FILES) {
        AttachedContent::Image(source) => ("image", source_of(attachment, &source)),
        AttachedContent::Pdf(source) => ("document", source_of(attachment, &source)),
        AttachedContent::Text(text) => {
            ("document", json!({ "type": "text", "media_type": "text/plain", "data": text }))
        }
        AttachedContent::Other => return None,
    };
    let mut block = json!({ "type": kind, "source": source });
    if let Some(name) = attachment.name().filter(|_| kind == "document") {
        block["title"] = name.into();
    }
    Some(block)
}

fn source_of(attachment: &Attachment, source: &AttachedSource<'_>) -> Value {
    match source {
        AttachedSource::Bytes(bytes) => json!({
            "type": "base64",
            "media_type": attachment.media_type(),
            "data": base64::encode(bytes),
        }),
        AttachedSource::Url(url) => json!({ "type": "url", "url": url }),
    }
}

//! Writes answers as `toolResult` blocks: all of a turn in one message.

use serde_json::{Value, json};

use crate::adapters::format::{AttachedContent, AttachedSource, PreparedAnswer};
use crate::encoding::base64;
use crate::tool::Attachment;

pub(super) fn messages(answers: &[PreparedAnswer<'_>]) -> Vec<Value> {
    let results: Vec<_> = answers.iter().map(result).collect();
    vec![json!({ "role": "user", "content": results })]
}

/// Every model accepts text; some accept JSON only as objects.
fn result(answer: &PreparedAnswer<'_>) -> Value {
    let (shown, blocks) = answer.content.with_parts(block);
    let text = json!({ "text": shown.to_text() });
    let content: Value = [text].into_iter().chain(blocks).collect();
    let mut result = json!({ "toolUseId": answer.call.call_id, "content": content });
    if shown.is_error {
        result["status"] = "error".into();
    }
    json!({ "toolResult": result })
}

/// Writes an attachment as an `image` or a `document` block; texts become further `text` blocks.
///
/// Links have no place there. Bytes are in base64, as the service has them in JSON.
fn block(attachment: &Attachment) -> Option<Value> {
    let source = |bytes| json!({ "bytes": base64::encode(bytes) });
    match AttachedContent::of(attachment) {
        AttachedContent::Image(AttachedSource::Bytes(bytes)) => {
            let format = attachment.media_type().strip_prefix("image/")?;
            Some(json!({ "image": { "format": format, "source": source(bytes) } }))
        }
        AttachedContent::Pdf(AttachedSource::Bytes(bytes)) => {
            let name = document_name(attachment.name().unwrap_or("document"));
            Some(json!({ "document": { "format": "pdf", "name": name, "source": source(bytes) } }))
        }
        AttachedContent::Text(text) => Some(json!({ "text": text })),
        AttachedContent::Image(AttachedSource::Url(_))
        | AttachedContent::Pdf(AttachedSource::Url(_))
        | AttachedContent::Other => None,
    }
}

/// Returns the name in the characters that the service accepts, at most 200 of them.
fn document_name(name: &str) -> String {
    let accepted = |character: char| {
        let is_accepted = character.is_ascii_alphanumeric() || "-()[]".contains(character);
        if is_accepted { character } else { '-' }
    };
    name.chars().map(accepted).take(200).collect()
}

//! Writes answers as `toolResult` blocks: all of a turn in one message.

use serde_json::{Value, json};
use tool_runtime_core::tool::Attachment;
use tool_runtime_schema::encoding::base64;

use crate::format::{AttachedContent, AttachedSource, FileRules, IMAGES_AND_GIF, PreparedAnswer};
use crate::names::digits;

/// An image has at most 3.75 MB, a document 4.5 MB (`Message` of the API's reference).
const FILES: FileRules = FileRules {
    images: IMAGES_AND_GIF,
    max_image_bytes: Some(3_750_000),
    max_pdf_bytes: Some(4_500_000),
};

/// The most characters of a document's name.
const MAX_NAME: usize = 200;

pub(super) fn messages(answers: &[PreparedAnswer<'_>]) -> Vec<Value> {
    let mut quota = FileQuota { images: 20, documents: 5 };
    let results: Vec<_> = answers.iter().map(|answer| result(answer, &mut quota)).collect();
    vec![json!({ "role": "user", "content": results })]
}

/// The images and documents that a message can still have (`Message` of the API's reference).
struct FileQuota {
    images: usize,
    documents: usize,
}

/// Every model accepts text; some accept JSON only as objects.
fn result(answer: &PreparedAnswer<'_>, quota: &mut FileQuota) -> Value {
    let mut index = 0;
    let (shown, blocks) = answer.content.with_parts(|attachment| {
        index += 1;
        block(attachment, quota, || format!("{} {index}", answer.call.call_id))
    });
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
/// Links have no place there. Bytes are in base64, as the service has them in JSON. `key` differs for
/// each attachment of a conversation.
fn block(
    attachment: &Attachment,
    quota: &mut FileQuota,
    key: impl Fn() -> String,
) -> Option<Value> {
    let source = |bytes| json!({ "bytes": base64::encode(bytes) });
    match AttachedContent::new(attachment, FILES) {
        AttachedContent::Image(AttachedSource::Bytes(bytes)) => {
            quota.images = quota.images.checked_sub(1)?;
            let format = attachment.media_type().strip_prefix("image/")?;
            Some(json!({ "image": { "format": format, "source": source(bytes) } }))
        }
        AttachedContent::Pdf(AttachedSource::Bytes(bytes)) => {
            quota.documents = quota.documents.checked_sub(1)?;
            let name = document_name(attachment.name().unwrap_or("document"), &key());
            Some(json!({ "document": { "format": "pdf", "name": name, "source": source(bytes) } }))
        }
        AttachedContent::Text(text) => Some(json!({ "text": text })),
        AttachedContent::Image(AttachedSource::Url(_))
        | AttachedContent::Pdf(AttachedSource::Url(_))
        | AttachedContent::Other => None,
    }
}

/// Returns the name in the characters that the service accepts, with a suffix that depends on the key.
///
/// The service refuses a request that has a name twice, even in different messages. A number that
/// grows would need the whole conversation, and a random one would miss the prompt cache.
fn document_name(name: &str, key: &str) -> String {
    let accepted = |character: char| {
        let is_accepted = character.is_ascii_alphanumeric() || "-()[]".contains(character);
        if is_accepted { character } else { '-' }
    };
    let suffix = format!("-{}", digits(key));
    name.chars().map(accepted).take(MAX_NAME - suffix.len()).chain(suffix.chars()).collect()
}

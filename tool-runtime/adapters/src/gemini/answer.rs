//! Writes answers as `functionResponse` parts: one per call, in one content.

use serde_json::{Value, json};
use tool_runtime_core::tool::Attachment;
use tool_runtime_schema::encoding::base64;

use crate::format::{AttachedContent, AttachedSource, COMMON_IMAGES, FileRules, PreparedAnswer};

/// Gemini refuses a request with `image/gif`.
const FILES: FileRules = FileRules::new(COMMON_IMAGES);

pub(super) fn messages(answers: &[PreparedAnswer<'_>]) -> Vec<Value> {
    let parts: Vec<_> = answers.iter().map(part).collect();
    vec![json!({ "role": "user", "parts": parts })]
}

fn part(answer: &PreparedAnswer<'_>) -> Value {
    let (content, parts) = answer.content.with_parts(inline_data);
    let mut response =
        json!({ "name": answer.call.repeated_name, "response": content.to_object() });
    // An id is sent only if the call had one.
    if let Some(id) = &answer.call.wire_id {
        response["id"] = id.as_str().into();
    }
    if !parts.is_empty() {
        response["parts"] = parts.into();
    }
    json!({ "functionResponse": response })
}

/// Writes an attachment as inline data; Gemini fetches no links here.
fn inline_data(attachment: &Attachment) -> Option<Value> {
    let (media_type, bytes) = match AttachedContent::new(attachment, FILES) {
        AttachedContent::Image(AttachedSource::Bytes(bytes))
        | AttachedContent::Pdf(AttachedSource::Bytes(bytes)) => (attachment.media_type(), bytes),
        AttachedContent::Text(text) => ("text/plain", text.as_bytes()),
        AttachedContent::Image(AttachedSource::Url(_))
        | AttachedContent::Pdf(AttachedSource::Url(_))
        | AttachedContent::Other => return None,
    };
    let mut data = json!({ "mimeType": media_type, "data": base64::encode(bytes) });
    if let Some(name) = attachment.name() {
        data["displayName"] = name.into();
    }
    Some(json!({ "inlineData": data }))
}

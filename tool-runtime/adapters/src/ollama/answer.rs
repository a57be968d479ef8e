//! Writes answers as `tool` messages, one per call. Only the text marks an error.

use serde_json::{Value, json};
use tool_runtime_core::tool::Attachment;
use tool_runtime_schema::encoding::base64;

use crate::format::{
    AttachedContent, AttachedSource, COMMON_IMAGES, FileRules, PreparedAnswer, ShownPart,
};

/// The server decodes no GIF.
const FILES: FileRules = FileRules::new(COMMON_IMAGES);

pub(super) fn messages(answers: &[PreparedAnswer<'_>]) -> Vec<Value> {
    answers.iter().map(message).collect()
}

fn message(answer: &PreparedAnswer<'_>) -> Value {
    let name = &answer.call.repeated_name;
    let (text, images) = answer.content.to_text_with_parts(part);
    let mut message = json!({ "role": "tool", "tool_name": name, "content": text });
    if !images.is_empty() {
        message["images"] = images.into();
    }
    // Only newer servers send ids.
    if let Some(id) = &answer.call.wire_id {
        message["tool_call_id"] = id.as_str().into();
    }
    message
}

/// Returns an image in base64, or a text.
fn part(attachment: &Attachment) -> Option<ShownPart<String>> {
    match AttachedContent::new(attachment, FILES) {
        AttachedContent::Image(AttachedSource::Bytes(bytes)) => {
            Some(ShownPart::Other(base64::encode(bytes)))
        }
        AttachedContent::Text(text) => Some(ShownPart::Text(text.to_owned())),
        AttachedContent::Image(AttachedSource::Url(_))
        | AttachedContent::Pdf(_)
        | AttachedContent::Other => None,
    }
}

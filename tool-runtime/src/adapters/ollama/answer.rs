//! Writes answers as `tool` messages, one per call. Only the text marks an error.

use serde_json::{Value, json};

use crate::adapters::format::{AttachedContent, AttachedSource, PreparedAnswer};
use crate::encoding::base64;
use crate::tool::Attachment;

pub(super) fn messages(answers: &[PreparedAnswer<'_>]) -> Vec<Value> {
    answers.iter().map(message).collect()
}

fn message(answer: &PreparedAnswer<'_>) -> Value {
    let name = &answer.call.repeated_name;
    let (content, parts) = answer.content.with_parts(part);
    let mut text = content.to_text();
    let mut images = Vec::new();
    for part in parts {
        match part {
            Part::Image(data) => images.push(data),
            Part::Text(attached) => {
                text.push_str("\n\n");
                text.push_str(&attached);
            }
        }
    }
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

/// The part of a message that has an attachment.
enum Part {
    /// In base64.
    Image(String),
    Text(String),
}

fn part(attachment: &Attachment) -> Option<Part> {
    match AttachedContent::of(attachment) {
        AttachedContent::Image(AttachedSource::Bytes(bytes)) => {
            Some(Part::Image(base64::encode(bytes)))
        }
        AttachedContent::Text(text) => Some(Part::Text(text.to_owned())),
        AttachedContent::Image(AttachedSource::Url(_))
        | AttachedContent::Pdf(_)
        | AttachedContent::Other => None,
    }
}

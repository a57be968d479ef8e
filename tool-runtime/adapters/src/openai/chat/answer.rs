//! Writes answers as `tool` messages, one per call. Only the text marks an error.
//!
//! A `tool` message has text only. Images and files of a turn follow in one `user` message.

use serde_json::{Value, json};
use tool_runtime_core::tool::Attachment;

use crate::format::{
    AttachedContent, AttachedSource, CallForm, FileRules, IMAGES_AND_GIF, PreparedAnswer,
    ShownPart, data_url,
};

pub(super) const FILES: FileRules = FileRules::new(IMAGES_AND_GIF);

pub(super) fn messages(answers: &[PreparedAnswer<'_>]) -> Vec<Value> {
    let mut files = Vec::new();
    let mut messages: Vec<_> = answers.iter().map(|answer| message(answer, &mut files)).collect();
    messages.extend(files_message(files));
    messages
}

/// Writes the message with the files of the results before it; `None` if there are none.
#[must_use]
pub fn files_message(files: Vec<Value>) -> Option<Value> {
    if files.is_empty() {
        return None;
    }
    let caption = json!({ "type": "text", "text": "Files of the tool results above:" });
    let content: Value = [caption].into_iter().chain(files).collect();
    Some(json!({ "role": "user", "content": content }))
}

fn message(answer: &PreparedAnswer<'_>, files: &mut Vec<Value>) -> Value {
    let call = answer.call;
    let (text, parts) = answer.content.to_text_with_parts(part);
    files.extend(parts);
    if call.form == CallForm::DeprecatedFunctionCall {
        return json!({ "role": "function", "name": call.repeated_name, "content": text });
    }
    json!({ "role": "tool", "tool_call_id": call.call_id, "content": text })
}

/// Returns a part of the `user` message, or a text of the `tool` message.
pub(super) fn part(attachment: &Attachment) -> Option<ShownPart<Value>> {
    let file = match AttachedContent::new(attachment, FILES) {
        AttachedContent::Image(source) => {
            let url = source.to_url(attachment.media_type());
            json!({ "type": "image_url", "image_url": { "url": url } })
        }
        AttachedContent::Pdf(AttachedSource::Bytes(bytes)) => {
            let name = attachment.name().unwrap_or("document.pdf");
            let data = data_url(attachment.media_type(), bytes);
            json!({ "type": "file", "file": { "filename": name, "file_data": data } })
        }
        AttachedContent::Text(text) => return Some(ShownPart::Text(text.to_owned())),
        AttachedContent::Pdf(AttachedSource::Url(_)) | AttachedContent::Other => return None,
    };
    Some(ShownPart::Other(file))
}

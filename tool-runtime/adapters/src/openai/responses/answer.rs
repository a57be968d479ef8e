//! Writes answers as `function_call_output`, `custom_tool_call_output` and `tool_search_output` items, one
//! per call. Only the text marks an error.

use serde_json::{Value, json};
use tool_runtime_core::tool::Attachment;

use crate::format::{
    AttachedContent, AttachedSource, CallForm, CallNamespace, FileRules, IMAGES_AND_GIF,
    PreparedAnswer, data_url,
};

const FILES: FileRules = FileRules::new(IMAGES_AND_GIF);

pub(super) fn messages(answers: &[PreparedAnswer<'_>]) -> Vec<Value> {
    answers.iter().map(item).collect()
}

fn item(answer: &PreparedAnswer<'_>) -> Value {
    let call_id = &answer.call.call_id;
    let kind = match answer.call.form {
        CallForm::Function | CallForm::DeprecatedFunctionCall => "function_call_output",
        CallForm::CustomTool => "custom_tool_call_output",
        CallForm::ToolSearch => return search_output(answer),
    };
    let mut item = json!({ "type": kind, "call_id": call_id, "output": output(answer) });
    if let Some(caller) = &answer.call.caller {
        item["caller"] = caller.clone();
    }
    if let Some(CallNamespace { field, name }) = &answer.call.namespace {
        // The output of a custom tool has no such field.
        if answer.call.form == CallForm::Function {
            item[*field] = name.as_str().into();
        }
    }
    item
}

/// Writes the found tools; the item has no place for an error.
fn search_output(answer: &PreparedAnswer<'_>) -> Value {
    json!({
        "type": "tool_search_output",
        "call_id": answer.call.call_id,
        "execution": "client",
        "status": "completed",
        "tools": answer.found,
    })
}

/// Writes the text alone, or a list of the text and the attachments.
fn output(answer: &PreparedAnswer<'_>) -> Value {
    let (content, parts) = answer.content.with_parts(part);
    let text = content.to_text();
    if parts.is_empty() {
        return text.into();
    }
    let text = json!({ "type": "input_text", "text": text });
    [text].into_iter().chain(parts).collect()
}

fn part(attachment: &Attachment) -> Option<Value> {
    let part = match AttachedContent::new(attachment, FILES) {
        AttachedContent::Image(source) => {
            let url = source.to_url(attachment.media_type());
            json!({ "type": "input_image", "image_url": url })
        }
        AttachedContent::Pdf(AttachedSource::Bytes(bytes)) => {
            let name = attachment.name().unwrap_or("document.pdf");
            let data = data_url(attachment.media_type(), bytes);
            json!({ "type": "input_file", "filename": name, "file_data": data })
        }
        AttachedContent::Pdf(AttachedSource::Url(url)) => {
            json!({ "type": "input_file", "file_url": url })
        }
        AttachedContent::Text(text) => json!({ "type": "input_text", "text": text }),
        AttachedContent::Other => return None,
    };
    Some(part)
}

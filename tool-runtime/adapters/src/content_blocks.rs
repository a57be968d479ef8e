//! An answer as one text and a list of blocks, for protocols that describe each block themselves.

use serde_json::Value;
use tool_contracts::ToolErrorDetail;
use tool_runtime_core::tool::Attachment;

use super::ToolAnswer;
use super::format::{AnswerBody, AnswerContent};

impl ToolAnswer {
    /// Returns the text with which the model reads an error.
    #[must_use]
    pub fn text_of_error(error: &ToolErrorDetail) -> String {
        AnswerContent::new(AnswerBody::Error(Box::new(error.clone())), true).to_text()
    }

    /// Returns the text that the model reads, and the attachments as blocks.
    ///
    /// A text of the tool is written as it is, without quotes. An attachment that becomes no block is
    /// described in the text. There is no text if the tool answered with
    /// attachments alone.
    pub fn into_text_and_blocks<T>(
        mut self,
        block: impl Fn(&Attachment) -> Option<T>,
    ) -> (Option<String>, Vec<T>) {
        let mut blocks = Vec::new();
        for attachment in std::mem::take(&mut self.content.attachments) {
            match block(&attachment) {
                Some(block) => blocks.push(block),
                None => {
                    self.content.notes.push(format!("attached, but not shown here: {attachment}"));
                }
            }
        }
        if let AnswerBody::Data(data) = &self.content.body {
            let is_nothing = data == "null";
            if let Some(text) = json_text(data) {
                self.content.body = AnswerBody::Text(text);
            } else if is_nothing && !blocks.is_empty() {
                self.content.body = AnswerBody::Notes;
            }
        }
        let is_empty =
            matches!(self.content.body, AnswerBody::Notes) && self.content.notes.is_empty();
        ((!is_empty).then(|| self.content.to_text()), blocks)
    }
}

/// Returns the text that JSON data is, if it is one.
fn json_text(data: &str) -> Option<String> {
    if !data.starts_with('"') {
        return None;
    }
    match serde_json::from_str(data) {
        Ok(Value::String(text)) => Some(text),
        Ok(_) | Err(_) => None,
    }
}

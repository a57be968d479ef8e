//! Files of results as parts of a message, for the client of the API, which writes answers itself.

use serde_json::Value;
use tool_runtime_core::tool::Attachment;

use super::answer::{FILES, part};
use crate::format::{AttachedContent, AttachedSource, ShownPart};

/// Returns whether an attachment is an image or a file of the message after the results.
#[must_use]
pub fn is_file(attachment: &Attachment) -> bool {
    matches!(
        AttachedContent::new(attachment, FILES),
        AttachedContent::Image(_) | AttachedContent::Pdf(AttachedSource::Bytes(_))
    )
}

/// Writes an attachment as a part of the message after the results; `None` if it is no image or file.
#[must_use]
pub fn file_part(attachment: &Attachment) -> Option<Value> {
    match part(attachment)? {
        ShownPart::Other(file) => Some(file),
        ShownPart::Text(_) => None,
    }
}

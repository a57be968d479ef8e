//! The attachments of a call's output with their contents, as the adapters send them.

use tool_contracts::Audience;

use crate::call::ToolCall;
use crate::tool::{Attachment, ToolOutput};

impl ToolCall {
    /// Returns the attachments of the output that are meant for a reader, or all, with the contents
    /// that only the store has, as of an answer that is given again.
    ///
    /// One that cannot be read stays without its content.
    pub async fn attachments_with_content(&self, reader: Option<Audience>) -> Vec<Attachment> {
        let attachments = self.output().map(ToolOutput::attachments).unwrap_or_default();
        let mut read = Vec::with_capacity(attachments.len());
        for attachment in attachments {
            let is_read = reader.is_none_or(|reader| attachment.is_for(reader));
            let stored = attachment.handle().filter(|_| is_read && attachment.as_bytes().is_none());
            let stored_attachment = match stored {
                Some(handle) => {
                    self.services().policy_state().outputs.read_attachment(handle, self.cx()).await
                }
                None => Ok(None),
            };
            read.push(stored_attachment.ok().flatten().unwrap_or_else(|| attachment.clone()));
        }
        read
    }
}

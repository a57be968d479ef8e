//! Stores the content of large attachments, and reads it back.

use std::time::Duration;

use tool_contracts::{self as contracts, ToolContext};
use uuid::Uuid;

use super::store_client::log_store_error;
use super::stored_outputs::Outputs;
use crate::store::{StoreError, StoreErrorKind};
use crate::tool::{Attachment, AttachmentContent, AttachmentHandle, CallScope, sha256_of};

/// Separates the description of a stored attachment from its content.
const END_OF_DESCRIPTION: u8 = b'\n';

impl Outputs {
    /// Stores each attachment that is too large for the envelope; one that cannot be stored stays in
    /// the envelope.
    pub(super) async fn store_attachments(
        &self,
        scope: &CallScope,
        attachments: &mut [Attachment],
    ) {
        let max_bytes = scope.environment().attachment_limits.max_inline_bytes();
        let is_large = |attachment: &Attachment| attachment.bytes_here() > max_bytes;
        if !attachments.iter().any(is_large) {
            return;
        }
        for attachment in attachments.iter_mut().filter(|it| is_large(it)) {
            match self.store_attachment(scope, attachment).await {
                Ok(stored) => *attachment = stored,
                Err(error) => {
                    log_store_error("an attachment was not stored and is in the envelope", &error);
                    return;
                }
            }
        }
    }

    async fn store_attachment(
        &self,
        scope: &CallScope,
        attachment: &Attachment,
    ) -> Result<Attachment, StoreError> {
        let (cx, id) = (scope.cx(), Uuid::now_v7());
        let stored = attachment.clone().stored_as(AttachmentHandle(id));
        let text = stored_form(&stored).ok_or_else(damaged)?;
        self.put_private_blob(id, text, cx, self.attachment_lifetime(scope)).await?;
        Ok(stored)
    }

    /// Returns how long the attachments of a call are kept: as long as an answer that names them.
    fn attachment_lifetime(&self, scope: &CallScope) -> Duration {
        let ttl = scope.tool().ttl_seconds().map(Duration::from_secs).unwrap_or_default();
        let has_key = scope.cx().idempotency_key().is_some();
        let retention = if has_key { scope.plan().retention } else { Duration::ZERO };
        self.lifetime.max(ttl).max(retention)
    }
}

impl Outputs {
    /// Reads a stored attachment with its content; none if the caller has no such attachment.
    pub(super) async fn read_attachment(
        &self,
        handle: AttachmentHandle,
        cx: &ToolContext,
    ) -> Result<Option<Attachment>, StoreError> {
        let stored_text = self.get_private_blob(handle.0, cx).await?;
        stored_text.map(|text| read_stored_form(text).ok_or_else(damaged)).transpose()
    }
}

/// Returns the description as a line of JSON, and the content.
fn stored_form(attachment: &Attachment) -> Option<Vec<u8>> {
    let mut text = serde_json::to_vec(&attachment.to_wire().ok()?).ok()?;
    text.push(END_OF_DESCRIPTION);
    text.extend_from_slice(attachment.as_bytes()?);
    Some(text)
}

fn read_stored_form(mut text: Vec<u8>) -> Option<Attachment> {
    let end = text.iter().position(|byte| *byte == END_OF_DESCRIPTION)?;
    let content = text.split_off(end + 1);
    let wire: contracts::Attachment = serde_json::from_slice(&text[..end]).ok()?;
    Attachment::from_wire(&wire)?.with_stored_bytes(content)
}

fn damaged() -> StoreError {
    StoreError::new(StoreErrorKind::Damaged, "a stored attachment differs from its description")
}

impl Attachment {
    /// Returns the same attachment, whose content the output store has under this handle.
    fn stored_as(mut self, stored: AttachmentHandle) -> Self {
        if let AttachmentContent::Bytes { handle, .. } = &mut self.content {
            *handle = Some(stored);
        }
        self
    }

    /// Returns the same attachment with its stored content; none if the content has another hash.
    fn with_stored_bytes(mut self, bytes: Vec<u8>) -> Option<Self> {
        let AttachmentContent::Stored { handle, sha256, .. } = self.content else { return None };
        let is_whole = sha256_of(&bytes) == sha256;
        self.content =
            AttachmentContent::Bytes { bytes: bytes.into(), sha256, handle: Some(handle) };
        Some(self).filter(|_| is_whole)
    }
}

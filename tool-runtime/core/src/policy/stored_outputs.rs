//! Reads what the store keeps of answers: long outputs, in pages, and attachments.

use tool_contracts::ToolContext;

use super::excerpt::{OutputHandle, OutputPage};
use crate::runtime::Runtime;
use crate::store::StoreError;
use crate::tool::{Attachment, AttachmentHandle};

/// The stored answers and attachments of a runtime, each readable by its own caller.
///
/// [`Runtime::outputs`] returns it.
#[derive(Debug, Clone, Copy)]
pub struct StoredOutputs<'r>(&'r Runtime);

impl Runtime {
    /// Returns the stored answers and attachments: to read them by their handles.
    #[must_use]
    pub fn outputs(&self) -> StoredOutputs<'_> {
        StoredOutputs(self)
    }
}

impl StoredOutputs<'_> {
    /// Reads a page of a stored answer: at most `limit` bytes (at least 4) from `offset`, which is
    /// 0 or the [next](OutputPage::next) of the page before.
    ///
    /// None if the context's tenant and principal have no such answer, it has expired, or no page
    /// begins at the offset.
    ///
    /// # Errors
    /// Returns the store's error.
    pub async fn page(
        &self,
        handle: OutputHandle,
        offset: u64,
        limit: usize,
        cx: &ToolContext,
    ) -> Result<Option<OutputPage>, StoreError> {
        self.0.policy_state().read_page(handle, offset, limit, cx).await
    }

    /// Reads a page of a stored answer as a model reads it: as [`page`](Self::page), but if the tool
    /// answered with a text, that text without quotes and escapes.
    ///
    /// Offsets count the bytes of the JSON text: 0, the [`next`](crate::policy::ExcerptInfo::next) of
    /// an excerpt, or the [next](OutputPage::next) of the page before. A limit below 16 bytes may be
    /// exceeded by a few.
    ///
    /// # Errors
    /// Returns the store's error.
    pub async fn text_page(
        &self,
        handle: OutputHandle,
        offset: u64,
        limit: usize,
        cx: &ToolContext,
    ) -> Result<Option<OutputPage>, StoreError> {
        self.0.policy_state().read_text_page(handle, offset, limit, cx).await
    }

    /// Reads a stored attachment with its content.
    ///
    /// None if the context's tenant and principal have no such attachment, or it has expired. It is
    /// kept as long as a long [output](crate::policy::Policy::output_lifetime), and at least as long
    /// as the answer under its idempotency key.
    ///
    /// # Errors
    /// Returns the store's error; it is [`Damaged`](crate::store::StoreErrorKind::Damaged) if the
    /// content does not have the SHA-256 of the attachment.
    pub async fn attachment(
        &self,
        handle: AttachmentHandle,
        cx: &ToolContext,
    ) -> Result<Option<Attachment>, StoreError> {
        self.0.policy_state().read_attachment(handle, cx).await
    }
}

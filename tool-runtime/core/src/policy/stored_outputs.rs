//! Reads what the store keeps of answers: long outputs, in pages, and attachments.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tool_contracts::ToolContext;
use uuid::Uuid;

use super::excerpt::{OutputHandle, OutputPage};
use super::store_client::{STORE_TIMEOUT, StoreClient};
use crate::runtime::Runtime;
use crate::store::principal::principal_of;
use crate::store::{StoreError, StoredOutput};
use crate::tokens::TokenCounter;
use crate::tool::{Attachment, AttachmentHandle};

/// The outputs of calls that are too long for an envelope or a model, in the store of outputs.
pub struct Outputs {
    pub(super) stores: Arc<StoreClient>,
    /// The time for which a long answer is kept.
    pub(super) lifetime: Duration,
    pub(super) token_counter: Arc<dyn TokenCounter>,
}

impl fmt::Debug for Outputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outputs").finish_non_exhaustive()
    }
}

impl Outputs {
    /// Keeps a text of a caller until its time is over.
    ///
    /// # Errors
    /// Returns an error if the store cannot be written, or the text is too long for it.
    pub async fn put_private_blob(
        &self,
        id: Uuid,
        text: Vec<u8>,
        cx: &ToolContext,
        lifetime: Duration,
    ) -> Result<(), StoreError> {
        let end = self.stores.now().after(lifetime);
        let principal = principal_of(cx).unwrap_or_default();
        let output = StoredOutput::new(id, cx.tenant_id(), principal, text, end);
        let put = self.stores.with_room(|| self.stores.outputs.put_output(output.clone()));
        self.stores.call(STORE_TIMEOUT, put).await?;
        self.stores.sweep_if_due().await;
        Ok(())
    }

    /// Reads a whole text that was kept for this caller; `None` if there is none.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    pub async fn get_private_blob(
        &self,
        id: Uuid,
        cx: &ToolContext,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let (outputs, now) = (&self.stores.outputs, self.stores.now());
        let principal = principal_of(cx).unwrap_or_default();
        let read = outputs.read_output(id, cx.tenant_id(), &principal, 0, usize::MAX, now);
        Ok(self.stores.call(STORE_TIMEOUT, read).await?.map(|slice| slice.bytes))
    }
}

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
        self.0.policy_state().outputs.read_page(handle, offset, limit, cx).await
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
        self.0.policy_state().outputs.read_text_page(handle, offset, limit, cx).await
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
        self.0.policy_state().outputs.read_attachment(handle, cx).await
    }
}

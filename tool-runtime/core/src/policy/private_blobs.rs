//! Texts that are kept for a caller in the store of outputs: long answers, attachments, tasks.

use std::time::Duration;

use tool_contracts::ToolContext;
use uuid::Uuid;

use super::policy_state::PolicyState;
use super::store_access::STORE_TIMEOUT;
use crate::store::principal::principal_of;
use crate::store::{StoreError, StoredOutput};

impl PolicyState {
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
        let end = self.clock.now().after(lifetime);
        let principal = principal_of(cx).unwrap_or_default();
        let output = StoredOutput::new(id, cx.tenant_id(), principal, text, end);
        let put = self.with_room(|| self.stores.outputs.put_output(output.clone()));
        self.call_store(STORE_TIMEOUT, put).await?;
        self.sweep_if_due().await;
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
        let (outputs, now) = (&self.stores.outputs, self.clock.now());
        let principal = principal_of(cx).unwrap_or_default();
        let read = outputs.read_output(id, cx.tenant_id(), &principal, 0, usize::MAX, now);
        Ok(self.call_store(STORE_TIMEOUT, read).await?.map(|slice| slice.bytes))
    }
}

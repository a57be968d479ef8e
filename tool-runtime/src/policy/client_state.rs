//! Texts of a caller: those that it keeps and sends back, sealed, and those that are kept for it.

use std::time::Duration;

use tool_contracts::ToolContext;
use uuid::Uuid;

use super::policy_state::PolicyState;
use super::principal::principal_of;
use super::store_access::STORE_TIMEOUT;
use super::ticket::{binding, open, seal};
use crate::store::{StoreError, StoredOutput, UnixMillis};

/// The length of the end of validity before the text, in bytes.
const END_LENGTH: usize = size_of::<u64>();

impl PolicyState {
    /// Seals a text for a caller of a tenant; `None` if there are no keys.
    pub(crate) fn seal_for_caller(
        &self,
        plain: &[u8],
        purpose: &str,
        tenant: Uuid,
    ) -> Option<Vec<u8>> {
        let end = self.clock.now().after(self.ticket_lifetime).get();
        let dated = [&end.to_be_bytes(), plain].concat();
        seal(&dated, self.keys.as_ref()?, &binding(purpose, tenant)).ok()
    }

    /// Opens a text that was sealed for this purpose and tenant; `None` if it was altered or its time is
    /// over.
    pub(crate) fn open_of_caller(
        &self,
        sealed: &[u8],
        purpose: &str,
        tenant: Uuid,
    ) -> Option<Vec<u8>> {
        let mut dated = open(sealed, self.keys.as_ref()?, &binding(purpose, tenant)).ok()?;
        let end = u64::from_be_bytes(dated.first_chunk::<END_LENGTH>().copied()?);
        if UnixMillis::new(end) <= self.clock.now() {
            return None;
        }
        dated.drain(..END_LENGTH);
        Some(dated)
    }
}

impl PolicyState {
    /// Keeps a text of a caller in the store of outputs, until its time is over.
    pub(crate) async fn keep_for_caller(
        &self,
        id: Uuid,
        text: Vec<u8>,
        cx: &ToolContext,
        lifetime: Duration,
    ) -> Result<(), StoreError> {
        let end = self.clock.now().after(lifetime);
        let principal = principal_of(cx).unwrap_or_default();
        let kept = StoredOutput::new(id, cx.tenant_id(), principal, text, end);
        self.with_room(|| self.stores.outputs.put_output(kept.clone())).await?;
        self.sweep_if_due().await;
        Ok(())
    }

    /// Reads a text that was kept for this caller; `None` if there is none.
    pub(crate) async fn kept_for_caller(
        &self,
        id: Uuid,
        cx: &ToolContext,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let (outputs, now) = (&self.stores.outputs, self.clock.now());
        let principal = principal_of(cx).unwrap_or_default();
        let read = outputs.read_output(id, cx.tenant_id(), &principal, 0, usize::MAX, now);
        Ok(self.call_store(STORE_TIMEOUT, read).await?.map(|slice| slice.bytes))
    }

    /// Returns the time of the host's clock.
    pub(crate) fn now(&self) -> UnixMillis {
        self.clock.now()
    }
}

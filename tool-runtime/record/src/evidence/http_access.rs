//! Accessors of a vault for the HTTP API.

use uuid::Uuid;

use super::vault::RecordDraft;
use super::{Access, AccessAction, AccessOutcome, EvidenceError, SnapshotId, Vault};

impl Vault {
    /// Returns whether an authorizer decides about the accesses.
    #[must_use]
    pub fn has_authorizer(&self) -> bool {
        self.authorizer.is_some()
    }

    /// Records an access that was denied before it reached the vault.
    ///
    /// # Errors
    /// Returns an error if the access cannot be recorded.
    pub async fn record_denied(
        &self,
        action: AccessAction,
        tenant: Option<Uuid>,
        id: Option<SnapshotId>,
        access: &Access,
    ) -> Result<(), EvidenceError> {
        let mut draft = RecordDraft::new(action, tenant, access);
        draft.snapshot = id;
        self.record(&draft, AccessOutcome::Denied).await
    }
}

//! Gives checksums to snapshots that an earlier release kept without one.

use uuid::Uuid;

use super::checksum::{checksum, newest_key};
use super::vault::{RecordDraft, not_reserved, snapshot_of};
use super::{
    Access, AccessAction, EvidenceError, EvidenceErrorKind, ListedSnapshot, SnapshotId,
    SnapshotQuery, Vault,
};

/// How many snapshots are held at once.
const PAGE: usize = 256;

/// How giving checksums to a tenant's snapshots ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ChecksumsAdded {
    /// How many snapshots have one now that had none.
    pub added: usize,
    /// How many had none and were left so, because what is stored of them is not what was sealed.
    pub altered: usize,
}

impl Vault {
    /// Gives a checksum to each of a tenant's snapshots that has none.
    ///
    /// Call it once for each tenant after an upgrade from a release that kept snapshots without
    /// checksums, and not again: it takes what is stored for what was kept. Of a snapshot with sealed
    /// contents, their encryption proves all but the trace that it is listed under, which has to be
    /// the one in the snapshot; of one without, or whose tenant's keys were destroyed, nothing does.
    ///
    /// # Errors
    /// `Unrecorded` when the access log takes no record; `UnknownKey` when the ring lacks a key;
    /// `ReservedTenant`; `Store` when the store fails. If it ends half way, call it again.
    ///
    /// # Examples
    /// ```
    /// # use tool_runtime::evidence::{Access, EvidenceError, Vault};
    /// # async fn doc(vault: Vault, tenant: tool_runtime::Uuid) -> Result<(), EvidenceError> {
    /// let done = vault.add_checksums(tenant, &Access::new("user:admin", "upgrade")?).await?;
    /// assert_eq!(done.altered, 0);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn add_checksums(
        &self,
        tenant: Uuid,
        access: &Access,
    ) -> Result<ChecksumsAdded, EvidenceError> {
        not_reserved(tenant)?;
        let told = RecordDraft::new(AccessAction::AddChecksums, Some(tenant), access);
        let work = async {
            let (query, mut after) = (SnapshotQuery::of(tenant), None);
            let mut count = ChecksumsAdded::default();
            loop {
                let page = self.store.list_snapshots(&query, after, PAGE).await?;
                let Some(last) = page.last() else { return Ok(count) };
                after = Some(last.facts.id);
                for listed in page.iter().filter(|listed| listed.checksum.is_none()) {
                    match self.add_checksum(tenant, listed).await {
                        Ok(added) => count.added += usize::from(added),
                        Err(error) if error.kind() == EvidenceErrorKind::Altered => {
                            count.altered += 1;
                        }
                        Err(error) => return Err(error),
                    }
                }
            }
        };
        self.recorded(&told, work).await
    }

    async fn add_checksum(
        &self,
        tenant: Uuid,
        listed: &ListedSnapshot,
    ) -> Result<bool, EvidenceError> {
        let id = listed.facts.id;
        let snapshot = snapshot_of(&listed.facts, tenant, id)?;
        if snapshot.trace_id() != &*listed.facts.trace || !self.opens(tenant, id).await? {
            return Err(EvidenceErrorKind::Altered.into());
        }
        let key = newest_key(&*self.store, &self.ring).await?;
        Ok(self.store.add_checksum(tenant, id, checksum(&key, listed)).await?)
    }

    /// Returns whether what is sealed of a snapshot opens; true for one without, and for one whose
    /// tenant's keys were destroyed.
    async fn opens(&self, tenant: Uuid, id: SnapshotId) -> Result<bool, EvidenceError> {
        let Some(stored) = self.store.find_snapshot(tenant, id).await? else { return Ok(false) };
        let snapshot = snapshot_of(&stored.facts, tenant, id)?;
        let Some(sealed) = &stored.sealed else { return Ok(snapshot.sealed().is_empty()) };
        match self.store.find_tenant_key(tenant, sealed.key.version).await? {
            None => Ok(false),
            Some(key) if key.wrapped.is_none() => Ok(true),
            Some(key) => {
                self.contents(&key, &snapshot, &stored.facts, sealed)?;
                Ok(true)
            }
        }
    }
}

//! Checksums for snapshots that an earlier release kept without one.

use uuid::Uuid;

use super::checksum::{checksum, newest_key};
use super::vault::{RecordDraft, check_not_reserved, parse_snapshot};
use super::{
    Access, AccessAction, EvidenceError, EvidenceErrorKind, ListedSnapshot, SnapshotId,
    SnapshotQuery, Vault,
};

/// The number of snapshots that are read at once.
const PAGE_LENGTH: usize = 256;

/// The result of adding checksums to a tenant's snapshots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ChecksumUpgradeReport {
    /// The number of snapshots that got a checksum.
    pub added: usize,
    /// The number of snapshots that were left without one, because they were altered.
    pub altered: usize,
}

impl Vault {
    /// Adds a checksum to each of a tenant's snapshots that has none.
    ///
    /// Call it once for each tenant after an upgrade from a release that kept snapshots without
    /// checksums, and not again: it trusts what is stored. The encryption of sealed contents proves
    /// their snapshot, except for the trace that it is listed under, which is compared with the one
    /// in the snapshot. Nothing proves a snapshot without contents, or one whose keys were
    /// destroyed.
    ///
    /// # Errors
    /// `Unrecorded` when the access log takes no record; `UnknownKey` when the ring lacks a key;
    /// `ReservedTenant`; `Store` when the store fails. If it stops early, call it again.
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
    ) -> Result<ChecksumUpgradeReport, EvidenceError> {
        check_not_reserved(tenant)?;
        let draft = RecordDraft::new(AccessAction::AddChecksums, Some(tenant), access);
        let work = async {
            let (query, mut after) = (SnapshotQuery::of(tenant), None);
            let mut count = ChecksumUpgradeReport::default();
            loop {
                let page = self.store.list_snapshots(&query, after, PAGE_LENGTH).await?;
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
        self.recorded(&draft, work).await
    }

    async fn add_checksum(
        &self,
        tenant: Uuid,
        listed: &ListedSnapshot,
    ) -> Result<bool, EvidenceError> {
        let id = listed.facts.id;
        let snapshot = parse_snapshot(&listed.facts, tenant, id)?;
        if snapshot.trace_id() != &*listed.facts.trace || !self.opens(tenant, id).await? {
            return Err(EvidenceErrorKind::Altered.into());
        }
        let key = newest_key(&*self.store, &self.ring).await?;
        Ok(self.store.add_checksum(tenant, id, checksum(&key, listed)).await?)
    }

    /// Returns whether the contents of a snapshot can be decrypted; true for a snapshot without
    /// contents, and for one whose tenant's keys were destroyed.
    async fn opens(&self, tenant: Uuid, id: SnapshotId) -> Result<bool, EvidenceError> {
        let Some(stored) = self.store.find_snapshot(tenant, id).await? else { return Ok(false) };
        let snapshot = parse_snapshot(&stored.facts, tenant, id)?;
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

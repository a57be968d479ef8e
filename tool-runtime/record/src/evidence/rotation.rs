//! Replacement of a tenant's key, and of the ring's.
//!
//! Everything stays readable after each step: a new key is stored before it wraps anything, a new
//! wrapping replaces the old one in one operation, and the store destroys an old key only if it
//! wraps nothing. A rotation may therefore stop at any step, and another process may finish it.

use uuid::Uuid;

use super::checksum::{CHECKSUM_KEYS, ChecksumVerifier, checksum, newest_key};
use super::keys::{self, UnwrappedKey};
use super::seal::AssociatedData;
use super::vault::RecordDraft;
use super::{
    Access, AccessAction, EvidenceError, EvidenceErrorKind, ListedSnapshot, SnapshotId,
    StoredSnapshot, TenantKey, Vault, WrappedKey,
};

/// The number of keys that are read at once.
const PAGE_LENGTH: usize = 256;

/// The result of a rotation of a tenant's key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RotationReport {
    /// The version of the newest key, which seals later snapshots; 0 if the tenant has no key.
    pub version: u32,
    /// The result for the snapshots' keys that earlier versions wrapped.
    pub snapshots: RewrapReport,
    /// The number of earlier versions that were destroyed because they wrapped nothing.
    pub destroyed: usize,
}

/// The result of wrapping keys by a newer key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct RewrapReport {
    /// The number of keys that the newest key wraps now and did not before.
    pub changed: usize,
    /// The number of keys that could not be unwrapped and were left: altered, or under an unknown
    /// key. Destroyed keys are not counted.
    pub unreadable: usize,
}

impl Vault {
    /// Creates a new key for a tenant, wraps its snapshots' keys by it, and destroys its former
    /// keys.
    ///
    /// Contents are not encrypted again; each snapshot costs one wrapping. The keys are read in
    /// pages of 256. If the rotation stops early, everything stays readable, and
    /// [`finish_rotation`](Self::finish_rotation) does the rest. A key that cannot be unwrapped is
    /// counted and left, and so is the version that wraps it.
    ///
    /// # Errors
    /// `UnknownKey` or `Altered` when the tenant's newest key cannot be unwrapped; `Unrecorded`
    /// when the access log takes no record; `ReservedTenant`; `Store` when the store fails.
    ///
    /// # Examples
    /// ```
    /// # use tool_runtime::evidence::{Access, EvidenceError, Vault};
    /// # async fn doc(vault: Vault, tenant: tool_runtime::Uuid) -> Result<(), EvidenceError> {
    /// let rotated = vault.rotate(tenant, &Access::new("job:rotation", "yearly")?).await?;
    /// println!("{} snapshots under version {}", rotated.snapshots.changed, rotated.version);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn rotate(
        &self,
        tenant: Uuid,
        access: &Access,
    ) -> Result<RotationReport, EvidenceError> {
        let draft = RecordDraft::for_rotation(tenant, access)?;
        let work = async {
            let newest = self.store.newest_tenant_key(tenant).await?;
            if let Some(TenantKey { version, wrapped: Some(_), .. }) = newest {
                // If another process has created the version, that one is used.
                keys::add(&*self.store, &self.ring, tenant, version).await?;
            }
            self.rewrap_and_prune(tenant).await
        };
        self.recorded(&draft, work).await
    }

    /// Finishes a rotation that stopped early. Without one, nothing changes.
    ///
    /// # Errors
    /// As [`rotate`](Self::rotate).
    pub async fn finish_rotation(
        &self,
        tenant: Uuid,
        access: &Access,
    ) -> Result<RotationReport, EvidenceError> {
        let draft = RecordDraft::for_rotation(tenant, access)?;
        self.recorded(&draft, self.rewrap_and_prune(tenant)).await
    }

    /// Wraps all tenant keys and the checksum key by the ring's current key. The checksum key does
    /// not count as changed.
    ///
    /// To replace a secret, first add the new one as a former one in every process, so that each
    /// can unwrap the keys that any has wrapped; then make it the current one; then call this.
    /// Afterwards the old secret may leave the ring, once no ticket needs it. The keys are read in
    /// pages of 256. If it stops early, call it again.
    ///
    /// # Errors
    /// `Unrecorded` when the access log takes no record; `Store` when the store fails.
    ///
    /// # Examples
    /// ```
    /// # use tool_runtime::evidence::{Access, EvidenceError, Vault};
    /// # async fn doc(vault: Vault) -> Result<(), EvidenceError> {
    /// let rewrapped = vault.rewrap_tenant_keys(&Access::new("user:admin", "new secret")?).await?;
    /// assert_eq!(rewrapped.unreadable, 0);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn rewrap_tenant_keys(&self, access: &Access) -> Result<RewrapReport, EvidenceError> {
        let draft = RecordDraft::new(AccessAction::Rewrap, None, access);
        let work = async {
            let (mut count, mut after) = (RewrapReport::default(), None);
            loop {
                let current = self.ring.current().id();
                let page = self.store.list_tenant_keys(current, after, PAGE_LENGTH).await?;
                let Some(last) = page.last() else { return Ok(count) };
                after = Some((last.tenant, last.version));
                for key in page {
                    let is_tenants = key.tenant != CHECKSUM_KEYS;
                    let rewrapped = self.rewrap_tenant_key(key).await;
                    count.add(rewrapped.map(|changed| changed && is_tenants))?;
                }
            }
        };
        self.recorded(&draft, work).await
    }

    async fn rewrap_tenant_key(&self, was: TenantKey) -> Result<bool, EvidenceError> {
        let key = keys::open(&self.ring, &was)?;
        let now = keys::wrap(&self.ring, was.tenant, &key)?;
        Ok(self.store.rewrap_tenant_key(&was, now).await?)
    }

    /// Wraps the keys of a tenant's snapshots by its newest key, and destroys its other keys.
    async fn rewrap_and_prune(&self, tenant: Uuid) -> Result<RotationReport, EvidenceError> {
        let newest = self.store.newest_tenant_key(tenant).await?;
        let Some(newest) = newest.filter(|key| key.wrapped.is_some()) else {
            return Ok(RotationReport {
                version: 0,
                snapshots: RewrapReport::default(),
                destroyed: 0,
            });
        };
        let newest = keys::open(&self.ring, &newest)?;
        let snapshots = self.rewrap_data_keys(tenant, &newest).await?;
        let destroyed = self.store.destroy_unused_tenant_keys(tenant).await?;
        Ok(RotationReport { version: newest.version, snapshots, destroyed })
    }

    async fn rewrap_data_keys(
        &self,
        tenant: Uuid,
        newest: &UnwrappedKey,
    ) -> Result<RewrapReport, EvidenceError> {
        let (mut count, mut after) = (RewrapReport::default(), None);
        let mut former: Option<UnwrappedKey> = None;
        loop {
            let page =
                self.store.list_data_keys(tenant, newest.version, after, PAGE_LENGTH).await?;
            let Some((last, _)) = page.last() else { return Ok(count) };
            after = Some(*last);
            for (id, was) in page {
                count.add(self.rewrap_data_key(tenant, id, was, &mut former, newest).await)?;
            }
        }
    }

    /// Wraps one snapshot's key by the newest key. `former` caches the last key that unwrapped one.
    async fn rewrap_data_key(
        &self,
        tenant: Uuid,
        id: SnapshotId,
        was: WrappedKey,
        former: &mut Option<UnwrappedKey>,
        newest: &UnwrappedKey,
    ) -> Result<bool, EvidenceError> {
        if former.as_ref().is_none_or(|key| key.version != was.version) {
            let stored = self.store.find_tenant_key(tenant, was.version).await?;
            let stored = stored.ok_or(EvidenceErrorKind::Altered)?;
            if stored.wrapped.is_none() {
                // The tenant was shredded, or another rotation has rewrapped the key.
                return Ok(false);
            }
            *former = Some(keys::open(&self.ring, &stored)?);
        }
        let Some(former) = former else { return Ok(false) };
        let data = |version| AssociatedData::DataKey { tenant, id, version };
        let key = former.secret.unwrap(&was.wrapped, data(was.version))?;
        let wrapped = key.wrap(&newest.secret, data(newest.version))?;
        let now = WrappedKey::new(newest.version, wrapped);
        let Some(stored) = self.store.find_snapshot(tenant, id).await? else {
            return Ok(false);
        };
        if stored.sealed.as_ref().is_none_or(|sealed| sealed.key != was) {
            return Ok(false);
        }
        let checksum = self.checksum_under(stored, &now).await?;
        Ok(self.store.rewrap_data_key(tenant, id, &was, now, checksum).await?)
    }

    /// Computes the checksum of a snapshot with a new wrapping of its key.
    ///
    /// The stored checksum must hold, so that a rotation confirms no altered snapshot.
    async fn checksum_under(
        &self,
        stored: StoredSnapshot,
        now: &WrappedKey,
    ) -> Result<Vec<u8>, EvidenceError> {
        let mut snapshot = ListedSnapshot::from(stored);
        ChecksumVerifier::new(self).check(&snapshot).await?;
        let key = newest_key(&*self.store, &self.ring).await?;
        if let Some(sealed) = &mut snapshot.sealed {
            sealed.key = now.clone();
        }
        Ok(checksum(&key, &snapshot))
    }
}

impl RewrapReport {
    /// Counts one key; an error that concerns more than this key is returned.
    fn add(&mut self, rewrapped: Result<bool, EvidenceError>) -> Result<(), EvidenceError> {
        match rewrapped {
            Ok(changed) => self.changed += usize::from(changed),
            Err(error) if concerns_one_key(error.kind()) => self.unreadable += 1,
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

/// Returns whether an error concerns one key only.
fn concerns_one_key(kind: EvidenceErrorKind) -> bool {
    matches!(kind, EvidenceErrorKind::Altered | EvidenceErrorKind::UnknownKey)
}

//! Replacing keys: a tenant's, and the ring's.
//!
//! Each step leaves a state in which everything can be read: a new key is stored before anything is
//! wrapped by it, what it wraps takes the old wrapping's place in one operation, and an old key is
//! destroyed only by a store that sees that nothing is wrapped by it. So a rotation may end anywhere,
//! and be taken up by another process.

use uuid::Uuid;

use super::checksum::{CHECKSUM_KEYS, Checker, checksum, newest_key};
use super::keys::{self, OpenKey};
use super::seal::Place;
use super::vault::{RecordDraft, not_reserved};
use super::{
    Access, AccessAction, EvidenceError, EvidenceErrorKind, ListedSnapshot, SnapshotId,
    StoredSnapshot, TenantKey, Vault, WrappedKey,
};

/// How many keys are held at once.
const PAGE: usize = 256;

/// How a rotation of a tenant's key ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rotated {
    /// The version under which everything is sealed from now on; 0 if the tenant has no key.
    pub version: u32,
    /// What became of the snapshots' keys under earlier versions.
    pub snapshots: Rewrapped,
    /// How many earlier versions were destroyed, since nothing needs them any more.
    pub destroyed: usize,
}

/// What became of keys that were to be wrapped anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Rewrapped {
    /// How many are wrapped by the newest key now that were not before.
    pub changed: usize,
    /// How many could not be opened, and stay as they are: altered, or under an unknown key. What
    /// was shredded is not counted.
    pub unreadable: usize,
}

impl Vault {
    /// Gives a tenant a new key, wraps its snapshots' keys by it, and destroys its former keys.
    ///
    /// What is sealed stays as it is; a snapshot costs one wrapping. The keys are read in pages of
    /// 256. If it ends half way, everything can be read, and
    /// [`finish_rotation`](Self::finish_rotation) does the rest. A key that cannot be opened is
    /// counted and left, and so is the version that wraps it.
    ///
    /// # Errors
    /// `UnknownKey` or `Altered` when the tenant's newest key does not open; `Unrecorded` when the
    /// access log takes no record; `ReservedTenant`; `Store` when the store fails.
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
    pub async fn rotate(&self, tenant: Uuid, access: &Access) -> Result<Rotated, EvidenceError> {
        not_reserved(tenant)?;
        let told = RecordDraft::new(AccessAction::Rotate, Some(tenant), access);
        let work = async {
            let newest = self.store.newest_tenant_key(tenant).await?;
            if let Some(TenantKey { version, wrapped: Some(_), .. }) = newest {
                // If another process has made it meanwhile, that is the new one.
                keys::add(&*self.store, &self.ring, tenant, version).await?;
            }
            self.settle(tenant).await
        };
        self.recorded(&told, work).await
    }

    /// Does what is left of a rotation that ended half way. Where nothing is left, nothing changes.
    ///
    /// # Errors
    /// As [`rotate`](Self::rotate).
    pub async fn finish_rotation(
        &self,
        tenant: Uuid,
        access: &Access,
    ) -> Result<Rotated, EvidenceError> {
        not_reserved(tenant)?;
        let told = RecordDraft::new(AccessAction::Rotate, Some(tenant), access);
        self.recorded(&told, self.settle(tenant)).await
    }

    /// Wraps by the ring's current key all tenants' keys that a former one wraps, and the key of the
    /// checksums, which is not counted among those that were changed.
    ///
    /// After that the former secrets may leave the ring, once they have left it in all processes and
    /// no ticket needs them. To replace a secret, first add the new one as a former one everywhere,
    /// so that every process can open what any has wrapped; then make it the current one; then call
    /// this. The keys are read in pages of 256. If it ends half way, call it again.
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
    pub async fn rewrap_tenant_keys(&self, access: &Access) -> Result<Rewrapped, EvidenceError> {
        let told = RecordDraft::new(AccessAction::Rewrap, None, access);
        let work = async {
            let (mut count, mut after) = (Rewrapped::default(), None);
            loop {
                let current = self.ring.current().id();
                let page = self.store.list_tenant_keys(current, after, PAGE).await?;
                let Some(last) = page.last() else { return Ok(count) };
                after = Some((last.tenant, last.version));
                for key in page {
                    let is_tenants = key.tenant != CHECKSUM_KEYS;
                    let rewrapped = self.rewrap_tenant_key(key).await;
                    count.add(rewrapped.map(|changed| changed && is_tenants))?;
                }
            }
        };
        self.recorded(&told, work).await
    }

    async fn rewrap_tenant_key(&self, was: TenantKey) -> Result<bool, EvidenceError> {
        let key = keys::open(&self.ring, &was)?;
        let now = keys::wrap(&self.ring, was.tenant, &key)?;
        Ok(self.store.rewrap_tenant_key(&was, now).await?)
    }

    /// Brings a tenant's snapshots under its newest key, and destroys the others.
    async fn settle(&self, tenant: Uuid) -> Result<Rotated, EvidenceError> {
        let newest = self.store.newest_tenant_key(tenant).await?;
        let Some(newest) = newest.filter(|key| key.wrapped.is_some()) else {
            return Ok(Rotated { version: 0, snapshots: Rewrapped::default(), destroyed: 0 });
        };
        let newest = keys::open(&self.ring, &newest)?;
        let snapshots = self.rewrap_data_keys(tenant, &newest).await?;
        let destroyed = self.store.destroy_unused_tenant_keys(tenant).await?;
        Ok(Rotated { version: newest.version, snapshots, destroyed })
    }

    async fn rewrap_data_keys(
        &self,
        tenant: Uuid,
        newest: &OpenKey,
    ) -> Result<Rewrapped, EvidenceError> {
        let (mut count, mut after) = (Rewrapped::default(), None);
        let mut former: Option<OpenKey> = None;
        loop {
            let page = self.store.list_data_keys(tenant, newest.version, after, PAGE).await?;
            let Some((last, _)) = page.last() else { return Ok(count) };
            after = Some(*last);
            for (id, was) in page {
                count.add(self.rewrap_data_key(tenant, id, was, &mut former, newest).await)?;
            }
        }
    }

    /// Wraps one snapshot's key anew. `former` is the last key that was needed for it.
    async fn rewrap_data_key(
        &self,
        tenant: Uuid,
        id: SnapshotId,
        was: WrappedKey,
        former: &mut Option<OpenKey>,
        newest: &OpenKey,
    ) -> Result<bool, EvidenceError> {
        if former.as_ref().is_none_or(|key| key.version != was.version) {
            let stored = self.store.find_tenant_key(tenant, was.version).await?;
            let stored = stored.ok_or(EvidenceErrorKind::Altered)?;
            if stored.wrapped.is_none() {
                // The tenant was shredded, or another rotation has done this one's work.
                return Ok(false);
            }
            *former = Some(keys::open(&self.ring, &stored)?);
        }
        let Some(former) = former else { return Ok(false) };
        let place = |version| Place::DataKey { tenant, id, version };
        let key = former.secret.unwrap(&was.wrapped, place(was.version))?;
        let wrapped = key.wrap(&newest.secret, place(newest.version))?;
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

    /// Computes the checksum of a snapshot under another wrapping of its key; none if it has none.
    ///
    /// The checksum that is stored has to hold: a rotation must not confirm what was altered.
    async fn checksum_under(
        &self,
        stored: StoredSnapshot,
        now: &WrappedKey,
    ) -> Result<Option<Vec<u8>>, EvidenceError> {
        let mut listed = ListedSnapshot::from(stored);
        if listed.checksum.is_none() {
            return Ok(None);
        }
        Checker::new(self).check(&listed).await?;
        let key = newest_key(&*self.store, &self.ring).await?;
        if let Some(sealed) = &mut listed.sealed {
            sealed.key = now.clone();
        }
        Ok(Some(checksum(&key, &listed)))
    }
}

impl Rewrapped {
    /// Counts one key; an error that is not of this key alone stays an error.
    fn add(&mut self, rewrapped: Result<bool, EvidenceError>) -> Result<(), EvidenceError> {
        match rewrapped {
            Ok(changed) => self.changed += usize::from(changed),
            Err(error) if is_of_one(error.kind()) => self.unreadable += 1,
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

/// Says whether a key alone is to blame, and the others may be well.
fn is_of_one(kind: EvidenceErrorKind) -> bool {
    matches!(kind, EvidenceErrorKind::Altered | EvidenceErrorKind::UnknownKey)
}

//! Evidence in memory.

use std::collections::BTreeSet;
use std::ops::Bound;

use async_trait::async_trait;
use uuid::Uuid;

use super::quota_map::{QuotaEntry, QuotaMap, StoreQuota};
use super::{MemoryStore, locked};
use crate::store::evidence::{
    EvidenceStore, ListedSnapshot, SnapshotId, SnapshotQuery, StoredFacts, StoredSnapshot,
    TenantKey, WrappedKey,
};
use crate::store::{StoreError, UnixMillis};

#[async_trait]
impl EvidenceStore for MemoryStore {
    async fn put_snapshot(&self, snapshot: StoredSnapshot) -> Result<bool, StoreError> {
        locked(&self.evidence)?.put(snapshot)
    }

    async fn find_snapshot(
        &self,
        tenant: Uuid,
        id: SnapshotId,
    ) -> Result<Option<StoredSnapshot>, StoreError> {
        Ok(locked(&self.evidence)?.snapshots.get(&(tenant, id.uuid())).cloned())
    }

    async fn list_snapshots(
        &self,
        query: &SnapshotQuery,
        after: Option<SnapshotId>,
        limit: usize,
    ) -> Result<Vec<ListedSnapshot>, StoreError> {
        Ok(locked(&self.evidence)?.list(query, after, limit))
    }

    async fn sweep_snapshots(&self, before: UnixMillis, limit: usize) -> Result<usize, StoreError> {
        Ok(locked(&self.evidence)?.sweep(before, limit))
    }

    async fn add_tenant_key(&self, key: TenantKey) -> Result<bool, StoreError> {
        locked(&self.evidence)?.add_key(key)
    }

    async fn find_tenant_key(
        &self,
        tenant: Uuid,
        version: u32,
    ) -> Result<Option<TenantKey>, StoreError> {
        Ok(locked(&self.evidence)?.keys.get(&(tenant, version)).cloned())
    }

    async fn newest_tenant_key(&self, tenant: Uuid) -> Result<Option<TenantKey>, StoreError> {
        Ok(locked(&self.evidence)?.keys_of(tenant).last().cloned())
    }

    async fn list_tenant_keys(
        &self,
        not_by: &str,
        after: Option<(Uuid, u32)>,
        limit: usize,
    ) -> Result<Vec<TenantKey>, StoreError> {
        let evidence = locked(&self.evidence)?;
        let keys = evidence.keys.from(after.map_or(Bound::Unbounded, Bound::Excluded));
        let others = keys.filter(|key| key.wrapped.is_some() && *key.ring_key != *not_by);
        Ok(others.take(limit).cloned().collect())
    }

    async fn rewrap_tenant_key(&self, old: &TenantKey, new: TenantKey) -> Result<bool, StoreError> {
        Ok(locked(&self.evidence)?.rewrap_tenant_key(old, new))
    }

    async fn destroy_unused_tenant_keys(&self, tenant: Uuid) -> Result<usize, StoreError> {
        Ok(locked(&self.evidence)?.destroy_unused(tenant))
    }

    async fn destroy_tenant_keys(&self, tenant: Uuid) -> Result<usize, StoreError> {
        Ok(locked(&self.evidence)?.destroy(tenant, |_| true))
    }

    async fn list_data_keys(
        &self,
        tenant: Uuid,
        before_version: u32,
        after: Option<SnapshotId>,
        limit: usize,
    ) -> Result<Vec<(SnapshotId, WrappedKey)>, StoreError> {
        let evidence = locked(&self.evidence)?;
        let after = after.map_or(Uuid::nil(), SnapshotId::uuid);
        let keys = evidence.snapshots_of(tenant, Bound::Excluded(after)).filter_map(|snapshot| {
            let key = &snapshot.sealed.as_ref()?.key;
            (key.version < before_version).then(|| (snapshot.facts.id, key.clone()))
        });
        Ok(keys.take(limit).collect())
    }

    async fn rewrap_data_key(
        &self,
        tenant: Uuid,
        id: SnapshotId,
        old: &WrappedKey,
        new: WrappedKey,
        checksum: Vec<u8>,
    ) -> Result<bool, StoreError> {
        Ok(locked(&self.evidence)?.rewrap_data_key(tenant, id, old, (new, checksum)))
    }
}

pub(super) struct MemoryEvidence {
    snapshots: QuotaMap<(Uuid, Uuid), StoredSnapshot>,
    keys: QuotaMap<(Uuid, u32), TenantKey>,
}

impl MemoryEvidence {
    pub(super) fn new(snapshots: StoreQuota, keys: StoreQuota) -> Self {
        Self { snapshots: QuotaMap::new(snapshots), keys: QuotaMap::new(keys) }
    }

    fn put(&mut self, snapshot: StoredSnapshot) -> Result<bool, StoreError> {
        let StoredFacts { tenant, id, .. } = snapshot.facts;
        if self.snapshots.get(&(tenant, id.uuid())).is_some() {
            return Ok(true);
        }
        if snapshot.sealed.as_ref().is_some_and(|sealed| !self.lives(tenant, sealed.key.version)) {
            return Ok(false);
        }
        let (bytes, expires_at) = (bytes(&snapshot), Some(id.created_at()));
        self.snapshots
            .put((tenant, id.uuid()), QuotaEntry { tenant, value: snapshot, bytes, expires_at })?;
        Ok(true)
    }

    fn list(
        &self,
        query: &SnapshotQuery,
        after: Option<SnapshotId>,
        limit: usize,
    ) -> Vec<ListedSnapshot> {
        let ids = query.ids(after);
        let of_trace = |it: &&StoredSnapshot| {
            query.trace.as_ref().is_none_or(|trace| *trace == it.facts.trace)
        };
        self.snapshots_of(query.tenant, Bound::Included(ids.start))
            .take_while(|snapshot| snapshot.facts.id.uuid() < ids.end)
            .filter(of_trace)
            .take(limit)
            .map(StoredSnapshot::listed)
            .collect()
    }

    /// Deletes snapshots that were made before a time: entries that expire before it.
    fn sweep(&mut self, before: UnixMillis, limit: usize) -> usize {
        let last = before.get().checked_sub(1).map(UnixMillis::new);
        last.map_or(0, |last| self.snapshots.sweep(last, limit))
    }

    fn add_key(&mut self, key: TenantKey) -> Result<bool, StoreError> {
        let id = (key.tenant, key.version);
        if self.keys_of(key.tenant).last().is_some_and(|newest| newest.version >= key.version) {
            return Ok(false);
        }
        let bytes = key.wrapped.as_ref().map_or(0, Vec::len) + key.ring_key.len();
        self.keys
            .put(id, QuotaEntry { tenant: key.tenant, value: key, bytes, expires_at: None })?;
        Ok(true)
    }

    fn rewrap_tenant_key(&mut self, old: &TenantKey, new: TenantKey) -> bool {
        match self.keys.get_mut(&(old.tenant, old.version)) {
            Some(key) if key == old && key.wrapped.is_some() => {
                *key = new;
                true
            }
            _ => false,
        }
    }

    fn destroy_unused(&mut self, tenant: Uuid) -> usize {
        let newest = self.keys_of(tenant).last().map(|key| key.version);
        let sealed = self.snapshots_of(tenant, Bound::Unbounded);
        let used = sealed.filter_map(|snapshot| Some(snapshot.sealed.as_ref()?.key.version));
        let kept_versions: BTreeSet<u32> = used.chain(newest).collect();
        self.destroy(tenant, |version| !kept_versions.contains(&version))
    }

    fn destroy(&mut self, tenant: Uuid, which: impl Fn(u32) -> bool) -> usize {
        let keys = self
            .keys
            .values_mut()
            .filter(|key| key.tenant == tenant && key.wrapped.is_some() && which(key.version));
        keys.map(|key| *key = TenantKey::destroyed(tenant, key.version)).count()
    }

    fn rewrap_data_key(
        &mut self,
        tenant: Uuid,
        id: SnapshotId,
        old: &WrappedKey,
        (new, checksum): (WrappedKey, Vec<u8>),
    ) -> bool {
        let live = self.lives(tenant, old.version) && self.lives(tenant, new.version);
        let Some(snapshot) = self.snapshots.get_mut(&(tenant, id.uuid())) else { return false };
        match snapshot.sealed.as_mut().map(|sealed| &mut sealed.key) {
            Some(key) if live && key == old => {
                *key = new;
                snapshot.checksum = checksum;
                true
            }
            _ => false,
        }
    }

    fn lives(&self, tenant: Uuid, version: u32) -> bool {
        self.keys.get(&(tenant, version)).is_some_and(|key| key.wrapped.is_some())
    }

    fn keys_of(&self, tenant: Uuid) -> impl Iterator<Item = &TenantKey> {
        let keys = self.keys.from(Bound::Included((tenant, 0)));
        keys.take_while(move |key| key.tenant == tenant)
    }

    fn snapshots_of(
        &self,
        tenant: Uuid,
        from: Bound<Uuid>,
    ) -> impl Iterator<Item = &StoredSnapshot> {
        let from = match from {
            Bound::Included(id) => Bound::Included((tenant, id)),
            Bound::Excluded(id) => Bound::Excluded((tenant, id)),
            Bound::Unbounded => Bound::Included((tenant, Uuid::nil())),
        };
        let snapshots = self.snapshots.from(from);
        snapshots.take_while(move |snapshot| snapshot.facts.tenant == tenant)
    }
}

fn bytes(snapshot: &StoredSnapshot) -> usize {
    let StoredSnapshot { facts, sealed, checksum } = snapshot;
    let sealed = sealed.as_ref().map_or(0, |sealed| {
        let parts = [&sealed.arguments, &sealed.output].into_iter().flatten();
        parts.map(Vec::len).sum::<usize>().saturating_add(sealed.key.wrapped.len())
    });
    let texts = facts.facts.len().saturating_add(facts.trace.len());
    texts.saturating_add(sealed).saturating_add(checksum.len())
}

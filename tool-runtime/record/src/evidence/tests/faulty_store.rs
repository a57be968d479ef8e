//! A store with a fault at one of its operations: a failure, or another process's change.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use futures::future::BoxFuture;
use tool_runtime_core::store::{MemoryStore, StoreError, StoreErrorKind, UnixMillis};
use uuid::Uuid;

use crate::evidence::{
    EvidenceStore, ListedSnapshot, SnapshotId, SnapshotQuery, StoredSnapshot, TenantKey, WrappedKey,
};

type Happens = Arc<dyn Fn(MemoryStore) -> BoxFuture<'static, ()> + Send + Sync>;

/// The fault at the operation.
#[derive(Clone)]
pub(super) enum StoreFault {
    /// The operation fails and has done nothing.
    FailBefore,
    /// The operation succeeds and returns an error.
    FailAfter,
    /// Another process does this first.
    First(Happens),
}

/// A store in memory with a fault at one of its operations.
#[derive(Clone)]
pub(super) struct FaultyStore {
    store: MemoryStore,
    left: Arc<AtomicUsize>,
    meddle: StoreFault,
}

impl FaultyStore {
    /// Sets the fault for the operation after so many others.
    pub(super) fn new(store: &MemoryStore, steps: usize, meddle: StoreFault) -> Self {
        Self { store: store.clone(), left: Arc::new(AtomicUsize::new(steps + 1)), meddle }
    }

    /// Returns whether the fault has happened.
    pub(super) fn has_happened(&self) -> bool {
        self.left.load(Ordering::SeqCst) == 0
    }

    async fn step<T>(
        &self,
        operation: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let fewer = |left: usize| left.checked_sub(1);
        let left = self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, fewer);
        if left != Ok(1) {
            return operation.await;
        }
        let failed = StoreError::new(StoreErrorKind::Unavailable, "it failed at this step");
        match &self.meddle {
            StoreFault::FailBefore => Err(failed),
            StoreFault::FailAfter => operation.await.and(Err(failed)),
            StoreFault::First(happens) => {
                happens(self.store.clone()).await;
                operation.await
            }
        }
    }
}

#[async_trait]
impl EvidenceStore for FaultyStore {
    async fn put_snapshot(&self, snapshot: StoredSnapshot) -> Result<bool, StoreError> {
        self.step(self.store.put_snapshot(snapshot)).await
    }

    async fn find_snapshot(
        &self,
        tenant: Uuid,
        id: SnapshotId,
    ) -> Result<Option<StoredSnapshot>, StoreError> {
        self.step(self.store.find_snapshot(tenant, id)).await
    }

    async fn list_snapshots(
        &self,
        query: &SnapshotQuery,
        after: Option<SnapshotId>,
        limit: usize,
    ) -> Result<Vec<ListedSnapshot>, StoreError> {
        self.step(self.store.list_snapshots(query, after, limit)).await
    }

    async fn sweep_snapshots(&self, before: UnixMillis, limit: usize) -> Result<usize, StoreError> {
        self.step(self.store.sweep_snapshots(before, limit)).await
    }

    async fn add_tenant_key(&self, key: TenantKey) -> Result<bool, StoreError> {
        self.step(self.store.add_tenant_key(key)).await
    }

    async fn find_tenant_key(
        &self,
        tenant: Uuid,
        version: u32,
    ) -> Result<Option<TenantKey>, StoreError> {
        self.step(self.store.find_tenant_key(tenant, version)).await
    }

    async fn newest_tenant_key(&self, tenant: Uuid) -> Result<Option<TenantKey>, StoreError> {
        self.step(self.store.newest_tenant_key(tenant)).await
    }

    async fn list_tenant_keys(
        &self,
        not_by: &str,
        after: Option<(Uuid, u32)>,
        limit: usize,
    ) -> Result<Vec<TenantKey>, StoreError> {
        self.step(self.store.list_tenant_keys(not_by, after, limit)).await
    }

    async fn rewrap_tenant_key(&self, was: &TenantKey, now: TenantKey) -> Result<bool, StoreError> {
        self.step(self.store.rewrap_tenant_key(was, now)).await
    }

    async fn destroy_unused_tenant_keys(&self, tenant: Uuid) -> Result<usize, StoreError> {
        self.step(self.store.destroy_unused_tenant_keys(tenant)).await
    }

    async fn destroy_tenant_keys(&self, tenant: Uuid) -> Result<usize, StoreError> {
        self.step(self.store.destroy_tenant_keys(tenant)).await
    }

    async fn list_data_keys(
        &self,
        tenant: Uuid,
        before_version: u32,
        after: Option<SnapshotId>,
        limit: usize,
    ) -> Result<Vec<(SnapshotId, WrappedKey)>, StoreError> {
        self.step(self.store.list_data_keys(tenant, before_version, after, limit)).await
    }

    async fn rewrap_data_key(
        &self,
        tenant: Uuid,
        id: SnapshotId,
        was: &WrappedKey,
        now: WrappedKey,
        checksum: Vec<u8>,
    ) -> Result<bool, StoreError> {
        self.step(self.store.rewrap_data_key(tenant, id, was, now, checksum)).await
    }
}

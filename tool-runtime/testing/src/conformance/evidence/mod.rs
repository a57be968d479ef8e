//! The conformance suite of evidence stores.

mod keys;
mod rewrap;
mod snapshots;

use futures::future::join_all;
use tool_runtime_core::store::UnixMillis;
use tool_runtime_record::evidence::{
    EvidenceStore, ListedSnapshot, SealedContents, SnapshotId, SnapshotQuery, StoredFacts,
    StoredSnapshot, TenantKey, WrappedKey,
};
use uuid::Uuid;

use super::samples::{CROWD, START, done, pause};

/// Checks every promise of an [`EvidenceStore`], except that destroyed data is removed from its
/// files: test that separately.
///
/// # Panics
/// Panics at the first broken promise.
///
/// # Examples
/// ```
/// use tool_runtime::store::MemoryStore;
/// use tool_runtime::testing::conformance;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// conformance::evidence(&MemoryStore::new()).await;
/// # }
/// ```
pub async fn evidence(store: &dyn EvidenceStore) {
    snapshots::check(store).await;
    keys::check(store).await;
    rewrap::check(store).await;
}

/// The evidence of a tenant that one check owns.
struct EvidenceChecks<'a> {
    store: &'a dyn EvidenceStore,
    tenant: Uuid,
}

impl<'a> EvidenceChecks<'a> {
    fn new(store: &'a dyn EvidenceStore) -> Self {
        Self { store, tenant: Uuid::now_v7() }
    }

    /// Makes a snapshot at a time, without sealed contents.
    fn plain_at(&self, moment: UnixMillis) -> StoredSnapshot {
        let id = SnapshotId::at(moment);
        StoredSnapshot::new(StoredFacts::new(self.tenant, id, "trace-1", id.to_string()), None)
    }

    /// Makes a snapshot with all sealed contents, under this version.
    fn sealed_by(&self, version: u32) -> StoredSnapshot {
        let key = WrappedKey::new(version, wrapping(1));
        let sealed = SealedContents::new(key, Some(b"arguments".to_vec()), Some(b"out".to_vec()));
        StoredSnapshot { sealed: Some(sealed), ..self.plain_at(START) }
    }

    /// Stores a snapshot under this version, which has to exist.
    async fn keep_sealed_by(&self, version: u32) -> StoredSnapshot {
        let snapshot = self.sealed_by(version);
        assert!(self.put(&snapshot).await, "a snapshot under a key that is there is kept");
        snapshot
    }

    fn key(&self, version: u32) -> TenantKey {
        TenantKey::new(self.tenant, version, "ring-1", wrapping(version.to_be_bytes()[3]))
    }

    async fn put(&self, snapshot: &StoredSnapshot) -> bool {
        done("put_snapshot", self.store.put_snapshot(snapshot.clone()).await)
    }

    async fn find(&self, id: SnapshotId) -> Option<StoredSnapshot> {
        done("find_snapshot", self.store.find_snapshot(self.tenant, id).await)
    }

    async fn list(
        &self,
        query: &SnapshotQuery,
        after: Option<SnapshotId>,
        limit: usize,
    ) -> Vec<StoredFacts> {
        self.listed(query, after, limit).await.into_iter().map(|listed| listed.facts).collect()
    }

    async fn listed(
        &self,
        query: &SnapshotQuery,
        after: Option<SnapshotId>,
        limit: usize,
    ) -> Vec<ListedSnapshot> {
        let snapshots =
            done("list_snapshots", self.store.list_snapshots(query, after, limit).await);
        assert!(
            snapshots.len() <= limit,
            "a page holds at most {limit}; found {}",
            snapshots.len()
        );
        snapshots
    }

    async fn sweep(&self, before: UnixMillis, limit: usize) -> usize {
        done("sweep_snapshots", self.store.sweep_snapshots(before, limit).await)
    }

    async fn sweep_all(&self, before: UnixMillis) {
        for _ in 0..1_000 {
            if self.sweep(before, 1_000).await == 0 {
                return;
            }
        }
        panic!("sweeping ends; there were more after a million snapshots");
    }

    async fn add(&self, key: &TenantKey) -> bool {
        done("add_tenant_key", self.store.add_tenant_key(key.clone()).await)
    }

    /// Adds versions, which have to be new.
    async fn add_keys(&self, versions: &[u32]) {
        for version in versions {
            assert!(self.add(&self.key(*version)).await, "a key of a greater version is added");
        }
    }

    async fn find_key(&self, version: u32) -> Option<TenantKey> {
        done("find_tenant_key", self.store.find_tenant_key(self.tenant, version).await)
    }

    async fn newest(&self) -> Option<TenantKey> {
        done("newest_tenant_key", self.store.newest_tenant_key(self.tenant).await)
    }

    async fn destroy(&self) -> usize {
        done("destroy_tenant_keys", self.store.destroy_tenant_keys(self.tenant).await)
    }

    async fn destroy_unused(&self) -> usize {
        let destroyed = self.store.destroy_unused_tenant_keys(self.tenant).await;
        done("destroy_unused_tenant_keys", destroyed)
    }

    async fn rewrap_key(&self, was: &TenantKey, now: &TenantKey) -> bool {
        done("rewrap_tenant_key", self.store.rewrap_tenant_key(was, now.clone()).await)
    }

    async fn rewrap(&self, id: SnapshotId, was: &WrappedKey, now: &WrappedKey) -> bool {
        let checksum = now.wrapped.clone();
        let rewrapped =
            self.store.rewrap_data_key(self.tenant, id, was, now.clone(), checksum).await;
        done("rewrap_data_key", rewrapped)
    }

    /// Returns the versions of the tenant's keys that are not destroyed.
    async fn live(&self, versions: &[u32]) -> Vec<u32> {
        let mut live = Vec::new();
        for version in versions {
            let key = self.find_key(*version).await;
            live.extend(key.and_then(|key| key.wrapped.map(|_| key.version)));
        }
        live
    }
}

/// Runs the same operation many times concurrently, and counts the successes.
async fn crowd<F: Future<Output = bool>>(one: impl Fn(u8) -> F) -> usize {
    let operations = (0..u8::try_from(CROWD).unwrap_or(u8::MAX)).map(|number| {
        let one = one(number);
        async {
            pause().await;
            one.await
        }
    });
    join_all(operations).await.into_iter().filter(|done| *done).count()
}

/// Makes a wrapped key of the usual length.
fn wrapping(byte: u8) -> Vec<u8> {
    vec![byte; 81]
}

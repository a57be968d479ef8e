//! The suite for evidence: correct stores pass, and a store that breaks any promise does not.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

use async_trait::async_trait;
use futures::executor::block_on;
use tokio::task::yield_now;
use tool_runtime::Uuid;
use tool_runtime::evidence::{
    EvidenceStore, ListedSnapshot, SnapshotId, SnapshotQuery, StoredSnapshot, TenantKey, WrappedKey,
};
use tool_runtime::store::{MemoryStore, StoreError, UnixMillis};
use tool_runtime::testing::conformance;

use super::conformance::{all_are_found, said};

/// A defect of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Defect {
    None,
    ReplacesSnapshots,
    SaysItKeeps,
    ShowsSnapshotsToAll,
    FoldsTraces,
    ListsTheEnd,
    ListsFromTheStart,
    SweepsTooEarly,
    AddsAnyVersion,
    AddsInTwoSteps,
    ForgetsMarks,
    DestroysTheNewest,
    DestroysNothing,
    WrapsAnyKeyAnew,
    ListsAllKeys,
    ListsLaterVersions,
    WrapsAnyDataKeyAnew,
    WrapsByDeadKeys,
    WrapsInTwoSteps,
    DropsChecksums,
}

/// The assertion of the suite that each defect breaks.
const DEFECTS: [(Defect, &str); 19] = [
    (Defect::ReplacesSnapshots, "the first snapshot of an id is kept"),
    (Defect::SaysItKeeps, "a snapshot is not kept under a key that is not there"),
    (Defect::ShowsSnapshotsToAll, "a snapshot is found only by its tenant"),
    (Defect::FoldsTraces, "the snapshots of a trace are told apart byte by byte"),
    (Defect::ListsTheEnd, "a time ends before its last moment"),
    (Defect::ListsFromTheStart, "pages of 1 hold what one page holds"),
    (Defect::SweepsTooEarly, "a snapshot of a moment is not made before it"),
    (Defect::AddsAnyVersion, "the first key of a version is kept"),
    (Defect::AddsInTwoSteps, "a successful caller finds its own key"),
    (Defect::ForgetsMarks, "a destroyed key leaves its mark"),
    (Defect::DestroysTheNewest, "unused keys are destroyed"),
    (Defect::DestroysNothing, "a snapshot is not kept under a destroyed key"),
    (Defect::WrapsAnyKeyAnew, "a key is wrapped anew as it was found"),
    (Defect::ListsAllKeys, "keys under others than ring-1 are listed"),
    (Defect::ListsLaterVersions, "keys of versions before 1 are listed"),
    (Defect::WrapsAnyDataKeyAnew, "a snapshot's key is wrapped anew as it was found"),
    (Defect::WrapsByDeadKeys, "nothing is wrapped by a key that is not there"),
    (Defect::WrapsInTwoSteps, "one of many wraps a key anew"),
    (Defect::DropsChecksums, "a checksum is found as it was put"),
];

#[tokio::test]
async fn memory_keeps_every_promise_and_again() {
    let store = MemoryStore::new();
    conformance::evidence(&store).await;
    conformance::evidence(&store).await;
}

#[test]
fn a_wrapper_without_a_defect_passes() {
    block_on(conformance::evidence(&Broken::by(Defect::None)));
}

#[test]
fn every_defect_is_found_and_named() {
    all_are_found(DEFECTS, complaint);
}

/// Runs the suite over a defective store, and returns what it complained of.
fn complaint(defect: Defect) -> Option<String> {
    let run = || block_on(conformance::evidence(&Broken::by(defect)));
    catch_unwind(AssertUnwindSafe(run)).err().map(said)
}

/// An in-memory store with one defect.
struct Broken {
    memory: MemoryStore,
    defect: Defect,
    put: Mutex<HashMap<SnapshotId, StoredSnapshot>>,
}

impl Broken {
    fn by(defect: Defect) -> Self {
        Self { memory: MemoryStore::new(), defect, put: Mutex::default() }
    }

    fn is(&self, defect: Defect) -> bool {
        self.defect == defect
    }

    fn last_put(&self, id: SnapshotId) -> Option<StoredSnapshot> {
        self.put.lock().unwrap().get(&id).cloned()
    }
}

fn later(moment: UnixMillis) -> UnixMillis {
    UnixMillis::new(moment.get() + 1)
}

#[async_trait]
impl EvidenceStore for Broken {
    async fn put_snapshot(&self, mut snapshot: StoredSnapshot) -> Result<bool, StoreError> {
        if self.is(Defect::DropsChecksums) {
            snapshot.checksum.clear();
        }
        let kept = self.memory.put_snapshot(snapshot.clone()).await?;
        if kept {
            self.put.lock().unwrap().insert(snapshot.facts.id, snapshot);
        }
        Ok(kept || self.is(Defect::SaysItKeeps))
    }

    async fn find_snapshot(
        &self,
        tenant: Uuid,
        id: SnapshotId,
    ) -> Result<Option<StoredSnapshot>, StoreError> {
        let found = self.memory.find_snapshot(tenant, id).await?;
        Ok(match self.defect {
            Defect::ReplacesSnapshots if found.is_some() => {
                self.last_put(id).filter(|last| last.facts.tenant == tenant).or(found)
            }
            Defect::ShowsSnapshotsToAll => self.last_put(id),
            _ => found,
        })
    }

    async fn list_snapshots(
        &self,
        query: &SnapshotQuery,
        after: Option<SnapshotId>,
        limit: usize,
    ) -> Result<Vec<ListedSnapshot>, StoreError> {
        let mut query = query.clone();
        let after = after.filter(|_| !self.is(Defect::ListsFromTheStart));
        if self.is(Defect::ListsTheEnd) {
            query.until = query.until.map(later);
        }
        if let Some(trace) = query.trace.take_if(|_| self.is(Defect::FoldsTraces)) {
            let mut all = self.memory.list_snapshots(&query, after, usize::MAX).await?;
            all.retain(|listed| listed.facts.trace.eq_ignore_ascii_case(&trace));
            all.truncate(limit);
            return Ok(all);
        }
        self.memory.list_snapshots(&query, after, limit).await
    }

    async fn sweep_snapshots(&self, before: UnixMillis, limit: usize) -> Result<usize, StoreError> {
        let before = if self.is(Defect::SweepsTooEarly) { later(before) } else { before };
        self.memory.sweep_snapshots(before, limit).await
    }

    async fn add_tenant_key(&self, key: TenantKey) -> Result<bool, StoreError> {
        if self.is(Defect::AddsInTwoSteps) {
            let newest = self.memory.newest_tenant_key(key.tenant).await?;
            yield_now().await;
            self.memory.add_tenant_key(key.clone()).await?;
            return Ok(newest.is_none_or(|newest| newest.version < key.version));
        }
        let added = self.memory.add_tenant_key(key).await?;
        Ok(added || self.is(Defect::AddsAnyVersion))
    }

    async fn find_tenant_key(
        &self,
        tenant: Uuid,
        version: u32,
    ) -> Result<Option<TenantKey>, StoreError> {
        let found = self.memory.find_tenant_key(tenant, version).await?;
        Ok(found.filter(|key| key.wrapped.is_some() || !self.is(Defect::ForgetsMarks)))
    }

    async fn newest_tenant_key(&self, tenant: Uuid) -> Result<Option<TenantKey>, StoreError> {
        self.memory.newest_tenant_key(tenant).await
    }

    async fn list_tenant_keys(
        &self,
        not_by: &str,
        after: Option<(Uuid, u32)>,
        limit: usize,
    ) -> Result<Vec<TenantKey>, StoreError> {
        let not_by = if self.is(Defect::ListsAllKeys) { "" } else { not_by };
        self.memory.list_tenant_keys(not_by, after, limit).await
    }

    async fn rewrap_tenant_key(&self, was: &TenantKey, now: TenantKey) -> Result<bool, StoreError> {
        let found = self.memory.find_tenant_key(was.tenant, was.version).await?;
        match found {
            Some(found) if self.is(Defect::WrapsAnyKeyAnew) && found.wrapped.is_some() => {
                self.memory.rewrap_tenant_key(&found, now).await
            }
            _ => self.memory.rewrap_tenant_key(was, now).await,
        }
    }

    async fn destroy_unused_tenant_keys(&self, tenant: Uuid) -> Result<usize, StoreError> {
        if self.is(Defect::DestroysTheNewest) {
            return self.memory.destroy_tenant_keys(tenant).await;
        }
        self.memory.destroy_unused_tenant_keys(tenant).await
    }

    async fn destroy_tenant_keys(&self, tenant: Uuid) -> Result<usize, StoreError> {
        if self.is(Defect::DestroysNothing) {
            return Ok(0);
        }
        self.memory.destroy_tenant_keys(tenant).await
    }

    async fn list_data_keys(
        &self,
        tenant: Uuid,
        before_version: u32,
        after: Option<SnapshotId>,
        limit: usize,
    ) -> Result<Vec<(SnapshotId, WrappedKey)>, StoreError> {
        let version = before_version + u32::from(self.is(Defect::ListsLaterVersions));
        self.memory.list_data_keys(tenant, version, after, limit).await
    }

    async fn rewrap_data_key(
        &self,
        tenant: Uuid,
        id: SnapshotId,
        was: &WrappedKey,
        now: WrappedKey,
        checksum: Vec<u8>,
    ) -> Result<bool, StoreError> {
        let key = async || {
            let found = self.memory.find_snapshot(tenant, id).await?;
            Ok(found.and_then(|found| found.sealed).map(|sealed| sealed.key))
        };
        let found: Option<WrappedKey> = key().await?;
        let same = found.as_ref() == Some(was);
        match self.defect {
            Defect::WrapsByDeadKeys if same => {
                self.memory.rewrap_data_key(tenant, id, was, now, checksum).await.map(|_| true)
            }
            Defect::WrapsAnyDataKeyAnew if found.is_some() => {
                self.memory.rewrap_data_key(tenant, id, &found.unwrap(), now, checksum).await
            }
            Defect::WrapsInTwoSteps if same => {
                yield_now().await;
                let was = key().await?.unwrap();
                self.memory.rewrap_data_key(tenant, id, &was, now, checksum).await
            }
            _ => self.memory.rewrap_data_key(tenant, id, was, now, checksum).await,
        }
    }
}

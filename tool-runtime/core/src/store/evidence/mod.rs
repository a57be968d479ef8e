//! The store of evidence: the trait, and the rows that it keeps.

mod snapshot_id;

use std::ops::Range;

use async_trait::async_trait;
use uuid::Uuid;

use tool_runtime_schema::canonical::Digest;

pub use self::snapshot_id::{ParseSnapshotIdError, SnapshotId};
use crate::store::{StoreError, UnixMillis};

/// Keeps snapshots, and the tenants' keys, wrapped.
///
/// Contents and keys are encrypted before they reach the store, which can decrypt none of them.
/// Each operation is atomic, also against other processes that share the store. An operation that
/// returns `Ok` is as durable as the backend makes it, and each may be repeated after an error.
///
/// `testing::conformance::evidence` tests an implementation.
///
/// # Keys
/// A tenant's keys have versions from 1 up. A key that is destroyed leaves its version
/// ([`TenantKey::wrapped`] is `None`), so that no version is used twice, and so that a snapshot of
/// a destroyed key differs from one that was altered. A destroyed key must be gone from
/// everything that the backend keeps, also from its logs and free pages.
#[async_trait]
pub trait EvidenceStore: Send + Sync + 'static {
    /// Keeps a snapshot and returns true. The first snapshot of a tenant's id is never changed;
    /// another one with the id is ignored.
    ///
    /// Returns false and keeps nothing if the tenant key that it is sealed under is absent or
    /// destroyed.
    async fn put_snapshot(&self, snapshot: StoredSnapshot) -> Result<bool, StoreError>;

    /// Finds a tenant's snapshot.
    async fn find_snapshot(
        &self,
        tenant: Uuid,
        id: SnapshotId,
    ) -> Result<Option<StoredSnapshot>, StoreError>;

    /// Lists the snapshots of a query in the order of their ids: at most `limit`, from the first
    /// after `after`, which may have been deleted.
    ///
    /// [`ListedSnapshot::from`] makes an item from a whole snapshot. Convert one row at a time, so
    /// that the sealed texts of one snapshot are in memory at once.
    async fn list_snapshots(
        &self,
        query: &SnapshotQuery,
        after: Option<SnapshotId>,
        limit: usize,
    ) -> Result<Vec<ListedSnapshot>, StoreError>;

    /// Deletes snapshots that were made before this time, at most `limit`, the oldest first; returns
    /// their number.
    async fn sweep_snapshots(&self, before: UnixMillis, limit: usize) -> Result<usize, StoreError>;

    /// Adds a tenant key. Returns false and changes nothing unless its version is greater than
    /// every version that the tenant has had.
    async fn add_tenant_key(&self, key: TenantKey) -> Result<bool, StoreError>;

    /// Finds a tenant key, also a destroyed one.
    async fn find_tenant_key(
        &self,
        tenant: Uuid,
        version: u32,
    ) -> Result<Option<TenantKey>, StoreError>;

    /// Finds the tenant key of the greatest version, also a destroyed one.
    async fn newest_tenant_key(&self, tenant: Uuid) -> Result<Option<TenantKey>, StoreError>;

    /// Lists the keys of all tenants that are not wrapped by this key of the ring, by tenant and
    /// version: at most `limit`, from the first after `after`, without destroyed keys.
    async fn list_tenant_keys(
        &self,
        not_by: &str,
        after: Option<(Uuid, u32)>,
        limit: usize,
    ) -> Result<Vec<TenantKey>, StoreError>;

    /// Replaces the wrapping `was` of a tenant key by `now`. Returns false and changes nothing if
    /// the stored wrapping is not `was`, or the key is destroyed.
    async fn rewrap_tenant_key(&self, was: &TenantKey, now: TenantKey) -> Result<bool, StoreError>;

    /// Destroys the tenant's keys under which no snapshot is sealed, except the newest one; returns
    /// their number.
    async fn destroy_unused_tenant_keys(&self, tenant: Uuid) -> Result<usize, StoreError>;

    /// Destroys all keys of a tenant; returns their number.
    ///
    /// After an error some keys may still exist: repeat the operation.
    async fn destroy_tenant_keys(&self, tenant: Uuid) -> Result<usize, StoreError>;

    /// Lists the keys of a tenant's snapshots that are wrapped by an earlier version than this one,
    /// at most `limit`, in the order of ids, from the first after `after`.
    async fn list_data_keys(
        &self,
        tenant: Uuid,
        before_version: u32,
        after: Option<SnapshotId>,
        limit: usize,
    ) -> Result<Vec<(SnapshotId, WrappedKey)>, StoreError>;

    /// Replaces the wrapping `was` of a snapshot's key by `now`, and the snapshot's checksum, in
    /// one operation. Returns false and changes nothing if the stored wrapping is not `was`, or if
    /// one of the two tenant keys is absent or destroyed.
    async fn rewrap_data_key(
        &self,
        tenant: Uuid,
        id: SnapshotId,
        was: &WrappedKey,
        now: WrappedKey,
        checksum: Vec<u8>,
    ) -> Result<bool, StoreError>;
}

/// The domain of the hashes of sealed texts; part of every checksum.
const PART: &str = "tool-runtime/evidence/v1/part";

/// The unencrypted columns of a stored snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFacts {
    /// The tenant.
    pub tenant: Uuid,
    /// The snapshot's id.
    pub id: SnapshotId,
    /// The trace.
    pub trace: Box<str>,
    /// The snapshot's JSON text.
    pub facts: Vec<u8>,
}

/// A snapshot, as a store keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSnapshot {
    /// The unencrypted columns.
    pub facts: StoredFacts,
    /// The sealed contents, if there are any.
    pub sealed: Option<SealedContents>,
    /// The keyed checksum over all other columns. An empty one is never valid.
    pub checksum: Vec<u8>,
}

/// A snapshot of a list: the columns that its checksum covers, with hashes of the sealed texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedSnapshot {
    /// The unencrypted columns.
    pub facts: StoredFacts,
    /// The hashes of the sealed contents, if there are any.
    pub sealed: Option<SealedDigests>,
    /// The keyed checksum, as in [`StoredSnapshot::checksum`].
    pub checksum: Vec<u8>,
}

/// Hashes of the sealed contents of a snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedDigests {
    /// The snapshot's data key, wrapped by a tenant key.
    pub key: WrappedKey,
    /// The hash of the sealed arguments.
    pub arguments: Option<Digest>,
    /// The hash of the sealed output.
    pub output: Option<Digest>,
}

/// The sealed contents of a snapshot, with their key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedContents {
    /// The snapshot's data key, wrapped by a tenant key.
    pub key: WrappedKey,
    /// The exact arguments, sealed.
    pub arguments: Option<Vec<u8>>,
    /// The full output, sealed.
    pub output: Option<Vec<u8>>,
}

/// A snapshot's data key, wrapped by a version of the tenant's key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrappedKey {
    /// The version of the tenant key.
    pub version: u32,
    /// The wrapped key: 81 bytes.
    pub wrapped: Vec<u8>,
}

/// A version of a tenant's key, wrapped by the key ring.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TenantKey {
    /// The tenant.
    pub tenant: Uuid,
    /// The version, from 1 up.
    pub version: u32,
    /// The id of the ring key that wraps it; empty if it is destroyed.
    pub ring_key: Box<str>,
    /// The wrapped key: 81 bytes. `None` if it is destroyed.
    pub wrapped: Option<Vec<u8>>,
}

/// A query for a tenant's snapshots: all of them, or only of a trace, a time, a tool or a call.
///
/// # Examples
/// ```
/// use tool_runtime::Uuid;
/// use tool_runtime::evidence::SnapshotQuery;
/// use tool_runtime::store::UnixMillis;
///
/// let query = SnapshotQuery::new(Uuid::nil())
///     .with_trace("trace-1")
///     .with_from(UnixMillis::new(1_800_000_000_000))
///     .with_until(UnixMillis::new(1_800_000_060_000));
/// assert!(!query.ids(None).is_empty());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotQuery {
    /// The tenant.
    pub tenant: Uuid,
    /// Only snapshots of this trace.
    pub trace: Option<Box<str>>,
    /// Only snapshots made at this time or later.
    pub from: Option<UnixMillis>,
    /// Only snapshots made before this time.
    pub until: Option<UnixMillis>,
    /// Only snapshots of this tool. A store may ignore it: the vault checks each snapshot.
    pub tool: Option<Box<str>>,
    /// Only the snapshot of the call with this invocation id. A store may ignore it, as `tool`.
    pub invocation: Option<Uuid>,
}

impl StoredFacts {
    /// Makes the columns from a snapshot's JSON text.
    pub fn new(
        tenant: Uuid,
        id: SnapshotId,
        trace: impl Into<Box<str>>,
        facts: impl Into<Vec<u8>>,
    ) -> Self {
        Self { tenant, id, trace: trace.into(), facts: facts.into() }
    }
}

impl StoredSnapshot {
    /// Makes a stored snapshot, whose checksum is to be set.
    #[must_use]
    pub const fn new(facts: StoredFacts, sealed: Option<SealedContents>) -> Self {
        Self { facts, sealed, checksum: Vec::new() }
    }

    /// Sets the checksum.
    #[must_use]
    pub fn with_checksum(mut self, checksum: impl Into<Vec<u8>>) -> Self {
        self.checksum = checksum.into();
        self
    }

    /// Makes the item of a list from the snapshot.
    #[must_use]
    pub fn listed(&self) -> ListedSnapshot {
        let Self { facts, sealed, checksum } = self;
        let digest = |part: &Option<Vec<u8>>| part.as_ref().map(|it| Digest::compute(PART, it));
        let sealed = sealed.as_ref().map(|sealed| SealedDigests {
            key: sealed.key.clone(),
            arguments: digest(&sealed.arguments),
            output: digest(&sealed.output),
        });
        ListedSnapshot { facts: facts.clone(), sealed, checksum: checksum.clone() }
    }
}

impl From<StoredSnapshot> for ListedSnapshot {
    fn from(snapshot: StoredSnapshot) -> Self {
        snapshot.listed()
    }
}

impl SealedContents {
    /// Makes sealed contents.
    #[must_use]
    pub const fn new(key: WrappedKey, arguments: Option<Vec<u8>>, output: Option<Vec<u8>>) -> Self {
        Self { key, arguments, output }
    }
}

impl WrappedKey {
    /// Makes a key that is wrapped by this version of the tenant's key.
    #[must_use]
    pub const fn new(version: u32, wrapped: Vec<u8>) -> Self {
        Self { version, wrapped }
    }
}

impl TenantKey {
    /// Makes a key that is wrapped by this key of the ring.
    pub fn new(
        tenant: Uuid,
        version: u32,
        ring_key: impl Into<Box<str>>,
        wrapped: Vec<u8>,
    ) -> Self {
        Self { tenant, version, ring_key: ring_key.into(), wrapped: Some(wrapped) }
    }

    /// Makes what remains of a destroyed key: its version. A store calls it.
    #[must_use]
    pub fn destroyed(tenant: Uuid, version: u32) -> Self {
        Self { tenant, version, ring_key: Box::default(), wrapped: None }
    }
}

impl SnapshotQuery {
    /// Selects all snapshots of a tenant.
    #[must_use]
    pub const fn new(tenant: Uuid) -> Self {
        Self { tenant, trace: None, from: None, until: None, tool: None, invocation: None }
    }

    /// Selects the snapshots of a trace.
    #[must_use]
    pub fn with_trace(mut self, trace: impl Into<Box<str>>) -> Self {
        self.trace = Some(trace.into());
        self
    }

    /// Selects the snapshots made at this time or later.
    #[must_use]
    pub const fn with_from(mut self, moment: UnixMillis) -> Self {
        self.from = Some(moment);
        self
    }

    /// Selects the snapshots made before this time.
    #[must_use]
    pub const fn with_until(mut self, moment: UnixMillis) -> Self {
        self.until = Some(moment);
        self
    }

    /// Selects the snapshots of a tool.
    #[must_use]
    pub fn with_tool(mut self, tool: impl Into<Box<str>>) -> Self {
        self.tool = Some(tool.into());
        self
    }

    /// Selects the snapshot of a call, by its invocation id.
    #[must_use]
    pub const fn with_invocation(mut self, invocation: Uuid) -> Self {
        self.invocation = Some(invocation);
        self
    }

    /// Returns whether the query selects snapshots of this tool and call.
    #[must_use]
    pub fn admits(&self, tool: &str, invocation: Uuid) -> bool {
        self.tool.as_deref().is_none_or(|it| it == tool)
            && self.invocation.is_none_or(|it| it == invocation)
    }

    /// Returns the selected ids after this one, as a range of UUIDs.
    ///
    /// A snapshot's id begins with its time, so that a period is a range of ids. The start of an
    /// empty range is its end.
    #[must_use]
    pub fn ids(&self, after: Option<SnapshotId>) -> Range<Uuid> {
        let end = self.until.map_or(Uuid::max(), SnapshotId::least_uuid);
        let from = self.from.map_or(Uuid::nil(), SnapshotId::least_uuid);
        let next = after.map_or(Uuid::nil(), |id| Uuid::from_u128(id.uuid().as_u128() + 1));
        from.max(next).min(end)..end
    }
}

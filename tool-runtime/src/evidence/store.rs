//! What must survive of evidence, behind one trait.

use std::ops::Range;

use async_trait::async_trait;
use uuid::Uuid;

use super::SnapshotId;
use crate::canonical::Digest;
use crate::store::{StoreError, UnixMillis};

/// Keeps snapshots, and the tenants' keys, wrapped.
///
/// What is sealed and wrapped is sealed and wrapped before it gets here; a backend can read none of
/// it. Each operation is atomic, also against other processes that share the store, and one that
/// returns `Ok` is as durable as the backend ever is. Each may be repeated after an error.
///
/// `testing::conformance::evidence` tests a backend.
///
/// # Keys
/// A tenant's keys have versions from 1 up. A key that is destroyed leaves a mark: its version and
/// nothing else ([`TenantKey::wrapped`] is none). So no version is given twice, and a snapshot that
/// cannot be opened any more can be told from one that was altered. What was destroyed has to be gone
/// from all that the backend keeps, also from its logs and free pages.
#[async_trait]
pub trait EvidenceStore: Send + Sync + 'static {
    /// Keeps a snapshot. The first of a tenant's id is kept and never changed; putting it again
    /// answers true.
    ///
    /// False, and nothing is kept, if the key that it is sealed under is not there or destroyed.
    async fn put_snapshot(&self, snapshot: StoredSnapshot) -> Result<bool, StoreError>;

    /// Finds a tenant's snapshot.
    async fn find_snapshot(
        &self,
        tenant: Uuid,
        id: SnapshotId,
    ) -> Result<Option<StoredSnapshot>, StoreError>;

    /// Lists what is asked for, at most `most`, in the order of ids, from the first after `after`,
    /// which need not be kept any more.
    ///
    /// [`ListedSnapshot::from`] makes an item from a whole snapshot; do so one by one, so that one
    /// snapshot's sealed texts are in memory at a time.
    async fn list_snapshots(
        &self,
        query: &SnapshotQuery,
        after: Option<SnapshotId>,
        most: usize,
    ) -> Result<Vec<ListedSnapshot>, StoreError>;

    /// Forgets snapshots that were made before this moment, at most `most`, the eldest first;
    /// returns how many.
    async fn sweep_snapshots(&self, before: UnixMillis, most: usize) -> Result<usize, StoreError>;

    /// Adds a key to a tenant's; false, and nothing is changed, unless its version is greater than
    /// all that the tenant has had.
    async fn add_tenant_key(&self, key: TenantKey) -> Result<bool, StoreError>;

    /// Finds a tenant's key, also a destroyed one.
    async fn find_tenant_key(
        &self,
        tenant: Uuid,
        version: u32,
    ) -> Result<Option<TenantKey>, StoreError>;

    /// Finds a tenant's key of the greatest version, also a destroyed one.
    async fn newest_tenant_key(&self, tenant: Uuid) -> Result<Option<TenantKey>, StoreError>;

    /// Lists keys of all tenants that are wrapped by another key than this one of the ring, at most
    /// `most`, by tenant and version, from the first after `after`. No destroyed ones.
    async fn list_tenant_keys(
        &self,
        not_by: &str,
        after: Option<(Uuid, u32)>,
        most: usize,
    ) -> Result<Vec<TenantKey>, StoreError>;

    /// Puts another wrapping of the same key in place of `was`; false, and nothing is changed, if
    /// the key is not wrapped like that any more, or destroyed.
    async fn rewrap_tenant_key(&self, was: &TenantKey, now: TenantKey) -> Result<bool, StoreError>;

    /// Destroys those of a tenant's keys that no snapshot is sealed under, but not the newest one;
    /// returns how many.
    async fn destroy_unused_tenant_keys(&self, tenant: Uuid) -> Result<usize, StoreError>;

    /// Destroys all keys of a tenant; returns how many.
    ///
    /// An error may leave open whether they are gone from everywhere: repeat it.
    async fn destroy_tenant_keys(&self, tenant: Uuid) -> Result<usize, StoreError>;

    /// Lists the keys of a tenant's snapshots that are wrapped by an earlier version than this one,
    /// at most `most`, in the order of ids, from the first after `after`.
    async fn list_data_keys(
        &self,
        tenant: Uuid,
        before_version: u32,
        after: Option<SnapshotId>,
        most: usize,
    ) -> Result<Vec<(SnapshotId, WrappedKey)>, StoreError>;

    /// Puts another wrapping of a snapshot's key in place of `was`; false, and nothing is changed,
    /// if it is not wrapped like that any more, or either of the two tenant keys is not there or
    /// destroyed. The checksum replaces the snapshot's in the same operation.
    async fn rewrap_data_key(
        &self,
        tenant: Uuid,
        id: SnapshotId,
        was: &WrappedKey,
        now: WrappedKey,
        checksum: Option<Vec<u8>>,
    ) -> Result<bool, StoreError>;

    /// Gives a snapshot a checksum; false, and nothing is changed, if it has one or is not there.
    async fn add_checksum(
        &self,
        tenant: Uuid,
        id: SnapshotId,
        checksum: Vec<u8>,
    ) -> Result<bool, StoreError>;
}

/// The domain of the hashes of sealed texts; part of every checksum.
const PART: &str = "tool-runtime/evidence/v1/part";

/// What is stored of a snapshot for anybody to read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
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

/// A snapshot as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredSnapshot {
    /// What anybody may read.
    pub facts: StoredFacts,
    /// What is sealed, if anything is.
    pub sealed: Option<SealedContents>,
    /// The keyed checksum over all of the above; none if an earlier release kept the snapshot.
    pub checksum: Option<Vec<u8>>,
}

/// A snapshot in a list: all that its checksum covers, with hashes in place of the sealed texts.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedSnapshot {
    /// What anybody may read.
    pub facts: StoredFacts,
    /// What is sealed, if anything is.
    pub sealed: Option<SealedDigests>,
    /// The keyed checksum, as in [`StoredSnapshot::checksum`].
    pub checksum: Option<Vec<u8>>,
}

/// Hashes of what a snapshot keeps sealed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SealedDigests {
    /// The snapshot's own key, wrapped by its tenant's.
    pub key: WrappedKey,
    /// The hash of the sealed arguments.
    pub arguments: Option<Digest>,
    /// The hash of the sealed output.
    pub output: Option<Digest>,
}

/// What a snapshot keeps sealed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SealedContents {
    /// The snapshot's own key, wrapped by its tenant's.
    pub key: WrappedKey,
    /// The exact arguments, sealed.
    pub arguments: Option<Vec<u8>>,
    /// The full output, sealed.
    pub output: Option<Vec<u8>>,
}

/// A snapshot's key, wrapped by a version of its tenant's.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WrappedKey {
    /// The version of the tenant's key.
    pub version: u32,
    /// The key, sealed: 81 bytes.
    pub wrapped: Vec<u8>,
}

/// A version of a tenant's key.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TenantKey {
    /// The tenant.
    pub tenant: Uuid,
    /// The version, from 1 up.
    pub version: u32,
    /// The id of the key on the ring that wraps it; empty if it is destroyed.
    pub ring_key: Box<str>,
    /// The key, sealed: 81 bytes. None if it is destroyed.
    pub wrapped: Option<Vec<u8>>,
}

/// A query for a tenant's snapshots: all, or those of a trace, a time, a tool or a call.
///
/// # Examples
/// ```
/// use tool_runtime::Uuid;
/// use tool_runtime::evidence::SnapshotQuery;
/// use tool_runtime::store::UnixMillis;
///
/// let query = SnapshotQuery::of(Uuid::nil())
///     .with_trace("trace-1")
///     .with_from(UnixMillis::new(1_800_000_000_000))
///     .with_until(UnixMillis::new(1_800_000_060_000));
/// assert!(!query.ids(None).is_empty());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SnapshotQuery {
    /// The tenant.
    pub tenant: Uuid,
    /// Of this trace alone.
    pub trace: Option<Box<str>>,
    /// Made at this moment or later.
    pub from: Option<UnixMillis>,
    /// Made before this moment.
    pub until: Option<UnixMillis>,
    /// Of this tool alone. A store may ignore it: the vault checks each snapshot.
    pub tool: Option<Box<str>>,
    /// Of the call with this invocation id alone. A store may ignore it, as `tool`.
    pub invocation: Option<Uuid>,
}

impl StoredFacts {
    /// Takes a snapshot's JSON text.
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
    /// Makes a stored snapshot without a checksum.
    #[must_use]
    pub const fn new(facts: StoredFacts, sealed: Option<SealedContents>) -> Self {
        Self { facts, sealed, checksum: None }
    }

    /// Sets the checksum.
    #[must_use]
    pub fn with_checksum(mut self, checksum: impl Into<Vec<u8>>) -> Self {
        self.checksum = Some(checksum.into());
        self
    }

    /// Returns the snapshot as a list has it.
    #[must_use]
    pub fn listed(&self) -> ListedSnapshot {
        let Self { facts, sealed, checksum } = self;
        let digest = |part: &Option<Vec<u8>>| part.as_ref().map(|it| Digest::of(PART, it));
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
    /// Makes what a snapshot keeps sealed.
    #[must_use]
    pub const fn new(key: WrappedKey, arguments: Option<Vec<u8>>, output: Option<Vec<u8>>) -> Self {
        Self { key, arguments, output }
    }
}

impl WrappedKey {
    /// Takes a key that is wrapped by this version of the tenant's.
    #[must_use]
    pub const fn new(version: u32, wrapped: Vec<u8>) -> Self {
        Self { version, wrapped }
    }
}

impl TenantKey {
    /// Takes a key that is wrapped by this key of the ring.
    pub fn new(
        tenant: Uuid,
        version: u32,
        ring_key: impl Into<Box<str>>,
        wrapped: Vec<u8>,
    ) -> Self {
        Self { tenant, version, ring_key: ring_key.into(), wrapped: Some(wrapped) }
    }

    /// Makes the mark that a destroyed key leaves; a backend calls it.
    #[must_use]
    pub fn destroyed(tenant: Uuid, version: u32) -> Self {
        Self { tenant, version, ring_key: Box::default(), wrapped: None }
    }
}

impl SnapshotQuery {
    /// Asks for all of a tenant's.
    #[must_use]
    pub const fn of(tenant: Uuid) -> Self {
        Self { tenant, trace: None, from: None, until: None, tool: None, invocation: None }
    }

    /// Asks for those of a trace.
    #[must_use]
    pub fn with_trace(mut self, trace: impl Into<Box<str>>) -> Self {
        self.trace = Some(trace.into());
        self
    }

    /// Asks for those made at this moment or later.
    #[must_use]
    pub const fn with_from(mut self, moment: UnixMillis) -> Self {
        self.from = Some(moment);
        self
    }

    /// Asks for those made before this moment.
    #[must_use]
    pub const fn with_until(mut self, moment: UnixMillis) -> Self {
        self.until = Some(moment);
        self
    }

    /// Asks for those of a tool.
    #[must_use]
    pub fn with_tool(mut self, tool: impl Into<Box<str>>) -> Self {
        self.tool = Some(tool.into());
        self
    }

    /// Asks for that of a call, by its invocation id.
    #[must_use]
    pub const fn with_invocation(mut self, invocation: Uuid) -> Self {
        self.invocation = Some(invocation);
        self
    }

    /// Returns whether a snapshot of this tool and call is asked for.
    pub(super) fn admits(&self, tool: &str, invocation: Uuid) -> bool {
        self.tool.as_deref().is_none_or(|it| it == tool)
            && self.invocation.is_none_or(|it| it == invocation)
    }

    /// Gives the ids that are asked for, after this one, as a range of UUIDs.
    ///
    /// A snapshot's id begins with its moment, so that a time is a range of ids. The range may be
    /// empty, and then its start is its end.
    #[must_use]
    pub fn ids(&self, after: Option<SnapshotId>) -> Range<Uuid> {
        let end = self.until.map_or(Uuid::max(), SnapshotId::least_uuid);
        let from = self.from.map_or(Uuid::nil(), SnapshotId::least_uuid);
        let next = after.map_or(Uuid::nil(), |id| Uuid::from_u128(id.uuid().as_u128() + 1));
        from.max(next).min(end)..end
    }
}

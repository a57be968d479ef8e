//! The vault: keeping, sweeping and destroying evidence, and recording each access.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tool_runtime_core::key_ring::KeyRing;
use tool_runtime_core::store::{Clock, StoreError, SystemClock, UnixMillis};
use uuid::Uuid;

use super::checksum::{self, CHECKSUM_KEYS, ChecksumVerifier, checksum};
use super::keys::{self, MAX_ATTEMPTS};
use super::seal::{AssociatedData, SecretKey};
use super::snapshot::digest_of;
use super::{
    Access, AccessAction, AccessLog, AccessOutcome, AccessRecord, Contents, ContentsPart,
    EvidenceAuthorizer, EvidenceError, EvidenceErrorKind, EvidenceStore, SealedContents, Snapshot,
    SnapshotId, StoredFacts, StoredSnapshot, WrappedKey,
};
use crate::ledger::Ledger;

/// Keeps snapshots of calls, encrypts their contents, and shows both to readers that state a
/// reason.
///
/// A vault is a handle: its clones share the store, the keys and the log. It caches no snapshot and
/// no tenant key, so that a key that another process destroys is destroyed here too.
///
/// Without an [access log](Self::with_access_log) nothing is shown, and no key is changed. An
/// [authorizer](Self::with_authorizer) of the host decides each access.
///
/// # Cancellation
/// An operation that is dropped leaves everything readable that was readable before. One that
/// destroys or rewraps keys may have done a part: call it again.
///
/// # Examples
/// ```
/// use tool_runtime::contracts::ToolContext;
/// use tool_runtime::evidence::{Access, AccessLog, AccessRecord, Contents, Snapshot, Vault};
/// use tool_runtime::evidence::{EvidenceErrorKind, async_trait};
/// use tool_runtime::policy::KeyRing;
/// use tool_runtime::store::{MemoryStore, StoreError, UnixMillis};
///
/// struct Printed;
///
/// #[async_trait]
/// impl AccessLog for Printed {
///     async fn record(&self, record: &AccessRecord) -> Result<(), StoreError> {
///         println!("{record:?}");
///         Ok(())
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let secret = [7; 32];
/// let vault = Vault::new(MemoryStore::new(), KeyRing::new("2025-07", &secret)?).with_access_log(Printed);
///
/// let cx = ToolContext::local();
/// let at = UnixMillis::new(1_800_000_000_000);
/// let snapshot = Snapshot::for_call(&cx, "pricing.quote", "1.0.0", at);
/// let contents = Contents::new().with_arguments(r#"{"sku":"A-1"}"#).with_output("17");
/// let kept = vault.keep(snapshot, &contents).await?;
///
/// let access = Access::new("user:auditor-7", "complaint 4711")?;
/// let opened = vault.read(cx.tenant_id(), kept.id(), &access).await?;
/// assert_eq!(opened.contents.output(), Some("17"));
///
/// vault.shred(cx.tenant_id(), &access).await?;
/// let error = vault.read(cx.tenant_id(), kept.id(), &access).await.unwrap_err();
/// assert_eq!(error.kind(), EvidenceErrorKind::Shredded);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Vault {
    pub(super) store: Arc<dyn EvidenceStore>,
    pub(super) ring: Arc<KeyRing>,
    log: Option<Arc<dyn AccessLog>>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) ledger: Option<Ledger>,
    pub(super) retention: Option<Duration>,
    pub(super) authorizer: Option<Arc<dyn EvidenceAuthorizer>>,
}

impl Vault {
    /// Makes a vault over a store, with the ring that wraps the tenants' keys.
    ///
    /// All processes that share the store need the secrets on the ring, under the same ids. The
    /// ring may be the one that signs tickets: the vault derives other keys from it.
    pub fn new(store: impl EvidenceStore, keys: impl Into<Arc<KeyRing>>) -> Self {
        Self {
            store: Arc::new(store),
            ring: keys.into(),
            log: None,
            clock: Arc::new(SystemClock),
            ledger: None,
            retention: None,
            authorizer: None,
        }
    }

    /// Sets the host's decision about each access that shows evidence, which replaces an earlier
    /// one.
    ///
    /// Without one, the vault allows every access by the code that holds it, and
    /// `HttpConfig::vault`, of the feature `http`, serves none of its evidence.
    ///
    /// # Examples
    /// ```
    /// use tool_runtime::evidence::{EvidenceRequest, EvidenceVerdict, Vault};
    ///
    /// # fn doc(vault: Vault) -> Vault {
    /// // Only auditors see evidence, and only evidence of prices.
    /// vault.with_authorizer(|request: &EvidenceRequest<'_>| {
    ///     let is_price = request.snapshot().is_some_and(|it| it.tool() == "pricing.quote");
    ///     if is_price && request.access().has_scope("auditor") {
    ///         EvidenceVerdict::Allow
    ///     } else {
    ///         EvidenceVerdict::Deny
    ///     }
    /// })
    /// # }
    /// ```
    #[must_use]
    pub fn with_authorizer(mut self, authorizer: impl EvidenceAuthorizer) -> Self {
        self.authorizer = Some(Arc::new(authorizer));
        self
    }

    /// Sets the log that records each access.
    #[must_use]
    pub fn with_access_log(mut self, log: impl AccessLog) -> Self {
        self.log = Some(Arc::new(log));
        self
    }

    /// Sets the clock that access records are dated by.
    #[must_use]
    pub fn with_clock(mut self, clock: impl Clock) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Keeps a snapshot with its contents, which are encrypted; returns the snapshot as it is kept.
    ///
    /// A snapshot that is already kept is not changed, so that this may be repeated after an error.
    /// A tenant without a key, or whose keys are destroyed, gets a new one.
    ///
    /// # Errors
    /// `Store` when the store fails; `UnknownKey` or `Altered` when the tenant key or the checksum
    /// key cannot be unwrapped; `Contended` when the tenant key changes at each attempt;
    /// `ReservedTenant` for the tenant `ffffffff-ffff-ffff-ffff-ffffffffffff`.
    pub async fn keep(
        &self,
        mut snapshot: Snapshot,
        contents: &Contents,
    ) -> Result<Snapshot, EvidenceError> {
        check_not_reserved(snapshot.tenant_id())?;
        snapshot.set_sealed(contents.parts());
        let facts = StoredFacts::new(
            snapshot.tenant_id(),
            snapshot.id(),
            snapshot.trace_id(),
            snapshot.facts()?,
        );
        if contents.is_empty() {
            let key = checksum::newest_key(&*self.store, &self.ring).await?;
            let stored = StoredSnapshot::new(facts, None);
            let checksum = checksum(&key, &stored.listed());
            self.store.put_snapshot(stored.with_checksum(checksum)).await?;
        } else {
            self.keep_sealed(facts, contents).await?;
        }
        Ok(snapshot)
    }

    /// Checks that the store answers and that the keys of a new snapshot can be unwrapped.
    pub(super) async fn check_ready(&self, tenant: Uuid, seals: bool) -> Result<(), EvidenceError> {
        check_not_reserved(tenant)?;
        checksum::newest_key(&*self.store, &self.ring).await?;
        if seals {
            keys::newest(&*self.store, &self.ring, tenant).await?;
        }
        Ok(())
    }

    /// Deletes snapshots that were made before this time, at most `limit`; returns their number.
    ///
    /// # Errors
    /// `Store` when the store fails.
    ///
    /// # Examples
    /// ```
    /// # use tool_runtime::evidence::{EvidenceError, Vault};
    /// # use tool_runtime::store::UnixMillis;
    /// # async fn doc(vault: Vault, before: UnixMillis) -> Result<(), EvidenceError> {
    /// while vault.sweep(before, 1000).await? > 0 {}
    /// # Ok(())
    /// # }
    /// ```
    pub async fn sweep(&self, before: UnixMillis, limit: usize) -> Result<usize, EvidenceError> {
        Ok(self.store.sweep_snapshots(before, limit).await?)
    }

    /// Destroys all keys of a tenant, so that the contents sealed until now cannot be decrypted.
    ///
    /// The snapshots remain, without their contents. Later snapshots are sealed under a new key.
    /// Earlier copies of the store, such as backups, hold the wrapped keys: destroy them too, or
    /// replace the secret on the ring once all tenant keys are wrapped by the new one.
    ///
    /// Returns the number of destroyed keys.
    ///
    /// # Errors
    /// `Unrecorded` when the access log takes no record, before anything is destroyed or of the
    /// result; `Store` when the store fails: repeat it.
    ///
    /// # Examples
    /// ```
    /// # use tool_runtime::evidence::{Access, EvidenceError, Vault};
    /// # async fn doc(vault: Vault, tenant: tool_runtime::Uuid) -> Result<(), EvidenceError> {
    /// let access = Access::new("user:officer-1", "the tenant asked to be forgotten")?;
    /// vault.shred(tenant, &access).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn shred(&self, tenant: Uuid, access: &Access) -> Result<usize, EvidenceError> {
        check_not_reserved(tenant)?;
        let draft = RecordDraft::new(AccessAction::Shred, Some(tenant), access);
        self.recorded(&draft, async { Ok(self.store.destroy_tenant_keys(tenant).await?) }).await
    }

    async fn keep_sealed(
        &self,
        facts: StoredFacts,
        contents: &Contents,
    ) -> Result<(), EvidenceError> {
        let StoredFacts { tenant, id, .. } = facts;
        let data_key = SecretKey::random()?;
        let digest = digest_of(&facts.facts);
        let seal = |part| {
            let data = AssociatedData::Part { tenant, id, part, facts: digest };
            contents.part(part).map(|text| data_key.seal(text.as_bytes(), data)).transpose()
        };
        let arguments = seal(ContentsPart::Arguments)?;
        let output = seal(ContentsPart::Output)?;
        let checksum_key = checksum::newest_key(&*self.store, &self.ring).await?;
        for _ in 0..MAX_ATTEMPTS {
            let key = keys::newest(&*self.store, &self.ring, tenant).await?;
            let data = AssociatedData::DataKey { tenant, id, version: key.version };
            let wrapped = WrappedKey::new(key.version, data_key.wrap(&key.secret, data)?);
            let sealed = SealedContents::new(wrapped, arguments.clone(), output.clone());
            let stored = StoredSnapshot::new(facts.clone(), Some(sealed));
            let checksum = checksum(&checksum_key, &stored.listed());
            if self.store.put_snapshot(stored.with_checksum(checksum)).await? {
                return Ok(());
            }
        }
        Err(EvidenceErrorKind::Contended.into())
    }

    /// Verifies the checksum of a stored snapshot and reads it.
    pub(super) async fn checked(
        &self,
        stored: &StoredSnapshot,
        tenant: Uuid,
        id: SnapshotId,
    ) -> Result<Snapshot, EvidenceError> {
        let checked = ChecksumVerifier::new(self).check(&stored.listed()).await;
        checked.map_err(|error| error.with_snapshot(id))?;
        let snapshot = parse_snapshot(&stored.facts, tenant, id);
        snapshot.map_err(|kind| EvidenceError::from(kind).with_snapshot(id))
    }

    /// Runs an operation that changes keys, and records it before and after.
    pub(super) async fn recorded<T>(
        &self,
        draft: &RecordDraft<'_>,
        work: impl Future<Output = Result<T, EvidenceError>>,
    ) -> Result<T, EvidenceError> {
        self.record(draft, AccessOutcome::Asked).await?;
        let done = work.await;
        self.record(draft, AccessOutcome::from_result(&done)).await?;
        done
    }

    /// Puts a record on the access log.
    pub(super) async fn record(
        &self,
        draft: &RecordDraft<'_>,
        outcome: AccessOutcome,
    ) -> Result<(), EvidenceError> {
        let log = self.log.as_ref().ok_or_else(|| EvidenceError::unrecorded(None))?;
        let record = AccessRecord {
            action: draft.action,
            tenant: draft.tenant,
            snapshot: draft.snapshot,
            last_snapshot: draft.last_snapshot,
            access: draft.access.clone(),
            at: self.clock.now(),
            outcome,
        };
        let refused = |error: StoreError| EvidenceError::unrecorded(Some(error));
        log.record(&record).await.map_err(refused)
    }
}

/// The fields that all records of one access share.
pub(super) struct RecordDraft<'a> {
    pub(super) action: AccessAction,
    pub(super) tenant: Option<Uuid>,
    pub(super) snapshot: Option<SnapshotId>,
    pub(super) last_snapshot: Option<SnapshotId>,
    pub(super) access: &'a Access,
}

impl<'a> RecordDraft<'a> {
    /// Starts the record of a rotation, unless the tenant id is reserved.
    pub(super) fn for_rotation(
        tenant: Uuid,
        access: &'a Access,
    ) -> Result<Self, EvidenceErrorKind> {
        check_not_reserved(tenant)?;
        Ok(Self::new(AccessAction::Rotate, Some(tenant), access))
    }

    pub(super) fn new(action: AccessAction, tenant: Option<Uuid>, access: &'a Access) -> Self {
        Self { action, tenant, snapshot: None, last_snapshot: None, access }
    }

    pub(super) fn with_snapshot(mut self, id: SnapshotId) -> Self {
        self.snapshot = Some(id);
        self
    }
}

/// Checks that a tenant's id is not the one under which the vault keeps the checksum key.
pub(super) fn check_not_reserved(tenant: Uuid) -> Result<(), EvidenceErrorKind> {
    if tenant == CHECKSUM_KEYS { Err(EvidenceErrorKind::ReservedTenant) } else { Ok(()) }
}

/// Parses a stored snapshot, and checks that it is of this tenant and id.
pub(super) fn parse_snapshot(
    stored: &StoredFacts,
    tenant: Uuid,
    id: SnapshotId,
) -> Result<Snapshot, EvidenceErrorKind> {
    let snapshot: Snapshot =
        serde_json::from_slice(&stored.facts).map_err(|_| EvidenceErrorKind::Altered)?;
    if snapshot.tenant_id() == tenant && snapshot.id() == id {
        return Ok(snapshot);
    }
    Err(EvidenceErrorKind::Altered)
}

impl fmt::Debug for Vault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vault").field("keys", &self.ring).finish_non_exhaustive()
    }
}

//! Decryption of sealed contents.

use uuid::Uuid;
use zeroize::Zeroizing;

use super::authorizer::SnapshotView;
use super::keys::{self, MAX_ATTEMPTS};
use super::seal::{AssociatedData, SecretKey};
use super::snapshot::digest_of;
use super::vault::RecordDraft;
use super::{
    Access, AccessAction, AccessOutcome, Contents, ContentsPart, EvidenceError, EvidenceErrorKind,
    OpenedSnapshot, SealedContents, Snapshot, SnapshotId, StoredFacts, StoredSnapshot, TenantKey,
    Vault,
};

impl Vault {
    /// Opens the sealed contents of a tenant's snapshot, for this reader and reason.
    ///
    /// The vault checks the snapshot, calls the [authorizer](Self::with_authorizer), decrypts the
    /// contents if that allows it, and records the access before it returns anything. A failure is
    /// recorded too. A snapshot that the authorizer denies is `NotFound`, as one that does not
    /// exist; one that it allows redacted comes without contents ([`OpenedSnapshot::redacted`]).
    ///
    /// # Errors
    /// `NotFound`; `Shredded` when the tenant's keys were destroyed; `Altered` when the stored
    /// snapshot was altered; `NotAsRecorded` and `Missing`
    /// when the snapshot and the [ledger](Self::with_ledger) differ; `UnknownKey` when the ring
    /// lacks a key; `Unrecorded` when the access log takes no record, whatever else went wrong;
    /// `AuthorizerFailed` when the authorizer cannot decide; `Contended` when the tenant's keys
    /// change again and again; `Store` when the store or the ledger fails.
    ///
    /// # Examples
    /// ```
    /// # use tool_runtime::evidence::{Access, EvidenceError, SnapshotId, Vault};
    /// # async fn doc(vault: Vault, tenant: tool_runtime::Uuid, id: SnapshotId) -> Result<(), EvidenceError> {
    /// let access = Access::new("user:auditor-7", "complaint 4711")?;
    /// let opened = vault.read(tenant, id, &access).await?;
    /// println!("{}: {:?}", opened.snapshot.tool(), opened.contents.output());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn read(
        &self,
        tenant: Uuid,
        id: SnapshotId,
        access: &Access,
    ) -> Result<OpenedSnapshot, EvidenceError> {
        let looked_up = self.look_up(tenant, id).await;
        self.open(AccessAction::Read, tenant, id, access, looked_up).await
    }

    /// Opens a snapshot for a replay, as a record of the ledger names it, with this digest if the
    /// record has one.
    pub(super) async fn read_recorded(
        &self,
        tenant: Uuid,
        id: SnapshotId,
        recorded: Option<&str>,
        access: &Access,
    ) -> Result<OpenedSnapshot, EvidenceError> {
        let looked_up = self.look_up_recorded(tenant, id, recorded).await;
        self.open(AccessAction::Replay, tenant, id, access, looked_up).await
    }

    async fn look_up_recorded(
        &self,
        tenant: Uuid,
        id: SnapshotId,
        recorded: Option<&str>,
    ) -> Result<(StoredSnapshot, Snapshot), EvidenceError> {
        let Some(stored) = self.store.find_snapshot(tenant, id).await? else {
            let may_be_swept = self.may_be_swept(id);
            let missing = EvidenceError::from(EvidenceErrorKind::Missing).with_snapshot(id);
            return Err(if may_be_swept { EvidenceErrorKind::NotFound.into() } else { missing });
        };
        let snapshot = self.checked(&stored, tenant, id).await?;
        if let Some(recorded) = recorded {
            self.check_digest(snapshot.digest()?, recorded, id)?;
        }
        Ok((stored, snapshot))
    }

    /// Opens a snapshot as far as the access may see it, and records the access before it is shown.
    async fn open(
        &self,
        action: AccessAction,
        tenant: Uuid,
        id: SnapshotId,
        access: &Access,
        looked_up: Result<(StoredSnapshot, Snapshot), EvidenceError>,
    ) -> Result<OpenedSnapshot, EvidenceError> {
        let draft = RecordDraft::new(action, Some(tenant), access).with_snapshot(id);
        let (outcome, opened) =
            match self.authorized(&draft, tenant, id, looked_up, |(_, snapshot)| snapshot).await {
                Ok(((_, snapshot), SnapshotView::Redacted)) => redacted_view(snapshot),
                Ok(((stored, snapshot), SnapshotView::Full)) => {
                    let opened = self.unseal(stored, snapshot).await;
                    (AccessOutcome::from_result(&opened), opened)
                }
                Err(it) => (it.outcome, Err(it.error)),
            };
        self.record(&draft, outcome).await?;
        opened
    }

    async fn unseal(
        &self,
        mut stored: StoredSnapshot,
        snapshot: Snapshot,
    ) -> Result<OpenedSnapshot, EvidenceError> {
        let (tenant, id) = (stored.facts.tenant, stored.facts.id);
        let mut without_key = None;
        for _ in 0..MAX_ATTEMPTS {
            let Some(sealed) = &stored.sealed else { return Ok(without_contents(snapshot)?) };
            let version = sealed.key.version;
            match self.store.find_tenant_key(tenant, version).await? {
                Some(key) if key.wrapped.is_some() => {
                    let contents = self.contents(&key, &snapshot, &stored.facts, sealed)?;
                    return Ok(OpenedSnapshot { snapshot, contents, redacted: false });
                }
                // A rotation rewraps data keys before it destroys the tenant key: if one is
                // running, the snapshot is under a newer key by now.
                gone if without_key == Some(version) => {
                    let kind =
                        gone.map_or(EvidenceErrorKind::Altered, |_| EvidenceErrorKind::Shredded);
                    return Err(kind.into());
                }
                _ => without_key = Some(version),
            }
            let again = self.store.find_snapshot(tenant, id).await?;
            stored = again.ok_or(EvidenceErrorKind::NotFound)?;
            self.checked(&stored, tenant, id).await?;
        }
        Err(EvidenceErrorKind::Contended.into())
    }

    /// Decrypts the contents of a snapshot, with the tenant key that wraps its data key.
    pub(super) fn contents(
        &self,
        key: &TenantKey,
        snapshot: &Snapshot,
        facts: &StoredFacts,
        sealed: &SealedContents,
    ) -> Result<Contents, EvidenceErrorKind> {
        let secret = self.data_key(key, facts.id, sealed)?;
        contents(&secret, snapshot, facts, sealed)
    }

    fn data_key(
        &self,
        key: &TenantKey,
        id: SnapshotId,
        sealed: &SealedContents,
    ) -> Result<SecretKey, EvidenceErrorKind> {
        let tenant_key = keys::open(&self.ring, key)?;
        let data = AssociatedData::DataKey { tenant: key.tenant, id, version: sealed.key.version };
        tenant_key.secret.unwrap(&sealed.key.wrapped, data)
    }
}

/// Returns a snapshot without contents, unless it names some.
fn without_contents(snapshot: Snapshot) -> Result<OpenedSnapshot, EvidenceErrorKind> {
    if snapshot.sealed().is_empty() {
        return Ok(OpenedSnapshot { snapshot, contents: Contents::new(), redacted: false });
    }
    Err(EvidenceErrorKind::Altered)
}

/// Returns a snapshot without its sealed contents.
fn redacted_view(snapshot: Snapshot) -> (AccessOutcome, Result<OpenedSnapshot, EvidenceError>) {
    let redacted = !snapshot.sealed().is_empty();
    let outcome = if redacted { AccessOutcome::Redacted } else { AccessOutcome::Done };
    (outcome, Ok(OpenedSnapshot { snapshot, contents: Contents::new(), redacted }))
}

/// Decrypts the parts, which must be those that the snapshot names.
fn contents(
    secret: &SecretKey,
    snapshot: &Snapshot,
    stored: &StoredFacts,
    sealed: &SealedContents,
) -> Result<Contents, EvidenceErrorKind> {
    let facts = digest_of(&stored.facts);
    let StoredFacts { tenant, id, .. } = *stored;
    let open = |part, sealed: &Option<Vec<u8>>| {
        let data = AssociatedData::Part { tenant, id, part, facts };
        let opened = sealed.as_ref().map(|sealed| secret.open(sealed, data)).transpose()?;
        opened.as_ref().map(text).transpose()
    };
    let mut contents = Contents::new();
    if let Some(arguments) = open(ContentsPart::Arguments, &sealed.arguments)? {
        contents = contents.with_arguments(arguments);
    }
    if let Some(output) = open(ContentsPart::Output, &sealed.output)? {
        contents = contents.with_output(output);
    }
    if contents.is_empty() || contents.parts() != snapshot.sealed() {
        return Err(EvidenceErrorKind::Altered);
    }
    Ok(contents)
}

fn text(opened: &Zeroizing<Vec<u8>>) -> Result<String, EvidenceErrorKind> {
    let text = std::str::from_utf8(opened).map_err(|_| EvidenceErrorKind::Altered)?;
    Ok(text.to_owned())
}

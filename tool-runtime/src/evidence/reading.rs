//! Opening what was sealed.

use uuid::Uuid;
use zeroize::Zeroizing;

use super::keys::{self, ATTEMPTS};
use super::seal::{Place, Secret};
use super::snapshot::digest_of;
use super::vault::Told;
use super::{
    Access, AccessAction, AccessOutcome, Contents, ContentsPart, EvidenceError, EvidenceErrorKind,
    Opened, SealedContents, Snapshot, SnapshotId, StoredFacts, TenantKey, Vault,
};

impl Vault {
    /// Opens a tenant's snapshot, for this reader and reason.
    ///
    /// It is opened, checked and put on the access log, in this order; only then it is shown. That a
    /// reading failed is put there too.
    ///
    /// # Errors
    /// `NotFound`; `Shredded` when the tenant's keys were destroyed; `Altered` when anything stored
    /// is not what was kept; `Unchecked` when it has no checksum; `NotAsRecorded` and `Missing` when
    /// the [ledger](Self::with_ledger) says otherwise; `UnknownKey` when the ring lacks a key;
    /// `Unrecorded` when the access log takes no record, whatever else went wrong; `Contended` when
    /// the tenant's keys change again and again; `Store` when the store or the ledger fails.
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
    ) -> Result<Opened, EvidenceError> {
        let opened = match self.open(tenant, id).await {
            Ok(opened) => self.compare(&opened.snapshot).await.map(|()| opened),
            Err(error) if error.kind() == EvidenceErrorKind::NotFound => {
                Err(self.absent(tenant, id).await)
            }
            Err(error) => Err(error),
        };
        self.shown(tenant, id, access, opened).await
    }

    /// Opens a snapshot that a record of the ledger names, with this digest, if the record has one.
    pub(super) async fn read_recorded(
        &self,
        tenant: Uuid,
        id: SnapshotId,
        recorded: Option<&str>,
        access: &Access,
    ) -> Result<Opened, EvidenceError> {
        let opened = match self.open(tenant, id).await {
            Ok(opened) => opened
                .snapshot
                .digest()
                .and_then(|it| recorded.map_or(Ok(()), |recorded| self.matches(it, recorded, id)))
                .map(|()| opened),
            Err(error) if error.kind() == EvidenceErrorKind::NotFound && !self.may_be_swept(id) => {
                Err(EvidenceError::from(EvidenceErrorKind::Missing).of_snapshot(id))
            }
            Err(error) => Err(error),
        };
        self.shown(tenant, id, access, opened).await
    }

    /// Puts a reading on the access log before anything of it is shown.
    async fn shown(
        &self,
        tenant: Uuid,
        id: SnapshotId,
        access: &Access,
        opened: Result<Opened, EvidenceError>,
    ) -> Result<Opened, EvidenceError> {
        let told = Told::new(AccessAction::Read, Some(tenant), access).of_snapshot(id);
        self.tell(&told, AccessOutcome::of(&opened)).await?;
        opened
    }

    async fn open(&self, tenant: Uuid, id: SnapshotId) -> Result<Opened, EvidenceError> {
        let mut without_key = None;
        for _ in 0..ATTEMPTS {
            let stored = self.store.find_snapshot(tenant, id).await?;
            let stored = stored.ok_or(EvidenceErrorKind::NotFound)?;
            let snapshot = self.checked(&stored, tenant, id).await?;
            let Some(sealed) = &stored.sealed else { return Ok(unsealed(snapshot)?) };
            let version = sealed.key.version;
            match self.store.find_tenant_key(tenant, version).await? {
                Some(key) if key.wrapped.is_some() => {
                    let contents = self.contents(&key, &snapshot, &stored.facts, sealed)?;
                    return Ok(Opened { snapshot, contents });
                }
                // A rotation destroys a key once it has wrapped anew what the key wrapped. If this
                // was one, the snapshot is under another key by now.
                gone if without_key == Some(version) => {
                    let kind =
                        gone.map_or(EvidenceErrorKind::Altered, |_| EvidenceErrorKind::Shredded);
                    return Err(kind.into());
                }
                _ => without_key = Some(version),
            }
        }
        Err(EvidenceErrorKind::Contended.into())
    }

    /// Opens what a snapshot keeps sealed, under the tenant's key that wraps its own.
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
    ) -> Result<Secret, EvidenceErrorKind> {
        let tenant_key = keys::open(&self.ring, key)?;
        let place = Place::DataKey { tenant: key.tenant, id, version: sealed.key.version };
        tenant_key.secret.unwrap(&sealed.key.wrapped, place)
    }
}

/// A snapshot with nothing sealed has to say so itself.
fn unsealed(snapshot: Snapshot) -> Result<Opened, EvidenceErrorKind> {
    if snapshot.sealed().is_empty() {
        return Ok(Opened { snapshot, contents: Contents::new() });
    }
    Err(EvidenceErrorKind::Altered)
}

/// Opens the parts, which have to be those that the snapshot names.
fn contents(
    secret: &Secret,
    snapshot: &Snapshot,
    stored: &StoredFacts,
    sealed: &SealedContents,
) -> Result<Contents, EvidenceErrorKind> {
    let facts = digest_of(&stored.facts);
    let StoredFacts { tenant, id, .. } = *stored;
    let open = |part, sealed: &Option<Vec<u8>>| {
        let place = Place::Part { tenant, id, part, facts };
        let opened = sealed.as_ref().map(|sealed| secret.open(sealed, place)).transpose()?;
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

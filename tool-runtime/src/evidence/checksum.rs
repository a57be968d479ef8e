//! The keyed checksum over all columns of a stored snapshot, and its key.
//!
//! A store has one checksum key: random, and wrapped by the key ring as a tenant's key is, under an
//! id that no tenant has. So a new secret on the ring costs one wrapping, and a tenant whose keys are
//! destroyed has snapshots that can still be checked.

use uuid::Uuid;

use super::keys::{self, OpenKey};
use super::{EvidenceErrorKind, EvidenceStore, ListedSnapshot, Vault};
use crate::policy::{KeyRing, frame};

/// The id under which the checksum key is stored among the tenants' keys.
pub(super) const CHECKSUM_KEYS: Uuid = Uuid::max();

/// Part of every checksum: changing it makes all stored snapshots fail their check.
const DOMAIN: &[u8] = b"tool-runtime/evidence/v1/checksum";

const FORMAT: u8 = 1;
/// The format and the version of the key, before 32 bytes of HMAC-SHA-256.
const HEADER: usize = 5;

/// Returns the key that makes new checksums; creates it in a store that has none.
pub(super) async fn newest_key(
    store: &dyn EvidenceStore,
    ring: &KeyRing,
) -> Result<OpenKey, super::EvidenceError> {
    keys::newest(store, ring, CHECKSUM_KEYS).await
}

/// Computes the checksum of a snapshot.
pub(super) fn checksum(key: &OpenKey, snapshot: &ListedSnapshot) -> Vec<u8> {
    let mut header = [FORMAT; HEADER];
    header[1..].copy_from_slice(&key.version.to_be_bytes());
    let mac = key.secret.mac(&covered(&header, snapshot));
    [&header[..], &mac].concat()
}

/// Writes down all columns of a snapshot, each with its length before it.
fn covered(header: &[u8], snapshot: &ListedSnapshot) -> Vec<u8> {
    let ListedSnapshot { facts, sealed, checksum: _ } = snapshot;
    let digest = |part: Option<&crate::canonical::Digest>| {
        part.map_or_else(Vec::new, |digest| digest.as_bytes().to_vec())
    };
    let version = sealed.as_ref().map(|sealed| sealed.key.version.to_be_bytes());
    frame(&[
        DOMAIN,
        header,
        facts.tenant.as_bytes(),
        facts.id.uuid().as_bytes(),
        facts.trace.as_bytes(),
        &facts.facts,
        version.as_ref().map_or(&[][..], |version| version),
        sealed.as_ref().map_or(&[][..], |sealed| &sealed.key.wrapped),
        &digest(sealed.as_ref().and_then(|sealed| sealed.arguments.as_ref())),
        &digest(sealed.as_ref().and_then(|sealed| sealed.output.as_ref())),
    ])
}

/// Checks stored snapshots; it opens the checksum key once for all that name the same one.
pub(super) struct Checker<'v> {
    vault: &'v Vault,
    key: Option<OpenKey>,
}

impl<'v> Checker<'v> {
    pub(super) fn new(vault: &'v Vault) -> Self {
        Self { vault, key: None }
    }

    /// Checks that a snapshot is stored as the vault wrote it.
    ///
    /// # Errors
    /// `Unchecked` without a checksum; `Altered` when a column is not what it was; `UnknownKey` when
    /// the ring lacks the key that wraps the checksum key; `Store` when the store fails.
    pub(super) async fn check(
        &mut self,
        snapshot: &ListedSnapshot,
    ) -> Result<(), super::EvidenceError> {
        let stored = snapshot.checksum.as_deref().ok_or(EvidenceErrorKind::Unchecked)?;
        let (version, mac) = parts(stored).ok_or(EvidenceErrorKind::Altered)?;
        if self.key.as_ref().is_none_or(|key| key.version != version) {
            let key = self.vault.store.find_tenant_key(CHECKSUM_KEYS, version).await?;
            let key = key.filter(|key| key.wrapped.is_some());
            let key = key.ok_or(EvidenceErrorKind::Altered)?;
            self.key = Some(keys::open(&self.vault.ring, &key)?);
        }
        let (header, _) = stored.split_at(HEADER);
        let holds = |key: &OpenKey| key.secret.verifies(&covered(header, snapshot), mac);
        if self.key.as_ref().is_some_and(holds) {
            return Ok(());
        }
        Err(EvidenceErrorKind::Altered.into())
    }
}

/// Splits a stored checksum into the version of its key and the code.
fn parts(stored: &[u8]) -> Option<(u32, &[u8])> {
    let (header, mac) = stored.split_at_checked(HEADER)?;
    let version = header.strip_prefix(&[FORMAT])?.try_into().ok()?;
    Some((u32::from_be_bytes(version), mac))
}

//! The keyed checksum over all columns of a stored snapshot, and its key.
//!
//! A store has one checksum key. It is random, and the key ring wraps it as a tenant key, under an
//! id that no tenant has. A new secret on the ring therefore costs one wrapping, and the snapshots
//! of a tenant whose keys are destroyed can still be checked.

use tool_runtime_core::key_ring::{KeyRing, frame};
use uuid::Uuid;

use super::keys::{self, UnwrappedKey};
use super::{EvidenceErrorKind, EvidenceStore, ListedSnapshot, Vault};

/// The id under which the checksum key is stored among the tenants' keys.
pub(super) const CHECKSUM_KEYS: Uuid = Uuid::max();

/// The domain of the checksums: another value makes all stored snapshots fail their check.
const DOMAIN: &[u8] = b"tool-runtime/evidence/v1/checksum";

const FORMAT: u8 = 1;
/// The format and the version of the key, before 32 bytes of HMAC-SHA-256.
const HEADER_BYTES: usize = 5;

/// Returns the key of new checksums; creates it in a store that has none.
pub(super) async fn newest_key(
    store: &dyn EvidenceStore,
    ring: &KeyRing,
) -> Result<UnwrappedKey, super::EvidenceError> {
    keys::newest(store, ring, CHECKSUM_KEYS).await
}

/// Computes the checksum of a snapshot.
pub(super) fn checksum(key: &UnwrappedKey, snapshot: &ListedSnapshot) -> Vec<u8> {
    let mut header = [FORMAT; HEADER_BYTES];
    header[1..].copy_from_slice(&key.version.to_be_bytes());
    let mac = key.secret.mac(&encoded_columns(&header, snapshot));
    [&header[..], &mac].concat()
}

/// Encodes all columns of a snapshot, each with its length before it.
fn encoded_columns(header: &[u8], snapshot: &ListedSnapshot) -> Vec<u8> {
    let ListedSnapshot { facts, sealed, checksum: _ } = snapshot;
    let digest = |part: Option<&tool_runtime_schema::canonical::Digest>| {
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

/// Verifies the checksums of stored snapshots; snapshots under the same checksum key unwrap it
/// once.
pub(super) struct ChecksumVerifier<'v> {
    vault: &'v Vault,
    key: Option<UnwrappedKey>,
}

impl<'v> ChecksumVerifier<'v> {
    pub(super) fn new(vault: &'v Vault) -> Self {
        Self { vault, key: None }
    }

    /// Checks that a stored snapshot is as the vault wrote it.
    ///
    /// # Errors
    /// `Altered` when a column was changed; `UnknownKey` when the ring lacks the key that wraps the
    /// checksum key; `Store` when the store fails.
    pub(super) async fn check(
        &mut self,
        snapshot: &ListedSnapshot,
    ) -> Result<(), super::EvidenceError> {
        let stored = &*snapshot.checksum;
        let (version, mac) = split_checksum(stored).ok_or(EvidenceErrorKind::Altered)?;
        if self.key.as_ref().is_none_or(|key| key.version != version) {
            let key = self.vault.store.find_tenant_key(CHECKSUM_KEYS, version).await?;
            let key = key.filter(|key| key.wrapped.is_some());
            let key = key.ok_or(EvidenceErrorKind::Altered)?;
            self.key = Some(keys::open(&self.vault.ring, &key)?);
        }
        let (header, _) = stored.split_at(HEADER_BYTES);
        let holds =
            |key: &UnwrappedKey| key.secret.verifies(&encoded_columns(header, snapshot), mac);
        if self.key.as_ref().is_some_and(holds) {
            return Ok(());
        }
        Err(EvidenceErrorKind::Altered.into())
    }
}

/// Splits a stored checksum into the version of its key and the code.
fn split_checksum(stored: &[u8]) -> Option<(u32, &[u8])> {
    let (header, mac) = stored.split_at_checked(HEADER_BYTES)?;
    let version = header.strip_prefix(&[FORMAT])?.try_into().ok()?;
    Some((u32::from_be_bytes(version), mac))
}

//! The keys that link entries and sign checkpoints.

use std::fmt;
use std::sync::Arc;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use tool_runtime_core::key_ring::KeyRing;
use tool_runtime_schema::canonical::Digest;

// Part of every key: with another label, all existing chains become invalid.
const LINKING: &[u8] = b"tool-runtime/ledger/v1/chain";

// Separate the messages of entries and checkpoints. Short, so that an entry's message fits into
// two blocks of SHA-256.
const ENTRY: &[u8] = b"entry/1\0";
const CHECKPOINT: &[u8] = b"checkpoint/1\0";

/// The keys of a chain, one for each key of a [`KeyRing`].
///
/// The ring's current key links new entries; the former keys verify the entries that they linked.
/// A key is needed as long as an entry that it linked is kept, which is longer than tickets need
/// it.
///
/// The keys are derived by HKDF-SHA-256 for this purpose alone, so that neither tickets nor other
/// data of the ring can be signed with them. They are overwritten when the last clone is dropped.
/// A clone is cheap. `Debug` shows ids only.
///
/// ```
/// use tool_runtime::ledger::ChainKeys;
/// use tool_runtime::policy::KeyRing;
///
/// let keys = ChainKeys::new(&KeyRing::new("2025-07", &[7; 32])?);
/// assert_eq!(format!("{keys:?}"), r#"ChainKeys(["2025-07"])"#);
/// # Ok::<(), tool_runtime::policy::KeyRingError>(())
/// ```
#[derive(Clone)]
pub struct ChainKeys(Arc<[ChainKey]>);

/// A key that links entries: HMAC-SHA-256, with the key already absorbed.
pub(super) struct ChainKey {
    id: Arc<str>,
    keyed: Hmac<Sha256>,
}

impl ChainKeys {
    /// Derives the keys from a ring.
    #[must_use]
    pub fn new(ring: &KeyRing) -> Self {
        Self(ring.keys().map(|key| ChainKey::new(key.id(), &key.subkey(LINKING))).collect())
    }

    /// Returns the key that links new entries.
    pub(super) fn current(&self) -> &ChainKey {
        &self.0[0]
    }

    /// Returns the key with this id.
    pub(super) fn key(&self, id: &str) -> Option<&ChainKey> {
        self.0.iter().find(|key| &*key.id == id)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &ChainKey> {
        self.0.iter()
    }
}

impl fmt::Debug for ChainKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ids: Vec<&str> = self.iter().map(|key| &*key.id).collect();
        f.debug_tuple("ChainKeys").field(&ids).finish()
    }
}

impl ChainKey {
    fn new(id: &str, subkey: &[u8; 32]) -> Self {
        let keyed = Hmac::new_from_slice(subkey).expect("HMAC takes a key of any length");
        Self { id: id.into(), keyed }
    }

    pub(super) const fn id(&self) -> &Arc<str> {
        &self.id
    }

    /// Computes the link of an entry to the one before it.
    pub(super) fn link(&self, previous: &[u8; 32], seq: u64, leaf: &Digest) -> Hmac<Sha256> {
        let mut mac = self.keyed.clone();
        mac.update(ENTRY);
        // With the number and the link before it, one pass tells altered, removed, moved, repeated
        // and inserted records apart.
        mac.update(previous);
        mac.update(&seq.to_be_bytes());
        mac.update(leaf.as_bytes());
        mac.update(self.id.as_bytes());
        mac
    }

    /// Returns whether `mac` links an entry to the one before it. Compares in constant time.
    pub(super) fn links(
        &self,
        previous: &[u8; 32],
        seq: u64,
        leaf: &Digest,
        mac: &[u8; 32],
    ) -> bool {
        self.link(previous, seq, leaf).verify_slice(mac).is_ok()
    }

    /// Computes the signature of a checkpoint.
    pub(super) fn seal(&self, size: u64, root: &Digest, at: u64) -> Hmac<Sha256> {
        let mut mac = self.keyed.clone();
        mac.update(CHECKPOINT);
        mac.update(&size.to_be_bytes());
        mac.update(root.as_bytes());
        mac.update(&at.to_be_bytes());
        mac.update(self.id.as_bytes());
        mac
    }
}

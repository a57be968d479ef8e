//! A signed state of a chain.

use hmac::Mac;
use serde::{Deserialize, Serialize};
use tool_runtime_core::store::UnixMillis;
use tool_runtime_schema::canonical::Digest;

use super::auditor::TreeHead;
use super::head::ChainHead;
use super::keys::{ChainKey, ChainKeys};

/// A signed state of a chain: its size and its Merkle root at a moment.
///
/// Keep it where the chain's writer cannot write. It then shows if entries were cut off the
/// chain's end, or the whole chain was written anew
/// ([`Verifier::expecting`](super::Verifier::expecting)).
///
/// The JSON form has the members `size`, `root`, `at` (milliseconds since 1970), `key` and `mac`;
/// hashes are 64 hexadecimal digits. Other members are ignored, so that a checkpoint can be an
/// entry's body. The signature covers `size`, `root`, `at` and `key`.
///
/// ```
/// use tool_runtime::ledger::{ChainKeys, Checkpoint, ChainHead};
/// use tool_runtime::policy::KeyRing;
/// use tool_runtime::store::UnixMillis;
///
/// let keys = ChainKeys::new(&KeyRing::new("2025-07", &[7; 32])?);
/// let checkpoint = ChainHead::empty().checkpoint(&keys, UnixMillis::new(1_750_000_000_000));
/// let text = serde_json::to_string(&checkpoint)?;
/// assert!(text.starts_with(r#"{"size":0,"root":"e3b0c442"#));
///
/// let altered = text.replace(r#""size":0"#, r#""size":1"#);
/// assert!(serde_json::from_str::<Checkpoint>(&text)?.verify_mac(&keys));
/// assert!(!serde_json::from_str::<Checkpoint>(&altered)?.verify_mac(&keys));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    size: u64,
    root: Digest,
    at: UnixMillis,
    key: Box<str>,
    mac: Digest,
}

impl Checkpoint {
    pub(super) fn sign(key: &ChainKey, size: u64, root: Digest, at: UnixMillis) -> Self {
        let mac = key.seal(size, &root, at.get()).finalize().into_bytes();
        Self { size, root, at, key: key.id().as_ref().into(), mac: Digest::from_bytes(mac.into()) }
    }

    /// Returns whether one of these keys signed it as it is. Compares in constant time.
    #[must_use]
    pub fn verify_mac(&self, keys: &ChainKeys) -> bool {
        keys.key(&self.key).is_some_and(|key| {
            key.seal(self.size, &self.root, self.at.get()).verify_slice(self.mac.as_bytes()).is_ok()
        })
    }

    /// Returns whether it signs the chain of this head.
    pub(super) fn is_of(&self, head: &ChainHead) -> bool {
        self.size == head.size() && self.root == head.tree().root()
    }

    /// Returns size and root alone, as in a signed note.
    #[must_use]
    pub const fn tree_head(&self) -> TreeHead {
        TreeHead { size: self.size, root: self.root }
    }

    /// Returns how many entries the chain had.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// Returns the Merkle Tree Hash (RFC 6962) of their leaves.
    #[must_use]
    pub const fn root(&self) -> &Digest {
        &self.root
    }

    /// Returns when it was signed.
    #[must_use]
    pub const fn at(&self) -> UnixMillis {
        self.at
    }

    /// Returns the id of the key that signed it.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }
}

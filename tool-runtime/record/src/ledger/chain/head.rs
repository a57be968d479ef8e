//! The end of a chain, to which the next entry is linked.

use hmac::Mac;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use tool_runtime_core::store::UnixMillis;
use tool_runtime_schema::canonical::Digest;

use super::checkpoint::Checkpoint;
use super::entry::ChainEntry;
use super::frontier::{MerkleFrontier, leaf_hash};
use super::keys::ChainKeys;

/// The end of a chain: its number of entries, the last entry's link, and the Merkle tree.
///
/// Its JSON form (serde) can be kept with a [`Checkpoint`], so that appending and verifying can
/// begin there instead of at the first entry. It is not signed: take it from a trusted place, or
/// make it by verifying the chain ([`VerifiedChain::into_head`](super::VerifiedChain::into_head)). A chain
/// forks if its head is used twice, so a chain has one writer.
///
/// ```
/// use tool_runtime::ledger::{ChainKeys, ChainHead, Verifier};
/// use tool_runtime::policy::KeyRing;
///
/// let keys = ChainKeys::new(&KeyRing::ephemeral()?);
/// let mut head = ChainHead::empty();
/// let entries = ["{}", "{}", "{}"].map(|body| head.append(&keys, body.into()));
/// assert_eq!(head.size(), 3);
///
/// let mut verifier = Verifier::new(keys);
/// for entry in &entries {
///     verifier.push(entry)?;
/// }
/// assert_eq!(verifier.finish()?.into_head(), head);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "HeadJson", into = "HeadJson")]
pub struct ChainHead {
    pub(super) previous: [u8; 32],
    pub(super) tree: MerkleFrontier,
}

/// The error of reading a [`ChainHead`] from JSON that does not hold one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "the number of hashes does not fit the number of entries; make the head by verifying the chain"
)]
#[non_exhaustive]
pub struct InvalidChainHead;

impl ChainHead {
    /// Makes the head of a chain without entries.
    #[must_use]
    pub const fn empty() -> Self {
        Self { previous: [0; 32], tree: MerkleFrontier::empty() }
    }

    /// Appends an entry, linked with the current key. The caller has to store the returned entry.
    ///
    /// The body is a JSON object, and is not checked. The [`Verifier`](super::Verifier) interprets
    /// two values of its `kind`.
    #[must_use = "an entry that is not stored breaks the chain"]
    pub fn append(&mut self, keys: &ChainKeys, body: Box<str>) -> ChainEntry {
        let (key, seq, leaf) = (keys.current(), self.size(), leaf_hash(&body));
        let mac = key.link(&self.previous, seq, &leaf).finalize().into_bytes().into();
        self.advance(leaf, mac);
        ChainEntry { seq, body: Some(body), leaf, key: key.id().clone(), mac }
    }

    /// Signs the current state of the chain. Keep the result where the chain's writer cannot write.
    #[must_use]
    pub fn checkpoint(&self, keys: &ChainKeys, at: UnixMillis) -> Checkpoint {
        Checkpoint::sign(keys.current(), self.size(), self.tree.root(), at)
    }

    /// Returns the number of entries, which is the next entry's `seq`.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.tree.size()
    }

    /// Returns the tree of all leaves.
    #[must_use]
    pub const fn tree(&self) -> &MerkleFrontier {
        &self.tree
    }

    pub(super) fn advance(&mut self, leaf: Digest, mac: [u8; 32]) {
        self.tree.push(leaf);
        self.previous = mac;
    }
}

/// The JSON form of a head.
#[derive(Serialize, Deserialize)]
struct HeadJson {
    size: u64,
    mac: Digest,
    peaks: Vec<Digest>,
}

impl From<ChainHead> for HeadJson {
    fn from(head: ChainHead) -> Self {
        let mac = Digest::from_bytes(head.previous);
        Self { size: head.size(), mac, peaks: head.tree.peaks().to_vec() }
    }
}

impl TryFrom<HeadJson> for ChainHead {
    type Error = InvalidChainHead;

    fn try_from(json: HeadJson) -> Result<Self, InvalidChainHead> {
        let tree = MerkleFrontier::from_parts(json.size, json.peaks).ok_or(InvalidChainHead)?;
        Ok(Self { previous: *json.mac.as_bytes(), tree })
    }
}

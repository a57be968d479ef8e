//! What the next entry is linked to.

use hmac::Mac;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::canonical::Digest;
use crate::store::UnixMillis;

use super::checkpoint::Checkpoint;
use super::entry::Entry;
use super::frontier::{Frontier, leaf_hash};
use super::keys::ChainKeys;

/// What the next entry of a chain is linked to: how many there are, the last one's link, the tree.
///
/// As JSON (serde) it can be kept with a [`Checkpoint`], so that appending and verifying begin there
/// and not at the first entry. It is not signed: take it from a place that you trust, or make it by
/// verifying the chain ([`Verified::into_head`](super::Verified::into_head)). A chain whose head was
/// used twice forks, so a chain has one writer.
///
/// ```
/// use tool_runtime::ledger::{ChainKeys, Head, Verifier};
/// use tool_runtime::policy::KeyRing;
///
/// let keys = ChainKeys::new(&KeyRing::ephemeral()?);
/// let mut head = Head::empty();
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
#[serde(try_from = "Kept", into = "Kept")]
pub struct Head {
    pub(super) previous: [u8; 32],
    pub(super) tree: Frontier,
}

/// Says that what was kept is no [`Head`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a head of this many entries has another number of hashes: make it by verifying the chain")]
#[non_exhaustive]
pub struct InvalidHead;

impl Head {
    /// Makes the head of a chain without entries.
    #[must_use]
    pub const fn empty() -> Self {
        Self { previous: [0; 32], tree: Frontier::empty() }
    }

    /// Appends an entry, linked with the current key; what is not stored then breaks the chain.
    ///
    /// The body is a JSON object; two values of its `kind` mean something to the
    /// [`Verifier`](super::Verifier). It is not looked at here.
    #[must_use = "an entry that is not stored breaks the chain"]
    pub fn append(&mut self, keys: &ChainKeys, body: Box<str>) -> Entry {
        let (key, seq, leaf) = (keys.current(), self.size(), leaf_hash(&body));
        let mac = key.link(&self.previous, seq, &leaf).finalize().into_bytes().into();
        self.advance(leaf, mac);
        Entry { seq, body: Some(body), leaf, key: key.id().clone(), mac }
    }

    /// Signs the chain as it stands, for keeping it where the chain's writer cannot change it.
    #[must_use]
    pub fn checkpoint(&self, keys: &ChainKeys, at: UnixMillis) -> Checkpoint {
        Checkpoint::sign(keys.current(), self.size(), self.tree.root(), at)
    }

    /// Returns how many entries there are, which is the next one's `seq`.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.tree.size()
    }

    /// Returns the tree of all leaves.
    #[must_use]
    pub const fn tree(&self) -> &Frontier {
        &self.tree
    }

    pub(super) fn advance(&mut self, leaf: Digest, mac: [u8; 32]) {
        self.tree.push(leaf);
        self.previous = mac;
    }
}

/// A head as JSON.
#[derive(Serialize, Deserialize)]
struct Kept {
    size: u64,
    mac: Digest,
    peaks: Vec<Digest>,
}

impl From<Head> for Kept {
    fn from(head: Head) -> Self {
        let mac = Digest::from_bytes(head.previous);
        Self { size: head.size(), mac, peaks: head.tree.peaks().to_vec() }
    }
}

impl TryFrom<Kept> for Head {
    type Error = InvalidHead;

    fn try_from(kept: Kept) -> Result<Self, InvalidHead> {
        let tree = Frontier::from_parts(kept.size, kept.peaks).ok_or(InvalidHead)?;
        Ok(Self { previous: *kept.mac.as_bytes(), tree })
    }
}

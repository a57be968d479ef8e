//! One entry of a chain, as a store keeps it.

use std::sync::Arc;

use tool_runtime_schema::canonical::Digest;

use super::frontier::leaf_hash;

/// One entry of a chain, as it is stored.
///
/// A store keeps all five parts, and returns them byte for byte. The body may be erased later, for
/// example after a retention period: the chain still verifies if one of its entries records the
/// erasure ([`Verifier`](super::Verifier)).
///
/// ```
/// use tool_runtime::ledger::{ChainKeys, ChainEntry, ChainHead};
/// use tool_runtime::policy::KeyRing;
///
/// let keys = ChainKeys::new(&KeyRing::ephemeral()?);
/// let entry = ChainHead::empty().append(&keys, r#"{"kind":"call"}"#.into());
/// assert_eq!((entry.seq(), entry.body()), (0, Some(r#"{"kind":"call"}"#)));
///
/// let read = ChainEntry::from_parts(0, entry.body(), *entry.leaf(), entry.key(), *entry.mac());
/// assert_eq!(read, entry);
/// # Ok::<(), tool_runtime::policy::KeyRingError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainEntry {
    pub(super) seq: u64,
    pub(super) body: Option<Box<str>>,
    pub(super) leaf: Digest,
    pub(super) key: Arc<str>,
    pub(super) mac: [u8; 32],
}

impl ChainEntry {
    /// Puts together the stored parts; nothing is checked.
    #[must_use]
    pub fn from_parts(
        seq: u64,
        body: Option<impl Into<Box<str>>>,
        leaf: Digest,
        key: impl Into<Arc<str>>,
        mac: [u8; 32],
    ) -> Self {
        Self { seq, body: body.map(Into::into), leaf, key: key.into(), mac }
    }

    /// Returns its position in the chain: from 0, without gaps.
    #[must_use]
    pub const fn seq(&self) -> u64 {
        self.seq
    }

    /// Returns the record, a JSON object; none if it was erased.
    #[must_use]
    pub fn body(&self) -> Option<&str> {
        self.body.as_deref()
    }

    pub(in crate::ledger) fn into_body(self) -> Option<Box<str>> {
        self.body
    }

    /// Returns the hash of the body: a leaf of RFC 6962, SHA-256 of a zero byte and the body.
    #[must_use]
    pub const fn leaf(&self) -> &Digest {
        &self.leaf
    }

    /// Returns the id of the key that links it.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns its link: HMAC-SHA-256 over the link of the entry before it, its position, its leaf
    /// and its key's id.
    #[must_use]
    pub const fn mac(&self) -> &[u8; 32] {
        &self.mac
    }

    /// Erases the body; leaf and link stay.
    pub fn erase(&mut self) {
        self.body = None;
    }

    /// Returns the leaf of the body, or the stored leaf if the body was erased.
    pub(super) fn true_leaf(&self) -> Digest {
        self.body.as_deref().map_or(self.leaf, leaf_hash)
    }
}

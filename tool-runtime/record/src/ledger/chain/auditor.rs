//! Verifies a chain by its Merkle tree alone, without the key that links it.

use tool_runtime_schema::canonical::Digest;

use super::entry::ChainEntry;
use super::fault::{ChainFault, ChainFaultKind};
use super::frontier::MerkleFrontier;

/// The size and the Merkle root of a chain, as in a signed note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct TreeHead {
    /// The number of entries of the chain.
    pub size: u64,
    /// The Merkle Tree Hash (RFC 6962) of their leaves.
    pub root: Digest,
}

impl TreeHead {
    /// Makes the head of a tree. Only a verified note proves it.
    #[must_use]
    pub const fn new(size: u64, root: Digest) -> Self {
        Self { size, root }
    }
}

/// Checks a chain against signed tree heads, entry by entry, without a key.
///
/// It proves that the entries up to the largest head are the signed ones. The links between
/// entries, and everything behind the largest head, need the key: [`Verifier`](super::Verifier).
///
/// ```
/// use tool_runtime::ledger::{Auditor, ChainKeys, ChainFaultKind, ChainHead};
/// use tool_runtime::policy::KeyRing;
/// use tool_runtime::store::UnixMillis;
///
/// let keys = ChainKeys::new(&KeyRing::ephemeral()?);
/// let mut head = ChainHead::empty();
/// let entries = ["{}"; 4].map(|body| head.append(&keys, body.into()));
/// let signed = head.checkpoint(&keys, UnixMillis::new(1_750_000_000_000)).tree_head();
///
/// let mut auditor = Auditor::new([signed]);
/// for entry in &entries[..3] {
///     auditor.push(entry)?;
/// }
/// assert_eq!(auditor.finish().unwrap_err().kind(), ChainFaultKind::Truncated);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Auditor {
    tree: MerkleFrontier,
    /// From the largest to the smallest.
    expected: Vec<TreeHead>,
    proven: u64,
}

/// The result of an [`Auditor`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuditedChain {
    /// The number of entries.
    pub size: u64,
    /// The number of entries, from the first on, that the largest tree head proves.
    pub proven: u64,
}

impl AuditedChain {
    /// Adds the entries of another chain.
    pub(in crate::ledger) const fn and(self, other: Self) -> Self {
        Self { size: self.size + other.size, proven: self.proven + other.proven }
    }
}

impl Auditor {
    /// Makes an auditor that requires a chain to agree with these tree heads.
    pub fn new(expected: impl IntoIterator<Item = TreeHead>) -> Self {
        let mut expected: Vec<_> = expected.into_iter().collect();
        expected.sort_by_key(|head| std::cmp::Reverse(head.size));
        Self { tree: MerkleFrontier::empty(), expected, proven: 0 }
    }

    /// Takes the next entry of the store.
    ///
    /// # Errors
    /// The entry's number is not the next one, its body does not have its hash, or the entries so
    /// far do not agree with a tree head.
    pub fn push(&mut self, entry: &ChainEntry) -> Result<(), ChainFault> {
        let seq = self.tree.size();
        if entry.seq != seq {
            return Err(ChainFault::new(ChainFaultKind::Removed, seq, Some(entry.seq)));
        }
        if entry.true_leaf() != entry.leaf {
            return Err(ChainFault::new(ChainFaultKind::Altered, seq, None));
        }
        self.check_expected()?;
        self.tree.push(entry.leaf);
        self.check_expected()
    }

    /// Ends the audit.
    ///
    /// # Errors
    /// The chain is shorter than a tree head.
    pub fn finish(mut self) -> Result<AuditedChain, ChainFault> {
        self.check_expected()?;
        match self.expected.first() {
            Some(head) => {
                let last = head.size.checked_sub(1);
                Err(ChainFault::new(ChainFaultKind::Truncated, self.tree.size(), last))
            }
            None => Ok(AuditedChain { size: self.tree.size(), proven: self.proven }),
        }
    }

    fn check_expected(&mut self) -> Result<(), ChainFault> {
        let size = self.tree.size();
        while self.expected.last().is_some_and(|head| head.size == size) {
            if self.expected.pop().is_none_or(|head| head.root != self.tree.root()) {
                return Err(ChainFault::new(
                    ChainFaultKind::Diverged,
                    self.proven,
                    size.checked_sub(1),
                ));
            }
            self.proven = size;
        }
        Ok(())
    }
}

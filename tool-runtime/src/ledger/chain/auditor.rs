//! Verifying a chain by its Merkle tree alone, without the key that links it.

use crate::canonical::Digest;

use super::entry::Entry;
use super::fault::{Fault, FaultKind};
use super::frontier::Frontier;

/// The size and the Merkle root of a chain, as a signed note says them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct TreeHead {
    /// How many entries the chain had.
    pub size: u64,
    /// The Merkle Tree Hash (RFC 6962) of their leaves.
    pub root: Digest,
}

impl TreeHead {
    /// Makes the head of a tree; nothing proves it but the note that it comes from.
    #[must_use]
    pub const fn new(size: u64, root: Digest) -> Self {
        Self { size, root }
    }
}

/// Holds a chain against tree heads, entry by entry, without a key.
///
/// It proves that the entries up to the largest head are those of which the heads were signed. The
/// links between entries, and everything behind the largest head, need the key:
/// [`Verifier`](super::Verifier).
///
/// ```
/// use tool_runtime::ledger::{Auditor, ChainKeys, FaultKind, Head};
/// use tool_runtime::policy::KeyRing;
/// use tool_runtime::store::UnixMillis;
///
/// let keys = ChainKeys::new(&KeyRing::ephemeral()?);
/// let mut head = Head::empty();
/// let entries = ["{}"; 4].map(|body| head.append(&keys, body.into()));
/// let signed = head.checkpoint(&keys, UnixMillis::new(1_750_000_000_000)).tree_head();
///
/// let mut auditor = Auditor::new([signed]);
/// for entry in &entries[..3] {
///     auditor.push(entry)?;
/// }
/// assert_eq!(auditor.finish().unwrap_err().kind(), FaultKind::Truncated);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Auditor {
    tree: Frontier,
    /// From the largest to the smallest.
    expected: Vec<TreeHead>,
    proven: u64,
}

/// What an [`Auditor`] has found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Audited {
    /// How many entries there are.
    pub size: u64,
    /// How many of them, from the first on, the largest tree head proves.
    pub proven: u64,
}

impl Auditor {
    /// Expects a chain to agree with these tree heads.
    pub fn new(expected: impl IntoIterator<Item = TreeHead>) -> Self {
        let mut expected: Vec<_> = expected.into_iter().collect();
        expected.sort_by_key(|head| std::cmp::Reverse(head.size));
        Self { tree: Frontier::empty(), expected, proven: 0 }
    }

    /// Takes the next entry of the store.
    ///
    /// # Errors
    /// Its number is not the next one, its body is not the one of its hash, or the entries so far
    /// are not those of a tree head.
    pub fn push(&mut self, entry: &Entry) -> Result<(), Fault> {
        let seq = self.tree.size();
        if entry.seq != seq {
            return Err(Fault::new(FaultKind::Removed, seq, Some(entry.seq)));
        }
        if entry.true_leaf() != entry.leaf {
            return Err(Fault::new(FaultKind::Altered, seq, None));
        }
        self.meet()?;
        self.tree.push(entry.leaf);
        self.meet()
    }

    /// Judges the whole chain.
    ///
    /// # Errors
    /// It does not reach to a tree head.
    pub fn finish(mut self) -> Result<Audited, Fault> {
        self.meet()?;
        match self.expected.first() {
            Some(head) => {
                let last = head.size.checked_sub(1);
                Err(Fault::new(FaultKind::Truncated, self.tree.size(), last))
            }
            None => Ok(Audited { size: self.tree.size(), proven: self.proven }),
        }
    }

    fn meet(&mut self) -> Result<(), Fault> {
        let size = self.tree.size();
        while self.expected.last().is_some_and(|head| head.size == size) {
            if self.expected.pop().is_none_or(|head| head.root != self.tree.root()) {
                return Err(Fault::new(FaultKind::Diverged, self.proven, size.checked_sub(1)));
            }
            self.proven = size;
        }
        Ok(())
    }
}

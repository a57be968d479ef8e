//! An append-only Merkle tree (RFC 6962), kept as the few hashes that its root needs.

use sha2::{Digest as _, Sha256};
use tool_runtime_schema::canonical::Digest;

const LEAF: &[u8] = &[0];
const PARENT: &[u8] = &[1];

/// The right edge of a Merkle tree (RFC 6962, section 2.1), which is enough to add leaves and
/// compute the root.
///
/// It holds the root of each full subtree, one for each bit that is set in the number of leaves:
/// at most 20 hashes for a million leaves. Adding a leaf computes one more hash on average.
///
/// ```
/// use tool_runtime::ledger::MerkleFrontier;
///
/// let mut tree = MerkleFrontier::empty();
/// let empty = tree.root();
/// assert!(empty.to_string().starts_with("e3b0c442")); // SHA-256 of nothing
/// tree.push(empty);
/// assert_eq!((tree.size(), tree.root()), (1, empty)); // a single leaf is its root
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MerkleFrontier {
    size: u64,
    /// From the largest subtree to the smallest.
    peaks: Vec<Digest>,
}

impl MerkleFrontier {
    /// Makes the tree without leaves.
    #[must_use]
    pub const fn empty() -> Self {
        Self { size: 0, peaks: Vec::new() }
    }

    /// Adds a leaf, given by its hash.
    pub fn push(&mut self, leaf: Digest) {
        let mut node = leaf;
        // Each subtree that the leaf completes is joined with its left neighbour.
        for _ in 0..self.size.trailing_ones() {
            node = self.peaks.pop().map_or(node, |left| parent(&left, &node));
        }
        self.peaks.push(node);
        self.size += 1;
    }

    /// Returns how many leaves the tree has.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// Computes the root: the Merkle Tree Hash of all leaves, in their order.
    #[must_use]
    pub fn root(&self) -> Digest {
        let joined = self.peaks.iter().rev().copied().reduce(|right, left| parent(&left, &right));
        joined.unwrap_or_else(|| Digest::from_bytes(Sha256::digest([]).into()))
    }

    pub(super) fn peaks(&self) -> &[Digest] {
        &self.peaks
    }

    /// Returns none unless a tree of this size has so many peaks.
    pub(super) fn from_parts(size: u64, peaks: Vec<Digest>) -> Option<Self> {
        let fits = u32::try_from(peaks.len()) == Ok(size.count_ones());
        fits.then_some(Self { size, peaks })
    }
}

/// Hashes a leaf's content.
pub(super) fn leaf_hash(body: &str) -> Digest {
    Digest::from_bytes(Sha256::new_with_prefix(LEAF).chain_update(body).finalize().into())
}

fn parent(left: &Digest, right: &Digest) -> Digest {
    let hash = Sha256::new_with_prefix(PARENT)
        .chain_update(left.as_bytes())
        .chain_update(right.as_bytes());
    Digest::from_bytes(hash.finalize().into())
}

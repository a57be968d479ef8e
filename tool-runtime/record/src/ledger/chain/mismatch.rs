//! Classifies a fault from the first entry that does not fit and the entries that follow it.

use std::cmp::Ordering;

use tool_runtime_schema::canonical::Digest;

use super::entry::ChainEntry;
use super::fault::{ChainFault, ChainFaultKind};
use super::head::ChainHead;
use super::keys::ChainKeys;

/// The first entry that does not fit its position.
///
/// A record's link covers its number and the record before it. So the expected record is
/// recognized whenever it comes, and a record that came too early is recognized as genuine once
/// the chain reaches its position. Neither needs more memory than this.
#[derive(Debug)]
pub(super) struct Mismatch {
    /// The number of the expected record.
    seq: u64,
    found: FoundEntry,
    stage: MismatchStage,
}

/// The entry that stands in the expected record's position, without its body.
#[derive(Debug)]
struct FoundEntry {
    seq: u64,
    leaf: Digest,
    /// True if the body has this leaf.
    intact: bool,
    key: Box<str>,
    mac: [u8; 32],
    foreign: bool,
}

/// The evidence gathered so far.
#[derive(Debug, Clone, Copy)]
enum MismatchStage {
    /// No entry has followed yet.
    Alone,
    /// The expected record follows directly, so the found entry is one too many at this position.
    Surplus,
    /// The expected record does not follow directly.
    Missing {
        /// True if the record after the expected one follows.
        replaced: bool,
    },
}

/// The entry that follows the mismatch.
#[derive(Debug, Clone, Copy)]
pub(super) struct NextEntry {
    pub(super) seq: u64,
    /// True if it continues the chain as if the mismatched entry were not there.
    pub(super) fits: bool,
}

impl Mismatch {
    /// Starts with the first entry that does not fit.
    ///
    /// # Errors
    /// The fault, if the entry alone is conclusive: it is the expected one, with a part changed.
    pub(super) fn begin(
        keys: &ChainKeys,
        head: &ChainHead,
        entry: &ChainEntry,
    ) -> Result<Self, ChainFault> {
        let seq = head.size();
        let true_leaf = entry.true_leaf();
        let altered = keys.iter().any(|key| {
            [entry.leaf, true_leaf]
                .iter()
                .any(|leaf| key.links(&head.previous, seq, leaf, &entry.mac))
        });
        if altered {
            return Err(ChainFault::new(ChainFaultKind::Altered, seq, None));
        }
        let found_entry = FoundEntry {
            seq: entry.seq,
            leaf: entry.leaf,
            intact: entry.leaf == true_leaf,
            key: entry.key.as_ref().into(),
            mac: entry.mac,
            foreign: keys.key(&entry.key).is_none(),
        };
        Ok(Self { seq, found: found_entry, stage: MismatchStage::Alone })
    }

    /// Takes the next entry into account.
    ///
    /// # Errors
    /// The fault, once it is certain.
    pub(super) fn observe(
        &mut self,
        keys: &ChainKeys,
        head: &ChainHead,
        next: NextEntry,
    ) -> Result<(), ChainFault> {
        let early = self.found.seq > self.seq;
        self.stage = match self.stage {
            MismatchStage::Alone if next.fits && early => MismatchStage::Surplus,
            MismatchStage::Alone if next.fits => return Err(self.fault(self.surplus())),
            MismatchStage::Alone if early => {
                MismatchStage::Missing { replaced: self.is_replaced(next) }
            }
            MismatchStage::Alone if self.is_replaced(next) => return Err(self.fault(self.unfit())),
            MismatchStage::Alone => return Err(self.end(keys, head)),
            MismatchStage::Surplus if head.size() == self.found.seq => {
                return Err(self.fault(self.origin(keys, head, next.fits)));
            }
            MismatchStage::Surplus if !next.fits => {
                return Err(self.fault(ChainFaultKind::Inserted));
            }
            MismatchStage::Missing { .. } if next.fits => {
                return Err(self.fault(ChainFaultKind::Reordered));
            }
            stage @ (MismatchStage::Surplus | MismatchStage::Missing { .. }) => stage,
        };
        Ok(())
    }

    /// Returns the fault when no entry follows.
    pub(super) fn end(&self, keys: &ChainKeys, head: &ChainHead) -> ChainFault {
        self.fault(match self.stage {
            MismatchStage::Alone => match self.found.seq.cmp(&self.seq) {
                Ordering::Less => ChainFaultKind::Repeated,
                Ordering::Equal => self.unfit(),
                Ordering::Greater => ChainFaultKind::Removed,
            },
            MismatchStage::Surplus => self.origin(keys, head, false),
            MismatchStage::Missing { replaced: true } => self.unfit(),
            MismatchStage::Missing { replaced: false } => ChainFaultKind::Removed,
        })
    }

    fn is_replaced(&self, next: NextEntry) -> bool {
        next.seq.checked_sub(1) == Some(self.seq)
    }

    /// The entry is one too many, before the record whose number it has or a later one.
    fn surplus(&self) -> ChainFaultKind {
        if self.found.seq < self.seq { ChainFaultKind::Repeated } else { ChainFaultKind::Inserted }
    }

    /// The entry replaces the expected record.
    fn unfit(&self) -> ChainFaultKind {
        if self.found.foreign { ChainFaultKind::ForeignKey } else { ChainFaultKind::Altered }
    }

    /// The entry came early, and the chain may have reached its true position.
    fn origin(&self, keys: &ChainKeys, head: &ChainHead, also_there: bool) -> ChainFaultKind {
        match (self.belongs_to(keys, head), also_there) {
            (false, _) => ChainFaultKind::Inserted,
            (true, true) => ChainFaultKind::Repeated,
            (true, false) => ChainFaultKind::Reordered,
        }
    }

    fn belongs_to(&self, keys: &ChainKeys, head: &ChainHead) -> bool {
        let FoundEntry { seq, leaf, intact, key, mac, .. } = &self.found;
        let key = keys.key(key).filter(|_| *intact);
        key.is_some_and(|key| key.links(&head.previous, *seq, leaf, mac))
    }

    fn fault(&self, kind: ChainFaultKind) -> ChainFault {
        ChainFault::new(kind, self.seq, Some(self.found.seq))
    }
}

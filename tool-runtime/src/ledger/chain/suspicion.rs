//! Finds out what happened to a chain from the first entry that does not fit and what follows it.

use std::cmp::Ordering;

use crate::canonical::Digest;

use super::entry::Entry;
use super::fault::{Fault, FaultKind};
use super::head::Head;
use super::keys::ChainKeys;

/// An entry that does not fit where it stands.
///
/// What links a record holds its number and the record before it. So the record that was expected
/// is known when it comes, however late; and a record that came too early is known to be true when
/// the chain has come to where it belongs. Neither needs more memory than this.
#[derive(Debug)]
pub(super) struct Suspicion {
    /// The record that was expected.
    seq: u64,
    found: Found,
    stage: Stage,
}

/// What stands in the place of the expected record, without its body.
#[derive(Debug)]
struct Found {
    seq: u64,
    leaf: Digest,
    /// Does the body have this leaf?
    intact: bool,
    key: Box<str>,
    mac: [u8; 32],
    foreign: bool,
}

/// What is known of it.
#[derive(Debug, Clone, Copy)]
enum Stage {
    /// Nothing has followed yet.
    Alone,
    /// The expected record stands right behind it, so it is one too many at this place.
    Surplus,
    /// The expected record does not stand right behind it.
    Missing {
        /// Does the one after the expected record stand behind it?
        replaced: bool,
    },
}

/// What is behind the entry under suspicion.
#[derive(Debug, Clone, Copy)]
pub(super) struct Next {
    pub(super) seq: u64,
    /// Does it continue the chain as if the suspicious entry were not there?
    pub(super) fits: bool,
}

impl Suspicion {
    /// Looks at the first entry that does not fit.
    ///
    /// # Errors
    /// When it is certain from the entry alone: it is the expected one, with a part changed.
    pub(super) fn begin(keys: &ChainKeys, head: &Head, entry: &Entry) -> Result<Self, Fault> {
        let seq = head.size();
        let true_leaf = entry.true_leaf();
        let altered = keys.iter().any(|key| {
            [entry.leaf, true_leaf]
                .iter()
                .any(|leaf| key.links(&head.previous, seq, leaf, &entry.mac))
        });
        if altered {
            return Err(Fault::new(FaultKind::Altered, seq, None));
        }
        let found = Found {
            seq: entry.seq,
            leaf: entry.leaf,
            intact: entry.leaf == true_leaf,
            key: entry.key.as_ref().into(),
            mac: entry.mac,
            foreign: keys.key(&entry.key).is_none(),
        };
        Ok(Self { seq, found, stage: Stage::Alone })
    }

    /// Hears of the next entry.
    ///
    /// # Errors
    /// When it is certain by now what happened.
    pub(super) fn hear(&mut self, keys: &ChainKeys, head: &Head, next: Next) -> Result<(), Fault> {
        let early = self.found.seq > self.seq;
        self.stage = match self.stage {
            Stage::Alone if next.fits && early => Stage::Surplus,
            Stage::Alone if next.fits => return Err(self.fault(self.surplus())),
            Stage::Alone if early => Stage::Missing { replaced: self.is_replaced(next) },
            Stage::Alone if self.is_replaced(next) => return Err(self.fault(self.unfit())),
            Stage::Alone => return Err(self.end(keys, head)),
            Stage::Surplus if head.size() == self.found.seq => {
                return Err(self.fault(self.origin(keys, head, next.fits)));
            }
            Stage::Surplus if !next.fits => return Err(self.fault(FaultKind::Inserted)),
            Stage::Missing { .. } if next.fits => return Err(self.fault(FaultKind::Reordered)),
            stage => stage,
        };
        Ok(())
    }

    /// Judges when nothing follows.
    pub(super) fn end(&self, keys: &ChainKeys, head: &Head) -> Fault {
        self.fault(match self.stage {
            Stage::Alone => match self.found.seq.cmp(&self.seq) {
                Ordering::Less => FaultKind::Repeated,
                Ordering::Equal => self.unfit(),
                Ordering::Greater => FaultKind::Removed,
            },
            Stage::Surplus => self.origin(keys, head, false),
            Stage::Missing { replaced: true } => self.unfit(),
            Stage::Missing { replaced: false } => FaultKind::Removed,
        })
    }

    fn is_replaced(&self, next: Next) -> bool {
        next.seq.checked_sub(1) == Some(self.seq)
    }

    /// It stands before the record whose number it has, or a later one.
    fn surplus(&self) -> FaultKind {
        if self.found.seq < self.seq { FaultKind::Repeated } else { FaultKind::Inserted }
    }

    /// It stands in the place of the expected record.
    fn unfit(&self) -> FaultKind {
        if self.found.foreign { FaultKind::ForeignKey } else { FaultKind::Altered }
    }

    /// It came early, and the chain may have come to where it belongs.
    fn origin(&self, keys: &ChainKeys, head: &Head, also_there: bool) -> FaultKind {
        match (self.belongs_to(keys, head), also_there) {
            (false, _) => FaultKind::Inserted,
            (true, true) => FaultKind::Repeated,
            (true, false) => FaultKind::Reordered,
        }
    }

    fn belongs_to(&self, keys: &ChainKeys, head: &Head) -> bool {
        let Found { seq, leaf, intact, key, mac, .. } = &self.found;
        let key = keys.key(key).filter(|_| *intact);
        key.is_some_and(|key| key.links(&head.previous, *seq, leaf, mac))
    }

    fn fault(&self, kind: FaultKind) -> Fault {
        Fault::new(kind, self.seq, Some(self.found.seq))
    }
}

//! Verifies a chain and finds the first record that is not as it was written.

use super::checkpoint::Checkpoint;
use super::control_record::{self, ControlRecord};
use super::entry::ChainEntry;
use super::fault::{ChainFault, ChainFaultKind};
use super::head::ChainHead;
use super::keys::ChainKeys;
use super::mismatch::{Mismatch, NextEntry};
use super::missing_bodies::MissingBodies;
use crate::ledger::shared::WriterChain;

/// Verifies a chain, entry by entry, and reports the first record that is not as it was written.
///
/// Push all entries in the order in which the store has them. They are not kept: a chain of any
/// length takes the same memory. A chain that was cut off at its end looks like a shorter one,
/// unless a checkpoint shows how long it was ([`expecting`](Self::expecting)).
///
/// # Control records
/// The verifier interprets two kinds of body, JSON objects by their `kind`:
/// - `{"kind":"forgotten","before":7}`: the bodies of records 0 to 6 were erased and may be
///   missing. A record whose body is missing without a later entry of this kind is `Removed`.
/// - `{"kind":"checkpoint", …}` with the members of a [`Checkpoint`]: it is checked against the
///   entries before this one.
///
/// # Certainty
/// [`push`](Self::push) returns a fault as soon as it is certain. A missing record may still come
/// at a wrong position, so some faults are reported only by [`finish`](Self::finish). Every change
/// is found, and the reported record is right. The kind is right for a single change, and a good
/// guess for several at once. At the very end of a chain, an inserted record and an altered one
/// look the same; it is reported as altered.
///
/// ```
/// use tool_runtime::ledger::{ChainKeys, ChainFaultKind, ChainHead, Verifier};
/// use tool_runtime::policy::KeyRing;
/// use tool_runtime::store::UnixMillis;
///
/// let keys = ChainKeys::new(&KeyRing::ephemeral()?);
/// let mut head = ChainHead::empty();
/// let entries = ["{}"; 4].map(|body| head.append(&keys, body.into()));
/// let exported = head.checkpoint(&keys, UnixMillis::new(1_750_000_000_000));
///
/// let mut verifier = Verifier::new(keys).expecting(exported);
/// for entry in &entries[..2] {
///     verifier.push(entry)?;
/// }
/// let fault = verifier.finish().unwrap_err();
/// assert_eq!((fault.seq(), fault.kind()), (2, ChainFaultKind::Truncated));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Verifier {
    keys: ChainKeys,
    head: ChainHead,
    /// From the largest to the smallest.
    expected: Vec<Checkpoint>,
    /// The number of entries that the last expected checkpoint has proven.
    proven: u64,
    checkpoints: u64,
    /// The last of the expected checkpoints with which the chain agreed.
    agreed: Option<Checkpoint>,
    missing_bodies: MissingBodies,
    mismatch: Option<Mismatch>,
    fault: Option<ChainFault>,
}

/// The result of verifying a chain without a fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedChain {
    head: ChainHead,
    checkpoints: u64,
    agreed: Option<Checkpoint>,
    writers: Vec<WriterChain>,
}

impl Verifier {
    /// Makes a verifier that begins at the first entry.
    #[must_use]
    pub fn new(keys: ChainKeys) -> Self {
        Self::from_head(keys, ChainHead::empty())
    }

    /// Makes a verifier that begins behind a head, which is trusted.
    #[must_use]
    pub fn from_head(keys: ChainKeys, head: ChainHead) -> Self {
        Self {
            keys,
            proven: head.size(),
            head,
            expected: Vec::new(),
            checkpoints: 0,
            agreed: None,
            missing_bodies: MissingBodies::default(),
            mismatch: None,
            fault: None,
        }
    }

    /// Requires the chain to contain the records that this checkpoint signed. May be called repeatedly.
    ///
    /// A checkpoint that is not as it was signed is a fault of the first [`push`](Self::push). A
    /// checkpoint from before the verifier's first entry is ignored, and not counted in
    /// [`VerifiedChain::checkpoints`].
    #[must_use]
    pub fn expecting(mut self, checkpoint: Checkpoint) -> Self {
        if !checkpoint.verify_mac(&self.keys) {
            let fault = ChainFault::new(ChainFaultKind::BadCheckpoint, checkpoint.size(), None);
            self.fault.get_or_insert(fault);
        } else if checkpoint.size() >= self.head.size() {
            let at = self.expected.partition_point(|other| other.size() > checkpoint.size());
            self.expected.insert(at, checkpoint);
            let met = self.check_expected();
            self.fault = self.fault.take().or(met.err());
        }
        self
    }

    /// Takes the next entry of the store.
    ///
    /// # Errors
    /// The chain is not as it was written. Every later call returns the same fault.
    pub fn push(&mut self, entry: &ChainEntry) -> Result<(), ChainFault> {
        if self.fault.is_none() {
            self.fault = self.follow(entry).err();
        }
        self.fault.clone().map_or(Ok(()), Err)
    }

    /// Ends the verification.
    ///
    /// # Errors
    /// The chain is not as it was written, is shorter than an expected checkpoint, or lacks a body
    /// without a record of its erasure.
    pub fn finish(self) -> Result<VerifiedChain, ChainFault> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        if let Some(mismatch) = self.mismatch {
            return Err(mismatch.end(&self.keys, &self.head));
        }
        // Checked first, since the record of an erasure may have been cut off.
        if let Some(checkpoint) = self.expected.first() {
            let last = checkpoint.size().checked_sub(1);
            return Err(ChainFault::new(ChainFaultKind::Truncated, self.head.size(), last));
        }
        match self.missing_bodies.first() {
            Some(seq) => Err(ChainFault::new(ChainFaultKind::Removed, seq, None)),
            None => Ok(VerifiedChain {
                head: self.head,
                checkpoints: self.checkpoints,
                agreed: self.agreed,
                writers: Vec::new(),
            }),
        }
    }

    /// Returns whether bodies are missing whose erasure is not recorded so far.
    pub(in crate::ledger) fn has_missing_bodies(&self) -> bool {
        self.missing_bodies.first().is_some()
    }

    /// Permits the bodies of all records below this one to be missing: another chain records their erasure.
    pub(in crate::ledger) fn permit_erased_below(&mut self, before: u64) {
        self.missing_bodies.clear_below(before);
    }

    /// Returns the head of the entries that were verified so far.
    pub(in crate::ledger) const fn head(&self) -> &ChainHead {
        &self.head
    }

    fn follow(&mut self, entry: &ChainEntry) -> Result<(), ChainFault> {
        let next = NextEntry { seq: entry.seq, fits: self.fits(entry) };
        if let Some(mismatch) = &mut self.mismatch {
            mismatch.observe(&self.keys, &self.head, next)?;
        } else if !next.fits {
            self.mismatch = Some(Mismatch::begin(&self.keys, &self.head, entry)?);
        }
        if next.fits { self.accept(entry).map_err(|fault| self.first(fault)) } else { Ok(()) }
    }

    /// A mismatch came before any later fault, so it is the one to report.
    fn first(&self, fault: ChainFault) -> ChainFault {
        self.mismatch.as_ref().map_or(fault, |first| first.end(&self.keys, &self.head))
    }

    /// Returns whether the entry is the next record, as it was written.
    fn fits(&self, entry: &ChainEntry) -> bool {
        let ChainHead { previous, .. } = &self.head;
        entry.seq == self.head.size()
            && entry.true_leaf() == entry.leaf
            && self
                .keys
                .key(&entry.key)
                .is_some_and(|key| key.links(previous, entry.seq, &entry.leaf, &entry.mac))
    }

    fn accept(&mut self, entry: &ChainEntry) -> Result<(), ChainFault> {
        match &entry.body {
            None => self.missing_bodies.add(entry.seq),
            Some(body) => self.apply_control_record(entry.seq, body)?,
        }
        self.head.advance(entry.leaf, entry.mac);
        self.check_expected()
    }

    /// Applies a control record.
    fn apply_control_record(&mut self, seq: u64, body: &str) -> Result<(), ChainFault> {
        match control_record::read(body) {
            // Covers only earlier records: a later erasure needs a later record.
            Some(ControlRecord::Erased(before)) => self.missing_bodies.clear_below(before),
            Some(ControlRecord::Checkpoint(checkpoint)) => {
                let holds = |it: &Checkpoint| it.verify_mac(&self.keys) && it.is_of(&self.head);
                if !checkpoint.is_some_and(|checkpoint| holds(&checkpoint)) {
                    return Err(ChainFault::new(ChainFaultKind::BadCheckpoint, seq, None));
                }
                self.checkpoints += 1;
            }
            None => {}
        }
        Ok(())
    }

    /// Checks the chain against the expected checkpoints of this size.
    fn check_expected(&mut self) -> Result<(), ChainFault> {
        let size = self.head.size();
        while self.expected.last().is_some_and(|checkpoint| checkpoint.size() == size) {
            let agreed = self.expected.pop().filter(|checkpoint| checkpoint.is_of(&self.head));
            if agreed.is_none() {
                let last = size.checked_sub(1);
                return Err(ChainFault::new(ChainFaultKind::Diverged, self.proven, last));
            }
            self.agreed = agreed;
            self.checkpoints += 1;
            self.proven = size;
        }
        Ok(())
    }
}

impl VerifiedChain {
    /// Returns the head of the chain, to append to it or to continue verifying from there.
    #[must_use]
    pub fn into_head(self) -> ChainHead {
        self.head
    }

    /// Returns the number of entries.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.head.size()
    }

    /// Returns the newest expected checkpoint that the chain matches: up to its size no record is
    /// missing.
    ///
    /// None if no checkpoint was expected. Only a newer checkpoint shows if records behind it were
    /// cut off the end.
    #[must_use]
    pub const fn newest_confirmed_checkpoint(&self) -> Option<&Checkpoint> {
        self.agreed.as_ref()
    }

    /// Returns the chains of the writers that share the ledger, in the order of their ids: each was verified, up to
    /// the size that it has here. Empty if the ledger has one chain.
    #[must_use]
    pub fn writers(&self) -> &[WriterChain] {
        &self.writers
    }

    pub(in crate::ledger) const fn head(&self) -> &ChainHead {
        &self.head
    }

    pub(in crate::ledger) fn with_writers(mut self, writers: Vec<WriterChain>) -> Self {
        self.writers = writers;
        self
    }

    /// Returns the number of checkpoints with which it agreed, expected ones and those in the chain.
    #[must_use]
    pub const fn checkpoints(&self) -> u64 {
        self.checkpoints
    }
}

//! Reads a chain and finds the first record that is not as it was written.

use super::checkpoint::Checkpoint;
use super::entry::Entry;
use super::fault::{Fault, FaultKind};
use super::forgotten::Forgotten;
use super::head::Head;
use super::keys::ChainKeys;
use super::note::{self, Note};
use super::suspicion::{Next, Suspicion};

/// Reads a chain, entry by entry, and names the first record that is not as it was written.
///
/// Entries are pushed in the order in which the store has them, all of them, and are not kept: a
/// chain of any length takes the same memory. A chain that was cut off at its end looks like a
/// shorter one, unless a checkpoint says how long it was ([`expecting`](Self::expecting)).
///
/// # What the chain says of itself
/// Two kinds of body, JSON objects by their `kind`, mean something here:
/// - `{"kind":"forgotten","before":7}`: the bodies of records 0 to 6 may be gone. A body that is
///   gone without such an entry, behind it in the chain, makes its record `Removed`.
/// - `{"kind":"checkpoint", …}` with the members of a [`Checkpoint`]: it is checked against the
///   entries before this one.
///
/// # When it is certain
/// [`push`](Self::push) returns a fault as soon as it is certain. A record that is missing may still
/// come, at a wrong place, so that some faults wait for [`finish`](Self::finish). A fault is found
/// whatever was changed, and the record it names is right; its kind is right for one change, and
/// a good guess for several at once. At the very end of a chain, a record that was never written and
/// one that was altered look the same; it is called altered.
///
/// ```
/// use tool_runtime::ledger::{ChainKeys, FaultKind, Head, Verifier};
/// use tool_runtime::policy::KeyRing;
/// use tool_runtime::store::UnixMillis;
///
/// let keys = ChainKeys::new(&KeyRing::ephemeral()?);
/// let mut head = Head::empty();
/// let entries = ["{}"; 4].map(|body| head.append(&keys, body.into()));
/// let exported = head.checkpoint(&keys, UnixMillis::new(1_750_000_000_000));
///
/// let mut verifier = Verifier::new(keys).expecting(exported);
/// for entry in &entries[..2] {
///     verifier.push(entry)?;
/// }
/// let fault = verifier.finish().unwrap_err();
/// assert_eq!((fault.seq(), fault.kind()), (2, FaultKind::Truncated));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Verifier {
    keys: ChainKeys,
    head: Head,
    /// From the largest to the smallest.
    expected: Vec<Checkpoint>,
    /// How many entries the last expected checkpoint has proven.
    proven: u64,
    checkpoints: u64,
    /// The last of the expected checkpoints with which it agreed.
    agreed: Option<Checkpoint>,
    forgotten: Forgotten,
    suspicion: Option<Suspicion>,
    fault: Option<Fault>,
}

/// What a chain without a fault is known to hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    head: Head,
    checkpoints: u64,
    agreed: Option<Checkpoint>,
}

impl Verifier {
    /// Verifies a chain from its first entry on.
    #[must_use]
    pub fn new(keys: ChainKeys) -> Self {
        Self::from_head(keys, Head::empty())
    }

    /// Verifies the entries behind a head, which is trusted.
    #[must_use]
    pub fn from_head(keys: ChainKeys, head: Head) -> Self {
        Self {
            keys,
            proven: head.size(),
            head,
            expected: Vec::new(),
            checkpoints: 0,
            agreed: None,
            forgotten: Forgotten::default(),
            suspicion: None,
            fault: None,
        }
    }

    /// Expects the chain to be the one of which this checkpoint was signed, any number of times.
    ///
    /// One that is not as it was signed is a fault of the first [`push`](Self::push). One from before
    /// the head where the verifier begins says nothing of what is verified, and is not counted in
    /// [`Verified::checkpoints`].
    #[must_use]
    pub fn expecting(mut self, checkpoint: Checkpoint) -> Self {
        if !checkpoint.verify_mac(&self.keys) {
            let fault = Fault::new(FaultKind::BadCheckpoint, checkpoint.size(), None);
            self.fault.get_or_insert(fault);
        } else if checkpoint.size() >= self.head.size() {
            let at = self.expected.partition_point(|other| other.size() > checkpoint.size());
            self.expected.insert(at, checkpoint);
            let met = self.meet();
            self.fault = self.fault.take().or(met.err());
        }
        self
    }

    /// Takes the next entry of the store.
    ///
    /// # Errors
    /// When it is certain that the chain is not as it was written, and what was done to it. From then
    /// on it is the answer to every call.
    pub fn push(&mut self, entry: &Entry) -> Result<(), Fault> {
        if self.fault.is_none() {
            self.fault = self.follow(entry).err();
        }
        self.fault.clone().map_or(Ok(()), Err)
    }

    /// Judges the whole chain.
    ///
    /// # Errors
    /// When the chain is not as it was written, does not reach to an expected checkpoint, or lacks a
    /// body that no entry says was forgotten.
    pub fn finish(self) -> Result<Verified, Fault> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        if let Some(suspicion) = self.suspicion {
            return Err(suspicion.end(&self.keys, &self.head));
        }
        // First, since what accounts for a missing body may have been cut off.
        if let Some(checkpoint) = self.expected.first() {
            let last = checkpoint.size().checked_sub(1);
            return Err(Fault::new(FaultKind::Truncated, self.head.size(), last));
        }
        match self.forgotten.first() {
            Some(seq) => Err(Fault::new(FaultKind::Removed, seq, None)),
            None => {
                Ok(Verified { head: self.head, checkpoints: self.checkpoints, agreed: self.agreed })
            }
        }
    }

    /// Returns the head of what was verified so far.
    pub(in crate::ledger) const fn head(&self) -> &Head {
        &self.head
    }

    fn follow(&mut self, entry: &Entry) -> Result<(), Fault> {
        let next = Next { seq: entry.seq, fits: self.fits(entry) };
        if let Some(suspicion) = &mut self.suspicion {
            suspicion.hear(&self.keys, &self.head, next)?;
        } else if !next.fits {
            self.suspicion = Some(Suspicion::begin(&self.keys, &self.head, entry)?);
        }
        if next.fits { self.accept(entry).map_err(|fault| self.first(fault)) } else { Ok(()) }
    }

    /// Whatever else is wrong further on, the entry under suspicion came first.
    fn first(&self, fault: Fault) -> Fault {
        self.suspicion.as_ref().map_or(fault, |first| first.end(&self.keys, &self.head))
    }

    /// Is it the next record, as it was written?
    fn fits(&self, entry: &Entry) -> bool {
        let Head { previous, .. } = &self.head;
        entry.seq == self.head.size()
            && entry.true_leaf() == entry.leaf
            && self
                .keys
                .key(&entry.key)
                .is_some_and(|key| key.links(previous, entry.seq, &entry.leaf, &entry.mac))
    }

    fn accept(&mut self, entry: &Entry) -> Result<(), Fault> {
        match &entry.body {
            None => self.forgotten.add(entry.seq),
            Some(body) => self.heed(entry.seq, body)?,
        }
        self.head.advance(entry.leaf, entry.mac);
        self.meet()
    }

    /// Does what a body asks for.
    fn heed(&mut self, seq: u64, body: &str) -> Result<(), Fault> {
        match note::read(body) {
            // Only of those that came before: what is forgotten later needs a later note.
            Some(Note::Forgotten(before)) => self.forgotten.account(before),
            Some(Note::Checkpoint(checkpoint)) => {
                let holds = |it: &Checkpoint| it.verify_mac(&self.keys) && it.is_of(&self.head);
                if !checkpoint.is_some_and(|checkpoint| holds(&checkpoint)) {
                    return Err(Fault::new(FaultKind::BadCheckpoint, seq, None));
                }
                self.checkpoints += 1;
            }
            None => {}
        }
        Ok(())
    }

    /// Holds the chain against the checkpoints that were expected of this size.
    fn meet(&mut self) -> Result<(), Fault> {
        let size = self.head.size();
        while self.expected.last().is_some_and(|checkpoint| checkpoint.size() == size) {
            let agreed = self.expected.pop().filter(|checkpoint| checkpoint.is_of(&self.head));
            if agreed.is_none() {
                let last = size.checked_sub(1);
                return Err(Fault::new(FaultKind::Diverged, self.proven, last));
            }
            self.agreed = agreed;
            self.checkpoints += 1;
            self.proven = size;
        }
        Ok(())
    }
}

impl Verified {
    /// Returns the head of the chain, to append to it or to verify on from there later.
    #[must_use]
    pub fn into_head(self) -> Head {
        self.head
    }

    /// Returns how many entries the chain has.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.head.size()
    }

    /// Returns the newest expected checkpoint with which it agreed: up to its size nothing is
    /// missing.
    ///
    /// None if none was expected. Records behind it are whole as far as they are there; whether some
    /// were cut off behind the last one, only a newer checkpoint shows.
    #[must_use]
    pub const fn anchor(&self) -> Option<&Checkpoint> {
        self.agreed.as_ref()
    }

    /// Returns how many checkpoints it agreed with, of those expected and of those in the chain.
    #[must_use]
    pub const fn checkpoints(&self) -> u64 {
        self.checkpoints
    }
}

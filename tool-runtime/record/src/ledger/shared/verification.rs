//! The verification of a ledger part by part, so that records are written in between: one chain, or all chains of
//! a shared ledger.

use std::collections::{BTreeMap, VecDeque};

use tool_runtime_core::store::{StoreError, UnixMillis};
use uuid::Uuid;

use super::checkpoints::{CheckpointChainRecord, ErasedChain};
use super::{CHECKPOINT_CHAIN, SharedLedger, WriterChain, WriterState};
use crate::ledger::chain::{
    AuditedChain, Auditor, ChainEntry, ChainFault, ChainKeys, Checkpoint, TreeHead, VerifiedChain,
    Verifier,
};
use crate::ledger::handle::{FaultError, VerifyError};
use crate::ledger::record::Record;
use crate::ledger::store::{LedgerStore, SCAN_ENTRIES};

/// The number of chains that are listed at once.
const MAX_LISTED: usize = 1_000;

/// A verification that is under way.
pub(in crate::ledger) struct LedgerVerification {
    keys: ChainKeys,
    verifier: Verifier,
    from: u64,
    /// The size of the largest expected checkpoint: the records before it are proven.
    proven: u64,
    heads: CoveredHeads,
    stage: Stage,
    /// The part of a shared store that is checked next; none once all of it was.
    unchecked: Option<UncheckedPart>,
}

/// The part of a shared store from this time on, or from the first record.
#[derive(Clone, Copy)]
struct UncheckedPart(Option<UnixMillis>);

enum Stage {
    /// The only chain, or the checkpoint chain of a shared ledger.
    First,
    /// The chains of the writers.
    Writers(Box<WritersStage>),
}

struct WritersStage {
    checkpoints: VerifiedChain,
    current: WriterChain,
    /// True if the last record that was read closes the chain; none if its contents were erased.
    is_closed: Option<bool>,
    /// The chains that are listed and not verified yet.
    listed: VecDeque<WriterChain>,
    /// The last chain of the list.
    last: Option<Uuid>,
    verified: Vec<WriterChain>,
}

/// The newest heads and the erasures of the writers' chains, from the checkpoint chain.
#[derive(Default)]
struct CoveredHeads {
    heads: BTreeMap<Uuid, NewestHeads>,
    erased: BTreeMap<Uuid, u64>,
}

/// The newest head of a chain, and the newest one that an expected checkpoint proves.
#[derive(Default)]
struct NewestHeads {
    proven: Option<Checkpoint>,
    newest: Option<Checkpoint>,
}

impl LedgerVerification {
    pub(in crate::ledger) fn new(
        keys: ChainKeys,
        expected: impl IntoIterator<Item = Checkpoint>,
    ) -> Self {
        let (mut verifier, mut proven) = (Verifier::new(keys.clone()), 0);
        for checkpoint in expected {
            proven = proven.max(checkpoint.size());
            verifier = verifier.expecting(checkpoint);
        }
        let heads = CoveredHeads::default();
        let unchecked = Some(UncheckedPart(None));
        Self { keys, verifier, from: 0, proven, heads, stage: Stage::First, unchecked }
    }

    /// Verifies the next part; returns the result after the last one.
    pub(in crate::ledger) fn step(
        &mut self,
        store: &mut dyn LedgerStore,
    ) -> Result<Option<VerifiedChain>, VerifyError> {
        match store.shared() {
            None => self.step_of_only_chain(store),
            Some(shared) => self.step_of_shared(shared),
        }
    }

    fn step_of_only_chain(
        &mut self,
        store: &mut dyn LedgerStore,
    ) -> Result<Option<VerifiedChain>, VerifyError> {
        let entries = store.read(self.from, SCAN_ENTRIES)?;
        // Checked first, since a damaged store may be the cause of a fault in the chain.
        store.check(self.from..end(self.from, &entries))?;
        if entries.is_empty() {
            return self.finish_chain().map(Some).map_err(|fault| FaultError::new(fault).into());
        }
        Ok(self.push(&entries).map(|()| None).map_err(FaultError::new)?)
    }

    fn step_of_shared(
        &mut self,
        shared: &mut dyn SharedLedger,
    ) -> Result<Option<VerifiedChain>, VerifyError> {
        if let Some(UncheckedPart(from)) = self.unchecked {
            self.unchecked = shared.check_all(from)?.map(|next| UncheckedPart(Some(next)));
            return Ok(None);
        }
        let chain = self.chain();
        let entries = shared.read_chain(chain, self.from, SCAN_ENTRIES)?;
        shared.check_chain(chain, self.from..end(self.from, &entries))?;
        if !entries.is_empty() {
            self.learn(&entries);
            return Ok(self
                .push(&entries)
                .map(|()| None)
                .map_err(|fault| FaultError::in_chain(fault, chain))?);
        }
        self.permit_erased(chain);
        if self.verifier.has_missing_bodies() {
            self.learn_later_erasures(shared)?;
            self.permit_erased(chain);
        }
        let verified = self.finish_chain().map_err(|fault| FaultError::in_chain(fault, chain))?;
        self.next_chain(shared, verified)
    }

    fn permit_erased(&mut self, chain: Uuid) {
        if let Some(before) = self.heads.erased.get(&chain) {
            self.verifier.permit_erased_below(*before);
        }
    }

    /// Reads the records that were added to the checkpoint chain since it was verified: contents may have been erased
    /// meanwhile.
    fn learn_later_erasures(&mut self, shared: &mut dyn SharedLedger) -> Result<(), VerifyError> {
        let Stage::Writers(writers) = &self.stage else { return Ok(()) };
        let mut from = writers.checkpoints.size();
        let mut verifier =
            Verifier::from_head(self.keys.clone(), writers.checkpoints.head().clone());
        let fault = |fault| FaultError::in_chain(fault, CHECKPOINT_CHAIN);
        loop {
            let entries = shared.read_chain(CHECKPOINT_CHAIN, from, SCAN_ENTRIES)?;
            if entries.is_empty() {
                verifier.finish().map_err(fault)?;
                return Ok(());
            }
            for entry in &entries {
                verifier.push(entry).map_err(fault)?;
                self.heads.learn_erased(entry);
            }
            from = end(from, &entries);
        }
    }

    /// Returns the chain that is read.
    fn chain(&self) -> Uuid {
        match &self.stage {
            Stage::First => CHECKPOINT_CHAIN,
            Stage::Writers(writers) => writers.current.id,
        }
    }

    fn push(&mut self, entries: &[ChainEntry]) -> Result<(), ChainFault> {
        self.from = end(self.from, entries);
        entries.iter().try_for_each(|entry| self.verifier.push(entry))
    }

    fn finish_chain(&mut self) -> Result<VerifiedChain, ChainFault> {
        let next = Verifier::new(self.keys.clone());
        self.from = 0;
        std::mem::replace(&mut self.verifier, next).finish()
    }

    /// Reads what is needed of the entries later.
    fn learn(&mut self, entries: &[ChainEntry]) {
        match &mut self.stage {
            Stage::First => {
                for entry in entries {
                    self.heads.learn(entry, self.proven);
                }
            }
            Stage::Writers(writers) => {
                let record = entries.last().map(|last| last.body().map(Record::read));
                let is_closed =
                    |read: serde_json::Result<Record>| matches!(read, Ok(Record::Closed(_)));
                writers.is_closed = record.and_then(|read| read.map(is_closed));
            }
        }
    }

    /// Goes on with the next chain; returns the result after the last one.
    fn next_chain(
        &mut self,
        shared: &mut dyn SharedLedger,
        verified: VerifiedChain,
    ) -> Result<Option<VerifiedChain>, VerifyError> {
        let ended_stage = std::mem::replace(&mut self.stage, Stage::First);
        let (checkpoints, mut page, mut last_id, writers) = match ended_stage {
            Stage::First => (verified, VecDeque::new(), None, Vec::new()),
            Stage::Writers(stage) => {
                let WritersStage {
                    checkpoints,
                    current,
                    is_closed,
                    listed,
                    last,
                    verified: mut writers,
                } = *stage;
                writers.push(current.verified(verified.size(), is_closed));
                (checkpoints, listed, last, writers)
            }
        };
        if page.is_empty() {
            page = shared.chains(last_id, MAX_LISTED)?.into();
            last_id = page.back().map(|chain| chain.id).or(last_id);
        }
        // A chain that a checkpoint names and the store does not have is shorter than its head.
        let next_chain = page.pop_front().or_else(|| self.heads.next_missing(&writers));
        let Some(current) = next_chain else { return Ok(Some(checkpoints.with_writers(writers))) };
        let heads = self.heads.heads.remove(&current.id).unwrap_or_default();
        let expected_heads = [heads.proven, heads.newest].into_iter().flatten();
        self.verifier = expected_heads.fold(Verifier::new(self.keys.clone()), Verifier::expecting);
        self.stage = Stage::Writers(Box::new(WritersStage {
            checkpoints,
            current,
            is_closed: None,
            listed: page,
            last: last_id,
            verified: writers,
        }));
        Ok(None)
    }
}

impl CoveredHeads {
    fn learn(&mut self, entry: &ChainEntry, proven: u64) {
        match entry.body().and_then(CheckpointChainRecord::read) {
            Some(CheckpointChainRecord::Heads(record)) => {
                for covered in record.chains {
                    let heads = self.heads.entry(covered.chain).or_default();
                    if entry.seq() < proven {
                        keep_larger(&mut heads.proven, covered.signed.as_ref());
                    }
                    keep_larger(&mut heads.newest, covered.signed.as_ref());
                }
            }
            Some(CheckpointChainRecord::Erased(record)) => self.add_erased(record.erased),
            None => {}
        }
    }

    fn learn_erased(&mut self, entry: &ChainEntry) {
        match entry.body().and_then(CheckpointChainRecord::read) {
            Some(CheckpointChainRecord::Erased(record)) => self.add_erased(record.erased),
            Some(CheckpointChainRecord::Heads(_)) | None => {}
        }
    }

    fn add_erased(&mut self, chains: Vec<ErasedChain>) {
        for erased in chains {
            let before = self.erased.entry(erased.chain).or_default();
            *before = erased.before.max(*before);
        }
    }

    /// Returns a chain with a head that was not verified, once all chains of the store were.
    fn next_missing(&self, verified: &[WriterChain]) -> Option<WriterChain> {
        let (id, _) = self.heads.iter().find(|(_, heads)| heads.newest.is_some())?;
        debug_assert!(verified.iter().all(|chain| chain.id != *id), "its head was taken");
        Some(WriterChain::new(*id, "", 0, WriterState::Lost))
    }
}

/// Takes a head unless the chain had a larger one: a chain does not get shorter, and a head of a shorter one may be an
/// old one that was put back.
fn keep_larger(head: &mut Option<Checkpoint>, other: Option<&Checkpoint>) {
    let Some(other) = other else { return };
    if head.as_ref().is_none_or(|head| head.size() <= other.size()) {
        *head = Some(other.clone());
    }
}

impl WriterChain {
    /// Returns the chain with the size and the state that its records show.
    fn verified(mut self, size: u64, is_closed: Option<bool>) -> Self {
        self.size = size;
        self.state = match (is_closed, self.state) {
            (Some(true), _) => WriterState::Closed,
            (Some(false), WriterState::Closed) => WriterState::Lost,
            (Some(false) | None, state) => state,
        };
        self
    }
}

/// Audits all chains of a shared ledger: the checkpoint chain by these heads, and the others by its records.
pub(in crate::ledger) fn audit(
    shared: &mut dyn SharedLedger,
    heads: &[TreeHead],
) -> Result<AuditedChain, VerifyError> {
    let proven = heads.iter().map(|head| head.size).max().unwrap_or(0);
    let mut covered = CoveredHeads::default();
    let mut unchecked = shared.check_all(None)?;
    while let Some(from) = unchecked {
        unchecked = shared.check_all(Some(from))?;
    }
    let learn = |entry: &ChainEntry| covered.learn(entry, proven);
    let mut audited = audit_chain(shared, CHECKPOINT_CHAIN, heads, learn)?;
    let mut after = None;
    loop {
        let chains = shared.chains(after, MAX_LISTED)?;
        let Some(last) = chains.last() else { break };
        after = Some(last.id);
        for chain in chains {
            let proven = covered.heads.remove(&chain.id).and_then(|heads| heads.proven);
            let head = proven.map(|checkpoint| checkpoint.tree_head());
            audited = audited.and(audit_chain(shared, chain.id, head.as_slice(), |_| ())?);
        }
    }
    for (chain, heads) in covered.heads {
        if let Some(proven) = heads.proven {
            audit_chain(shared, chain, &[proven.tree_head()], |_| ())?;
        }
    }
    Ok(audited)
}

fn audit_chain(
    shared: &mut dyn SharedLedger,
    chain: Uuid,
    heads: &[TreeHead],
    learn: impl FnMut(&ChainEntry),
) -> Result<AuditedChain, VerifyError> {
    let read_part = |from| {
        let entries = shared.read_chain(chain, from, SCAN_ENTRIES)?;
        shared.check_chain(chain, from..end(from, &entries))?;
        Ok(entries)
    };
    audit_parts(heads, read_part, learn, |fault| FaultError::in_chain(fault, chain))
}

/// Audits a chain, part by part: `read_part` reads and checks the entries from a number on.
pub(in crate::ledger) fn audit_parts(
    heads: &[TreeHead],
    mut read_part: impl FnMut(u64) -> Result<Vec<ChainEntry>, StoreError>,
    mut learn: impl FnMut(&ChainEntry),
    fault: impl Fn(ChainFault) -> FaultError,
) -> Result<AuditedChain, VerifyError> {
    let (mut auditor, mut from) = (Auditor::new(heads.iter().copied()), 0);
    loop {
        let entries = read_part(from)?;
        if entries.is_empty() {
            return Ok(auditor.finish().map_err(fault)?);
        }
        for entry in &entries {
            auditor.push(entry).map_err(&fault)?;
            learn(entry);
        }
        from = end(from, &entries);
    }
}

/// Returns the number after these entries.
pub(in crate::ledger) fn end(from: u64, entries: &[ChainEntry]) -> u64 {
    entries.last().map_or(from, |last| last.seq().saturating_add(1)).max(from)
}

/// Verifies a ledger at once.
pub(in crate::ledger) fn verify(
    store: &mut dyn LedgerStore,
    mut verification: LedgerVerification,
) -> Result<VerifiedChain, VerifyError> {
    loop {
        if let Some(verified) = verification.step(store)? {
            return Ok(verified);
        }
    }
}

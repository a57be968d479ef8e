//! The chain of checkpoints of a shared ledger: records over the heads of the writers' chains.

use serde::{Deserialize, Serialize};
use tool_runtime_core::log::log_event;
use tool_runtime_core::store::{StoreError, StoreErrorKind, UnixMillis};
use uuid::Uuid;

use super::{CHECKPOINT_CHAIN, SharedLedger, WriterChain, WriterState};
use crate::ledger::chain::{ChainEntry, ChainHead, Checkpoint, Verifier};
use crate::ledger::keys::LedgerKeys;
use crate::ledger::query::timestamp_ms;
use crate::ledger::record;

/// The most chains in one record.
const MAX_CHAINS: usize = 1_000;

/// The most attempts to append a record while other writers append theirs.
const MAX_ATTEMPTS: u32 = 8;

/// A record over the heads of chains.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::ledger) struct ChainHeads {
    at: String,
    pub(super) chains: Vec<CoveredChain>,
    /// The head of the checkpoint chain before this record, from which reading can begin here.
    head: ChainHead,
}

/// The head of one chain.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::ledger) struct CoveredChain {
    pub(super) chain: Uuid,
    writer: Box<str>,
    state: WriterState,
    /// None for a chain without a signed head.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) signed: Option<Checkpoint>,
}

/// A record that contents were erased, before this number of each chain.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::ledger) struct ErasedRecords {
    at: String,
    pub(super) erased: Vec<ErasedChain>,
    head: ChainHead,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::ledger) struct ErasedChain {
    pub(super) chain: Uuid,
    pub(super) before: u64,
}

/// The part of each record of the checkpoint chain from which reading can begin.
#[derive(Deserialize)]
struct ResumableRecord {
    head: ChainHead,
}

/// A record of the checkpoint chain.
pub(super) enum CheckpointChainRecord {
    Heads(ChainHeads),
    Erased(ErasedRecords),
}

impl CheckpointChainRecord {
    /// Reads a record; none if it is of another kind.
    pub(super) fn read(body: &str) -> Option<Self> {
        #[derive(Deserialize)]
        struct Kind {
            kind: String,
        }
        match &*serde_json::from_str::<Kind>(body).ok()?.kind {
            HEADS => serde_json::from_str(body).ok().map(Self::Heads),
            ERASED => serde_json::from_str(body).ok().map(Self::Erased),
            _ => None,
        }
    }
}

const HEADS: &str = "heads";
const ERASED: &str = "erased";

/// Appends a record over the heads of all chains that changed, and returns the signed head of the checkpoint chain.
pub(in crate::ledger) fn cover_heads(
    shared: &mut dyn SharedLedger,
    keys: &LedgerKeys,
    now: UnixMillis,
) -> Result<Checkpoint, StoreError> {
    for _ in 0..MAX_ATTEMPTS {
        let head = end(shared, keys)?;
        let chains = shared.uncovered_chains(MAX_CHAINS)?;
        if chains.is_empty() {
            return Ok(head.checkpoint(keys.chain(), now));
        }
        let is_part = chains.len() == MAX_CHAINS;
        let heads = ChainHeads {
            at: timestamp_ms(now.get()),
            chains: chains.iter().map(|chain| CoveredChain::new(chain, keys)).collect(),
            head: head.clone(),
        };
        let appended = append(shared, keys, head, &record::text(HEADS, &heads), &chains, now)?;
        if let Some(signed) = appended {
            chains.iter().filter(|chain| chain.state == WriterState::Lost).for_each(log_lost);
            if !is_part {
                return Ok(signed);
            }
        }
    }
    Err(overtaken())
}

/// Records that contents are about to be erased.
pub(in crate::ledger) fn record_erasure(
    shared: &mut dyn SharedLedger,
    keys: &LedgerKeys,
    expired: &[(Uuid, u64)],
    now: UnixMillis,
) -> Result<(), StoreError> {
    for part in expired.chunks(MAX_CHAINS) {
        record_part(shared, keys, part, now)?;
    }
    Ok(())
}

fn record_part(
    shared: &mut dyn SharedLedger,
    keys: &LedgerKeys,
    part: &[(Uuid, u64)],
    now: UnixMillis,
) -> Result<(), StoreError> {
    for _ in 0..MAX_ATTEMPTS {
        let head = end(shared, keys)?;
        let erased_chains =
            part.iter().map(|(chain, before)| ErasedChain { chain: *chain, before: *before });
        let erasure = ErasedRecords {
            at: timestamp_ms(now.get()),
            erased: erased_chains.collect(),
            head: head.clone(),
        };
        let body = record::text(ERASED, &erasure);
        if append(shared, keys, head, &body, &[], now)?.is_some() {
            return Ok(());
        }
    }
    Err(overtaken())
}

fn overtaken() -> StoreError {
    StoreError::new(
        StoreErrorKind::Unavailable,
        "other writers of the ledger kept appending checkpoints; it is tried again",
    )
}

/// Checks that the checkpoint chain has the records that these checkpoints signed.
pub(in crate::ledger) fn check_expected(
    shared: &mut dyn SharedLedger,
    keys: &LedgerKeys,
    expected: &[Checkpoint],
) -> Result<(), StoreError> {
    for checkpoint in expected {
        let size = shared.count_chain(CHECKPOINT_CHAIN)?;
        if !checkpoint.verify_mac(keys.chain()) {
            return Err(damaged(
                "an expected checkpoint is not as it was signed: take it from where it was first exported to, and \
                 check that its key is in the key ring",
            ));
        }
        let root = match size.checked_sub(checkpoint.size()) {
            Some(_) => head_at(shared, keys, checkpoint.size())?.tree().root(),
            None => end(shared, keys)?.tree().root(),
        };
        if root != *checkpoint.root() {
            return Err(damaged(&format!(
                "the shared ledger does not agree with an exported checkpoint: its chain of checkpoints has {size} \
                 records with the root {root} at that point, and the checkpoint, signed at {}, has {} records with \
                 the root {}: keep the store as it is, and find out if an old copy was put in its place",
                timestamp_ms(checkpoint.at().get()),
                checkpoint.size(),
                checkpoint.root(),
            )));
        }
    }
    Ok(())
}

/// Returns the end of the checkpoint chain, as its last record shows it.
pub(in crate::ledger) fn end(
    shared: &mut dyn SharedLedger,
    keys: &LedgerKeys,
) -> Result<ChainHead, StoreError> {
    let size = shared.count_chain(CHECKPOINT_CHAIN)?;
    head_at(shared, keys, size)
}

/// Returns the head that the checkpoint chain had at this size. Its last record has the head before it, and is
/// linked to that head by a key.
fn head_at(
    shared: &mut dyn SharedLedger,
    keys: &LedgerKeys,
    size: u64,
) -> Result<ChainHead, StoreError> {
    let Some(last) = size.checked_sub(1) else { return Ok(ChainHead::empty()) };
    let entry = shared.read_chain(CHECKPOINT_CHAIN, last, 1)?.pop();
    let head = entry.as_ref().filter(|it| it.seq() == last).and_then(|entry| {
        let record: ResumableRecord = serde_json::from_str(entry.body()?).ok()?;
        let mut verifier = Verifier::from_head(keys.chain().clone(), record.head);
        verifier.push(entry).ok()?;
        verifier.finish().ok().map(super::super::VerifiedChain::into_head)
    });
    head.filter(|head| head.size() == size).ok_or_else(|| {
        damaged(&format!(
            "record {last} of the chain of checkpoints is not as it was written, or the key ring lacks its key: \
             verify the ledger"
        ))
    })
}

/// Appends a record; none if another writer has appended one meanwhile.
fn append(
    shared: &mut dyn SharedLedger,
    keys: &LedgerKeys,
    mut head: ChainHead,
    body: &str,
    covered: &[WriterChain],
    now: UnixMillis,
) -> Result<Option<Checkpoint>, StoreError> {
    let entry: ChainEntry = head.append(keys.chain(), body.into());
    let signed = head.checkpoint(keys.chain(), now);
    Ok(shared.append_checkpoint(&entry, &signed, covered)?.then_some(signed))
}

impl CoveredChain {
    /// Returns what a record says of a chain. A head that no key of the ring signed is not signed here either.
    fn new(chain: &WriterChain, keys: &LedgerKeys) -> Self {
        let WriterChain { id, writer, state, head, .. } = chain;
        let signed = head.clone().filter(|head| head.verify_mac(keys.chain()));
        Self { chain: *id, writer: writer.clone(), state: *state, signed }
    }
}

fn log_lost(chain: &WriterChain) {
    let _ = chain;
    log_event!(
        warn,
        target: "tool_runtime::ledger",
        chain = %chain.id,
        writer = %chain.writer,
        records = chain.size,
        "a writer of the ledger ended without closing its chain, so that its last records may be missing",
    );
}

fn damaged(log: &str) -> StoreError {
    StoreError::new(StoreErrorKind::Damaged, log)
}

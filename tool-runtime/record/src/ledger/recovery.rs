//! Finds the end of a ledger that is opened, and checks it against exported checkpoints.

use serde::{Deserialize, Serialize};
use tool_runtime_core::key_ring::is_id;
use tool_runtime_core::store::{StoreError, StoreErrorKind};

use super::chain::{ChainEntry, ChainFault, ChainFaultKind, ChainHead, Checkpoint, Verifier};
use super::keys::LedgerKeys;
use super::query::timestamp_ms;
use super::record::Record;
use super::store::{LedgerStore, SCAN_ENTRIES};

/// The end of a ledger.
pub(super) struct ResumePoint {
    pub(super) head: ChainHead,
    /// The size of the ledger after its last checkpoint.
    pub(super) checkpointed: u64,
    pub(super) last: Option<Record>,
}

/// The record of a checkpoint, with the head from which verification can resume.
#[derive(Serialize, Deserialize)]
pub(super) struct CheckpointRecord {
    #[serde(flatten)]
    pub(super) checkpoint: Checkpoint,
    pub(super) head: ChainHead,
}

/// Finds the end of a ledger, and checks that it contains the records that these checkpoints
/// signed.
///
/// Reads the records behind the last checkpoint in the ledger that is not newer than the newest
/// expected one.
pub(super) fn resume(
    store: &mut dyn LedgerStore,
    keys: &LedgerKeys,
    expected: &[Checkpoint],
) -> Result<ResumePoint, StoreError> {
    let newest = expected.iter().max_by_key(|it| it.size());
    let head = find_start(store, keys, newest)?;
    let start = head.size();
    let (mut from, mut last) = (start, None);
    let mut checkpointed = from;
    // The entries after a checkpoint prove that its head is the signed one.
    let verifier = Verifier::from_head(keys.chain().clone(), head);
    let mut verifier = expected.iter().cloned().fold(verifier, Verifier::expecting);
    loop {
        let entries = store.read(from, SCAN_ENTRIES)?;
        for entry in &entries {
            if let Err(fault) = verifier.push(entry) {
                let origin = FaultOrigin::new(store, &fault, start)?;
                return Err(broken(&fault, newest, verifier.head(), origin));
            }
            last = entry.body().and_then(|body| Record::read(body).ok());
            if matches!(last, Some(Record::Checkpoint(_))) {
                checkpointed = entry.seq() + 1;
            }
        }
        match entries.last() {
            Some(entry) => from = entry.seq() + 1,
            None => break,
        }
    }
    let head = verifier.head().clone();
    if let Err(fault) = verifier.finish() {
        let origin = FaultOrigin::new(store, &fault, start)?;
        return Err(broken(&fault, newest, &head, origin));
    }
    Ok(ResumePoint { head, checkpointed, last })
}

/// Finds the first record of which the contents are kept. Contents are erased from the beginning of
/// a ledger on, so a binary search finds it.
pub(super) fn first_kept(store: &mut dyn LedgerStore, size: u64) -> Result<u64, StoreError> {
    let is_erased = |store: &mut dyn LedgerStore, seq| {
        let entries = store.read(seq, 1)?;
        Ok(entries.first().is_some_and(|entry| entry.body().is_none()))
    };
    // Contents that are missing further on were not erased by the ledger.
    let (mut from, mut to) = (0, if size > 0 && is_erased(store, 0)? { size } else { 0 });
    while from < to {
        let middle = from + (to - from) / 2;
        if is_erased(store, middle)? {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    Ok(from)
}

/// Finds the head to resume from: that of the last checkpoint in the ledger that is not newer than
/// the newest expected one.
fn find_start(
    store: &mut dyn LedgerStore,
    keys: &LedgerKeys,
    newest: Option<&Checkpoint>,
) -> Result<ChainHead, StoreError> {
    let max_size = newest.map_or(u64::MAX, Checkpoint::size);
    let fits =
        |entry: &ChainEntry| read_checkpoint(entry, keys).filter(|it| it.head.size() <= max_size);
    if let Some(last) = store.last_checkpoint()? {
        if let Some(rest) = fits(&last) {
            return Ok(rest.head);
        }
    }
    // Needed only if the newest export is older than the last checkpoint in the ledger.
    let mut end = if newest.is_some() { max_size.saturating_add(1).min(store.count()?) } else { 0 };
    while end > 0 {
        let begin = end.saturating_sub(SCAN_ENTRIES as u64);
        let entries = store.read(begin, usize::try_from(end - begin).unwrap_or(SCAN_ENTRIES))?;
        if let Some(rest) = entries.iter().rev().find_map(fits) {
            return Ok(rest.head);
        }
        end = begin;
    }
    Ok(ChainHead::empty())
}

/// Reads the record of a checkpoint; none if it is not as it was signed.
fn read_checkpoint(entry: &ChainEntry, keys: &LedgerKeys) -> Option<CheckpointRecord> {
    let read_checkpoint: CheckpointRecord = serde_json::from_str(entry.body()?).ok()?;
    let CheckpointRecord { checkpoint, head } = &read_checkpoint;
    let right = checkpoint.verify_mac(keys.chain())
        && checkpoint.size() == head.size()
        && entry.seq() == head.size()
        && *checkpoint.root() == head.tree().root();
    right.then_some(read_checkpoint)
}

/// The possible causes of a fault other than damage.
enum FaultOrigin {
    /// The record was linked with the key of this id, which is not in the ring.
    ForeignKey(Box<str>),
    /// The first record that was read does not fit: the key's secret may be another one.
    FirstRecord,
    Unknown,
}

impl FaultOrigin {
    fn new(
        store: &mut dyn LedgerStore,
        fault: &ChainFault,
        start: u64,
    ) -> Result<Self, StoreError> {
        Ok(match fault.kind() {
            ChainFaultKind::ForeignKey => {
                let entries = store.read(fault.seq(), 1)?;
                let id = entries.first().map(ChainEntry::key).filter(|id| is_id(id));
                id.map_or(Self::Unknown, |id| Self::ForeignKey(id.into()))
            }
            ChainFaultKind::Altered if fault.seq() == start => Self::FirstRecord,
            ChainFaultKind::Altered
            | ChainFaultKind::Removed
            | ChainFaultKind::Reordered
            | ChainFaultKind::Repeated
            | ChainFaultKind::Inserted
            | ChainFaultKind::Truncated
            | ChainFaultKind::Diverged
            | ChainFaultKind::BadCheckpoint => Self::Unknown,
        })
    }
}

fn broken(
    fault: &ChainFault,
    newest: Option<&Checkpoint>,
    head: &ChainHead,
    origin: FaultOrigin,
) -> StoreError {
    let contradicted = match fault.kind() {
        ChainFaultKind::Truncated | ChainFaultKind::Diverged => newest,
        ChainFaultKind::Altered
        | ChainFaultKind::Removed
        | ChainFaultKind::Reordered
        | ChainFaultKind::Repeated
        | ChainFaultKind::Inserted
        | ChainFaultKind::ForeignKey
        | ChainFaultKind::BadCheckpoint => None,
    };
    let is_key = matches!(origin, FaultOrigin::ForeignKey(_) | FaultOrigin::FirstRecord);
    let text = match (contradicted, origin) {
        (_, FaultOrigin::ForeignKey(id)) => format!(
            "the ledger cannot be continued: record {} was written with the key `{id}`, which is \
             not in the key ring: add it as a former key (`KeyRing::with_former`)",
            fault.seq()
        ),
        (None, FaultOrigin::FirstRecord) => format!(
            "the ledger cannot be continued: {fault}; or the key ring has another secret under the \
             id of the key that wrote it: open it with that secret. If the record was modified, \
             verify the ledger, keep it as it is, and start a new one"
        ),
        (Some(exported), _) => format!(
            "the ledger does not agree with the newest exported checkpoint: it has {} records with \
             the root {}, and the checkpoint, signed at {}, has {} records with the root {}; {fault}",
            head.size(),
            head.tree().root(),
            timestamp_ms(exported.at().get()),
            exported.size(),
            exported.root(),
        ),
        (None, FaultOrigin::Unknown) => format!(
            "the ledger cannot be continued: {fault}; verify it, keep it as it is, and start a new \
             one"
        ),
    };
    if is_key {
        return StoreError::for_settings(StoreErrorKind::Damaged, text);
    }
    StoreError::new(StoreErrorKind::Damaged, text)
}

//! Finding the end of a ledger that is opened, and holding it against exported checkpoints.

use serde::{Deserialize, Serialize};

use super::chain::{Checkpoint, Entry, Fault, FaultKind, Head, Verifier};
use super::keys::LedgerKeys;
use super::query::written_ms;
use super::record::Record;
use super::store::{LedgerStore, SCAN};
use crate::store::{StoreError, StoreErrorKind};

/// The end of a ledger.
pub(super) struct Resumed {
    pub(super) head: Head,
    /// The size of the ledger behind its last checkpoint.
    pub(super) checked: u64,
    pub(super) last: Option<Record>,
}

/// A checkpoint's record: what it says, and what is needed to go on behind it.
#[derive(Serialize, Deserialize)]
pub(super) struct Resting {
    #[serde(flatten)]
    pub(super) checkpoint: Checkpoint,
    pub(super) head: Head,
}

/// Finds the end of a ledger, and checks that these checkpoints were signed of it.
///
/// It reads what lies behind the last checkpoint in the ledger, or behind the one before the newest
/// that is expected.
pub(super) fn resume(
    store: &mut dyn LedgerStore,
    keys: &LedgerKeys,
    expected: &[Checkpoint],
) -> Result<Resumed, StoreError> {
    let newest = expected.iter().max_by_key(|it| it.size());
    let head = beginning(store, keys, newest)?;
    let (mut from, mut last) = (head.size(), None);
    let mut checked = from;
    // What follows a checkpoint proves that its head is the one that was signed.
    let verifier = Verifier::from_head(keys.chain().clone(), head);
    let mut verifier = expected.iter().cloned().fold(verifier, Verifier::expecting);
    loop {
        let entries = store.read(from, SCAN)?;
        for entry in &entries {
            if let Err(fault) = verifier.push(entry) {
                return Err(broken(&fault, newest, verifier.head()));
            }
            last = entry.body().and_then(|body| Record::read(body).ok());
            if matches!(last, Some(Record::Checkpoint(_))) {
                checked = entry.seq() + 1;
            }
        }
        match entries.last() {
            Some(entry) => from = entry.seq() + 1,
            None => break,
        }
    }
    let head = verifier.head().clone();
    verifier.finish().map_err(|fault| broken(&fault, newest, &head))?;
    Ok(Resumed { head, checked, last })
}

/// Finds a head to read on from: that of the last checkpoint in the ledger which is not behind the
/// newest expected one.
fn beginning(
    store: &mut dyn LedgerStore,
    keys: &LedgerKeys,
    newest: Option<&Checkpoint>,
) -> Result<Head, StoreError> {
    let most = newest.map_or(u64::MAX, Checkpoint::size);
    let fits = |entry: &Entry| resting(entry, keys).filter(|it| it.head.size() <= most);
    if let Some(last) = store.last_checkpoint()? {
        if let Some(rest) = fits(&last) {
            return Ok(rest.head);
        }
    }
    // Only where the newest export is older than the last checkpoint in the ledger.
    let mut end = if newest.is_some() { most.saturating_add(1).min(store.count()?) } else { 0 };
    while end > 0 {
        let begin = end.saturating_sub(SCAN as u64);
        let entries = store.read(begin, usize::try_from(end - begin).unwrap_or(SCAN))?;
        if let Some(rest) = entries.iter().rev().find_map(fits) {
            return Ok(rest.head);
        }
        end = begin;
    }
    Ok(Head::empty())
}

/// What a checkpoint's record says, if it is as it was signed.
fn resting(entry: &Entry, keys: &LedgerKeys) -> Option<Resting> {
    let resting: Resting = serde_json::from_str(entry.body()?).ok()?;
    let Resting { checkpoint, head } = &resting;
    let right = checkpoint.verify_mac(keys.chain())
        && checkpoint.size() == head.size()
        && entry.seq() == head.size()
        && *checkpoint.root() == head.tree().root();
    right.then_some(resting)
}

fn broken(fault: &Fault, newest: Option<&Checkpoint>, head: &Head) -> StoreError {
    let text = match (fault.kind(), newest) {
        (FaultKind::Truncated | FaultKind::Diverged, Some(exported)) => format!(
            "the ledger does not agree with the newest exported checkpoint: it has {} records with \
             the root {}, and the checkpoint, signed at {}, has {} records with the root {}; {fault}",
            head.size(),
            head.tree().root(),
            written_ms(exported.at().get()),
            exported.size(),
            exported.root(),
        ),
        _ => format!(
            "the ledger cannot be continued: {fault}; verify it, keep it as it is, and begin a new \
             one"
        ),
    };
    StoreError::new(StoreErrorKind::Damaged, text)
}

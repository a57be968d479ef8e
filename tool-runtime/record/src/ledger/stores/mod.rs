//! The stores of a ledger: lines of JSON, SQLite, memory.

mod json_lines;
mod memory;
#[cfg(test)]
mod temp_folder;
mod trace_filters;

use serde::Deserialize;
use tool_runtime_core::store::{StoreError, StoreErrorKind};

pub use self::json_lines::{JsonLinesLedger, JsonLinesOptions};
pub use self::memory::MemoryLedger;
use super::chain::ChainEntry;

/// Rejects entries that do not continue the store's.
pub fn check_order(next: u64, entries: &[ChainEntry]) -> Result<(), StoreError> {
    match (next..).zip(entries).find(|(expected, entry)| entry.seq() != *expected) {
        None => Ok(()),
        Some((expected, entry)) => Err(StoreError::new(
            StoreErrorKind::Damaged,
            format!(
                "expected record {expected}, but record {} was to be appended: another process \
                 writes this ledger; let one process write it, and verify it",
                entry.seq()
            ),
        )),
    }
}

#[must_use]
pub fn read_only() -> StoreError {
    StoreError::new(StoreErrorKind::ReadOnly, "the ledger is open read-only; open it to write")
}

/// Returns whether an entry's record is a checkpoint.
#[must_use]
pub fn is_checkpoint(entry: &ChainEntry) -> bool {
    #[derive(Deserialize)]
    struct EntryKind<'a> {
        #[serde(borrow)]
        kind: std::borrow::Cow<'a, str>,
    }
    let kind = |body| serde_json::from_str::<EntryKind<'_>>(body).ok();
    entry.body().and_then(kind).is_some_and(|it| it.kind == "checkpoint")
}

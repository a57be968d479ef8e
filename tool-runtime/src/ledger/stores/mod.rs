//! Where a ledger may be kept: in lines of JSON, in SQLite, in memory.

#[cfg(test)]
mod folder;
mod json_lines;
mod memory;
#[cfg(feature = "sqlite")]
mod sqlite;
mod traces;

pub use self::json_lines::{JsonLines, JsonLinesOptions};
pub use self::memory::MemoryLedger;
#[cfg(feature = "sqlite")]
pub use self::sqlite::SqliteLedger;

use serde::Deserialize;

use super::chain::Entry;
use crate::store::{StoreError, StoreErrorKind};

/// Refuses entries that do not go on where the store ends.
fn check_order(next: u64, entries: &[Entry]) -> Result<(), StoreError> {
    match (next..).zip(entries).find(|(expected, entry)| entry.seq() != *expected) {
        None => Ok(()),
        Some((expected, entry)) => Err(StoreError::new(
            StoreErrorKind::Damaged,
            format!(
                "record {expected} comes next, and record {} was to be appended: somebody else \
                 writes this ledger; let one process write it, and verify it",
                entry.seq()
            ),
        )),
    }
}

fn read_only() -> StoreError {
    StoreError::new(StoreErrorKind::ReadOnly, "the ledger was opened to be read: open it to write")
}

fn is_checkpoint(entry: &Entry) -> bool {
    #[derive(Deserialize)]
    struct Kind<'a> {
        #[serde(borrow)]
        kind: std::borrow::Cow<'a, str>,
    }
    let kind = |body| serde_json::from_str::<Kind<'_>>(body).ok();
    entry.body().and_then(kind).is_some_and(|it| it.kind == "checkpoint")
}

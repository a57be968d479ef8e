//! Claims a key, and undoes the claim if its future was dropped.

use rusqlite::{Connection, named_params};
use tool_runtime_core::store::signed::count;
use tool_runtime_core::store::{
    ClaimDecision, ClaimOutcome, ClaimRequest, Fence, KeyRecord, KeyState, UnixMillis,
};

use super::archive;
use super::checksum::RowKeys;
use super::queue::Queue;
use super::row::{self, FoundRow, KeyRow, fence_number};

const DELETE_CLAIM: &str = "DELETE FROM keys WHERE fence = :fence AND state = 0";

/// Counts up to the quota only.
// The quota is per caller, so that unknown outcomes of one caller refuse no other.
const COUNT_UNKNOWN: &str = "
    SELECT count(*) FROM (
        SELECT 1 FROM keys WHERE tenant = :tenant AND asker = :asker AND state = 2 LIMIT :limit)";

/// Restores the file to its state before a claim.
pub(super) enum ClaimUndo {
    /// The key had no row: deletes the new one.
    Delete(Fence),
    /// The key had this row: restores it.
    Restore(Fence, Box<KeyRow>, RowKeys),
}

/// Undoes a committed claim on drop, unless its caller has received it.
pub(super) struct UndoGuard {
    undo: Option<ClaimUndo>,
    queue: Queue,
}

/// Claims a key as its record decides; returns what undoes the claim, if the claimant gets the key.
pub(super) fn claim(
    connection: &Connection,
    keys: &RowKeys,
    request: &ClaimRequest,
) -> rusqlite::Result<(ClaimOutcome, Option<ClaimUndo>)> {
    let row = row::look_up(connection, keys, &request.key)?;
    if let Some(FoundRow::Damaged(row)) = &row {
        row.mark(connection)?;
    }
    let record = match row {
        Some(row) => Some(row.into_record()),
        None => archive::find(connection, &request.key)?,
    };
    match (request.decide(record.as_ref()), record) {
        (ClaimDecision::Insert { until }, _) => insert(connection, keys, request, until),
        (ClaimDecision::TakeOver { until }, Some(record)) => {
            let fence = row::next_fence(connection)?;
            running(request, fence, until).replace(connection, keys)?;
            let undo = ClaimUndo::Restore(fence, Box::new(KeyRow { record }), keys.clone());
            Ok((ClaimOutcome::TakenOver(fence), Some(undo)))
        }
        (ClaimDecision::ShortenLease { until }, Some(mut record)) => {
            record.state = KeyState::Running { until };
            KeyRow { record }.update(connection, keys)?;
            Ok((ClaimOutcome::Running { until }, None))
        }
        (ClaimDecision::NotClaimed(outcome), _) => Ok((outcome, None)),
        (ClaimDecision::TakeOver { .. } | ClaimDecision::ShortenLease { .. }, None) => {
            Err(row::damaged("a key without a record has no owner"))
        }
    }
}

/// Inserts the row of a key that is free, unless the caller has reached its quota.
fn insert(
    connection: &Connection,
    keys: &RowKeys,
    request: &ClaimRequest,
    until: UnixMillis,
) -> rusqlite::Result<(ClaimOutcome, Option<ClaimUndo>)> {
    if let Some(limit) = request.max_unknown {
        let unknown: i64 = connection.prepare_cached(COUNT_UNKNOWN)?.query_row(
            named_params! {
                ":tenant": request.key.tenant.as_bytes(),
                ":asker": request.caller,
                ":limit": count(limit),
            },
            |row| row.get(0),
        )?;
        if unknown >= count(limit) {
            return Ok((ClaimOutcome::QuotaExceeded, None));
        }
    }
    let fence = row::next_fence(connection)?;
    running(request, fence, until).insert(connection, keys)?;
    Ok((ClaimOutcome::Acquired(fence), Some(ClaimUndo::Delete(fence))))
}

fn running(request: &ClaimRequest, fence: Fence, until: UnixMillis) -> KeyRow {
    let state = KeyState::Running { until };
    let mut record = KeyRecord::new(request.key.clone(), request.fingerprint, fence, state);
    record.caller = request.caller.clone();
    KeyRow { record }
}

impl ClaimUndo {
    /// Undoes the claim; no change if the key no longer runs under the claim's fence.
    fn run(self, connection: &Connection) -> rusqlite::Result<()> {
        match self {
            Self::Delete(fence) => {
                let parameters = named_params! { ":fence": fence_number(fence) };
                connection.prepare_cached(DELETE_CLAIM)?.execute(parameters)?;
            }
            Self::Restore(fence, row, keys) => {
                let current_row = row::by_fence(connection, &keys, fence)?;
                if let Some(FoundRow::Valid(current_row)) = current_row {
                    let is_running = matches!(current_row.record.state, KeyState::Running { .. });
                    if current_row.record.key == row.record.key && is_running {
                        row.replace(connection, &keys)?;
                    }
                }
            }
        }
        Ok(())
    }
}

impl UndoGuard {
    pub(super) fn new(undo: ClaimUndo, queue: Queue) -> Self {
        Self { undo: Some(undo), queue }
    }

    /// Drops the guard without undoing the claim.
    pub(super) fn disarm(mut self) {
        self.undo = None;
    }
}

impl Drop for UndoGuard {
    fn drop(&mut self) {
        if let Some(undo) = self.undo.take() {
            self.queue.run_detached(move |connection| undo.run(connection));
        }
    }
}

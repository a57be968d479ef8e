//! Claims a key, and undoes the claim if its future was dropped.

use rusqlite::{Connection, named_params};
use tool_runtime_core::store::{
    ClaimDecision, ClaimOutcome, ClaimRequest, Fence, KeyRecord, KeyState, UnixMillis,
};

use super::archive;
use super::checksum::RowKeys;
use super::columns::count;
use super::queue::Queue;
use super::row::{self, FoundRow, KeyRow, fence_number};

const DELETE_CLAIM: &str = "DELETE FROM keys WHERE fence = :fence AND state = 0";

/// Counts up to the quota only.
// Of one caller, so that its unknown outcomes refuse no other caller.
const COUNT_UNKNOWN: &str = "
    SELECT count(*) FROM (
        SELECT 1 FROM keys WHERE tenant = :tenant AND asker = :asker AND state = 2 LIMIT :limit)";

/// The outcome of a claim, with the way to undo it.
pub(super) struct StoredClaim {
    claimed: ClaimOutcome,
    undo: Option<ClaimUndo>,
}

/// Restores the file to its state before a claim.
enum ClaimUndo {
    /// The key had no row: deletes the new one.
    Delete(Fence),
    /// The key had this row: restores it.
    Restore(Fence, Box<KeyRow>, RowKeys),
}

/// A committed claim that its caller has not received yet; undone on drop.
pub(super) struct PendingClaim {
    claimed: ClaimOutcome,
    guard: Option<UndoGuard>,
}

/// Undoes a claim on drop, unless it is disarmed.
struct UndoGuard {
    undo: Option<ClaimUndo>,
    queue: Queue,
}

/// Claims a key as its record decides.
pub(super) fn claim(
    connection: &Connection,
    keys: &RowKeys,
    request: &ClaimRequest,
) -> rusqlite::Result<StoredClaim> {
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
            Ok(StoredClaim { claimed: ClaimOutcome::TakenOver(fence), undo: Some(undo) })
        }
        (ClaimDecision::ShortenLease { until }, Some(mut record)) => {
            record.state = KeyState::Running { until };
            KeyRow { record }.update(connection, keys)?;
            Ok(StoredClaim::not_claimed(ClaimOutcome::Running { until }))
        }
        (ClaimDecision::NotClaimed(outcome), _) => Ok(StoredClaim::not_claimed(outcome)),
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
) -> rusqlite::Result<StoredClaim> {
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
            return Ok(StoredClaim::not_claimed(ClaimOutcome::QuotaExceeded));
        }
    }
    let fence = row::next_fence(connection)?;
    running(request, fence, until).insert(connection, keys)?;
    let undo = Some(ClaimUndo::Delete(fence));
    Ok(StoredClaim { claimed: ClaimOutcome::Acquired(fence), undo })
}

fn running(request: &ClaimRequest, fence: Fence, until: UnixMillis) -> KeyRow {
    let state = KeyState::Running { until };
    let mut record = KeyRecord::new(request.key.clone(), request.fingerprint, fence, state);
    record.caller = request.caller.clone();
    KeyRow { record }
}

impl StoredClaim {
    /// The claimant does not get the key.
    fn not_claimed(claimed: ClaimOutcome) -> Self {
        Self { claimed, undo: None }
    }
}

impl ClaimUndo {
    /// Undoes the claim; no change if the key is not running under the claim's fence any more.
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

impl PendingClaim {
    pub(super) fn new(taken: StoredClaim, queue: Queue) -> Self {
        let guard = taken.undo.map(|undo| UndoGuard { undo: Some(undo), queue });
        Self { claimed: taken.claimed, guard }
    }

    /// Returns the claim to its caller; it is not undone from then on.
    pub(super) fn receive(self) -> ClaimOutcome {
        if let Some(mut guard) = self.guard {
            guard.undo = None;
        }
        self.claimed
    }
}

impl Drop for UndoGuard {
    fn drop(&mut self) {
        if let Some(undo) = self.undo.take() {
            self.queue.run_detached(move |connection| undo.run(connection));
        }
    }
}

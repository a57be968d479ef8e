//! Claims a key, and undoes the claim if its future was dropped.

use rusqlite::{Connection, named_params};

use super::archive;
use super::checksum::RowKeys;
use super::columns::count;
use super::queue::Queue;
use super::row::{self, FoundRow, KeyRow, fence_number};
use crate::store::{ClaimOutcome, ClaimRequest, Fence, KeyState, UnixMillis};

const DELETE_CLAIM: &str = "DELETE FROM keys WHERE fence = :fence AND state = 0";

/// Counts up to the quota only.
const COUNT_UNKNOWN: &str = "
    SELECT count(*) FROM (
        SELECT 1 FROM keys WHERE tenant = :tenant AND asker = :asker AND state = 2 LIMIT :limit)";

/// The outcome of a claim, with the way to undo it.
pub(super) struct ClaimDecision {
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

/// Decides a claim, in the order that the trait documents.
pub(super) fn decide(
    connection: &Connection,
    keys: &RowKeys,
    request: &ClaimRequest,
) -> rusqlite::Result<ClaimDecision> {
    let until = request.now.after(request.lease);
    let mut row = match row::look_up(connection, keys, &request.key)? {
        None => return claim_new(connection, keys, request, until),
        Some(FoundRow::Damaged(row)) => {
            row.mark(connection)?;
            return Ok(ClaimDecision::not_claimed(ClaimOutcome::Damaged(row.fence)));
        }
        Some(FoundRow::Valid(row)) => row,
    };
    if row.fingerprint != request.fingerprint {
        return Ok(ClaimDecision::not_claimed(ClaimOutcome::Mismatch));
    }
    match row.state {
        KeyState::Answered { answer, .. } => {
            Ok(ClaimDecision::not_claimed(ClaimOutcome::Settled(answer)))
        }
        KeyState::Archived => Ok(ClaimDecision::not_claimed(ClaimOutcome::Archived)),
        KeyState::Unknown if !request.resolves => {
            Ok(ClaimDecision::not_claimed(ClaimOutcome::Unknown(row.fence)))
        }
        KeyState::Running { until: end } if end > request.now => {
            if end > until {
                row.state = KeyState::Running { until };
                row.update(connection, keys)?;
            }
            Ok(ClaimDecision::not_claimed(ClaimOutcome::Running { until: end.min(until) }))
        }
        KeyState::Unknown | KeyState::Running { .. } => {
            let fence = row::next_fence(connection)?;
            running(request, fence, until).replace(connection, keys)?;
            let undo = ClaimUndo::Restore(fence, Box::new(row), keys.clone());
            Ok(ClaimDecision { claimed: ClaimOutcome::TakenOver(fence), undo: Some(undo) })
        }
    }
}

/// Claims a key that has no row.
fn claim_new(
    connection: &Connection,
    keys: &RowKeys,
    request: &ClaimRequest,
    until: UnixMillis,
) -> rusqlite::Result<ClaimDecision> {
    if let Some(archived) = archive::find(connection, &request.key)? {
        let is_same = archived.fingerprint == request.fingerprint;
        return Ok(ClaimDecision::not_claimed(if is_same {
            ClaimOutcome::Archived
        } else {
            ClaimOutcome::Mismatch
        }));
    }
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
            return Ok(ClaimDecision::not_claimed(ClaimOutcome::QuotaExceeded));
        }
    }
    let fence = row::next_fence(connection)?;
    running(request, fence, until).insert(connection, keys)?;
    Ok(ClaimDecision {
        claimed: ClaimOutcome::Acquired(fence),
        undo: Some(ClaimUndo::Delete(fence)),
    })
}

fn running(request: &ClaimRequest, fence: Fence, until: UnixMillis) -> KeyRow {
    KeyRow {
        fence,
        key: request.key.clone(),
        caller: request.caller.clone(),
        fingerprint: request.fingerprint,
        since: None,
        state: KeyState::Running { until },
    }
}

impl ClaimDecision {
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
                let held = row::by_fence(connection, &keys, fence)?;
                if let Some(FoundRow::Valid(held)) = held {
                    if held.key == row.key && matches!(held.state, KeyState::Running { .. }) {
                        row.replace(connection, &keys)?;
                    }
                }
            }
        }
        Ok(())
    }
}

impl PendingClaim {
    pub(super) fn new(taken: ClaimDecision, queue: Queue) -> Self {
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

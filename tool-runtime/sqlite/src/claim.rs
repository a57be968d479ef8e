//! Claims a key, and undoes the claim if its future was dropped.

use rusqlite::{Connection, named_params};
use tool_runtime_core::store::signed::count;
use tool_runtime_core::store::{
    Charge, ClaimDecision, ClaimOutcome, ClaimRequest, Fence, KeyRecord, KeyState, Reservation,
    ReserveOutcome, ReservedAmount, UnixMillis,
};

use super::account_needs::AccountNeeds;
use super::archive;
use super::budgets;
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
    Delete(Fence, RowKeys),
    /// The key had this row: restores it.
    Restore(Fence, Box<KeyRow>, RowKeys),
}

/// Undoes a committed claim on drop, unless its caller has received it.
pub(super) struct UndoGuard {
    undo: Option<ClaimUndo>,
    queue: Queue,
}

/// Claims a key as its record decides, unless its reservations do not fit; returns what undoes the claim, if the claimant gets the key.
pub(super) fn claim(
    connection: &Connection,
    keys: &RowKeys,
    request: &ClaimRequest,
    reservations: &[Reservation],
) -> rusqlite::Result<(ReserveOutcome, Option<ClaimUndo>)> {
    let row = row::look_up(connection, keys, &request.key)?;
    if let Some(FoundRow::Damaged(row)) = &row {
        row.mark(connection)?;
    }
    let record = match row {
        Some(row) => Some(row.into_record()),
        None => archive::find(connection, &request.key)?,
    };
    let decision = request.decide(record.as_ref());
    let mut needs = AccountNeeds::new(reservations);
    if let ClaimDecision::Insert { .. } | ClaimDecision::TakeOver { .. } = decision {
        needs.amounts = KeyRecord::missing_amounts(record.as_ref(), reservations);
        needs.read_balances(connection)?;
        if !needs.fit() {
            return Ok((ReserveOutcome::Exceeded(needs.balances), None));
        }
    }
    let claimed = |outcome, undo: Option<ClaimUndo>, needs: AccountNeeds<'_>| {
        let balances = match undo {
            Some(_) => needs.reserve(connection, request.now)?,
            None => Vec::new(),
        };
        Ok((ReserveOutcome::Claimed { outcome, balances }, undo))
    };
    match (decision, record) {
        (ClaimDecision::Insert { until }, _) => {
            let running = |fence| running(request, fence, until, (Vec::new(), &needs));
            let (outcome, undo) = insert(connection, keys, request, running)?;
            claimed(outcome, undo, needs)
        }
        (ClaimDecision::TakeOver { until }, Some(record)) => {
            let fence = row::next_fence(connection)?;
            let reserved = (record.reserved.clone(), &needs);
            running(request, fence, until, reserved).replace(connection, keys)?;
            let undo = ClaimUndo::Restore(fence, Box::new(KeyRow { record }), keys.clone());
            claimed(ClaimOutcome::TakenOver(fence), Some(undo), needs)
        }
        (ClaimDecision::ShortenLease { until }, Some(mut record)) => {
            record.state = KeyState::Running { until };
            KeyRow { record }.update(connection, keys)?;
            claimed(ClaimOutcome::Running { until }, None, needs)
        }
        (ClaimDecision::NotClaimed(outcome), _) => claimed(outcome, None, needs),
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
    running: impl FnOnce(Fence) -> KeyRow,
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
    running(fence).insert(connection, keys)?;
    Ok((ClaimOutcome::Acquired(fence), Some(ClaimUndo::Delete(fence, keys.clone()))))
}

/// Makes the row of a claimed key, with what it had reserved, and the amounts that it needs.
fn running(
    request: &ClaimRequest,
    fence: Fence,
    until: UnixMillis,
    (reserved, needs): (Vec<ReservedAmount>, &AccountNeeds<'_>),
) -> KeyRow {
    let state = KeyState::Running { until };
    let mut record = KeyRecord::new(request.key.clone(), request.fingerprint, fence, state);
    record.caller = request.caller.clone();
    record.reserved = reserved;
    record.add_reserved(needs.reservations, &needs.accounts, &needs.amounts);
    KeyRow { record }
}

impl ClaimUndo {
    /// Undoes the claim; no change if the key no longer runs under the claim's fence.
    fn run(self, connection: &Connection) -> rusqlite::Result<()> {
        match self {
            Self::Delete(fence, keys) => {
                if let Some(FoundRow::Valid(row)) = row::by_fence(connection, &keys, fence)? {
                    if matches!(row.record.state, KeyState::Running { .. }) {
                        release(connection, &row)?;
                    }
                }
                let parameters = named_params! { ":fence": fence_number(fence) };
                connection.prepare_cached(DELETE_CLAIM)?.execute(parameters)?;
            }
            Self::Restore(fence, row, keys) => {
                let current_row = row::by_fence(connection, &keys, fence)?;
                if let Some(FoundRow::Valid(current_row)) = current_row {
                    let is_running = matches!(current_row.record.state, KeyState::Running { .. });
                    if current_row.record.key == row.record.key && is_running {
                        release(connection, &current_row)?;
                        budgets::restore(connection, row.record.key.tenant, &row.record.reserved)?;
                        row.replace(connection, &keys)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Gives the amounts of a claim that is undone back to their budgets.
fn release(connection: &Connection, row: &KeyRow) -> rusqlite::Result<()> {
    budgets::settle(connection, row.record.key.tenant, &row.record.reserved, &Charge::Nothing)
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

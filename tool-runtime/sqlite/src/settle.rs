//! Settles, renews and invalidates claims.

use rusqlite::Connection;
use tool_runtime_core::store::signed::{as_stored, timestamp, to_unix_millis};
use tool_runtime_core::store::{
    Charge, Fence, KeyRecord, KeyState, ScopedKey, Settlement, SettlementDecision, UnixMillis,
};

use super::archive;
use super::budgets;
use super::checksum::RowKeys;
use super::row::{self, DamagedRow, FoundRow, KeyRow};

/// Settles a key as its record decides.
pub(super) fn settle(
    connection: &Connection,
    keys: &RowKeys,
    key: &ScopedKey,
    fence: Fence,
    settlement: &Settlement,
    charge: &Charge,
) -> rusqlite::Result<bool> {
    let record = match row::by_fence(connection, keys, fence)? {
        Some(FoundRow::Valid(row)) if row.record.key == *key => Some(row.record),
        Some(FoundRow::Damaged(row)) if row.may_be_of(key) => {
            return repair(connection, keys, key, &row, settlement);
        }
        // The fence is of another key, or of none.
        Some(FoundRow::Valid(_) | FoundRow::Damaged(_)) | None => {
            super::keys::find(connection, keys, key)?
        }
    };
    match (as_stored(settlement).decide(fence, record.as_ref()), record) {
        (SettlementDecision::Unchanged { is_settled }, _) => return Ok(is_settled),
        (SettlementDecision::Store { state, since }, Some(mut record)) => {
            if state != KeyState::Unknown {
                let reserved = std::mem::take(&mut record.reserved);
                budgets::settle(connection, key.tenant, &reserved, charge)?;
            }
            KeyRow { record: KeyRecord { state, since, ..record } }.update(connection, keys)?;
        }
        (SettlementDecision::Delete, Some(record)) if record.state == KeyState::Archived => {
            let is_deleted = archive::delete(connection, key, fence)?;
            if is_deleted {
                let charge = charge.without_effect();
                budgets::settle(connection, key.tenant, &record.reserved, &charge)?;
            }
            return Ok(is_deleted);
        }
        (SettlementDecision::Delete, Some(record)) => {
            let charge = charge.without_effect();
            budgets::settle(connection, key.tenant, &record.reserved, &charge)?;
            row::delete(connection, record.fence)?;
        }
        (SettlementDecision::Store { .. } | SettlementDecision::Delete, None) => return Ok(false),
    }
    Ok(true)
}

/// Settles a damaged row, whose key and outcome its owner or a person knows. The fingerprint is
/// kept as far as it is readable; a damaged one refuses repeats.
fn repair(
    connection: &Connection,
    keys: &RowKeys,
    key: &ScopedKey,
    row: &DamagedRow,
    settlement: &Settlement,
) -> rusqlite::Result<bool> {
    match settlement.decide(row.fence, Some(&row.record)) {
        SettlementDecision::Store { state, .. } => {
            row.repaired(key, state).replace(connection, keys)?;
        }
        SettlementDecision::Delete => row::delete(connection, row.fence)?,
        SettlementDecision::Unchanged { .. } => row.mark(connection)?,
    }
    Ok(true)
}

/// Extends a lease; false if the key no longer runs under this fence.
pub(super) fn renew(
    connection: &Connection,
    keys: &RowKeys,
    key: &ScopedKey,
    fence: Fence,
    until: UnixMillis,
) -> rusqlite::Result<bool> {
    let mut record = match row::by_fence(connection, keys, fence)? {
        Some(FoundRow::Valid(row)) if row.record.key == *key => row.record,
        Some(FoundRow::Damaged(row)) if row.may_be_of(key) => {
            row.mark(connection)?;
            // No claim takes over a damaged row, so its owner continues.
            return Ok(true);
        }
        Some(FoundRow::Valid(_) | FoundRow::Damaged(_)) | None => return Ok(false),
    };
    let until = to_unix_millis(timestamp(until));
    let Some(end) = record.lease_after_renewal(fence, until) else { return Ok(false) };
    let extended = KeyState::Running { until: end };
    if record.state != extended {
        record.state = extended;
        KeyRow { record }.update(connection, keys)?;
    }
    Ok(true)
}

/// Makes an answered key unknown, because its answer is invalid; false if it has no answer any
/// more.
pub(super) fn invalidate_answer(
    connection: &Connection,
    keys: &RowKeys,
    key: &ScopedKey,
) -> rusqlite::Result<bool> {
    match row::look_up(connection, keys, key)? {
        Some(FoundRow::Valid(mut row)) => {
            let is_invalidated = row.record.invalidate_answer();
            if is_invalidated {
                row.update(connection, keys)?;
            }
            Ok(is_invalidated)
        }
        Some(FoundRow::Damaged(row)) => row.mark(connection).map(|()| true),
        None => Ok(false),
    }
}

//! Settles, renews and invalidates claims.

use rusqlite::Connection;

use super::archive;
use super::checksum::RowKeys;
use super::columns::timestamp;
use super::row::{self, DamagedRow, FoundRow, KeyRow};
use crate::store::{Fence, KeyState, ScopedKey, Settlement, UnixMillis};

/// Settles a key; if it is not held, returns whether it was settled in the same way before.
pub(super) fn settle(
    connection: &Connection,
    keys: &RowKeys,
    key: &ScopedKey,
    fence: Fence,
    settlement: &Settlement,
) -> rusqlite::Result<bool> {
    match row::by_fence(connection, keys, fence)? {
        Some(FoundRow::Valid(row)) if row.key == *key => apply(connection, keys, row, settlement),
        Some(FoundRow::Damaged(row)) if row.may_be_of(key) => {
            repair(connection, keys, key, &row, settlement)
        }
        None if *settlement == Settlement::Released => {
            let is_archived = archive::find(connection, key)?.is_some();
            Ok(if is_archived {
                archive::delete(connection, key, fence)?
            } else {
                row::look_up(connection, keys, key)?.is_none()
            })
        }
        Some(FoundRow::Valid(_) | FoundRow::Damaged(_)) | None => Ok(false),
    }
}

fn apply(
    connection: &Connection,
    keys: &RowKeys,
    mut row: KeyRow,
    settlement: &Settlement,
) -> rusqlite::Result<bool> {
    if let KeyState::Answered { .. } = row.state {
        return Ok(is_settled_as(&row.state, settlement));
    }
    match settlement {
        Settlement::Answered { answer, keep_until } => {
            row.since = None;
            row.state = KeyState::Answered { answer: answer.clone(), keep_until: *keep_until };
            row.update(connection, keys)?;
        }
        Settlement::Unknown if row.state == KeyState::Unknown => {}
        Settlement::Unknown => {
            row.make_unknown();
            row.update(connection, keys)?;
        }
        Settlement::Released => row::delete(connection, row.fence)?,
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
    match settlement {
        Settlement::Answered { answer, keep_until } => {
            let state = KeyState::Answered { answer: answer.clone(), keep_until: *keep_until };
            row.repaired(key, state).replace(connection, keys)?;
        }
        Settlement::Unknown => row.mark(connection)?,
        Settlement::Released => row::delete(connection, row.fence)?,
    }
    Ok(true)
}

/// Returns whether an answered key is in the state that the settlement would give it.
fn is_settled_as(state: &KeyState, settlement: &Settlement) -> bool {
    match (state, settlement) {
        (
            KeyState::Answered { answer, keep_until },
            Settlement::Answered { answer: settled, keep_until: until },
        ) => answer == settled && timestamp(*keep_until) == timestamp(*until),
        (
            KeyState::Running { .. }
            | KeyState::Unknown
            | KeyState::Archived
            | KeyState::Answered { .. },
            Settlement::Answered { .. } | Settlement::Unknown | Settlement::Released,
        ) => false,
    }
}

/// Extends a lease; false if the key is not running under this fence any more.
pub(super) fn renew(
    connection: &Connection,
    keys: &RowKeys,
    key: &ScopedKey,
    fence: Fence,
    until: UnixMillis,
) -> rusqlite::Result<bool> {
    let mut row = match row::by_fence(connection, keys, fence)? {
        Some(FoundRow::Valid(row)) if row.key == *key => row,
        Some(FoundRow::Damaged(row)) if row.may_be_of(key) => {
            row.mark(connection)?;
            // No claim takes over a damaged row, so its owner continues.
            return Ok(true);
        }
        Some(FoundRow::Valid(_) | FoundRow::Damaged(_)) | None => return Ok(false),
    };
    let KeyState::Running { until: end } = row.state else { return Ok(false) };
    if timestamp(until) > timestamp(end) {
        row.state = KeyState::Running { until };
        row.update(connection, keys)?;
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
            if !matches!(row.state, KeyState::Answered { .. }) {
                return Ok(false);
            }
            row.make_unknown();
            row.update(connection, keys)?;
            Ok(true)
        }
        Some(FoundRow::Damaged(row)) => row.mark(connection).map(|()| true),
        None => Ok(false),
    }
}

//! Ending a claim, as its owner or a person says.

use rusqlite::Connection;

use super::archive;
use super::checksum::RowKeys;
use super::columns::moment;
use super::row::{self, DamagedRow, Found, KeyRow};
use crate::store::{Fence, KeyScope, KeyState, Settlement, UnixMillis};

/// Settles a key; where nothing is held, tells whether it was settled so before.
pub(super) fn settle(
    connection: &Connection,
    keys: &RowKeys,
    key: &KeyScope,
    fence: Fence,
    settlement: &Settlement,
) -> rusqlite::Result<bool> {
    match row::by_fence(connection, keys, fence)? {
        Some(Found::Sound(row)) if row.key == *key => apply(connection, keys, row, settlement),
        Some(Found::Damaged(row)) if row.may_be_of(key) => {
            mend(connection, keys, key, &row, settlement)
        }
        None if *settlement == Settlement::Released => {
            let is_archived = archive::find(connection, key)?.is_some();
            Ok(if is_archived {
                archive::forget(connection, key, fence)?
            } else {
                row::look_up(connection, keys, key)?.is_none()
            })
        }
        Some(Found::Sound(_) | Found::Damaged(_)) | None => Ok(false),
    }
}

fn apply(
    connection: &Connection,
    keys: &RowKeys,
    mut row: KeyRow,
    settlement: &Settlement,
) -> rusqlite::Result<bool> {
    if let KeyState::Answered { .. } = row.state {
        return Ok(stands(&row.state, settlement));
    }
    match settlement {
        Settlement::Answered { answer, keep_until } => {
            row.since = None;
            row.state = KeyState::Answered { answer: answer.clone(), keep_until: *keep_until };
            row.update(connection, keys)?;
        }
        Settlement::Unknown if row.state == KeyState::Unknown => {}
        Settlement::Unknown => {
            row.lose();
            row.update(connection, keys)?;
        }
        Settlement::Released => row::delete(connection, row.fence)?,
    }
    Ok(true)
}

/// Settles a damaged row: its owner, or a person, knows the key and the outcome. The fingerprint
/// stays what can be read of it; one that is damaged refuses repeats.
fn mend(
    connection: &Connection,
    keys: &RowKeys,
    key: &KeyScope,
    row: &DamagedRow,
    settlement: &Settlement,
) -> rusqlite::Result<bool> {
    match settlement {
        Settlement::Answered { answer, keep_until } => {
            let state = KeyState::Answered { answer: answer.clone(), keep_until: *keep_until };
            row.mended(key, state).replace(connection, keys)?;
        }
        Settlement::Unknown => row.mark(connection)?,
        Settlement::Released => row::delete(connection, row.fence)?,
    }
    Ok(true)
}

/// Tells whether a key that has its answer is as the settlement would leave it.
fn stands(state: &KeyState, settlement: &Settlement) -> bool {
    match (state, settlement) {
        (
            KeyState::Answered { answer, keep_until },
            Settlement::Answered { answer: settled, keep_until: until },
        ) => answer == settled && moment(*keep_until) == moment(*until),
        _ => false,
    }
}

/// Lengthens a lease; false if the key is not running under this fence any more.
pub(super) fn renew(
    connection: &Connection,
    keys: &RowKeys,
    key: &KeyScope,
    fence: Fence,
    until: UnixMillis,
) -> rusqlite::Result<bool> {
    let mut row = match row::by_fence(connection, keys, fence)? {
        Some(Found::Sound(row)) if row.key == *key => row,
        Some(Found::Damaged(row)) if row.may_be_of(key) => {
            row.mark(connection)?;
            // No claim takes a damaged row over, so that its owner goes on.
            return Ok(true);
        }
        Some(Found::Sound(_) | Found::Damaged(_)) | None => return Ok(false),
    };
    let KeyState::Running { until: end } = row.state else { return Ok(false) };
    if moment(until) > moment(end) {
        row.state = KeyState::Running { until };
        row.update(connection, keys)?;
    }
    Ok(true)
}

/// Makes an answered key unknown, since its answer cannot be given; false if it is not answered
/// under this fence any more.
pub(super) fn distrust(
    connection: &Connection,
    keys: &RowKeys,
    key: &KeyScope,
) -> rusqlite::Result<bool> {
    match row::look_up(connection, keys, key)? {
        Some(Found::Sound(mut row)) => {
            if !matches!(row.state, KeyState::Answered { .. }) {
                return Ok(false);
            }
            row.lose();
            row.update(connection, keys)?;
            Ok(true)
        }
        Some(Found::Damaged(row)) => row.mark(connection).map(|()| true),
        None => Ok(false),
    }
}

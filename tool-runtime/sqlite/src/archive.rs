//! Archived unknown outcomes: small rows that still refuse a repeat.

use rusqlite::{Connection, OptionalExtension, named_params};
use tool_runtime_core::store::signed::{count, timestamp};
use tool_runtime_core::store::{Fence, KeyRecord, KeyState, ReservedAmount, ScopedKey, UnixMillis};
use tool_runtime_schema::canonical::Digest;

use super::checksum::RowKeys;
use super::columns::digest;
use super::row::{FoundRow, fence_number, reserved_amounts};

const FIND: &str = "
    SELECT fingerprint, fence, reserved FROM archived_keys WHERE digest = :digest
    UNION ALL
    SELECT fingerprint, fence, reserved FROM archived_keys WHERE digest_again = :digest
    LIMIT 1";

const DUE: &str = "
    SELECT * FROM keys WHERE state = 2 AND since <= :before AND damaged = 0
    ORDER BY since LIMIT :limit";

const PUT: &str = "
    INSERT OR REPLACE INTO archived_keys
        (fence, tenant, digest, digest_again, fingerprint, archived_at, reserved)
    VALUES (:fence, :tenant, :digest, :digest, :fingerprint, :archived_at, :reserved)";

const DELETE: &str = "
    DELETE FROM archived_keys
    WHERE fence = :fence AND (digest = :digest OR digest_again = :digest)";

/// Finds the archived record of a key.
pub(super) fn find(
    connection: &Connection,
    key: &ScopedKey,
) -> rusqlite::Result<Option<KeyRecord>> {
    let digest_of_key = key.digest();
    let parameters = named_params! { ":digest": digest_of_key.as_bytes() };
    let key_record = connection.prepare_cached(FIND)?.query_row(parameters, |row| {
        let fence: i64 = row.get("fence")?;
        // An unreadable fingerprint matches no call, so that a repeat is still refused.
        let fingerprint = digest(row, "fingerprint").unwrap_or(Digest::from_bytes([0; 32]));
        let fence = Fence::new(fence.unsigned_abs());
        let mut record = KeyRecord::new(key.clone(), fingerprint, fence, KeyState::Archived);
        record.reserved = reserved_amounts(row)?;
        Ok(record)
    });
    key_record.optional()
}

/// Archives unknown outcomes whose lease ended before a time; returns how many.
pub(super) fn archive(
    connection: &Connection,
    keys: &RowKeys,
    before: UnixMillis,
    limit: usize,
) -> rusqlite::Result<usize> {
    let due = named_params! { ":before": timestamp(before), ":limit": count(limit) };
    let due: Vec<FoundRow> = connection
        .prepare_cached(DUE)?
        .query_map(due, |row| FoundRow::read(row, keys))?
        .collect::<rusqlite::Result<_>>()?;
    let mut archived = 0;
    for found in due {
        let row = match found {
            FoundRow::Valid(row) => row,
            FoundRow::Damaged(row) => {
                row.mark(connection)?;
                continue;
            }
        };
        connection.prepare_cached(PUT)?.execute(named_params! {
            ":fence": fence_number(row.record.fence),
            ":tenant": row.record.key.tenant.as_bytes(),
            ":digest": row.record.key.digest().as_bytes(),
            ":fingerprint": row.record.fingerprint.as_bytes(),
            ":archived_at": timestamp(before),
            ":reserved": ReservedAmount::to_text(&row.record.reserved),
        })?;
        super::row::delete(connection, row.record.fence)?;
        archived += 1;
    }
    Ok(archived)
}

/// Deletes an archived record; returns whether there was one.
pub(super) fn delete(
    connection: &Connection,
    key: &ScopedKey,
    fence: Fence,
) -> rusqlite::Result<bool> {
    let deleted = connection.prepare_cached(DELETE)?.execute(named_params! {
        ":fence": fence_number(fence),
        ":digest": key.digest().as_bytes(),
    })?;
    Ok(deleted > 0)
}

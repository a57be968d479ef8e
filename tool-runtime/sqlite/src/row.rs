//! Rows of idempotency keys: reads, verifies, finds and writes them.
//!
//! A row is found by the digest of its key, else by the key's own columns. Each has an index, so
//! that damage to one of these four does not hide the row.

use hmac::{Hmac, Mac};
use rusqlite::types::{FromSql, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, named_params};
use sha2::Sha256;
use tool_runtime_core::store::signed::{timestamp, to_unix_millis, whole};
use tool_runtime_core::store::{
    Fence, KeyRecord, KeyState, ReservedAmount, ScopedKey, StoredAnswer,
};
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use super::checksum::RowKeys;
use super::columns::{digest, time, uuid};

/// The numbers of the states, as in `migrations`.
const RUNNING: i64 = 0;
const ANSWERED: i64 = 1;
const UNKNOWN: i64 = 2;

/// The domain of these checksums, which separates them from all others.
const DOMAIN: &[u8] = b"tool-runtime/sqlite-row/v1";

const BY_FENCE: &str = "SELECT * FROM keys WHERE fence = :fence";

const BY_DIGEST: &str = "SELECT * FROM keys WHERE digest = :digest";

const BY_SCOPE: &str = "
    SELECT * FROM keys
    WHERE (tenant, principal, tool, key) = (:tenant, :principal, :tool, :key)";

/// A fence is greater than all earlier fences, also of deleted rows.
const NEXT_FENCE: &str = "
    SELECT 1 + max(
        coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'keys'), 0),
        coalesce((SELECT max(fence) FROM keys), 0))";

macro_rules! whole_row {
    ($verb:literal) => {
        concat!(
            $verb,
            " INTO keys (fence, tenant, principal, tool, key, digest, asker, fingerprint, since,
                state, until, succeeded, body, meta, reserved, sealed_by, seal, damaged)
            VALUES (:fence, :tenant, :principal, :tool, :key, :digest, :asker, :fingerprint, :since,
                :state, :until, :succeeded, :body, :meta, :reserved, :sealed_by, :seal, 0)"
        )
    };
}

const INSERT: &str = whole_row!("INSERT");
const REPLACE: &str = whole_row!("REPLACE");

/// Writes the columns that change after the insertion.
const UPDATE: &str = "
    UPDATE keys SET since = :since, state = :state, until = :until, succeeded = :succeeded,
        body = :body, meta = :meta, reserved = :reserved, sealed_by = :sealed_by, seal = :seal
    WHERE fence = :fence";

const DELETE: &str = "DELETE FROM keys WHERE fence = :fence";

const MARK: &str = "UPDATE keys SET damaged = 1 WHERE fence = :fence AND damaged = 0";

/// A row whose checksum is valid, or that is about to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeyRow {
    pub(super) record: KeyRecord,
}

/// A row whose checksum is invalid. None of its fields is reliable.
#[derive(Debug, Clone)]
pub(super) struct DamagedRow {
    pub(super) fence: Fence,
    digest: Option<[u8; 32]>,
    /// The columns, as far as they are readable.
    pub(super) record: KeyRecord,
    is_marked: bool,
}

/// A row that was found, with its checksum verified.
#[derive(Debug, Clone)]
pub(super) enum FoundRow {
    Valid(KeyRow),
    Damaged(DamagedRow),
}

impl KeyRow {
    fn columns(&self) -> StateColumns<'_> {
        let columns =
            StateColumns { state: UNKNOWN, until: None, succeeded: None, body: None, meta: None };
        match &self.record.state {
            KeyState::Running { until } => {
                StateColumns { state: RUNNING, until: Some(timestamp(*until)), ..columns }
            }
            KeyState::Answered { answer, keep_until } => StateColumns {
                state: ANSWERED,
                until: Some(timestamp(*keep_until)),
                succeeded: Some(answer.succeeded),
                body: Some(&answer.body),
                meta: Some(&answer.meta),
            },
            // An archived key has no row here.
            KeyState::Unknown | KeyState::Archived => columns,
        }
    }

    /// Updates a checksum with every column, each with its length.
    fn update_checksum(
        &self,
        mac: Hmac<Sha256>,
        sealed_by: &str,
        reserved: Option<&str>,
    ) -> Hmac<Sha256> {
        let columns = self.columns();
        let number = |number: i64| number.to_be_bytes();
        let optional = |value: Option<i64>| value.map(number);
        let succeeded = columns.succeeded.map(|it| [u8::from(it)]);
        let ScopedKey { tenant, principal, tool, key } = &self.record.key;
        let (since, until) = (optional(self.record.since.map(timestamp)), optional(columns.until));
        [
            Some(DOMAIN),
            Some(sealed_by.as_bytes()),
            Some(&number(fence_number(self.record.fence))),
            Some(tenant.as_bytes()),
            Some(principal.as_bytes()),
            Some(tool.as_bytes()),
            Some(key.as_bytes()),
            Some(self.record.caller.as_bytes()),
            Some(self.record.fingerprint.as_bytes()),
            since.as_ref().map(<[u8; 8]>::as_slice),
            Some(&number(columns.state)),
            until.as_ref().map(<[u8; 8]>::as_slice),
            succeeded.as_ref().map(<[u8; 1]>::as_slice),
            columns.body,
            columns.meta,
        ]
        .into_iter()
        // A row that reserves nothing has the checksum that it had before rows could reserve.
        .chain(reserved.map(|reserved| Some(reserved.as_bytes())))
        .fold(mac, |mac, part| {
            let length = part.map_or(u64::MAX, |part| u64::try_from(part.len()).unwrap_or(0));
            mac.chain_update(length.to_be_bytes()).chain_update(part.unwrap_or_default())
        })
    }

    /// Reads the columns of the checksum; none if the checksum is invalid.
    fn read(row: &Row<'_>, keys: &RowKeys) -> Option<Self> {
        let read = || -> rusqlite::Result<Self> {
            let key = ScopedKey {
                tenant: uuid(row, "tenant")?,
                principal: row.get("principal")?,
                tool: row.get("tool")?,
                key: row.get("key")?,
            };
            let since: Option<i64> = row.get("since")?;
            let fence = u64::try_from(row.get::<_, i64>("fence")?)
                .map_err(|_| rusqlite::Error::IntegralValueOutOfRange(0, -1))?;
            let fingerprint = digest(row, "fingerprint")?;
            let mut record = KeyRecord::new(key, fingerprint, Fence::new(fence), state(row)?);
            record.caller = row.get("asker")?;
            record.since = since.map(to_unix_millis);
            record.reserved = reserved_amounts(row)?;
            Ok(Self { record })
        };
        let key_row = read().ok()?;
        let sealed_by: Box<str> = row.get("sealed_by").ok()?;
        let seal: [u8; 32] = row.get("seal").ok()?;
        let stored: [u8; 32] = row.get("digest").ok()?;
        let reserved: Option<Box<str>> = row.get("reserved").ok()?;
        let mac = keys.mac_for(&sealed_by)?;
        let mac = key_row.update_checksum(mac, &sealed_by, reserved.as_deref());
        let is_valid =
            mac.verify_slice(&seal).is_ok() && stored == *key_row.record.key.digest().as_bytes();
        is_valid.then_some(key_row)
    }

    /// Inserts the row of a new key; an error if the key has a row.
    pub(super) fn insert(&self, connection: &Connection, keys: &RowKeys) -> rusqlite::Result<()> {
        self.write(connection, keys, INSERT)
    }

    /// Writes the whole row, and replaces one of the same key.
    pub(super) fn replace(&self, connection: &Connection, keys: &RowKeys) -> rusqlite::Result<()> {
        self.write(connection, keys, REPLACE)
    }

    fn write(
        &self,
        connection: &Connection,
        keys: &RowKeys,
        statement: &str,
    ) -> rusqlite::Result<()> {
        let (columns, reserved) = (self.columns(), ReservedAmount::to_text(&self.record.reserved));
        let (sealed_by, seal) = self.sign(keys, reserved.as_deref())?;
        let written = connection.prepare_cached(statement)?.execute(named_params! {
            ":fence": fence_number(self.record.fence),
            ":tenant": self.record.key.tenant.as_bytes(),
            ":principal": self.record.key.principal,
            ":tool": self.record.key.tool,
            ":key": self.record.key.key,
            ":digest": self.record.key.digest().as_bytes(),
            ":asker": self.record.caller,
            ":fingerprint": self.record.fingerprint.as_bytes(),
            ":since": self.record.since.map(timestamp),
            ":state": columns.state,
            ":until": columns.until,
            ":succeeded": columns.succeeded,
            ":body": columns.body,
            ":meta": columns.meta,
            ":reserved": reserved,
            ":sealed_by": sealed_by,
            ":seal": seal,
        });
        written.map(drop)
    }

    /// Writes the columns that may have changed since the row was read.
    pub(super) fn update(&self, connection: &Connection, keys: &RowKeys) -> rusqlite::Result<()> {
        let (columns, reserved) = (self.columns(), ReservedAmount::to_text(&self.record.reserved));
        let (sealed_by, seal) = self.sign(keys, reserved.as_deref())?;
        let updated = connection.prepare_cached(UPDATE)?.execute(named_params! {
            ":fence": fence_number(self.record.fence),
            ":since": self.record.since.map(timestamp),
            ":state": columns.state,
            ":until": columns.until,
            ":succeeded": columns.succeeded,
            ":body": columns.body,
            ":meta": columns.meta,
            ":reserved": reserved,
            ":sealed_by": sealed_by,
            ":seal": seal,
        });
        updated.map(drop)
    }

    fn sign<'k>(
        &self,
        keys: &'k RowKeys,
        reserved: Option<&str>,
    ) -> rusqlite::Result<(&'k str, [u8; 32])> {
        let (id, mac) = keys.signing().ok_or(rusqlite::Error::InvalidQuery)?;
        Ok((id, self.update_checksum(mac, id, reserved).finalize().into_bytes().into()))
    }
}

/// The columns that depend on the state.
struct StateColumns<'r> {
    state: i64,
    until: Option<i64>,
    succeeded: Option<bool>,
    body: Option<&'r [u8]>,
    meta: Option<&'r [u8]>,
}

impl DamagedRow {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let fence = fence(row)?;
        let key = ScopedKey {
            tenant: uuid(row, "tenant").unwrap_or_else(|_| Uuid::nil()),
            principal: text(row, "principal")?,
            tool: text(row, "tool")?,
            key: text(row, "key")?,
        };
        let fingerprint = digest(row, "fingerprint").unwrap_or(Digest::from_bytes([0; 32]));
        let mut record = KeyRecord::new(key, fingerprint, fence, KeyState::Unknown);
        record.caller = text(row, "asker")?;
        record.damaged = true;
        let is_marked = or_none(row, "damaged").is_some_and(|marked: i64| marked == 1);
        Ok(Self { fence, digest: or_none(row, "digest"), record, is_marked })
    }

    /// Returns whether this may be the row of a key, by its digest or by its columns.
    pub(super) fn may_be_of(&self, key: &ScopedKey) -> bool {
        self.digest == Some(*key.digest().as_bytes()) || self.record.key == *key
    }

    /// Marks the row as damaged, so that it is listed.
    pub(super) fn mark(&self, connection: &Connection) -> rusqlite::Result<()> {
        if self.is_marked {
            return Ok(());
        }
        let fence = named_params! { ":fence": fence_number(self.fence) };
        connection.prepare_cached(MARK)?.execute(fence).map(drop)
    }

    /// Makes a valid row of it, with the key and the state that the caller knows.
    pub(super) fn repaired(&self, key: &ScopedKey, state: KeyState) -> KeyRow {
        let record = &self.record;
        let mut repaired = KeyRecord::new(key.clone(), record.fingerprint, self.fence, state);
        repaired.caller = record.caller.clone();
        KeyRow { record: repaired }
    }
}

impl FoundRow {
    pub(super) fn read(row: &Row<'_>, keys: &RowKeys) -> rusqlite::Result<Self> {
        let is_marked = or_none(row, "damaged") != Some(0_i64);
        match KeyRow::read(row, keys).filter(|_| !is_marked) {
            Some(row) => Ok(Self::Valid(row)),
            None => DamagedRow::read(row).map(Self::Damaged),
        }
    }

    pub(super) fn into_record(self) -> KeyRecord {
        match self {
            Self::Valid(row) => row.record,
            Self::Damaged(row) => row.record,
        }
    }

    fn is_of(&self, key: &ScopedKey) -> bool {
        matches!(self, Self::Valid(row) if row.record.key == *key)
    }
}

/// Finds the row of a key: a valid one, else a damaged one that may be it.
pub(super) fn look_up(
    connection: &Connection,
    keys: &RowKeys,
    key: &ScopedKey,
) -> rusqlite::Result<Option<FoundRow>> {
    let digest_of_key = key.digest();
    let digest = named_params! { ":digest": digest_of_key.as_bytes() };
    let by_digest = one(connection, keys, BY_DIGEST, digest)?;
    if by_digest.as_ref().is_some_and(|found| found.is_of(key)) {
        return Ok(by_digest);
    }
    let scope = named_params! {
        ":tenant": key.tenant.as_bytes(),
        ":principal": key.principal,
        ":tool": key.tool,
        ":key": key.key,
    };
    let by_scope = one(connection, keys, BY_SCOPE, scope)?;
    if by_scope.as_ref().is_some_and(|found| found.is_of(key)) {
        return Ok(by_scope);
    }
    match by_digest.or(by_scope) {
        // An index points to the row of another key.
        Some(FoundRow::Valid(_)) => Err(damaged("an index of the table `keys` is damaged")),
        found => Ok(found),
    }
}

pub(super) fn by_fence(
    connection: &Connection,
    keys: &RowKeys,
    fence: Fence,
) -> rusqlite::Result<Option<FoundRow>> {
    one(connection, keys, BY_FENCE, named_params! { ":fence": fence_number(fence) })
}

fn one(
    connection: &Connection,
    keys: &RowKeys,
    statement: &str,
    parameters: &[(&str, &dyn rusqlite::ToSql)],
) -> rusqlite::Result<Option<FoundRow>> {
    let mut statement = connection.prepare_cached(statement)?;
    statement.query_row(parameters, |row| FoundRow::read(row, keys)).optional()
}

pub(super) fn delete(connection: &Connection, fence: Fence) -> rusqlite::Result<()> {
    let fence = named_params! { ":fence": fence_number(fence) };
    connection.prepare_cached(DELETE)?.execute(fence).map(drop)
}

pub(super) fn next_fence(connection: &Connection) -> rusqlite::Result<Fence> {
    let next: i64 = connection.prepare_cached(NEXT_FENCE)?.query_row([], |row| row.get(0))?;
    Ok(Fence::new(next.unsigned_abs()))
}

pub(super) fn is_empty(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT NOT EXISTS (SELECT 1 FROM keys)", [], |row| row.get(0))
}

/// Writes new checksums of the rows that the keys of before verify.
pub(super) fn sign_all(
    connection: &Connection,
    before: &RowKeys,
    keys: &RowKeys,
) -> rusqlite::Result<()> {
    let mut last = i64::MIN;
    let next = "SELECT * FROM keys WHERE fence > :fence ORDER BY fence LIMIT 1";
    loop {
        let read_next =
            connection.prepare_cached(next)?.query_row(named_params! { ":fence": last }, |row| {
                Ok((row.get::<_, i64>("fence")?, FoundRow::read(row, before)?))
            });
        let Some((number, row)) = read_next.optional()? else { return Ok(()) };
        last = number;
        if let FoundRow::Valid(row) = row {
            row.replace(connection, keys)?;
        }
    }
}

/// Reads the state; an error if a column belongs to another state.
fn state(row: &Row<'_>) -> rusqlite::Result<KeyState> {
    let number: i64 = row.get("state")?;
    if number == ANSWERED {
        let answer = StoredAnswer {
            succeeded: row.get("succeeded")?,
            body: row.get("body")?,
            meta: row.get("meta")?,
        };
        return Ok(KeyState::Answered { answer, keep_until: time(row, "until")? });
    }
    let is_empty = ["succeeded", "body", "meta"]
        .into_iter()
        .all(|column| matches!(row.get_ref(column), Ok(ValueRef::Null)));
    let until: Option<i64> = row.get("until")?;
    match (number, until, is_empty) {
        (RUNNING, Some(until), true) => Ok(KeyState::Running { until: to_unix_millis(until) }),
        (UNKNOWN, None, true) => Ok(KeyState::Unknown),
        _ => Err(rusqlite::Error::IntegralValueOutOfRange(0, number)),
    }
}

/// Reads the column of reserved amounts.
pub(super) fn reserved_amounts(row: &Row<'_>) -> rusqlite::Result<Vec<ReservedAmount>> {
    let Some(text) = row.get::<_, Option<String>>("reserved")? else { return Ok(Vec::new()) };
    let unreadable = || damaged("a key reserves amounts that are not readable");
    ReservedAmount::from_text(&text).ok_or_else(unreadable)
}

fn fence(row: &Row<'_>) -> rusqlite::Result<Fence> {
    row.get::<_, i64>("fence").map(|number| Fence::new(number.unsigned_abs()))
}

/// Converts a fence to its column.
pub(super) fn fence_number(fence: Fence) -> i64 {
    whole(fence.get())
}

fn or_none<T: FromSql>(row: &Row<'_>, column: &str) -> Option<T> {
    row.get(column).ok()
}

/// Reads a text, as far as it is readable.
fn text(row: &Row<'_>, column: &str) -> rusqlite::Result<Box<str>> {
    Ok(match row.get_ref(column)? {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes).into(),
        ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => Box::default(),
    })
}

/// Creates the error of an operation that found damage.
pub(super) fn damaged(text: &'static str) -> rusqlite::Error {
    rusqlite::Error::ToSqlConversionFailure(text.into())
}

//! Rows of idempotency keys: how they are sealed, read, found and written.
//!
//! A row is found by the digest of its key, else by the key's own columns. Both stand in the row and
//! in an index of their own, so that damage to one of these four does not hide the row.

use hmac::{Hmac, Mac};
use rusqlite::types::{FromSql, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, named_params};
use sha2::Sha256;
use uuid::Uuid;

use super::checksum::RowKeys;
use super::columns::{digest, moment, time, uuid};
use crate::canonical::Digest;
use crate::store::{
    Clock, Fence, KeyRecord, KeyScope, KeyState, StoredAnswer, SystemClock, UnixMillis,
};

/// The numbers of the states, as `migrations` names them.
const RUNNING: i64 = 0;
const ANSWERED: i64 = 1;
const UNKNOWN: i64 = 2;

/// Keeps these checksums apart from all others.
const DOMAIN: &[u8] = b"tool-runtime/sqlite-row/v1";

const BY_FENCE: &str = "SELECT * FROM keys WHERE fence = :fence";

const BY_DIGEST: &str = "SELECT * FROM keys WHERE digest = :digest";

const BY_SCOPE: &str = "
    SELECT * FROM keys
    WHERE (tenant, principal, tool, key) = (:tenant, :principal, :tool, :key)";

/// A fence is greater than every one before it, also than those of rows that are gone.
const NEXT_FENCE: &str = "
    SELECT 1 + max(
        coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'keys'), 0),
        coalesce((SELECT max(fence) FROM keys), 0))";

macro_rules! whole_row {
    ($verb:literal) => {
        concat!(
            $verb,
            " INTO keys (fence, tenant, principal, tool, key, digest, asker, fingerprint, since,
                state, until, succeeded, body, meta, sealed_by, seal, damaged)
            VALUES (:fence, :tenant, :principal, :tool, :key, :digest, :asker, :fingerprint, :since,
                :state, :until, :succeeded, :body, :meta, :sealed_by, :seal, 0)"
        )
    };
}

const INSERT: &str = whole_row!("INSERT");
const REPLACE: &str = whole_row!("REPLACE");

/// Writes what changes in a row's life.
const UPDATE: &str = "
    UPDATE keys SET since = :since, state = :state, until = :until, succeeded = :succeeded,
        body = :body, meta = :meta, sealed_by = :sealed_by, seal = :seal
    WHERE fence = :fence";

const DELETE: &str = "DELETE FROM keys WHERE fence = :fence";

const MARK: &str = "UPDATE keys SET damaged = 1 WHERE fence = :fence AND damaged = 0";

/// A row whose seal is good, or one that is about to be sealed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeyRow {
    pub(super) fence: Fence,
    pub(super) key: KeyScope,
    pub(super) asker: Box<str>,
    pub(super) fingerprint: Digest,
    /// When the outcome became unknown, at the latest.
    pub(super) since: Option<UnixMillis>,
    pub(super) state: KeyState,
}

/// A row whose seal is broken. Nothing that it says is certain.
#[derive(Debug, Clone)]
pub(super) struct DamagedRow {
    pub(super) fence: Fence,
    digest: Option<[u8; 32]>,
    /// As much as can be read of the columns.
    pub(super) record: KeyRecord,
    is_marked: bool,
}

/// A row as it was found.
#[derive(Debug, Clone)]
pub(super) enum Found {
    Sound(KeyRow),
    Damaged(DamagedRow),
}

impl KeyRow {
    /// Makes the record of the row.
    pub(super) fn into_record(self) -> KeyRecord {
        let mut record = KeyRecord::new(self.key, self.fingerprint, self.fence, self.state);
        record.asker = self.asker;
        record.since = self.since;
        record
    }

    /// Makes the outcome unknown.
    pub(super) fn lose(&mut self) {
        if let KeyState::Running { until } | KeyState::Answered { keep_until: until, .. } =
            self.state
        {
            self.since = Some(until);
        }
        self.state = KeyState::Unknown;
    }

    fn parts(&self) -> Parts<'_> {
        let parts = Parts { state: UNKNOWN, until: None, succeeded: None, body: None, meta: None };
        match &self.state {
            KeyState::Running { until } => {
                Parts { state: RUNNING, until: Some(moment(*until)), ..parts }
            }
            KeyState::Answered { answer, keep_until } => Parts {
                state: ANSWERED,
                until: Some(moment(*keep_until)),
                succeeded: Some(answer.succeeded),
                body: Some(&answer.body),
                meta: Some(&answer.meta),
            },
            // An archived key has no row here.
            KeyState::Unknown | KeyState::Archived => parts,
        }
    }

    /// Feeds every column into a checksum, each with its length.
    fn feed(&self, mac: Hmac<Sha256>, sealed_by: &str) -> Hmac<Sha256> {
        let parts = self.parts();
        let number = |number: i64| number.to_be_bytes();
        let optional = |value: Option<i64>| value.map(number);
        let succeeded = parts.succeeded.map(|it| [u8::from(it)]);
        let KeyScope { tenant, principal, tool, key } = &self.key;
        let (since, until) = (optional(self.since.map(moment)), optional(parts.until));
        [
            Some(DOMAIN),
            Some(sealed_by.as_bytes()),
            Some(&number(fence_number(self.fence))),
            Some(tenant.as_bytes()),
            Some(principal.as_bytes()),
            Some(tool.as_bytes()),
            Some(key.as_bytes()),
            Some(self.asker.as_bytes()),
            Some(self.fingerprint.as_bytes()),
            since.as_ref().map(<[u8; 8]>::as_slice),
            Some(&number(parts.state)),
            until.as_ref().map(<[u8; 8]>::as_slice),
            succeeded.as_ref().map(<[u8; 1]>::as_slice),
            parts.body,
            parts.meta,
        ]
        .into_iter()
        .fold(mac, |mac, part| {
            let length = part.map_or(u64::MAX, |part| u64::try_from(part.len()).unwrap_or(0));
            mac.chain_update(length.to_be_bytes()).chain_update(part.unwrap_or_default())
        })
    }

    /// Reads the columns that the seal is over, and whether it is good.
    fn read(row: &Row<'_>, keys: &RowKeys) -> Option<Self> {
        let read = || -> rusqlite::Result<Self> {
            let key = KeyScope {
                tenant: uuid(row, "tenant")?,
                principal: row.get("principal")?,
                tool: row.get("tool")?,
                key: row.get("key")?,
            };
            let since: Option<i64> = row.get("since")?;
            Ok(Self {
                fence: u64::try_from(row.get::<_, i64>("fence")?)
                    .map(Fence::new)
                    .map_err(|_| rusqlite::Error::IntegralValueOutOfRange(0, -1))?,
                key,
                asker: row.get("asker")?,
                fingerprint: digest(row, "fingerprint")?,
                since: since.map(super::columns::to_moment),
                state: state(row)?,
            })
        };
        let found = read().ok()?;
        let sealed_by: Box<str> = row.get("sealed_by").ok()?;
        let seal: [u8; 32] = row.get("seal").ok()?;
        let stored: [u8; 32] = row.get("digest").ok()?;
        let mac = found.feed(keys.of_id(&sealed_by)?, &sealed_by);
        let is_sound = mac.verify_slice(&seal).is_ok() && stored == *found.key.digest().as_bytes();
        is_sound.then_some(found)
    }

    /// Writes the row of a new key; one that has a row is an error.
    pub(super) fn insert(&self, connection: &Connection, keys: &RowKeys) -> rusqlite::Result<()> {
        self.write(connection, keys, INSERT)
    }

    /// Writes the whole row, in place of the one of the same key.
    pub(super) fn replace(&self, connection: &Connection, keys: &RowKeys) -> rusqlite::Result<()> {
        self.write(connection, keys, REPLACE)
    }

    fn write(
        &self,
        connection: &Connection,
        keys: &RowKeys,
        statement: &str,
    ) -> rusqlite::Result<()> {
        let (parts, (sealed_by, seal)) = (self.parts(), self.seal(keys)?);
        let written = connection.prepare_cached(statement)?.execute(named_params! {
            ":fence": fence_number(self.fence),
            ":tenant": self.key.tenant.as_bytes(),
            ":principal": self.key.principal,
            ":tool": self.key.tool,
            ":key": self.key.key,
            ":digest": self.key.digest().as_bytes(),
            ":asker": self.asker,
            ":fingerprint": self.fingerprint.as_bytes(),
            ":since": self.since.map(moment),
            ":state": parts.state,
            ":until": parts.until,
            ":succeeded": parts.succeeded,
            ":body": parts.body,
            ":meta": parts.meta,
            ":sealed_by": sealed_by,
            ":seal": seal,
        });
        written.map(drop)
    }

    /// Writes what has changed since the row was found.
    pub(super) fn update(&self, connection: &Connection, keys: &RowKeys) -> rusqlite::Result<()> {
        let (parts, (sealed_by, seal)) = (self.parts(), self.seal(keys)?);
        let updated = connection.prepare_cached(UPDATE)?.execute(named_params! {
            ":fence": fence_number(self.fence),
            ":since": self.since.map(moment),
            ":state": parts.state,
            ":until": parts.until,
            ":succeeded": parts.succeeded,
            ":body": parts.body,
            ":meta": parts.meta,
            ":sealed_by": sealed_by,
            ":seal": seal,
        });
        updated.map(drop)
    }

    fn seal<'k>(&self, keys: &'k RowKeys) -> rusqlite::Result<(&'k str, [u8; 32])> {
        let (id, mac) = keys.seals().ok_or(rusqlite::Error::InvalidQuery)?;
        Ok((id, self.feed(mac, id).finalize().into_bytes().into()))
    }
}

/// The columns that depend on the state.
struct Parts<'r> {
    state: i64,
    until: Option<i64>,
    succeeded: Option<bool>,
    body: Option<&'r [u8]>,
    meta: Option<&'r [u8]>,
}

impl DamagedRow {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let fence = fence(row)?;
        let key = KeyScope {
            tenant: uuid(row, "tenant").unwrap_or_else(|_| Uuid::nil()),
            principal: text(row, "principal")?,
            tool: text(row, "tool")?,
            key: text(row, "key")?,
        };
        let fingerprint = digest(row, "fingerprint").unwrap_or(Digest::from_bytes([0; 32]));
        let mut record = KeyRecord::new(key, fingerprint, fence, KeyState::Unknown);
        record.asker = text(row, "asker")?;
        record.damaged = true;
        let is_marked = or_none(row, "damaged").is_some_and(|marked: i64| marked == 1);
        Ok(Self { fence, digest: or_none(row, "digest"), record, is_marked })
    }

    /// Tells whether this may be the row of a key: its digest says so, or its columns do.
    pub(super) fn may_be_of(&self, key: &KeyScope) -> bool {
        self.digest == Some(*key.digest().as_bytes()) || self.record.key == *key
    }

    /// Notes that the row is damaged, so that it is listed.
    pub(super) fn mark(&self, connection: &Connection) -> rusqlite::Result<()> {
        if self.is_marked {
            return Ok(());
        }
        let fence = named_params! { ":fence": fence_number(self.fence) };
        connection.prepare_cached(MARK)?.execute(fence).map(drop)
    }

    /// Makes a sound row of it, of which the caller knows the key and the state.
    pub(super) fn mended(&self, key: &KeyScope, state: KeyState) -> KeyRow {
        KeyRow {
            fence: self.fence,
            key: key.clone(),
            asker: self.record.asker.clone(),
            fingerprint: self.record.fingerprint,
            since: None,
            state,
        }
    }
}

impl Found {
    pub(super) fn read(row: &Row<'_>, keys: &RowKeys) -> rusqlite::Result<Self> {
        let is_marked = or_none(row, "damaged") != Some(0_i64);
        match KeyRow::read(row, keys).filter(|_| !is_marked) {
            Some(sound) => Ok(Self::Sound(sound)),
            None => DamagedRow::read(row).map(Self::Damaged),
        }
    }

    pub(super) fn into_record(self) -> KeyRecord {
        match self {
            Self::Sound(row) => row.into_record(),
            Self::Damaged(row) => row.record,
        }
    }

    fn is_of(&self, key: &KeyScope) -> bool {
        matches!(self, Self::Sound(row) if row.key == *key)
    }
}

/// Finds the row of a key: the sound one, else one that may be it.
pub(super) fn look_up(
    connection: &Connection,
    keys: &RowKeys,
    key: &KeyScope,
) -> rusqlite::Result<Option<Found>> {
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
        // An index leads to the row of another key.
        Some(Found::Sound(_)) => Err(damaged("an index of the table `keys` is damaged")),
        found => Ok(found),
    }
}

pub(super) fn by_fence(
    connection: &Connection,
    keys: &RowKeys,
    fence: Fence,
) -> rusqlite::Result<Option<Found>> {
    one(connection, keys, BY_FENCE, named_params! { ":fence": fence_number(fence) })
}

fn one(
    connection: &Connection,
    keys: &RowKeys,
    statement: &str,
    parameters: &[(&str, &dyn rusqlite::ToSql)],
) -> rusqlite::Result<Option<Found>> {
    let mut statement = connection.prepare_cached(statement)?;
    statement.query_row(parameters, |row| Found::read(row, keys)).optional()
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

/// Seals all rows: those that `before` verifies, or without it those that never had a seal.
pub(super) fn seal_all(
    connection: &Connection,
    before: Option<&RowKeys>,
    keys: &RowKeys,
) -> rusqlite::Result<()> {
    let mut last = i64::MIN;
    let next = "SELECT * FROM keys WHERE fence > :fence ORDER BY fence LIMIT 1";
    loop {
        let found =
            connection.prepare_cached(next)?.query_row(named_params! { ":fence": last }, |row| {
                let number: i64 = row.get("fence")?;
                Ok((
                    number,
                    match before {
                        Some(before) => match Found::read(row, before)? {
                            Found::Sound(row) => Some(row),
                            Found::Damaged(_) => None,
                        },
                        None => unsealed(row).ok(),
                    },
                ))
            });
        let Some((number, row)) = found.optional()? else { return Ok(()) };
        last = number;
        if let Some(row) = row {
            row.replace(connection, keys)?;
        }
    }
}

/// Reads a row of a format that had no seals.
fn unsealed(row: &Row<'_>) -> rusqlite::Result<KeyRow> {
    let state = state(row)?;
    Ok(KeyRow {
        fence: fence(row)?,
        key: KeyScope {
            tenant: uuid(row, "tenant")?,
            principal: row.get("principal")?,
            tool: row.get("tool")?,
            key: row.get("key")?,
        },
        asker: Box::default(),
        fingerprint: digest(row, "fingerprint")?,
        since: (state == KeyState::Unknown).then(|| SystemClock.now()),
        state,
    })
}

/// Reads the state; a column that belongs to another state is damage.
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
        (RUNNING, Some(until), true) => {
            Ok(KeyState::Running { until: super::columns::to_moment(until) })
        }
        (UNKNOWN, None, true) => Ok(KeyState::Unknown),
        _ => Err(rusqlite::Error::IntegralValueOutOfRange(0, number)),
    }
}

fn fence(row: &Row<'_>) -> rusqlite::Result<Fence> {
    row.get::<_, i64>("fence").map(|number| Fence::new(number.unsigned_abs()))
}

/// A fence as it is stored.
pub(super) fn fence_number(fence: Fence) -> i64 {
    super::columns::whole(fence.get())
}

fn or_none<T: FromSql>(row: &Row<'_>, column: &str) -> Option<T> {
    row.get(column).ok()
}

/// Reads a text as well as it can be read.
fn text(row: &Row<'_>, column: &str) -> rusqlite::Result<Box<str>> {
    Ok(match row.get_ref(column)? {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes).into(),
        ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => Box::default(),
    })
}

/// Makes the error of an operation that found damage.
pub(super) fn damaged(what: &'static str) -> rusqlite::Error {
    rusqlite::Error::ToSqlConversionFailure(what.into())
}

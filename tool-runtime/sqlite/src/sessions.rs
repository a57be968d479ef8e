//! Conversations of an agent in SQLite: their owners, order, bounds and retention.
//!
//! The messages are sealed by the caller. Every lookup names tenant, principal and session in columns
//! of their own.

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, named_params};
use tool_runtime_agent::{SealedSessions, SessionBounds, SessionKey, SessionTable, SessionTimes};
use tool_runtime_core::store::signed::{count, timestamp};
use tool_runtime_core::store::{StoreError, UnixMillis};
use uuid::Uuid;

use super::SqliteStore;
use super::writer::JobKind;

/// The most sessions that an append deletes because of their age, and again because of their number.
/// It is more than one, so that appends delete faster than they begin sessions.
const DELETED_BY_AN_APPEND: usize = 2;

const LOAD: &str = "
    SELECT message FROM session_messages
    WHERE session = (
        SELECT number FROM sessions
        WHERE tenant = :tenant AND principal = :principal AND session = :session
            AND used_at > :expired)
    ORDER BY number DESC LIMIT :limit";

/// A clock that was set back leaves the time of the last use as it is.
const CONTINUE: &str = "
    UPDATE sessions SET used_at = max(used_at, :now)
    WHERE tenant = :tenant AND principal = :principal AND session = :session AND used_at > :expired
    RETURNING number";

const BEGIN: &str = "
    INSERT INTO sessions (tenant, principal, session, used_at)
    VALUES (:tenant, :principal, :session, :now)
    RETURNING number";

const APPEND: &str = "INSERT INTO session_messages (session, message) VALUES (:session, :message)";

const TRIM: &str = "
    DELETE FROM session_messages WHERE session = :session AND number <= (
        SELECT number FROM session_messages WHERE session = :session
        ORDER BY number DESC LIMIT 1 OFFSET :limit)";

/// Deletes the sessions of a principal that were used least recently, and never the given one.
const EVICT: &str = "
    DELETE FROM sessions WHERE number IN (
        SELECT number FROM sessions
        WHERE tenant = :tenant AND principal = :principal AND number <> :session
        ORDER BY used_at DESC, number DESC LIMIT :batch OFFSET :others)";

const SWEEP: &str = "
    DELETE FROM sessions WHERE number IN (
        SELECT number FROM sessions WHERE used_at <= :expired ORDER BY used_at LIMIT :limit)";

const DELETE: &str = "
    DELETE FROM sessions
    WHERE tenant = :tenant AND principal = :principal AND session = :session";

const DELETE_OF_PRINCIPAL: &str = "
    DELETE FROM sessions WHERE number IN (
        SELECT number FROM sessions WHERE tenant = :tenant AND principal = :principal LIMIT :limit)";

/// Keeps the histories of an agent's conversations in the file of a [`SqliteStore`].
pub type SqliteSessions = SealedSessions<SqliteStore>;

#[async_trait]
impl SessionTable for SqliteStore {
    async fn load_session(
        &self,
        key: &SessionKey,
        limit: usize,
        expired: UnixMillis,
    ) -> Result<Vec<Vec<u8>>, StoreError> {
        let key = key.clone();
        let load = move |connection: &Connection| load(connection, &key, limit, expired);
        self.queue.run(JobKind::Read, load).await
    }

    async fn append_to_session(
        &self,
        key: &SessionKey,
        messages: Vec<Vec<u8>>,
        times: SessionTimes,
        bounds: SessionBounds,
    ) -> Result<(), StoreError> {
        let key = key.clone();
        let append =
            move |connection: &Connection| append(connection, &key, &messages, times, bounds);
        self.queue.run(JobKind::Write, append).await
    }

    async fn delete_session(&self, key: &SessionKey) -> Result<bool, StoreError> {
        let key = key.clone();
        let delete = move |connection: &Connection| delete(connection, &key);
        self.queue.run(JobKind::Write, delete).await
    }

    async fn delete_sessions_of(
        &self,
        tenant: Uuid,
        principal: Box<str>,
        limit: usize,
    ) -> Result<usize, StoreError> {
        let delete = move |connection: &Connection| {
            connection.prepare_cached(DELETE_OF_PRINCIPAL)?.execute(named_params! {
                ":tenant": tenant.as_bytes(),
                ":principal": principal,
                ":limit": count(limit),
            })
        };
        self.queue.run(JobKind::Write, delete).await
    }

    async fn sweep_sessions(&self, expired: UnixMillis, limit: usize) -> Result<usize, StoreError> {
        let sweep = move |connection: &Connection| sweep(connection, expired, limit);
        self.queue.run(JobKind::Write, sweep).await
    }
}

fn load(
    connection: &Connection,
    key: &SessionKey,
    limit: usize,
    expired: UnixMillis,
) -> rusqlite::Result<Vec<Vec<u8>>> {
    let tenant = key.tenant();
    let parameters = named_params! {
        ":tenant": tenant.as_bytes(),
        ":principal": key.principal(),
        ":session": key.session(),
        ":expired": timestamp(expired),
        ":limit": count(limit),
    };
    let mut statement = connection.prepare_cached(LOAD)?;
    let newest = statement.query_map(parameters, |row| row.get("message"))?;
    let mut messages = newest.collect::<rusqlite::Result<Vec<_>>>()?;
    messages.reverse();
    Ok(messages)
}

fn append(
    connection: &Connection,
    key: &SessionKey,
    messages: &[Vec<u8>],
    times: SessionTimes,
    bounds: SessionBounds,
) -> rusqlite::Result<()> {
    let session = match continued(connection, key, times)? {
        Some(session) => session,
        None => begin(connection, key, times, bounds)?,
    };
    let mut append = connection.prepare_cached(APPEND)?;
    for message in messages {
        append.execute(named_params! { ":session": session, ":message": message })?;
    }
    let trim = named_params! { ":session": session, ":limit": count(bounds.messages) };
    connection.prepare_cached(TRIM)?.execute(trim)?;
    sweep(connection, times.expired, DELETED_BY_AN_APPEND).map(drop)
}

/// Marks a session as used, and returns its number; none if it does not exist or has expired.
fn continued(
    connection: &Connection,
    key: &SessionKey,
    times: SessionTimes,
) -> rusqlite::Result<Option<i64>> {
    let tenant = key.tenant();
    let parameters = named_params! {
        ":tenant": tenant.as_bytes(),
        ":principal": key.principal(),
        ":session": key.session(),
        ":now": timestamp(times.now),
        ":expired": timestamp(times.expired),
    };
    connection.prepare_cached(CONTINUE)?.query_row(parameters, |row| row.get("number")).optional()
}

/// Begins a session in place of an expired one, within the bound of its principal.
fn begin(
    connection: &Connection,
    key: &SessionKey,
    times: SessionTimes,
    bounds: SessionBounds,
) -> rusqlite::Result<i64> {
    delete(connection, key)?;
    let (tenant, principal) = (key.tenant(), key.principal());
    let parameters = named_params! {
        ":tenant": tenant.as_bytes(),
        ":principal": principal,
        ":session": key.session(),
        ":now": timestamp(times.now),
    };
    let session: i64 =
        connection.prepare_cached(BEGIN)?.query_row(parameters, |row| row.get("number"))?;
    connection.prepare_cached(EVICT)?.execute(named_params! {
        ":tenant": tenant.as_bytes(),
        ":principal": principal,
        ":session": session,
        ":batch": count(DELETED_BY_AN_APPEND),
        ":others": count(bounds.sessions.saturating_sub(1)),
    })?;
    Ok(session)
}

fn delete(connection: &Connection, key: &SessionKey) -> rusqlite::Result<bool> {
    let deleted = connection.prepare_cached(DELETE)?.execute(named_params! {
        ":tenant": key.tenant().as_bytes(),
        ":principal": key.principal(),
        ":session": key.session(),
    });
    deleted.map(|deleted| deleted > 0)
}

fn sweep(connection: &Connection, expired: UnixMillis, limit: usize) -> rusqlite::Result<usize> {
    let parameters = named_params! { ":expired": timestamp(expired), ":limit": count(limit) };
    connection.prepare_cached(SWEEP)?.execute(parameters)
}

//! Conversations of an agent in PostgreSQL: their owners, order, bounds and retention.
//!
//! The messages are sealed by the caller.

use async_trait::async_trait;
use tokio_postgres::Row;
use tool_runtime_agent::{SealedSessions, SessionBounds, SessionKey, SessionTable, SessionTimes};
use tool_runtime_core::store::{StoreError, UnixMillis};
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use crate::PostgresStore;
use crate::columns::{column, session_digest};
use crate::database::RowScope;
use crate::statement::{Statement, must_have_no_nul};

/// The most sessions that an append deletes because of their age, and again because of their number.
/// It is more than one, so that appends delete faster than they begin sessions.
const DELETED_BY_AN_APPEND: usize = 2;

const LOAD: &str = r#"
    SELECT message FROM "SCHEMA".session_messages
    WHERE session = (SELECT digest FROM "SCHEMA".sessions WHERE digest = $1 AND used_at > $2)
    ORDER BY number DESC LIMIT $3"#;

const DELETE_EXPIRED: &str = r#"DELETE FROM "SCHEMA".sessions WHERE digest = $1 AND used_at <= $2"#;

/// A clock that was set back leaves the time of the last use as it is.
const BEGIN_OR_CONTINUE: &str = r#"
    INSERT INTO "SCHEMA".sessions AS present (digest, tenant, principal, session, used_at)
    VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (digest) DO UPDATE SET used_at = greatest(present.used_at, excluded.used_at)"#;

const APPEND: &str = r#"
    INSERT INTO "SCHEMA".session_messages (session, tenant, number, message)
    SELECT $1, $2, last.number + added.place, added.message
    FROM unnest($3) WITH ORDINALITY AS added (message, place), (
        SELECT coalesce(max(number), 0) AS number FROM "SCHEMA".session_messages WHERE session = $1) AS last"#;

const TRIM: &str = r#"
    DELETE FROM "SCHEMA".session_messages WHERE session = $1 AND number <= (
        SELECT max(number) FROM "SCHEMA".session_messages WHERE session = $1) - $2"#;

/// Deletes the sessions of a principal that were used least recently, and never the given one.
const EVICT: &str = r#"
    WITH surplus AS MATERIALIZED (
        SELECT digest FROM "SCHEMA".sessions
        WHERE tenant = $2 AND hashtextextended(principal, 0) = hashtextextended($3, 0) AND principal = $3
            AND digest <> $1
        ORDER BY used_at DESC, digest OFFSET $4 LIMIT $5 FOR UPDATE SKIP LOCKED)
    DELETE FROM "SCHEMA".sessions USING surplus WHERE sessions.digest = surplus.digest"#;

const SWEEP: &str = r#"
    WITH due AS MATERIALIZED (
        SELECT digest FROM "SCHEMA".sessions WHERE used_at <= $1
        ORDER BY used_at LIMIT $2 FOR UPDATE SKIP LOCKED)
    DELETE FROM "SCHEMA".sessions USING due WHERE sessions.digest = due.digest
    RETURNING sessions.digest"#;

const DELETE: &str = r#"DELETE FROM "SCHEMA".sessions WHERE digest = $1 RETURNING digest"#;

const DELETE_OF_PRINCIPAL: &str = r#"
    WITH owned AS MATERIALIZED (
        SELECT digest FROM "SCHEMA".sessions
        WHERE tenant = $1 AND hashtextextended(principal, 0) = hashtextextended($2, 0) AND principal = $2
        LIMIT $3 FOR UPDATE)
    DELETE FROM "SCHEMA".sessions USING owned WHERE sessions.digest = owned.digest
    RETURNING sessions.digest"#;

/// Keeps the histories of an agent's conversations in the database of a [`PostgresStore`], for any number of machines.
pub type PostgresSessions = SealedSessions<PostgresStore>;

#[async_trait]
impl SessionTable for PostgresStore {
    async fn load_session(
        &self,
        key: &SessionKey,
        limit: usize,
        expired: UnixMillis,
    ) -> Result<Vec<Vec<u8>>, StoreError> {
        let statement = Statement::new(LOAD).digest(&digest(key)).time(expired).limit(limit);
        let message = |row: &Row| column(row, "message");
        let mut messages = self.query(RowScope::Tenant(key.tenant()), statement, message).await?;
        messages.reverse();
        Ok(messages)
    }

    async fn append_to_session(
        &self,
        key: &SessionKey,
        messages: Vec<Vec<u8>>,
        times: SessionTimes,
        bounds: SessionBounds,
    ) -> Result<(), StoreError> {
        must_have_no_nul(&[key.principal(), key.session()])?;
        let (digest, tenant) = (digest(key), key.tenant());
        let statements = vec![
            // Appends to one session follow each other.
            Statement::lock(&digest),
            Statement::new(DELETE_EXPIRED).digest(&digest).time(times.expired),
            Statement::new(BEGIN_OR_CONTINUE)
                .digest(&digest)
                .uuid(tenant)
                .text(key.principal())
                .text(key.session())
                .time(times.now),
            Statement::new(APPEND).digest(&digest).uuid(tenant).bytes_list(messages),
            Statement::new(TRIM).digest(&digest).limit(bounds.messages),
            Statement::new(EVICT)
                .digest(&digest)
                .uuid(tenant)
                .text(key.principal())
                .limit(bounds.sessions.saturating_sub(1))
                .limit(DELETED_BY_AN_APPEND),
        ];
        self.execute_all(RowScope::Tenant(tenant), statements).await?;
        self.sweep_sessions(times.expired, DELETED_BY_AN_APPEND).await.map(drop)
    }

    async fn delete_session(&self, key: &SessionKey) -> Result<bool, StoreError> {
        let statement = Statement::new(DELETE).digest(&digest(key));
        self.execute(RowScope::Tenant(key.tenant()), statement).await.map(|rows| rows > 0)
    }

    async fn delete_sessions_of(
        &self,
        tenant: Uuid,
        principal: Box<str>,
        limit: usize,
    ) -> Result<usize, StoreError> {
        let statement =
            Statement::new(DELETE_OF_PRINCIPAL).uuid(tenant).text(&principal).limit(limit);
        self.execute(RowScope::Tenant(tenant), statement).await
    }

    async fn sweep_sessions(&self, expired: UnixMillis, limit: usize) -> Result<usize, StoreError> {
        self.execute(RowScope::AllTenants, Statement::new(SWEEP).time(expired).limit(limit)).await
    }
}

fn digest(key: &SessionKey) -> Digest {
    session_digest(key.tenant(), key.principal(), key.session())
}

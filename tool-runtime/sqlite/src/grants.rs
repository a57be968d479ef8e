//! Standing grants in SQLite.

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Row, named_params};
use tool_runtime_core::store::signed::{count, timestamp, to_unix_millis};
use tool_runtime_core::store::{GrantScope, GrantStore, StandingGrant, StoreError};
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use super::SqliteStore;
use super::columns::{digest, time, uuid};
use super::writer::JobKind;

const PUT: &str = "
    REPLACE INTO grants
        (tenant, principal, tool, schema, arguments, granted_by, granted_at, expires_at)
    VALUES
        (:tenant, :principal, :tool, :schema, :arguments, :granted_by, :granted_at, :expires_at)";

const FIND: &str = "
    SELECT * FROM grants
    WHERE (tenant, principal, tool, schema, arguments)
        = (:tenant, :principal, :tool, :schema, :arguments)";

const REVOKE: &str = "
    DELETE FROM grants
    WHERE (tenant, principal, tool, schema, arguments)
        = (:tenant, :principal, :tool, :schema, :arguments)";

const FIRST: &str = "
    SELECT * FROM grants WHERE tenant = :tenant
    ORDER BY principal, tool, schema, arguments LIMIT :limit";

const NEXT: &str = "
    SELECT * FROM grants WHERE tenant = :tenant
        AND (principal, tool, schema, arguments) > (:principal, :tool, :schema, :arguments)
    ORDER BY principal, tool, schema, arguments LIMIT :limit";

#[async_trait]
impl GrantStore for SqliteStore {
    async fn put_grant(&self, grant: StandingGrant) -> Result<(), StoreError> {
        self.queue.run(JobKind::Write, move |connection| put(connection, &grant)).await
    }

    async fn find_grant(&self, scope: &GrantScope) -> Result<Option<StandingGrant>, StoreError> {
        let scope = scope.clone();
        self.queue.run(JobKind::Read, move |connection| find(connection, &scope)).await
    }

    async fn revoke_grant(&self, scope: &GrantScope) -> Result<bool, StoreError> {
        let scope = scope.clone();
        self.queue.run(JobKind::Write, move |connection| revoke(connection, &scope)).await
    }

    async fn grants(
        &self,
        tenant: Uuid,
        after: Option<&GrantScope>,
        limit: usize,
    ) -> Result<Vec<StandingGrant>, StoreError> {
        let after = after.cloned();
        let list = move |connection: &Connection| list(connection, tenant, after, count(limit));
        self.queue.run(JobKind::Read, list).await
    }
}

fn put(connection: &Connection, grant: &StandingGrant) -> rusqlite::Result<()> {
    let scope = &grant.scope;
    let put = connection.prepare_cached(PUT)?.execute(named_params! {
        ":tenant": scope.tenant.as_bytes(),
        ":principal": scope.principal,
        ":tool": scope.tool,
        ":schema": scope.schema.as_bytes(),
        ":arguments": arguments(scope),
        ":granted_by": grant.granted_by,
        ":granted_at": timestamp(grant.granted_at),
        ":expires_at": grant.expires_at.map(timestamp),
    });
    put.map(drop)
}

fn find(connection: &Connection, scope: &GrantScope) -> rusqlite::Result<Option<StandingGrant>> {
    let parameters = named_params! {
        ":tenant": scope.tenant.as_bytes(),
        ":principal": scope.principal,
        ":tool": scope.tool,
        ":schema": scope.schema.as_bytes(),
        ":arguments": arguments(scope),
    };
    connection.prepare_cached(FIND)?.query_row(parameters, grant).optional()
}

fn revoke(connection: &Connection, scope: &GrantScope) -> rusqlite::Result<bool> {
    let parameters = named_params! {
        ":tenant": scope.tenant.as_bytes(),
        ":principal": scope.principal,
        ":tool": scope.tool,
        ":schema": scope.schema.as_bytes(),
        ":arguments": arguments(scope),
    };
    Ok(connection.prepare_cached(REVOKE)?.execute(parameters)? > 0)
}

fn list(
    connection: &Connection,
    tenant: Uuid,
    after: Option<GrantScope>,
    limit: i64,
) -> rusqlite::Result<Vec<StandingGrant>> {
    let tenant = tenant.as_bytes();
    let Some(after) = after else {
        let mut first = connection.prepare_cached(FIRST)?;
        return first
            .query_map(named_params! { ":tenant": tenant, ":limit": limit }, grant)?
            .collect();
    };
    let parameters = named_params! {
        ":tenant": tenant,
        ":principal": after.principal,
        ":tool": after.tool,
        ":schema": after.schema.as_bytes(),
        ":arguments": arguments(&after),
        ":limit": limit,
    };
    connection.prepare_cached(NEXT)?.query_map(parameters, grant)?.collect()
}

/// Returns the column of arguments: empty for any arguments, because a key has no NULL.
pub(super) fn arguments(scope: &GrantScope) -> &[u8] {
    scope.arguments.as_ref().map_or(&[], |digest| digest.as_bytes())
}

pub(super) fn grant(row: &Row<'_>) -> rusqlite::Result<StandingGrant> {
    let arguments: Vec<u8> = row.get("arguments")?;
    Ok(StandingGrant {
        scope: GrantScope {
            tenant: uuid(row, "tenant")?,
            principal: row.get("principal")?,
            tool: row.get("tool")?,
            schema: digest(row, "schema")?,
            arguments: <[u8; 32]>::try_from(arguments).ok().map(Digest::from_bytes),
        },
        granted_by: row.get("granted_by")?,
        granted_at: time(row, "granted_at")?,
        expires_at: row.get::<_, Option<i64>>("expires_at")?.map(to_unix_millis),
    })
}

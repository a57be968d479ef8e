//! Standing grants in PostgreSQL.

use async_trait::async_trait;
use tokio_postgres::Row;
use tool_runtime_core::store::{GrantScope, GrantStore, StandingGrant, StoreError};
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use crate::PostgresStore;
use crate::columns::{column, digest, optional_time, time};
use crate::database::RowScope;
use crate::statement::{Statement, must_have_no_nul};

const PUT: &str = r#"
    INSERT INTO "SCHEMA".grants
        (digest, tenant, principal, tool, schema, arguments, granted_by, granted_at, expires_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
    ON CONFLICT (digest) DO UPDATE
    SET granted_by = excluded.granted_by, granted_at = excluded.granted_at, expires_at = excluded.expires_at
    RETURNING digest"#;

const FIND: &str = r#"
    SELECT tenant, principal, tool, schema, arguments, granted_by, granted_at, expires_at
    FROM "SCHEMA".grants WHERE digest = $1"#;

const REVOKE: &str = r#"DELETE FROM "SCHEMA".grants WHERE digest = $1 RETURNING digest"#;

const FIRST: &str = r#"
    SELECT tenant, principal, tool, schema, arguments, granted_by, granted_at, expires_at
    FROM "SCHEMA".grants WHERE tenant = $1
    ORDER BY principal, tool, schema, arguments LIMIT $2"#;

const NEXT: &str = r#"
    SELECT tenant, principal, tool, schema, arguments, granted_by, granted_at, expires_at
    FROM "SCHEMA".grants
    WHERE tenant = $1 AND (principal, tool, schema, arguments) > ($3, $4, $5, $6)
    ORDER BY principal, tool, schema, arguments LIMIT $2"#;

#[async_trait]
impl GrantStore for PostgresStore {
    async fn put_grant(&self, grant: StandingGrant) -> Result<(), StoreError> {
        let scope = RowScope::Tenant(grant.scope.tenant);
        self.execute(scope, insertion(&grant)?).await.map(drop)
    }

    async fn find_grant(&self, scope: &GrantScope) -> Result<Option<StandingGrant>, StoreError> {
        let scope_of_rows = RowScope::Tenant(scope.tenant);
        let mut grants = self.query(scope_of_rows, lookup(scope), grant).await?;
        Ok(grants.pop())
    }

    async fn revoke_grant(&self, scope: &GrantScope) -> Result<bool, StoreError> {
        let statement = Statement::new(REVOKE).digest(&scope_digest(scope));
        self.execute(RowScope::Tenant(scope.tenant), statement).await.map(|rows| rows > 0)
    }

    async fn grants(
        &self,
        tenant: Uuid,
        after: Option<&GrantScope>,
        limit: usize,
    ) -> Result<Vec<StandingGrant>, StoreError> {
        let statement = match after {
            None => Statement::new(FIRST).uuid(tenant).limit(limit),
            Some(after) => Statement::new(NEXT)
                .uuid(tenant)
                .limit(limit)
                .text(&after.principal)
                .text(&after.tool)
                .digest(&after.schema)
                .bytes(arguments(after)),
        };
        self.query(RowScope::Tenant(tenant), statement, grant).await
    }
}

/// Inserts a grant, or replaces one of the same scope.
pub(crate) fn insertion(grant: &StandingGrant) -> Result<Statement, StoreError> {
    let scope = &grant.scope;
    must_have_no_nul(&[&scope.principal, &scope.tool, &grant.granted_by])?;
    Ok(Statement::new(PUT)
        .digest(&scope_digest(scope))
        .uuid(scope.tenant)
        .text(&scope.principal)
        .text(&scope.tool)
        .digest(&scope.schema)
        .bytes(arguments(scope))
        .text(&grant.granted_by)
        .time(grant.granted_at)
        .optional_time(grant.expires_at))
}

pub(crate) fn lookup(scope: &GrantScope) -> Statement {
    Statement::new(FIND).digest(&scope_digest(scope))
}

fn scope_digest(scope: &GrantScope) -> Digest {
    let GrantScope { tenant, principal, tool, schema, arguments } = scope;
    let arguments = arguments.map(|digest| digest.to_string());
    let parts =
        serde_json::json!([tenant.to_string(), principal, tool, schema.to_string(), arguments]);
    Digest::compute("tool-runtime/grant-scope/v1", parts.to_string().as_bytes())
}

/// Returns the column of arguments: empty for any arguments.
fn arguments(scope: &GrantScope) -> &[u8] {
    scope.arguments.as_ref().map_or(&[], |digest| digest.as_bytes())
}

pub(crate) fn grant(row: &Row) -> Result<StandingGrant, StoreError> {
    let arguments: &[u8] = column(row, "arguments")?;
    Ok(StandingGrant {
        scope: GrantScope {
            tenant: column(row, "tenant")?,
            principal: column(row, "principal")?,
            tool: column(row, "tool")?,
            schema: digest(row, "schema")?,
            arguments: <[u8; 32]>::try_from(arguments).ok().map(Digest::from_bytes),
        },
        granted_by: column(row, "granted_by")?,
        granted_at: time(row, "granted_at")?,
        expires_at: optional_time(row, "expires_at")?,
    })
}

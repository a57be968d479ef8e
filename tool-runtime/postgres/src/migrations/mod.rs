//! The tables of the store's schema, and their versions.

use std::time::Duration;

use tokio::time::{Instant, sleep};
use tokio_postgres::{Client, Row};
use tool_runtime_core::store::StoreError;
use tool_runtime_schema::canonical::Digest;

use crate::columns;
use crate::error::{damaged, store_error, unavailable};
use crate::statement::lock_number;

/// The migrations from each version to the next.
const MIGRATIONS: &[&str] = &[
    include_str!("1.sql"),
    include_str!("2.sql"),
    include_str!("3.sql"),
    include_str!("4.sql"),
    include_str!("5.sql"),
];

/// The longest wait for another process that migrates, and the delay between two looks.
const MAX_WAIT: Duration = Duration::from_secs(60);
const POLL_DELAY: Duration = Duration::from_millis(100);

/// Checks the version of the schema, and migrates it first if it is older and `migrates` is set.
///
/// Any number of processes may call it at once. All migrations that are needed are one transaction.
pub(crate) async fn prepare(
    client: &Client,
    schema: &str,
    migrates: bool,
) -> Result<(), StoreError> {
    let version = version(client, schema).await?;
    if version == MIGRATIONS.len() {
        return Ok(());
    }
    if !migrates {
        return Err(damaged(format!(
            "the schema `{schema}` has version {version} and this release needs {}: open the store once as the \
             schema's owner, with `migrate(true)`",
            MIGRATIONS.len()
        )));
    }
    let deadline = Instant::now() + MAX_WAIT;
    while !try_migrate(client, schema).await? {
        if Instant::now() >= deadline {
            return Err(unavailable("another process has been migrating the schema for a minute"));
        }
        sleep(POLL_DELAY).await;
    }
    Ok(())
}

/// Migrates in one transaction; false if another process migrates.
// The lock is one of the transaction, so that it is released however the transaction ends, and is asked for
// without waiting: a transaction that waits holds a snapshot, for which an index that is built concurrently
// waits in turn.
async fn try_migrate(client: &Client, schema: &str) -> Result<bool, StoreError> {
    let batch =
        async |sql: &str| client.batch_execute(sql).await.map_err(|error| store_error(&error));
    batch("BEGIN ISOLATION LEVEL READ COMMITTED").await?;
    let lock = lock_number(&Digest::compute("tool-runtime/postgres/migration", schema.as_bytes()));
    let lock = format!("SELECT pg_try_advisory_xact_lock({lock}) AS flag");
    let row = client.query_typed_one(&lock, &[]).await.map_err(|error| store_error(&error))?;
    if !flag(&row)? {
        batch("ROLLBACK").await?;
        return Ok(false);
    }
    let present = version(client, schema).await?;
    if present == 0 {
        batch(&creation(schema)).await?;
    }
    for (at, migration) in MIGRATIONS.iter().enumerate().skip(present) {
        batch(&migration.replace("SCHEMA", schema)).await?;
        batch(&format!(
            r#"INSERT INTO "{schema}".migrations (version, digest) VALUES ({}, '\x{}')"#,
            at + 1,
            digest(migration)
        ))
        .await?;
    }
    batch("COMMIT").await?;
    Ok(true)
}

/// Returns the statements that create the schema. A schema that exists may have been created for the owner, who
/// need not be allowed to create one.
fn creation(schema: &str) -> String {
    format!(
        r#"
        DO $$ BEGIN
            IF NOT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = '{schema}') THEN
                CREATE SCHEMA "{schema}";
            END IF;
        END $$;
        CREATE TABLE IF NOT EXISTS "{schema}".migrations (
            version integer PRIMARY KEY,
            digest bytea NOT NULL,
            applied_at timestamptz NOT NULL DEFAULT now()
        )"#
    )
}

/// Returns how many migrations the schema has had; 0 if it does not exist.
async fn version(client: &Client, schema: &str) -> Result<usize, StoreError> {
    // `to_regclass` could answer from before the lock: a session that has looked for a table in vain learns of it
    // when it begins a transaction or locks a table.
    let table = format!(
        "SELECT EXISTS (
            SELECT FROM pg_catalog.pg_tables WHERE schemaname = '{schema}' AND tablename = 'migrations') AS flag"
    );
    let row = client.query_typed_one(&table, &[]).await.map_err(|error| store_error(&error))?;
    if !flag(&row)? {
        return Ok(0);
    }
    let applied = format!(r#"SELECT version, digest FROM "{schema}".migrations ORDER BY version"#);
    let rows = client.query_typed(&applied, &[]).await.map_err(|error| store_error(&error))?;
    for (at, row) in rows.iter().enumerate() {
        let Some(migration) = MIGRATIONS.get(at) else {
            return Err(damaged(format!(
                "the schema `{schema}` has version {}, and this release supports up to {}: use the release that \
                 migrated it, or a newer one",
                rows.len(),
                MIGRATIONS.len()
            )));
        };
        if columns::digest(row, "digest")? != digest(migration) {
            return Err(damaged(format!(
                "migration {} of the schema `{schema}` is not the one of this release: another program has \
                 created it, so choose another schema",
                at + 1
            )));
        }
    }
    Ok(rows.len())
}

fn flag(row: &Row) -> Result<bool, StoreError> {
    columns::column(row, "flag")
}

/// Hashes a migration with line feeds alone, as a checkout on any system has it.
fn digest(migration: &str) -> Digest {
    Digest::compute("tool-runtime/postgres/migration/v1", migration.replace('\r', "").as_bytes())
}

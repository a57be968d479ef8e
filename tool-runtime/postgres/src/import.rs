//! Takes over the rows of another store, in one transaction that verifies them.

use std::time::Duration;

use futures::future::join_all;
use tokio::task::spawn_blocking;
use tokio_postgres::{Client, Row};
use tool_runtime_core::store::signed::{timestamp, to_unix_millis, whole};
use tool_runtime_core::store::{
    ArchivedKey, Clock as _, KeyRecord, KeyState, RowCounts, RowKind, StoreError, StoreExport,
    StoredOutput, StoredRow, StoredSession, SystemClock, UnixMillis,
};
use uuid::Uuid;

use crate::PostgresStore;
use crate::columns::{column, digest, session_digest, time};
use crate::database::{FailedTransaction, RowScope};
use crate::error::{damaged, unavailable};
use crate::statement::{Statement, must_have_no_nul};
use crate::{evidence, evidence_keys, grants, keys, outputs, tickets};

/// The number of rows that are sent together. Outputs and answers may be long.
const BATCH: usize = 32;

/// The time that the server may take to count a table.
const COUNT_TIMEOUT: Duration = Duration::from_secs(60 * 60);

const INSERT_KEY: &str = r#"
    INSERT INTO "SCHEMA".keys (
        digest, tenant, principal, tool, key, caller, fingerprint, fence, claim, state, lease_until, keep_until, since,
        succeeded, body, meta)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)"#;

const INSERT_ARCHIVED: &str = r#"
    INSERT INTO "SCHEMA".keys (digest, tenant, fingerprint, fence, claim, state)
    VALUES ($1, $2, $3, $4, $5, 3)"#;

const FIND_ARCHIVED: &str = r#"
    SELECT digest, tenant, fingerprint, fence FROM "SCHEMA".keys WHERE digest = $1 AND state = 3"#;

const INSERT_TENANT_KEY: &str = r#"
    INSERT INTO "SCHEMA".evidence_keys (tenant, version, ring_key, wrapped) VALUES ($1, $2, $3, $4)"#;

const INSERT_SNAPSHOT: &str = r#"
    INSERT INTO "SCHEMA".evidence (tenant, id, trace, key_version, wrapped, facts, arguments, output, checksum)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)"#;

const FIND_OUTPUT: &str = r#"
    SELECT id, tenant, principal, text, expires_at FROM "SCHEMA".outputs WHERE id = $1"#;

const INSERT_SESSION: &str = r#"
    INSERT INTO "SCHEMA".sessions (digest, tenant, principal, session, used_at) VALUES ($1, $2, $3, $4, $5)"#;

const INSERT_MESSAGES: &str = r#"
    INSERT INTO "SCHEMA".session_messages (session, tenant, number, message)
    SELECT $1, $2, added.number, added.message
    FROM unnest($3) WITH ORDINALITY AS added (message, number)"#;

const FIND_SESSION: &str = r#"
    SELECT tenant, principal, session, used_at, (
        SELECT array_agg(message ORDER BY number) FROM "SCHEMA".session_messages
        WHERE session_messages.session = sessions.digest) AS messages
    FROM "SCHEMA".sessions WHERE digest = $1"#;

/// A fence that the sequence gives is greater than this one, and than those that it has given.
const RAISE_FENCES: &str = r#"
    SELECT setval('"SCHEMA".fences', greatest($1, last_value)) FROM "SCHEMA".fences"#;

/// One import at a time.
const LOCK: &str = r#"SELECT pg_advisory_xact_lock(hashtextextended('"SCHEMA".import', 0))"#;

/// In the order of the kinds of rows.
const COUNT: &str = r#"
    SELECT ARRAY[
        (SELECT count(*) FROM "SCHEMA".keys WHERE state <> 3),
        (SELECT count(*) FROM "SCHEMA".keys WHERE state = 3),
        (SELECT count(*) FROM "SCHEMA".tickets),
        (SELECT count(*) FROM "SCHEMA".grants),
        (SELECT count(*) FROM "SCHEMA".outputs),
        (SELECT count(*) FROM "SCHEMA".evidence_keys),
        (SELECT count(*) FROM "SCHEMA".evidence),
        (SELECT count(*) FROM "SCHEMA".sessions)] AS counts"#;

impl PostgresStore {
    /// Copies all rows of another store into this one, which must be empty: all of them or none.
    ///
    /// Each row is read back from its table and compared, and the tables are counted, before the one transaction of the
    /// copy is committed. Fences go on from the other store's, so that a process that still holds one is fenced off. The
    /// leases and the retention of keys keep the time that is left to them.
    ///
    /// `progress` gets the number of rows that are copied, after each part; `export.counts` has those of the whole.
    /// Connect as the owner of the schema: a role that only runs the store may not set its sequence. Start the replicas
    /// afterwards.
    ///
    /// # Cancellation
    /// If the future is dropped, nothing is copied.
    ///
    /// # Errors
    /// Returns `Damaged` if the store has rows, a row cannot be read or stored, or the copy differs; `Unavailable` if the
    /// server fails. If it fails at the commit, the copy may be complete: another import says so.
    ///
    /// # Examples
    /// ```no_run
    /// # async fn doc() -> Result<(), tool_runtime::store::StoreError> {
    /// use tool_runtime::store::{PostgresStore, SqliteStore};
    ///
    /// let export = SqliteStore::options().export("tools.db")?;
    /// let (store, all) = (PostgresStore::connect("postgres://tools@db.example/tools").await?, export.counts);
    /// let copied = store.import(export, |done| println!("{} of {} rows", done.total(), all.total())).await?;
    /// println!("copied and compared: {copied}");
    /// # Ok(())
    /// # }
    /// ```
    pub async fn import(
        &self,
        export: StoreExport,
        mut progress: impl FnMut(&RowCounts) + Send,
    ) -> Result<RowCounts, StoreError> {
        let time = self.clock.read(&self.database, SystemClock.read()).await?;
        let shift = TimeShift(timestamp(time).saturating_sub(timestamp(export.time)));
        let mut connection = self.database.checkout().await?;
        let import = Import { store: self, client: connection.client()? };
        import.begin().await?;
        if import.count().await?.total() > 0 {
            return Err(damaged(
                "the store has rows already: import into an empty schema, before the replicas start",
            ));
        }
        import.raise_fences(export.next_fence.get().saturating_sub(1)).await?;
        let (mut counts, mut rows) = (RowCounts::default(), export.rows);
        loop {
            let read = move || {
                let batch: Result<Vec<_>, _> = rows.by_ref().take(BATCH).collect();
                (batch, rows)
            };
            let batch;
            (batch, rows) = spawn_blocking(read)
                .await
                .map_err(|_| unavailable("reading the other store's rows panicked"))?;
            let batch = batch?;
            if batch.is_empty() {
                break;
            }
            for row in &batch {
                counts.add(row.kind(), 1);
            }
            import.copy(batch, shift).await?;
            progress(&counts);
        }
        let stored = import.count().await?;
        if stored != counts || stored != export.counts {
            return Err(damaged(format!(
                "the copy has {stored}, of {counts} that were read of a store with {}",
                export.counts
            )));
        }
        import.end().await?;
        connection.give_back();
        Ok(counts)
    }
}

/// The transaction of an import. If it is dropped before its end, its connection leaves the pool, and the server rolls
/// it back.
struct Import<'s> {
    store: &'s PostgresStore,
    client: &'s Client,
}

impl Import<'_> {
    async fn begin(&self) -> Result<(), StoreError> {
        let settings = self.store.database.settings();
        self.batch(&settings.begin(RowScope::AllTenants)).await?;
        self.rows(&[Statement::new(LOCK)]).await.map(drop)
    }

    async fn end(&self) -> Result<(), StoreError> {
        self.batch("COMMIT").await
    }

    async fn raise_fences(&self, last: u64) -> Result<(), StoreError> {
        self.rows(&[Statement::new(RAISE_FENCES).number(whole(last).max(1))]).await.map(drop)
    }

    async fn count(&self) -> Result<RowCounts, StoreError> {
        let timeout =
            |limit: Duration| format!("SET LOCAL statement_timeout = {}", limit.as_millis());
        self.batch(&timeout(COUNT_TIMEOUT)).await?;
        let (count, schema) = (Statement::new(COUNT), self.store.database.schema());
        let rows = count.query(self.client, schema).await.map_err(FailedTransaction::from);
        let rows = rows.map_err(FailedTransaction::into_error)?;
        self.batch(&timeout(self.store.database.settings().statement_timeout)).await?;
        let mut counts = RowCounts::default();
        if let Some(row) = rows.first() {
            let numbers: Vec<i64> = column(row, "counts")?;
            for (kind, rows) in RowKind::ALL.into_iter().zip(numbers) {
                counts.add(kind, rows.unsigned_abs());
            }
        }
        Ok(counts)
    }

    /// Inserts rows, reads them back and compares them.
    async fn copy(&self, mut batch: Vec<StoredRow>, shift: TimeShift) -> Result<(), StoreError> {
        let (mut insertions, mut lookups) = (Vec::new(), Vec::new());
        for row in &mut batch {
            if let StoredRow::Key(record) = row {
                shift.apply(record);
            }
            insertions.extend(insertion(row)?);
            lookups.push(lookup(row));
        }
        self.rows(&insertions).await?;
        for (row, stored) in batch.iter().zip(self.rows(&lookups).await?) {
            let is_equal = match stored.first() {
                Some(stored) => stored_row(stored, row)? == *row,
                None => false,
            };
            if !is_equal {
                return Err(damaged(format!(
                    "one of the {} is not stored as it was read",
                    row.kind()
                )));
            }
        }
        Ok(())
    }

    async fn batch(&self, sql: &str) -> Result<(), StoreError> {
        let batch = async { Ok(self.client.batch_execute(sql).await?) };
        self.store.database.in_time(batch).await.map_err(FailedTransaction::into_error)
    }

    /// Sends all statements, and returns the rows of each.
    async fn rows(&self, statements: &[Statement]) -> Result<Vec<Vec<Row>>, StoreError> {
        let schema = self.store.database.schema();
        let queries = statements.iter().map(|statement| statement.query(self.client, schema));
        let rows = async {
            let results = join_all(queries).await.into_iter();
            Ok(results.collect::<Result<Vec<_>, _>>()?)
        };
        self.store.database.in_time(rows).await.map_err(FailedTransaction::into_error)
    }
}

/// The time of this store minus that of the other one, in milliseconds.
#[derive(Debug, Clone, Copy)]
struct TimeShift(i64);

impl TimeShift {
    fn apply(self, record: &mut KeyRecord) {
        match &mut record.state {
            KeyState::Running { until } => *until = self.shifted(*until),
            KeyState::Answered { keep_until, .. } => *keep_until = self.shifted(*keep_until),
            KeyState::Unknown | KeyState::Archived => {}
        }
        record.since = record.since.map(|since| self.shifted(since));
    }

    fn shifted(self, time: UnixMillis) -> UnixMillis {
        match timestamp(time) {
            // Without end.
            i64::MAX => time,
            time => to_unix_millis(time.saturating_add(self.0)),
        }
    }
}

/// Returns the statements that insert a row.
fn insertion(row: &StoredRow) -> Result<Vec<Statement>, StoreError> {
    Ok(match row {
        StoredRow::Key(record) => vec![key_insertion(record)?],
        StoredRow::ArchivedKey(ArchivedKey { tenant, digest, fingerprint, fence }) => {
            let insert = Statement::new(INSERT_ARCHIVED).digest(digest).uuid(*tenant);
            vec![insert.digest(fingerprint).fence(*fence).uuid(Uuid::nil())]
        }
        StoredRow::Ticket(ticket) => vec![tickets::insertion_of_new(ticket.clone())?],
        StoredRow::Grant(grant) => vec![grants::insertion(grant)?],
        StoredRow::Output(output) => vec![outputs::insertion(output.clone())?],
        StoredRow::TenantKey(key) => vec![
            Statement::new(INSERT_TENANT_KEY)
                .uuid(key.tenant)
                .number(i64::from(key.version))
                .text(&key.ring_key)
                .optional_bytes(key.wrapped.clone()),
        ],
        StoredRow::Snapshot(snapshot) => {
            vec![evidence::insertion(INSERT_SNAPSHOT, snapshot.clone())?]
        }
        StoredRow::Session(session) => {
            let StoredSession { tenant, principal, session: name, used_at, messages } = session;
            must_have_no_nul(&[principal, name])?;
            let digest = session_digest(*tenant, principal, name);
            let insert = Statement::new(INSERT_SESSION).digest(&digest).uuid(*tenant);
            let insert = insert.text(principal).text(name).time(*used_at);
            let messages = messages.clone();
            let messages =
                Statement::new(INSERT_MESSAGES).digest(&digest).uuid(*tenant).bytes_list(messages);
            vec![insert, messages]
        }
    })
}

fn key_insertion(record: &KeyRecord) -> Result<Statement, StoreError> {
    let KeyRecord { key, fingerprint, fence, caller, since, .. } = record;
    must_have_no_nul(&[&key.principal, &key.tool, &key.key, caller])?;
    let (state, lease_until) = keys::lease_columns(&record.state);
    let (keep_until, answer) = match &record.state {
        KeyState::Answered { answer, keep_until } => (Some(*keep_until), Some(answer)),
        KeyState::Running { .. } | KeyState::Unknown | KeyState::Archived => (None, None),
    };
    Ok(Statement::new(INSERT_KEY)
        .digest(&key.digest())
        .uuid(key.tenant)
        .text(&key.principal)
        .text(&key.tool)
        .text(&key.key)
        .text(caller)
        .digest(fingerprint)
        .fence(*fence)
        .uuid(Uuid::nil())
        .small(state)
        .optional_time(lease_until)
        .optional_time(keep_until)
        .optional_time(*since)
        .optional_flag(answer.map(|answer| answer.succeeded))
        .optional_bytes(answer.map(|answer| answer.body.clone()))
        .optional_bytes(answer.map(|answer| answer.meta.clone())))
}

/// Returns the statement that finds an inserted row.
fn lookup(row: &StoredRow) -> Statement {
    match row {
        StoredRow::Key(record) => keys::lookup(&record.key),
        StoredRow::ArchivedKey(key) => Statement::new(FIND_ARCHIVED).digest(&key.digest),
        StoredRow::Ticket(ticket) => tickets::lookup(ticket.id),
        StoredRow::Grant(grant) => grants::lookup(&grant.scope),
        StoredRow::Output(output) => Statement::new(FIND_OUTPUT).uuid(output.id),
        StoredRow::TenantKey(key) => evidence_keys::lookup(key.tenant, key.version),
        StoredRow::Snapshot(snapshot) => evidence::lookup(snapshot.facts.tenant, snapshot.facts.id),
        StoredRow::Session(session) => {
            let StoredSession { tenant, principal, session, .. } = session;
            Statement::new(FIND_SESSION).digest(&session_digest(*tenant, principal, session))
        }
    }
}

/// Reads a row of the kind of another one.
fn stored_row(row: &Row, like: &StoredRow) -> Result<StoredRow, StoreError> {
    Ok(match like {
        StoredRow::Key(record) => StoredRow::Key(keys::record(row, record.key.clone())?),
        StoredRow::ArchivedKey(_) => StoredRow::ArchivedKey(ArchivedKey {
            tenant: column(row, "tenant")?,
            digest: digest(row, "digest")?,
            fingerprint: digest(row, "fingerprint")?,
            fence: keys::fence(row)?,
        }),
        StoredRow::Ticket(_) => StoredRow::Ticket(tickets::ticket(row)?),
        StoredRow::Grant(_) => StoredRow::Grant(grants::grant(row)?),
        StoredRow::Output(_) => StoredRow::Output(StoredOutput {
            id: column(row, "id")?,
            tenant: column(row, "tenant")?,
            principal: column(row, "principal")?,
            text: column(row, "text")?,
            expires_at: time(row, "expires_at")?,
        }),
        StoredRow::TenantKey(_) => StoredRow::TenantKey(evidence_keys::key(row)?),
        StoredRow::Snapshot(_) => StoredRow::Snapshot(evidence::snapshot(row)?),
        StoredRow::Session(_) => StoredRow::Session(StoredSession {
            tenant: column(row, "tenant")?,
            principal: column(row, "principal")?,
            session: column(row, "session")?,
            used_at: time(row, "used_at")?,
            messages: column::<Option<Vec<Vec<u8>>>>(row, "messages")?.unwrap_or_default(),
        }),
    })
}

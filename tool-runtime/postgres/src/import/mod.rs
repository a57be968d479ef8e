//! Takes over the rows of another store, in one transaction that verifies them.

mod rows;

use std::future::Future;
use std::time::Duration;

use futures::future::join_all;
use tokio::task::spawn_blocking;
use tokio_postgres::{Client, Row};
use tool_runtime_core::store::signed::{timestamp, to_unix_millis, whole};
use tool_runtime_core::store::{
    Clock as _, KeyRecord, KeyState, RowCounts, RowKind, StoreError, StoreErrorKind, StoreExport,
    StoredRow, SystemClock, UnixMillis,
};

use crate::PostgresStore;
use crate::columns::column;
use crate::database::{FailedTransaction, RowScope, in_time};
use crate::error::{damaged, unavailable};
use crate::statement::Statement;

/// The most rows that are sent together, and the bytes of their long values after which a part ends.
const PART: usize = 32;
const PART_BYTES: usize = 4 << 20;

/// The time that the server may take for a part, and to count all tables.
const PART_TIMEOUT: Duration = Duration::from_secs(2 * 60);
const COUNT_TIMEOUT: Duration = Duration::from_secs(60 * 60);

/// One import at a time, and no other writer: it would find none of the keys that are being copied.
const LOCK: &str = r#"
    LOCK TABLE "SCHEMA".keys, "SCHEMA".tickets, "SCHEMA".grants, "SCHEMA".outputs, "SCHEMA".evidence_keys,
        "SCHEMA".evidence, "SCHEMA".sessions, "SCHEMA".session_messages, "SCHEMA".budget_periods,
        "SCHEMA".budget_controls, "SCHEMA".outbox IN SHARE ROW EXCLUSIVE MODE"#;

const HAS_ROWS: &str = r#"
    SELECT EXISTS (SELECT FROM "SCHEMA".keys) OR EXISTS (SELECT FROM "SCHEMA".tickets)
        OR EXISTS (SELECT FROM "SCHEMA".grants) OR EXISTS (SELECT FROM "SCHEMA".outputs)
        OR EXISTS (SELECT FROM "SCHEMA".evidence_keys) OR EXISTS (SELECT FROM "SCHEMA".evidence)
        OR EXISTS (SELECT FROM "SCHEMA".sessions) OR EXISTS (SELECT FROM "SCHEMA".budget_periods)
        OR EXISTS (SELECT FROM "SCHEMA".budget_controls) OR EXISTS (SELECT FROM "SCHEMA".outbox) AS has_rows"#;

/// A fence that the sequence gives is greater than this one, and than those that it has given.
const RAISE_FENCES: &str = r#"
    SELECT setval('"SCHEMA".fences', greatest($1, last_value)) FROM "SCHEMA".fences"#;

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
        (SELECT count(*) FROM "SCHEMA".sessions),
        (SELECT count(*) FROM "SCHEMA".budget_periods),
        (SELECT count(*) FROM "SCHEMA".budget_controls),
        (SELECT count(*) FROM "SCHEMA".outbox)] AS counts"#;

impl PostgresStore {
    /// Copies all rows of another store into this one, which must be empty: all of them or none.
    ///
    /// Each row is read back from its table and compared, and the tables are counted, before the one transaction of the
    /// copy is committed. Meanwhile, other writers of this store fail as `Unavailable`. Fences go on from the other
    /// store's, so that a process that still holds one is fenced off. The leases and the retention of keys keep the time
    /// that is left to them.
    ///
    /// `progress` gets the number of rows that are copied, after each part; `export.counts` has those of the whole.
    /// Connect as the owner of the schema: a role that only runs the store may not set its sequence. Start the replicas
    /// afterwards.
    ///
    /// # Cancellation
    /// If the future is dropped, nothing is copied, unless the commit was sent already: another import says so.
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
        let import = Import { store: self, client: connection.client()?, shift };
        import.begin().await?;
        import.must_be_empty().await?;
        import.raise_fences(export.next_fence.get().saturating_sub(1)).await?;
        let (mut copied, mut rows) = (RowCounts::default(), export.rows);
        loop {
            let (part, remaining) = spawn_blocking(move || (next_part(&mut *rows), rows))
                .await
                .map_err(|_| unavailable("reading the other store's rows panicked"))?;
            rows = remaining;
            let part = part?;
            if part.is_empty() {
                break;
            }
            for row in &part {
                copied.add(row.kind(), 1);
            }
            import.copy(part).await?;
            progress(&copied);
        }
        import.must_have(&copied, &export.counts).await?;
        import.batch("COMMIT").await?;
        connection.give_back();
        // The other store is locked until here.
        let _ = spawn_blocking(move || drop(rows)).await;
        Ok(copied)
    }
}

/// Reads the rows of the next part; none after the last one.
fn next_part(
    rows: &mut (dyn Iterator<Item = Result<StoredRow, StoreError>> + Send),
) -> Result<Vec<StoredRow>, StoreError> {
    let (mut part, mut bytes) = (Vec::new(), 0);
    while part.len() < PART && bytes < PART_BYTES {
        let Some(row) = rows.next().transpose()? else { break };
        bytes += row.long_bytes();
        part.push(row);
    }
    Ok(part)
}

/// The transaction of an import. If it is dropped before its end, its connection leaves the pool, and the server rolls
/// it back.
struct Import<'s> {
    store: &'s PostgresStore,
    client: &'s Client,
    shift: TimeShift,
}

impl Import<'_> {
    async fn begin(&self) -> Result<(), StoreError> {
        let settings = self.store.database.settings();
        self.batch(&settings.begin(RowScope::AllTenants)).await?;
        self.set_timeout(PART_TIMEOUT).await?;
        let rows = self.rows(&[Statement::new(LOCK)]).await;
        rows.map(drop).map_err(|error| {
            error.at(
                "another import or a replica uses the store; start the replicas after the import",
            )
        })
    }

    async fn must_be_empty(&self) -> Result<(), StoreError> {
        let rows = self.rows(&[Statement::new(HAS_ROWS)]).await?;
        let has_rows = rows.first().and_then(|rows| rows.first());
        if has_rows.map(|row| column(row, "has_rows")).transpose()? == Some(false) {
            return Ok(());
        }
        Err(StoreError::for_settings(
            StoreErrorKind::Damaged,
            "the store has rows already: import into an empty schema, before the replicas start",
        ))
    }

    async fn raise_fences(&self, last: u64) -> Result<(), StoreError> {
        let raise = Statement::new(RAISE_FENCES).number(whole(last).max(1));
        self.rows(&[raise]).await.map(drop).map_err(|error| {
            error.at("the fences cannot be raised; connect as the owner of the schema")
        })
    }

    /// Inserts rows, reads them back and compares them.
    async fn copy(&self, mut part: Vec<StoredRow>) -> Result<(), StoreError> {
        let (mut insertions, mut lookups) = (Vec::new(), Vec::new());
        for row in &mut part {
            match row {
                StoredRow::Key(record) => self.shift.apply(record),
                StoredRow::BudgetPeriod(stored) => {
                    stored.delete_at = stored.delete_at.map(|time| self.shift.shifted(time));
                }
                StoredRow::ArchivedKey(_)
                | StoredRow::Ticket(_)
                | StoredRow::Grant(_)
                | StoredRow::Output(_)
                | StoredRow::TenantKey(_)
                | StoredRow::Snapshot(_)
                | StoredRow::Session(_)
                | StoredRow::BudgetControl(_)
                | StoredRow::Message(_) => {}
            }
            insertions
                .extend(rows::insertion(row).map_err(|error| cannot_copy(row.kind(), error))?);
            lookups.push(rows::lookup(row));
        }
        let kind = part.first().map_or(RowKind::Key, StoredRow::kind);
        self.rows(&insertions).await.map_err(|error| cannot_copy(kind, error))?;
        drop(insertions);
        for (row, stored) in part.iter().zip(self.rows(&lookups).await?) {
            let stored = stored.first().map(|stored| rows::stored_row(stored, row)).transpose()?;
            if stored.as_ref() != Some(row) {
                let log = "a row is not stored as it was read";
                return Err(cannot_copy(row.kind(), damaged(log)));
            }
        }
        Ok(())
    }

    async fn must_have(&self, copied: &RowCounts, exported: &RowCounts) -> Result<(), StoreError> {
        let stored = self.count().await?;
        if stored == *copied && stored == *exported {
            return Ok(());
        }
        Err(damaged(format!(
            "the copy has {stored}, of {copied} that were read of a store with {exported}"
        )))
    }

    async fn count(&self) -> Result<RowCounts, StoreError> {
        self.set_timeout(COUNT_TIMEOUT).await?;
        let (count, schema) = (Statement::new(COUNT), self.store.database.schema());
        let rows = answer(COUNT_TIMEOUT, count.query(self.client, schema)).await?;
        let mut counts = RowCounts::default();
        if let Some(row) = rows.first() {
            let numbers: Vec<i64> = column(row, "counts")?;
            for (kind, rows) in RowKind::ALL.into_iter().zip(numbers) {
                counts.add(kind, rows.unsigned_abs());
            }
        }
        Ok(counts)
    }

    async fn batch(&self, sql: &str) -> Result<(), StoreError> {
        answer(PART_TIMEOUT, self.client.batch_execute(sql)).await
    }

    async fn set_timeout(&self, limit: Duration) -> Result<(), StoreError> {
        self.batch(&format!("SET LOCAL statement_timeout = {}", limit.as_millis())).await
    }

    /// Sends all statements, and returns the rows of each.
    async fn rows(&self, statements: &[Statement]) -> Result<Vec<Vec<Row>>, StoreError> {
        let schema = self.store.database.schema();
        let queries = statements.iter().map(|statement| statement.query(self.client, schema));
        let rows = async { join_all(queries).await.into_iter().collect() };
        answer(PART_TIMEOUT, rows).await
    }
}

async fn answer<T>(
    limit: Duration,
    work: impl Future<Output = Result<T, tokio_postgres::Error>>,
) -> Result<T, StoreError> {
    in_time(limit, async { Ok(work.await?) }).await.map_err(FailedTransaction::into_error)
}

fn cannot_copy(kind: RowKind, error: StoreError) -> StoreError {
    error.at(format_args!("cannot copy the {kind}"))
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

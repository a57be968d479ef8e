//! Reads all rows of a file, for a copy in another store.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, Row, named_params};
use tool_runtime_core::store::signed::count;
use tool_runtime_core::store::{
    ArchivedKey, Clock as _, Fence, GrantScope, RowCounts, RowKind, StoreError, StoreExport,
    StoredOutput, StoredRow, StoredSession, SystemClock,
};

use super::checksum::RowKeys;
use super::columns::{digest, time, uuid};
use super::error::{damaged, store_error};
use super::row::FoundRow;
use super::{
    SqliteOptions, budgets, checksum, connection, evidence, evidence_keys, grants, integrity,
    outbox, row, store_clock, tickets,
};

/// The most rows that are read at once, and the bytes of their long values after which a page ends.
const PAGE: usize = 32;
const PAGE_BYTES: usize = 4 << 20;

/// The empty values come before all others.
const GRANTS: &str = "
    SELECT * FROM grants
    WHERE (tenant, principal, tool, schema, arguments)
        > (:tenant, :principal, :tool, :schema, :arguments)
    ORDER BY tenant, principal, tool, schema, arguments LIMIT :limit";

const MESSAGES: &str = "SELECT message FROM session_messages WHERE session = ?1 ORDER BY number";

/// Opens a file, and locks it against writes for as long as the export exists.
pub(super) fn export(path: &Path, options: &SqliteOptions) -> Result<StoreExport, StoreError> {
    let open = || {
        let mut connection = connection::open_existing(path, options)?;
        if options.check_on_open {
            integrity::check_file(&connection)?;
        }
        let host_keys = options.checksum_keys.as_ref();
        let keys = checksum::prepare(&mut connection, host_keys, options.adopt_rows)?;
        integrity::must_have_no_damaged_row(&connection, &keys)?;
        start(path, connection, keys).map_err(|error| store_error(&error))
    };
    open().map_err(|error| connection::named(path, error))
}

fn start(path: &Path, connection: Connection, keys: RowKeys) -> rusqlite::Result<StoreExport> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let mut counts = RowCounts::default();
    for kind in RowKind::ALL {
        let sql = format!("SELECT count(*) FROM {}", table(kind));
        let rows: i64 = connection.query_row(&sql, [], |row| row.get(0))?;
        counts.add(kind, rows.unsigned_abs());
    }
    Ok(StoreExport {
        time: store_clock::peek(&connection, SystemClock.read())?,
        next_fence: row::next_fence(&connection)?,
        counts,
        rows: Box::new(ExportedRows {
            path: path.to_owned(),
            connection,
            keys,
            remaining: RowKind::ALL.into(),
            last: LastRow::default(),
            page: VecDeque::new(),
        }),
    })
}

/// The rows of all tables, read page by page in the order of their numbers.
struct ExportedRows {
    path: PathBuf,
    connection: Connection,
    keys: RowKeys,
    /// The tables that are not read to their end, the current one first.
    remaining: VecDeque<RowKind>,
    last: LastRow,
    page: VecDeque<StoredRow>,
}

/// The last row that was read of the current table.
struct LastRow {
    number: i64,
    /// Grants have no numbers.
    grant: Option<GrantScope>,
}

impl Default for LastRow {
    fn default() -> Self {
        Self { number: i64::MIN, grant: None }
    }
}

impl Iterator for ExportedRows {
    type Item = Result<StoredRow, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(row) = self.page.pop_front() {
                return Some(Ok(row));
            }
            let kind = *self.remaining.front()?;
            match self.read_page(kind) {
                Ok(page) if page.is_empty() => {
                    self.remaining.pop_front();
                    self.last = LastRow::default();
                }
                Ok(page) => self.page = page.into(),
                Err(error) => {
                    self.remaining.clear();
                    let path = self.path.display();
                    return Some(Err(error.at(format_args!("cannot copy the {kind} of `{path}`"))));
                }
            }
        }
    }
}

impl ExportedRows {
    fn read_page(&mut self, kind: RowKind) -> Result<Vec<StoredRow>, StoreError> {
        let mut statement = if kind == RowKind::Grant {
            self.connection.prepare_cached(GRANTS)
        } else {
            let table = table(kind);
            self.connection.prepare_cached(&format!(
                "SELECT rowid AS number, * FROM {table} WHERE rowid > :after ORDER BY rowid LIMIT :limit"
            ))
        }
        .map_err(|error| store_error(&error))?;
        let after = self.last.grant.as_ref();
        let bytes = |part: fn(&GrantScope) -> &[u8]| after.map_or(&[][..], part);
        let text = |part: fn(&GrantScope) -> &str| after.map_or("", part);
        let rows = if kind == RowKind::Grant {
            statement.query(named_params! {
                ":tenant": bytes(|scope| scope.tenant.as_bytes()),
                ":principal": text(|scope| &scope.principal),
                ":tool": text(|scope| &scope.tool),
                ":schema": bytes(|scope| scope.schema.as_bytes()),
                ":arguments": bytes(grants::arguments),
                ":limit": count(PAGE),
            })
        } else {
            statement.query(named_params! { ":after": self.last.number, ":limit": count(PAGE) })
        };
        let mut rows = rows.map_err(|error| store_error(&error))?;
        let (mut page, mut bytes_of_page, mut number) = (Vec::new(), 0, self.last.number);
        while let Some(row) = rows.next().map_err(|error| store_error(&error))? {
            if kind != RowKind::Grant {
                number = row.get("number").map_err(|error| store_error(&error))?;
            }
            let stored_row = self.stored_row(kind, row);
            let stored_row =
                stored_row.map_err(|error| error.at(format_args!("the row {number}")))?;
            bytes_of_page += stored_row.long_bytes();
            page.push(stored_row);
            if bytes_of_page > PAGE_BYTES {
                break;
            }
        }
        let grant = match page.last() {
            Some(StoredRow::Grant(grant)) => Some(grant.scope.clone()),
            Some(_) | None => None,
        };
        drop(rows);
        drop(statement);
        self.last = LastRow { number, grant };
        Ok(page)
    }

    fn stored_row(&self, kind: RowKind, row: &Row<'_>) -> Result<StoredRow, StoreError> {
        let stored_row = match kind {
            RowKind::Key => return self.key(row),
            RowKind::ArchivedKey => return archived_key(row),
            RowKind::Ticket => tickets::ticket(row).map(StoredRow::Ticket),
            RowKind::Grant => grants::grant(row).map(StoredRow::Grant),
            RowKind::Output => output(row).map(StoredRow::Output),
            RowKind::TenantKey => evidence_keys::key(row).map(StoredRow::TenantKey),
            RowKind::Snapshot => evidence::snapshot(row).map(StoredRow::Snapshot),
            RowKind::Session => self.session(row).map(StoredRow::Session),
            RowKind::BudgetPeriod => budgets::stored_period(row).map(StoredRow::BudgetPeriod),
            RowKind::BudgetControl => budgets::control(row).map(StoredRow::BudgetControl),
            RowKind::Message => outbox::message(row).map(StoredRow::Message),
        };
        stored_row.map_err(|error| store_error(&error))
    }

    fn key(&self, row: &Row<'_>) -> Result<StoredRow, StoreError> {
        match FoundRow::read(row, &self.keys).map_err(|error| store_error(&error))? {
            FoundRow::Valid(row) => Ok(StoredRow::Key(row.record)),
            // All were checked before.
            FoundRow::Damaged(_) => Err(damaged("its checksum fails")),
        }
    }

    fn session(&self, row: &Row<'_>) -> rusqlite::Result<StoredSession> {
        let number: i64 = row.get("number")?;
        let mut statement = self.connection.prepare_cached(MESSAGES)?;
        let messages = statement.query_map([number], |row| row.get("message"))?;
        Ok(StoredSession {
            tenant: uuid(row, "tenant")?,
            principal: row.get("principal")?,
            session: row.get("session")?,
            used_at: time(row, "used_at")?,
            messages: messages.collect::<rusqlite::Result<_>>()?,
        })
    }
}

const fn table(kind: RowKind) -> &'static str {
    match kind {
        RowKind::Key => "keys",
        RowKind::ArchivedKey => "archived_keys",
        RowKind::Ticket => "tickets",
        RowKind::Grant => "grants",
        RowKind::Output => "outputs",
        RowKind::TenantKey => "evidence_keys",
        RowKind::Snapshot => "evidence",
        RowKind::Session => "sessions",
        RowKind::BudgetPeriod => "budget_periods",
        RowKind::BudgetControl => "budget_controls",
        RowKind::Message => "outbox",
    }
}

fn archived_key(row: &Row<'_>) -> Result<StoredRow, StoreError> {
    let read = || -> rusqlite::Result<_> {
        let archived_key = ArchivedKey {
            tenant: uuid(row, "tenant")?,
            digest: digest(row, "digest")?,
            fingerprint: digest(row, "fingerprint")?,
            fence: Fence::new(row.get::<_, i64>("fence")?.unsigned_abs()),
            reserved: row::reserved_amounts(row)?,
        };
        Ok((archived_key, digest(row, "digest_again")?))
    };
    let (archived_key, digest_again) = read().map_err(|error| store_error(&error))?;
    if archived_key.digest == digest_again {
        return Ok(StoredRow::ArchivedKey(archived_key));
    }
    Err(damaged(format!(
        "the archived key with the fence {} has two different digests: restore the file from a backup",
        archived_key.fence.get()
    )))
}

fn output(row: &Row<'_>) -> rusqlite::Result<StoredOutput> {
    Ok(StoredOutput {
        id: uuid(row, "id")?,
        tenant: uuid(row, "tenant")?,
        principal: row.get("principal")?,
        text: row.get("text")?,
        expires_at: time(row, "expires_at")?,
    })
}

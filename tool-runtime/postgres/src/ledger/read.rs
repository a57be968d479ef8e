//! Reading: the entries of a chain, searches over all chains, checks.

use std::ops::Range;

use tokio_postgres::Row;
use tool_runtime_core::store::signed::{timestamp, to_unix_millis, whole};
use tool_runtime_core::store::{StoreError, UnixMillis};
use tool_runtime_record::ledger::{
    ChainEntry, LedgerQuery, Record, RecordPosition, RecordStatus, SearchedPart,
};
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use super::columns::{SearchColumns, text_number};
use super::connection::TimeLimit;
use super::{PostgresLedger, number};
use crate::columns::{column, digest, time};
use crate::error::damaged;
use crate::statement::Statement;

const DAY_MS: i64 = 86_400_000;

/// The most records that one part of a search reads.
const SEARCH_RECORDS: usize = 1_024;

const READ: &str = r#"
    SELECT links.seq, links.leaf, links.key, links.mac, coalesce(links.body, records.body) AS body
    FROM "SCHEMA".ledger_links AS links
    LEFT JOIN "SCHEMA".ledger_records AS records
        ON records.at = links.at AND records.chain = links.chain AND records.seq = links.seq
    WHERE links.chain = $1 AND links.seq >= $2
    ORDER BY links.seq LIMIT $3"#;

const READ_COLUMNS: &str = r#"
    SELECT records.seq, records.tenant, records.trace, records.request, records.tool, records.failed, records.body
    FROM "SCHEMA".ledger_links AS links
    JOIN "SCHEMA".ledger_records AS records
        ON records.at = links.at AND records.chain = links.chain AND records.seq = links.seq
    WHERE links.chain = $1 AND links.seq >= $2 AND links.seq < $3
    ORDER BY links.seq"#;

/// The limit is that of the records that are read, by an index; those that do not match have no text in the answer. The
/// bounds on the time alone choose the partitions, which a comparison of rows does not.
const SEARCH: &str = r#"
    SELECT at, chain, seq, CASE
        WHEN tool IS NOT NULL AND ($9::uuid IS NULL OR tenant = $9) AND ($10::text IS NULL OR tool = $10)
            AND ($11::boolean IS NULL OR failed = $11)
        THEN body END AS body
    FROM (
        SELECT at, chain, seq, tenant, tool, failed, body FROM "SCHEMA".ledger_records
        WHERE at >= $1 AND (at, chain, seq) > ($1, $2, $3) AND at <= $4 AND (at, chain, seq) <= ($4, $5, $6)
            AND ($7::bigint IS NULL OR trace = $7) AND ($8::bigint IS NULL OR request = $8)
        ORDER BY at, chain, seq LIMIT $12) AS part
    ORDER BY at, chain, seq"#;

const LAST: &str = r#"
    SELECT at, chain, seq FROM "SCHEMA".ledger_records ORDER BY at DESC, chain DESC, seq DESC LIMIT 1"#;

const FIRST_TIME: &str = r#"SELECT at FROM "SCHEMA".ledger_records ORDER BY at LIMIT 1"#;

const WITHOUT_LINK: &str = r#"
    SELECT records.at, records.chain, records.seq FROM "SCHEMA".ledger_records AS records
    LEFT JOIN "SCHEMA".ledger_links AS links
        ON links.chain = records.chain AND links.seq = records.seq AND links.at = records.at
    WHERE records.at >= $1 AND records.at < $2 AND links.chain IS NULL
    LIMIT 1"#;

impl PostgresLedger {
    pub(super) fn entries(
        &self,
        chain: Uuid,
        from: u64,
        limit: usize,
    ) -> Result<Vec<ChainEntry>, StoreError> {
        let read = Statement::new(READ).uuid(chain).number(whole(from)).limit(limit);
        self.connection.rows(read, TimeLimit::Usual, entry)
    }

    pub(super) fn search_part(
        &self,
        query: &LedgerQuery,
        end: RecordPosition,
    ) -> Result<SearchedPart, StoreError> {
        let LedgerQuery {
            trace_id,
            request_id,
            tenant_id,
            tool,
            status,
            since,
            until,
            after,
            limit,
            ..
        } = query;
        // The order is that of the times in the records, unless one is before its predecessor's or more than a day
        // from the server's.
        let first = since.map_or(0, |since| since.timestamp_millis().saturating_sub(DAY_MS));
        let start = after.map_or(Bound::before(first), |after| Bound::at(after).max(first));
        let last = until.map(|until| until.timestamp_millis().saturating_add(DAY_MS));
        let end = Bound::at(end).min(last.unwrap_or(i64::MAX));
        let statement = Statement::new(SEARCH).number(start.at).uuid(start.chain).number(start.seq);
        let statement = statement.number(end.at).uuid(end.chain).number(end.seq);
        let statement = statement
            .optional_number(trace_id.as_deref().map(text_number))
            .optional_number(request_id.as_deref().map(text_number))
            .optional_uuid(*tenant_id)
            .optional_text(tool.as_deref())
            .optional_flag(status.map(|status| status == RecordStatus::Error))
            .limit(SEARCH_RECORDS);
        let read = |row: &Row| Ok((position(row)?, text(row)?));
        let rows = self.connection.rows(statement, TimeLimit::Usual, read)?;
        let is_last = rows.len() < SEARCH_RECORDS;
        let (mut records, mut next) = (Vec::new(), None);
        for (position, body) in rows {
            if records.len() == *limit {
                return Ok(SearchedPart { records, next });
            }
            next = Some(position);
            let Some(body) = body else { continue };
            if matches!(Record::read(&body), Ok(Record::Call(call)) if query.matches(&call)) {
                records.push((position, body.into()));
            }
        }
        Ok(SearchedPart { records, next: next.filter(|_| !is_last) })
    }

    pub(super) fn last_record(&self) -> Result<Option<RecordPosition>, StoreError> {
        let last = self.connection.rows(Statement::new(LAST), TimeLimit::Usual, position)?;
        Ok(last.into_iter().next())
    }

    /// Checks that each record of a day has a link; returns the next day.
    pub(super) fn check_links(
        &self,
        from: Option<UnixMillis>,
    ) -> Result<Option<UnixMillis>, StoreError> {
        let day = if let Some(from) = from {
            timestamp(from)
        } else {
            let first = |row: &Row| column::<i64>(row, "at");
            let first =
                self.connection.rows(Statement::new(FIRST_TIME), TimeLimit::Usual, first)?;
            let Some(first) = first.first() else { return Ok(None) };
            first.div_euclid(DAY_MS) * DAY_MS
        };
        let next = day.saturating_add(DAY_MS);
        let check = Statement::new(WITHOUT_LINK).number(day).number(next);
        let unlinked = self.connection.rows(check, TimeLimit::Long, position)?;
        if let Some(record) = unlinked.first() {
            return Err(damaged(format!(
                "record {} of the chain {} is not linked to it, so that searches show what was never recorded: keep \
                 the database as it is, and find out what else writes to it",
                record.seq(),
                record.chain().unwrap_or_default(),
            )));
        }
        let last = self.last_record()?.map_or(0, |last| Bound::at(last).at);
        Ok((next <= last).then(|| to_unix_millis(next)))
    }

    /// Checks that the columns of records follow from their texts.
    pub(super) fn check_columns(&self, chain: Uuid, range: Range<u64>) -> Result<(), StoreError> {
        if range.is_empty() {
            return Ok(());
        }
        let statement = Statement::new(READ_COLUMNS).uuid(chain);
        let statement = statement.number(whole(range.start)).number(whole(range.end));
        let wrong = |row: &Row| {
            let (columns, _) = SearchColumns::read(&text(row)?.unwrap_or_default());
            let is_wrong = columns != SearchColumns::read_row(row)?;
            Ok(is_wrong.then_some(column(row, "seq").map(number)?))
        };
        let rows = self.connection.rows(statement, TimeLimit::Usual, wrong)?;
        match rows.into_iter().flatten().next() {
            None => Ok(()),
            Some(seq) => Err(damaged(format!(
                "the columns of record {seq} of the chain {chain} are not those of its text, so that searches miss it: \
                 keep the database as it is, and find out what else writes to it"
            ))),
        }
    }
}

/// A bound of a search, as its statement compares it.
struct Bound {
    at: i64,
    chain: Uuid,
    seq: i64,
}

impl Bound {
    /// Returns the bound before all records of this time.
    const fn before(at: i64) -> Self {
        Self { at, chain: Uuid::nil(), seq: -1 }
    }

    fn at(position: RecordPosition) -> Self {
        let at = timestamp(position.at().unwrap_or(UnixMillis::new(0)));
        Self { at, chain: position.chain().unwrap_or_default(), seq: whole(position.seq()) }
    }

    fn max(self, at: i64) -> Self {
        if at > self.at { Self::before(at) } else { self }
    }

    /// Returns the end of this bound and all records of this time.
    fn min(self, at: i64) -> Self {
        if at < self.at { Self { at, chain: Uuid::max(), seq: i64::MAX } } else { self }
    }
}

fn position(row: &Row) -> Result<RecordPosition, StoreError> {
    let (chain, seq) = (column(row, "chain")?, number(column(row, "seq")?));
    Ok(RecordPosition::in_chain(chain, seq, time(row, "at")?))
}

fn entry(row: &Row) -> Result<ChainEntry, StoreError> {
    let seq = number(column(row, "seq")?);
    let mac = *digest(row, "mac")?.as_bytes();
    let (leaf, key): (Digest, String) = (digest(row, "leaf")?, column(row, "key")?);
    Ok(ChainEntry::from_parts(seq, text(row)?, leaf, key, mac))
}

/// Reads the text of a record; bytes that are no text are replaced, so that the record does not have its hash.
fn text(row: &Row) -> Result<Option<String>, StoreError> {
    let body: Option<&[u8]> = column(row, "body")?;
    Ok(body.map(|body| String::from_utf8_lossy(body).into_owned()))
}

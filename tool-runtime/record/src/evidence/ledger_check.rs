//! Comparison of snapshots with the ledger's records of their calls.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::{DateTime, Utc};
use tool_runtime_core::store::UnixMillis;
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use super::listing::ListEntry;
use super::{EvidenceError, EvidenceErrorKind, Snapshot, SnapshotId, SnapshotQuery, Vault};
use crate::ledger::query::utc_time;
use crate::ledger::{Ledger, LedgerQuery, MAX_PAGE_SIZE, RecordedCall};

/// The longest time between a call's record and its snapshot's id. Both times come from the
/// ledger's clock, and a call takes less than this.
const RECORD_WINDOW: Duration = Duration::from_secs(24 * 60 * 60);

impl Vault {
    /// Compares each snapshot that is read with the ledger's record of its call, which holds its
    /// digest.
    ///
    /// A snapshot that differs from its record is an error, and so is one that the ledger names and
    /// the store does not have, unless it is older than the [retention](Self::with_retention). A
    /// snapshot that no record names is read: its call may have ended in a crash.
    ///
    /// [`read`](Self::read) and [`find`](Self::find) then cost a search of the ledger for the
    /// trace, or of the tenant's records of two days if the snapshot is not found;
    /// [`list`](Self::list) costs a search of the tenant's records of the page's time.
    #[must_use]
    pub fn with_ledger(mut self, ledger: &Ledger) -> Self {
        self.ledger = Some(ledger.clone());
        self
    }

    /// Sets the time after which [`sweep`](Self::sweep) may delete snapshots; they are never
    /// deleted if it is not set.
    ///
    /// A snapshot that the ledger names and the store does not have is `Missing` while it is
    /// younger, and `NotFound` once it is older.
    #[must_use]
    pub const fn with_retention(mut self, time: Duration) -> Self {
        self.retention = Some(time);
        self
    }

    /// Returns whether a snapshot is old enough to have been swept.
    pub(super) fn may_be_swept(&self, id: SnapshotId) -> bool {
        let Some(retention) = self.retention else { return false };
        id.created_at().after(retention) <= self.clock.now()
    }

    /// Compares a snapshot with the record of its call.
    pub(super) async fn compare_with_record(
        &self,
        snapshot: &Snapshot,
    ) -> Result<(), EvidenceError> {
        let Some(ledger) = &self.ledger else {
            return Ok(());
        };
        let id = snapshot.id();
        let query = LedgerQuery::new().tenant(snapshot.tenant_id()).trace(snapshot.trace_id());
        let recorded = recorded_digests(ledger, query, |named| named == id).await?;
        match recorded.get(&id) {
            Some(recorded) => self.check_digest(snapshot.digest()?, &recorded.digest, id),
            None => Ok(()),
        }
    }

    /// Compares a snapshot's digest with the one in a record.
    pub(super) fn check_digest(
        &self,
        digest: Digest,
        recorded: &str,
        id: SnapshotId,
    ) -> Result<(), EvidenceError> {
        let Some(ledger) = &self.ledger else {
            return Ok(());
        };
        let kind = match ledger.keys().hash_like(recorded, digest) {
            Some(hash) if hash == recorded => return Ok(()),
            Some(_) => EvidenceErrorKind::NotAsRecorded,
            None => EvidenceErrorKind::UnknownKey,
        };
        Err(EvidenceError::from(kind).with_snapshot(id))
    }

    /// Returns the error of a snapshot that the store does not have: `NotFound` or `Missing`.
    pub(super) async fn absence_error(&self, tenant: Uuid, id: SnapshotId) -> EvidenceError {
        let not_found = EvidenceError::from(EvidenceErrorKind::NotFound);
        let Some(ledger) = self.ledger.as_ref().filter(|_| !self.may_be_swept(id)) else {
            return not_found;
        };
        let query =
            within_time(LedgerQuery::new().tenant(tenant), id.created_at(), Some(id.created_at()));
        match recorded_digests(ledger, query, |named| named == id).await {
            Ok(recorded) if recorded.is_empty() => not_found,
            Ok(_) => EvidenceError::from(EvidenceErrorKind::Missing).with_snapshot(id),
            Err(error) => error,
        }
    }

    /// Compares snapshots of a list with the records of their time. A snapshot that differs from
    /// its record, or that a record names and the list lacks, becomes an entry with an error.
    pub(super) async fn compare_entries(
        &self,
        query: &SnapshotQuery,
        after: Option<SnapshotId>,
        entries: &mut Vec<ListEntry>,
        is_last: bool,
    ) -> Result<(), EvidenceError> {
        let Some(ledger) = &self.ledger else {
            return Ok(());
        };
        let ids = query.ids(after);
        let last = entries.last().map(|entry| entry.id);
        let end = last.filter(|_| !is_last);
        let within = |id: SnapshotId| {
            ids.contains(&id.uuid()) && end.is_none_or(|end| id.uuid() <= end.uuid())
        };
        let from = after.map_or(query.from, |after| Some(after.created_at()));
        let until = end.map_or(query.until, |end| Some(end.created_at()));
        let mut records = LedgerQuery::new().tenant(query.tenant);
        if let Some(trace) = &query.trace {
            records = records.trace(&**trace);
        }
        let records = within_time(records, from.unwrap_or(UnixMillis::new(0)), until);
        let mut recorded = recorded_digests(ledger, records, within).await?;
        for ListEntry { id, snapshot } in &mut *entries {
            let recorded = recorded.remove(id);
            if let (Ok(listed), Some(recorded)) = (&*snapshot, recorded) {
                let compared =
                    listed.digest().and_then(|it| self.check_digest(it, &recorded.digest, *id));
                if let Err(error) = compared {
                    *snapshot = Err(error);
                }
            }
        }
        let missing = recorded.into_iter().filter(|(id, recorded)| {
            query.admits(&recorded.tool, recorded.invocation) && !self.may_be_swept(*id)
        });
        entries.extend(missing.map(|(id, _)| {
            let error = EvidenceError::from(EvidenceErrorKind::Missing).with_snapshot(id);
            ListEntry { id, snapshot: Err(error) }
        }));
        entries.sort_by_key(|entry| entry.id);
        Ok(())
    }
}

/// The snapshot's digest in the record of a call, with the call's tool and id.
struct RecordedDigest {
    digest: String,
    tool: String,
    invocation: Uuid,
}

/// Collects the digests that records hold of the wanted snapshots.
async fn recorded_digests(
    ledger: &Ledger,
    query: LedgerQuery,
    wanted: impl Fn(SnapshotId) -> bool,
) -> Result<BTreeMap<SnapshotId, RecordedDigest>, EvidenceError> {
    let mut query = query.limit(MAX_PAGE_SIZE);
    let mut digests = BTreeMap::new();
    loop {
        let page = ledger.find(query.clone()).await?;
        let page_digests = page.records.iter().filter_map(|(_, call)| named_snapshot(call));
        digests.extend(page_digests.filter(|(id, _)| wanted(*id)));
        match page.next {
            Some(next) => query = query.after(next),
            None => return Ok(digests),
        }
    }
}

/// Returns the snapshot that a record names, with its digest.
fn named_snapshot(call: &RecordedCall) -> Option<(SnapshotId, RecordedDigest)> {
    let id = call.evidence.as_deref()?.parse().ok()?;
    let digest = call.evidence_digest.clone()?;
    Some((id, RecordedDigest { digest, tool: call.tool.clone(), invocation: call.invocation_id }))
}

/// Restricts a query to records of calls whose snapshots were made within this time.
fn within_time(query: LedgerQuery, from: UnixMillis, until: Option<UnixMillis>) -> LedgerQuery {
    let query = match utc(from) {
        Some(from) => query.since(from - RECORD_WINDOW),
        None => query,
    };
    match until.and_then(utc) {
        Some(until) => query.until(until + RECORD_WINDOW),
        None => query,
    }
}

fn utc(at: UnixMillis) -> Option<DateTime<Utc>> {
    /// The end of the year 9999, the last one that RFC 3339 can express.
    const LAST: u64 = 253_370_764_800_000;
    utc_time(at).filter(|_| (86_400_000..LAST).contains(&at.get()))
}

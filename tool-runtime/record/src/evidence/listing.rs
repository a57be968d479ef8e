//! Finding and listing snapshots without opening what is sealed.

use uuid::Uuid;

use super::checksum::ChecksumVerifier;
use super::vault::{RecordDraft, parse_snapshot};
use super::{
    Access, AccessAction, AccessOutcome, EvidenceError, EvidenceErrorKind, ListedSnapshot,
    Snapshot, SnapshotId, SnapshotQuery, StoredSnapshot, Vault,
};

/// The most stored snapshots that one list looks at where a filter or the authorizer may leave some
/// out, unless its page is longer.
const MAX_EXAMINED: usize = 1_000;
/// The fewest that such a list takes from the store at once.
const MIN_BATCH: usize = 100;

/// A page of a list of snapshots, in the order of ids.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SnapshotPage {
    /// The snapshots.
    pub snapshots: Vec<Snapshot>,
    /// The `after` of the next page; `None` if this is the last one. It need not be the id of a
    /// snapshot.
    pub next: Option<SnapshotId>,
}

/// A snapshot of a list, or the reason why it cannot be shown.
pub(super) struct ListEntry {
    pub(super) id: SnapshotId,
    pub(super) snapshot: Result<Snapshot, EvidenceError>,
}

/// A list of snapshots in progress.
struct SnapshotListing<'a> {
    query: &'a SnapshotQuery,
    limit: usize,
    draft: RecordDraft<'a>,
    shown: Vec<Snapshot>,
    examined: usize,
    denied: bool,
}

impl Vault {
    /// Finds a tenant's snapshot; nothing that is sealed is opened.
    ///
    /// Its checksum is checked over all that is stored of it, and its digest against the ledger's
    /// record of the call, where the vault [has the ledger](Self::with_ledger). The access is
    /// recorded before the snapshot is shown. A snapshot that the
    /// [authorizer](Self::with_authorizer) denies is `None`, as one that does not exist.
    ///
    /// # Errors
    /// `Altered` when the stored snapshot was altered; `NotAsRecorded` and `Missing` when the snapshot and the ledger differ; `UnknownKey` when the
    /// ring lacks a key; `Unrecorded` when the access log takes no record; `AuthorizerFailed` when
    /// the authorizer cannot decide; `Store` when the store or the ledger fails.
    ///
    /// # Examples
    /// ```
    /// # use tool_runtime::evidence::{Access, EvidenceError, SnapshotId, Vault};
    /// # async fn doc(vault: Vault, tenant: tool_runtime::Uuid, id: SnapshotId) -> Result<(), EvidenceError> {
    /// let access = Access::new("user:auditor-7", "complaint 4711")?;
    /// if let Some(snapshot) = vault.find(tenant, id, &access).await? {
    ///     println!("{} {}", snapshot.tool(), snapshot.version());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn find(
        &self,
        tenant: Uuid,
        id: SnapshotId,
        access: &Access,
    ) -> Result<Option<Snapshot>, EvidenceError> {
        let draft = RecordDraft::new(AccessAction::Find, Some(tenant), access).with_snapshot(id);
        let lookup = self.look_up(tenant, id).await.map(|(_, snapshot)| snapshot);
        let authorized_snapshot =
            self.authorized(&draft, tenant, id, lookup, |snapshot| snapshot).await;
        let outcome =
            authorized_snapshot.as_ref().err().map_or(AccessOutcome::Done, |it| it.outcome);
        self.record(&draft, outcome).await?;
        match authorized_snapshot {
            Ok((snapshot, _)) => Ok(Some(snapshot)),
            Err(it) if it.error.kind() == EvidenceErrorKind::NotFound => Ok(None),
            Err(it) => Err(it.error),
        }
    }

    /// Lists a tenant's snapshots in the order of their ids, at most `limit`, from the first after
    /// `after`. As with [`find`](Self::find), nothing is opened, each is checked, and the list is
    /// put on the access log before it is shown.
    ///
    /// Snapshots that the [authorizer](Self::with_authorizer) denies are left out. If the query
    /// names a tool or a call, or the vault has an authorizer, the list looks at no more than 1,000
    /// stored snapshots, or `limit` if that is more: a page may then be shorter than `limit`, or
    /// empty, and still have a [`next`](SnapshotPage::next).
    ///
    /// # Errors
    /// As [`find`](Self::find); [`EvidenceError::snapshot`] names the snapshot at fault.
    /// Another list may go on after that snapshot.
    ///
    /// # Examples
    /// ```
    /// # use tool_runtime::evidence::{Access, EvidenceError, SnapshotQuery, Vault};
    /// # async fn doc(vault: Vault, tenant: tool_runtime::Uuid) -> Result<(), EvidenceError> {
    /// let access = Access::new("user:auditor-7", "complaint 4711")?;
    /// let query = SnapshotQuery::new(tenant).with_trace("trace-1");
    /// let mut page = vault.list(&query, None, 100, &access).await?;
    /// while page.next.is_some() {
    ///     page = vault.list(&query, page.next, 100, &access).await?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn list(
        &self,
        query: &SnapshotQuery,
        after: Option<SnapshotId>,
        limit: usize,
        access: &Access,
    ) -> Result<SnapshotPage, EvidenceError> {
        let draft = RecordDraft::new(AccessAction::List, Some(query.tenant), access);
        let snapshots = Vec::new();
        let mut listing =
            SnapshotListing { query, limit, draft, shown: snapshots, examined: 0, denied: false };
        let listing_result = self.listed(&mut listing, after).await;
        let (first, last) = match &listing_result {
            Ok(_) => (listing.shown.first().map(Snapshot::id), listing.shown.last()),
            Err(error) => (error.snapshot(), None),
        };
        listing.draft.snapshot = first;
        listing.draft.last_snapshot = last.map(Snapshot::id).filter(|last| Some(*last) != first);
        let outcome = match AccessOutcome::from_result(&listing_result) {
            AccessOutcome::Done if listing.denied && listing.shown.is_empty() => {
                AccessOutcome::Denied
            }
            outcome @ (AccessOutcome::Asked
            | AccessOutcome::Done
            | AccessOutcome::Redacted
            | AccessOutcome::Denied
            | AccessOutcome::Failed(_)) => outcome,
        };
        self.record(&listing.draft, outcome).await?;
        listing_result.map(|next| SnapshotPage { snapshots: listing.shown, next })
    }

    /// Finds a snapshot, checks it, and compares it with the ledger.
    pub(super) async fn look_up(
        &self,
        tenant: Uuid,
        id: SnapshotId,
    ) -> Result<(StoredSnapshot, Snapshot), EvidenceError> {
        let Some(stored) = self.store.find_snapshot(tenant, id).await? else {
            return Err(self.absence_error(tenant, id).await);
        };
        let snapshot = self.checked(&stored, tenant, id).await?;
        self.compare_with_record(&snapshot).await?;
        Ok((stored, snapshot))
    }

    /// Fills a page; returns where the next one begins.
    async fn listed(
        &self,
        listing: &mut SnapshotListing<'_>,
        mut after: Option<SnapshotId>,
    ) -> Result<Option<SnapshotId>, EvidenceError> {
        let (query, limit) = (listing.query, listing.limit);
        let leaves_out =
            query.tool.is_some() || query.invocation.is_some() || self.authorizer.is_some();
        let batch = if leaves_out { limit.max(MIN_BATCH) } else { limit };
        loop {
            let stored = self.store.list_snapshots(query, after, batch).await?;
            let is_last = stored.len() < batch;
            let last = stored.last().map(|it| it.facts.id);
            let entries = self.entries(query, after, stored, is_last).await?;
            after = last.or(after);
            for entry in entries {
                if listing.shown.len() == limit {
                    return Ok(listing.shown.last().map(Snapshot::id));
                }
                self.examine(listing, entry).await?;
            }
            if is_last {
                return Ok(None);
            }
            if listing.shown.len() == limit {
                return Ok(listing.shown.last().map(Snapshot::id));
            }
            if listing.examined >= limit.max(MAX_EXAMINED) {
                // The last one that was looked at may be denied: its own id is not given away.
                let reached = after.map(SnapshotId::position);
                return Ok(listing.shown.last().map(Snapshot::id).max(reached));
            }
        }
    }

    /// Adds a snapshot to a page if the query selects it and the authorizer allows it.
    async fn examine(
        &self,
        listing: &mut SnapshotListing<'_>,
        entry: ListEntry,
    ) -> Result<(), EvidenceError> {
        listing.examined += 1;
        let ListEntry { id, snapshot } = entry;
        if let Ok(snapshot) = &snapshot {
            if !listing.query.admits(snapshot.tool(), snapshot.invocation_id()) {
                return Ok(());
            }
        }
        let tenant = listing.query.tenant;
        match self.authorized(&listing.draft, tenant, id, snapshot, |it| it).await {
            Ok((snapshot, _)) => listing.shown.push(snapshot),
            Err(it) if it.error.kind() == EvidenceErrorKind::NotFound => listing.denied = true,
            Err(it) => return Err(it.error),
        }
        Ok(())
    }

    /// Checks stored snapshots, and compares them with the ledger.
    async fn entries(
        &self,
        query: &SnapshotQuery,
        after: Option<SnapshotId>,
        stored: Vec<ListedSnapshot>,
        is_last: bool,
    ) -> Result<Vec<ListEntry>, EvidenceError> {
        let mut checker = ChecksumVerifier::new(self);
        let mut entries = Vec::with_capacity(stored.len());
        for stored in stored {
            let id = stored.facts.id;
            let snapshot = match checker.check(&stored).await {
                Ok(()) => parse_snapshot(&stored.facts, query.tenant, id).map_err(Into::into),
                Err(error) if error.kind().concerns_snapshot() => Err(error),
                Err(error) => return Err(error.with_snapshot(id)),
            };
            let snapshot = snapshot.map_err(|error: EvidenceError| error.with_snapshot(id));
            entries.push(ListEntry { id, snapshot });
        }
        self.compare_entries(query, after, &mut entries, is_last).await?;
        Ok(entries)
    }
}

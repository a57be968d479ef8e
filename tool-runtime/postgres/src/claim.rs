//! Claims a key, and undoes the claim if its future was dropped or its answer was lost.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio_postgres::Row;
use tool_runtime_core::store::signed::count;
use tool_runtime_core::store::{
    Balance, ClaimDecision, ClaimOutcome, ClaimRequest, Fence, KeyRecord, KeyState, Reservation,
    ReserveOutcome, ReservedAmount, ScopedKey, StoreError, StoreErrorKind, UnixMillis,
};
use uuid::Uuid;

use crate::budgets::AmountsNeeded;
use crate::columns::column;
use crate::database::{Database, RowScope};
use crate::error::unavailable;
use crate::keys::{fence, lease_columns, record};
use crate::statement::{Statement, lock_number};

/// The most decisions about one claim; each but the first follows a change of the record by another process.
const MAX_ATTEMPTS: u32 = 8;

/// The most attempts to undo a claim while the server is away, and the first delay between them, which doubles.
const UNDO_ATTEMPTS: u32 = 6;
const FIRST_UNDO_DELAY: Duration = Duration::from_millis(250);

const CLAIM: &str = r#"
    SELECT is_new, caller, fingerprint, fence, state, lease_until, keep_until, since, succeeded, body, meta,
        NULL::text AS reserved, NULL::boolean AS fits, NULL::bigint[] AS balances
    FROM "SCHEMA".claim($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"#;

const RESERVE: &str = r#"
    SELECT is_new, caller, fingerprint, fence, state, lease_until, keep_until, since, succeeded, body, meta, reserved,
        fits, balances
    FROM "SCHEMA".reserve(
        $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24,
        $25, $26, $27)"#;

/// The same as `TAKE_OVER` for a claim with reservations.
const TAKE_OVER_RESERVING: &str = r#"
    SELECT fence, fits, balances FROM "SCHEMA".take_over(
        $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)"#;

/// Takes the key over from the owner that was read, unless it has renewed its lease or settled meanwhile.
const TAKE_OVER: &str = r#"
    UPDATE "SCHEMA".keys
    SET fence = nextval('"SCHEMA".fences'), claim = $5, caller = $6, state = 0, lease_until = $7, since = NULL
    WHERE digest = $1 AND fence = $2 AND state = $3 AND lease_until IS NOT DISTINCT FROM $4
    RETURNING fence"#;

const SHORTEN: &str = r#"
    UPDATE "SCHEMA".keys SET lease_until = $4
    WHERE digest = $1 AND fence = $2 AND state = 0 AND lease_until = $3
    RETURNING fence"#;

const UNDO_INSERT: &str = r#"
    WITH undone AS (
        DELETE FROM "SCHEMA".keys WHERE digest = $1 AND claim = $2 AND state = 0 RETURNING tenant, reserved)
    SELECT "SCHEMA".settle_amounts(tenant, reserved, 1::smallint, NULL, NULL) FROM undone"#;

const UNDO_TAKE_OVER: &str = r#"
    WITH undone AS (
        UPDATE "SCHEMA".keys
        SET fence = $3, state = $4, lease_until = $5, since = $6, caller = $7,
            reserved = CASE WHEN $8::text IS NULL THEN reserved ELSE $9 END
        WHERE digest = $1 AND claim = $2 AND state = 0
        RETURNING tenant)
    SELECT "SCHEMA".settle_amounts(tenant, $8, 1::smallint, NULL, NULL) FROM undone"#;

/// Undoes a claim on drop, unless its caller has received it.
pub(crate) struct UndoGuard {
    undo: Option<ClaimUndo>,
    database: Database,
}

/// The state of a key before a claim.
struct ClaimUndo {
    key: ScopedKey,
    /// The id of the claim, which is known even if its answer, with the fence, is lost.
    claim: Uuid,
    /// The record that was taken over; none if the key was free.
    before: Option<Box<KeyRecord>>,
    /// The amounts that the claim has added to those of the record.
    added: Vec<ReservedAmount>,
}

/// The row that a claim's statement returns.
enum ClaimRow {
    Inserted(Fence, Vec<Balance>),
    Existing(Box<KeyRecord>),
    Exceeded(Vec<Balance>),
}

/// Claims a key as its record decides; returns a guard of the claim, if the claimant gets the key.
pub(crate) async fn claim(
    database: &Database,
    request: &ClaimRequest,
    reservations: &[Reservation],
) -> Result<(ReserveOutcome, Option<UndoGuard>), StoreError> {
    let claimed =
        |outcome, balances, guard| Ok((ReserveOutcome::Claimed { outcome, balances }, guard));
    let missing = KeyRecord::missing_amounts(None, reservations);
    let needs = AmountsNeeded::new(request.now, reservations, &missing);
    let started = Instant::now();
    for _ in 0..MAX_ATTEMPTS {
        let undo = ClaimUndo::new(&request.key, None, Vec::new());
        let (key, claim) = (&request.key, undo.claim);
        let guard = UndoGuard::new(database, undo);
        // The lease begins when the claim is sent: it may have waited for a connection.
        let sent = Mutex::new(None);
        let call = || {
            *lock(&sent) = Some(Instant::now());
            insertion(database, &request_at(request, started), claim, (reservations, &needs))
        };
        let inserted = database.rows_of_call(call, |row| claim_row(row, key, &needs)).await;
        let Some(sent) = *lock(&sent) else {
            guard.disarm();
            return Err(inserted.err().unwrap_or_else(|| unavailable("the claim was not sent")));
        };
        let mut rows = inserted?;
        let record = match rows.pop() {
            Some(ClaimRow::Inserted(fence, balances)) => {
                must_be_in_time(request, sent)?;
                return claimed(ClaimOutcome::Acquired(fence), balances, Some(guard));
            }
            Some(ClaimRow::Exceeded(balances)) => {
                guard.disarm();
                return Ok((ReserveOutcome::Exceeded(balances), None));
            }
            Some(ClaimRow::Existing(record)) => record,
            None => {
                guard.disarm();
                return claimed(ClaimOutcome::QuotaExceeded, Vec::new(), None);
            }
        };
        guard.disarm();
        let (request, decided) = (&request_at(request, started), Instant::now());
        match request.decide(Some(&record)) {
            ClaimDecision::NotClaimed(outcome) => return claimed(outcome, Vec::new(), None),
            ClaimDecision::TakeOver { until } => {
                if let Some(taken) =
                    take_over(database, request, (record, until), reservations).await?
                {
                    must_be_in_time(request, decided)?;
                    return Ok(taken);
                }
            }
            ClaimDecision::ShortenLease { until } => {
                if shorten_lease(database, request, &record, until).await? {
                    return claimed(ClaimOutcome::Running { until }, Vec::new(), None);
                }
            }
            // Only a key without a record is free.
            ClaimDecision::Insert { .. } => {}
        }
    }
    Err(unavailable("the key changed during each of several attempts to claim it"))
}

/// Returns the request at the store's present time, if it has waited for long.
///
/// A short wait leaves the request as it is: its runtime renews a lease of which a third is over.
fn request_at(request: &ClaimRequest, started: Instant) -> ClaimRequest {
    let waited = started.elapsed();
    let now = if waited < request.lease / 3 { request.now } else { request.now.after(waited) };
    ClaimRequest { now, ..request.clone() }
}

fn lock(sent: &Mutex<Option<Instant>>) -> MutexGuard<'_, Option<Instant>> {
    sent.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Refuses a claim whose lease was over when its answer came: it is undone, as when its future is dropped.
fn must_be_in_time(request: &ClaimRequest, started: Instant) -> Result<(), StoreError> {
    if started.elapsed() < request.lease {
        return Ok(());
    }
    Err(unavailable("the claim took longer than its lease"))
}

fn insertion(
    database: &Database,
    request: &ClaimRequest,
    claim: Uuid,
    (reservations, needs): (&[Reservation], &AmountsNeeded),
) -> Statement {
    let (key, digest) = (&request.key, request.key.digest());
    let claim = database
        .operation(if reservations.is_empty() { CLAIM } else { RESERVE }, key.tenant)
        .digest(&digest)
        .number(lock_number(&digest))
        .text(&key.principal)
        .text(&key.tool)
        .text(&key.key)
        .text(&request.caller)
        .digest(&request.fingerprint)
        .uuid(claim)
        .time(request.now.after(request.lease))
        .optional_number(request.max_unknown.map(count));
    if reservations.is_empty() {
        return claim;
    }
    let state = KeyState::Unknown;
    let mut record = KeyRecord::new(key.clone(), request.fingerprint, Fence::new(0), state);
    let missing = KeyRecord::missing_amounts(None, reservations);
    record.add_reserved(reservations, &Reservation::account_digests(reservations), &missing);
    needs.bind(claim.optional_text(ReservedAmount::to_text(&record.reserved).as_deref()))
}

fn claim_row(row: &Row, key: &ScopedKey, needs: &AmountsNeeded) -> Result<ClaimRow, StoreError> {
    match column::<Option<bool>>(row, "fits")? {
        Some(true) => return Ok(ClaimRow::Inserted(fence(row)?, needs.balances(row)?)),
        Some(false) => return needs.balances(row).map(ClaimRow::Exceeded),
        None if column(row, "is_new")? => return Ok(ClaimRow::Inserted(fence(row)?, Vec::new())),
        None => {}
    }
    record(row, key.clone()).map(|record| ClaimRow::Existing(Box::new(record)))
}

/// Takes a key over; none if its record has changed since it was read.
async fn take_over(
    database: &Database,
    request: &ClaimRequest,
    (record, until): (Box<KeyRecord>, UnixMillis),
    reservations: &[Reservation],
) -> Result<Option<(ReserveOutcome, Option<UndoGuard>)>, StoreError> {
    let (key, owner) = (&request.key, record.fence);
    let (state, lease_until) = lease_columns(&record.state);
    let missing = KeyRecord::missing_amounts(Some(&record), reservations);
    let accounts = Reservation::account_digests(reservations);
    let mut additions = KeyRecord { reserved: Vec::new(), ..(*record).clone() };
    additions.add_reserved(reservations, &accounts, &missing);
    let mut reserved = (*record).clone();
    reserved.add_reserved(reservations, &accounts, &missing);
    let undo = ClaimUndo::new(key, Some(record), additions.reserved);
    let claim = undo.claim;
    let guard = UndoGuard::new(database, undo);
    if !reservations.is_empty() {
        let needs = AmountsNeeded::new(request.now, reservations, &missing);
        let statement = Statement::new(TAKE_OVER_RESERVING)
            .uuid(key.tenant)
            .digest(&key.digest())
            .fence(owner)
            .small(state)
            .optional_time(lease_until)
            .uuid(claim)
            .text(&request.caller)
            .time(until)
            .optional_text(ReservedAmount::to_text(&reserved.reserved).as_deref());
        let (scope, statements) =
            (RowScope::Tenant(key.tenant), [Statement::lock(&key.digest()), needs.bind(statement)]);
        let read = |row: &Row| {
            let fits: bool = column(row, "fits")?;
            let new_fence = if fits { Some(fence(row)?) } else { None };
            Ok((new_fence, needs.balances(row)?))
        };
        return Ok(match database.rows(scope, &statements, read).await?.pop() {
            Some((Some(fence), balances)) => {
                let outcome = ClaimOutcome::TakenOver(fence);
                Some((ReserveOutcome::Claimed { outcome, balances }, Some(guard)))
            }
            Some((None, balances)) => {
                guard.disarm();
                Some((ReserveOutcome::Exceeded(balances), None))
            }
            None => {
                guard.disarm();
                None
            }
        });
    }
    let statement = Statement::new(TAKE_OVER)
        .digest(&key.digest())
        .fence(owner)
        .small(state)
        .optional_time(lease_until)
        .uuid(claim)
        .text(&request.caller)
        .time(until);
    let (scope, statements) =
        (RowScope::Tenant(key.tenant), [Statement::lock(&key.digest()), statement]);
    let Some(fence) = database.rows(scope, &statements, fence).await?.pop() else {
        guard.disarm();
        return Ok(None);
    };
    let (outcome, balances) = (ClaimOutcome::TakenOver(fence), Vec::new());
    Ok(Some((ReserveOutcome::Claimed { outcome, balances }, Some(guard))))
}

/// Shortens a lease; false if it has changed since it was read.
async fn shorten_lease(
    database: &Database,
    request: &ClaimRequest,
    record: &KeyRecord,
    until: UnixMillis,
) -> Result<bool, StoreError> {
    let KeyState::Running { until: present } = record.state else { return Ok(false) };
    let statement = Statement::new(SHORTEN)
        .digest(&request.key.digest())
        .fence(record.fence)
        .time(present)
        .time(until);
    let scope = RowScope::Tenant(request.key.tenant);
    database.count(scope, &[statement]).await.map(|rows| rows > 0)
}

impl ClaimUndo {
    fn new(key: &ScopedKey, before: Option<Box<KeyRecord>>, added: Vec<ReservedAmount>) -> Self {
        Self { key: key.clone(), claim: Uuid::new_v4(), before, added }
    }

    /// Undoes the claim; no change if it was not made, or the key has another owner or an outcome.
    fn statement(&self) -> Statement {
        let digest = self.key.digest();
        let Some(before) = &self.before else {
            return Statement::new(UNDO_INSERT).digest(&digest).uuid(self.claim);
        };
        let (state, lease_until) = lease_columns(&before.state);
        Statement::new(UNDO_TAKE_OVER)
            .digest(&digest)
            .uuid(self.claim)
            .fence(before.fence)
            .small(state)
            .optional_time(lease_until)
            .optional_time(before.since)
            .text(&before.caller)
            .optional_text(ReservedAmount::to_text(&self.added).as_deref())
            .optional_text(ReservedAmount::to_text(&before.reserved).as_deref())
    }

    /// Undoes the claim, also once a server is back that was away when the claim was made.
    async fn run(self, database: Database) {
        let mut delay = FIRST_UNDO_DELAY;
        for _ in 0..UNDO_ATTEMPTS {
            let scope = RowScope::Tenant(self.key.tenant);
            match database.count(scope, &[self.statement()]).await {
                Err(error) if error.kind() == StoreErrorKind::Unavailable => {}
                Ok(_) | Err(_) => return,
            }
            tokio::time::sleep(delay).await;
            delay *= 2;
        }
    }
}

impl UndoGuard {
    fn new(database: &Database, undo: ClaimUndo) -> Self {
        Self { undo: Some(undo), database: database.clone() }
    }

    /// Drops the guard without undoing the claim.
    pub(crate) fn disarm(mut self) {
        self.undo = None;
    }
}

impl Drop for UndoGuard {
    fn drop(&mut self) {
        if let Some(undo) = self.undo.take() {
            let database = self.database.clone();
            self.database.run_detached(undo.run(database));
        }
    }
}

//! Budgets in SQLite: they change in the transactions of the keys.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Row, named_params, params};
use tool_runtime_core::store::signed::{count, timestamp, to_unix_millis, whole};
use tool_runtime_core::store::{
    Balance, BudgetAccount, BudgetControl, BudgetPeriod, BudgetStore, BudgetUnit, Charge,
    ClaimRequest, Fence, PeriodPosition, Reservation, ReserveOutcome, ReservedAmount, ScopedKey,
    Settlement, SpendOutcome, StoreError, StoredPeriod, UnixMillis,
};
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use super::account_needs::AccountNeeds;
use super::claim::{self, UndoGuard};
use super::columns::{time, uuid};
use super::row::damaged;
use super::writer::JobKind;
use super::{SqliteStore, settle};

const PERIOD: &str = "
    SELECT spent, reserved, raised FROM budget_periods WHERE tenant = ?1 AND account = ?2 AND start = ?3";

const OPEN: &str = "
    INSERT INTO budget_periods
        (tenant, account, start, budget, window, scope, unit, most, spent, reserved, raised, delete_at)
    VALUES (:tenant, :account, :start, :budget, :window, :scope, :unit, -1, 0, 0, 0, :delete_at)
    ON CONFLICT DO NOTHING";

/// Ends a reservation; a period that was swept has no sums any more.
const SETTLE: &str = "
    UPDATE budget_periods SET
        reserved = max(reserved - ?4, 0),
        spent = iif(spent > 9223372036854775807 - ?5, 9223372036854775807, spent + ?5)
    WHERE tenant = ?1 AND account = ?2 AND start = ?3";

const UPDATE: &str = "
    UPDATE budget_periods SET spent = :spent, reserved = :reserved, raised = :raised
    WHERE tenant = :tenant AND account = :account AND start = :start";

const SET_CONTROL: &str = "
    REPLACE INTO budget_controls (budget, window, unit, paused, amount)
    VALUES (:budget, :window, :unit, :paused, :amount)";

const LIST: &str = "
    SELECT * FROM budget_periods WHERE tenant = :tenant AND (account, start) > (:account, :start)
    ORDER BY account, start LIMIT :limit";

const SWEEP: &str = "
    DELETE FROM budget_periods WHERE rowid IN (
        SELECT rowid FROM budget_periods WHERE delete_at <= :now LIMIT :limit)";

#[async_trait]
impl BudgetStore for SqliteStore {
    async fn reserve(
        &self,
        request: ClaimRequest,
        reservations: Vec<Reservation>,
    ) -> Result<ReserveOutcome, StoreError> {
        let (queue, keys) = (self.queue.clone(), self.row_keys.clone());
        let claim =
            move |connection: &Connection| claim::claim(connection, &keys, &request, &reservations);
        let guard = move |(outcome, undo): (_, Option<_>)| {
            (outcome, undo.map(|undo| UndoGuard::new(undo, queue)))
        };
        let (outcome, guard) = self.queue.run_and_confirm(JobKind::Claim, claim, guard).await?;
        if let Some(guard) = guard {
            guard.disarm();
        }
        Ok(outcome)
    }

    async fn settle_with(
        &self,
        key: &ScopedKey,
        fence: Fence,
        settlement: Settlement,
        charge: Charge,
    ) -> Result<bool, StoreError> {
        let (keys, key) = (self.row_keys.clone(), key.clone());
        let settle = move |connection: &Connection| {
            settle::settle(connection, &keys, &key, fence, &settlement, &charge)
        };
        self.queue.run(JobKind::Write, settle).await
    }

    async fn spend(
        &self,
        now: UnixMillis,
        reservations: Vec<Reservation>,
    ) -> Result<SpendOutcome, StoreError> {
        let spend = move |connection: &Connection| spend(connection, now, &reservations);
        self.queue.run(JobKind::Write, spend).await
    }

    async fn balances(&self, reservations: &[Reservation]) -> Result<Vec<Balance>, StoreError> {
        let reservations: Arc<[Reservation]> = reservations.into();
        let read = move |connection: &Connection| {
            let mut needs = AccountNeeds::new(&reservations);
            needs.read_balances(connection)?;
            Ok(needs.balances)
        };
        self.queue.run(JobKind::Read, read).await
    }

    async fn raise(
        &self,
        account: &BudgetAccount,
        start: UnixMillis,
        amount: u64,
        now: UnixMillis,
        keep: Option<Duration>,
    ) -> Result<(), StoreError> {
        let account = account.clone();
        let raise = move |connection: &Connection| {
            open(connection, &account, start, delete_at(now, keep))?;
            change(connection, account.tenant, account.digest(), start, |balance| {
                balance.raised = balance.raised.saturating_add(amount);
            })
        };
        self.queue.run(JobKind::Write, raise).await
    }

    async fn set_control(&self, control: BudgetControl) -> Result<(), StoreError> {
        let set = move |connection: &Connection| {
            let written = connection.prepare_cached(SET_CONTROL)?.execute(named_params! {
                ":budget": control.budget,
                ":window": control.limit,
                ":unit": control.unit.to_string(),
                ":paused": control.paused,
                ":amount": control.amount.map(whole),
            });
            written.map(drop)
        };
        self.queue.run(JobKind::Write, set).await
    }

    async fn list_periods(
        &self,
        tenant: Uuid,
        after: Option<PeriodPosition>,
        limit: usize,
    ) -> Result<Vec<BudgetPeriod>, StoreError> {
        let after = after.map(|it| (*it.account.as_bytes(), timestamp(it.start)));
        let (account, start) = after.unwrap_or(([0; 32], -1));
        let list = move |connection: &Connection| {
            let mut periods = connection.prepare_cached(LIST)?;
            let parameters = named_params! {
                ":tenant": tenant.as_bytes(),
                ":account": account,
                ":start": start,
                ":limit": count(limit),
            };
            periods.query_map(parameters, period)?.collect()
        };
        self.queue.run(JobKind::Read, list).await
    }
}

/// Ends the reservations of a tenant's key; what was spent of them counts from now on.
pub(super) fn settle(
    connection: &Connection,
    tenant: Uuid,
    reserved: &[ReservedAmount],
    charge: &Charge,
) -> rusqlite::Result<()> {
    for (it, spent) in reserved.iter().zip(charge.spent_amounts(reserved)) {
        connection.prepare_cached(SETTLE)?.execute(params![
            tenant.as_bytes(),
            it.account.as_bytes(),
            timestamp(it.start),
            whole(it.amount),
            whole(spent),
        ])?;
    }
    Ok(())
}

/// Reserves amounts again, because their release is undone.
pub(super) fn restore(
    connection: &Connection,
    tenant: Uuid,
    reserved: &[ReservedAmount],
) -> rusqlite::Result<()> {
    for it in reserved {
        change(connection, tenant, it.account, it.start, |balance| {
            balance.reserved = balance.reserved.saturating_add(it.amount);
        })?;
    }
    Ok(())
}

fn spend(
    connection: &Connection,
    now: UnixMillis,
    reservations: &[Reservation],
) -> rusqlite::Result<SpendOutcome> {
    let mut needs = AccountNeeds::new(reservations);
    needs.read_balances(connection)?;
    if needs.fit() {
        needs.spend(connection, now).map(SpendOutcome::Spent)
    } else {
        Ok(SpendOutcome::Exceeded(needs.balances))
    }
}

/// Stores a period that is raised before its first reservation, unless it is stored.
fn open(
    connection: &Connection,
    account: &BudgetAccount,
    start: UnixMillis,
    delete_at: Option<UnixMillis>,
) -> rusqlite::Result<()> {
    let opened = connection.prepare_cached(OPEN)?.execute(named_params! {
        ":tenant": account.tenant.as_bytes(),
        ":account": account.digest().as_bytes(),
        ":start": timestamp(start),
        ":budget": account.budget,
        ":window": account.limit,
        ":scope": account.scope,
        ":unit": account.unit.to_string(),
        ":delete_at": delete_at.map(timestamp),
    });
    opened.map(drop)
}

/// Changes the balance of a period; a period that was swept has none any more.
fn change(
    connection: &Connection,
    tenant: Uuid,
    account: Digest,
    start: UnixMillis,
    change: impl FnOnce(&mut Balance),
) -> rusqlite::Result<()> {
    let period = params![tenant.as_bytes(), account.as_bytes(), timestamp(start)];
    let balance = connection.prepare_cached(PERIOD)?.query_row(period, |row| sums(row, 0));
    let Some(mut balance) = balance.optional()? else { return Ok(()) };
    change(&mut balance);
    let updated = connection.prepare_cached(UPDATE)?.execute(named_params! {
        ":tenant": tenant.as_bytes(),
        ":account": account.as_bytes(),
        ":start": timestamp(start),
        ":spent": whole(balance.spent),
        ":reserved": whole(balance.reserved),
        ":raised": whole(balance.raised),
    });
    updated.map(drop)
}

/// Deletes periods that are kept no longer; returns how many.
pub(super) fn sweep(
    connection: &Connection,
    now: UnixMillis,
    limit: usize,
) -> rusqlite::Result<usize> {
    let parameters = named_params! { ":now": timestamp(now), ":limit": count(limit) };
    connection.prepare_cached(SWEEP)?.execute(parameters)
}

pub(super) fn delete_at(now: UnixMillis, keep: Option<Duration>) -> Option<UnixMillis> {
    keep.map(|keep| now.after(keep))
}

/// Reads the sums of a period from three columns, the first of which has this number.
pub(super) fn sums(row: &Row<'_>, first: usize) -> rusqlite::Result<Balance> {
    let amount = |column| row.get::<_, i64>(column).map(i64::unsigned_abs);
    Ok(Balance {
        spent: amount(first)?,
        reserved: amount(first + 1)?,
        raised: amount(first + 2)?,
        ..Balance::default()
    })
}

/// Reads a period.
pub(super) fn period(row: &Row<'_>) -> rusqlite::Result<BudgetPeriod> {
    let account = BudgetAccount {
        tenant: uuid(row, "tenant")?,
        budget: row.get("budget")?,
        limit: row.get("window")?,
        scope: row.get("scope")?,
        unit: unit(row)?,
    };
    let limit = row.get::<_, i64>("most")?.max(0).unsigned_abs();
    let balance = sums(row, row.as_ref().column_index("spent")?)?;
    Ok(BudgetPeriod { account, start: time(row, "start")?, limit, balance })
}

fn unit(row: &Row<'_>) -> rusqlite::Result<BudgetUnit> {
    let text: String = row.get("unit")?;
    text.parse()
        .map_err(|_| damaged("a period of a budget has a unit that the store does not write"))
}

/// Reads a period, and when it is deleted.
pub(super) fn stored_period(row: &Row<'_>) -> rusqlite::Result<StoredPeriod> {
    let delete_at: Option<i64> = row.get("delete_at")?;
    Ok(StoredPeriod { period: period(row)?, delete_at: delete_at.map(to_unix_millis) })
}

/// Reads a host's change of a limit.
pub(super) fn control(row: &Row<'_>) -> rusqlite::Result<BudgetControl> {
    let amount: Option<i64> = row.get("amount")?;
    Ok(BudgetControl {
        budget: row.get("budget")?,
        limit: row.get("window")?,
        unit: unit(row)?,
        paused: row.get("paused")?,
        amount: amount.map(i64::unsigned_abs),
    })
}

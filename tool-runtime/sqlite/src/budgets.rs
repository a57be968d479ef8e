//! Budgets in SQLite: they change in the transactions of the keys.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Row, named_params};
use tool_runtime_core::store::signed::{count, timestamp, to_unix_millis, whole};
use tool_runtime_core::store::{
    Balance, BudgetAccount, BudgetControl, BudgetPeriod, BudgetStore, BudgetUnit, Charge,
    ClaimRequest, Fence, PeriodPosition, Reservation, ReserveOutcome, ReservedAmount, ScopedKey,
    Settlement, SpendOutcome, StoreError, StoredPeriod, UnixMillis,
};
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use super::claim::{self, UndoGuard};
use super::columns::{time, uuid};
use super::row::damaged;
use super::writer::JobKind;
use super::{SqliteStore, settle};

const PERIODS: &str = "
    SELECT * FROM budget_periods
    WHERE tenant = :tenant AND account = :account AND start BETWEEN :first AND :last";

const OPEN: &str = "
    INSERT INTO budget_periods
        (tenant, account, start, budget, window, scope, unit, most, spent, reserved, raised, delete_at)
    VALUES (:tenant, :account, :start, :budget, :window, :scope, :unit, -1, 0, 0, 0, :delete_at)
    ON CONFLICT DO NOTHING";

/// Adds to the sums of a period, which is stored if it is not.
const ADD: &str = "
    INSERT INTO budget_periods
        (tenant, account, start, budget, window, scope, unit, most, spent, reserved, raised, delete_at)
    VALUES (:tenant, :account, :start, :budget, :window, :scope, :unit, :most, :spent, :reserved, 0, :delete_at)
    ON CONFLICT DO UPDATE SET
        most = excluded.most,
        spent = iif(spent > 9223372036854775807 - excluded.spent, 9223372036854775807, spent + excluded.spent),
        reserved = iif(
            reserved > 9223372036854775807 - excluded.reserved,
            9223372036854775807, reserved + excluded.reserved)";

/// Ends a reservation; a period that was swept has no sums any more.
const SETTLE: &str = "
    UPDATE budget_periods SET
        reserved = max(reserved - :reserved, 0),
        spent = iif(spent > 9223372036854775807 - :spent, 9223372036854775807, spent + :spent)
    WHERE tenant = :tenant AND account = :account AND start = :start";

const UPDATE: &str = "
    UPDATE budget_periods SET spent = :spent, reserved = :reserved, raised = :raised
    WHERE tenant = :tenant AND account = :account AND start = :start";

const CONTROL: &str = "
    SELECT paused, amount FROM budget_controls WHERE (budget, window, unit) = (:budget, :window, :unit)";

const SET_CONTROL: &str = "
    REPLACE INTO budget_controls (budget, window, unit, paused, amount)
    VALUES (:budget, :window, :unit, :paused, :amount)";

const LIST: &str = "
    SELECT * FROM budget_periods WHERE tenant = :tenant AND (account, start) > (:account, :start)
    ORDER BY account, start LIMIT :limit";

const SWEEP: &str = "
    DELETE FROM budget_periods WHERE rowid IN (
        SELECT rowid FROM budget_periods WHERE delete_at <= :now LIMIT :limit)";

/// The greatest amount that a column holds.
const MAX_STORED: u64 = i64::MAX.unsigned_abs();

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
        let read = move |connection: &Connection| balances(connection, &reservations);
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

/// Returns whether all amounts fit beside these balances.
pub(super) fn fit(reservations: &[Reservation], amounts: &[u64], balances: &[Balance]) -> bool {
    let mut needs = reservations.iter().zip(amounts).zip(balances);
    needs.all(|((reservation, amount), balance)| reservation.fits(*amount, balance))
}

pub(super) fn balances(
    connection: &Connection,
    reservations: &[Reservation],
) -> rusqlite::Result<Vec<Balance>> {
    reservations.iter().map(|reservation| balance(connection, reservation)).collect()
}

fn balance(connection: &Connection, reservation: &Reservation) -> rusqlite::Result<Balance> {
    let Reservation { account, start, since, .. } = reservation;
    let control = named_params! {
        ":budget": account.budget,
        ":window": account.limit,
        ":unit": account.unit.to_string(),
    };
    let control = connection.prepare_cached(CONTROL)?.query_row(control, |row| {
        let amount: Option<i64> = row.get("amount")?;
        Ok((row.get("paused")?, amount.map(i64::unsigned_abs)))
    });
    let (paused, limit) = control.optional()?.unwrap_or_default();
    let none = Balance { paused, limit, ..Balance::default() };
    let is_rolling = since < start;
    let mut periods = connection.prepare_cached(PERIODS)?;
    let periods = periods.query_map(
        named_params! {
            ":tenant": account.tenant.as_bytes(),
            ":account": account.digest().as_bytes(),
            ":first": timestamp(if is_rolling { *since } else { *start }),
            ":last": if is_rolling { i64::MAX } else { timestamp(*start) },
        },
        own_balance,
    )?;
    periods.into_iter().try_fold(none, |sum, period| Ok(sum.with_period(&period?)))
}

/// Adds amounts to what is reserved in the periods of reservations; returns the balances, which had been these.
pub(super) fn reserve(
    connection: &Connection,
    now: UnixMillis,
    reservations: &[Reservation],
    amounts: &[u64],
    mut balances: Vec<Balance>,
) -> rusqlite::Result<Vec<Balance>> {
    for (reservation, amount) in reservations.iter().zip(amounts) {
        add(connection, now, reservation, (0, *amount))?;
    }
    // Another reading would find the same.
    for (reservation, balance) in reservations.iter().zip(&mut balances) {
        let added = added_to(reservation, reservations, amounts);
        balance.reserved = balance.reserved.saturating_add(added).min(MAX_STORED);
    }
    Ok(balances)
}

/// Returns how much of the amounts counts in the balance of a reservation.
fn added_to(reservation: &Reservation, reservations: &[Reservation], amounts: &[u64]) -> u64 {
    let added = reservations.iter().zip(amounts).filter(|(other, _)| {
        other.account == reservation.account && reservation.counts(other.start)
    });
    added.fold(0, |sum, (_, amount)| sum.saturating_add(*amount))
}

/// Adds amounts to what is spent and to what is reserved in the period of a reservation.
fn add(
    connection: &Connection,
    now: UnixMillis,
    Reservation { account, start, keep, limit, .. }: &Reservation,
    (spent, reserved): (u64, u64),
) -> rusqlite::Result<()> {
    let added = connection.prepare_cached(ADD)?.execute(named_params! {
        ":tenant": account.tenant.as_bytes(),
        ":account": account.digest().as_bytes(),
        ":start": timestamp(*start),
        ":budget": account.budget,
        ":window": account.limit,
        ":scope": account.scope,
        ":unit": account.unit.to_string(),
        ":most": whole(*limit),
        ":spent": whole(spent),
        ":reserved": whole(reserved),
        ":delete_at": delete_at(now, *keep).map(timestamp),
    });
    added.map(drop)
}

/// Ends the reservations of a tenant's key; what was spent of them counts from now on.
pub(super) fn settle(
    connection: &Connection,
    tenant: Uuid,
    reserved: &[ReservedAmount],
    charge: &Charge,
) -> rusqlite::Result<()> {
    for (it, spent) in reserved.iter().zip(charge.spent_amounts(reserved)) {
        connection.prepare_cached(SETTLE)?.execute(named_params! {
            ":tenant": tenant.as_bytes(),
            ":account": it.account.as_bytes(),
            ":start": timestamp(it.start),
            ":reserved": whole(it.amount),
            ":spent": whole(spent),
        })?;
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
    let amounts: Vec<u64> = reservations.iter().map(|reservation| reservation.amount).collect();
    let mut balances = balances(connection, reservations)?;
    if !fit(reservations, &amounts, &balances) {
        return Ok(SpendOutcome::Exceeded(balances));
    }
    for (reservation, amount) in reservations.iter().zip(&amounts) {
        add(connection, now, reservation, (*amount, 0))?;
    }
    for (reservation, balance) in reservations.iter().zip(&mut balances) {
        let added = added_to(reservation, reservations, &amounts);
        balance.spent = balance.spent.saturating_add(added).min(MAX_STORED);
    }
    Ok(SpendOutcome::Spent(balances))
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
    let parameters = named_params! {
        ":tenant": tenant.as_bytes(),
        ":account": account.as_bytes(),
        ":first": timestamp(start),
        ":last": timestamp(start),
    };
    let balance = connection.prepare_cached(PERIODS)?.query_row(parameters, own_balance);
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

fn delete_at(now: UnixMillis, keep: Option<Duration>) -> Option<UnixMillis> {
    keep.map(|keep| now.after(keep))
}

fn own_balance(row: &Row<'_>) -> rusqlite::Result<Balance> {
    let amount = |column| row.get::<_, i64>(column).map(i64::unsigned_abs);
    Ok(Balance {
        spent: amount("spent")?,
        reserved: amount("reserved")?,
        raised: amount("raised")?,
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
    Ok(BudgetPeriod { account, start: time(row, "start")?, limit, balance: own_balance(row)? })
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

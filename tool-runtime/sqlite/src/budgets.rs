//! Budgets in SQLite: they change in the transactions of the keys.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row, named_params, params};
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

/// The sums of each period that counts, beside the control of the limit; one row if there is no period.
const BALANCE: &str = "
    SELECT controls.paused, controls.amount, periods.spent, periods.reserved, periods.raised, periods.start, periods.rowid
    FROM (SELECT 1)
    LEFT JOIN budget_controls AS controls ON (controls.budget, controls.window, controls.unit) = (?1, ?2, ?3)
    LEFT JOIN budget_periods AS periods
        ON periods.tenant = ?4 AND periods.account = ?5 AND periods.start BETWEEN ?6 AND ?7";

const PERIOD: &str = "
    SELECT spent, reserved, raised FROM budget_periods WHERE tenant = ?1 AND account = ?2 AND start = ?3";

const OPEN: &str = "
    INSERT INTO budget_periods
        (tenant, account, start, budget, window, scope, unit, most, spent, reserved, raised, delete_at)
    VALUES (:tenant, :account, :start, :budget, :window, :scope, :unit, -1, 0, 0, 0, :delete_at)
    ON CONFLICT DO NOTHING";

/// Adds to the sums of a period, which is stored if it is not.
const ADD: &str = "
    INSERT INTO budget_periods
        (tenant, account, start, budget, window, scope, unit, most, spent, reserved, raised, delete_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 0, ?11)
    ON CONFLICT DO UPDATE SET
        most = excluded.most,
        spent = iif(spent > 9223372036854775807 - excluded.spent, 9223372036854775807, spent + excluded.spent),
        reserved = iif(
            reserved > 9223372036854775807 - excluded.reserved,
            9223372036854775807, reserved + excluded.reserved)";

/// Adds to the sums of a period whose row is known: half the work of an insertion that meets a row.
const ADD_TO_ROW: &str = "
    UPDATE budget_periods SET
        most = ?2,
        spent = iif(spent > 9223372036854775807 - ?3, 9223372036854775807, spent + ?3),
        reserved = iif(reserved > 9223372036854775807 - ?4, 9223372036854775807, reserved + ?4)
    WHERE rowid = ?1";

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

/// The sum of a period to which amounts are added.
#[derive(Debug, Clone, Copy)]
enum SumColumn {
    Spent,
    Reserved,
}

/// Reservations with what they need of their accounts.
pub(super) struct AccountNeeds<'r> {
    pub(super) reservations: &'r [Reservation],
    /// The digests of the accounts.
    pub(super) accounts: Vec<Digest>,
    /// The amounts that are to be added.
    pub(super) amounts: Vec<u64>,
    /// The balances without these amounts, once they are read.
    pub(super) balances: Vec<Balance>,
    /// The rows of the periods that the amounts are taken from, if they are stored, once they are read.
    rows: Vec<Option<i64>>,
}

impl<'r> AccountNeeds<'r> {
    pub(super) fn new(reservations: &'r [Reservation]) -> Self {
        Self {
            reservations,
            accounts: reservations.iter().map(|it| it.account.digest()).collect(),
            amounts: reservations.iter().map(|it| it.amount).collect(),
            balances: Vec::new(),
            rows: Vec::new(),
        }
    }

    pub(super) fn read_balances(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        for (reservation, account) in self.reservations.iter().zip(&self.accounts) {
            let (balance, row) = balance(connection, reservation, *account)?;
            self.balances.push(balance);
            self.rows.push(row);
        }
        Ok(())
    }

    /// Returns whether all amounts fit beside the balances.
    pub(super) fn fit(&self) -> bool {
        let mut needs = self.reservations.iter().zip(&self.amounts).zip(&self.balances);
        needs.all(|((reservation, amount), balance)| reservation.fits(*amount, balance))
    }

    /// Adds the amounts to what is reserved; returns the balances with them.
    pub(super) fn reserve(
        self,
        connection: &Connection,
        now: UnixMillis,
    ) -> rusqlite::Result<Vec<Balance>> {
        self.add(connection, now, SumColumn::Reserved)
    }

    /// Adds the amounts to what is spent; returns the balances with them.
    fn spend(self, connection: &Connection, now: UnixMillis) -> rusqlite::Result<Vec<Balance>> {
        self.add(connection, now, SumColumn::Spent)
    }

    /// Adds the amounts to a sum of their periods; returns the balances with them.
    fn add(
        mut self,
        connection: &Connection,
        now: UnixMillis,
        column: SumColumn,
    ) -> rusqlite::Result<Vec<Balance>> {
        for (index, (reservation, amount)) in
            self.reservations.iter().zip(&self.amounts).enumerate()
        {
            let (spent, reserved) = match column {
                SumColumn::Spent => (*amount, 0),
                SumColumn::Reserved => (0, *amount),
            };
            match self.rows[index] {
                Some(row) => {
                    let sums =
                        params![row, whole(reservation.limit), whole(spent), whole(reserved)];
                    connection.prepare_cached(ADD_TO_ROW)?.execute(sums)?;
                }
                None => add(connection, now, reservation, self.accounts[index], (spent, reserved))?,
            }
        }
        // Another reading would find the same.
        let mut balances = std::mem::take(&mut self.balances);
        for (reservation, balance) in self.reservations.iter().zip(&mut balances) {
            let sum = match column {
                SumColumn::Spent => &mut balance.spent,
                SumColumn::Reserved => &mut balance.reserved,
            };
            *sum = sum.saturating_add(self.added_to(reservation)).min(MAX_STORED);
        }
        Ok(balances)
    }

    /// Returns how much of the amounts counts in the balance of a reservation.
    fn added_to(&self, reservation: &Reservation) -> u64 {
        let added = self.reservations.iter().zip(&self.amounts).filter(|(other, _)| {
            other.account == reservation.account && reservation.counts(other.start)
        });
        added.fold(0, |sum, (_, amount)| sum.saturating_add(*amount))
    }
}

/// Reads the balance of a reservation, and finds the row of its period.
fn balance(
    connection: &Connection,
    reservation: &Reservation,
    digest: Digest,
) -> rusqlite::Result<(Balance, Option<i64>)> {
    let Reservation { account, start, since, .. } = reservation;
    let is_rolling = since < start;
    let mut statement = connection.prepare_cached(BALANCE)?;
    let mut periods = statement.query(params![
        account.budget,
        account.limit,
        account.unit.to_string(),
        account.tenant.as_bytes(),
        digest.as_bytes(),
        timestamp(if is_rolling { *since } else { *start }),
        if is_rolling { i64::MAX } else { timestamp(*start) },
    ])?;
    let (mut balance, mut row_of_period) = (Balance::default(), None);
    while let Some(row) = periods.next()? {
        let limit: Option<i64> = row.get(1)?;
        balance.paused = row.get::<_, Option<bool>>(0)?.unwrap_or_default();
        balance.limit = limit.map(i64::unsigned_abs);
        if row.get_ref(2)? != ValueRef::Null {
            balance = balance.with_period(&sums(row, 2)?);
            if row.get::<_, i64>(5)? == timestamp(*start) {
                row_of_period = Some(row.get(6)?);
            }
        }
    }
    Ok((balance, row_of_period))
}

/// Adds amounts to what is spent and to what is reserved in the period of a reservation.
fn add(
    connection: &Connection,
    now: UnixMillis,
    Reservation { account, start, keep, limit, .. }: &Reservation,
    digest: Digest,
    (spent, reserved): (u64, u64),
) -> rusqlite::Result<()> {
    let added = connection.prepare_cached(ADD)?.execute(params![
        account.tenant.as_bytes(),
        digest.as_bytes(),
        timestamp(*start),
        account.budget,
        account.limit,
        account.scope,
        account.unit.to_string(),
        whole(*limit),
        whole(spent),
        whole(reserved),
        delete_at(now, *keep).map(timestamp),
    ]);
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

fn delete_at(now: UnixMillis, keep: Option<Duration>) -> Option<UnixMillis> {
    keep.map(|keep| now.after(keep))
}

/// Reads the sums of a period from three columns, the first of which has this number.
fn sums(row: &Row<'_>, first: usize) -> rusqlite::Result<Balance> {
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

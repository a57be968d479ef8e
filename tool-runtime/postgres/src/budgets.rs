//! Budgets in PostgreSQL: they change in the transactions of the keys.

use std::time::Duration;

use async_trait::async_trait;
use tokio_postgres::Row;
use tokio_postgres::types::Type;
use tool_runtime_core::store::signed::{timestamp, whole};
use tool_runtime_core::store::{
    Balance, BudgetAccount, BudgetControl, BudgetPeriod, BudgetStore, Charge, ClaimRequest, Fence,
    PeriodPosition, Reservation, ReserveOutcome, ScopedKey, Settlement, SpendOutcome, StoreError,
    StoredPeriod, UnixMillis,
};
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use crate::PostgresStore;
use crate::columns::{column, optional_time, time};
use crate::database::RowScope;
use crate::error::damaged;
use crate::statement::{Statement, lock_number, must_have_no_nul};
use crate::{claim, settle};

const SPEND: &str = r#"
    SELECT fits, balances FROM "SCHEMA".take_amounts(
        $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, true)"#;

const BALANCES: &str = r#"
    SELECT spent, reserved, raised, paused, amount
    FROM "SCHEMA".budget_balances($1, $2, $3, $4, $5, $6, $7) ORDER BY number"#;

const RAISE: &str = r#"
    INSERT INTO "SCHEMA".budget_periods AS periods (
        tenant, account, start, budget, limit_name, scope, unit, most, spent, reserved, raised, delete_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, 0, 0, 0, $8, $9)
    ON CONFLICT (tenant, account, start) DO UPDATE
    SET raised = least(periods.raised::numeric + excluded.raised, 9223372036854775807)::bigint
    RETURNING raised"#;

pub(crate) const SET_CONTROL: &str = r#"
    INSERT INTO "SCHEMA".budget_controls (budget, limit_name, unit, paused, amount) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (budget, limit_name, unit) DO UPDATE SET paused = excluded.paused, amount = excluded.amount
    RETURNING paused"#;

const LIST: &str = r#"
    SELECT tenant, start, budget, limit_name, scope, unit, most, spent, reserved, raised
    FROM "SCHEMA".budget_periods WHERE tenant = $1 AND (account, start) > ($2, $3)
    ORDER BY account, start LIMIT $4"#;

pub(crate) const SWEEP: &str = r#"
    WITH due AS MATERIALIZED (
        SELECT tenant, account, start FROM "SCHEMA".budget_periods WHERE delete_at <= $1
        LIMIT $2 FOR UPDATE SKIP LOCKED)
    DELETE FROM "SCHEMA".budget_periods AS periods USING due
    WHERE (periods.tenant, periods.account, periods.start) = (due.tenant, due.account, due.start)
    RETURNING periods.start"#;

#[async_trait]
impl BudgetStore for PostgresStore {
    async fn reserve(
        &self,
        request: ClaimRequest,
        reservations: Vec<Reservation>,
    ) -> Result<ReserveOutcome, StoreError> {
        let ScopedKey { principal, tool, key, .. } = &request.key;
        must_have_no_nul(&[principal, tool, key, &request.caller])?;
        reservations.iter().try_for_each(|it| must_be_storable(&it.account))?;
        let database = self.database.clone();
        let claim = async move { claim::claim(&database, &request, &reservations).await };
        let (outcome, guard) = self.database.run(claim).await?;
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
        let (database, key) = (self.database.clone(), key.clone());
        let settle =
            async move { settle::settle(&database, &key, fence, &settlement, &charge).await };
        self.database.run(settle).await
    }

    async fn spend(
        &self,
        now: UnixMillis,
        reservations: Vec<Reservation>,
    ) -> Result<SpendOutcome, StoreError> {
        let Some(first) = reservations.first() else { return Ok(SpendOutcome::Spent(Vec::new())) };
        reservations.iter().try_for_each(|it| must_be_storable(&it.account))?;
        let tenant = first.account.tenant;
        let amounts: Vec<u64> = reservations.iter().map(|it| it.amount).collect();
        let needs = AmountsNeeded::new(now, &reservations, &amounts);
        let statement = needs.bind(Statement::new(SPEND).uuid(tenant));
        let read = move |row: &Row| Ok((column::<bool>(row, "fits")?, needs.balances(row)?));
        match self.query(RowScope::Tenant(tenant), statement, read).await?.pop() {
            Some((true, balances)) => Ok(SpendOutcome::Spent(balances)),
            Some((false, balances)) => Ok(SpendOutcome::Exceeded(balances)),
            None => Err(damaged("the amounts were neither spent nor refused")),
        }
    }

    async fn balances(&self, reservations: &[Reservation]) -> Result<Vec<Balance>, StoreError> {
        let Some(first) = reservations.first() else { return Ok(Vec::new()) };
        let tenant = first.account.tenant;
        let text = |part: fn(&BudgetAccount) -> &str| {
            reservations.iter().map(|it| part(&it.account).to_owned()).collect::<Vec<_>>()
        };
        let accounts = reservations.iter().map(|it| it.account.digest().as_bytes().to_vec());
        let units = reservations.iter().map(|it| it.account.unit.to_string()).collect::<Vec<_>>();
        let statement = Statement::new(BALANCES)
            .uuid(tenant)
            .bytes_list(accounts.collect())
            .list(reservations.iter().map(first_period).collect::<Vec<_>>(), Type::INT8_ARRAY)
            .list(reservations.iter().map(last_period).collect::<Vec<_>>(), Type::INT8_ARRAY)
            .list(text(|it| &it.budget), Type::TEXT_ARRAY)
            .list(text(|it| &it.limit), Type::TEXT_ARRAY)
            .list(units, Type::TEXT_ARRAY);
        self.query(RowScope::Tenant(tenant), statement, |row| {
            let amount: Option<i64> = column(row, "amount")?;
            Ok(Balance {
                paused: column(row, "paused")?,
                limit: amount.map(i64::unsigned_abs),
                ..own_balance(row)?
            })
        })
        .await
    }

    async fn raise(
        &self,
        account: &BudgetAccount,
        start: UnixMillis,
        amount: u64,
        now: UnixMillis,
        keep: Option<Duration>,
    ) -> Result<(), StoreError> {
        must_be_storable(account)?;
        let statement = Statement::new(RAISE)
            .uuid(account.tenant)
            .digest(&account.digest())
            .time(start)
            .text(&account.budget)
            .text(&account.limit)
            .text(&account.scope)
            .text(&account.unit.to_string())
            .number(whole(amount))
            .optional_time(keep.map(|keep| now.after(keep)));
        self.execute(RowScope::Tenant(account.tenant), statement).await.map(drop)
    }

    async fn set_control(&self, control: BudgetControl) -> Result<(), StoreError> {
        self.execute(RowScope::AllTenants, control_insertion(&control)?).await.map(drop)
    }

    async fn list_periods(
        &self,
        tenant: Uuid,
        after: Option<PeriodPosition>,
        limit: usize,
    ) -> Result<Vec<BudgetPeriod>, StoreError> {
        let after = after.map(|it| (it.account.as_bytes().to_vec(), timestamp(it.start)));
        let (account, start) = after.unwrap_or_default();
        let statement = Statement::new(LIST).uuid(tenant).bytes(account).number(start).limit(limit);
        self.query(RowScope::Tenant(tenant), statement, period).await
    }
}

/// The amounts that a claim or a spending call needs, in the order of their accounts, in which they are locked.
pub(crate) struct AmountsNeeded {
    /// For each of them, its place among the reservations.
    places: Vec<usize>,
    accounts: Vec<BudgetAccount>,
    digests: Vec<Vec<u8>>,
    locks: Vec<Option<i64>>,
    starts: Vec<Option<i64>>,
    firsts: Vec<Option<i64>>,
    lasts: Vec<Option<i64>>,
    amounts: Vec<i64>,
    limits: Vec<i64>,
    may_exceed: Vec<bool>,
    delete_at: Vec<Option<i64>>,
}

impl AmountsNeeded {
    pub(crate) fn new(now: UnixMillis, reservations: &[Reservation], amounts: &[u64]) -> Self {
        let mut places: Vec<_> = (0..reservations.len().min(amounts.len())).collect();
        places.sort_by_key(|place| *reservations[*place].account.digest().as_bytes());
        let sorted = || places.iter().map(|place| &reservations[*place]);
        let digests: Vec<_> = sorted().map(|it| it.account.digest()).collect();
        Self {
            accounts: sorted().map(|it| it.account.clone()).collect(),
            locks: sorted().zip(&digests).map(|(it, digest)| lock(it, digest)).collect(),
            digests: digests.iter().map(|it| it.as_bytes().to_vec()).collect(),
            starts: sorted().map(|it| it.period.map(|it| timestamp(it.start))).collect(),
            firsts: sorted().map(first_period).collect(),
            lasts: sorted().map(last_period).collect(),
            amounts: places.iter().map(|place| whole(amounts[*place])).collect(),
            limits: sorted().map(|it| whole(it.limit)).collect(),
            may_exceed: sorted().map(|it| it.may_exceed).collect(),
            delete_at: sorted().map(|it| delete_at(it, now)).collect(),
            places,
        }
    }

    /// Adds the parameters of `take_amounts` after the tenant.
    pub(crate) fn bind(&self, statement: Statement) -> Statement {
        let text = |part: fn(&BudgetAccount) -> &str| {
            self.accounts.iter().map(|it| part(it).to_owned()).collect::<Vec<_>>()
        };
        let units = self.accounts.iter().map(|it| it.unit.to_string()).collect::<Vec<_>>();
        statement
            .bytes_list(self.digests.clone())
            .list(self.locks.clone(), Type::INT8_ARRAY)
            .list(self.starts.clone(), Type::INT8_ARRAY)
            .list(self.firsts.clone(), Type::INT8_ARRAY)
            .list(self.lasts.clone(), Type::INT8_ARRAY)
            .list(self.amounts.clone(), Type::INT8_ARRAY)
            .list(self.limits.clone(), Type::INT8_ARRAY)
            .list(self.may_exceed.clone(), Type::BOOL_ARRAY)
            .list(self.delete_at.clone(), Type::INT8_ARRAY)
            .list(text(|it| &it.budget), Type::TEXT_ARRAY)
            .list(text(|it| &it.limit), Type::TEXT_ARRAY)
            .list(text(|it| &it.scope), Type::TEXT_ARRAY)
            .list(units, Type::TEXT_ARRAY)
    }

    /// Reads the balances of a row, and puts them into the order of the reservations.
    pub(crate) fn balances(&self, row: &Row) -> Result<Vec<Balance>, StoreError> {
        let parts: Option<Vec<Option<i64>>> = column(row, "balances")?;
        let parts = parts.unwrap_or_default();
        let mut balances = vec![Balance::default(); self.places.len()];
        if parts.len() != 5 * balances.len() {
            return Err(damaged("the balances of an operation are not complete"));
        }
        for (parts, place) in parts.chunks_exact(5).zip(&self.places) {
            let number = |index: usize| parts[index].unwrap_or_default().unsigned_abs();
            balances[*place] = Balance {
                spent: number(0),
                reserved: number(1),
                raised: number(2),
                paused: number(3) == 1,
                limit: parts[4].map(i64::unsigned_abs),
            };
        }
        Ok(balances)
    }
}

/// The start of the first period that counts against a limit.
fn first_period(reservation: &Reservation) -> Option<i64> {
    reservation.period.map(|period| timestamp(period.counted_starts().0))
}

/// The start of the last one.
fn last_period(reservation: &Reservation) -> Option<i64> {
    let (_, last) = reservation.period?.counted_starts();
    Some(last.map_or(i64::MAX, timestamp))
}

/// The lock of an account; none if no sum of it is stored.
fn lock(reservation: &Reservation, digest: &Digest) -> Option<i64> {
    reservation.period.map(|_| lock_number(digest))
}

fn delete_at(reservation: &Reservation, now: UnixMillis) -> Option<i64> {
    let keep = reservation.period?.keep?;
    Some(timestamp(now.after(keep)))
}

fn must_be_storable(account: &BudgetAccount) -> Result<(), StoreError> {
    must_have_no_nul(&[&account.budget, &account.limit, &account.scope])
}

/// Returns the statement that stores a control, in place of an earlier one.
pub(crate) fn control_insertion(control: &BudgetControl) -> Result<Statement, StoreError> {
    must_have_no_nul(&[&control.budget, &control.limit])?;
    Ok(Statement::new(SET_CONTROL)
        .text(&control.budget)
        .text(&control.limit)
        .text(&control.unit.to_string())
        .flag(control.paused)
        .optional_number(control.amount.map(whole)))
}

fn own_balance(row: &Row) -> Result<Balance, StoreError> {
    let amount = |name| column::<i64>(row, name).map(i64::unsigned_abs);
    Ok(Balance {
        spent: amount("spent")?,
        reserved: amount("reserved")?,
        raised: amount("raised")?,
        ..Balance::default()
    })
}

/// Reads a period.
pub(crate) fn period(row: &Row) -> Result<BudgetPeriod, StoreError> {
    let account = BudgetAccount {
        tenant: column(row, "tenant")?,
        budget: column(row, "budget")?,
        limit: column(row, "limit_name")?,
        scope: column(row, "scope")?,
        unit: unit(row)?,
    };
    let limit = column::<i64>(row, "most")?.unsigned_abs();
    Ok(BudgetPeriod { account, start: time(row, "start")?, limit, balance: own_balance(row)? })
}

/// Reads a period, and when it is deleted.
pub(crate) fn stored_period(row: &Row) -> Result<StoredPeriod, StoreError> {
    Ok(StoredPeriod { period: period(row)?, delete_at: optional_time(row, "delete_at")? })
}

/// Reads a control.
pub(crate) fn control(row: &Row) -> Result<BudgetControl, StoreError> {
    let amount: Option<i64> = column(row, "amount")?;
    Ok(BudgetControl {
        budget: column(row, "budget")?,
        limit: column(row, "limit_name")?,
        unit: unit(row)?,
        paused: column(row, "paused")?,
        amount: amount.map(i64::unsigned_abs),
    })
}

fn unit(row: &Row) -> Result<tool_runtime_core::store::BudgetUnit, StoreError> {
    let text: &str = column(row, "unit")?;
    text.parse().map_err(|_| damaged("a budget has a unit that the store does not write"))
}

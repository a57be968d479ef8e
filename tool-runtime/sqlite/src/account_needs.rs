//! Balances of the accounts of reservations, and the amounts that are added to them.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, params};
use tool_runtime_core::store::signed::{timestamp, whole};
use tool_runtime_core::store::{
    Balance, BudgetAccount, Reservation, ReservationPeriod, UnixMillis,
};
use tool_runtime_schema::canonical::Digest;

use super::budgets::{delete_at, sums};

/// The sums of each period that counts, beside the control of the limit; one row if there is no period.
const BALANCE: &str = "
    SELECT controls.paused, controls.amount, periods.spent, periods.reserved, periods.raised, periods.start, periods.rowid
    FROM (SELECT 1)
    LEFT JOIN budget_controls AS controls ON (controls.budget, controls.window, controls.unit) = (?1, ?2, ?3)
    LEFT JOIN budget_periods AS periods
        ON periods.tenant = ?4 AND periods.account = ?5 AND periods.start BETWEEN ?6 AND ?7";

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

/// The greatest amount that a column holds.
const MAX_STORED: u64 = i64::MAX.unsigned_abs();

/// The sum of a period to which amounts are added.
#[derive(Debug, Clone, Copy)]
enum SumColumn {
    Spent,
    Reserved,
}

/// Reservations with what they need of their accounts.
pub(super) struct AccountNeeds<'r> {
    pub(super) reservations: &'r [Reservation],
    /// The digests of the accounts, once the balances are read.
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
            accounts: Vec::new(),
            amounts: reservations.iter().map(|it| it.amount).collect(),
            balances: Vec::new(),
            rows: Vec::new(),
        }
    }

    pub(super) fn read_balances(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        self.accounts = Reservation::account_digests(self.reservations);
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
    pub(super) fn spend(
        self,
        connection: &Connection,
        now: UnixMillis,
    ) -> rusqlite::Result<Vec<Balance>> {
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
            let Some(period) = &reservation.period else { continue };
            let (spent, reserved) = match column {
                SumColumn::Spent => (*amount, 0),
                SumColumn::Reserved => (0, *amount),
            };
            if let Some(row) = self.rows[index] {
                let sums = params![row, whole(reservation.limit), whole(spent), whole(reserved)];
                connection.prepare_cached(ADD_TO_ROW)?.execute(sums)?;
            } else {
                let limited = (&reservation.account, self.accounts[index], reservation.limit);
                add(connection, now, limited, period, (spent, reserved))?;
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
        let Some(period) = &reservation.period else { return 0 };
        let added = self.reservations.iter().zip(&self.amounts).filter(|(other, _)| {
            other.account == reservation.account
                && other.period.is_some_and(|other| period.counts(other.start))
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
    let account = &reservation.account;
    let counted = reservation.period.map(|period| period.counted_starts());
    let last = |last: Option<UnixMillis>| last.map_or(i64::MAX, timestamp);
    let mut statement = connection.prepare_cached(BALANCE)?;
    let mut periods = statement.query(params![
        account.budget,
        account.limit,
        account.unit.to_string(),
        account.tenant.as_bytes(),
        digest.as_bytes(),
        counted.map(|(first, _)| timestamp(first)),
        counted.map(|(_, counted_last)| last(counted_last)),
    ])?;
    let (mut balance, mut row_of_period) = (Balance::default(), None);
    while let Some(row) = periods.next()? {
        let limit: Option<i64> = row.get(1)?;
        balance.paused = row.get::<_, Option<bool>>(0)?.unwrap_or_default();
        balance.limit = limit.map(i64::unsigned_abs);
        if row.get_ref(2)? != ValueRef::Null {
            balance = balance.with_period(&sums(row, 2)?);
            let start: i64 = row.get(5)?;
            if reservation.period.is_some_and(|period| timestamp(period.start) == start) {
                row_of_period = Some(row.get(6)?);
            }
        }
    }
    Ok((balance, row_of_period))
}

/// Adds amounts to what is spent and to what is reserved in a period of an account.
fn add(
    connection: &Connection,
    now: UnixMillis,
    (account, digest, limit): (&BudgetAccount, Digest, u64),
    ReservationPeriod { start, keep, .. }: &ReservationPeriod,
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
        whole(limit),
        whole(spent),
        whole(reserved),
        delete_at(now, *keep).map(timestamp),
    ]);
    added.map(drop)
}

//! The body of `/budgets`, and its page cursor.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use tool_runtime_core::policy::LimitState;
use tool_runtime_core::store::{Balance, BudgetPeriod, PeriodPosition, UnixMillis};
use tool_runtime_record::ledger::query::utc_time;

/// Lists the limits of the host's budgets, and a tenant's sums.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Budgets", deny_unknown_fields)]
pub(crate) struct BudgetsPage {
    /// The limits that the host has configured, with the changes that hold at present.
    pub(super) limits: Vec<BudgetLimit>,
    /// A page of the tenant's sums in their periods, in a stable order.
    pub(super) sums: Vec<BudgetSum>,
    /// The `after` of the next page; left out on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next: Option<String>,
}

/// Describes a configured limit.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "BudgetLimit", deny_unknown_fields)]
pub(crate) struct BudgetLimit {
    /// The budget's name.
    budget: String,
    /// The limit of the budget, such as `day`.
    limit: String,
    /// The unit: the code of a currency by ISO 4217, or `calls`.
    unit: String,
    /// The configured amount, a decimal number; left out for a budget without limits, which only asks or demands
    /// mandates.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<String>,
    /// The amount that holds in place of the configured one; left out if that was not changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    changed_to: Option<String>,
    /// True if every call that the limit concerns is refused.
    paused: bool,
}

/// Describes what the calls of one scope have used of a limit in one period.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "BudgetSum", deny_unknown_fields)]
pub(crate) struct BudgetSum {
    /// The budget's name.
    budget: String,
    /// The limit of the budget, such as `day`.
    limit: String,
    /// The scope that the sum belongs to, such as `user:42`.
    scope: String,
    /// The unit: the code of a currency by ISO 4217, or `calls`.
    unit: String,
    /// The start of the period; left out for a limit that never renews.
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<DateTime<Utc>>,
    /// The amount that was spent; of a rolling window, in the window that ends with this period.
    spent: String,
    /// The amount that is reserved by calls that run, and by calls whose outcome is unknown.
    reserved: String,
    /// The limit in force.
    total: String,
    /// The amount that may still be reserved.
    left: String,
    /// True if the limit is paused.
    paused: bool,
}

impl BudgetLimit {
    pub(super) fn new(state: &LimitState) -> Self {
        let LimitState { limit, paused, changed_to } = state;
        let number = |amount| limit.unit.format_number(amount);
        Self {
            budget: limit.budget.to_string(),
            limit: limit.limit.to_string(),
            unit: limit.unit.name().to_owned(),
            total: limit.amount.map(number),
            changed_to: changed_to.map(number),
            paused: *paused,
        }
    }
}

impl BudgetSum {
    pub(super) fn new(period: &BudgetPeriod, balance: &Balance) -> Self {
        let account = &period.account;
        let number = |amount| account.unit.format_number(amount);
        let start = Some(period.start).filter(|start| start.get() > 0);
        Self {
            budget: account.budget.to_string(),
            limit: account.limit.to_string(),
            scope: account.scope.to_string(),
            unit: account.unit.name().to_owned(),
            start: start.and_then(utc_time),
            spent: number(balance.spent),
            reserved: number(balance.reserved),
            total: number(balance.limit(period.limit)),
            left: number(balance.left(period.limit)),
            paused: balance.paused,
        }
    }
}

/// A position in the list of sums: the digest of an account in hexadecimal digits, and the start of a period in
/// milliseconds, joined by `-`.
#[derive(Debug)]
pub(crate) struct PeriodCursor(PeriodPosition);

impl PeriodCursor {
    /// The pattern of a cursor.
    pub(crate) const PATTERN: &str = "^[0-9a-f]{64}-[0-9]{1,15}$";

    pub(super) fn after(period: &BudgetPeriod) -> Self {
        Self(period.position())
    }

    pub(super) fn position(&self) -> PeriodPosition {
        self.0
    }
}

impl fmt::Display for PeriodCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.0.account, self.0.start.get())
    }
}

impl FromStr for PeriodCursor {
    type Err = ();

    /// Accepts any text that matches [`PATTERN`](Self::PATTERN), even between two sums.
    fn from_str(text: &str) -> Result<Self, ()> {
        let (account, start) = text.split_once('-').ok_or(())?;
        let is_lower_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if account.len() != 64 || !account.bytes().all(is_lower_hex) {
            return Err(());
        }
        let is_number =
            (1..=15).contains(&start.len()) && start.bytes().all(|it| it.is_ascii_digit());
        let start = start.parse().ok().filter(|_| is_number).ok_or(())?;
        let account = account.parse().map_err(|_| ())?;
        Ok(Self(PeriodPosition { account, start: UnixMillis::new(start) }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_as_it_was_written_and_admits_what_its_pattern_does() {
        let digits = "0123456789abcdef".repeat(4);
        let pattern = regex_lite::Regex::new(PeriodCursor::PATTERN).expect("a pattern");
        for text in [format!("{digits}-0"), format!("{digits}-999999999999999")] {
            let cursor: PeriodCursor = text.parse().expect("a cursor");
            assert_eq!(cursor.to_string(), text);
            assert!(pattern.is_match(&text));
        }
        let upper = digits.to_uppercase();
        for wrong in [
            String::new(),
            digits.clone(),
            format!("{digits}-"),
            format!("{digits}--1"),
            format!("{digits}-+1"),
            format!("{upper}-1"),
            format!("{}-1", &digits[1..]),
            format!("{digits}-1000000000000000"),
        ] {
            assert!(wrong.parse::<PeriodCursor>().is_err() && !pattern.is_match(&wrong), "{wrong}");
        }
    }
}

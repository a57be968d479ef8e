//! Decides what a key reserves and spends, which every store shares.

use std::fmt::Write as _;

use tool_runtime_schema::canonical::Digest;

use super::{
    BudgetUnit, Charge, KeyRecord, Reservation, ReservationPeriod, ReservedAmount, UnixMillis,
};

impl KeyRecord {
    /// Returns the amounts that a claimant needs beyond what the key's record has reserved, in the order of the
    /// reservations; zero for one that the record covers, and for a limit of each call alone, which its first claim
    /// has met.
    ///
    /// A record without a match, or none, has reserved nothing.
    #[must_use]
    pub fn missing_amounts(record: Option<&Self>, reservations: &[Reservation]) -> Vec<u64> {
        let Some(Self { reserved, .. }) = record else {
            return reservations.iter().map(|reservation| reservation.amount).collect();
        };
        let missing = |reservation: &Reservation| {
            if reservation.period.is_none() {
                return 0;
            }
            if reserved.is_empty() {
                return reservation.amount;
            }
            let account = reservation.account.digest();
            let same = reserved.iter().filter(|it| it.account == account);
            let covered = same.fold(0_u64, |sum, it| sum.saturating_add(it.amount));
            reservation.amount.saturating_sub(covered)
        };
        reservations.iter().map(missing).collect()
    }

    /// Adds the missing amounts of reservations to those of the record. `accounts` are the [digests] of their accounts.
    ///
    /// [digests]: super::BudgetAccount::digest
    pub fn add_reserved(
        &mut self,
        reservations: &[Reservation],
        accounts: &[Digest],
        missing: &[u64],
    ) {
        let needs = reservations.iter().zip(accounts).zip(missing);
        for ((reservation, account), amount) in needs.filter(|(_, missing)| **missing > 0) {
            let Some(ReservationPeriod { start, .. }) = reservation.period else { continue };
            let (account, unit) = (*account, reservation.account.unit);
            let same = |it: &&mut ReservedAmount| it.account == account && it.start == start;
            match self.reserved.iter_mut().find(same) {
                Some(present) => present.amount = present.amount.saturating_add(*amount),
                None => {
                    self.reserved.push(ReservedAmount { account, start, unit, amount: *amount });
                }
            }
        }
    }
}

/// The form in which a store keeps the reserved amounts of a key: `[["<account>",<start>,"EUR/2",<amount>],…]`.
impl ReservedAmount {
    /// Writes reserved amounts as JSON; none if there are none.
    #[must_use]
    pub fn to_text(reserved: &[Self]) -> Option<String> {
        if reserved.is_empty() {
            return None;
        }
        // No character of these texts is escaped in JSON.
        let mut text = String::with_capacity(reserved.len() * 112);
        let mut separator = '[';
        for Self { account, start, unit, amount } in reserved {
            let _ = write!(text, r#"{separator}["{account}",{},"{unit}",{amount}]"#, start.get());
            separator = ',';
        }
        text.push(']');
        Some(text)
    }

    /// Reads reserved amounts from JSON; none if they cannot be read.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Vec<Self>> {
        let parts: Vec<(String, UnixMillis, String, u64)> = serde_json::from_str(text).ok()?;
        let amount = |(account, start, unit, amount): (String, _, String, _)| {
            let (account, unit) = (account.parse().ok()?, unit.parse().ok()?);
            Some(Self { account, start, unit, amount })
        };
        parts.into_iter().map(amount).collect()
    }
}

impl Charge {
    /// Returns the charge of a call that had no effect: what its tool has reported, else nothing.
    #[must_use]
    pub fn without_effect(&self) -> Self {
        match self {
            Self::Reserved | Self::Nothing => Self::Nothing,
            Self::Reported(amounts) => Self::Reported(amounts.clone()),
        }
    }

    /// Returns what is spent in a unit where this amount is reserved.
    #[must_use]
    pub fn amount_in(&self, unit: BudgetUnit, reserved: u64) -> u64 {
        match (self, unit) {
            (Self::Nothing, _) => 0,
            (Self::Reserved, _) | (Self::Reported(_), BudgetUnit::Calls) => reserved,
            (Self::Reported(amounts), BudgetUnit::Money(currency)) => {
                let reported = amounts.iter().find(|(code, _)| **code == *currency.code());
                reported.map_or(reserved, |(_, amount)| *amount)
            }
        }
    }

    /// Returns what is spent of each reserved amount, in their order.
    ///
    /// Several amounts of one account are one sum: the first ones are used up first, and the last one has what was
    /// spent beyond all of them.
    #[must_use]
    pub fn spent_amounts(&self, reserved: &[ReservedAmount]) -> Vec<u64> {
        let spent = |(index, it): (usize, &ReservedAmount)| {
            let same = |other: &&ReservedAmount| other.account == it.account;
            let total = |amounts: &[ReservedAmount]| {
                let amounts = amounts.iter().filter(same).map(|other| other.amount);
                amounts.fold(0_u64, u64::saturating_add)
            };
            let sum = self.amount_in(it.unit, total(reserved));
            let left = sum.saturating_sub(total(&reserved[..index]));
            let is_last = !reserved[index + 1..].iter().any(|other| other.account == it.account);
            if is_last { left } else { left.min(it.amount) }
        };
        reserved.iter().enumerate().map(spent).collect()
    }
}

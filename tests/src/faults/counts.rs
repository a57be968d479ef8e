//! The counts of a campaign.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::budgets::Payment;
use super::ledgers::RecordedPayment;
use super::log::Effect;
use super::point::Point;

/// The counts of a campaign.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FaultCounts {
    /// Killed processes, by point.
    pub killed: BTreeMap<Point, u32>,
    /// Processes that were suspended for longer than their lease, and continued.
    pub zombies: u32,
    /// Steps of the wall clock.
    pub clock_steps: u32,
    /// Damaged stores.
    pub damages: u32,
    /// Damaged stores and ledgers that were rejected when they were opened.
    pub not_opened: u32,
    /// Ledgers that were rolled back.
    pub rollbacks: u32,
    /// Rolled-back ledgers that were opened as if they were whole.
    pub unnoticed: u32,
    /// Runs that were told that another run had taken over.
    pub lease_lost: u32,
    /// Keys that were written.
    pub keys: u32,
    /// Effects.
    pub effects: u32,
    /// Keys with more than one effect.
    pub double: u32,
    /// Successes that were reported or had happened, and were answered differently later.
    pub lost: u32,
    /// Keys that were not answered at the end, although their tool can resolve them.
    pub unresolved: u32,
    /// Keys whose outcome is unknown at the end, and whose tool cannot resolve it.
    pub unknown: u32,
    /// Sums of budgets that exceed their limit.
    pub overspent: u32,
    /// Sums of budgets with an amount that no call holds.
    pub stuck: u32,
    /// Payments that a budget refused.
    pub refused: u32,
    /// Payments about which the ledgers do not say what was paid, once.
    pub misrecorded: u32,
    /// The cents that were paid, by the log.
    pub paid_cents: u64,
    /// The cents that were paid, by the ledgers.
    pub recorded_cents: u64,
}

/// The final state of one key.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outcome<'o> {
    /// The effects in the log.
    pub(super) effects: &'o [Effect],
    /// The first success that was reported to a caller.
    pub(super) confirmed: Option<Effect>,
    /// The effect in the last repeat's answer.
    pub(super) last: Option<Effect>,
    /// True if the answer of the last repeat is that the outcome is unknown.
    pub(super) is_unknown: bool,
    /// True if the last repeat was refused by a budget.
    pub(super) is_over_budget: bool,
}

impl FaultCounts {
    /// Returns the number of kills.
    #[must_use]
    pub fn kills(&self) -> u32 {
        self.killed.values().sum()
    }

    /// Returns the number of faults.
    #[must_use]
    pub fn faults(&self) -> u32 {
        self.kills() + self.zombies + self.clock_steps + self.damages + self.rollbacks
    }

    /// Adds other counts.
    pub fn add(&mut self, other: &Self) {
        for (point, killed) in &other.killed {
            *self.killed.entry(*point).or_default() += killed;
        }
        self.zombies += other.zombies;
        self.clock_steps += other.clock_steps;
        self.damages += other.damages;
        self.not_opened += other.not_opened;
        self.rollbacks += other.rollbacks;
        self.unnoticed += other.unnoticed;
        self.lease_lost += other.lease_lost;
        self.keys += other.keys;
        self.effects += other.effects;
        self.double += other.double;
        self.lost += other.lost;
        self.unresolved += other.unresolved;
        self.unknown += other.unknown;
        self.overspent += other.overspent;
        self.stuck += other.stuck;
        self.refused += other.refused;
        self.misrecorded += other.misrecorded;
        self.paid_cents += other.paid_cents;
        self.recorded_cents += other.recorded_cents;
    }

    /// Returns the number of broken promises.
    #[must_use]
    pub fn broken(&self) -> u32 {
        let wrong_sums = self.overspent + self.stuck + self.misrecorded;
        self.double + self.lost + self.unresolved + self.unnoticed + wrong_sums
    }

    /// Counts one key at the end; `resolves` says that its tool leaves no outcome unknown.
    pub(super) fn count(&mut self, outcome: Outcome<'_>, resolves: bool) {
        let Outcome { effects, confirmed, last, is_unknown, is_over_budget } = outcome;
        self.count_effects(effects, is_unknown);
        let told_otherwise = confirmed.is_some() && confirmed != last;
        let forgotten = last.is_none() && !effects.is_empty() && !is_unknown;
        self.lost += u32::from(told_otherwise || differs(effects, last) || forgotten);
        let may_be_unknown = is_unknown && !resolves;
        self.unresolved += u32::from(last.is_none() && !may_be_unknown && !is_over_budget);
        self.refused += u32::from(is_over_budget);
    }

    /// Compares the ledgers with what was paid: each payment is there, and once.
    pub(super) fn count_records(
        &mut self,
        paid: &[String],
        recorded: &BTreeMap<String, RecordedPayment>,
    ) {
        for key in paid {
            let payment = Payment::under(key);
            self.paid_cents += payment.cents();
            let records = recorded.get(key);
            if records.is_some_and(|records| records.is(&payment.amount())) {
                self.recorded_cents += payment.cents();
            } else {
                self.misrecorded += 1;
                eprintln!("a broken promise: {key}: {payment:?} is recorded as {records:?}");
            }
        }
        let paid: BTreeSet<_> = paid.iter().collect();
        for (key, records) in recorded.iter().filter(|(key, _)| !paid.contains(key)) {
            self.misrecorded += 1;
            eprintln!("a broken promise: {key} was not paid, and is recorded as {records:?}");
        }
    }

    /// Counts one key of a damaged store: an error is allowed, a wrong answer is not.
    pub(super) fn count_damaged(&mut self, outcome: Outcome<'_>) {
        let Outcome { effects, last, is_unknown, .. } = outcome;
        self.count_effects(effects, is_unknown);
        self.lost += u32::from(differs(effects, last));
    }

    fn count_effects(&mut self, effects: &[Effect], is_unknown: bool) {
        self.keys += 1;
        self.effects += u32::try_from(effects.len()).unwrap_or(u32::MAX);
        self.double += u32::from(effects.len() > 1);
        self.unknown += u32::from(is_unknown);
    }
}

/// Returns whether an answer names an effect other than the one that happened.
fn differs(effects: &[Effect], answer: Option<Effect>) -> bool {
    answer.is_some_and(|answer| effects != [answer])
}

/// The machine-readable line.
impl fmt::Display for FaultCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            double,
            lost,
            unresolved,
            zombies,
            clock_steps,
            damages,
            rollbacks,
            unnoticed,
            ..
        } = self;
        let kills = self.kills();
        write!(
            f,
            "double={double} lost={lost} unresolved={unresolved} kills={kills} zombies={zombies} \
             clock_steps={clock_steps} damage={damages} rollbacks={rollbacks} \
             unnoticed={unnoticed}"
        )
    }
}

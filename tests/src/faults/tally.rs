//! What was counted, and what is wrong.

use std::collections::BTreeMap;
use std::fmt;

use super::log::Effect;
use super::point::Point;

/// The counts of a campaign.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many processes were killed, by the point.
    pub killed: BTreeMap<Point, u32>,
    /// How many processes were stopped for longer than their lease, and went on.
    pub zombies: u32,
    /// How often the wall clock was set.
    pub clock_steps: u32,
    /// How many stores were damaged.
    pub damages: u32,
    /// Damaged stores and ledgers that were refused when they were opened.
    pub not_opened: u32,
    /// Ledgers that were rolled back.
    pub rollbacks: u32,
    /// Rolled-back ledgers that were opened as if they were whole.
    pub unnoticed: u32,
    /// How many runs were told that another run had taken them over.
    pub superseded: u32,
    /// How many keys were written under.
    pub keys: u32,
    /// How many effects there were.
    pub effects: u32,
    /// How many keys had more than one effect.
    pub double: u32,
    /// How many successes were reported or had happened, and were answered otherwise later.
    pub lost: u32,
    /// How many keys were not answered in the end, though they could be.
    pub unresolved: u32,
    /// How many keys are unknown in the end, where nobody can find out.
    pub unknown: u32,
}

/// What is known of one key in the end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outcome<'o> {
    /// What happened outside.
    pub(super) effects: &'o [Effect],
    /// The first success that a caller heard of.
    pub(super) confirmed: Option<Effect>,
    /// What the last repeat was answered with.
    pub(super) last: Option<Effect>,
    /// Whether the last repeat was told that the outcome is unknown.
    pub(super) is_unknown: bool,
}

impl Tally {
    /// Returns how many processes were killed.
    #[must_use]
    pub fn kills(&self) -> u32 {
        self.killed.values().sum()
    }

    /// Returns how many faults there were.
    #[must_use]
    pub fn faults(&self) -> u32 {
        self.kills() + self.zombies + self.clock_steps + self.damages + self.rollbacks
    }

    /// Takes in another tally.
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
        self.superseded += other.superseded;
        self.keys += other.keys;
        self.effects += other.effects;
        self.double += other.double;
        self.lost += other.lost;
        self.unresolved += other.unresolved;
        self.unknown += other.unknown;
    }

    /// Returns how many promises were broken.
    #[must_use]
    pub fn broken(&self) -> u32 {
        self.double + self.lost + self.unresolved + self.unnoticed
    }

    /// Counts one key, in the end; `resolves` says that its tool leaves no outcome unknown.
    pub(super) fn count(&mut self, outcome: Outcome<'_>, resolves: bool) {
        let Outcome { effects, confirmed, last, is_unknown } = outcome;
        self.count_effects(effects, is_unknown);
        let told_otherwise = confirmed.is_some() && confirmed != last;
        let forgotten = last.is_none() && !effects.is_empty() && !is_unknown;
        self.lost += u32::from(told_otherwise || is_other(effects, last) || forgotten);
        let may_be_unknown = is_unknown && !resolves;
        self.unresolved += u32::from(last.is_none() && !may_be_unknown);
    }

    /// Counts one key of a store that was damaged: it may be answered by an error, and by nothing wrong.
    pub(super) fn count_damaged(&mut self, outcome: Outcome<'_>) {
        let Outcome { effects, last, is_unknown, .. } = outcome;
        self.count_effects(effects, is_unknown);
        self.lost += u32::from(is_other(effects, last));
    }

    fn count_effects(&mut self, effects: &[Effect], is_unknown: bool) {
        self.keys += 1;
        self.effects += u32::try_from(effects.len()).unwrap_or(u32::MAX);
        self.double += u32::from(effects.len() > 1);
        self.unknown += u32::from(is_unknown);
    }
}

/// Tells whether an answer names another effect than the one that happened.
fn is_other(effects: &[Effect], answer: Option<Effect>) -> bool {
    answer.is_some_and(|answer| effects != [answer])
}

/// The one line for machines.
impl fmt::Display for Tally {
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

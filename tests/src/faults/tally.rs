//! What was counted, and what is wrong.

use std::collections::BTreeMap;
use std::fmt;

use super::log::Effect;
use super::point::Point;

/// What a series of killed processes came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many processes were killed, by the point.
    pub killed: BTreeMap<Point, u32>,
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
    pub fn runs(&self) -> u32 {
        self.killed.values().sum()
    }

    /// Takes in another tally.
    pub fn add(&mut self, other: &Self) {
        for (point, killed) in &other.killed {
            *self.killed.entry(*point).or_default() += killed;
        }
        self.keys += other.keys;
        self.effects += other.effects;
        self.double += other.double;
        self.lost += other.lost;
        self.unresolved += other.unresolved;
        self.unknown += other.unknown;
    }

    /// Counts one key, in the end.
    pub(super) fn count(&mut self, outcome: Outcome<'_>, reconciles: bool) {
        let Outcome { effects, confirmed, last, is_unknown } = outcome;
        let is_one = |answer: Effect| effects == [answer];
        self.keys += 1;
        self.effects += u32::try_from(effects.len()).unwrap_or(u32::MAX);
        self.double += u32::from(effects.len() > 1);
        self.unknown += u32::from(is_unknown);
        let told_otherwise = confirmed.is_some() && confirmed != last;
        let happened_otherwise = last.is_some_and(|last| !is_one(last));
        let forgotten = last.is_none() && !effects.is_empty() && !is_unknown;
        self.lost += u32::from(told_otherwise || happened_otherwise || forgotten);
        let may_be_unknown = is_unknown && !reconciles;
        self.unresolved += u32::from(last.is_none() && !may_be_unknown);
    }
}

/// The one line for machines.
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { double, lost, unresolved, .. } = self;
        write!(f, "runs={} double={double} lost={lost} unresolved={unresolved}", self.runs())
    }
}

//! The counts of the clients.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::act::{Act, WEIGHTS};
use super::request::Wrong;

/// The most wrong answers that are described.
const TOLD: usize = 20;

/// The counts of all clients so far.
#[derive(Debug)]
pub(super) struct Tally {
    acts: [AtomicU64; WEIGHTS.len()],
    unanswered: AtomicU64,
    not_the_tools: AtomicU64,
    wrong: AtomicU64,
    told: Mutex<Vec<String>>,
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            acts: std::array::from_fn(|_| AtomicU64::default()),
            unanswered: AtomicU64::default(),
            not_the_tools: AtomicU64::default(),
            wrong: AtomicU64::default(),
            told: Mutex::default(),
        }
    }
}

impl Tally {
    pub(super) fn begins(&self, act: Act) {
        if let Some(at) = WEIGHTS.iter().position(|(it, _)| *it == act) {
            self.acts[at].fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(super) fn unanswered(&self, act: Act, why: &std::io::Error) {
        self.unanswered.fetch_add(1, Ordering::Relaxed);
        self.tell(format!("{act:?}: no answer: {why}"));
    }

    pub(super) fn wrong(&self, act: Act, wrong: Wrong) {
        let (count, text) = match wrong {
            Wrong::NotTheTools(text) => (&self.not_the_tools, text),
            Wrong::Other(text) => (&self.wrong, text),
        };
        count.fetch_add(1, Ordering::Relaxed);
        self.tell(format!("{act:?}: {text}"));
    }

    pub(super) fn requests(&self) -> u64 {
        self.count(|_| true)
    }

    pub(super) fn faults(&self) -> u64 {
        self.count(Act::is_a_fault)
    }

    /// Returns the numbers of unanswered requests, of wrong answers, and of failures that are not
    /// a tool's.
    pub(super) fn failures(&self) -> [u64; 3] {
        [&self.unanswered, &self.wrong, &self.not_the_tools].map(|it| it.load(Ordering::Relaxed))
    }

    pub(super) fn told(&self) -> Vec<String> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns each action with its count.
    pub(super) fn acts(&self) -> impl Iterator<Item = (Act, u64)> {
        WEIGHTS
            .iter()
            .zip(&self.acts)
            .map(|((act, _), count)| (*act, count.load(Ordering::Relaxed)))
    }

    fn count(&self, counts: impl Fn(Act) -> bool) -> u64 {
        self.acts().filter(|(act, _)| counts(*act)).map(|(_, count)| count).sum()
    }

    fn tell(&self, text: String) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.len() < TOLD {
            told.push(text);
        }
    }
}

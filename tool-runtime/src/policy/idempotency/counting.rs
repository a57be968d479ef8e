//! Counts what became of keyed calls whose outcome was not known, for figures.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::dispatch::Runtime;
use crate::policy::governor::State;

/// Counts of unknown outcomes since the runtime was built.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OutcomeFigures {
    /// Outcomes that became unknown here.
    pub unknown: u64,
    /// Unknown outcomes that a person resolved here.
    pub resolved: u64,
    /// Unknown outcomes that were archived here.
    pub archived: u64,
    /// Keyed calls that were refused because the stored record of their key is damaged, or is not
    /// an answer that the tool could have given.
    pub damaged: u64,
    /// Calls that were refused because their caller has its share of unknown outcomes or tickets.
    pub over_share: u64,
}

/// The counters behind [`OutcomeFigures`].
#[derive(Debug, Default)]
pub(in crate::policy) struct OutcomeCounts {
    unknown: AtomicU64,
    resolved: AtomicU64,
    archived: AtomicU64,
    damaged: AtomicU64,
    over_share: AtomicU64,
}

impl OutcomeCounts {
    pub(in crate::policy) fn lost(&self) {
        self.unknown.fetch_add(1, Ordering::Relaxed);
    }

    pub(in crate::policy) fn resolved(&self) {
        self.resolved.fetch_add(1, Ordering::Relaxed);
    }

    pub(in crate::policy) fn archived(&self, count: usize) {
        self.archived.fetch_add(u64::try_from(count).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    pub(in crate::policy) fn damaged(&self) {
        self.damaged.fetch_add(1, Ordering::Relaxed);
    }

    pub(in crate::policy) fn over_share(&self) {
        self.over_share.fetch_add(1, Ordering::Relaxed);
    }
}

impl Runtime {
    /// Returns how many outcomes became unknown, and what became of them, since the runtime was
    /// built.
    #[must_use]
    pub fn outcome_figures(&self) -> OutcomeFigures {
        let Some(state) = State::of(self) else { return OutcomeFigures::default() };
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let counts = &state.outcomes;
        OutcomeFigures {
            unknown: read(&counts.unknown),
            resolved: read(&counts.resolved),
            archived: read(&counts.archived),
            damaged: read(&counts.damaged),
            over_share: read(&counts.over_share),
        }
    }
}

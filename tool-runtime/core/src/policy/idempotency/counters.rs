//! Counts unknown outcomes of keyed calls, for metrics.

use std::sync::atomic::{AtomicU64, Ordering};

use super::resolution::Outcomes;

/// Counts of unknown outcomes since the runtime was built.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OutcomeCounts {
    /// Outcomes that became unknown.
    pub unknown: u64,
    /// Unknown outcomes that a person resolved.
    pub resolved: u64,
    /// Unknown outcomes that were archived.
    pub archived: u64,
    /// Keyed calls that were refused because the stored record of their key is damaged, or is not
    /// an answer that the tool could have given.
    pub damaged: u64,
    /// Calls that were refused because their caller has reached its quota of unknown outcomes or
    /// tickets.
    pub over_quota: u64,
}

/// The counters behind [`OutcomeCounts`].
#[derive(Debug, Default)]
pub(in crate::policy) struct OutcomeCounters {
    unknown: AtomicU64,
    resolved: AtomicU64,
    archived: AtomicU64,
    damaged: AtomicU64,
    over_quota: AtomicU64,
}

impl OutcomeCounters {
    pub(in crate::policy) fn record_unknown(&self) {
        self.unknown.fetch_add(1, Ordering::Relaxed);
    }

    pub(in crate::policy) fn record_resolved(&self) {
        self.resolved.fetch_add(1, Ordering::Relaxed);
    }

    pub(in crate::policy) fn record_archived(&self, count: usize) {
        self.archived.fetch_add(u64::try_from(count).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    pub(in crate::policy) fn record_damaged(&self) {
        self.damaged.fetch_add(1, Ordering::Relaxed);
    }

    pub(in crate::policy) fn record_over_quota(&self) {
        self.over_quota.fetch_add(1, Ordering::Relaxed);
    }
}

impl Outcomes<'_> {
    /// Returns the counts of unknown outcomes since the runtime was built.
    #[must_use]
    pub fn counts(&self) -> OutcomeCounts {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let counts = &self.stores().outcomes;
        OutcomeCounts {
            unknown: read(&counts.unknown),
            resolved: read(&counts.resolved),
            archived: read(&counts.archived),
            damaged: read(&counts.damaged),
            over_quota: read(&counts.over_quota),
        }
    }
}

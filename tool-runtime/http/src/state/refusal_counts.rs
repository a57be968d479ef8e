//! Bounds the records of refused requests: the first ones of a caller in each minute are recorded
//! one by one, the others as one count.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};
use tool_runtime_core::log::log_event;
use tool_runtime_record::ledger::{Ledger, RecordedAccess, RecordedOutcome};

use crate::state::caller::Caller;
use crate::state::drain::Drain;

/// The most refusals of one caller and kind that are recorded one by one in each window.
pub(crate) const MAX_RECORDED: u32 = 20;
/// The most refusals of all anonymous callers that are recorded one by one in each window.
const MAX_RECORDED_ANONYMOUS: u32 = 200;
const WINDOW: Duration = Duration::from_secs(60);
/// The most callers that are counted separately; further ones share the count of `other callers`.
const MAX_CALLERS: usize = 1_024;

/// The kinds of refused requests that leave a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum RefusalKind {
    /// A decision about a waiting call that was refused.
    Decision,
    /// A call of a tool that does not exist, or that no caller may call.
    Call,
    /// A request for evidence by a caller without the scope or the tenant.
    Evidence,
}

/// The record of a counted refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RecordDecision {
    /// The refusal gets its own record.
    Record,
    /// The refusal is only counted: the summary of its window has it.
    Summarize,
}

/// Counts refusals by caller. A handle: cloning it is cheap.
#[derive(Debug, Clone)]
pub(crate) struct RefusalCounts(Arc<CountsState>);

#[derive(Debug)]
struct CountsState {
    ledger: Option<Ledger>,
    drain: Drain,
    windows: Mutex<CountWindows>,
    left_out: AtomicU64,
    /// Summaries that are due or being recorded.
    pending: AtomicUsize,
}

#[derive(Debug, Default)]
struct CountWindows {
    by_caller: HashMap<CallerKey, CountWindow>,
    anonymous: Option<CountWindow>,
    /// The last time at which expired windows were removed.
    last_sweep: Option<Instant>,
}

type CallerKey = (CountedCaller, RefusalKind);

/// The caller of a window.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum CountedCaller {
    One(Caller),
    /// All callers that came when the windows of others were too many.
    Others,
}

#[derive(Debug, Clone, Copy)]
struct CountWindow {
    since: Instant,
    recorded: u32,
    left_out: u64,
}

impl RefusalKind {
    /// Returns the kind's name in records.
    const fn action(self) -> &'static str {
        match self {
            Self::Decision => "decide",
            Self::Call => "call",
            Self::Evidence => "evidence",
        }
    }
}

impl CountedCaller {
    /// Returns the name in records.
    fn name(&self) -> &str {
        match self {
            Self::One(caller) => caller.name().unwrap_or("anonymous"),
            Self::Others => "other callers",
        }
    }
}

impl RefusalCounts {
    pub(crate) fn new(ledger: Option<&Ledger>, drain: &Drain) -> Self {
        Self(Arc::new(CountsState {
            ledger: ledger.cloned(),
            drain: drain.clone(),
            windows: Mutex::default(),
            left_out: AtomicU64::new(0),
            pending: AtomicUsize::new(0),
        }))
    }

    /// Counts a refusal, and decides how it is recorded.
    ///
    /// The first one that is only counted starts a summary, which is recorded at the end of the
    /// minute or at the shutdown.
    pub(crate) fn count_refusal(&self, caller: &Caller, kind: RefusalKind) -> RecordDecision {
        let now = Instant::now();
        let mut windows = self.windows();
        let key = windows.key(caller, kind, now);
        let is_anonymous = caller.name().is_none();
        let anonymous = windows.anonymous.get_or_insert(CountWindow::begin(now)).current(now);
        let anonymous_is_full = is_anonymous && anonymous.recorded >= MAX_RECORDED_ANONYMOUS;
        let window = windows.by_caller.entry(key.clone()).or_insert(CountWindow::begin(now));
        // A window with a pending summary stays until the summary is recorded.
        let window = if window.left_out == 0 { window.current(now) } else { window };
        if window.left_out == 0 && window.recorded < MAX_RECORDED && !anonymous_is_full {
            window.recorded += 1;
            if let (Some(anonymous), true) = (&mut windows.anonymous, is_anonymous) {
                anonymous.recorded += 1;
            }
            return RecordDecision::Record;
        }
        window.left_out += 1;
        self.0.left_out.fetch_add(1, Ordering::Relaxed);
        if window.left_out == 1 {
            let due = window.since + WINDOW;
            drop(windows);
            self.summarize_at(due, key);
        }
        RecordDecision::Summarize
    }

    /// Returns the decision about the next refusal of a caller, without counting one.
    ///
    /// The limit of all anonymous callers is not part of it.
    pub(crate) fn next_decision(&self, caller: &Caller, kind: RefusalKind) -> RecordDecision {
        let mut windows = self.windows();
        let key = windows.key(caller, kind, Instant::now());
        let is_full = windows.by_caller.get(&key).is_some_and(|window| {
            let is_over = window.left_out == 0 && window.since.elapsed() >= WINDOW;
            !is_over && (window.left_out > 0 || window.recorded >= MAX_RECORDED)
        });
        if is_full { RecordDecision::Summarize } else { RecordDecision::Record }
    }

    /// Returns the number of refusals that were only counted.
    pub(crate) fn left_out(&self) -> u64 {
        self.0.left_out.load(Ordering::Relaxed)
    }

    /// Returns the number of summaries that are not yet recorded.
    pub(crate) fn pending(&self) -> usize {
        self.0.pending.load(Ordering::Relaxed)
    }

    /// Records the summary of a window in a task that the shutdown waits for.
    fn summarize_at(&self, due: Instant, key: CallerKey) {
        let (counts, background) = (self.clone(), self.0.drain.background());
        let pending = PendingSummary::begin(self);
        tokio::spawn(async move {
            tokio::select! {
                biased;
                () = counts.0.drain.begun() => {}
                () = sleep_until(due) => {}
            }
            counts.summarize(&key).await;
            drop(pending);
            drop(background);
        });
    }

    async fn summarize(&self, key: &CallerKey) {
        let Some(window) = self.windows().by_caller.remove(key) else { return };
        let (by, action) = (key.0.name(), key.1.action());
        log(by, action, window.left_out);
        let Some(ledger) = &self.0.ledger else { return };
        let mut access = RecordedAccess::new(ledger.clock().now(), action, by, "left_out");
        access.count = Some(window.left_out);
        access.outcome = RecordedOutcome::Refused.to_string();
        if ledger.record_access(access).await.is_err() {
            log_unrecorded(by, action, window.left_out);
        }
    }

    fn windows(&self) -> MutexGuard<'_, CountWindows> {
        self.0.windows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A summary that is counted as pending until it is dropped, also by a panic of the host's code: a
/// store, a clock, a subscriber of the log.
struct PendingSummary(RefusalCounts);

impl PendingSummary {
    fn begin(counts: &RefusalCounts) -> Self {
        counts.0.pending.fetch_add(1, Ordering::Relaxed);
        Self(counts.clone())
    }
}

impl Drop for PendingSummary {
    fn drop(&mut self) {
        self.0.0.pending.fetch_sub(1, Ordering::Relaxed);
    }
}

impl CountWindows {
    /// Returns the key under which a caller is counted: its own, unless there are too many callers.
    fn key(&mut self, caller: &Caller, kind: RefusalKind, now: Instant) -> CallerKey {
        let key = (CountedCaller::One(caller.clone()), kind);
        if self.by_caller.len() < MAX_CALLERS || self.by_caller.contains_key(&key) {
            return key;
        }
        if self.last_sweep.is_none_or(|last_sweep| now - last_sweep >= Duration::from_secs(1)) {
            self.last_sweep = Some(now);
            self.by_caller.retain(|_, it| it.left_out > 0 || now - it.since < WINDOW);
        }
        if self.by_caller.len() < MAX_CALLERS { key } else { (CountedCaller::Others, kind) }
    }
}

impl CountWindow {
    const fn begin(since: Instant) -> Self {
        Self { since, recorded: 0, left_out: 0 }
    }

    /// Starts a new window if this one is over.
    fn current(&mut self, now: Instant) -> &mut Self {
        if now - self.since >= WINDOW {
            *self = Self::begin(now);
        }
        self
    }
}

fn log(by: &str, action: &str, count: u64) {
    log_event!(
        warn,
        target: tool_runtime_core::trace::conventions::REFUSAL_TARGET,
        event = "refusals_left_out",
        by,
        action,
        count,
    );
}

fn log_unrecorded(by: &str, action: &str, count: u64) {
    log_event!(
        warn,
        target: tool_runtime_core::trace::conventions::REFUSAL_TARGET,
        event = "refusals_left_out_unrecorded",
        by,
        action,
        count,
    );
}

#[cfg(test)]
mod tests {
    use super::{
        CountedCaller, MAX_CALLERS, MAX_RECORDED, MAX_RECORDED_ANONYMOUS, RecordDecision,
        RefusalCounts, RefusalKind, WINDOW,
    };
    use crate::state::caller::{Caller, Peer};
    use crate::state::drain::Drain;

    const DECISION: RefusalKind = RefusalKind::Decision;

    fn counts() -> RefusalCounts {
        RefusalCounts::new(None, &Drain::default())
    }

    fn recorded(counts: &RefusalCounts, caller: &Caller, times: u32) -> usize {
        let is_recorded =
            |_: &u32| counts.count_refusal(caller, DECISION) == RecordDecision::Record;
        (0..times).filter(is_recorded).count()
    }

    fn is_full(counts: &RefusalCounts, caller: &Caller) -> bool {
        counts.next_decision(caller, DECISION) == RecordDecision::Summarize
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_refusals_of_a_minute_are_recorded_and_the_others_counted() {
        let (counts, one, two) = (counts(), Caller::known("one"), Caller::known("two"));
        assert!(!is_full(&counts, &one));
        assert_eq!(recorded(&counts, &one, 1_000), MAX_RECORDED as usize);
        assert_eq!(counts.left_out(), 1_000 - u64::from(MAX_RECORDED));
        assert!(is_full(&counts, &one) && !is_full(&counts, &two));
        assert_eq!(counts.pending(), 1);
        assert_eq!(recorded(&counts, &two, 5), 5, "another caller is counted by itself");
        tokio::time::sleep(WINDOW + WINDOW / 60).await;
        assert!(!is_full(&counts, &one) && counts.pending() == 0);
        assert_eq!(recorded(&counts, &one, 5), 5, "another minute has begun");
    }

    #[tokio::test(start_paused = true)]
    async fn anonymous_callers_of_many_addresses_leave_bounded_records_in_bounded_memory() {
        let counts = counts();
        let stranger = |n: u32| Caller::Address(Peer::at(std::net::Ipv4Addr::from(n).into()));
        let all: usize = (0..5_000).map(|n| recorded(&counts, &stranger(n), 2)).sum();
        assert_eq!(all, MAX_RECORDED_ANONYMOUS as usize);
        assert!(counts.windows().by_caller.len() <= MAX_CALLERS + 1);
        assert_eq!(counts.left_out(), 10_000 - u64::from(MAX_RECORDED_ANONYMOUS));
        let one = Caller::known("one");
        assert_eq!(recorded(&counts, &one, 1), 0, "it shares one count with others");
        assert!(is_full(&counts, &one), "its next refusal is only counted too");
        let shared = |key: &super::CallerKey| key.0 == CountedCaller::Others;
        assert_eq!(counts.windows().by_caller.keys().filter(|key| shared(key)).count(), 1);
        assert_eq!(CountedCaller::Others.name(), "other callers");
        tokio::time::sleep(WINDOW + WINDOW / 60).await;
        assert_eq!(recorded(&counts, &Caller::known("one"), 1), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_summary_whose_task_panics_is_pending_no_more() {
        let counts = counts();
        let pending = super::PendingSummary::begin(&counts);
        assert_eq!(counts.pending(), 1);
        let task = tokio::spawn(async move {
            let _pending = pending;
            panic!("a store of the host's");
        });
        task.await.expect_err("it panics");
        assert_eq!(counts.pending(), 0);
    }
}

//! Bounds the retries of one tool across all callers.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use crate::Timer;

/// Bounds one tool's retries by its failed calls, so that retries do not multiply the load on a
/// dependency that is down.
///
/// It allows one retry for five calls that failed in the last 10 s, and a reserve of 100 retries
/// in 10 s for tools with few calls. What is not used in that time lapses. Time is the timer's,
/// and counted in whole seconds since the budget was made; while the clock stands or goes
/// backwards, nothing lapses.
#[derive(Debug)]
// Own code, as for rate limits: a token bucket over the runtime's `Timer` is about 100 lines.
pub(crate) struct RetryBudget {
    timer: Arc<dyn Timer>,
    started: Instant,
    window: Mutex<BudgetWindow>,
    reserve: i64,
}

/// The balance of each second: a failed call adds 1, a retry takes [`CALLS_PER_RETRY`].
#[derive(Debug, Default)]
struct BudgetWindow {
    balances: [i64; SECONDS],
    /// The second that is counted now, since the budget was made.
    second: u64,
}

/// The current second, and the 10 before it.
const SECONDS: usize = 11;
/// The failed calls that pay for one retry.
const CALLS_PER_RETRY: i64 = 5;
/// The retries in 10 s that no failed call pays for.
const RESERVE: i64 = 100;

impl RetryBudget {
    pub(crate) fn new(timer: Arc<dyn Timer>) -> Self {
        Self::with_reserve(RESERVE, timer)
    }

    fn with_reserve(retries: i64, timer: Arc<dyn Timer>) -> Self {
        let (started, window) = (timer.now(), Mutex::default());
        Self { timer, started, window, reserve: retries * CALLS_PER_RETRY }
    }

    /// Counts a call that failed: its first attempt, not its retries.
    pub(crate) fn deposit(&self) {
        self.in_window(|window| window.add(1));
    }

    /// Takes one retry; false if none is left.
    pub(crate) fn withdraw(&self) -> bool {
        self.in_window(|window| {
            let is_left = window.balance().saturating_add(self.reserve) >= CALLS_PER_RETRY;
            if is_left {
                window.add(-CALLS_PER_RETRY);
            }
            is_left
        })
    }

    fn in_window<T>(&self, change: impl FnOnce(&mut BudgetWindow) -> T) -> T {
        let second = self.timer.now().saturating_duration_since(self.started).as_secs();
        let mut window = self.window.lock().unwrap_or_else(PoisonError::into_inner);
        window.advance(second);
        change(&mut window)
    }
}

impl BudgetWindow {
    /// Drops the balances that are too old at this second.
    fn advance(&mut self, second: u64) {
        let passed = second.saturating_sub(self.second);
        for later in 1..=passed.min(SECONDS as u64) {
            self.balances[index(self.second + later)] = 0;
        }
        self.second += passed;
    }

    fn add(&mut self, amount: i64) {
        let balance = &mut self.balances[index(self.second)];
        *balance = balance.saturating_add(amount);
    }

    fn balance(&self) -> i64 {
        self.balances.iter().fold(0, |sum, balance| sum.saturating_add(*balance))
    }
}

/// The place of a second in the ring.
#[expect(clippy::cast_possible_truncation, reason = "the remainder is below 11")]
fn index(second: u64) -> usize {
    (second % SECONDS as u64) as usize
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::RetryBudget;
    use crate::timer::ManualTimer;

    const SECOND: Duration = Duration::from_secs(1);

    fn budget(reserve: i64) -> (RetryBudget, Arc<ManualTimer>) {
        let timer = ManualTimer::new();
        (RetryBudget::with_reserve(reserve, timer.clone()), timer)
    }

    fn withdrawn(budget: &RetryBudget) -> usize {
        std::iter::repeat_with(|| budget.withdraw()).take_while(|had| *had).count()
    }

    #[test]
    fn failed_calls_pay_for_retries() {
        let (budget, _timer) = budget(0);
        assert_eq!(withdrawn(&budget), 0);
        (0..25).for_each(|_| budget.deposit());
        assert_eq!(withdrawn(&budget), 5);
    }

    #[test]
    fn fewer_than_five_failed_calls_pay_for_no_retry() {
        let (budget, _timer) = budget(0);
        (0..4).for_each(|_| budget.deposit());
        assert!(!budget.withdraw());
        budget.deposit();
        assert_eq!(withdrawn(&budget), 1);
    }

    #[cfg(feature = "tokio")]
    #[tokio::test(start_paused = true)]
    async fn unused_retries_lapse_and_the_reserve_is_refilled() {
        let budget = RetryBudget::new(Arc::new(crate::TokioTimer));
        (0..10).for_each(|_| budget.deposit());
        assert_eq!(withdrawn(&budget), 102);
        tokio::time::advance(SECOND * 20).await;
        assert_eq!(withdrawn(&budget), 100);
    }

    #[test]
    fn a_failed_call_counts_for_ten_seconds() {
        let (budget, timer) = budget(0);
        (0..10).for_each(|_| budget.deposit());
        timer.advance(SECOND * 10);
        assert!(budget.withdraw());
        timer.advance(SECOND);
        assert!(!budget.withdraw());
    }

    #[test]
    fn a_retry_is_given_back_after_ten_seconds() {
        let (budget, timer) = budget(3);
        assert!(budget.withdraw());
        timer.advance(SECOND * 4);
        assert_eq!(withdrawn(&budget), 2);
        timer.advance(SECOND * 6);
        assert_eq!(withdrawn(&budget), 0);
        timer.advance(SECOND);
        assert_eq!(withdrawn(&budget), 1);
        timer.advance(SECOND * 4);
        assert_eq!(withdrawn(&budget), 2);
    }

    #[test]
    fn a_clock_that_goes_backwards_gives_nothing_back() {
        let (budget, timer) = budget(1);
        timer.advance(SECOND * 30);
        assert!(budget.withdraw());
        timer.set_back(SECOND * 25);
        assert!(!budget.withdraw());
        timer.advance(SECOND * 35);
        assert!(!budget.withdraw());
        timer.advance(SECOND);
        assert!(budget.withdraw());
    }

    #[test]
    fn the_largest_balance_does_not_overflow() {
        let (budget, _timer) = budget(0);
        budget.in_window(|window| window.balances = [i64::MAX; super::SECONDS]);
        budget.deposit();
        assert!(budget.withdraw());
    }
}

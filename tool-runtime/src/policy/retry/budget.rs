//! Bounds the retries of one tool across all callers.

use std::time::Duration;

use tower::retry::budget::{Budget as _, TpsBudget};

/// Bounds one tool's retries by its calls, so that retries do not multiply the load on a dependency
/// that is down.
///
/// It reads tokio's clock, which needs no tokio runtime and which a [`Timer`](crate::Timer) does
/// not replace.
#[derive(Debug)]
pub(crate) struct RetryBudget(TpsBudget);

impl RetryBudget {
    /// Counts a call that failed: its first attempt, not its retries.
    pub(crate) fn deposit(&self) {
        self.0.deposit();
    }

    /// Takes one retry; false if none is left.
    pub(crate) fn withdraw(&self) -> bool {
        self.0.withdraw()
    }
}

impl Default for RetryBudget {
    /// One retry for five calls that failed in the last 10 s, and ten more a second.
    fn default() -> Self {
        Self(TpsBudget::new(Duration::from_secs(10), 10, 0.2))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tower::retry::budget::TpsBudget;

    use super::RetryBudget;

    const TTL: Duration = Duration::from_secs(10);

    fn withdrawn(budget: &RetryBudget) -> usize {
        std::iter::repeat_with(|| budget.withdraw()).take_while(|had| *had).count()
    }

    #[tokio::test(start_paused = true)]
    async fn failed_calls_pay_for_retries() {
        let budget = RetryBudget(TpsBudget::new(TTL, 0, 0.2));
        assert_eq!(withdrawn(&budget), 0);
        (0..25).for_each(|_| budget.deposit());
        assert_eq!(withdrawn(&budget), 5);
    }

    #[tokio::test(start_paused = true)]
    async fn unused_retries_lapse_and_the_reserve_is_refilled() {
        let budget = RetryBudget::default();
        (0..10).for_each(|_| budget.deposit());
        assert_eq!(withdrawn(&budget), 102);
        tokio::time::advance(TTL * 2).await;
        assert_eq!(withdrawn(&budget), 100);
    }
}

//! How many retries one tool may cause, whoever calls it.

use std::time::Duration;

use tower::retry::budget::{Budget as _, TpsBudget};

/// Bounds one tool's retries by its calls, so that retries do not multiply the load on something
/// that fails for everybody.
///
/// It reads tokio's clock, which needs no tokio runtime and cannot be replaced by a
/// [`Timer`](crate::Timer).
#[derive(Debug)]
pub(crate) struct RetryBudget(TpsBudget);

impl RetryBudget {
    /// Counts a call that failed: its first attempt, not its retries.
    pub(crate) fn deposit(&self) {
        self.0.deposit();
    }

    /// Takes one retry out; false if there is none.
    pub(crate) fn withdraw(&self) -> bool {
        self.0.withdraw()
    }
}

impl Default for RetryBudget {
    /// One retry in five calls that failed in the last 10 s, and ten a second on top of it.
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
    async fn calls_pay_for_retries() {
        let budget = RetryBudget(TpsBudget::new(TTL, 0, 0.2));
        assert_eq!(withdrawn(&budget), 0);
        (0..25).for_each(|_| budget.deposit());
        assert_eq!(withdrawn(&budget), 5);
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_not_used_lapses_and_the_reserve_comes_back() {
        let budget = RetryBudget::default();
        (0..10).for_each(|_| budget.deposit());
        assert_eq!(withdrawn(&budget), 102);
        tokio::time::advance(TTL * 2).await;
        assert_eq!(withdrawn(&budget), 100);
    }
}

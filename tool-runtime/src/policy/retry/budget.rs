//! How many retries one tool may cause, whoever calls it.

use std::time::Duration;

use tower::retry::budget::{Budget as _, TpsBudget};

use super::RetryConfigError;

/// Bounds one tool's retries by its calls, so that retries do not multiply the load on something
/// that fails for everybody.
///
/// It reads tokio's clock, which needs no tokio runtime and cannot be replaced by a
/// [`Timer`](crate::Timer).
#[derive(Debug)]
pub(crate) struct RetryBudget(TpsBudget);

impl RetryBudget {
    /// Admits `ratio` retries a call of the last `ttl`, and `min_per_second` on top of it.
    ///
    /// The ratio is rounded up to one retry in a whole number of calls.
    ///
    /// # Errors
    /// The first value that is out of its range: 1 to 60 s, at most 1,000 a second, a ratio of 0 or
    /// 0.001 to 1.
    pub(crate) fn new(
        ttl: Duration,
        min_per_second: u32,
        ratio: f32,
    ) -> Result<Self, RetryConfigError> {
        let seconds = Duration::from_secs(1)..=Duration::from_secs(60);
        RetryConfigError::unless(seconds.contains(&ttl), "budget_ttl", "1s to 60s", ttl)?;
        RetryConfigError::unless(
            min_per_second <= 1_000,
            "budget_min_per_second",
            "at most 1000",
            min_per_second,
        )?;
        RetryConfigError::unless(
            ratio == 0.0 || (0.001..=1.0).contains(&ratio),
            "budget_ratio",
            "0, or 0.001 to 1",
            ratio,
        )?;
        Ok(Self(TpsBudget::new(ttl, min_per_second, ratio)))
    }

    /// Counts a call: its first attempt, not its retries.
    pub(crate) fn deposit(&self) {
        self.0.deposit();
    }

    /// Takes one retry out; false if there is none.
    pub(crate) fn withdraw(&self) -> bool {
        self.0.withdraw()
    }
}

impl Default for RetryBudget {
    /// One retry in five calls of the last 10 s, and one a second on top of it.
    fn default() -> Self {
        Self(TpsBudget::new(Duration::from_secs(10), 1, 0.2))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::RetryBudget;

    const TTL: Duration = Duration::from_secs(10);

    fn withdrawn(budget: &RetryBudget) -> usize {
        std::iter::repeat_with(|| budget.withdraw()).take_while(|had| *had).count()
    }

    #[tokio::test(start_paused = true)]
    async fn calls_pay_for_retries() {
        let budget = RetryBudget::new(TTL, 0, 0.2).expect("it is in range");
        assert_eq!(withdrawn(&budget), 0);
        (0..25).for_each(|_| budget.deposit());
        assert_eq!(withdrawn(&budget), 5);
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_not_used_lapses_and_the_reserve_comes_back() {
        let budget = RetryBudget::default();
        (0..10).for_each(|_| budget.deposit());
        assert_eq!(withdrawn(&budget), 12);
        tokio::time::advance(TTL * 2).await;
        assert_eq!(withdrawn(&budget), 10);
    }

    #[test]
    fn values_that_would_panic_below_are_refused() {
        let field = |ttl, least, ratio| {
            let error = RetryBudget::new(ttl, least, ratio).expect_err("it is out of range");
            error.field().to_owned()
        };
        assert_eq!(field(Duration::from_millis(999), 1, 0.2), "budget_ttl");
        assert_eq!(field(Duration::from_secs(61), 1, 0.2), "budget_ttl");
        assert_eq!(field(TTL, 1_001, 0.2), "budget_min_per_second");
        for ratio in [-0.1, 0.000_1, 1.1, f32::NAN, f32::INFINITY] {
            assert_eq!(field(TTL, 1, ratio), "budget_ratio");
        }
    }
}

//! Delays the starts of a program that fails at its start again and again.

use std::time::Duration;

use tokio::time::Instant;

use crate::error::WorkerError;

const FIRST_DELAY: Duration = Duration::from_millis(100);
const LONGEST_DELAY: Duration = Duration::from_secs(30);

/// The failures of a program at its start. The first one delays nothing; each further one doubles
/// the delay, from 100 ms up to 30 s.
#[derive(Debug, Default)]
pub(crate) struct Restarts {
    failed: u32,
    last_error: Option<WorkerError>,
    not_before: Option<Instant>,
}

impl Restarts {
    /// Refuses a start within the delay: a request fails at once in place of waiting.
    pub(crate) fn check(&self, now: Instant) -> Result<(), WorkerError> {
        match (&self.last_error, self.not_before) {
            (Some(error), Some(next)) if now < next => Err(self.refusal(error, next - now)),
            _ => Ok(()),
        }
    }

    pub(crate) fn succeeded(&mut self) {
        *self = Self::default();
    }

    pub(crate) fn failed(&mut self, error: &WorkerError, now: Instant) {
        self.last_error = Some(error.clone());
        self.not_before = self.failed.checked_sub(1).map(|doublings| {
            let factor = 1_u32.checked_shl(doublings).unwrap_or(u32::MAX);
            now + FIRST_DELAY.saturating_mul(factor).min(LONGEST_DELAY)
        });
        self.failed = self.failed.saturating_add(1);
    }

    fn refusal(&self, error: &WorkerError, wait: Duration) -> WorkerError {
        let failed = self.failed;
        WorkerError::start(format!(
            "it failed {failed} times in a row, and the next attempt is possible in {wait:?}; at \
             last: {error}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(failures: u32, now: Instant) -> Restarts {
        let mut restarts = Restarts::default();
        (0..failures).for_each(|_| restarts.failed(&WorkerError::Busy, now));
        restarts
    }

    /// Returns for how many milliseconds starts are refused after so many failures.
    fn delay(failures: u32) -> u128 {
        let now = Instant::now();
        let restarts = failed(failures, now);
        let free = restarts.not_before.unwrap_or(now);
        assert!(restarts.check(free).is_ok());
        assert_eq!(restarts.check(now).is_err(), free > now);
        (free - now).as_millis()
    }

    #[test]
    fn the_delay_doubles_from_the_second_failure_on() {
        let delays = [0, 1, 2, 3, 4, 10, 11, 40, 100].map(delay);
        assert_eq!(delays, [0, 0, 100, 200, 400, 25_600, 30_000, 30_000, 30_000]);
    }

    #[test]
    fn a_success_ends_the_delay() {
        let now = Instant::now();
        let mut restarts = failed(9, now);
        let refused = restarts.check(now).expect_err("it failed nine times").to_string();
        let expected = "it failed 9 times in a row, and the next attempt is possible in 12.8s; at \
                        last: too many requests wait";
        assert!(refused.contains(expected), "{refused}");
        restarts.succeeded();
        assert!(restarts.check(now).is_ok());
    }
}

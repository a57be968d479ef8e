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
    not_before: Option<Instant>,
}

impl Restarts {
    /// Refuses a start within the delay: a request fails at once in place of waiting.
    pub(crate) fn check(&self, now: Instant) -> Result<(), WorkerError> {
        match self.not_before {
            Some(next) if now < next => {
                let (failed, wait) = (self.failed, next - now);
                Err(WorkerError::start(format!(
                    "it failed {failed} times in a row; the next attempt is possible in {wait:?}"
                )))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn record(&mut self, succeeded: bool, now: Instant) {
        self.failed = if succeeded { 0 } else { self.failed.saturating_add(1) };
        self.not_before = self.failed.checked_sub(2).map(|doublings| {
            let factor = 1_u32.checked_shl(doublings).unwrap_or(u32::MAX);
            now + FIRST_DELAY.saturating_mul(factor).min(LONGEST_DELAY)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns for how many milliseconds starts are refused after so many failures.
    fn delay(failures: u32) -> u128 {
        let (mut restarts, now) = (Restarts::default(), Instant::now());
        (0..failures).for_each(|_| restarts.record(false, now));
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
        let (mut restarts, now) = (Restarts::default(), Instant::now());
        (0..9).for_each(|_| restarts.record(false, now));
        let refused = restarts.check(now).expect_err("it failed nine times").to_string();
        assert!(
            refused.ends_with("it failed 9 times in a row; the next attempt is possible in 12.8s")
        );
        restarts.record(true, now);
        assert!(restarts.check(now).is_ok());
    }
}

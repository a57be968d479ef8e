//! The delays between the attempts of one call.

use std::time::Duration;

use backon::{BackoffBuilder as _, ExponentialBuilder};

use super::RetryConfig;

/// The delays that one call has left.
#[derive(Debug)]
pub(crate) struct Delays {
    backoff: <ExponentialBuilder as backon::BackoffBuilder>::Backoff,
    longest: Duration,
}

impl Delays {
    pub(crate) fn new(config: &RetryConfig) -> Self {
        Self { backoff: builder(config).build(), longest: config.max_delay() }
    }

    /// Returns the delay before the next attempt; none if there is no further attempt.
    ///
    /// The delay is at least the one that the failed attempt advised. Advice beyond the longest
    /// delay ends the attempts: an attempt before that time would be refused again.
    pub(crate) fn next(&mut self, advised: Option<Duration>) -> Option<Duration> {
        let delay = self.backoff.next()?.min(self.longest);
        Some(delay.max(advised.unwrap_or_default())).filter(|delay| *delay <= self.longest)
    }
}

/// The jitter adds up to the whole delay, so the backoff grows to half of the longest delay.
fn builder(config: &RetryConfig) -> ExponentialBuilder {
    let first = Duration::from_millis(config.initial_delay_ms());
    #[expect(clippy::cast_possible_truncation, reason = "it is 1 to 10")]
    let factor = config.backoff_multiplier() as f32;
    ExponentialBuilder::new()
        .with_jitter()
        .with_factor(factor)
        .with_min_delay(first)
        .with_max_delay(first.max(config.max_delay() / 2))
        .with_max_times(config.max_attempts().saturating_sub(1) as usize)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use backon::BackoffBuilder as _;

    use super::{Delays, builder};
    use crate::policy::RetryConfig;

    const MS: Duration = Duration::from_millis(1);

    fn five() -> RetryConfig {
        RetryConfig::new(5, 10.0, 100).expect("it is in range")
    }

    fn seeded(config: &RetryConfig, seed: u64) -> Delays {
        let backoff = builder(config).with_jitter_seed(seed).build();
        Delays { backoff, longest: config.max_delay() }
    }

    fn all(mut delays: Delays) -> Vec<Duration> {
        std::iter::from_fn(|| delays.next(None)).collect()
    }

    #[test]
    fn there_is_one_delay_less_than_attempts() {
        assert_eq!(all(Delays::new(&five())).len(), 4);
        assert_eq!(all(Delays::new(&RetryConfig::default())).len(), 2);
        assert_eq!(all(Delays::new(&RetryConfig::never())).len(), 0);
    }

    #[test]
    fn delays_grow_up_to_the_cap_and_are_at_most_doubled() {
        for seed in 0..100 {
            let waits = all(seeded(&five(), seed));
            for (wait, least) in waits.iter().zip([100, 1_000, 5_000, 5_000]) {
                assert!((MS * least..MS * least * 2).contains(wait), "{waits:?}");
            }
        }
    }

    #[test]
    fn a_seed_repeats_its_jitter_and_calls_do_not_share_it() {
        assert_eq!(all(seeded(&five(), 7)), all(seeded(&five(), 7)));
        assert_ne!(all(seeded(&five(), 7)), all(seeded(&five(), 8)));
        assert_ne!(all(Delays::new(&five())), all(Delays::new(&five())));
    }

    #[test]
    fn a_first_delay_as_long_as_the_cap_stays_within_it() {
        let config = RetryConfig::new(3, 1.0, 10_000).expect("it is in range");
        assert_eq!(all(Delays::new(&config)), [MS * 10_000; 2]);
    }

    #[test]
    fn longer_advice_is_followed_and_shorter_is_not() {
        let mut delays = seeded(&five(), 1);
        assert_eq!(delays.next(Some(MS * 10_000)), Some(MS * 10_000));
        assert!(delays.next(Some(MS)).expect("a delay is left") >= MS * 1_000);
    }

    #[test]
    fn advice_beyond_the_cap_ends_the_attempts() {
        assert_eq!(seeded(&five(), 1).next(Some(MS * 10_001)), None);
    }
}

//! Asks a rate limit without counting, as the HTTP server does before it reads a body.

use std::time::Duration;

use super::rate::{KeyStates, RateKey, RateLimiter};

impl<K: RateKey> RateLimiter<K> {
    /// Returns whether one more would be allowed, or how long to wait; counts nothing.
    ///
    /// # Errors
    /// Returns the time after which the rate admits a call again.
    pub fn peek(&self, key: &K) -> Result<(), Duration> {
        let now = self.now();
        let mut states = self.lock();
        states.sweep_if_full(now);
        self.limit.wait(states.state(key), now)
    }
}

impl<K: RateKey> KeyStates<K> {
    fn state(&self, key: &K) -> Duration {
        let unknown = if self.is_full() { self.overflow } else { Duration::ZERO };
        self.known.get(key).copied().unwrap_or(unknown)
    }
}

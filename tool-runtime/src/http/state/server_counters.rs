//! Counters of a server's connections and requests.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counters of a server, read by `/metrics`.
#[derive(Debug, Default)]
pub(in crate::http) struct ServerCounters {
    /// Connections that were accepted.
    pub(in crate::http) accepted: MonotonicCounter,
    /// Connections that were closed.
    pub(in crate::http) closed: MonotonicCounter,
    /// Failures to accept a connection.
    pub(in crate::http) failed: MonotonicCounter,
    /// Connections that were closed at once, because their address had too many.
    pub(in crate::http) refused: MonotonicCounter,
    /// Connections that were closed because they were too slow, or idle.
    pub(in crate::http) timed_out: MonotonicCounter,
    /// Connections whose TLS handshake failed.
    pub(in crate::http) handshakes_failed: MonotonicCounter,
    /// Requests that were started.
    pub(in crate::http) begun: MonotonicCounter,
    /// Requests whose response was sent or abandoned.
    pub(in crate::http) ended: MonotonicCounter,
}

/// A counter that only increases.
#[derive(Debug, Default)]
pub(in crate::http) struct MonotonicCounter(AtomicU64);

impl MonotonicCounter {
    pub(in crate::http) fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(in crate::http) fn read(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl ServerCounters {
    /// Returns the number of open connections.
    pub(in crate::http) fn open(&self) -> u64 {
        // `closed` is read first, so that it is not larger than `accepted`.
        let closed = self.closed.read();
        self.accepted.read().saturating_sub(closed)
    }

    /// Returns the number of requests in flight.
    pub(in crate::http) fn in_flight(&self) -> u64 {
        let ended = self.ended.read();
        self.begun.read().saturating_sub(ended)
    }
}

//! Counters of a server's connections and requests.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counters of a server, read by `/metrics`.
#[derive(Debug, Default)]
pub(crate) struct ServerCounters {
    /// Connections that were accepted.
    pub(crate) accepted: MonotonicCounter,
    /// Connections that were closed.
    pub(crate) closed: MonotonicCounter,
    /// Failures to accept a connection.
    pub(crate) failed: MonotonicCounter,
    /// Connections that were closed at once, because their address had too many.
    pub(crate) refused: MonotonicCounter,
    /// Connections that were closed because they were too slow, or idle.
    pub(crate) timed_out: MonotonicCounter,
    /// Connections whose TLS handshake failed.
    pub(crate) handshakes_failed: MonotonicCounter,
    /// Requests that were started.
    pub(crate) begun: MonotonicCounter,
    /// Requests whose response was sent or abandoned.
    pub(crate) ended: MonotonicCounter,
}

/// A counter that only increases.
#[derive(Debug, Default)]
pub(crate) struct MonotonicCounter(AtomicU64);

impl MonotonicCounter {
    pub(crate) fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn read(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl ServerCounters {
    /// Returns the number of open connections.
    pub(crate) fn open(&self) -> u64 {
        // `closed` is read first, so that it is not larger than `accepted`.
        let closed = self.closed.read();
        self.accepted.read().saturating_sub(closed)
    }

    /// Returns the number of requests in flight.
    pub(crate) fn in_flight(&self) -> u64 {
        let ended_count = self.ended.read();
        self.begun.read().saturating_sub(ended_count)
    }
}

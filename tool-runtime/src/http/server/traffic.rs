//! What a server counts of its connections and requests.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts of a server, read by `/metrics`.
#[derive(Debug, Default)]
pub(in crate::http) struct Traffic {
    /// Connections that were taken.
    pub(in crate::http) accepted: Count,
    /// Connections that have ended.
    pub(in crate::http) closed: Count,
    /// Times that a connection could not be taken.
    pub(in crate::http) failed: Count,
    /// Connections that were closed at once, because their address has its share of them.
    pub(in crate::http) refused: Count,
    /// Connections that were closed because they were too slow, or idle.
    pub(in crate::http) timed_out: Count,
    /// Connections whose TLS handshake failed.
    pub(in crate::http) handshakes_failed: Count,
    /// Requests that were begun.
    pub(in crate::http) begun: Count,
    /// Requests whose answer was sent, or given up.
    pub(in crate::http) ended: Count,
}

/// One count; it only ever grows.
#[derive(Debug, Default)]
pub(in crate::http) struct Count(AtomicU64);

impl Count {
    pub(in crate::http) fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(in crate::http) fn read(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Traffic {
    /// How many connections are open.
    pub(in crate::http) fn open(&self) -> u64 {
        // What has ended is read first, so that it is no larger.
        let closed = self.closed.read();
        self.accepted.read().saturating_sub(closed)
    }

    /// How many requests are under way.
    pub(in crate::http) fn under_way(&self) -> u64 {
        let ended = self.ended.read();
        self.begun.read().saturating_sub(ended)
    }
}

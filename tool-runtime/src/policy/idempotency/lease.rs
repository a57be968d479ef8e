//! The lease of a key, as its owner knows it.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use crate::Sleep;
use crate::dispatch::call_policy::Lease;
use crate::policy::governor::State;
use crate::store::UnixMillis;

/// Until when a key is held for certain: by the claim, or by the last renewal that the store
/// confirmed.
pub(in crate::policy) struct KeyLease {
    state: Arc<State>,
    until: AtomicU64,
}

impl KeyLease {
    pub(super) fn new(state: Arc<State>, until: UnixMillis) -> Self {
        Self { state, until: AtomicU64::new(until.get()) }
    }

    /// Notes a renewal that the store has confirmed.
    pub(super) fn renewed(&self, until: UnixMillis) {
        self.until.fetch_max(until.get(), Ordering::AcqRel);
    }

    /// Waits until a sleep has ended, or the task is woken after the lease has run out.
    pub(super) fn poll_wait(&self, sleep: &mut Sleep, cx: &mut Context<'_>) -> Poll<()> {
        if self.is_over() { Poll::Ready(()) } else { Pin::new(sleep).poll(cx) }
    }
}

impl Lease for KeyLease {
    fn is_over(&self) -> bool {
        let until = UnixMillis::new(self.until.load(Ordering::Acquire));
        // A time that is not known any more says nothing for the lease.
        self.state.known_store_time().is_none_or(|now| now >= until)
    }
}

//! The lease of an idempotency key, as its owner knows it.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use crate::Sleep;
use crate::policy::store_client::StoreClient;
use crate::store::UnixMillis;
use crate::tool::Lease;

/// The time until which a key is certainly held: by the claim, or by the last confirmed renewal.
pub(in crate::policy) struct KeyLease {
    stores: Arc<StoreClient>,
    until: AtomicU64,
}

impl KeyLease {
    pub(super) fn new(stores: Arc<StoreClient>, until: UnixMillis) -> Self {
        Self { stores, until: AtomicU64::new(until.get()) }
    }

    /// Records a renewal that the store has confirmed.
    pub(super) fn renewed(&self, until: UnixMillis) {
        self.until.fetch_max(until.get(), Ordering::AcqRel);
    }

    /// Is ready when the sleep has ended, or when the task is woken after the lease has run out.
    pub(super) fn poll_wait(&self, sleep: &mut Sleep, cx: &mut Context<'_>) -> Poll<()> {
        if self.is_over() { Poll::Ready(()) } else { Pin::new(sleep).poll(cx) }
    }
}

impl Lease for KeyLease {
    fn is_over(&self) -> bool {
        let until = UnixMillis::new(self.until.load(Ordering::Acquire));
        // If the store's time is not known any more, the lease counts as over.
        self.stores.known_keys_time().is_none_or(|now| now >= until)
    }
}

//! How a server lets go of what runs.

use crate::Cancellation;

/// The end of a server, seen by the router and by whoever runs it.
///
/// First it is *draining*: `/readyz` says so, and nothing new is admitted. Then it is *over*: calls
/// that still run are cancelled, and answered so.
#[derive(Debug, Clone, Default)]
pub struct Drain {
    begun: Cancellation,
    over: Cancellation,
}

impl Drain {
    /// Says that no new calls are wanted.
    pub fn begin(&self) {
        self.begun.cancel();
    }

    /// Cancels the calls that still run.
    pub fn finish(&self) {
        self.begun.cancel();
        self.over.cancel();
    }

    /// Tells whether no new calls are wanted.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        self.begun.is_cancelled()
    }

    /// Waits until the calls that still run are to be cancelled. Cancel-safe.
    pub async fn over(&self) {
        self.over.cancelled().await;
    }
}

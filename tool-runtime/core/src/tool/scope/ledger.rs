//! Accessors of the call scope for the ledger.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::CallState;
use crate::tool::registry::RegisteredTool;

impl CallState {
    /// Returns the tool, for owners that outlive the call.
    #[must_use]
    pub fn shared_tool(&self) -> &Arc<RegisteredTool> {
        &self.tool
    }

    /// Marks that the ledger has reserved capacity for the call's record.
    pub fn keep_reservation(&self) {
        self.is_reserved.store(true, Ordering::Relaxed);
    }

    /// Takes the reservation of the call's record, if there is one.
    #[must_use]
    pub fn take_reservation(&self) -> bool {
        self.is_reserved.swap(false, Ordering::Relaxed)
    }
}

//! Accessors of the call scope for the policies.

use std::sync::{Arc, PoisonError};

use tool_contracts::EvidenceSource;

use super::purpose::Purpose;
use super::{CallScope, CallState, Lease, Transaction};
use crate::dispatch::SpendingRecord;
use crate::tool::blocking_run::HeldResources;
use crate::tool::idempotency::Idempotency;

impl CallScope {
    /// Makes the call that asks the tool what became of an earlier run of this one.
    pub(crate) fn reconciling(&self) -> Self {
        let mut shared = self.restarted_with(self.arguments().into());
        shared.purpose = Purpose::Reconciliation;
        let reconciling = Self(Arc::new(shared));
        self.share_requested_time(&reconciling);
        if let Some(optional) = self.0.optional() {
            if let Some(idempotency) = optional.idempotency.get() {
                reconciling.set_idempotency(idempotency.clone());
            }
            if let Some(lease) = optional.lease.get() {
                reconciling.set_lease(lease.clone());
            }
        }
        reconciling
    }

    /// Returns whether the caller's context leaves the tool less time than the tool's own deadline.
    pub(crate) fn has_shortened_deadline(&self) -> bool {
        self.budget() < self.0.tool.timeout
    }
}

impl CallState {
    /// Returns whether the tool is running on a blocking thread.
    pub(crate) fn has_blocking_run(&self) -> bool {
        self.optional().is_some_and(|optional| optional.blocking_run.is_running())
    }

    /// Keeps resources until the tool's blocking thread has ended; returns them if there is none.
    pub(crate) fn hold_until_thread_exits(
        &self,
        resources: HeldResources,
    ) -> Result<(), HeldResources> {
        match self.optional() {
            Some(optional) => optional.blocking_run.hold(resources),
            None => Err(resources),
        }
    }

    /// Sets the key and the fence under which the call runs; the first ones count.
    pub(crate) fn set_idempotency(&self, idempotency: Idempotency) {
        drop(self.optional_or_new().idempotency.set(idempotency));
    }

    /// Adds to the money that the tool has spent, in millionths of a currency. It counts in a failed call too, and in
    /// one that is tried again.
    pub fn report_spending(&self, currency: &str, millionths: u64) {
        let mut spent = self.optional_or_new().spent.lock().unwrap_or_else(PoisonError::into_inner);
        match spent.iter_mut().find(|(code, _)| **code == *currency) {
            Some((_, sum)) => *sum = sum.saturating_add(millionths),
            None => spent.push((currency.into(), millionths)),
        }
    }

    /// Returns the money that the tool has reported as spent.
    pub(crate) fn reported_spending(&self) -> Vec<(Box<str>, u64)> {
        let Some(optional) = self.optional() else { return Vec::new() };
        optional.spent.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets the proofs of what the call may spend; the first ones count.
    pub(crate) fn set_proofs(&self, proofs: Vec<EvidenceSource>) {
        drop(self.optional_or_new().proofs.set(proofs));
    }

    /// Records the amounts that the call has asked of budgets, in place of earlier ones.
    pub(crate) fn set_spending(&self, records: Vec<SpendingRecord>) {
        let slot = &self.optional_or_new().spending;
        *slot.lock().unwrap_or_else(PoisonError::into_inner) = records;
    }

    /// Sets the lease without which the tool must not be polled; the first one counts.
    pub(crate) fn set_lease(&self, lease: Arc<dyn Lease>) {
        drop(self.optional_or_new().lease.set(lease));
    }

    /// Sets the transaction that the tool may borrow; the first one counts.
    pub(crate) fn set_transaction(&self, transaction: Arc<dyn Transaction>) {
        drop(self.optional_or_new().transaction.set(transaction));
    }
}

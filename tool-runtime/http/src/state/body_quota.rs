//! The quota of request bodies in memory, in bytes, of all requests and of each caller.

use std::sync::Arc;

use tool_runtime_core::refusal_reason::RefusalReason;

use crate::problem::Problem;
use crate::state::config::RequestLimits;
use crate::state::caller::Caller;
use crate::state::quota::{self, Quota, QuotaRefusal};

/// The longest body that is not counted. Most bodies are shorter.
pub(crate) const UNCOUNTED: usize = 16 * 1024;

const REFUSAL: QuotaRefusal = QuotaRefusal {
    reason: RefusalReason::Bodies,
    capacity: "request bodies have used up the server's memory for them; retry later",
    caller: "the caller's request bodies have used up its quota of memory; send fewer at a time",
};

/// The quota of bodies, in bytes.
pub(crate) type BodyQuota = Quota<Caller>;

/// The bytes that one body holds of the quota; none for a short body.
#[derive(Debug, Default)]
pub(crate) struct BodyPermit(Option<quota::Permit<Caller>>);

impl RequestLimits {
    /// Makes the quota of bodies; one body always fits.
    pub(crate) fn body_quota(&self) -> BodyQuota {
        let total_bytes = self.max_buffered_bytes.max(self.max_body_bytes);
        let per_caller = self.max_buffered_bytes_per_caller.unwrap_or(quota::half(self.max_buffered_bytes));
        BodyQuota::new(total_bytes, per_caller.max(self.max_body_bytes))
    }
}

impl BodyPermit {
    /// Grows to the length of the body so far, or to the memory of what is read of it.
    pub(crate) fn grow(
        &mut self,
        quota: &Arc<BodyQuota>,
        caller: &Caller,
        length: usize,
    ) -> Result<(), Problem> {
        if length <= UNCOUNTED {
            return Ok(());
        }
        let grown = match &mut self.0 {
            Some(permit) => permit.grow(length - permit.units()),
            none => quota.acquire(caller.clone(), length).map(|permit| *none = Some(permit)),
        };
        grown.map_err(|exhausted| REFUSAL.problem(exhausted))
    }
}

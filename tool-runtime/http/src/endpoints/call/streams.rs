//! The permits of event streams, limited overall and by caller.

use tool_runtime_core::refusal_reason::RefusalReason;

use crate::problem::Problem;
use crate::state::app::App;
use crate::state::caller::Caller;
use crate::state::quota::{Permit, QuotaRefusal};

/// The permit of one stream.
pub(crate) type StreamPermit = Permit<Caller>;

const REFUSAL: QuotaRefusal = QuotaRefusal {
    reason: RefusalReason::Streams,
    capacity: "too many event streams are open; accept JSON, or retry later",
    caller: "the caller has too many open event streams; close one, or accept JSON",
};

/// Acquires a permit for a stream of this caller.
pub(crate) fn acquire(app: &App, caller: Caller) -> Result<StreamPermit, Problem> {
    app.streams.acquire(caller, 1).map_err(|exhausted| REFUSAL.problem(exhausted))
}

//! The permits of event streams, limited overall and by caller.

use crate::http::problem::Problem;
use crate::http::state::app::App;
use crate::http::state::caller::Caller;
use crate::http::state::quota::{Permit, QuotaRefusal};
use crate::refusal_reason::RefusalReason;

/// The permit of one stream.
pub(in crate::http) type StreamPermit = Permit<Caller>;

const REFUSAL: QuotaRefusal = QuotaRefusal {
    reason: RefusalReason::Streams,
    capacity: "too many event streams are open; accept JSON, or retry later",
    caller: "the caller has too many open event streams; close one, or accept JSON",
};

/// Acquires a permit for a stream of this caller.
pub(in crate::http) fn acquire(app: &App, caller: Caller) -> Result<StreamPermit, Problem> {
    app.streams.acquire(caller, 1).map_err(|exhausted| REFUSAL.problem(exhausted))
}

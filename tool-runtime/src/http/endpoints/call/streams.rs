//! The permits of event streams, limited overall and by caller.

use tool_contracts::ErrorCode;

use crate::http::problem::Problem;
use crate::http::state::app::App;
use crate::http::state::caller::Caller;
use crate::http::state::quota::{Exhausted, Permit};
use crate::refusal_reason::RefusalReason;

/// The permit of one stream.
pub(super) type StreamPermit = Permit<Caller>;

/// Acquires a permit for a stream of this caller.
pub(super) fn acquire(app: &App, caller: Caller) -> Result<StreamPermit, Problem> {
    app.streams.acquire(caller, 1).map_err(|exhausted| {
        let (code, message) = match exhausted {
            Exhausted::Capacity => (
                ErrorCode::Unavailable,
                "too many event streams are open; accept JSON, or retry later",
            ),
            Exhausted::Owner => (
                ErrorCode::RateLimited,
                "the caller has too many open event streams; close one, or accept JSON",
            ),
        };
        Problem::of(code, message).with_reason(RefusalReason::Streams)
    })
}

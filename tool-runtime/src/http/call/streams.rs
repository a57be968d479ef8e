//! Places for answers that are streams: so many in all, and so many of one caller.

use tool_contracts::ErrorCode;

use crate::http::app::App;
use crate::http::problem::Problem;
use crate::http::rate::Caller;
use crate::http::shares::{Exhausted, Share};
use crate::refusal_reason::RefusalReason;

/// A stream's place, until it is dropped.
pub(super) type Place = Share<Caller>;

/// Takes a place for a caller, if it has not too many and there is one.
pub(super) fn place(app: &App, caller: Caller) -> Result<Place, Problem> {
    app.streams.take(caller, 1).map_err(|exhausted| {
        let (code, message) = match exhausted {
            Exhausted::Capacity => (
                ErrorCode::Unavailable,
                "too many streams are open; ask for JSON, or for this stream later",
            ),
            Exhausted::Owner => (
                ErrorCode::RateLimited,
                "this caller has too many streams open; read one to its end, or ask for JSON",
            ),
        };
        Problem::of(code, message).with_reason(RefusalReason::Streams)
    })
}

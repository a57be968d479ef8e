//! Counts the bytes of request bodies in memory, of all requests and of each caller.

use std::sync::Arc;

use tool_contracts::ErrorCode;

use crate::http::bounds::Bounds;
use crate::http::problem::Problem;
use crate::http::rate::Caller;
use crate::http::shares::{self, Exhausted, Shares};
use crate::refusal_reason::RefusalReason;

/// The longest body that is not counted: of these there are no more than requests, and most are.
pub(super) const UNCOUNTED: usize = 16 * 1024;

/// The room for bodies, in bytes.
pub(in crate::http) type Room = Shares<Caller>;

/// What one body takes of the room, until it is dropped.
#[derive(Debug, Default)]
pub(in crate::http) struct Share(Option<shares::Share<Caller>>);

impl Bounds {
    /// Makes the room that these bounds leave for bodies; one body always fits.
    pub(in crate::http) fn room(&self) -> Room {
        let all = self.bodies_bytes.max(self.body_bytes);
        let of_caller = self.bodies_of_caller.unwrap_or(shares::half(self.bodies_bytes));
        Room::new(all, of_caller.max(self.body_bytes))
    }
}

impl Share {
    /// Makes it what a body of this length takes, if there is room.
    pub(super) fn grow(
        &mut self,
        room: &Arc<Room>,
        caller: &Caller,
        length: usize,
    ) -> Result<(), Problem> {
        if length <= UNCOUNTED {
            return Ok(());
        }
        let grown = match &mut self.0 {
            Some(share) => share.grow(length - share.units()),
            none => room.take(caller.clone(), length).map(|share| *none = Some(share)),
        };
        grown.map_err(full)
    }
}

fn full(exhausted: Exhausted) -> Problem {
    let (code, message) = match exhausted {
        Exhausted::Capacity => (
            ErrorCode::Unavailable,
            "the bodies of other requests fill this server's memory; send this one later",
        ),
        Exhausted::Owner => (
            ErrorCode::RateLimited,
            "the bodies of this caller's requests fill its share of memory; send fewer at a time",
        ),
    };
    Problem::of(code, message).with_reason(RefusalReason::Bodies)
}

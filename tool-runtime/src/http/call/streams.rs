//! Places for answers that are streams: so many in all, and so many of one caller.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tool_contracts::ErrorCode;

use crate::http::bounds::Bounds;
use crate::http::problem::Problem;
use crate::http::rate::Caller;

/// The streams that are open. They have places of their own, so that no reader of many keeps a write
/// from running.
#[derive(Debug)]
pub(in crate::http) struct Streams {
    most: usize,
    most_of_one: usize,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    all: usize,
    /// Only those who have any.
    of_callers: HashMap<Caller, usize>,
}

/// A stream's place, until it is dropped.
#[derive(Debug)]
#[must_use = "the place is given back when this is dropped"]
pub(super) struct Place {
    streams: Arc<Streams>,
    caller: Caller,
}

impl Streams {
    pub(in crate::http) fn new(bounds: &Bounds) -> Self {
        let most = bounds.streams;
        let most_of_one = bounds.streams_of_caller.unwrap_or(most.div_ceil(2));
        Self { most, most_of_one, open: Mutex::default() }
    }

    /// Takes a place for a caller, if it has not too many and there is one.
    pub(super) fn take(self: &Arc<Self>, caller: Caller) -> Result<Place, Problem> {
        let mut open = self.open();
        let of_caller = open.of_callers.get(&caller).copied().unwrap_or_default();
        if of_caller >= self.most_of_one {
            return Err(too_many_of_one());
        }
        if open.all >= self.most {
            return Err(too_many());
        }
        open.all += 1;
        open.of_callers.insert(caller.clone(), of_caller + 1);
        Ok(Place { streams: Arc::clone(self), caller })
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self.streams.open();
        open.all -= 1;
        if let Some(of_caller) = open.of_callers.get_mut(&self.caller) {
            *of_caller -= 1;
            if *of_caller == 0 {
                open.of_callers.remove(&self.caller);
            }
        }
    }
}

fn too_many_of_one() -> Problem {
    let message = "this caller has too many streams open; read one to its end, or ask for JSON";
    Problem::of(ErrorCode::RateLimited, message).with_detail("reason", "streams")
}

fn too_many() -> Problem {
    let message = "too many streams are open; ask for JSON, or for this stream later";
    Problem::of(ErrorCode::Unavailable, message).with_detail("reason", "streams")
}

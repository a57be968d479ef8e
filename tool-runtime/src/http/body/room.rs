//! How much of all bodies together is in memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tool_contracts::ErrorCode;

use crate::http::bounds::Bounds;
use crate::http::problem::Problem;

/// The longest body that is not counted: of these there are no more than requests, and most are.
pub(super) const UNCOUNTED: usize = 16 * 1024;

/// The room for bodies, in bytes.
#[derive(Debug)]
pub(in crate::http) struct Room {
    most: usize,
    taken: AtomicUsize,
}

/// What one body takes of the room, until it is dropped.
#[derive(Debug, Default)]
pub(in crate::http) struct Share(Option<(Arc<Room>, usize)>);

impl Room {
    pub(in crate::http) fn new(bounds: &Bounds) -> Self {
        // One body fits, whatever is said.
        Self { most: bounds.bodies_bytes.max(bounds.body_bytes), taken: AtomicUsize::new(0) }
    }

    fn take(&self, bytes: usize) -> Result<(), Problem> {
        let with = |taken: usize| taken.checked_add(bytes).filter(|all| *all <= self.most);
        let taken = self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, with);
        taken.map(drop).map_err(|_| full())
    }
}

impl Share {
    /// Makes it what a body of this length takes, if there is room.
    pub(super) fn grow(&mut self, room: &Arc<Room>, length: usize) -> Result<(), Problem> {
        if length <= UNCOUNTED {
            return Ok(());
        }
        let (_, taken) = self.0.get_or_insert_with(|| (Arc::clone(room), 0));
        room.take(length - *taken)?;
        *taken = length;
        Ok(())
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        if let Some((room, bytes)) = &self.0 {
            room.taken.fetch_sub(*bytes, Ordering::Relaxed);
        }
    }
}

fn full() -> Problem {
    let message = "the bodies of other requests fill this server's memory; send this one later";
    Problem::of(ErrorCode::Unavailable, message).with_detail("reason", "bodies")
}

//! The progress of a call's tool, as one atomic value that all of its threads share.

use std::sync::atomic::{AtomicU8, Ordering};

/// `Parked → Open → Begun → Ended`; a blocking tool goes back to `Open` until a thread takes it, and
/// one that is tried again goes back to `Parked`.
#[derive(Debug, Default)]
pub(crate) struct Stage(AtomicU8);

const PARKED: u8 = 0;
const OPEN: u8 = 1;
const BEGUN: u8 = 2;
/// Ended before it had begun.
const ENDED: u8 = 3;
const ENDED_BEGUN: u8 = 4;

impl Stage {
    /// Lets the tool pass its gate.
    pub(crate) fn open(&self) {
        self.0.store(OPEN, Ordering::Release);
    }

    /// Passes the gate, if it is open: from here on the tool may have had an effect.
    pub(crate) fn pass(&self) -> bool {
        self.0.load(Ordering::Acquire) != PARKED && {
            self.begin();
            true
        }
    }

    /// Begins the tool; false if the call has ended meanwhile, and then it must not run.
    pub(crate) fn begin(&self) -> bool {
        self.0.compare_exchange(OPEN, BEGUN, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// Hands a tool that has passed the gate to another thread, which begins it.
    pub(crate) fn hand_over(&self) {
        self.0.store(OPEN, Ordering::Release);
    }

    /// Undoes the start of a tool that has not run, because a host value could not be made.
    pub(crate) fn undo_begin(&self) {
        let _ = self.0.compare_exchange(BEGUN, OPEN, Ordering::AcqRel, Ordering::Acquire);
    }

    /// Puts a tool that has failed by itself back behind its gate.
    pub(crate) fn park(&self) {
        self.0.store(PARKED, Ordering::Release);
    }

    /// Ends the call for its tool.
    pub(crate) fn end(&self) {
        let end = |now| match now {
            PARKED | OPEN => Some(ENDED),
            BEGUN => Some(ENDED_BEGUN),
            _ => None,
        };
        let _ = self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, end);
    }

    /// Returns whether the tool has begun, so that it may have had an effect; also after its end.
    pub(crate) fn has_begun(&self) -> bool {
        matches!(self.0.load(Ordering::Acquire), BEGUN | ENDED_BEGUN)
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.0.load(Ordering::Acquire) >= ENDED
    }
}

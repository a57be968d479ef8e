//! The place of a call in its trace, from which its key is derived.

use super::CallState;

impl CallState {
    /// Sets the place of the call, which is unique in its trace: such as a run, a turn and a position.
    /// Its key is then derived from the place, since models give an id to several calls. The first
    /// place counts.
    pub fn set_place(&self, place: impl Into<Box<str>>) {
        drop(self.optional_or_new().place.set(place.into()));
    }

    /// Returns the place of the call, if it has one.
    pub(crate) fn place(&self) -> Option<&str> {
        self.optional()?.place.get().map(|place| &**place)
    }
}

//! The state of a call's instrument in a build without spans: there is none.

/// A slot for nothing.
#[derive(Default)]
pub(crate) struct SpanSlot;

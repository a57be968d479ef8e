//! Rejects types with sensitive fields whose derived `Debug` would print them.

use std::fmt::Debug;

/// Implemented once for types without `Debug`, and twice, so that it is ambiguous, for all others.
///
/// A derive above `#[ai_type]` is expanded first: move it below, or write `#[ai_type(own_debug)]`
/// for a type with a handwritten `Debug`.
pub trait DeriveDebugStandsBelowAiType<Way> {
    /// Names the trait in a constant.
    const HOLDS: () = ();
}

impl<T: ?Sized> DeriveDebugStandsBelowAiType<()> for T {}

/// Marks the second implementation.
#[derive(Debug, Clone, Copy)]
pub enum HasDebug {}

impl<T: ?Sized + Debug> DeriveDebugStandsBelowAiType<HasDebug> for T {}

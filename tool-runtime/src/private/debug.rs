//! Whether a type with sensitive fields has a `Debug` that prints them.

use std::fmt::Debug;

/// Holds in one way for a type without `Debug`, and in two, which is ambiguous, for all others.
///
/// A derive that stands above `#[ai_type]` is expanded before it: put it below, or write
/// `#[ai_type(own_debug)]` over a type whose `Debug` is written by hand.
pub trait DeriveDebugStandsBelowAiType<Way> {
    /// Names the trait in a constant.
    const HOLDS: () = ();
}

impl<T: ?Sized> DeriveDebugStandsBelowAiType<()> for T {}

/// The second way.
#[derive(Debug, Clone, Copy)]
pub enum HasDebug {}

impl<T: ?Sized + Debug> DeriveDebugStandsBelowAiType<HasDebug> for T {}

//! The type of an answer, whatever its `Result` is called.

use super::Probe;

/// Picks the type of `data` from a return type, told by [`Probe`] whether that is a `Result`.
///
/// The two implementations differ in the constant, so they do not overlap; generated code computes
/// it: `<R as Select<{ Probe::<R>::IS_RESULT }>>::Value`.
pub trait Select<const IS_RESULT: bool> {
    /// What stands in `data`.
    type Value;
}

impl<T> Select<false> for T {
    type Value = T;
}

impl<T, E> Select<true> for Result<T, E> {
    type Value = T;
}

impl<T, E> Probe<Result<T, E>> {
    /// Whether the type is a `Result`, by whatever alias.
    pub const IS_RESULT: bool = true;
}

/// Fallback: any other type.
pub trait PlainReturn {
    /// Whether the type is a `Result`, by whatever alias.
    const IS_RESULT: bool = false;
}

impl<T: ?Sized> PlainReturn for Probe<T> {}

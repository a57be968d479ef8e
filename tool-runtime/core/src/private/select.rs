//! Selects the output type of a return type, for any alias of `Result`.

use super::Probe;

/// Selects the type of `data`, given by [`Probe`] whether the return type is a `Result`.
///
/// The two implementations differ in the constant, so they do not overlap; generated code computes
/// it: `<R as Select<{ Probe::<R>::IS_RESULT }>>::Value`.
pub trait Select<const IS_RESULT: bool> {
    /// The type of `data`.
    type Value;
}

impl<T> Select<false> for T {
    type Value = T;
}

impl<T, E> Select<true> for Result<T, E> {
    type Value = T;
}

impl<T, E> Probe<Result<T, E>> {
    /// True if the type is a `Result`, by any alias.
    pub const IS_RESULT: bool = true;
}

/// Fallback: any other type.
pub trait PlainReturn {
    /// True if the type is a `Result`, by any alias.
    const IS_RESULT: bool = false;
}

impl<T: ?Sized> PlainReturn for Probe<T> {}

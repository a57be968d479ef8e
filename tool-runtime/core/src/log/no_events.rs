//! Log events of a build without `tracing`: their values are used, and nothing is emitted.

/// Emits nothing. Takes the same event as the macro of the feature `trace`.
#[doc(hidden)]
#[macro_export]
macro_rules! __log_event {
    ($level:ident, target: $target:expr, $($fields:tt)+) => {
        $crate::log::log_event!($level, $($fields)+);
    };
    ($level:ident $(,)?) => {};
    ($level:ident, $message:literal $(,)?) => {
        let _ = format_args!($message);
    };
    ($level:ident, $name:ident = $(%)? $(?)? $value:expr $(, $($rest:tt)*)?) => {
        let _ = &$value;
        $crate::log::log_event!($level $(, $($rest)*)?);
    };
    ($level:ident, $(%)? $(?)? $value:expr $(, $($rest:tt)*)?) => {
        let _ = &$value;
        $crate::log::log_event!($level $(, $($rest)*)?);
    };
}

pub use crate::__log_event as log_event;

/// Returns the value: an event that is not emitted shows nothing.
pub fn display<T>(value: T) -> T {
    value
}

//! Log events, emitted by `tracing`.

/// Emits an event at a level (`warn`, `debug`), with the target, fields and message of the macros of
/// `tracing`.
#[doc(hidden)]
#[macro_export]
macro_rules! __log_event {
    ($level:ident, $($event:tt)+) => {
        $crate::log::tracing::$level!($($event)+)
    };
}

pub use crate::__log_event as log_event;

//! Log events, emitted by `tracing`.

/// Emits an event at a level (`warn`, `debug`), with the target, fields and message of the macros of
/// `tracing`.
macro_rules! log_event {
    ($level:ident, $($event:tt)+) => {
        tracing::$level!($($event)+)
    };
}

pub(crate) use log_event;

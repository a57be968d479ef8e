//! Log events: events of `tracing` with the feature `trace`, nothing without it.

#[cfg(all(feature = "http", not(feature = "trace")))]
mod no_display;
#[cfg(not(feature = "trace"))]
mod no_events;
#[cfg(feature = "trace")]
mod tracing_events;

#[cfg(all(feature = "http", feature = "trace"))]
pub(crate) use tracing::field::display;

#[cfg(all(feature = "http", not(feature = "trace")))]
pub(crate) use self::no_display::display;
#[cfg(not(feature = "trace"))]
pub(crate) use self::no_events::log_event;
#[cfg(feature = "trace")]
pub(crate) use self::tracing_events::log_event;

//! Log events: events of `tracing` with the feature `trace`, nothing without it.

#[cfg(not(feature = "trace"))]
mod no_events;
#[cfg(feature = "trace")]
mod tracing_events;

#[cfg(feature = "trace")]
pub use tracing;
#[cfg(feature = "trace")]
pub use tracing::field::display;

#[cfg(not(feature = "trace"))]
pub use self::no_events::{display, log_event};
#[cfg(feature = "trace")]
pub use self::tracing_events::log_event;

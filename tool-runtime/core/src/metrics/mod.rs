//! The metrics of calls, of agents and of the HTTP server: one table for `/metrics` and for OpenTelemetry.
//!
//! A row of [`table`] is a metric of both outputs. A [`Recorder`] keeps the values for `/metrics` and
//! passes each one on to the host's [`MetricExporter`].

// The crates `metrics` and `prometheus-client` do not record here: a series has two names and two
// sets of labels, which differ, and a test holds both outputs to one table. `metrics` has one key for
// a series, its exporter writes another text than `OpenMetrics`, and it has none for OpenTelemetry.
// The families of `prometheus-client` take a lock for each lookup, know no OpenTelemetry, and would be
// a dependency of every default build; the server uses its encoder alone.

mod budgets;
mod calls;
#[doc(hidden)]
pub mod names;
#[cfg(feature = "otel")]
mod otel;
mod recorder;
#[doc(hidden)]
pub mod table;

pub use self::calls::{ActiveCall, CallMetrics};
#[cfg(feature = "otel")]
pub(crate) use self::otel::OtelExporter;
pub use self::recorder::{
    AttributeValue, LazySeries, Meter, MetricExporter, MetricInstrument, Recorder, Series,
};
pub use self::table::{Metric, MetricKind, MetricUnit};

/// The value of a label at `/metrics` that stands for an unknown tool, code or model.
pub const UNKNOWN: &str = "unknown";

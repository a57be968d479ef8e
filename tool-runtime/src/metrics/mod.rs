//! The metrics of calls and of the HTTP server: one table for `/metrics` and for OpenTelemetry.
//!
//! A row of [`table`] is a metric of both outputs. What happens is counted once: a counter or a
//! histogram is increased together with its OpenTelemetry instrument, and a value that is read
//! when it is wanted has one reader for both.
#![allow(
    dead_code,
    unused_imports,
    reason = "the features `http` and `otel` read the metrics, each some of them"
)]

mod calls;
mod durations;
pub(crate) mod names;
#[cfg(not(feature = "otel"))]
mod no_otel;
#[cfg(feature = "otel")]
mod otel;
pub(crate) mod table;

pub(crate) use self::calls::{ActiveCall, AnswerSource, CallMetrics, EndedCall, ToolSeries};
pub(crate) use self::durations::Durations;
#[cfg(not(feature = "otel"))]
pub(crate) use self::no_otel::{AttributeValue, Counter, Histogram, Meter, UpDownCounter};
#[cfg(feature = "otel")]
pub(crate) use self::otel::{AttributeValue, Counter, Histogram, Meter, UpDownCounter};
pub(crate) use self::table::{Metric, MetricKind};

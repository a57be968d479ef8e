//! The metrics of calls, of agents and of the HTTP server: one table for `/metrics` and for OpenTelemetry.
//!
//! A row of [`table`] is a metric of both outputs. What happens is counted once: a counter or a
//! histogram is increased together with its OpenTelemetry instrument, and a value that is read
//! when it is wanted has one reader for both.
#![allow(
    dead_code,
    unused_imports,
    reason = "the features `agent`, `http` and `otel` use the metrics, each some of them"
)]

mod agent;
mod calls;
mod distribution;
pub(crate) mod names;
#[cfg(not(feature = "otel"))]
mod no_otel;
#[cfg(feature = "otel")]
mod otel;
pub(crate) mod table;

pub(crate) use self::agent::{AgentMetrics, AgentSeries, EndedModelCall, EndedRequest, EndedRun};
pub(crate) use self::calls::{ActiveCall, AnswerSource, CallMetrics, EndedCall, ToolSeries};
pub(crate) use self::distribution::Distribution;
#[cfg(not(feature = "otel"))]
pub(crate) use self::no_otel::{AttributeValue, Counter, Histogram, Meter, UpDownCounter};
#[cfg(feature = "otel")]
pub(crate) use self::otel::{AttributeValue, Counter, Histogram, Meter, UpDownCounter};
pub(crate) use self::table::{Metric, MetricKind, MetricUnit};

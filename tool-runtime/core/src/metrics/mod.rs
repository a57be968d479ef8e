//! The metrics of calls, of agents and of the HTTP server: one table for `/metrics` and for OpenTelemetry.
//!
//! A row of [`table`] is a metric of both outputs. What happens is counted once: a counter or a
//! histogram is increased together with its OpenTelemetry instrument, and a value that is read
//! when it is wanted has one reader for both.

mod agent;
mod agent_series;
mod calls;
mod distribution;
#[doc(hidden)]
pub mod names;
#[cfg(not(feature = "otel"))]
mod no_otel;
#[cfg(feature = "otel")]
mod otel;
mod reading;
#[doc(hidden)]
pub mod table;

pub use self::agent::{AgentMetrics, EndedModelCall, EndedRequest, EndedRun};
pub use self::calls::{ActiveCall, AnswerSource, CallMetrics, MeasuredCall, ToolSeries};
pub use self::distribution::Distribution;
pub use self::instruments::Meter;
pub use self::instruments::{AttributeValue, Counter, Histogram};
#[cfg(not(feature = "otel"))]
use self::no_otel as instruments;
#[cfg(feature = "otel")]
use self::otel as instruments;
pub use self::table::{Metric, MetricKind, MetricUnit};

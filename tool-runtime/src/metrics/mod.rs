//! The metrics of calls, of agents and of the HTTP server: one table for `/metrics` and for OpenTelemetry.
//!
//! A row of [`table`] is a metric of both outputs. What happens is counted once: a counter or a
//! histogram is increased together with its OpenTelemetry instrument, and a value that is read
//! when it is wanted has one reader for both.

#[cfg(feature = "agent")]
mod agent;
#[cfg(any(feature = "agent", feature = "http"))]
mod agent_series;
mod calls;
mod distribution;
pub(crate) mod names;
#[cfg(not(feature = "agent"))]
mod no_agent;
#[cfg(not(feature = "otel"))]
mod no_otel;
#[cfg(feature = "otel")]
mod otel;
#[cfg(feature = "http")]
mod reading;
pub(crate) mod table;

#[cfg(feature = "agent")]
pub(crate) use self::agent::{AgentMetrics, EndedModelCall, EndedRequest, EndedRun};
#[cfg(feature = "http")]
pub(crate) use self::calls::ToolSeries;
pub(crate) use self::calls::{ActiveCall, AnswerSource, CallMetrics, MeasuredCall};
#[cfg(feature = "http")]
pub(crate) use self::distribution::Distribution;
pub(crate) use self::instruments::Meter;
#[cfg(feature = "http")]
pub(crate) use self::instruments::{AttributeValue, Counter, Histogram};
#[cfg(not(feature = "agent"))]
use self::no_agent::AgentMetrics;
#[cfg(not(feature = "otel"))]
use self::no_otel as instruments;
#[cfg(feature = "otel")]
use self::otel as instruments;
#[cfg(feature = "http")]
pub(crate) use self::table::{Metric, MetricKind, MetricUnit};

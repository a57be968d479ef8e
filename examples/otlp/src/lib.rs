//! Exports the spans and metrics of tools and of their HTTP server by OTLP.
//!
//! The exporters of `opentelemetry-otlp` send protobuf over HTTP, from threads of their own. The
//! program in `main.rs` serves the tools; the test in `tests/export.rs` receives what it exports.

use std::time::Duration;

use opentelemetry::metrics::MeterProvider as _;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{ExporterBuildError, MetricExporter, SpanExporter, WithExportConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::metrics::{PeriodicReader, SdkMeterProvider};
use opentelemetry_sdk::trace::SdkTracerProvider;
use tool_runtime::prelude::*;
use tool_runtime::trace::Metrics;
use tracing::Subscriber;
use tracing_subscriber::Registry;
use tracing_subscriber::layer::SubscriberExt;

/// The name of the service and of the library's instruments.
const NAME: &str = "otlp-example";

/// The time between two exports of the metrics.
const METRICS_INTERVAL: Duration = Duration::from_secs(15);

/// Adds two numbers.
#[ai_tool(effect = "read")]
fn add(
    /// The first.
    a: i64,
    /// The second.
    b: i64,
) -> i64 {
    a.saturating_add(b)
}

/// The exporters of a program.
#[derive(Debug)]
pub struct Telemetry {
    spans: SdkTracerProvider,
    metrics: SdkMeterProvider,
}

impl Telemetry {
    /// Starts the exporters for a collector, such as `http://localhost:4318`.
    ///
    /// # Errors
    /// When the collector's address is not a URL.
    pub fn start(collector: &str) -> Result<Self, ExporterBuildError> {
        let collector = collector.trim_end_matches('/');
        let spans = SpanExporter::builder().with_http();
        let spans = spans.with_endpoint(format!("{collector}/v1/traces")).build()?;
        let metrics = MetricExporter::builder().with_http();
        let metrics = metrics.with_endpoint(format!("{collector}/v1/metrics")).build()?;
        let reader = PeriodicReader::builder(metrics).with_interval(METRICS_INTERVAL).build();
        let resource = Resource::builder().with_service_name(NAME).build();
        Ok(Self {
            spans: SdkTracerProvider::builder()
                .with_batch_exporter(spans)
                .with_resource(resource.clone())
                .build(),
            metrics: SdkMeterProvider::builder()
                .with_reader(reader)
                .with_resource(resource)
                .build(),
        })
    }

    /// Makes the subscriber that turns the spans of `tracing` into spans of OpenTelemetry.
    #[must_use]
    pub fn subscriber(&self) -> impl Subscriber + Send + Sync + use<> {
        let layer = tracing_opentelemetry::layer().with_tracer(self.spans.tracer(NAME));
        Registry::default().with(layer)
    }

    /// Makes a runtime whose metrics, and those of a server that serves it, are exported.
    ///
    /// # Errors
    /// When the tools are not right.
    pub fn runtime(&self) -> Result<Runtime, tool_runtime::BuildError> {
        let metrics = Metrics::new(&self.metrics.meter(NAME));
        Runtime::builder().tool::<AddTool>().metrics(metrics).build()
    }

    /// Sends what is not exported yet, and stops. It blocks until the collector has answered.
    ///
    /// # Errors
    /// When the collector could not be reached in time.
    pub fn shut_down(&self) -> OTelSdkResult {
        // Both, even if one fails.
        let (spans, metrics) = (self.spans.shutdown(), self.metrics.shutdown());
        spans.and(metrics)
    }
}

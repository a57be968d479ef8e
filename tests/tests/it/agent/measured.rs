//! A runtime whose metrics a test reads at both outputs, and the log of a thread.

use std::collections::{BTreeMap, BTreeSet};

use axum::body::Body;
use axum::http::Request;
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry_sdk::metrics::data::{
    AggregatedMetrics, MetricData, ResourceMetrics, ScopeMetrics,
};
use opentelemetry_sdk::metrics::{InMemoryMetricExporter, SdkMeterProvider};
use tool_runtime::RuntimeBuilder;
use tool_runtime::http::{Auth, HttpConfig, router};
use tool_runtime::prelude::*;
use tool_runtime::trace::Metrics;
use tower::ServiceExt;
use tracing::subscriber::DefaultGuard;

use crate::support::Paper;

/// A runtime whose metrics are exported.
pub(super) struct MeasuredRuntime {
    exporter: InMemoryMetricExporter,
    provider: SdkMeterProvider,
    pub(super) runtime: Runtime,
}

/// The values of a metric by its attributes: a sum, or the count and the sum of a histogram.
pub(super) type Points = BTreeMap<String, Vec<u64>>;

impl MeasuredRuntime {
    pub(super) fn new(builder: RuntimeBuilder) -> Self {
        let exporter = InMemoryMetricExporter::default();
        let provider = SdkMeterProvider::builder().with_periodic_exporter(exporter.clone()).build();
        let metrics = Metrics::new(&provider.meter("tests"));
        let runtime = builder.metrics(metrics).build().unwrap();
        Self { exporter, provider, runtime }
    }

    /// Returns the exported metrics by their names.
    pub(super) fn exported(&self) -> BTreeMap<String, Points> {
        self.provider.force_flush().unwrap();
        let exported = self.exporter.get_finished_metrics().unwrap();
        let metrics = exported.last().into_iter().flat_map(ResourceMetrics::scope_metrics);
        let metrics = metrics.flat_map(ScopeMetrics::metrics);
        metrics.map(|metric| (metric.name().to_owned(), points(metric.data()))).collect()
    }

    /// Returns the lines of `/metrics`.
    pub(super) async fn page(&self) -> Vec<String> {
        let config = HttpConfig::new(Auth::new()).public_metrics();
        let request = Request::get("/metrics").body(Body::empty()).unwrap();
        let response = router(self.runtime.clone(), config).oneshot(request).await.unwrap();
        let page = axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap();
        String::from_utf8(page.to_vec()).unwrap().lines().map(str::to_owned).collect()
    }
}

fn points(data: &AggregatedMetrics) -> Points {
    match data {
        AggregatedMetrics::U64(MetricData::Sum(sum)) => {
            sum.data_points().map(|it| (key(it.attributes()), vec![it.value()])).collect()
        }
        AggregatedMetrics::F64(MetricData::Histogram(histogram)) => {
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "small sums"
            )]
            let values = |count, sum: f64| vec![count, sum as u64];
            let points = histogram.data_points();
            points.map(|it| (key(it.attributes()), values(it.count(), it.sum()))).collect()
        }
        _ => Points::new(),
    }
}

fn key<'a>(attributes: impl Iterator<Item = &'a opentelemetry::KeyValue>) -> String {
    let pairs = attributes.map(|pair| format!("{}={}", pair.key.as_str(), pair.value));
    pairs.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(" ")
}

#[track_caller]
pub(super) fn check(exported: &BTreeMap<String, Points>, name: &str, expected: &[(&str, &[u64])]) {
    let found = exported.get(name).into_iter().flatten();
    // Of a duration only the count is known.
    let found: Vec<_> = found
        .zip(expected)
        .map(|((key, values), (_, expected))| (&**key, &values[..expected.len()]))
        .collect();
    assert_eq!(found, expected, "{name}");
    assert_eq!(exported.get(name).map_or(0, BTreeMap::len), expected.len(), "{exported:?}");
}

/// Writes the events of this thread as JSON, of all levels.
pub(super) fn subscribed(paper: &Paper) -> DefaultGuard {
    let subscriber = tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_max_level(tracing::Level::TRACE)
        .with_writer(paper.clone())
        .finish();
    tracing::subscriber::set_default(subscriber)
}

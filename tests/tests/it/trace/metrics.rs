//! The metrics of calls.

use std::collections::BTreeMap;
use std::sync::Arc;

use opentelemetry::KeyValue;
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry_sdk::metrics::data::{AggregatedMetrics, Metric, MetricData, ScopeMetrics};
use opentelemetry_sdk::metrics::{InMemoryMetricExporter, SdkMeterProvider};
use tool_runtime::prelude::*;
use tool_runtime::trace::{Metrics, conventions as names};

use super::{SECRET, ToolRuns, builder, what};
use crate::support::cx;

/// Looks something up that stays good.
#[ai_tool(effect = "read", ttl = "60s")]
async fn fresh() -> u32 {
    1
}

/// Keeps something under a key.
#[ai_tool(effect = "write", preview = nothing_yet)]
async fn keep_once() -> u32 {
    1
}

async fn nothing_yet() -> u32 {
    0
}

/// Keeps the exported metrics.
struct Meters {
    exporter: InMemoryMetricExporter,
    provider: SdkMeterProvider,
    runtime: Runtime,
    tool_runs: Arc<ToolRuns>,
}

impl Meters {
    fn start() -> Self {
        let exporter = InMemoryMetricExporter::default();
        let provider = SdkMeterProvider::builder().with_periodic_exporter(exporter.clone()).build();
        let metrics = Metrics::new(&provider.meter("tests"));
        let tool_runs = Arc::<ToolRuns>::default();
        let builder = builder(&tool_runs).tool::<FreshTool>().tool::<KeepOnceTool>();
        let runtime = builder.without_tracing().metrics(metrics).build().expect("the runtime");
        Self { exporter, provider, runtime, tool_runs }
    }

    async fn call(&self, tool: &str, arguments: &str) {
        self.runtime.call(tool, arguments, &cx()).execute().await;
    }

    /// Returns a metric's current values by their attributes: a sum, or a histogram's count.
    fn read(&self, name: &str) -> BTreeMap<String, i64> {
        self.provider.force_flush().expect("an export");
        let exported = self.exporter.get_finished_metrics().expect("the metrics");
        let last = exported.last().expect("an export");
        let mut metrics = last.scope_metrics().flat_map(ScopeMetrics::metrics);
        metrics.find(|metric| metric.name() == name).map(points).unwrap_or_default()
    }
}

fn points(metric: &Metric) -> BTreeMap<String, i64> {
    match metric.data() {
        AggregatedMetrics::U64(MetricData::Sum(sum)) => sum
            .data_points()
            .map(|point| (key(point.attributes()), i64::try_from(point.value()).unwrap()))
            .collect(),
        AggregatedMetrics::I64(MetricData::Sum(sum)) => {
            sum.data_points().map(|point| (key(point.attributes()), point.value())).collect()
        }
        AggregatedMetrics::F64(MetricData::Histogram(histogram)) => histogram
            .data_points()
            .map(|point| {
                assert!(point.bounds().eq(names::DURATION_BOUNDARIES), "the convention's buckets");
                (key(point.attributes()), i64::try_from(point.count()).unwrap())
            })
            .collect(),
        other => panic!("no metric of ours: {other:?}"),
    }
}

fn key<'a>(attributes: impl Iterator<Item = &'a KeyValue>) -> String {
    let mut pairs: Vec<_> =
        attributes.map(|pair| format!("{}={}", pair.key.as_str(), pair.value)).collect();
    pairs.sort();
    pairs.join(" ")
}

#[track_caller]
fn check(found: &BTreeMap<String, i64>, expected: &[(&str, i64)]) {
    let found: Vec<_> = found.iter().map(|(key, value)| (&**key, *value)).collect();
    assert_eq!(found, expected);
}

#[tokio::test(start_paused = true)]
async fn answers_failures_and_retries_are_counted_by_tool() {
    let meters = Meters::start();
    meters.call("look", &what("tea")).await;
    meters.call("look", &what("tea")).await;
    meters.call("look", &what("broken")).await;
    check(
        &meters.read(names::CALLS),
        &[
            ("error.type=UNAVAILABLE gen_ai.tool.name=look tool_runtime.call.status=failed", 1),
            ("gen_ai.tool.name=look tool_runtime.call.status=executed", 2),
        ],
    );
    check(&meters.read(names::RETRIES), &[("gen_ai.tool.name=look", 2)]);
    check(
        &meters.read(names::DURATION),
        &[
            ("error.type=UNAVAILABLE gen_ai.tool.name=look gen_ai.tool.type=function", 1),
            ("gen_ai.tool.name=look gen_ai.tool.type=function", 2),
        ],
    );
    check(&meters.read(names::REFUSALS), &[]);
}

#[tokio::test]
async fn refusals_are_counted_by_reason_and_names_that_no_tool_has_as_one() {
    let meters = Meters::start();
    meters.call("look", "{}").await;
    meters.call(SECRET, "{}").await;
    meters.call("another", "{}").await;
    meters.call("keep", &what("tea")).await;
    meters.runtime.call("keep", what("tea"), &cx()).decline("boss", "no").unwrap();
    check(
        &meters.read(names::REFUSALS),
        &[
            ("error.type=DECLINED gen_ai.tool.name=keep", 1),
            ("error.type=INVALID_ARGUMENT gen_ai.tool.name=look", 1),
            ("error.type=NEEDS_USER_CONFIRMATION gen_ai.tool.name=keep", 1),
            ("error.type=NOT_FOUND gen_ai.tool.name=_OTHER", 2),
        ],
    );
    // The dry run that the approver of `keep` would be shown; refused calls have no duration.
    let shown = ("gen_ai.tool.name=keep gen_ai.tool.type=function", 1);
    check(&meters.read(names::DURATION), &[shown]);
}

#[tokio::test]
async fn an_answer_that_is_used_again_is_counted_as_such() {
    let meters = Meters::start();
    let builder = ToolContext::builder(Uuid::nil(), "trace-1").run_id("run-1").user_id("jane");
    let jane = builder.build().expect("the context");
    for _ in 0..2 {
        meters.runtime.call("fresh", "{}", &jane).execute().await;
    }
    let keyed = jane.with_idempotency_key("key-1").expect("a key");
    for _ in 0..3 {
        let mut call = meters.runtime.call("keep_once", "{}", &keyed);
        call.approve("jane").unwrap();
        call.execute().await;
    }
    check(&meters.read(names::CACHE_HITS), &[("gen_ai.tool.name=fresh", 1)]);
    check(&meters.read(names::REPLAYS), &[("gen_ai.tool.name=keep_once", 2)]);
    check(
        &meters.read(names::DURATION),
        &[
            ("gen_ai.tool.name=fresh gen_ai.tool.type=function", 1),
            ("gen_ai.tool.name=keep_once gen_ai.tool.type=function", 1),
        ],
    );
}

#[tokio::test]
async fn calls_under_way_are_counted_until_they_end_whatever_their_end() {
    let meters = Meters::start();
    let mut call = meters.runtime.call("look", what("hang"), &cx());
    let cancellation = call.cancellation().expect("a known tool");
    let look = async {
        meters.tool_runs.begins().await;
        check(&meters.read(names::ACTIVE_CALLS), &[("gen_ai.tool.name=look", 1)]);
        cancellation.cancel();
    };
    futures::join!(call.execute(), look);
    check(&meters.read(names::ACTIVE_CALLS), &[("gen_ai.tool.name=look", 0)]);
}

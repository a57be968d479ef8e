//! Metrics of a server over OpenTelemetry: those of `/metrics`.

use std::collections::{BTreeMap, BTreeSet};

use axum::Router;
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry_sdk::metrics::data::{
    AggregatedMetrics, Metric, MetricData, ResourceMetrics, ScopeMetrics,
};
use opentelemetry_sdk::metrics::{InMemoryMetricExporter, SdkMeterProvider};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tool_runtime::http::{Auth, HttpConfig, Server, router};
use tool_runtime::ledger::{Ledger, MemoryLedger};
use tool_runtime::prelude::*;
use tool_runtime::trace::Metrics;

use super::{call, get, open, post, send};
use crate::ledger::ring;

/// Returns a number.
#[ai_tool(effect = "read")]
async fn seven() -> u8 {
    7
}

/// The metrics that a runtime and its servers export.
struct Exported {
    exporter: InMemoryMetricExporter,
    provider: SdkMeterProvider,
}

impl Exported {
    fn new() -> Self {
        let exporter = InMemoryMetricExporter::default();
        let provider = SdkMeterProvider::builder().with_periodic_exporter(exporter.clone()).build();
        Self { exporter, provider }
    }

    /// Returns a runtime with this meter.
    fn runtime(&self) -> Runtime {
        let metrics = Metrics::new(&self.provider.meter("tests"));
        Runtime::builder().tool::<SevenTool>().metrics(metrics).build().unwrap()
    }

    /// Returns the current values of all metrics, by name and attributes.
    fn read(&self) -> BTreeMap<String, BTreeMap<String, i64>> {
        self.provider.force_flush().unwrap();
        let exported = self.exporter.get_finished_metrics().unwrap();
        let metrics = exported.last().into_iter().flat_map(ResourceMetrics::scope_metrics);
        let metrics = metrics.flat_map(ScopeMetrics::metrics);
        metrics.map(|metric| (metric.name().to_owned(), points(metric))).collect()
    }
}

fn points(metric: &Metric) -> BTreeMap<String, i64> {
    let number = |value: u64| i64::try_from(value).unwrap();
    match metric.data() {
        AggregatedMetrics::U64(MetricData::Sum(sum)) => {
            sum.data_points().map(|it| (key(it.attributes()), number(it.value()))).collect()
        }
        AggregatedMetrics::U64(MetricData::Gauge(gauge)) => {
            gauge.data_points().map(|it| (key(it.attributes()), number(it.value()))).collect()
        }
        AggregatedMetrics::I64(MetricData::Sum(sum)) => {
            sum.data_points().map(|it| (key(it.attributes()), it.value())).collect()
        }
        AggregatedMetrics::F64(MetricData::Histogram(histogram)) => {
            histogram.data_points().map(|it| (key(it.attributes()), number(it.count()))).collect()
        }
        other => panic!("no metric of ours: {other:?}"),
    }
}

fn key<'a>(attributes: impl Iterator<Item = &'a opentelemetry::KeyValue>) -> String {
    let pairs = attributes.map(|pair| format!("{}={}", pair.key.as_str(), pair.value));
    pairs.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn check(all: &BTreeMap<String, BTreeMap<String, i64>>, name: &str, expected: &[(&str, i64)]) {
    let found = all.get(name).into_iter().flatten();
    let found: Vec<_> = found.map(|(key, value)| (&**key, *value)).collect();
    assert_eq!(found, expected, "{name}");
}

#[tokio::test]
async fn requests_refusals_and_calls_of_a_server_reach_the_meter_of_its_runtime() {
    let exported = Exported::new();
    let app = router(exported.runtime(), open());
    call(&app, "seven", "{}").await;
    call(&app, "seven", "{}").await;
    send(&app, post("/tools/call", "{")).await;
    send(&app, get("/no/such/path")).await;
    let metrics = exported.read();
    check(
        &metrics,
        "http.server.request.duration",
        &[
            ("http.request.method=GET http.response.status_code=404 url.scheme=http", 1),
            (
                "http.request.method=POST http.response.status_code=200 http.route=/tools/call \
                 url.scheme=http",
                2,
            ),
            (
                "http.request.method=POST http.response.status_code=400 http.route=/tools/call \
                 url.scheme=http",
                1,
            ),
        ],
    );
    check(&metrics, "tool_runtime.server.refusals", &[("http.response.status_code=400", 1)]);
    let seven = "gen_ai.tool.name=seven tool_runtime.call.status=executed";
    check(&metrics, "tool_runtime.calls", &[(seven, 2)]);
    let page = send(&app, get("/metrics")).await.text;
    let line = r#"tool_server_calls_total{tool="seven",status="success",code=""} 2"#;
    assert!(page.contains(line), "both outputs count the same calls: {page}");
}

#[tokio::test]
async fn connections_of_a_server_reach_the_meter_of_its_runtime() {
    let exported = Exported::new();
    let config = open();
    let drain = config.drain();
    let server = Server::new(router(exported.runtime(), config), drain);
    let bound = server.bind("127.0.0.1:0").await.unwrap();
    let address = bound.local_addr();
    let running = tokio::spawn(bound.run(std::future::pending()));
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n";
    stream.write_all(request.as_bytes()).await.unwrap();
    stream.read_u8().await.unwrap();
    let metrics = exported.read();
    check(&metrics, "tool_runtime.server.connections", &[("", 1)]);
    check(&metrics, "tool_runtime.server.connections_accepted", &[("", 1)]);
    check(&metrics, "tool_runtime.server.draining", &[("", 0)]);
    running.abort();
}

/// Returns the rows of the guide's table: name at `/metrics`, name in OpenTelemetry, labels.
fn rows() -> Vec<[&'static str; 3]> {
    let guide = include_str!("../../../../tool-runtime/docs/traces.md");
    let rows = guide.lines().filter(|line| line.starts_with("| `tool_server_"));
    rows.map(|row| {
        let cells: Vec<_> = row.split('|').map(|cell| cell.trim().trim_matches('`')).collect();
        [cells[1], cells[2], cells[3]]
    })
    .collect()
}

#[tokio::test]
async fn both_outputs_have_exactly_the_metrics_of_the_guide() {
    let exported = Exported::new();
    let ledger = Ledger::builder(ring()).open(MemoryLedger::new(100)).unwrap();
    let config = HttpConfig::new(Auth::new()).public_metrics().ledger(&ledger);
    let app: Router = router(exported.runtime(), config);
    let page = send(&app, get("/metrics")).await.text;
    let types = page.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    let families: BTreeSet<_> = types
        .map(|line| match line.split_once(' ') {
            Some((name, "counter")) => format!("{name}_total"),
            Some((name, _)) => name.to_owned(),
            None => line.to_owned(),
        })
        .collect();
    // This server accepts no tokens.
    let rows = rows().into_iter().filter(|[name, ..]| !name.contains("token_keys"));
    let rows: Vec<_> = rows.collect();
    assert!(rows.len() > 30, "the guide has a table");
    let expected: BTreeSet<_> = rows.iter().map(|[name, ..]| (*name).to_owned()).collect();
    assert_eq!(families, expected);

    let known: BTreeSet<_> = rows.iter().map(|[_, name, _]| *name).collect();
    let metrics = exported.read();
    let found: BTreeSet<_> = metrics.keys().map(String::as_str).collect();
    assert!(found.is_subset(&known), "{:?}", found.difference(&known));
    // Series with labels exist once they are counted, and those of agents once an agent runs.
    let is_later =
        |otel: &str| otel.ends_with("active_calls") || otel.starts_with("tool_runtime.agent.");
    let always = rows.iter().filter(|[_, otel, labels]| labels.is_empty() && !is_later(otel));
    let missing: Vec<_> =
        always.map(|[_, otel, _]| *otel).filter(|name| !found.contains(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

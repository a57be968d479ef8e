//! Everything that leaves a call, by where it goes.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};

use opentelemetry::metrics::MeterProvider as _;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_sdk::metrics::{InMemoryMetricExporter, SdkMeterProvider};
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider};
use tool_runtime::trace::Metrics;
use tool_runtime::{CallRecord, Observe};
use tracing::Dispatch;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::fmt::{self};
use tracing_subscriber::layer::SubscriberExt;

/// The written bytes of each sink. A handle.
#[derive(Clone, Default)]
pub(super) struct Sinks(Arc<Mutex<BTreeMap<&'static str, Vec<u8>>>>);

impl Sinks {
    pub(super) fn note(&self, sink: &'static str, text: impl AsRef<[u8]>) {
        let mut all = self.0.lock().unwrap();
        let sink = all.entry(sink).or_default();
        sink.extend_from_slice(text.as_ref());
        sink.push(b'\n');
    }

    /// Notes a value as `Debug` shows it, in one line and in many.
    pub(super) fn debug(&self, value: &impl Debug) {
        self.note("Debug", format!("{value:?}\n{value:#?}"));
    }

    /// Adds the bytes of every file in a folder whose name has this prefix.
    pub(super) fn files(&self, sink: &'static str, folder: &Path, name: &str) {
        let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        for file in
            files.filter(|file| file.file_name().unwrap().to_str().unwrap().starts_with(name))
        {
            self.note(sink, fs::read(file).unwrap());
        }
    }

    pub(super) fn writer(&self, sink: &'static str) -> Writer {
        Writer(self.clone(), sink)
    }

    /// Returns a sink's text; invalid UTF-8 is replaced.
    pub(super) fn text(&self, sink: &str) -> String {
        let all = self.0.lock().unwrap();
        all.get(sink).map(|bytes| String::from_utf8_lossy(bytes).into_owned()).unwrap_or_default()
    }

    pub(super) fn names(&self) -> Vec<&'static str> {
        self.0.lock().unwrap().keys().copied().collect()
    }
}

/// Writes into one sink.
pub(super) struct Writer(Sinks, &'static str);

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.0.lock().unwrap().entry(self.1).or_default().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Observes each call's end, and writes everything that it can reach except the host's own view of
/// the arguments.
impl Observe for Sinks {
    fn call_ended(&self, record: &CallRecord<'_>) {
        self.note("CallRecord", format!("{record:?}\n{record:#?}\n{}", record.log()));
        self.debug(record.cx());
        self.debug(record.output());
        self.debug(&(record.spec(), record.status(), record.origin(), record.approver()));
        self.note("envelope", format!("{}\n{}", record.output().json(), record.output()));
    }
}

/// The spans and metrics of an exporter.
pub(super) struct Exported {
    pub(super) dispatch: Dispatch,
    pub(super) metrics: Metrics,
    spans: InMemorySpanExporter,
    tracing: SdkTracerProvider,
    measured: InMemoryMetricExporter,
    measuring: SdkMeterProvider,
}

impl Exported {
    /// Listens to every target at every level.
    pub(super) fn start(sinks: &Sinks) -> Self {
        let spans = InMemorySpanExporter::default();
        let tracing = SdkTracerProvider::builder().with_simple_exporter(spans.clone()).build();
        let measured = InMemoryMetricExporter::default();
        let measuring =
            SdkMeterProvider::builder().with_periodic_exporter(measured.clone()).build();
        let (text, json) = (sinks.clone(), sinks.clone());
        let text = fmt::layer()
            .with_ansi(false)
            .with_span_events(FmtSpan::FULL)
            .with_writer(move || text.writer("tracing, text"));
        let json = fmt::layer()
            .json()
            .with_span_events(FmtSpan::FULL)
            .with_writer(move || json.writer("tracing, JSON"));
        let otel = tracing_opentelemetry::layer().with_tracer(tracing.tracer("canary"));
        let dispatch = tracing_subscriber::registry().with(text).with(json).with(otel).into();
        let metrics = Metrics::new(&measuring.meter("canary"));
        Self { dispatch, metrics, spans, tracing, measured, measuring }
    }

    pub(super) fn write_to(&self, sinks: &Sinks) {
        self.tracing.force_flush().expect("an export");
        self.measuring.force_flush().expect("an export");
        for span in self.spans.get_finished_spans().expect("the spans") {
            sinks.note("OpenTelemetry", format!("{span:?}"));
        }
        for metric in self.measured.get_finished_metrics().expect("the metrics") {
            sinks.note("OpenTelemetry", format!("{metric:?}"));
        }
    }
}

//! Traces, the log and metrics: what an exporter gets of the calls.

mod headers;
mod host_ids;
mod lines;
mod metrics;
mod parents;
mod span_ids;
mod spans;

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use futures::future::pending;
use opentelemetry::trace::{SpanId, TracerProvider as _};
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider, SpanData};
use serde_json::value::RawValue;
use tokio::task::yield_now;
use tool_runtime::RuntimeBuilder;
use tool_runtime::contracts::ToolCallRequest;
use tool_runtime::contracts::trace_context::TraceContext;
use tool_runtime::prelude::*;
use tool_runtime::trace::TraceHeaders;
use tracing::Instrument;
use tracing::subscriber::DefaultGuard;
use tracing_subscriber::layer::SubscriberExt;

use crate::support::subscribe;

/// Texts that must be in no span, no event and no line.
const SECRET: &str = "hunter2";

/// Keeps the spans of this thread that an exporter would send.
struct Recorder {
    exporter: InMemorySpanExporter,
    _provider: SdkTracerProvider,
    _here: DefaultGuard,
}

impl Recorder {
    fn start() -> Self {
        let exporter = InMemorySpanExporter::default();
        let provider = SdkTracerProvider::builder().with_simple_exporter(exporter.clone()).build();
        let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("tests"));
        let here = subscribe(tracing_subscriber::registry().with(layer));
        Self { exporter, _provider: provider, _here: here }
    }

    /// Returns the ended spans in the order of their ends.
    fn spans(&self) -> Vec<SpanData> {
        self.exporter.get_finished_spans().expect("the spans")
    }

    /// Returns the names of the ended spans.
    fn names(&self) -> Vec<String> {
        self.spans().iter().map(|span| span.name.to_string()).collect()
    }

    /// Returns the only span with this name.
    #[track_caller]
    fn span(&self, name: &str) -> SpanData {
        let [span] = &self.all(name)[..] else { panic!("one `{name}` in {:?}", self.names()) };
        span.clone()
    }

    fn all(&self, name: &str) -> Vec<SpanData> {
        self.spans().into_iter().filter(|span| span.name == name).collect()
    }
}

/// Returns a span's attributes as text, except those that the layer adds.
fn attributes(span: &SpanData) -> BTreeMap<String, String> {
    let own = ["busy_ns", "idle_ns", "target", "level"];
    let is_own =
        |key: &str| own.contains(&key) || key.starts_with("code.") || key.starts_with("thread.");
    let pairs = span.attributes.iter().map(|pair| (pair.key.to_string(), pair.value.to_string()));
    pairs.filter(|(key, _)| !is_own(key)).collect()
}

fn id(span: &SpanData) -> SpanId {
    span.span_context.span_id()
}

/// Records the runs of the tools, and blocks one of them.
#[derive(Default)]
struct ToolRuns {
    runs: Mutex<u32>,
    done: Mutex<Vec<String>>,
    held_up: Mutex<Option<Receiver<()>>>,
}

impl ToolRuns {
    fn begin(&self) -> u32 {
        let mut runs = self.runs.lock().unwrap();
        *runs += 1;
        *runs
    }

    fn note(&self, what: impl Into<String>) {
        self.done.lock().unwrap().push(what.into());
    }

    fn done(&self) -> Vec<String> {
        self.done.lock().unwrap().clone()
    }

    async fn comes_to(&self, what: &str) {
        while !self.done().iter().any(|done| done == what) {
            yield_now().await;
        }
    }

    /// Waits until a tool has noted anything.
    async fn begins(&self) {
        while self.done().is_empty() {
            yield_now().await;
        }
    }

    /// Blocks the blocking tool until the sender is dropped.
    fn hold_up(&self) -> Sender<()> {
        let (sender, receiver) = channel();
        *self.held_up.lock().unwrap() = Some(receiver);
        sender
    }
}

#[derive(Debug, ToolFailure)]
enum Trouble {
    #[failure(UNAVAILABLE)]
    Busy(#[allow(dead_code, reason = "it is for the log")] String),
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self::Busy(text) = self;
        f.write_str(text)
    }
}

impl std::error::Error for Trouble {}

/// Looks something up.
#[ai_tool(effect = "read", version = "1.2.0", timeout = "2s")]
async fn look(
    tool_runs: &Arc<ToolRuns>,
    headers: &TraceHeaders,
    again: &TraceHeaders,
    /// The subject.
    what: String,
) -> Result<String, Trouble> {
    assert_eq!(headers, again);
    tool_runs.note(sent(headers));
    let run = tool_runs.begin();
    yield_now().instrument(tracing::info_span!("inside", %what)).await;
    match &*what {
        "busy" if run < 3 => Err(Trouble::Busy(SECRET.to_owned())),
        "broken" => Err(Trouble::Busy(SECRET.to_owned())),
        "panic" => panic!("{SECRET}"),
        "hang" => pending().await,
        _ => Ok(what),
    }
}

/// Digs something up, which takes a thread.
#[ai_tool(effect = "read", blocking)]
fn dig(tool_runs: &Arc<ToolRuns>, headers: &TraceHeaders) -> u32 {
    tracing::info_span!("inside").in_scope(|| tool_runs.note(sent(headers)));
    let held_up = tool_runs.held_up.lock().unwrap().take();
    tool_runs.note("begun");
    if let Some(held_up) = held_up {
        // Dropping the sender lets it continue.
        let _ = held_up.recv();
    }
    tool_runs.note("ended");
    1
}

/// Keeps something.
#[ai_tool(effect = "write", preview = nothing)]
async fn keep(
    /// The subject.
    what: String,
) -> String {
    what
}

async fn nothing(what: String) -> String {
    what
}

fn sent(headers: &TraceHeaders) -> String {
    let pairs: Vec<String> =
        headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    pairs.join("\n")
}

fn builder(tool_runs: &Arc<ToolRuns>) -> RuntimeBuilder {
    Runtime::builder()
        .tool::<LookTool>()
        .tool::<DigTool>()
        .tool::<KeepTool>()
        .state(tool_runs.clone())
}

fn runtime(tool_runs: &Arc<ToolRuns>) -> Runtime {
    builder(tool_runs).build().expect("the runtime")
}

fn what(what: &str) -> String {
    format!(r#"{{"what":"{what}"}}"#)
}

/// A model's call, with its own id.
fn request(id: &str, arguments: String) -> ToolCallRequest {
    ToolCallRequest::new(id, "look", RawValue::from_string(arguments).expect("JSON"))
}

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER: &str = "00f067aa0ba902b7";

/// The trace headers that a caller sent.
fn received() -> TraceContext {
    let parent = format!("00-{TRACE}-{CALLER}-03");
    TraceContext::from_headers([parent], ["congo=t61rcWkgMzE"]).expect("a trace")
}

/// Returns the context of a caller with a trace.
fn traced() -> ToolContext {
    let builder = ToolContext::builder(Uuid::nil(), "replaced").run_id("run-1").site_id("site-1");
    builder.trace_context(&received()).build().expect("the context")
}

//! One trace through two services: a tool of the first one calls the second one over HTTP.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use opentelemetry::trace::TracerProvider as _;
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider, SpanData};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tool_runtime::http;
use tool_runtime::prelude::*;
use tool_runtime::trace::TraceHeaders;
use tracing_subscriber::layer::SubscriberExt;

use super::open;
use super::wire::{Running, Wire, patient};
use crate::support::subscribe;

const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

/// Takes an order, and tells what its request says of the trace.
#[ai_tool(effect = "read")]
async fn take_order(cx: &ToolContext, headers: &TraceHeaders) -> BTreeMap<String, String> {
    let mut told = said(headers);
    told.insert("trace_id".to_owned(), cx.trace_id().to_owned());
    told.insert("caller".to_owned(), cx.trace().map(|trace| trace.span_id().to_owned()).unwrap());
    told
}

/// Where orders are taken.
struct Orders(SocketAddr);

/// Asks the other service for an order; tells what was sent, and what came back.
#[ai_tool(effect = "read")]
async fn ask_for_order(orders: &Orders, headers: &TraceHeaders) -> Value {
    let stream = TcpStream::connect(orders.0).await.unwrap();
    let head = "content-type: application/json\r\nx-tenant-id: yantian\r\nx-site-id: main\r\n";
    let mut head = head.to_owned();
    for (name, value) in headers.iter() {
        head.extend([name, ": ", value, "\r\n"]);
    }
    let body = r#"{"tool_name":"take_order","input":{}}"#;
    let asking = Wire::new(stream).post("/tools/call", &head, body).await;
    assert_eq!(asking.status, 200, "{}", asking.body);
    let answer: Value = serde_json::from_str(&asking.body).unwrap();
    json!({"sent": said(headers), "taken": answer["output"]})
}

fn said(headers: &TraceHeaders) -> BTreeMap<String, String> {
    headers.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// The spans that a test's servers record.
struct Spans {
    exporter: InMemorySpanExporter,
    _provider: SdkTracerProvider,
    _here: tracing::subscriber::DefaultGuard,
}

impl Spans {
    fn record() -> Self {
        let exporter = InMemorySpanExporter::default();
        let provider = SdkTracerProvider::builder().with_simple_exporter(exporter.clone()).build();
        let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("tests"));
        let here = subscribe(tracing_subscriber::registry().with(layer));
        Self { exporter, _provider: provider, _here: here }
    }

    #[track_caller]
    fn of(&self, tool: &str) -> SpanData {
        let spans = self.exporter.get_finished_spans().unwrap();
        let name = format!("execute_tool {tool}");
        spans.into_iter().find(|span| span.name == name).expect("the call has a span")
    }
}

/// Calls the first service, which calls the second one; returns both results.
async fn ask(headers: &str) -> Value {
    let behind = Runtime::builder().tool::<TakeOrderTool>().build().unwrap();
    let behind = Running::start(http::router(behind, open()), patient()).await;
    let front = Runtime::builder().tool::<AskForOrderTool>().state(Orders(behind.address));
    let front = http::router(front.build().unwrap(), open());
    let front = Running::start(front, patient()).await;
    let head = "content-type: application/json\r\nx-tenant-id: yantian\r\nx-site-id: main\r\n";
    let body = r#"{"tool_name":"ask_for_order","input":{}}"#;
    let mut wire = front.connect().await;
    let answer = wire.post("/tools/call", &format!("{head}{headers}"), body).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    serde_json::from_str(&answer.body).unwrap()
}

/// Checks that both services' spans are in `trace`, the second one's under the first one's.
#[track_caller]
fn check(spans: &Spans, answer: &Value, trace: &str) {
    let (first, second) = (spans.of("ask_for_order"), spans.of("take_order"));
    assert_eq!(first.span_context.trace_id().to_string(), trace);
    assert_eq!(second.span_context.trace_id().to_string(), trace);
    assert_eq!(second.parent_span_id, first.span_context.span_id());
    assert!(second.parent_span_is_remote);
    let output = &answer["output"];
    let sent = format!("00-{trace}-{}-01", first.span_context.span_id());
    assert_eq!(output["sent"]["traceparent"], sent);
    assert_eq!(output["taken"]["trace_id"], trace);
    assert_eq!(output["taken"]["caller"], first.span_context.span_id().to_string());
}

#[tokio::test]
async fn one_trace_goes_through_both_services() {
    let spans = Spans::record();
    let answer = ask(&format!("traceparent: {PARENT}\r\ntracestate: congo=1\r\n")).await;
    check(&spans, &answer, TRACE);
    assert_eq!(spans.of("ask_for_order").parent_span_id.to_string(), "00f067aa0ba902b7");
    assert_eq!(answer["output"]["taken"]["tracestate"], "congo=1");
}

#[tokio::test]
async fn a_traceparent_beside_a_hosts_own_trace_id_goes_through_both_services() {
    let spans = Spans::record();
    let headers = format!(
        "x-trace-id: trace-xxx\r\nx-span-id: span-xxx\r\ntraceparent: {PARENT}\r\n\
         tracestate: congo=1\r\n"
    );
    let answer = ask(&headers).await;
    check(&spans, &answer, TRACE);
    assert_eq!(spans.of("ask_for_order").parent_span_id.to_string(), "00f067aa0ba902b7");
    assert_eq!(answer["output"]["taken"]["tracestate"], "congo=1");
    assert_eq!(answer["audit"]["trace_id"], "trace-xxx", "the host's id is the envelope's");
}

#[tokio::test]
async fn a_hosts_own_trace_id_alone_goes_through_both_services() {
    for (id, trace) in [
        ("8607a8d9-0f3f-43df-bf86-37e845e1574c", "8607a8d90f3f43dfbf8637e845e1574c"),
        // Python: uuid.uuid5(uuid.UUID("5f1b93eb-c010-41d2-8a4e-dad48008a2b2"), "trace-xxx").hex
        ("trace-xxx", "34aabfe00e795e30b672c958634a953b"),
    ] {
        let spans = Spans::record();
        let answer = ask(&format!("x-trace-id: {id}\r\nx-span-id: span-xxx\r\n")).await;
        check(&spans, &answer, trace);
        assert_eq!(answer["audit"]["trace_id"], id);
    }
}

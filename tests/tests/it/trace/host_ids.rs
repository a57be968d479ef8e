//! Traces that a host names by an id of its own: a UUID, or any other text.

use std::sync::Arc;

use opentelemetry_sdk::trace::SpanData;
use tool_runtime::contracts::envelope::RequestEnvelope;
use tool_runtime::contracts::trace_context::TraceContext;
use tool_runtime::prelude::*;

use super::{Recorder, ToolRuns, builder, id, runtime, what};

const REQUEST: &str = "8607a8d9-0f3f-43df-bf86-37e845e1574c";

/// The published request: its id is a UUID, and its trace has spans and no flags.
fn published() -> RequestEnvelope {
    let text = format!(
        r#"{{
            "request_id": "{REQUEST}",
            "actor": {{"type": "agent", "id": "a_1"}},
            "trace": {{"span_id": "00f067aa0ba902b7", "parent_span_id": "53995c3f42cd8ad8"}}
        }}"#
    );
    serde_json::from_str(&text).expect("a request")
}

/// The context of a host that names its trace, but no span of it.
fn named(trace_id: &str) -> ToolContext {
    ToolContext::builder(Uuid::nil(), trace_id).run_id("run-1").build().expect("a context")
}

/// Reads back the headers that the tool would send.
fn sent(tool_runs: &ToolRuns, call: usize) -> TraceContext {
    let done = tool_runs.done();
    let fields = done[call].lines().filter_map(|line| line.split_once(": "));
    TraceContext::from_fields(fields).expect("headers by the specification")
}

fn trace(span: &SpanData) -> String {
    span.span_context.trace_id().to_string()
}

#[tokio::test]
async fn the_published_request_goes_on_as_the_trace_of_its_uuid() {
    let (recorder, tool_runs) = (Recorder::start(), Arc::<ToolRuns>::default());
    runtime(&tool_runs).handle(published(), "look", what("tea")).await;
    let call = recorder.span("execute_tool look");
    assert_eq!(trace(&call), REQUEST.replace('-', ""));
    assert_eq!(call.parent_span_id.to_string(), "00f067aa0ba902b7");
    assert_eq!(super::attributes(&call)["tool_runtime.trace.id"], REQUEST);
    let sent = sent(&tool_runs, 0);
    assert_eq!(sent.parent().trace_id().to_string(), REQUEST.replace('-', ""));
    assert_eq!(sent.parent().parent_id().to_string(), id(&call).to_string());
}

#[tokio::test]
async fn calls_of_one_free_trace_id_are_one_trace() {
    let (recorder, tool_runs) = (Recorder::start(), Arc::<ToolRuns>::default());
    let runtime = runtime(&tool_runs);
    for name in ["trace-1", "trace-1", "trace-2"] {
        runtime.call("look", what("tea"), &named(name)).execute().await;
    }
    let [one, same, other] = &recorder.all("execute_tool look")[..] else { panic!("three calls") };
    assert_eq!(trace(one), trace(same));
    assert_eq!(one.parent_span_id, same.parent_span_id);
    assert_ne!(trace(one), trace(other));
}

#[tokio::test]
async fn a_free_trace_id_goes_on_where_no_span_is_recorded() {
    let tool_runs = Arc::<ToolRuns>::default();
    let runtime = builder(&tool_runs).without_tracing().build().expect("the runtime");
    for name in ["trace-1", "trace-1", REQUEST] {
        runtime.call("look", what("tea"), &named(name)).execute().await;
    }
    let [one, same, of_uuid] = [0, 1, 2].map(|call| *sent(&tool_runs, call).parent());
    assert_eq!(one.trace_id(), same.trace_id());
    assert_ne!(one.parent_id(), same.parent_id(), "each call is a span of its own");
    assert_eq!(of_uuid.trace_id().to_string(), REQUEST.replace('-', ""));
    assert!(one.flags().is_sampled(), "the host has not decided against recording");
}

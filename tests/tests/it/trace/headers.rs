//! The propagation headers of a tool.

use std::sync::Arc;

use tool_runtime::contracts::trace_context::{TraceContext, TraceFlags, TraceParent, TraceState};
use tool_runtime::prelude::*;

use super::{CALLER, Recorder, TRACE, ToolRuns, builder, id, received, runtime, traced, what};
use crate::support::cx;

/// The headers that the tool sent, parsed.
fn read(sent: &str) -> TraceContext {
    let fields = sent.lines().filter_map(|line| line.split_once(": "));
    TraceContext::from_fields(fields).expect("headers by the specification")
}

async fn sent(runtime: &Runtime, tool_runs: &ToolRuns, cx: &ToolContext) -> TraceContext {
    runtime.call("look", what("tea"), cx).execute().await;
    read(&tool_runs.done()[0])
}

#[tokio::test]
async fn they_name_the_span_that_is_recorded_of_the_call() {
    let (recorder, tool_runs) = (Recorder::start(), Arc::default());
    let sent = sent(&runtime(&tool_runs), &tool_runs, &traced()).await;
    let call = recorder.span("execute_tool look");
    assert_eq!(sent.parent().parent_id().to_string(), id(&call).to_string());
    assert_eq!(sent.parent().trace_id().to_string(), TRACE);
    // Both flags of the caller: sampled, and random.
    assert_eq!(sent.parent().flags(), received().parent().flags());
    assert_eq!(sent.state(), received().state());
}

#[tokio::test]
async fn a_blocking_tool_gets_the_same() {
    let (recorder, tool_runs) = (Recorder::start(), Arc::<ToolRuns>::default());
    runtime(&tool_runs).call("dig", "{}", &traced()).execute().await;
    let sent = read(&tool_runs.done()[0]);
    let call = recorder.span("execute_tool dig");
    assert_eq!(sent.parent().parent_id().to_string(), id(&call).to_string());
}

#[tokio::test]
async fn a_trace_that_begins_here_is_sent_on() {
    let (recorder, tool_runs) = (Recorder::start(), Arc::default());
    let sent = sent(&runtime(&tool_runs), &tool_runs, &cx()).await;
    let call = recorder.span("execute_tool look").span_context;
    assert_eq!(sent.parent().trace_id().to_string(), call.trace_id().to_string());
    assert!(sent.parent().flags().is_sampled() && sent.state().is_empty());
}

#[tokio::test]
async fn a_state_that_the_sdk_may_not_admit_goes_along() {
    let (_recorder, tool_runs) = (Recorder::start(), Arc::default());
    // Level 2 lets a key begin with a digit, and hold an @ anywhere.
    let state = TraceState::parse(["0a@b@c=1", "rojo=a b"]).expect("a state");
    let received = received().with_state(state.clone());
    let cx = ToolContext::builder(Uuid::nil(), "replaced").run_id("run-1");
    let cx = cx.trace_context(&received).build().expect("the context");
    assert_eq!(sent(&runtime(&tool_runs), &tool_runs, &cx).await.state(), &state);
}

#[tokio::test(start_paused = true)]
async fn without_a_recorded_span_each_call_has_an_id_of_its_own() {
    let tool_runs = Arc::<ToolRuns>::default();
    let runtime = builder(&tool_runs).without_tracing().build().expect("the runtime");
    // Three attempts of one call, then another call.
    runtime.call("look", what("busy"), &traced()).execute().await;
    runtime.call("look", what("tea"), &traced()).execute().await;
    let sent: Vec<TraceContext> = tool_runs.done().iter().map(|sent| read(sent)).collect();
    assert_eq!((&sent[0], &sent[0]), (&sent[1], &sent[2]));
    let ids: Vec<_> = [&sent[0], &sent[3]].map(|sent| sent.parent().parent_id()).into();
    assert!(ids[0] != ids[1] && ids.iter().all(|id| id.to_string() != CALLER));
    for sent in sent {
        assert_eq!(sent, received().child(sent.parent().parent_id()));
    }
}

#[tokio::test]
async fn a_trace_that_is_not_recorded_stays_so() {
    let tool_runs = Arc::<ToolRuns>::default();
    let runtime = builder(&tool_runs).without_tracing().build().expect("the runtime");
    let parent = received();
    let parent = parent.parent();
    let quiet = TraceParent::new(parent.trace_id(), parent.parent_id(), TraceFlags::default());
    let cx = ToolContext::builder(Uuid::nil(), "replaced").run_id("run-1");
    let cx = cx.trace_context(&TraceContext::new(quiet)).build().expect("the context");
    assert_eq!(sent(&runtime, &tool_runs, &cx).await.parent().flags(), TraceFlags::default());
}

//! The parents of spans.

use std::sync::Arc;

use opentelemetry::trace::SpanContext;
use opentelemetry_sdk::trace::SpanData;
use tracing::Instrument;

use super::{CALLER, Recorder, TRACE, ToolRuns, id, request, runtime, traced, what};
use crate::support::cx;

const CALL: &str = "execute_tool look";

#[track_caller]
fn is_child(child: &SpanData, parent: &SpanContext) {
    assert_eq!(child.parent_span_id, parent.span_id(), "{child:#?}");
    assert_eq!(child.span_context.trace_id(), parent.trace_id());
}

#[track_caller]
fn is_child_of_caller(call: &SpanData) {
    assert_eq!(call.parent_span_id.to_string(), CALLER);
    assert_eq!(call.span_context.trace_id().to_string(), TRACE);
    assert!(call.parent_span_is_remote);
}

#[tokio::test]
async fn without_a_span_here_the_callers_is_the_parent() {
    let (recorder, tool_runs) = (Recorder::start(), Arc::default());
    runtime(&tool_runs).call("look", what("tea"), &traced()).execute().await;
    let call = recorder.span(CALL);
    is_child_of_caller(&call);
    is_child(&recorder.span("inside"), &call.span_context);
}

#[tokio::test]
async fn a_blocking_tool_is_inside_too() {
    let (recorder, tool_runs) = (Recorder::start(), Arc::default());
    runtime(&tool_runs).call("dig", "{}", &traced()).execute().await;
    let call = recorder.span("execute_tool dig");
    is_child_of_caller(&call);
    is_child(&recorder.span("inside"), &call.span_context);
}

#[tokio::test(start_paused = true)]
async fn all_attempts_are_inside_one_span() {
    let (recorder, tool_runs) = (Recorder::start(), Arc::default());
    runtime(&tool_runs).call("look", what("busy"), &traced()).execute().await;
    let call = recorder.span(CALL);
    let inside = recorder.all("inside");
    assert_eq!(inside.len(), 3);
    for inside in inside {
        is_child(&inside, &call.span_context);
    }
}

#[tokio::test]
async fn a_refusal_has_the_same_parent() {
    let (recorder, tool_runs) = (Recorder::start(), Arc::default());
    runtime(&tool_runs).call("look", "{}", &traced()).execute().await;
    is_child_of_caller(&recorder.span(CALL));
}

#[tokio::test]
async fn a_span_here_is_the_parent_and_a_caller_of_another_trace_is_linked() {
    let (recorder, tool_runs) = (Recorder::start(), Arc::default());
    let runtime = runtime(&tool_runs);
    let host = tracing::info_span!("host");
    async { runtime.call("look", what("tea"), &traced()).execute().await.is_ok() }
        .instrument(host)
        .await;
    let call = recorder.span(CALL);
    is_child(&call, &recorder.span("host").span_context);
    let linked: Vec<_> = call.links.iter().map(|link| link.span_context.clone()).collect();
    assert_eq!(linked.len(), 1);
    assert_eq!(linked[0].span_id().to_string(), CALLER);
}

#[tokio::test]
async fn a_caller_without_a_trace_leaves_the_span_here_alone() {
    let (recorder, tool_runs) = (Recorder::start(), Arc::default());
    let runtime = runtime(&tool_runs);
    async { runtime.call("look", what("tea"), &cx()).execute().await.is_ok() }
        .instrument(tracing::info_span!("host"))
        .await;
    let call = recorder.span(CALL);
    is_child(&call, &recorder.span("host").span_context);
    assert_eq!(call.links.len(), 0);
}

#[tokio::test]
async fn the_calls_of_a_batch_are_siblings() {
    let (recorder, tool_runs) = (Recorder::start(), Arc::<ToolRuns>::default());
    let runtime = runtime(&tool_runs);
    let requests = ["one", "two", "three"].map(|id| request(id, what(id)));
    let mut calls = runtime.call_all(&requests, &traced());
    async { runtime.execute_all(&mut calls).await.len() }
        .instrument(tracing::info_span!("host"))
        .await;

    let host = recorder.span("host").span_context;
    let (calls, inside) = (recorder.all(CALL), recorder.all("inside"));
    assert_eq!((calls.len(), inside.len()), (3, 3));
    for call in &calls {
        is_child(call, &host);
    }
    for inside in inside {
        let what = super::attributes(&inside)["what"].clone();
        let parent = calls.iter().find(|call| id(call) == inside.parent_span_id);
        let parent = super::attributes(parent.expect("a call around it"));
        assert_eq!(parent["gen_ai.tool.call.id"], what);
    }
}

#[tokio::test]
async fn two_calls_on_one_thread_do_not_mix() {
    let (recorder, tool_runs) = (Recorder::start(), Arc::<ToolRuns>::default());
    let runtime = runtime(&tool_runs);
    let cx = cx();
    let (mut one, mut two) =
        (runtime.call("look", what("one"), &cx), runtime.call("look", what("two"), &cx));
    let host = |name| tracing::info_span!("host", name);
    futures::join!(one.execute().instrument(host("one")), two.execute().instrument(host("two")));

    let (hosts, calls) = (recorder.all("host"), recorder.all(CALL));
    for inside in recorder.all("inside") {
        let call = calls.iter().find(|call| id(call) == inside.parent_span_id).expect("a call");
        let host = hosts.iter().find(|host| id(host) == call.parent_span_id).expect("a host");
        assert_eq!(super::attributes(host)["name"], super::attributes(&inside)["what"]);
    }
    assert_ne!(calls[0].parent_span_id, calls[1].parent_span_id);
}

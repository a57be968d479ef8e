//! One span a call, whatever its end, and what is in it.

use std::sync::Arc;

use futures::FutureExt;
use opentelemetry::trace::{SpanKind, Status};
use tokio::task::yield_now;
use tool_runtime::prelude::*;
use tool_runtime::trace::conventions as names;

use super::{Recorder, SECRET, ToolRuns, attributes, builder, request, runtime, traced, what};
use crate::support::cx;

/// Runs one call to its end; gives what was recorded of it.
async fn record(tool: &str, arguments: &str) -> (Recorder, Arc<ToolRuns>) {
    let (recorder, tool_runs) = (Recorder::start(), Arc::<ToolRuns>::default());
    runtime(&tool_runs).call(tool, arguments, &cx()).execute().await;
    (recorder, tool_runs)
}

#[tokio::test]
async fn a_call_has_a_span_as_the_conventions_name_it() {
    let (recorder, tool_runs) = (Recorder::start(), Arc::default());
    let request = request("call-7", what("tea"));
    let cx = cx().with_invocation_id(Uuid::from_u128(7));
    runtime(&tool_runs).call_request(&request, &cx).execute().await;

    let span = recorder.span("execute_tool look");
    assert_eq!((&span.span_kind, &span.status), (&SpanKind::Internal, &Status::Unset));
    let found = attributes(&span);
    let found: Vec<_> = found.iter().map(|(name, value)| (&**name, &**value)).collect();
    assert_eq!(
        found,
        [
            ("gen_ai.operation.name", "execute_tool"),
            ("gen_ai.tool.call.id", "call-7"),
            ("gen_ai.tool.description", "Looks something up."),
            ("gen_ai.tool.name", "look"),
            ("gen_ai.tool.type", "function"),
            ("tool_runtime.call.attempts", "1"),
            ("tool_runtime.call.dry_run", "false"),
            ("tool_runtime.call.origin", "call"),
            ("tool_runtime.call.status", "executed"),
            ("tool_runtime.invocation.id", "00000000-0000-0000-0000-000000000007"),
            ("tool_runtime.run.id", "run-1"),
            ("tool_runtime.tenant.id", "00000000-0000-0000-0000-000000000000"),
            ("tool_runtime.tool.effect", "read"),
            ("tool_runtime.tool.version", "1.2.0"),
            ("tool_runtime.trace.id", "trace-1"),
        ],
    );
}

#[track_caller]
fn failed(recorder: &Recorder, name: &str, code: &str, status: &str) {
    let span = recorder.span(name);
    assert_eq!(span.status, Status::error(""));
    let found = attributes(&span);
    assert_eq!((&*found[names::ERROR_TYPE], &*found[names::CALL_STATUS]), (code, status));
}

#[tokio::test(start_paused = true)]
async fn an_error_is_its_code() {
    let (recorder, _) = record("look", &what("broken")).await;
    failed(&recorder, "execute_tool look", "UNAVAILABLE", "failed");
}

#[tokio::test]
async fn a_panic_closes_the_span() {
    let (recorder, _) = record("look", &what("panic")).await;
    failed(&recorder, "execute_tool look", "INTERNAL", "failed");
}

#[tokio::test(start_paused = true)]
async fn a_timeout_closes_the_span() {
    let (recorder, _) = record("look", &what("hang")).await;
    failed(&recorder, "execute_tool look", "TIMEOUT", "failed");
}

#[tokio::test]
async fn a_dropped_execution_closes_the_span_as_cancelled() {
    let (recorder, tool_runs) = (Recorder::start(), Arc::default());
    let mut call = runtime(&tool_runs).call("look", what("hang"), &cx());
    assert!(call.execute().now_or_never().is_none());
    failed(&recorder, "execute_tool look", "CANCELLED", "interrupted");
}

#[tokio::test]
async fn a_cancelled_call_closes_its_span_while_its_thread_works_on() {
    let (recorder, tool_runs) = (Recorder::start(), Arc::<ToolRuns>::default());
    let held_up = tool_runs.hold_up();
    let mut call = runtime(&tool_runs).call("dig", "{}", &cx());
    let cancellation = call.cancellation().expect("a known tool");
    let cancel = async {
        tool_runs.comes_to("begun").await;
        cancellation.cancel();
    };
    futures::join!(call.execute(), cancel);
    failed(&recorder, "execute_tool dig", "CANCELLED", "interrupted");
    assert!(!tool_runs.done().contains(&"ended".to_owned()));
    drop(held_up);
    tool_runs.comes_to("ended").await;
    assert_eq!(recorder.all("execute_tool dig").len(), 1);
}

#[tokio::test]
async fn a_call_that_never_ran_has_a_span_of_no_length() {
    let (recorder, tool_runs) = (Recorder::start(), Arc::default());
    let runtime = runtime(&tool_runs);
    drop(runtime.call("look", what("tea"), &cx()));
    failed(&recorder, "execute_tool look", "CANCELLED", "not_executed");

    drop(runtime.call("dig", r#"{"deep":1}"#, &cx()));
    failed(&recorder, "execute_tool dig", "INVALID_ARGUMENT", "rejected");

    runtime.call("keep", what("tea"), &cx()).decline("boss", "not now").unwrap();
    failed(&recorder, "execute_tool keep", "DECLINED", "declined");
}

#[tokio::test]
async fn a_name_that_no_tool_has_is_recorded_nowhere() {
    let (recorder, _) = record(SECRET, "{}").await;
    failed(&recorder, "execute_tool _OTHER", "NOT_FOUND", "rejected");
    assert_eq!(attributes(&recorder.span("execute_tool _OTHER"))[names::TOOL_NAME], "_OTHER");
}

#[tokio::test(start_paused = true)]
async fn nothing_of_arguments_answers_and_errors_is_recorded() {
    let (recorder, tool_runs) = (Recorder::start(), Arc::default());
    let runtime = runtime(&tool_runs);
    let auth = serde_json::json!({"token": SECRET});
    let cx = cx().with_auth(auth.as_object().cloned());
    let arguments = [what(SECRET), what("broken"), what("panic"), format!(r#"{{"{SECRET}":1}}"#)];
    for arguments in arguments {
        runtime.call("look", arguments, &cx).execute().await;
    }
    let mut write = runtime.call("keep", what(SECRET), &cx);
    write.approve(SECRET).unwrap();
    write.execute().await;
    runtime.call("keep", what(SECRET), &cx).decline("boss", SECRET).unwrap();

    let calls = recorder.spans().into_iter().filter(|span| span.name != "inside");
    let calls: Vec<_> = calls.collect();
    assert_eq!(calls.len(), 6);
    assert!(!format!("{calls:?}").contains(SECRET), "{calls:#?}");
}

#[tokio::test]
async fn without_tracing_there_is_no_span() {
    let (recorder, tool_runs) = (Recorder::start(), Arc::default());
    let runtime = builder(&tool_runs).without_tracing().build().expect("the runtime");
    runtime.call("look", what("tea"), &traced()).execute().await;
    drop(runtime.call("nobody", "{}", &traced()));
    yield_now().await;
    // The tool's own span is not one of the runtime's.
    assert_eq!(recorder.names(), ["inside"]);
}

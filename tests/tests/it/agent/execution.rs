//! Success, failure and error of a request.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::json;
use tool_runtime::agent::{AgentError, AgentErrorKind, ToolExecutor};
use tool_runtime::contracts::act::{ToolRequest, ToolType};
use tool_runtime::policy::Policy;
use tool_runtime::prelude::*;
use tool_runtime::tokens::{TokenCounter, TokenEstimate};

use super::{executor, request, run};

/// Doubles a number.
#[ai_tool(effect = "read")]
async fn double(
    /// The number.
    #[arg(range(0..=100))]
    number: u32,
) -> u32 {
    number * 2
}

/// Never ends.
#[ai_tool(effect = "read")]
async fn hang() {
    std::future::pending::<()>().await;
}

/// Pays.
#[ai_tool(effect = "write")]
async fn pay(
    dry_run: &DryRun,
    /// How much.
    sum: u32,
) -> u32 {
    if dry_run.is_active() { 0 } else { sum }
}

/// Panics.
#[ai_tool(effect = "read")]
async fn broken() -> u32 {
    panic!("a text that is not for callers")
}

fn tools() -> super::RuntimeExecutor {
    let builder = Runtime::builder().tool::<DoubleTool>().tool::<HangTool>();
    executor(builder.tool::<PayTool>().tool::<BrokenTool>().build().unwrap())
}

#[tokio::test]
async fn a_result_has_the_data_and_the_tokens_of_its_text() {
    let result = run(&tools(), "double", "double", json!({"number": 21})).await.unwrap();
    assert_eq!((result.tool_id(), result.success(), result.data().get()), ("double", true, "42"));
    assert_eq!(result.token_estimate(), TokenEstimate.count(&result.to_text()));
    assert!(result.execution_time_ms() > 0.0 && result.error().is_none());
    assert_eq!(result.retry_count(), 0);
}

#[tokio::test]
async fn bad_arguments_are_a_failure_that_the_model_can_mend() {
    let result = run(&tools(), "double", "double", json!({"number": 101})).await.unwrap();
    assert!(!result.success());
    assert_eq!(result.metadata()["error_type"], "VALIDATION");
    assert_eq!(result.metadata()["error_code"], "INVALID_ARGUMENT");
    assert!(result.to_text().starts_with("error: "), "{}", result.to_text());
}

#[tokio::test]
async fn a_call_that_needs_approval_is_a_failure() {
    let result = run(&tools(), "pay", "pay", json!({"sum": 5})).await.unwrap();
    assert_eq!(result.metadata()["error_code"], "NEEDS_USER_CONFIRMATION");
    let builder = Runtime::builder().tool::<PayTool>().policy(Policy::new());
    let result = run(&executor(builder.build().unwrap()), "pay", "pay", json!({"sum": 1})).await;
    let metadata = result.unwrap().metadata().clone();
    let details = &metadata["error_details"];
    assert!(details["ticket"]["id"].is_string(), "an approver needs it: {details}");
}

#[tokio::test]
async fn a_panic_is_a_failure_without_its_text() {
    let result = run(&tools(), "broken", "broken", json!({})).await.unwrap();
    assert!(!result.success() && !result.to_text().contains("not for callers"));
    assert_eq!(result.metadata()["error_type"], "FATAL");
}

#[tokio::test(start_paused = true)]
async fn the_time_limit_ends_a_call() {
    let request = ToolRequest::builder("hang", ToolType::ApiCall, "hang").timeout_seconds(2);
    let started = tokio::time::Instant::now();
    let result = tools().execute_async(&request.build().unwrap()).await.unwrap();
    assert_eq!(started.elapsed().as_secs(), 2);
    assert_eq!(result.metadata()["error_type"], "TIMEOUT");
    let error = AgentError::check_result(result).unwrap_err();
    assert_eq!(error.kind(), AgentErrorKind::ToolExecution);
    assert_eq!(
        (&error.details()["reason"], &error.details()["tool_id"]),
        (&json!("timeout"), &json!("hang"))
    );
}

#[tokio::test(start_paused = true)]
async fn a_shorter_limit_of_the_context_holds() {
    let cx = ToolContext::local().with_timeouts_ms(500);
    let started = tokio::time::Instant::now();
    let executor = tools().with_context(cx);
    let result = run(&executor, "hang", "hang", json!({})).await.unwrap();
    assert_eq!(result.metadata()["error_type"], "TIMEOUT");
    assert_eq!(started.elapsed(), Duration::from_millis(500));
}

#[test]
fn a_thread_without_async_tasks_may_block() {
    let request = request("double", ToolType::ApiCall, "double", json!({"number": 4}));
    assert_eq!(tools().execute(&request).unwrap().to_text(), "8");
}

#[tokio::test]
async fn a_thread_of_async_tasks_is_not_blocked() {
    let request = request("double", ToolType::ApiCall, "double", json!({"number": 4}));
    let error = tools().execute(&request).unwrap_err();
    assert_eq!(error.details()["reason"], "async_thread");
    assert!(error.message().contains("`execute_async`"), "{error}");
}

/// The runs of `touch` that are under way, and the most at once.
#[derive(Default)]
struct Running {
    now: AtomicU32,
    peak: AtomicU32,
}

/// Takes a while.
#[ai_tool(effect = "read")]
async fn touch(running: &Running) {
    let now = running.now.fetch_add(1, Ordering::Relaxed) + 1;
    running.peak.fetch_max(now, Ordering::Relaxed);
    tokio::time::sleep(Duration::from_millis(50)).await;
    running.now.fetch_sub(1, Ordering::Relaxed);
}

#[tokio::test(start_paused = true)]
async fn a_batch_keeps_its_order_and_its_bound() {
    let running = std::sync::Arc::new(Running::default());
    let builder = Runtime::builder().tool::<TouchTool>().tool::<DoubleTool>();
    let runtime = builder.shared_state(running.clone()).build().unwrap();
    let executor = executor(runtime).max_concurrent_tools(3);
    let of = |id: &str, parameters| request(id, ToolType::ApiCall, id, parameters);
    let mut requests: Vec<_> = (0..7).map(|_| of("touch", json!({}))).collect();
    requests.insert(2, of("nothing", json!({})));
    requests.push(of("double", json!({"number": 3})));
    let results = executor.execute_all(&requests).await;
    assert_eq!(results.len(), 9);
    assert!(results[2].is_err() && results.iter().filter(|it| it.is_err()).count() == 1);
    assert_eq!(results[8].as_ref().unwrap().to_text(), "6");
    assert_eq!(running.peak.load(Ordering::Relaxed), 3);
}

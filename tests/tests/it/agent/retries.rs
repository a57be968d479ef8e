//! Retries that a request asks for.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::json;
use tool_runtime::agent::ToolExecutor;
use tool_runtime::contracts::act::{self, ActResult, ToolRequest, ToolType};
use tool_runtime::policy::{Policy, RetryConfig, ToolPolicy};
use tool_runtime::prelude::*;

use super::executor;

/// The runs of the tools.
#[derive(Default)]
struct Runs(AtomicU32);

/// The service is busy.
#[derive(Debug, ToolFailure)]
enum Busy {
    /// It is not there yet.
    #[failure(UNAVAILABLE, effect = "none", hide)]
    Now,
}

/// Answers at the fifth time.
#[ai_tool(effect = "read")]
async fn flaky(runs: &Runs) -> Result<u32, Busy> {
    let run = runs.0.fetch_add(1, Ordering::Relaxed) + 1;
    if run < 5 { Err(Busy::Now) } else { Ok(run) }
}

async fn flaky_with(policy: Policy, retries: Option<act::RetryConfig>) -> (ActResult, u32) {
    let runs = Arc::new(Runs::default());
    let builder = Runtime::builder().tool::<FlakyTool>().shared_state(runs.clone());
    let executor = executor(builder.policy(policy).build().unwrap());
    let request = ToolRequest::builder("flaky", ToolType::ApiCall, "flaky").timeout_seconds(300);
    let request = match retries {
        Some(retries) => request.retry_config(retries),
        None => request,
    };
    let result = executor.execute_async(&request.build().unwrap()).await.unwrap();
    (result, runs.0.load(Ordering::Relaxed))
}

fn retries(attempts: u32) -> act::RetryConfig {
    act::RetryConfig::new(attempts, 2.0, 10).unwrap()
}

fn never() -> Policy {
    Policy::new().rules(ToolPolicy::new().retry(RetryConfig::never()))
}

#[tokio::test(start_paused = true)]
async fn a_request_sets_its_own_attempts() {
    let (result, runs) = flaky_with(Policy::new(), Some(retries(5))).await;
    assert_eq!((result.success(), result.retry_count(), runs), (true, 4, 5));
    let (result, runs) = flaky_with(Policy::new(), Some(retries(2))).await;
    assert_eq!((result.success(), result.retry_count(), runs), (false, 1, 2));
    let (result, runs) = flaky_with(Policy::new(), Some(retries(1))).await;
    assert_eq!((result.success(), result.retry_count(), runs), (false, 0, 1));
}

#[tokio::test(start_paused = true)]
async fn without_them_the_host_s_rules_hold() {
    assert_eq!(flaky_with(Policy::new(), None).await.1, 3);
    assert_eq!(flaky_with(never(), None).await.1, 1);
    let (result, runs) = flaky_with(never(), Some(retries(5))).await;
    assert_eq!((result.success(), result.retry_count(), runs), (true, 4, 5));
}

#[tokio::test(start_paused = true)]
async fn longer_delays_than_the_runtime_has_are_limited() {
    let long = act::RetryConfig::new(5, 1_000.0, 10).unwrap();
    let started = tokio::time::Instant::now();
    let (result, _) = flaky_with(Policy::new(), Some(long)).await;
    assert!(result.success());
    assert_eq!(result.metadata()["retries_limited"], true);
    assert!(started.elapsed().as_secs() <= 25, "{:?}", started.elapsed());
    let (result, _) = flaky_with(Policy::new(), Some(retries(5))).await;
    assert!(!result.metadata().contains_key("retries_limited"));
    assert_eq!(RetryConfig::try_from(long).unwrap_err().field(), "backoff_multiplier");
    assert_eq!(act::RetryConfig::try_from(RetryConfig::default()), Ok(act::RetryConfig::default()));
}

/// The runs of `book`, which counts them apart from `flaky`.
static BOOKED: AtomicU32 = AtomicU32::new(0);

/// Something went wrong on the way.
#[derive(Debug, ToolFailure)]
enum Lost {
    /// The answer was lost.
    #[failure(UNAVAILABLE, effect = "unknown", hide)]
    Answer,
}

/// Books, and loses the answer.
#[ai_tool(effect = "write")]
async fn book(dry_run: &DryRun) -> Result<u32, Lost> {
    if !dry_run.is_active() {
        BOOKED.fetch_add(1, Ordering::Relaxed);
    }
    Err(Lost::Answer)
}

#[tokio::test(start_paused = true)]
async fn a_write_that_may_not_be_repeated_is_not_retried() {
    let builder = Runtime::builder().tool::<BookTool>().permission("book", Permission::Allow);
    let executor = executor(builder.build().unwrap());
    let request = ToolRequest::builder("book", ToolType::ApiCall, "book")
        .parameters(json!({}))
        .retry_config(act::RetryConfig::new(5, 1.0, 10).unwrap());
    let result = executor.execute_async(&request.build().unwrap()).await.unwrap();
    assert_eq!((result.success(), result.retry_count()), (false, 0));
    assert_eq!(BOOKED.load(Ordering::Relaxed), 1);
}

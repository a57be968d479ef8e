//! All steps of a request count against one deadline.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use futures::future::pending;
use serde_json::json;
use tokio::time::Instant;
use tool_runtime::agent::{
    AgentError, AgentErrorKind, ChatModel, ChatReply, ChatRequest, OpenAiModel, ProxyAgentBuilder,
    SessionKey, SessionStore,
};
use tool_runtime::contracts::act::{ActResult, RetryConfig, ToolRequest, ToolType};
use tool_runtime::contracts::assess::{ChatMessage, CompressionMethod, CompressionStrategy};
use tool_runtime::contracts::proxy::ProxyRequest;
use tool_runtime::policy::{ApprovalRequest, Approver, Decision, Policy};
use tool_runtime::prelude::*;
use tool_runtime::store::StoreError;

use super::{ListOrdersTool, agent_of, context, orders};
use crate::agent::server::{Scripted, Server, text};

/// Takes a time for a summary, another one for an answer, and keeps the time limits that it was told.
#[derive(Debug, Clone, Default)]
struct SlowModel {
    summary: Option<Duration>,
    answer: Option<Duration>,
    limits: Arc<Mutex<Vec<Duration>>>,
}

#[async_trait]
impl ChatModel for SlowModel {
    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, AgentError> {
        let is_summary = request.model() == Some("openai/student");
        self.limits.lock().unwrap().extend(request.timeout());
        match if is_summary { self.summary } else { self.answer } {
            Some(time) => tokio::time::sleep(time).await,
            None => pending().await,
        }
        Ok(ChatReply::new("m", if is_summary { "In short: orders." } else { "ok" }))
    }
}

fn slow(summary: Option<u64>, answer: Option<u64>) -> SlowModel {
    let [summary, answer] = [summary, answer].map(|it| it.map(Duration::from_secs));
    SlowModel { summary, answer, ..SlowModel::default() }
}

/// Waits for a minute.
#[ai_tool(effect = "read", name = "orders.wait", timeout = "120s")]
async fn wait_for_orders() -> u32 {
    tokio::time::sleep(Duration::from_secs(60)).await;
    1
}

fn agent(model: SlowModel) -> ProxyAgentBuilder {
    let runtime = Runtime::builder().tool::<ListOrdersTool>().tool::<WaitForOrdersTool>();
    let config = "request_timeout_seconds = 20\nstudent_summarizer_model = 'openai/student'\n\
                  compression_threshold_tokens = 200";
    agent_of(runtime.build().unwrap(), model, config)
}

fn summarized(model: SlowModel) -> ProxyAgentBuilder {
    agent(model).compression_strategy(CompressionStrategy::Distillation)
}

fn request() -> ProxyRequest {
    let builder = ProxyRequest::builder("Which?").required_tools([orders(json!({"count": 60}))]);
    builder.build().unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_summary_that_does_not_come_in_time_is_replaced_by_pruning() {
    let started = Instant::now();
    let model = slow(None, Some(5));
    let response = summarized(model.clone()).build().answer(&request(), &context()).await.unwrap();
    let optimized = response.context_optimization();
    assert_eq!(optimized.method_used(), CompressionMethod::SemanticPruning);
    let fallback = &optimized.metadata()["fallback"];
    assert_eq!(fallback, "distillation: the summarizer did not end in time");
    assert_eq!(response.llm_response().content(), "ok");
    // Half of the time for the summary, and five seconds for the answer.
    assert_eq!(started.elapsed().as_secs(), 15);
    assert_eq!(model.limits.lock().unwrap()[..], [Duration::from_secs(10)]);
}

#[tokio::test(start_paused = true)]
async fn a_summary_that_comes_in_time_is_used() {
    let model = slow(Some(9), Some(5));
    let response = summarized(model).build().answer(&request(), &context()).await.unwrap();
    let method = response.context_optimization().method_used();
    assert_eq!(method, CompressionMethod::KnowledgeDistillation);
}

#[tokio::test(start_paused = true)]
async fn a_request_ends_at_its_deadline_whatever_its_steps_took() {
    let started = Instant::now();
    let error = summarized(slow(Some(9), None)).build();
    let error = error.answer(&request(), &context()).await.unwrap_err();
    assert_eq!(
        (error.kind(), &error.details()["reason"]),
        (AgentErrorKind::Llm, &json!("timeout"))
    );
    assert_eq!(started.elapsed().as_secs(), 20);
}

#[tokio::test]
async fn a_model_that_hangs_leaves_time_to_the_fallback_model() {
    /// Has a tenth of the time.
    #[derive(Debug)]
    struct Hurried(OpenAiModel);

    #[async_trait]
    impl ChatModel for Hurried {
        async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, AgentError> {
            let limit = request.timeout().unwrap() / 10;
            self.0.chat(&request.clone().with_timeout(limit)).await
        }
    }

    let server = Server::start([Scripted::Hang, text("from the other")]).await;
    let model = server.builder().fallback_model("openai/other").build().unwrap();
    let runtime = Runtime::builder().build().unwrap();
    let agent = agent_of(runtime, Hurried(model), "request_timeout_seconds = 10").build();
    let request = ProxyRequest::builder("?").build().unwrap();
    let response = agent.answer(&request, &context()).await.unwrap();
    assert_eq!(response.llm_response().content(), "from the other");
    assert_eq!(server.received()[1].body["model"], "openai/other");
}

#[tokio::test(start_paused = true)]
async fn a_tool_is_stopped_at_the_deadline_and_its_model_has_no_time_left() {
    let wait = ToolRequest::builder("orders", ToolType::DatabaseQuery, "wait");
    let wait = wait.timeout_seconds(120).build().unwrap();
    let request = ProxyRequest::builder("?").required_tools([wait]).build().unwrap();
    let started = Instant::now();
    let error = agent(slow(None, None)).build().answer(&request, &context()).await.unwrap_err();
    assert_eq!(error.details()["reason"], "timeout");
    assert_eq!(started.elapsed().as_secs(), 20);
}

/// Reads nothing, and never writes.
#[derive(Debug)]
struct HangsOnAppend;

#[async_trait]
impl SessionStore for HangsOnAppend {
    async fn load(&self, _: &SessionKey, _: usize) -> Result<Vec<ChatMessage>, StoreError> {
        Ok(Vec::new())
    }

    async fn append(&self, _: &SessionKey, _: Vec<ChatMessage>) -> Result<(), StoreError> {
        pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_of_sessions_has_no_more_time_than_the_request() {
    let started = Instant::now();
    let agent = agent(slow(None, Some(15))).sessions(HangsOnAppend).build();
    let request = ProxyRequest::builder("?").session_id("s").build().unwrap();
    let error = agent.answer(&request, &context()).await.unwrap_err();
    assert_eq!(
        (error.kind(), &error.details()["reason"]),
        (AgentErrorKind::Configuration, &json!("session_store"))
    );
    assert_eq!(started.elapsed().as_secs(), 20, "5 seconds are left, and not 10");
}

/// Takes a while.
#[ai_tool(effect = "read", name = "steps.take", timeout = "120s")]
async fn take(
    /// The time, in seconds.
    seconds: u64,
) -> u64 {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    seconds
}

/// The service is busy.
#[derive(Debug, ToolFailure)]
enum Busy {
    /// It is not there yet.
    #[failure(UNAVAILABLE, effect = "none", hide)]
    Now,
}

/// Fails after six seconds.
#[ai_tool(effect = "read", name = "steps.fail", timeout = "120s")]
async fn fail() -> Result<u64, Busy> {
    tokio::time::sleep(Duration::from_secs(6)).await;
    Err(Busy::Now)
}

/// Pays after a while.
#[ai_tool(effect = "write", name = "steps.pay", timeout = "120s")]
async fn pay(
    dry_run: &DryRun,
    /// The time, in seconds.
    seconds: u64,
) -> u64 {
    if !dry_run.is_active() {
        tokio::time::sleep(Duration::from_secs(seconds)).await;
    }
    seconds
}

/// Approves after a time, or never.
#[derive(Debug)]
struct SlowApprover(Option<u64>);

#[async_trait]
impl Approver for SlowApprover {
    async fn decide(&self, _: &ApprovalRequest<'_>) -> Decision {
        match self.0 {
            Some(seconds) => tokio::time::sleep(Duration::from_secs(seconds)).await,
            None => pending().await,
        }
        Decision::approve("boss")
    }
}

fn step(function: &str, seconds: Option<u64>, limit: u32) -> ToolRequest {
    let parameters = seconds.map_or(json!({}), |seconds| json!({ "seconds": seconds }));
    ToolRequest::builder("steps", ToolType::ApiCall, function)
        .parameters(parameters)
        .timeout_seconds(limit)
        .retry_config(RetryConfig::new(5, 1.0, 10).unwrap())
        .build()
        .unwrap()
}

/// Runs steps one at a time, before a model that answers at once; returns the end of the request, its
/// seconds, and for each step `ok` or the type of its error.
async fn take_steps(
    seconds: u64,
    approver: SlowApprover,
    steps: impl IntoIterator<Item = ToolRequest>,
) -> (Result<Vec<String>, AgentError>, u64) {
    let runtime = Runtime::builder().tool::<TakeTool>().tool::<FailTool>().tool::<PayTool>();
    let runtime = runtime.policy(Policy::new().approver(approver)).build().unwrap();
    let config = format!("request_timeout_seconds = {seconds}\nmax_concurrent_tools = 1");
    let agent = agent_of(runtime, slow(None, Some(0)), &config).build();
    let request = ProxyRequest::builder("?").required_tools(steps).build().unwrap();
    let started = Instant::now();
    let cx = context();
    let answer = agent.answer(&request, &cx);
    let ended = tokio::time::timeout(Duration::from_secs(1_000), answer).await;
    let end_of = |result: &ActResult| match result.metadata().get("error_type") {
        None => "ok".to_owned(),
        Some(word) => word.as_str().unwrap().to_owned(),
    };
    let ended = ended.expect("an end in time");
    let ends = ended.map(|response| response.tool_results().iter().map(end_of).collect());
    (ends, started.elapsed().as_secs())
}

#[tokio::test(start_paused = true)]
async fn steps_that_wait_for_each_other_share_the_deadline_of_the_request() {
    let steps = [step("take", Some(15), 30), step("take", Some(15), 30), step("take", Some(1), 30)];
    let (ended, took) = take_steps(20, SlowApprover(None), steps).await;
    assert_eq!((ended.unwrap(), took), (["ok", "TIMEOUT", "TIMEOUT"].map(String::from).into(), 20));
}

#[tokio::test(start_paused = true)]
async fn a_step_that_waited_for_its_turn_has_all_of_its_own_time() {
    let steps = [(); 3].map(|()| step("take", Some(8), 10));
    let (ended, took) = take_steps(60, SlowApprover(None), steps).await;
    assert_eq!((ended.unwrap(), took), (["ok"; 3].map(String::from).into(), 24));
}

#[tokio::test(start_paused = true)]
async fn retries_of_steps_share_the_deadline_of_the_request() {
    let steps = [step("take", Some(5), 30), step("fail", None, 30), step("take", Some(9), 30)];
    let (ended, took) = take_steps(20, SlowApprover(None), steps).await;
    assert_eq!(ended.unwrap(), ["ok", "TIMEOUT", "TIMEOUT"]);
    assert_eq!(took, 20);
}

#[tokio::test(start_paused = true)]
async fn an_approver_that_does_not_decide_takes_no_more_time_than_the_request_has() {
    let steps = [step("take", Some(8), 10), step("pay", Some(1), 10), step("take", Some(1), 10)];
    let (ended, took) = take_steps(20, SlowApprover(None), steps).await;
    assert_eq!((ended.unwrap(), took), (["ok", "TIMEOUT", "ok"].map(String::from).into(), 20));
}

#[tokio::test(start_paused = true)]
async fn a_step_that_was_approved_late_has_the_time_that_is_left() {
    let steps = [step("pay", Some(30), 60), step("pay", Some(1), 60)];
    let (ended, took) = take_steps(20, SlowApprover(Some(8)), steps).await;
    assert_eq!((ended.unwrap(), took), (["TIMEOUT", "TIMEOUT"].map(String::from).into(), 20));
}

//! A loop whose model or compressor is silent, or panics.

use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use futures::future::pending;
use serde_json::json;
use tool_runtime::agent::{
    AgentConfig, AgentError, AgentErrorKind, ChatModel, ChatReply, ChatRequest, ModelMessage,
    StopCause, TokenUsage,
};
use tool_runtime::assess::{AssessOptions, Assessor, CompressionError, ContextCompressor};
use tool_runtime::contracts::assess::{CompressionMethod, ContextData};

use super::tool_loop::{Script, agent_of, calls, cx, says, stopped};

/// Never answers.
#[derive(Debug)]
pub(super) struct Silent;

#[async_trait]
impl ChatModel for Silent {
    async fn chat(&self, _: &ChatRequest) -> Result<ChatReply, AgentError> {
        pending().await
    }
}

/// Requests one call, and is silent from then on, or says that it took too long.
#[derive(Debug)]
struct OnceThenLate {
    keeps_to_its_limit: bool,
    first: Mutex<Option<ChatReply>>,
}

impl OnceThenLate {
    fn new(keeps_to_its_limit: bool) -> Self {
        let first = Some(calls(&[("1", "add", json!({"a": 1, "b": 2}))]));
        Self { keeps_to_its_limit, first: Mutex::new(first) }
    }
}

#[async_trait]
impl ChatModel for OnceThenLate {
    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, AgentError> {
        let first = self.first.lock().unwrap().take();
        if let Some(reply) = first {
            return Ok(reply);
        }
        if !self.keeps_to_its_limit {
            return pending().await;
        }
        tokio::time::sleep(request.timeout().unwrap()).await;
        Err(AgentError::new(AgentErrorKind::Llm, "too late").with_detail("reason", "timeout"))
    }
}

#[tokio::test(start_paused = true)]
async fn a_model_that_is_silent_past_the_limit_stops_the_loop_with_the_report_so_far() {
    for keeps_to_its_limit in [false, true] {
        let model = OnceThenLate::new(keeps_to_its_limit);
        let started = tokio::time::Instant::now();
        let agent = agent_of(model).timeout(Duration::from_secs(20));
        let report = agent.run("1 + 2?", &cx()).await.unwrap();
        assert_eq!(stopped(report.end()), Some(StopCause::Timeout));
        assert_eq!((report.turns(), report.calls()), (1, 1));
        let last = report.messages().last().unwrap();
        assert!(matches!(last, ModelMessage::ToolResult { text, .. } if text == "3"), "{last:?}");
        assert_eq!(started.elapsed().as_secs(), 20);
    }
}

#[tokio::test(start_paused = true)]
async fn a_model_that_gives_up_before_the_limit_is_an_error() {
    /// Gives up by a limit of its own.
    #[derive(Debug)]
    struct Impatient;

    #[async_trait]
    impl ChatModel for Impatient {
        async fn chat(&self, _: &ChatRequest) -> Result<ChatReply, AgentError> {
            Err(AgentError::new(AgentErrorKind::Llm, "too late").with_detail("reason", "timeout"))
        }
    }

    let agent = agent_of(Impatient).timeout(Duration::from_secs(20));
    assert_eq!(agent.run("?", &cx()).await.unwrap_err().message(), "too late");
}

#[tokio::test(start_paused = true)]
async fn the_limit_of_a_configuration_is_that_of_the_run() {
    let config = AgentConfig::from_toml("request_timeout_seconds = 11").unwrap();
    let started = tokio::time::Instant::now();
    let report = agent_of(Silent).config(&config).run("?", &cx()).await.unwrap();
    assert_eq!(stopped(report.end()), Some(StopCause::Timeout));
    assert_eq!(started.elapsed().as_secs(), 11);
}

#[tokio::test]
async fn counts_of_tokens_beyond_all_measure_reach_the_budget() {
    let usage = TokenUsage::new(u64::MAX, u64::MAX).with_cached_input_tokens(u64::MAX);
    let call = || calls(&[("1", "add", json!({"a": 1, "b": 2}))]).with_usage(usage);
    let model = Script::of([call(), call()]);
    let agent = agent_of(model).max_total_tokens(u64::MAX);
    let report = agent.run("?", &cx()).await.unwrap();
    assert_eq!((stopped(report.end()), report.turns()), (Some(StopCause::TokenBudget), 1));

    let half = TokenUsage::new(u64::MAX / 2, 0).with_cached_input_tokens(u64::MAX);
    let call = || calls(&[("1", "add", json!({"a": 1, "b": 2}))]).with_usage(half);
    let report = agent_of(Script::of([call(), call(), call(), call()])).max_total_tokens(u64::MAX);
    let report = report.run("?", &cx()).await.unwrap();
    assert_eq!((stopped(report.end()), report.turns()), (Some(StopCause::TokenBudget), 3));
}

#[tokio::test]
async fn a_model_that_panics_is_an_error_of_the_model() {
    /// Panics.
    #[derive(Debug)]
    struct Panicking;

    #[async_trait]
    impl ChatModel for Panicking {
        async fn chat(&self, _: &ChatRequest) -> Result<ChatReply, AgentError> {
            panic!("hunter2")
        }
    }

    let error = agent_of(Panicking).run("?", &cx()).await.unwrap_err();
    assert_eq!((error.kind(), &error.details()["reason"]), (AgentErrorKind::Llm, &json!("panic")));
    assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
}

/// Hangs or panics.
#[derive(Debug)]
enum BrokenCompressor {
    Hangs,
    Panics,
}

#[async_trait]
impl ContextCompressor for BrokenCompressor {
    fn method(&self) -> CompressionMethod {
        CompressionMethod::SemanticPruning
    }

    async fn compress(&self, _: &ContextData, _: u64) -> Result<String, CompressionError> {
        match self {
            Self::Hangs => pending().await,
            Self::Panics => panic!("hunter2"),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_compressor_that_hangs_or_panics_leaves_the_result_as_it_is() {
    for broken in [BrokenCompressor::Hangs, BrokenCompressor::Panics] {
        let options = AssessOptions::default().with_threshold_tokens(0);
        let assessor = Assessor::new().options(options).compressor(broken);
        let model = Script::of([calls(&[("1", "add", json!({"a": 1, "b": 2}))]), says("3")]);
        let agent = agent_of(model.clone()).result_assessor(assessor);
        let report = agent.timeout(Duration::from_secs(20)).run("?", &cx()).await.unwrap();
        assert_eq!((report.text(), model.last_answers()), (Some("3"), vec!["3".to_owned()]));
    }
}

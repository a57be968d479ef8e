//! Code of the host that panics while a request is answered.

use async_trait::async_trait;
use serde_json::{Value, json};
use tool_runtime::agent::{
    AgentError, AgentErrorKind, ChatModel, ChatReply, ChatRequest, ProxyAgentBuilder,
};
use tool_runtime::assess::{
    Assessor, CompressionError, ContextCompressor, Embedder, Summarizer, SummaryRequest,
};
use tool_runtime::contracts::assess::{
    CompressionMethod, CompressionStrategy, ContextData, OptimizedContext,
};
use tool_runtime::contracts::proxy::ProxyRequest;
use tool_runtime::prelude::*;

use super::{ListOrdersTool, agent_of, context, orders};
use crate::agent::measured::subscribed;
use crate::agent::server::{Server, text};
use crate::support::Paper;

/// Panics, whatever it is used for.
#[derive(Debug)]
struct Panicking;

#[async_trait]
impl ContextCompressor for Panicking {
    fn method(&self) -> CompressionMethod {
        CompressionMethod::SemanticPruning
    }

    async fn compress(&self, _: &ContextData, _: u64) -> Result<String, CompressionError> {
        panic!("hunter2")
    }
}

#[async_trait]
impl Summarizer for Panicking {
    async fn summarize(&self, _: SummaryRequest<'_>) -> Result<String, CompressionError> {
        panic!("hunter2")
    }
}

#[async_trait]
impl Embedder for Panicking {
    async fn embed(&self, _: &[&str]) -> Result<Vec<Vec<f32>>, CompressionError> {
        panic!("hunter2")
    }
}

#[async_trait]
impl ChatModel for Panicking {
    async fn chat(&self, _: &ChatRequest) -> Result<ChatReply, AgentError> {
        panic!("hunter2")
    }
}

fn request() -> ProxyRequest {
    let builder = ProxyRequest::builder("Which?").required_tools([orders(json!({"count": 60}))]);
    builder.build().unwrap()
}

fn agent(model: impl ChatModel + 'static) -> ProxyAgentBuilder {
    let runtime = Runtime::builder().tool::<ListOrdersTool>().build().unwrap();
    agent_of(runtime, model, "compression_threshold_tokens = 200\nlog_level = 'WARNING'")
}

/// Answers a request, and returns its context and the warnings.
async fn answered(
    configure: impl FnOnce(ProxyAgentBuilder) -> ProxyAgentBuilder,
) -> (OptimizedContext, Vec<Value>) {
    let server = Server::start([text("ok")]).await;
    let agent = configure(agent(server.model())).build();
    let paper = Paper::default();
    let _here = subscribed(&paper);
    let response = agent.answer(&request(), &context()).await.unwrap();
    let mut lines = paper.lines();
    lines.retain(|line| line["target"] == "tool_runtime::agent");
    assert!(!format!("{lines:?} {response:?}").contains("hunter2"));
    (response.context_optimization().clone(), lines)
}

#[tokio::test]
async fn a_compressor_that_panics_leaves_the_context_as_it_is_with_a_warning() {
    let (context, warnings) =
        answered(|agent| agent.assessor(Assessor::new().compressor(Panicking))).await;
    assert_eq!(context.method_used(), CompressionMethod::None);
    assert_eq!(context.metadata()["reason"], "the compressor panicked");
    assert_eq!(warnings[0]["failure"], "compression_failed");
    assert_eq!(warnings[0]["reason"], "the compressor panicked");
}

#[tokio::test]
async fn a_summarizer_that_panics_is_replaced_by_pruning_with_a_warning() {
    let (context, warnings) = answered(|agent| {
        agent
            .assessor(Assessor::new().summarizer(Panicking))
            .compression_strategy(CompressionStrategy::Distillation)
    })
    .await;
    assert_eq!(context.method_used(), CompressionMethod::SemanticPruning);
    assert_eq!(context.metadata()["fallback"], "distillation: the summarizer panicked");
    assert_eq!(warnings[0]["failure"], "compression_fell_back");
}

#[tokio::test]
async fn an_embedder_that_panics_leaves_the_similarity_out_with_a_warning() {
    let (context, warnings) =
        answered(|agent| agent.assessor(Assessor::new().embedder(Panicking))).await;
    assert_eq!(context.method_used(), CompressionMethod::SemanticPruning);
    assert_eq!(context.semantic_similarity_score(), None);
    assert_eq!(context.metadata()["similarity_error"], "the embedder panicked");
    assert_eq!(warnings[0]["failure"], "similarity_failed");
}

#[tokio::test]
async fn a_model_that_panics_is_an_error_of_the_model() {
    let error = agent(Panicking).build().answer(&request(), &context()).await.unwrap_err();
    assert_eq!((error.kind(), &error.details()["reason"]), (AgentErrorKind::Llm, &json!("panic")));
    assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
}

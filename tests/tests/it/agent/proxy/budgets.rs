//! Requests within their budget of tokens.

use serde_json::json;
use tool_runtime::agent::AgentErrorKind;
use tool_runtime::contracts::assess::CompressionMethod;
use tool_runtime::contracts::proxy::ProxyRequest;

use super::{agent, context, orders};
use crate::agent::server::{Server, text};

#[tokio::test]
async fn a_context_above_the_budget_is_compressed_harder() {
    let server = Server::start([text("ok")]).await;
    let request = ProxyRequest::builder("Where is customer 7?")
        .required_tools([orders(json!({"count": 1000}))])
        .max_total_tokens(2_000)
        .build()
        .unwrap();
    let response = agent(&server, "").build().answer(&request, &context()).await.unwrap();
    let context = response.context_optimization();
    assert_eq!(context.method_used(), CompressionMethod::SemanticPruning);
    assert!(context.optimized_tokens() <= 1_500, "{context:?}");
    assert_eq!(server.received()[0].body["max_tokens"], 500);
}

#[tokio::test]
async fn a_context_that_must_stay_whole_is_refused_with_what_would_fit() {
    let server = Server::start([text("ok")]).await;
    let request = ProxyRequest::builder("Where is customer 7?")
        .required_tools([orders(json!({"count": 1000}))])
        .enable_compression(false);
    let refused = request.clone().max_total_tokens(2_000).build().unwrap();
    let agent = agent(&server, "").build();
    let error = agent.answer(&refused, &context()).await.unwrap_err();
    assert_eq!(error.kind(), AgentErrorKind::Compression);
    assert_eq!(error.details()["max_total_tokens"], 2_000);
    assert!(server.received().is_empty());
    let required = error.details()["required_total_tokens"].as_u64().unwrap();
    assert!(required > 2_000, "{required}");
    let enough = request.clone().max_total_tokens(required).build().unwrap();
    assert!(agent.answer(&enough, &context()).await.is_ok());
    let too_few = request.max_total_tokens(required - 1).build().unwrap();
    assert!(agent.answer(&too_few, &context()).await.is_err());
}

#[tokio::test]
async fn a_question_that_does_not_fit_is_refused() {
    let server = Server::start([]).await;
    let question = "Where is the tea? ".repeat(500);
    let request = ProxyRequest::builder(question).max_total_tokens(1_000).build().unwrap();
    let error = agent(&server, "").build().answer(&request, &context()).await.unwrap_err();
    assert_eq!(error.kind(), AgentErrorKind::Compression);
}

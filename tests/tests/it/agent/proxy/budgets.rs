//! Requests within their budget of tokens.

use serde_json::{Map, Value, json};
use tool_runtime::agent::AgentErrorKind;
use tool_runtime::contracts::act::{ToolRequest, ToolType};
use tool_runtime::contracts::assess::CompressionMethod;
use tool_runtime::contracts::proxy::{ProxyRequest, ProxyRequestBuilder};
use tool_runtime::prelude::*;

use super::{agent, agent_of, context, orders};
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

/// Returns an article that has many links and empty fields beside its text: none of them is a row.
#[ai_tool(effect = "read", name = "articles.read")]
async fn read_article() -> Value {
    let links = (0..120).map(|n| (format!("link_{n}"), format!("https://example.org/{n}").into()));
    let nulls = (0..120).map(|n| (format!("unknown_{n}"), Value::Null));
    let mut article: Map<String, Value> = links.chain(nulls).collect();
    article.insert("title".to_owned(), "The green tea of Uji".into());
    article.into()
}

fn article() -> ProxyRequestBuilder {
    let read = ToolRequest::builder("articles", ToolType::ApiCall, "read").build().unwrap();
    ProxyRequest::builder("Which tea?").required_tools([read])
}

fn reader(server: &Server) -> tool_runtime::agent::ProxyAgent {
    let runtime = Runtime::builder().tool::<ReadArticleTool>().build().unwrap();
    agent_of(runtime, server.model(), "enable_cache = false").build()
}

#[tokio::test]
async fn a_context_that_does_not_fit_after_its_compression_is_compressed_harder() {
    let server = Server::start([text("Green."), text("Green.")]).await;
    let agent = reader(&server);
    let whole = agent.answer(&article().build().unwrap(), &context()).await.unwrap();
    assert!(whole.context_optimization().optimized_tokens() > 1_500);
    assert!(!whole.context_optimization().metadata().contains_key("compressed_harder"));

    let request = article().max_total_tokens(2_000).build().unwrap();
    let response = agent.answer(&request, &context()).await.unwrap();
    let harder = response.context_optimization();
    assert_eq!(harder.metadata()["compressed_harder"], true);
    assert!(harder.optimized_tokens() <= 1_500, "{harder:?}");
    let said = server.received()[1].body["messages"][0]["content"].as_str().unwrap().to_owned();
    assert!(said.contains("The green tea of Uji") && !said.contains("https://"), "{said}");
}

#[tokio::test]
async fn the_total_that_a_refusal_names_is_enough_and_the_smallest_that_is() {
    let server = Server::start([text("ok")]).await;
    let question = "Where is customer 7? ".repeat(150);
    let request = ProxyRequest::builder(question.clone())
        .required_tools([orders(json!({"count": 1000}))])
        .user_context("note", "The user is in a hurry. ".repeat(20));
    let refused = request.clone().max_total_tokens(1_000).build().unwrap();
    let agent = agent(&server, "").build();
    let error = agent.answer(&refused, &context()).await.unwrap_err();
    assert_eq!(error.kind(), AgentErrorKind::Compression);
    let required = error.details()["required_total_tokens"].as_u64().unwrap();
    assert!((1_001..2_000).contains(&required), "the rows of the result are left out: {required}");
    let too_few = request.clone().max_total_tokens(required - 1).build().unwrap();
    assert!(agent.answer(&too_few, &context()).await.is_err());
    let enough = request.max_total_tokens(required).build().unwrap();
    let response = agent.answer(&enough, &context()).await.unwrap();
    assert!(response.context_optimization().optimized_tokens() <= required * 3 / 4 + 1);
}

#[tokio::test]
async fn a_small_budget_is_kept_also_below_the_smallest_limit_of_a_context() {
    let server = Server::start([text("ok")]).await;
    let request = ProxyRequest::builder("Where is customer 7?")
        .required_tools([orders(json!({"count": 1000}))])
        .max_total_tokens(1_000)
        .build()
        .unwrap();
    let response = agent(&server, "").build().answer(&request, &context()).await.unwrap();
    assert!(response.context_optimization().optimized_tokens() <= 750);
    assert_eq!(server.received()[0].body["max_tokens"], 250);
}

#[tokio::test]
async fn the_schema_of_the_answer_counts_against_the_total() {
    let server = Server::start([text("[]")]).await;
    let words: Vec<String> = (0..400).map(|number| format!("answer {number}")).collect();
    let schema = json!({"type": "array", "items": {"enum": words}});
    let agent = agent(&server, "").answer_schema(schema).build();
    let request = ProxyRequest::builder("Where is customer 7?");
    let refused = request.clone().max_total_tokens(1_000).build().unwrap();
    let error = agent.answer(&refused, &context()).await.unwrap_err();
    assert_eq!(error.kind(), AgentErrorKind::Compression);
    let required = error.details()["required_total_tokens"].as_u64().unwrap();
    assert!(required > 2_000, "{required}");
    let too_few = request.clone().max_total_tokens(required - 1).build().unwrap();
    assert!(agent.answer(&too_few, &context()).await.is_err());
    let enough = request.max_total_tokens(required).build().unwrap();
    assert!(agent.answer(&enough, &context()).await.is_ok());
}

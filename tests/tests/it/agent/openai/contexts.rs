//! A server's model and vectors in the compression of contexts.

use serde_json::{Value, json};
use tool_runtime::agent::{ModelSummarizer, OpenAiEmbedder};
use tool_runtime::assess::{AssessOptions, Assessor, Embedder};
use tool_runtime::contracts::act::ActResult;
use tool_runtime::contracts::assess::{CompressionMethod, CompressionStrategy, ContextData};

use crate::agent::server::{Scripted, Server, error, text};

fn context() -> ContextData {
    let log = "The request was served without delay by the usual worker.\n".repeat(60);
    let time = "2026-05-03T12:34:56Z".parse().unwrap();
    let log = format!("{log}Order A-17 is late.\n");
    let result = ActResult::succeeded("log", log, time).build().unwrap();
    let context =
        ContextData::builder().tool_results([result]).transient("query", "Where is A-17?");
    context.strategy(CompressionStrategy::Distillation).build().unwrap()
}

fn assessor() -> Assessor {
    Assessor::new().options(AssessOptions::default().with_threshold_tokens(0))
}

#[tokio::test]
async fn a_student_model_writes_the_summary() {
    let server = Server::start([text("Order A-17 is late; all else was served.")]).await;
    let student =
        ModelSummarizer::new(server.model()).with_model("small").with_dollars_per_million(1.0);
    let optimized = assessor().summarizer(student).optimize(&context()).await;
    assert_eq!(optimized.method_used(), CompressionMethod::KnowledgeDistillation);
    assert!(optimized.optimized_text().contains("Order A-17 is late; all else was served."));
    let body = &server.received()[0].body;
    assert_eq!((&body["model"], &body["temperature"]), (&json!("small"), &json!(0.0)));
    let instructions = body["messages"][0]["content"].as_str().unwrap();
    assert!(instructions.contains("These must be in the summary: A-17"), "{instructions}");
    assert!(body["messages"][1]["content"].as_str().unwrap().contains("Order A-17 is late."));
}

#[tokio::test]
async fn a_student_that_fails_is_replaced_by_pruning() {
    let server = Server::start([error(401, "x")]).await;
    let assessor = assessor().summarizer(ModelSummarizer::new(server.model()));
    let optimized = assessor.optimize(&context()).await;
    assert_eq!(optimized.method_used(), CompressionMethod::SemanticPruning);
    assert!(optimized.metadata()["fallback"].as_str().unwrap().contains("refuses the API key"));
    assert!(optimized.optimized_text().contains("Order A-17 is late."));
}

fn vectors(vectors: &Value) -> Scripted {
    Scripted::Plain(
        200,
        vec![],
        json!({"object": "list", "data": vectors, "model": "m"}).to_string(),
    )
}

#[tokio::test]
async fn vectors_come_in_the_order_of_the_texts() {
    let data = json!([
        {"object": "embedding", "index": 1, "embedding": [0.0, 1.0]},
        {"object": "embedding", "index": 0, "embedding": [1.0, 0.0]},
    ]);
    let server = Server::start([vectors(&data), vectors(&json!([]))]).await;
    let embedder = OpenAiEmbedder::builder(&server.url, "m").build_embedder().unwrap();
    let found = embedder.embed(&["a", "b"]).await.unwrap();
    assert_eq!(found, [[1.0, 0.0], [0.0, 1.0]]);
    let expected = json!({"model": "m", "input": ["a", "b"], "encoding_format": "float"});
    let received = &server.received()[0];
    assert_eq!((received.path.as_str(), &received.body), ("/v1/embeddings", &expected));
    let error = embedder.embed(&["a", "b"]).await.unwrap_err();
    assert!(error.message().contains("one embedding for each text"), "{error}");
}

//! Retrieval of passages.

use serde_json::json;
use tool_runtime::contracts::act::ToolType::RagRetrieval;

use crate::{Place, code, data};

#[tokio::test]
async fn a_question_finds_the_passages_that_answer_it() {
    let place = Place::new().await;
    let questions = [
        ("How does a person approve a call of a suspended run?", "agent.md#the-loop"),
        ("which tables are written in TOON", "articulate.md#"),
        ("an idempotency key whose owner crashed: lease and fencing token", "safe-execution.md#"),
        ("compressing a context by semantic pruning", "context.md#"),
    ];
    for (question, source) in questions {
        let parameters = json!({"question": question, "limit": 3});
        let found = data(&place.run(RagRetrieval, "handbook.search", parameters).await);
        let found = found.as_array().unwrap();
        let sources: Vec<_> = found.iter().map(|it| it["source"].as_str().unwrap()).collect();
        assert!(sources.iter().any(|it| it.starts_with(source)), "{question}: {sources:?}");
    }
}

#[tokio::test]
async fn a_passage_is_quoted_letter_for_letter() {
    let place = Place::new().await;
    let parameters = json!({"question": "limits of a loop: repeated failures, cut off"});
    let found = data(&place.run(RagRetrieval, "handbook.search", parameters).await);
    let text = found[0]["text"].as_str().unwrap();
    let source = found[0]["source"].as_str().unwrap();
    let page = source.split_once('#').unwrap().0;
    let path = format!("{}/../../tool-runtime/docs/{page}", env!("CARGO_MANIFEST_DIR"));
    assert!(std::fs::read_to_string(path).unwrap().contains(text), "{source}");
}

#[tokio::test]
async fn words_that_no_passage_has_find_nothing() {
    let place = Place::new().await;
    let parameters = json!({"question": "qwzxv"});
    let found = place.run(RagRetrieval, "handbook.search", parameters).await;
    assert_eq!(data(&found), json!([]));
    let refused = place.run(RagRetrieval, "handbook.search", json!({"question": ""})).await;
    assert_eq!(code(&refused), "INVALID_ARGUMENT");
}

//! A real model of embeddings, on the server that `examples/proxy-agent/real-embedder/run` starts.

use std::env;

use tool_runtime::agent::OpenAiEmbedder;
use tool_runtime::assess::{AssessOptions, Assessor, Embedder};
use tool_runtime::contracts::act::ActResult;
use tool_runtime::contracts::assess::{CompressionMethod, CompressionStrategy, ContextData};

/// The client of the server, if there is one.
fn embedder() -> Option<OpenAiEmbedder> {
    let url = env::var("EMBEDDER_URL").ok()?;
    let builder = OpenAiEmbedder::builder(url, "multilingual-e5-small");
    Some(builder.build_embedder().unwrap())
}

fn cosine(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

#[tokio::test]
async fn texts_of_one_meaning_are_closer_than_others_in_two_languages() {
    let Some(embedder) = embedder() else { return };
    let texts =
        ["The harbour freezes in winter.", "Im Winter friert der Hafen zu.", "Tea has tannins."];
    let vectors = embedder.embed(&texts).await.unwrap();
    let [harbour, hafen, tea] = &vectors[..] else { panic!("expected three vectors") };
    assert_eq!((harbour.len(), hafen.len(), tea.len()), (384, 384, 384));
    assert!((cosine(harbour, harbour) - 1.0).abs() < 1e-3, "{}", cosine(harbour, harbour));
    assert!(cosine(harbour, hafen) > cosine(harbour, tea) + 0.05);
}

#[tokio::test]
async fn a_compressed_context_has_the_similarity_that_the_model_computes() {
    let Some(embedder) = embedder() else { return };
    let log = "12:00 a request was served in 3 ms.\n".repeat(400);
    let log = log + "12:01 the cache of tea prices is stale.\n";
    let result = ActResult::succeeded("log", log, "2026-05-03T12:34:56Z".parse().unwrap());
    let context = ContextData::builder()
        .tool_results([result.build().unwrap()])
        .transient("query", "Is the cache of tea prices up to date?")
        .strategy(CompressionStrategy::SemanticPruning)
        .build()
        .unwrap();
    let assessor = Assessor::new().options(AssessOptions::default().with_threshold_tokens(1_000));
    let by_words = assessor.optimize(&context).await;
    let by_meaning = assessor.embedder(embedder).optimize(&context).await;
    assert_eq!(by_meaning.method_used(), CompressionMethod::SemanticPruning);
    assert_eq!(by_meaning.optimized_text(), by_words.optimized_text());
    let score = by_meaning.semantic_similarity_score().unwrap();
    assert!((0.8..=1.0).contains(&score), "{score}");
    assert_ne!(Some(score), by_words.semantic_similarity_score());
}

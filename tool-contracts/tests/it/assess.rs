//! Contexts of a model's turn, and the same in few tokens.

use serde_json::{Value, json};
use tool_contracts::act::ActResult;
use tool_contracts::assess::{
    ChatMessage, ChatRole, CompressionMethod, CompressionStrategy, ContextData, OptimizedContext,
};

fn read(fields: &Value) -> Result<ContextData, String> {
    let mut context = json!({"tool_results": []});
    context.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    serde_json::from_str(&context.to_string()).map_err(|error| error.to_string())
}

#[test]
fn omitted_fields_have_the_defaults() {
    let context = read(&json!({})).unwrap();
    assert_eq!(context, ContextData::builder().build().unwrap());
    assert_eq!((context.max_tokens(), context.query()), (100_000, None));
    let missing = serde_json::from_str::<ContextData>("{}").unwrap_err().to_string();
    assert!(missing.starts_with("`tool_results`: missing"), "{missing}");
}

#[test]
fn a_context_has_room_for_a_thousand_tokens() {
    assert!(read(&json!({"max_tokens": 1000})).is_ok());
    let error = read(&json!({"max_tokens": 999})).unwrap_err();
    assert!(error.contains("`max_tokens`: expected a whole number of tokens from 1000"), "{error}");
}

#[test]
fn an_unknown_strategy_is_refused_with_all_strategies() {
    for (word, method) in [
        ("semantic_pruning", CompressionMethod::SemanticPruning),
        ("distillation", CompressionMethod::KnowledgeDistillation),
        ("history_compaction", CompressionMethod::HistoryCompaction),
    ] {
        let context = read(&json!({"compression_strategy": word})).unwrap();
        assert_eq!(context.compression_strategy().map(CompressionStrategy::method), Some(method));
    }
    let error = read(&json!({"compression_strategy": "zip"})).unwrap_err();
    assert!(error.contains("one of `semantic_pruning`, `distillation`, `history_compaction`"));
    assert!(!error.contains("zip"), "{error}");
}

#[test]
fn times_of_messages_and_results_have_an_offset() {
    let read_at = |time: &str| {
        let message = json!({"role": "user", "content": "", "timestamp": time, "tokens": 0});
        let result = json!({
            "tool_id": "orders", "success": true, "data": 1, "timestamp": time,
            "execution_time_ms": 1, "token_estimate": 0,
        });
        [json!({"message_history": [message]}), json!({"tool_results": [result]})]
            .map(|it| read(&it))
    };
    for context in read_at("2026-05-03T14:34:56+02:00") {
        assert!(context.is_ok(), "{context:?}");
    }
    for context in read_at("2026-05-03T12:34:56") {
        assert!(context.unwrap_err().contains("with an offset"));
    }
}

#[test]
fn the_query_is_a_text() {
    let query = |value: Value| {
        let context = ContextData::builder().transient(ContextData::QUERY, value).build().unwrap();
        context.query().map(str::to_owned)
    };
    assert_eq!(query(json!("Which?")), Some("Which?".to_owned()));
    assert_eq!(query(json!(7)), None);
}

#[test]
fn debug_shows_no_text() {
    let time = "2026-05-03T12:34:56Z".parse().unwrap();
    let message = ChatMessage::new(ChatRole::User, "planted", time, 1).unwrap();
    let result = ActResult::succeeded("orders", "planted", time).build().unwrap();
    let builder = ContextData::builder()
        .transient("query", "planted")
        .persistent_context("planted")
        .tool_results([result])
        .message_history([message.clone()]);
    let optimized = OptimizedContext::builder("planted", CompressionMethod::None);
    let shown = format!("{message:?} {builder:?} {optimized:?} {:?}", builder.clone().build());
    assert!(!shown.contains("planted"), "{shown}");
}

#[test]
fn the_ratio_follows_from_the_tokens() {
    let built = |original, optimized| {
        let builder = OptimizedContext::builder("", CompressionMethod::SemanticPruning);
        builder.tokens(original, optimized).build().unwrap().compression_ratio()
    };
    assert!((built(200, 70) - 0.35).abs() < 1e-12);
    assert!((built(0, 0) - 1.0).abs() < 1e-12);
    let read = |ratio: f64| {
        let text = json!({
            "optimized_text": "", "original_tokens": 3, "optimized_tokens": 1,
            "compression_ratio": ratio, "method_used": "none", "compression_time_ms": 0,
            "estimated_cost_savings": -0.5,
        });
        serde_json::from_str::<OptimizedContext>(&text.to_string())
    };
    assert!(read(0.33).is_ok());
    let error = read(0.4).unwrap_err().to_string();
    assert!(error.contains("`optimized_tokens` / `original_tokens`"), "{error}");
}

#[test]
fn figures_are_finite() {
    let builder = || OptimizedContext::builder("", CompressionMethod::None);
    assert!(builder().time_ms(-1.0).build().is_err());
    assert!(builder().estimated_cost_savings(f64::NAN).build().is_err());
    let score = |score| {
        let context = builder().semantic_similarity_score(score).build().unwrap();
        context.semantic_similarity_score()
    };
    assert_eq!((score(1.2), score(f64::NAN)), (Some(1.0), Some(0.0)));
}

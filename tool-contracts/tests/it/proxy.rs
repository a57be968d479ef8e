//! Questions to an agent, and its answers.

use serde_json::{Value, json};
use tool_contracts::articulate::{SerializationFormat, SerializedOutput};
use tool_contracts::assess::{CompressionMethod, OptimizedContext};
use tool_contracts::proxy::{
    CostReport, LatencyBreakdown, LlmResponse, ProxyRequest, ProxyResponse,
};
use tool_contracts::schemas;

fn request(fields: &Value) -> Result<ProxyRequest, String> {
    let mut request = json!({"query": "Which?", "required_tools": []});
    request.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    serde_json::from_str(&request.to_string()).map_err(|error| error.to_string())
}

#[track_caller]
fn check_refused(fields: &Value, expected: &str) {
    let error = request(fields).unwrap_err();
    assert!(error.contains(expected), "{error}");
}

/// The first example of a schema.
fn example(file: &str) -> Value {
    let (_, schema) = schemas::all().into_iter().find(|(name, _)| *name == file).unwrap();
    schema.get("examples").unwrap()[0].clone()
}

#[track_caller]
fn check_contradiction<T: serde::de::DeserializeOwned + std::fmt::Debug>(
    file: &str,
    field: &str,
    value: Value,
) {
    let mut changed = example(file);
    changed[field] = value;
    let error = serde_json::from_str::<T>(&changed.to_string()).unwrap_err().to_string();
    assert!(error.contains(&format!("`{field}`")), "{error}");
}

#[test]
fn omitted_fields_have_the_defaults() {
    let request = request(&json!({})).unwrap();
    assert_eq!(request, ProxyRequest::builder("Which?").build().unwrap());
    assert_eq!((request.max_total_tokens(), request.optimization_level()), (200_000, 2));
    assert!(request.enable_compression() && request.enable_toon());
}

#[test]
fn bounds_are_in_their_ranges_and_the_next_values_are_not() {
    assert!(request(&json!({"query": "茶".repeat(50_000)})).is_ok());
    check_refused(
        &json!({"query": "茶".repeat(50_001)}),
        "`query`: expected 1 to 50000 characters",
    );
    check_refused(&json!({"query": ""}), "`query`: expected 1 to 50000 characters");
    for tokens in [1_000, 1_000_000] {
        assert!(request(&json!({"max_total_tokens": tokens})).is_ok(), "{tokens}");
    }
    for tokens in [999, 1_000_001] {
        check_refused(&json!({"max_total_tokens": tokens}), "`max_total_tokens`");
    }
    for level in 0..=3 {
        assert_eq!(
            request(&json!({"optimization_level": level})).unwrap().optimization_level(),
            level
        );
    }
    for level in [4, 256, 300] {
        check_refused(
            &json!({"optimization_level": level}),
            "`optimization_level`: expected a whole number from 0 to 3",
        );
    }
    check_refused(&json!({"session_id": ""}), "`session_id`");
    check_refused(&json!({"target_model": ""}), "`target_model`");
}

#[test]
fn figures_that_do_not_add_up_are_refused() {
    let file = "cost_report.json";
    check_contradiction::<CostReport>(file, "total_tokens", json!(3_513));
    check_contradiction::<CostReport>(file, "savings", json!(0.5));
    check_contradiction::<CostReport>(file, "savings_percentage", json!(70));
    check_contradiction::<CostReport>(file, "input_compression_ratio", json!(0.5));
    check_contradiction::<CostReport>(file, "actual_cost", json!(-1));
    check_contradiction::<ProxyResponse>("proxy_response.json", "total_latency_ms", json!(891));
    check_contradiction::<LatencyBreakdown>("latency_breakdown.json", "overhead_ms", json!(-1));
    check_contradiction::<LlmResponse>("llm_response.json", "finish_reason", json!(""));
}

#[test]
fn an_optimization_may_cost_more_than_it_saves() {
    let report = CostReport::builder().input_tokens(10, 20).costs(1.0, 1.5).build().unwrap();
    assert!((report.savings_percentage() + 50.0).abs() < 1e-9);
    assert!((report.input_compression_ratio() - 2.0).abs() < 1e-9);
    let nothing = CostReport::builder().build().unwrap();
    assert!(nothing.savings_percentage().abs() < 1e-9);
    assert!((nothing.input_compression_ratio() - 1.0).abs() < 1e-9);
}

#[test]
fn an_answer_needs_its_breakdown_and_its_cost() {
    let result = SerializedOutput::builder("4", SerializationFormat::CompactJson).build().unwrap();
    let context = OptimizedContext::builder("?", CompressionMethod::None).build().unwrap();
    let llm = LlmResponse::builder("m", 4).build().unwrap();
    let builder = ProxyResponse::builder(result, context, llm);
    let error = builder.clone().build().unwrap_err();
    assert_eq!(error.problems().len(), 2, "{error}");
    let breakdown = LatencyBreakdown::new(1.0, 2.0, 3.0, 4.0, 5.0).unwrap();
    let cost = CostReport::builder().build().unwrap();
    let response = builder.breakdown(breakdown).cost_analysis(cost).build().unwrap();
    assert!((response.total_latency_ms() - 15.0).abs() < 1e-9);
}

#[test]
fn debug_shows_neither_question_nor_answer() {
    let builder = ProxyRequest::builder("planted").user_context("key", "planted").session_id("s");
    let llm = LlmResponse::builder("m", "planted");
    let shown = format!("{builder:?} {:?} {llm:?}", builder.clone().build());
    assert!(!shown.contains("planted"), "{shown}");
}

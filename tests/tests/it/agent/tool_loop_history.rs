//! The history of a loop in few tokens: results are compressed once, older rounds compacted.

use serde_json::{Value, json};
use tool_runtime::agent::{LoopEnd, LoopSavings, ModelMessage, SuspendedRun, ToolLoop};
use tool_runtime::assess::{AssessOptions, Assessor};
use tool_runtime::policy::{KeyRing, Policy, ToolPolicy};
use tool_runtime::prelude::*;
use tool_runtime::store::MemoryStore;

use super::tool_loop::{Script, calls, cx, says};

/// A city.
#[ai_type]
struct City {
    id: u32,
    city: String,
}

/// Lists cities.
#[ai_tool(effect = "read")]
async fn cities(
    /// The number of cities.
    count: u32,
) -> Vec<City> {
    (0..count).map(|id| City { id, city: format!("Town {id}") }).collect()
}

/// Lists cities to those who may see them.
#[ai_tool(effect = "read")]
async fn private_cities(
    /// The number of cities.
    count: u32,
) -> Vec<City> {
    (0..count).map(|id| City { id, city: format!("Secret town {id}") }).collect()
}

fn runtime(store: &MemoryStore) -> Runtime {
    let keys = KeyRing::new("k", &[7; 32]).unwrap();
    Runtime::builder()
        .tool::<CitiesTool>()
        .tool::<PrivateCitiesTool>()
        .permission("private_cities", Permission::Ask)
        .policy(Policy::new().ticket_keys(keys).store(store.clone()))
        .build()
        .unwrap()
}

fn assessor(threshold: u64) -> Assessor {
    let options = AssessOptions::default().with_threshold_tokens(threshold);
    Assessor::new().options(options.with_verbatim_rounds(1))
}

fn list(count: u32) -> tool_runtime::agent::ChatReply {
    calls(&[("1", "cities", json!({ "count": count }))])
}

/// The texts of all results in a request.
fn results(messages: &[ModelMessage]) -> Vec<&str> {
    let is_result = |message: &&ModelMessage| matches!(message, ModelMessage::ToolResult { .. });
    messages.iter().filter(is_result).map(ModelMessage::text).collect()
}

#[tokio::test]
async fn a_long_result_is_compressed_by_the_question_before_it_is_a_message() {
    let model = Script::of([list(300), list(2), says("17")]);
    let agent = ToolLoop::new(runtime(&MemoryStore::new()), model.clone());
    let agent = agent.result_assessor(assessor(500));
    let report = agent.run("What is the id of Town 17?", &cx()).await.unwrap();
    let told = model.told();
    let results = results(told[2].messages());
    assert!(results[0].contains(r#"{"id":17,"city":"Town 17"}"#), "{}", results[0]);
    assert!(
        results[0].starts_with('(') && results[0].contains(" of 300 rows)\n"),
        "{}",
        results[0]
    );
    assert_eq!(results[1], r#"[{"id":0,"city":"Town 0"},{"id":1,"city":"Town 1"}]"#);
    // A message that was sent once does not change.
    assert_eq!(told[1].messages()[..], told[2].messages()[..told[1].messages().len()]);
    let savings = report.savings();
    assert_eq!((savings.compressed_results, savings.compactions), (1, 0));
    assert!(savings.input_tokens > 3_000, "both later requests are shorter: {savings:?}");
}

#[tokio::test]
async fn errors_and_results_without_an_assessor_stay_as_they_are() {
    let broken = calls(&[("1", "cities", json!({ "count": "many" }))]);
    let model = Script::of([broken, says("sorry")]);
    let agent = ToolLoop::new(runtime(&MemoryStore::new()), model.clone());
    let agent = agent.result_assessor(assessor(0));
    agent.run("Which towns?", &cx()).await.unwrap();
    assert!(model.last_answers()[0].contains("INVALID_ARGUMENT"), "{:?}", model.last_answers());

    let model = Script::of([list(300), says("many")]);
    let agent = ToolLoop::new(runtime(&MemoryStore::new()), model.clone());
    let report = agent.run("Which towns?", &cx()).await.unwrap();
    assert!(model.last_answers()[0].contains("Town 299"));
    assert_eq!(report.savings(), LoopSavings::default());
}

#[tokio::test]
async fn the_result_of_an_approved_call_is_compressed_when_the_run_continues() {
    let store = MemoryStore::new();
    let runtime = runtime(&store);
    let asks = calls(&[("1", "private_cities", json!({"count": 300}))]);
    let model = Script::of([asks, says("17")]);
    let agent = ToolLoop::new(runtime.clone(), model.clone()).result_assessor(assessor(500));
    let report = agent.run("What is the id of Secret town 17?", &cx()).await.unwrap();
    let LoopEnd::Suspended(run) = report.into_end() else { panic!("it waits") };
    let mut run: SuspendedRun =
        serde_json::from_str(&serde_json::to_string(&run).unwrap()).unwrap();
    let pending = run.pending()[0].clone();
    let mut call = runtime.tickets().resume(pending.ticket(), &cx()).await;
    call.approve("joe").unwrap();
    call.execute().await;
    run.answer(pending.call_id(), &call).await.unwrap();
    let report = agent.resume(run, &cx()).await.unwrap();
    let answer = &model.last_answers()[0];
    assert!(answer.contains("Secret town 17\"") && answer.len() < 5_000, "{answer}");
    assert_eq!(report.savings().compressed_results, 1);
}

#[tokio::test]
async fn the_result_of_an_approved_call_keeps_the_limits_of_its_tool() {
    let store = MemoryStore::new();
    let keys = KeyRing::new("k", &[7; 32]).unwrap();
    let rules = ToolPolicy::new().max_output_bytes(1_000);
    let runtime = Runtime::builder()
        .tool::<PrivateCitiesTool>()
        .permission("private_cities", Permission::Ask)
        .policy(Policy::new().ticket_keys(keys).store(store.clone()).rules(rules))
        .build()
        .unwrap();
    let asks = calls(&[("1", "private_cities", json!({"count": 300}))]);
    let model = Script::of([asks, says("many")]);
    let agent = ToolLoop::new(runtime.clone(), model.clone());
    let report = agent.run("Which towns?", &cx()).await.unwrap();
    let LoopEnd::Suspended(mut run) = report.into_end() else { panic!("it waits") };
    let pending = run.pending()[0].clone();
    let mut call = runtime.tickets().resume(pending.ticket(), &cx()).await;
    call.approve("joe").unwrap();
    call.execute().await;
    run.answer(pending.call_id(), &call).await.unwrap();
    agent.resume(run, &cx()).await.unwrap();
    let answer = &model.last_answers()[0];
    assert!(answer.len() < 1_500, "{} bytes", answer.len());
    assert!(answer.contains("this is an excerpt of") && answer.contains("of 300 rows"), "{answer}");
}

#[tokio::test]
async fn older_rounds_are_compacted_and_every_call_keeps_its_result() {
    let model = Script::of([list(100), list(101), list(102), says("done")]);
    let agent = ToolLoop::new(runtime(&MemoryStore::new()), model.clone());
    let agent = agent.history_assessor(assessor(3_000));
    let report = agent.run("List the towns, then look at Town 42.", &cx()).await.unwrap();
    let told = model.told();
    let last = told.last().unwrap().messages();
    let shape = |message: &ModelMessage| match message {
        ModelMessage::User(_) => "user",
        ModelMessage::Assistant(_) => "assistant",
        ModelMessage::ToolResult { .. } => "result",
        _ => "other",
    };
    let shapes: Vec<_> = last.iter().map(shape).collect();
    let round = ["assistant", "result"];
    assert_eq!(shapes, [&["user"][..], &round, &round, &round].concat());
    let results = results(last);
    assert!(
        results[0].contains(" of 100 rows)\n") && results[0].contains("Town 42"),
        "{}",
        results[0]
    );
    assert!(results[2].contains("Town 101\"") && results[2].len() > 2_500, "the newest is whole");
    let savings = report.savings();
    assert!(savings.compactions >= 1 && savings.input_tokens > 0, "{savings:?}");
    assert!(savings.net_input_tokens >= 1.0, "{savings:?}");
}

#[tokio::test]
async fn results_that_were_compressed_are_compacted_with_whole_rows_and_a_true_count() {
    let model = Script::of([list(300), list(301), list(302), says("done")]);
    let agent = ToolLoop::new(runtime(&MemoryStore::new()), model.clone());
    let agent = agent.result_assessor(assessor(500)).history_assessor(assessor(1_500));
    let report = agent.run("List the towns, then look at Town 42.", &cx()).await.unwrap();
    let savings = report.savings();
    assert!(savings.compressed_results == 3 && savings.compactions >= 1, "{savings:?}");
    let told = model.told();
    let rows_of = |message: &str| {
        let (count, data) = message.split_once(" rows)\n").unwrap();
        let (kept, of) = count.strip_prefix('(').unwrap().split_once(" of ").unwrap();
        let rows: Vec<Value> = serde_json::from_str(data).unwrap();
        assert_eq!(kept, rows.len().to_string());
        (rows.len(), of.to_owned())
    };
    let last = results(told.last().unwrap().messages());
    let counts: Vec<_> = last.iter().map(|it| rows_of(it)).collect();
    let of: Vec<_> = counts.iter().map(|(_, of)| of.as_str()).collect();
    assert_eq!(of, ["300", "301", "302"]);
    let first = rows_of(results(told[1].messages())[0]).0;
    assert!(counts[0].0 < first && last[0].contains("Town 42"), "{} of {first}", counts[0].0);
}

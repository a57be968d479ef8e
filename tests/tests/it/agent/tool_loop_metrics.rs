//! The metrics and events of loops.

use serde_json::{Value, json};
use tool_runtime::agent::{AgentConfig, ChatReply, LoopEnd, StopCause, ToolLoop};
use tool_runtime::assess::{AssessOptions, Assessor};
use tool_runtime::policy::{KeyRing, Policy};
use tool_runtime::prelude::*;
use tool_runtime::store::MemoryStore;

use super::measured::{MeasuredRuntime, check, subscribed};
use super::tool_loop::{Script, calls, cx, says};
use crate::support::Paper;

/// Lists towns.
#[ai_tool(effect = "read")]
async fn towns(
    /// The number of towns.
    count: u32,
) -> Vec<String> {
    (0..count).map(|number| format!("Town {number} by the river")).collect()
}

/// Lists towns after an approval.
#[ai_tool(effect = "read")]
async fn private_towns() -> Vec<String> {
    vec!["hunter2".to_owned()]
}

fn measured() -> MeasuredRuntime {
    let keys = KeyRing::new("k", &[7; 32]).unwrap();
    let builder = Runtime::builder()
        .tool::<TownsTool>()
        .tool::<PrivateTownsTool>()
        .permission("private_towns", Permission::Ask)
        .policy(Policy::new().ticket_keys(keys).store(MemoryStore::new()));
    MeasuredRuntime::new(builder)
}

fn list(count: u32) -> ChatReply {
    calls(&[("1", "towns", json!({ "count": count }))])
}

/// Runs a loop of each end: answered, stopped, failed, suspended and then answered.
async fn run_each(measured: &MeasuredRuntime) -> u64 {
    let results = AssessOptions::default().with_threshold_tokens(200);
    let agent = |replies: Vec<ChatReply>| {
        ToolLoop::new(measured.runtime.clone(), Script::of(replies)).model("openai/gpt-4o")
    };
    let answering = agent(vec![list(200), list(1), says("200")]);
    let answering = answering.result_assessor(Assessor::new().options(results));
    let report = answering.run("Where is Town 17?", &cx()).await.unwrap();
    let saved = report.savings().input_tokens;

    let stopped = agent(vec![list(1), list(1)]).max_turns(2).run("?", &cx()).await.unwrap();
    assert_eq!(stopped.end(), &LoopEnd::Stopped(StopCause::TurnLimit));
    assert!(agent(vec![]).run("?", &cx()).await.is_err());

    let asking = agent(vec![calls(&[("1", "private_towns", json!({}))]), says("none")]);
    let LoopEnd::Suspended(mut run) = asking.run("?", &cx()).await.unwrap().into_end() else {
        panic!("it waits")
    };
    let ticket = run.pending()[0].ticket().to_owned();
    let mut call = measured.runtime.tickets().resume(&ticket, &cx()).await;
    call.approve("joe").unwrap();
    call.execute().await;
    run.answer("1", &call).await.unwrap();
    asking.resume(run, &cx()).await.unwrap();
    saved
}

#[tokio::test]
async fn runs_turns_stops_and_saved_tokens_are_counted_the_same_at_both_outputs() {
    let measured = measured();
    let saved = run_each(&measured).await;
    assert!(saved > 1_000, "{saved}");
    let exported = measured.exported();
    let outcome = "tool_runtime.agent.outcome";
    check(
        &exported,
        "tool_runtime.agent.runs",
        &[
            (&format!("error.type=llm {outcome}=failed"), &[1]),
            (&format!("{outcome}=answered"), &[2]),
            (&format!("{outcome}=stopped tool_runtime.agent.stop_cause=turn_limit"), &[1]),
            (&format!("{outcome}=suspended"), &[1]),
        ],
    );
    check(
        &exported,
        "tool_runtime.agent.run.duration",
        &[
            (&format!("{outcome}=answered"), &[2]),
            (&format!("{outcome}=failed"), &[1]),
            (&format!("{outcome}=stopped"), &[1]),
            (&format!("{outcome}=suspended"), &[1]),
        ],
    );
    // A run that continues counts its own turns alone: 3, 2, 0, 1 and 1.
    check(&exported, "tool_runtime.agent.turns", &[("", &[7])]);
    check(&exported, "tool_runtime.agent.saved_tokens", &[("", &[saved])]);
    let model = "gen_ai.operation.name=chat gen_ai.provider.name=openai \
                 gen_ai.request.model=openai/gpt-4o";
    check(
        &exported,
        "gen_ai.client.operation.duration",
        &[(&format!("error.type=llm {model}"), &[1]), (model, &[7])],
    );

    let page = measured.page().await;
    for line in [
        r#"tool_server_agent_runs_total{outcome="answered",cause="",code=""} 2"#,
        r#"tool_server_agent_runs_total{outcome="failed",cause="",code="llm"} 1"#,
        r#"tool_server_agent_runs_total{outcome="stopped",cause="turn_limit",code=""} 1"#,
        r#"tool_server_agent_runs_total{outcome="suspended",cause="",code=""} 1"#,
        r#"tool_server_agent_run_duration_seconds_count{outcome="answered"} 2"#,
        "tool_server_agent_turns_total 7",
        &format!("tool_server_agent_saved_tokens_total {saved}"),
        r#"tool_server_model_call_duration_seconds_count{model="openai/gpt-4o",code=""} 7"#,
        r#"tool_server_model_tokens_sum{model="openai/gpt-4o",type="input"} 900.0"#,
    ] {
        assert!(page.iter().any(|found| found == line), "{line} in {page:#?}");
    }
}

#[tokio::test]
async fn a_silent_model_is_measured_as_a_cancelled_call() {
    let measured = measured();
    let agent = ToolLoop::new(measured.runtime.clone(), super::tool_loop_limits::Silent);
    let agent = agent.timeout(std::time::Duration::from_millis(1));
    agent.run("?", &cx()).await.unwrap();
    let page = measured.page().await;
    for line in [
        r#"tool_server_agent_runs_total{outcome="stopped",cause="timeout",code=""} 1"#,
        r#"tool_server_model_call_duration_seconds_count{model="unknown",code="cancelled"} 1"#,
        "tool_server_agent_turns_total 0",
    ] {
        assert!(page.iter().any(|found| found == line), "{line} in {page:#?}");
    }
}

#[tokio::test]
async fn a_loop_without_metrics_is_not_measured() {
    let measured = measured();
    let config = AgentConfig::from_toml("enable_metrics = false").unwrap();
    let agent = ToolLoop::new(measured.runtime.clone(), Script::of([list(1), says("1")]));
    agent.config(&config).run("?", &cx()).await.unwrap();
    let names: Vec<_> = measured.exported().into_keys().collect();
    let is_agents = |name: &String| name.contains("agent") || name.contains("client");
    assert!(!names.iter().any(is_agents), "{names:?}");
    let page = measured.page().await.join("\n");
    let has_values = |name: &str| page.lines().any(|line| line.starts_with(name));
    assert!(has_values("tool_server_calls_total"), "{page}");
    assert!(!has_values("tool_server_agent_") && !has_values("tool_server_model_"), "{page}");
}

/// Runs a loop with this configuration, and returns its events.
async fn logged(config: &str, replies: Vec<ChatReply>) -> Vec<Value> {
    let runtime = measured().runtime;
    let config = AgentConfig::from_toml(config).unwrap();
    let agent = ToolLoop::new(runtime, Script::of(replies)).config(&config).max_turns(2);
    let paper = Paper::default();
    let _here = subscribed(&paper);
    let _ = agent.run("Is it hunter2?", &cx()).await;
    let mut lines = paper.lines();
    lines.retain(|line| line["target"] == "tool_runtime::agent");
    lines
}

#[tokio::test]
async fn each_end_of_a_run_is_an_event_without_a_text_of_it() {
    let answered = logged("", vec![list(1), says("hunter2")]).await;
    assert_eq!(answered.len(), 1, "{answered:?}");
    for (name, expected) in [
        ("level", json!("INFO")),
        ("outcome", json!("answered")),
        ("turns", json!(2)),
        ("calls", json!(1)),
        ("input_tokens", json!(300)),
        ("output_tokens", json!(15)),
    ] {
        assert_eq!(answered[0][name], expected, "{name}");
    }
    let stopped = logged("", vec![list(1), list(1)]).await;
    assert_eq!(
        (&stopped[0]["level"], &stopped[0]["cause"]),
        (&json!("WARN"), &json!("turn_limit"))
    );
    let failed = logged("", vec![]).await;
    assert_eq!(failed[0]["level"], "ERROR");
    assert!(!format!("{answered:?} {stopped:?} {failed:?}").contains("hunter2"));
    assert!(logged("log_level = 'WARNING'", vec![says("ok")]).await.is_empty());
    assert!(logged("log_level = 'ERROR'", vec![list(1), list(1)]).await.is_empty());
    assert!(logged("enable_logging = false", vec![]).await.is_empty());
}

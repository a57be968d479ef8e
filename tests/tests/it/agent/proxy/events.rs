//! The events that the agent logs, and what is in none of them.

use async_trait::async_trait;
use serde_json::{Value, json};
use tool_runtime::agent::{AgentErrorKind, ProxyAgentBuilder, SessionKey, SessionStore};
use tool_runtime::contracts::ErrorCode;
use tool_runtime::contracts::act::{ToolRequest, ToolType};
use tool_runtime::contracts::assess::ChatMessage;
use tool_runtime::contracts::proxy::ProxyRequest;
use tool_runtime::prelude::*;
use tool_runtime::store::{StoreError, StoreErrorKind};

use super::{ListOrdersTool, agent, agent_of, context, orders};
use crate::agent::measured::subscribed;
use crate::agent::server::{Scripted, Server, completion, error, text};
use crate::support::Paper;

/// A text that no event may have.
const SECRET: &str = "hunter2";

/// Returns the agent's events, without the times.
fn events(paper: &Paper) -> Vec<Value> {
    let mut lines = paper.lines();
    lines.retain(|line| line["target"] == "tool_runtime::agent");
    for line in &mut lines {
        let fields = line.as_object_mut().unwrap();
        for name in ["timestamp", "target", "latency_ms"] {
            fields.remove(name);
        }
    }
    lines
}

fn cut_off(text: &str) -> Scripted {
    completion(&json!({"role": "assistant", "content": text}), "length")
}

fn request(query: &str, count: u32) -> ProxyRequest {
    let builder = ProxyRequest::builder(query).required_tools([orders(json!({"count": count}))]);
    builder.build().unwrap()
}

/// Asks once with this configuration, and returns the events.
async fn logged(config: &str, answer: Scripted, request: &ProxyRequest) -> Vec<Value> {
    let server = Server::start([answer]).await;
    let agent = agent(&server, config).build();
    let paper = Paper::default();
    let _here = subscribed(&paper);
    let _ = agent.answer(request, &context()).await;
    events(&paper)
}

#[tokio::test]
async fn debug_shows_each_step() {
    // Rows enough for a table, which takes fewer tokens than compact JSON.
    let mut found = logged("log_level = 'DEBUG'", text("Some."), &request("How many?", 20)).await;
    let model = "gemini/gemini-2.0-flash-exp";
    let [raw, input] = ["raw_input_tokens", "input_tokens"].map(|it| found[1][it].clone());
    assert!(raw.as_u64() > input.as_u64() && input.as_u64() > Some(0), "{found:?}");
    let answered = found.pop().unwrap();
    assert_eq!((&answered["level"], &answered["input_tokens"]), (&json!("INFO"), &input));
    assert_eq!(
        found,
        [
            json!({"level": "DEBUG", "message": "the agent ran the required tools", "tools": 1, "failed_tools": 0}),
            json!({"level": "DEBUG", "message": "the agent made the context", "method": "none",
                "raw_input_tokens": raw, "input_tokens": input}),
            json!({"level": "DEBUG", "message": "the agent has the model's answer", "model": model,
                "input_tokens": 20, "output_tokens": 5, "finish_reason": "stop", "cached": false}),
            json!({"level": "DEBUG", "message": "the agent wrote the answer", "format": "compact_json"}),
        ]
    );
}

#[tokio::test]
async fn a_warning_names_each_failure_in_spite_of_which_a_request_was_answered() {
    let found = logged("log_level = 'WARNING'", cut_off("It"), &request("?", 9_999)).await;
    let warning = |fields: Value| {
        let mut warning = json!({
            "level": "WARN",
            "message": "the agent answered a request in spite of a failure",
            "model": "gemini/gemini-2.0-flash-exp",
        });
        warning.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        warning
    };
    assert_eq!(
        found,
        [
            warning(json!({"failure": "tools_failed", "failed_tools": 1})),
            warning(json!({"failure": "answer_cut_off"})),
        ]
    );
    assert_eq!(
        logged("log_level = 'WARNING'", text("Two."), &request("?", 2)).await,
        [] as [Value; 0]
    );
}

#[tokio::test]
async fn an_answer_of_the_fallback_model_is_a_warning_unless_it_was_cached() {
    let server = Server::start([error(404, "model_not_found"), text("from the other")]).await;
    let model = server.builder().fallback_model("openai/other").build().unwrap();
    let runtime = Runtime::builder().tool::<ListOrdersTool>().build().unwrap();
    let agent = agent_of(runtime, model, "log_level = 'WARNING'").build();
    let paper = Paper::default();
    let _here = subscribed(&paper);
    for _ in 0..2 {
        agent.answer(&request("?", 2), &context()).await.unwrap();
    }
    let failures: Vec<_> = events(&paper).into_iter().map(|it| it["failure"].clone()).collect();
    assert_eq!(failures, ["fallback_model_answered"]);
}

#[tokio::test]
async fn levels_and_the_switch_decide_what_is_logged() {
    let levels = async |config: &str, answer: Scripted| {
        let found = logged(config, answer, &request("?", 9_999)).await;
        found.into_iter().map(|it| it["level"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let steps = ["DEBUG", "DEBUG", "DEBUG", "DEBUG", "WARN", "INFO"];
    assert_eq!(levels("log_level = 'DEBUG'", text("ok")).await, steps);
    assert_eq!(levels("", text("ok")).await, ["WARN", "INFO"]);
    assert_eq!(levels("log_level = 'WARNING'", text("ok")).await, ["WARN"]);
    assert_eq!(levels("log_level = 'ERROR'", text("ok")).await, [] as [&str; 0]);
    assert_eq!(levels("log_level = 'ERROR'", error(401, "x")).await, ["ERROR"]);
    let off = "enable_logging = false\nlog_level = 'DEBUG'";
    assert_eq!(levels(off, text("ok")).await, [] as [&str; 0]);
    assert_eq!(levels(off, error(401, "x")).await, [] as [&str; 0]);
}

/// Returns a text.
#[ai_tool(effect = "read", name = "notes.read")]
async fn read_notes() -> String {
    SECRET.to_owned()
}

/// Fails with a text.
#[ai_tool(effect = "read", name = "notes.fail")]
async fn fail_notes() -> Result<String, Failure> {
    Err(Failure::from_code(ErrorCode::Conflict).with_message(SECRET))
}

fn notes(server: &Server) -> ProxyAgentBuilder {
    let runtime = Runtime::builder().tool::<ReadNotesTool>().tool::<FailNotesTool>();
    let config = "log_level = 'DEBUG'\nenable_cache = false";
    agent_of(runtime.build().unwrap(), server.model(), config)
        .instructions(format!("Never say {SECRET}."))
}

#[tokio::test]
async fn no_event_has_a_text_of_questions_results_answers_or_providers() {
    let answers = [
        text(SECRET),
        cut_off(SECRET),
        completion(&json!({"role": "assistant", "content": SECRET}), SECRET),
        error(401, SECRET),
    ];
    let server = Server::start(answers).await;
    let agent = notes(&server).build();
    let tool = |name: &str| ToolRequest::builder("notes", ToolType::ApiCall, name).build().unwrap();
    let request = ProxyRequest::builder(format!("Is it {SECRET}?"))
        .required_tools([tool("read"), tool("fail")])
        .user_context("password", SECRET)
        .session_id(SECRET)
        .build()
        .unwrap();
    let paper = Paper::default();
    let _here = subscribed(&paper);
    let mut answered = 0;
    for _ in 0..4 {
        answered += u32::from(agent.answer(&request, &context()).await.is_ok());
    }
    // A schema that the answer breaks.
    let server = Server::start([text(SECRET)]).await;
    let strict = notes(&server).answer_schema(json!({"type": "integer"})).build();
    assert!(strict.answer(&request, &context()).await.is_err());
    assert_eq!(answered, 3);
    let found = events(&paper);
    assert!(found.len() > 20, "{found:#?}");
    assert!(!format!("{found:?}").contains(SECRET), "{found:#?}");
}

/// Fails, with a text for the log.
#[derive(Debug)]
struct Failing;

#[async_trait]
impl SessionStore for Failing {
    async fn load(&self, _: &SessionKey, _: usize) -> Result<Vec<ChatMessage>, StoreError> {
        Err(StoreError::new(StoreErrorKind::Damaged, "restore `sessions.db`"))
    }

    async fn append(&self, _: &SessionKey, _: Vec<ChatMessage>) -> Result<(), StoreError> {
        Ok(())
    }
}

#[tokio::test]
async fn a_session_store_failure_is_described_only_in_the_log() {
    let server = Server::start([]).await;
    let agent = agent(&server, "").sessions(Failing).build();
    let paper = Paper::default();
    let _here = subscribed(&paper);
    let request = ProxyRequest::builder("?").session_id("s").build().unwrap();
    let error = agent.answer(&request, &context()).await.unwrap_err();
    assert_eq!(
        (error.kind(), &error.details()["reason"]),
        (AgentErrorKind::Configuration, &json!("session_store"))
    );
    assert!(!format!("{error:?}").contains("sessions.db"), "{error:?}");
    let found = events(&paper);
    assert_eq!(found[0]["error"], "the store is damaged: restore `sessions.db`", "{found:?}");
}

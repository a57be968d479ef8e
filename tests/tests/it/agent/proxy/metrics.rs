//! The metrics of the agent, at both outputs.

use serde_json::json;
use tool_runtime::agent::ProxyAgent;
use tool_runtime::contracts::proxy::{ProxyRequest, ProxyResponse};
use tool_runtime::prelude::*;

use super::{ListOrdersTool, agent_of, context, orders};
use crate::agent::measured::{MeasuredRuntime, check};
use crate::agent::server::{Server, error, text};

/// An agent whose runtime is measured.
struct Measured {
    measured: MeasuredRuntime,
    agent: ProxyAgent,
}

impl Measured {
    fn new(server: &Server, config: &str) -> Self {
        let measured = MeasuredRuntime::new(Runtime::builder().tool::<ListOrdersTool>());
        let agent = agent_of(measured.runtime.clone(), server.model(), config).build();
        Self { measured, agent }
    }

    async fn ask(&self, request: &ProxyRequest) -> Option<ProxyResponse> {
        self.agent.answer(request, &context()).await.ok()
    }
}

fn request(query: &str) -> ProxyRequest {
    let builder = ProxyRequest::builder(query).required_tools([orders(json!({"count": 20}))]);
    builder.build().unwrap()
}

#[tokio::test]
async fn requests_steps_and_calls_of_models_are_counted_the_same_at_both_outputs() {
    let server = Server::start([text("Twenty."), error(401, "planted")]).await;
    let measured = Measured::new(&server, "");
    let first = measured.ask(&request("How many?")).await.unwrap();
    let cached = measured.ask(&request("How many?")).await.unwrap();
    let unknown = ProxyRequest::builder("?").target_model("acme/planted").build().unwrap();
    assert!(measured.ask(&unknown).await.is_none());

    let exported = measured.measured.exported();
    check(
        &exported,
        "tool_runtime.agent.requests",
        &[
            ("error.type=llm tool_runtime.agent.outcome=failed", &[1]),
            ("tool_runtime.agent.outcome=answered", &[1]),
            ("tool_runtime.agent.outcome=cached", &[1]),
        ],
    );
    check(&exported, "gen_ai.invoke_agent.duration", &[("", &[2]), ("error.type=llm", &[1])]);
    check(
        &exported,
        "tool_runtime.agent.step.duration",
        &[
            ("tool_runtime.agent.step=context", &[3]),
            ("tool_runtime.agent.step=model", &[3]),
            ("tool_runtime.agent.step=output", &[2]),
            ("tool_runtime.agent.step=tools", &[3]),
        ],
    );
    let gemini = "gen_ai.operation.name=chat gen_ai.provider.name=gcp.gemini \
                  gen_ai.request.model=gemini/gemini-2.0-flash-exp";
    let other = "error.type=unauthorized gen_ai.operation.name=chat gen_ai.provider.name=_OTHER \
                 gen_ai.request.model=_OTHER";
    check(&exported, "gen_ai.client.operation.duration", &[(other, &[1]), (gemini, &[1])]);
    check(
        &exported,
        "gen_ai.client.token.usage",
        &[
            (&format!("{gemini} gen_ai.token.type=input"), &[1, 20]),
            (&format!("{gemini} gen_ai.token.type=output"), &[1, 5]),
        ],
    );
    let tokens = &exported["tool_runtime.agent.context.tokens"];
    let [first, cached] = [first, cached].map(|it| it.context_optimization().clone());
    let stage = |stage: &str| tokens[&format!("tool_runtime.agent.context.stage={stage}")][0];
    assert!(stage("optimized") > first.optimized_tokens() + cached.optimized_tokens());
    assert!(
        stage("raw") - stage("optimized") >= first.original_tokens() - first.optimized_tokens()
    );
    assert!(stage("raw") > stage("optimized"));

    let page = measured.measured.page().await;
    for line in [
        r#"tool_server_agent_requests_total{outcome="answered",code=""} 1"#,
        r#"tool_server_agent_requests_total{outcome="cached",code=""} 1"#,
        r#"tool_server_agent_requests_total{outcome="failed",code="llm"} 1"#,
        r#"tool_server_agent_request_duration_seconds_count{outcome="cached"} 1"#,
        r#"tool_server_agent_step_duration_seconds_count{step="output"} 2"#,
        r#"tool_server_model_call_duration_seconds_count{model="gemini/gemini-2.0-flash-exp",code=""} 1"#,
        r#"tool_server_model_call_duration_seconds_count{model="unknown",code="unauthorized"} 1"#,
        r#"tool_server_model_tokens_sum{model="gemini/gemini-2.0-flash-exp",type="input"} 20.0"#,
        r#"tool_server_model_tokens_count{model="gemini/gemini-2.0-flash-exp",type="output"} 1"#,
        &format!("tool_server_agent_context_tokens_total{{stage=\"raw\"}} {}", stage("raw")),
    ] {
        assert!(page.iter().any(|found| found == line), "{line} in {page:#?}");
    }
    assert!(!format!("{page:?} {exported:?}").contains("planted"), "{page:#?}");
}

#[tokio::test]
async fn an_agent_without_metrics_is_not_measured() {
    let server = Server::start([text("Twenty.")]).await;
    let measured = Measured::new(&server, "enable_metrics = false");
    measured.ask(&request("How many?")).await.unwrap();
    let names: Vec<_> = measured.measured.exported().into_keys().collect();
    assert!(names.iter().any(|name| name == "tool_runtime.calls"), "calls are: {names:?}");
    let is_agents = |name: &String| name.contains("agent") || name.contains("client");
    assert!(!names.iter().any(is_agents), "{names:?}");
    let page = measured.measured.page().await.join("\n");
    let has_values = |name: &str| page.lines().any(|line| line.starts_with(name));
    assert!(has_values("tool_server_calls_total"), "{page}");
    assert!(!has_values("tool_server_agent_") && !has_values("tool_server_model_"), "{page}");
}

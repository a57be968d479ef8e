//! Answers, their figures and their cache.

use serde_json::json;
use tool_runtime::agent::AgentErrorKind;
use tool_runtime::assess::{Assessor, CompressionError, ContextCompressor};
use tool_runtime::contracts::act::{ToolRequest, ToolType};
use tool_runtime::contracts::articulate::SerializationFormat;
use tool_runtime::contracts::assess::{CompressionMethod, ContextData};
use tool_runtime::contracts::proxy::ProxyRequest;
use tool_runtime::prelude::*;

use super::{ListOrdersTool, agent, agent_of, context, orders};
use crate::agent::server::{Scripted, Server, error, text};

#[tokio::test]
async fn an_answer_says_what_each_step_returned_took_and_cost() {
    let server = Server::start([text("Twenty orders.")]).await;
    let agent = agent(&server, "").instructions("Be brief.").build();
    let request = ProxyRequest::builder("How many orders?")
        .required_tools([orders(json!({"count": 20}))])
        .user_context("user", "Ada")
        .build()
        .unwrap();
    let response = agent.answer(&request, &context()).await.unwrap();
    assert_eq!(response.llm_response().content(), "Twenty orders.");
    assert_eq!(response.result().serialized_text(), "\"Twenty orders.\"");
    assert!(response.tool_results()[0].success());

    let llm = response.llm_response();
    assert_eq!((llm.input_tokens(), llm.output_tokens(), llm.finish_reason()), (20, 5, "stop"));
    let breakdown = response.breakdown();
    assert!((response.total_latency_ms() - breakdown.total_ms()).abs() < 1e-6);
    assert!(breakdown.llm_inference_ms() > 0.0 && breakdown.tool_execution_ms() > 0.0);
    let cost = response.cost_analysis();
    let context = response.context_optimization();
    assert_eq!(cost.raw_input_tokens(), context.original_tokens());
    assert_eq!(cost.optimized_input_tokens(), context.optimized_tokens());
    assert_eq!(cost.total_tokens(), context.optimized_tokens() + 5);
    // The tokens that the provider reports, and not those that this process counts.
    assert!((cost.actual_cost() - (20.0 + 5.0 * 4.0) / 1e6).abs() < 1e-12, "{cost:?}");
    assert_eq!(context.metadata()["token_usage"], "reported");
    assert!(cost.savings() > 0.0 && cost.input_compression_ratio() < 1.0, "{cost:?}");

    let body = &server.received()[0].body;
    assert_eq!(body["model"], "gemini/gemini-2.0-flash-exp");
    assert_eq!(body["messages"][0], json!({"role": "system", "content": "Be brief."}));
    let said = body["messages"][1]["content"].as_str().unwrap();
    let note = SerializationFormat::Toon.model_note().unwrap();
    let rows: Vec<_> = (0..20).map(|id| format!("\n  {id},customer {id},null")).collect();
    let rows = rows.concat();
    let expected = format!(
        "# Tool results\n## orders\n{note}\n[20]{{id,customer,note}}:{rows}\n\n\
         # Facts\nuser: Ada\n# Question\nHow many orders?"
    );
    assert_eq!(said, expected);
    // The answer reads back as what was written.
    let written = serde_json::to_string(&response).unwrap();
    let read: tool_runtime::contracts::proxy::ProxyResponse =
        serde_json::from_str(&written).unwrap();
    assert_eq!(read, response);
}

#[tokio::test]
async fn levels_and_switches_decide_what_is_written() {
    let written = |level: u8, compression: bool, toon: bool| async move {
        let server = Server::start([text("ok")]).await;
        let agent = agent(&server, "compression_threshold_tokens = 200").build();
        let request = ProxyRequest::builder("Where is customer 7?")
            .required_tools([orders(json!({"count": 60}))])
            .optimization_level(level)
            .enable_compression(compression)
            .enable_toon(toon)
            .build()
            .unwrap();
        let response = agent.answer(&request, &context()).await.unwrap();
        let said = server.received()[0].body["messages"][0]["content"].as_str().unwrap().to_owned();
        (response.context_optimization().method_used(), said)
    };
    use CompressionMethod::{None, SemanticPruning};
    let (method, said) = written(0, true, true).await;
    assert!(
        method == None && said.contains(r#"[{"id":0,"customer":"customer 0","note":null},"#),
        "{said}"
    );
    let (method, said) = written(1, true, true).await;
    assert!(method == None && said.contains("[60]{id,customer,note}:\n"), "{said}");
    let (method, said) = written(2, true, true).await;
    assert!(method == SemanticPruning && said.contains("of 60 rows)"), "{said}");
    assert!(said.contains("customer 7"), "{said}");
    let (method, said) = written(3, true, true).await;
    assert!(method == SemanticPruning && !said.contains("null"), "{said}");
    let (method, said) = written(3, false, true).await;
    assert!(method == None && said.contains("[60]{"), "{said}");
    let (method, said) = written(2, true, false).await;
    assert!(method == SemanticPruning && !said.contains("TOON"), "{said}");
    let (method, said) = written(2, false, false).await;
    assert!(
        method == None && said.contains(r#"[{"id":0,"customer":"customer 0","note":null},"#),
        "{said}"
    );
}

#[tokio::test]
async fn an_answer_of_rows_is_a_table_from_level_1_on_unless_that_is_switched_off() {
    let rows: Vec<_> = (0..20).map(|n| json!({"id": n, "open": true})).collect();
    let answer = json!(rows).to_string();
    for (level, toon, expected) in [
        (0, true, SerializationFormat::CompactJson),
        (1, true, SerializationFormat::Toon),
        (3, true, SerializationFormat::Toon),
        (1, false, SerializationFormat::CompactJson),
        (3, false, SerializationFormat::CompactJson),
    ] {
        let server = Server::start([text(&answer)]).await;
        let agent = agent(&server, "").answer_schema(json!({"type": "array"})).build();
        let request = ProxyRequest::builder("Which?").optimization_level(level).enable_toon(toon);
        let response = agent.answer(&request.build().unwrap(), &context()).await.unwrap();
        assert_eq!(response.result().format_used(), expected, "level {level}, {toon}");
    }
}

#[tokio::test]
async fn links_are_left_out_at_level_3_alone() {
    let pages = DynamicTool::new("pages.list", Effect::Read)
        .description("Lists pages.")
        .input_schema(json!({"type": "object"}))
        .handler(|_| async {
            let row = |n: u32| json!({"id": n, "href": format!("https://tea.example/{n}"), "title": "Tea"});
            Ok::<_, Failure>((0..60).map(row).collect::<Vec<_>>())
        });
    let runtime = Runtime::builder().dynamic(pages).build().unwrap();
    for (level, has_links) in [(2, true), (3, false)] {
        let server = Server::start([text("ok")]).await;
        let config = "compression_threshold_tokens = 200";
        let agent = agent_of(runtime.clone(), server.model(), config).build();
        let list = ToolRequest::builder("pages", ToolType::ApiCall, "list").build().unwrap();
        let request = ProxyRequest::builder("Which page is 7?").required_tools([list]);
        let request = request.optimization_level(level).build().unwrap();
        let response = agent.answer(&request, &context()).await.unwrap();
        let method = response.context_optimization().method_used();
        assert_eq!(method, CompressionMethod::SemanticPruning, "level {level}");
        let said = server.received()[0].body["messages"][0]["content"].as_str().unwrap().to_owned();
        assert_eq!(said.contains("https://tea.example/"), has_links, "level {level}: {said}");
    }
}

#[tokio::test]
async fn the_model_reads_the_instructions_though_a_compressor_leaves_them_out() {
    /// Writes a text of its own.
    #[derive(Debug)]
    struct Short;

    #[async_trait]
    impl ContextCompressor for Short {
        fn method(&self) -> CompressionMethod {
            CompressionMethod::SemanticPruning
        }

        async fn compress(&self, _: &ContextData, _: u64) -> Result<String, CompressionError> {
            Ok("Orders: many.".to_owned())
        }
    }

    let server = Server::start([text("ok")]).await;
    let agent = agent(&server, "compression_threshold_tokens = 200")
        .assessor(Assessor::new().compressor(Short))
        .instructions("Be brief.")
        .build();
    let request = ProxyRequest::builder("How many?").required_tools([orders(json!({"count": 60}))]);
    agent.answer(&request.build().unwrap(), &context()).await.unwrap();
    let expected = json!([
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Orders: many."},
    ]);
    assert_eq!(server.received()[0].body["messages"], expected);
}

#[tokio::test]
async fn level_2_leaves_0_35_of_the_tokens_and_level_3_a_quarter() {
    let ratio = |level: u8, threshold: u32| async move {
        let server = Server::start([text("ok")]).await;
        let agent = agent(&server, &format!("compression_threshold_tokens = {threshold}")).build();
        let request = ProxyRequest::builder("Where is customer 7?")
            .required_tools([orders(json!({"count": 400}))])
            .optimization_level(level)
            .build()
            .unwrap();
        let response = agent.answer(&request, &context()).await.unwrap();
        let optimized = response.context_optimization();
        let is_compressed = optimized.method_used() == CompressionMethod::SemanticPruning;
        is_compressed.then(|| optimized.compression_ratio())
    };
    let usual = ratio(2, 1_000).await.unwrap();
    assert!((0.30..=0.35).contains(&usual), "{usual}");
    let aggressive = ratio(3, 1_000).await.unwrap();
    assert!((0.21..=0.25).contains(&aggressive), "{aggressive}");
    // Written as a table, the orders take more than 2,000 tokens and fewer than 8,000.
    assert_eq!(ratio(2, 8_000).await, None);
    assert!(ratio(3, 8_000).await.is_some());
}

#[tokio::test]
async fn nulls_and_links_stay_at_level_3_if_nothing_is_compressed() {
    let server = Server::start([text("ok")]).await;
    let request = ProxyRequest::builder("Which?")
        .required_tools([orders(json!({"count": 3}))])
        .optimization_level(3)
        .build()
        .unwrap();
    let response = agent(&server, "").build().answer(&request, &context()).await.unwrap();
    assert_eq!(response.context_optimization().method_used(), CompressionMethod::None);
    let said = server.received()[0].body["messages"][0]["content"].as_str().unwrap().to_owned();
    assert!(said.contains("null"), "{said}");
}

#[tokio::test]
async fn a_schema_makes_the_answer_data() {
    let rows: Vec<_> = (0..20).map(|n| json!({"id": n, "open": true})).collect();
    let answer = json!({"orders": rows});
    let schema = json!({"type": "object", "properties": {"orders": {"type": "array"}}, "required": ["orders"]});
    let server = Server::start([text(&answer.to_string()), text("no JSON")]).await;
    let agent = agent(&server, "enable_cache = false").answer_schema(schema).build();
    let request = ProxyRequest::builder("Which?").build().unwrap();
    let response = agent.answer(&request, &context()).await.unwrap();
    assert_eq!(response.llm_response().content(), &answer);
    assert_eq!(response.result().format_used(), SerializationFormat::Toon);
    assert!(response.cost_analysis().output_compression_ratio() < 1.0);
    let error = agent.answer(&request, &context()).await.unwrap_err();
    assert_eq!(error.kind(), AgentErrorKind::Serialization);
}

#[tokio::test]
async fn a_failed_tool_is_told_to_the_model() {
    let server = Server::start([text("It failed.")]).await;
    let request = ProxyRequest::builder("How many?")
        .required_tools([orders(json!({"count": 9_999}))])
        .build()
        .unwrap();
    let response = agent(&server, "").build().answer(&request, &context()).await.unwrap();
    assert!(!response.tool_results()[0].success());
    let said = server.received()[0].body["messages"][0]["content"].as_str().unwrap().to_owned();
    assert!(said.contains("## orders\nerror: "), "{said}");
}

#[tokio::test]
async fn a_request_that_names_no_tool_is_an_error_before_any_tool_runs() {
    let server = Server::start([]).await;
    let unknown = ToolRequest::builder("stock", ToolType::ApiCall, "list").build().unwrap();
    let request = ProxyRequest::builder("How many?")
        .required_tools([orders(json!({"count": 1})), unknown])
        .build()
        .unwrap();
    let error = agent(&server, "").build().answer(&request, &context()).await.unwrap_err();
    assert_eq!(error.kind(), AgentErrorKind::ToolExecution);
    assert_eq!(error.details()["required_tool"], 1);
    assert!(server.received().is_empty());
}

#[tokio::test]
async fn a_fact_named_as_the_question_is_refused_before_any_tool_runs() {
    let server = Server::start([]).await;
    let unknown = ToolRequest::builder("stock", ToolType::ApiCall, "list").build().unwrap();
    let request = ProxyRequest::builder("How many?").required_tools([unknown]);
    let request = request.user_context("query", "hunter2").build().unwrap();
    let error = agent(&server, "").build().answer(&request, &context()).await.unwrap_err();
    assert_eq!(error.kind(), AgentErrorKind::Validation);
    assert!(error.message().contains("`user_context`") && error.message().contains("`query`"));
    assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
}

#[tokio::test]
async fn an_answer_of_a_model_without_a_price_saves_what_compression_saved() {
    let completion = json!({
        "id": "1", "object": "chat.completion", "created": 1, "model": "acme/unknown",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "ok"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25},
    });
    let headers = vec![("content-type", "application/json")];
    let answer = Scripted::Plain(200, headers, completion.to_string());
    let server = Server::start([error(500, "x"), answer]).await;
    let model = server.builder().max_attempts(1).fallback_model("acme/unknown").build().unwrap();
    let runtime = Runtime::builder().tool::<ListOrdersTool>().build().unwrap();
    let request = ProxyRequest::builder("?").build().unwrap();
    let agent = agent_of(runtime, model, "").build();
    let response = agent.answer(&request, &context()).await.unwrap();
    assert_eq!(response.llm_response().model(), "acme/unknown");
    let cost = response.cost_analysis();
    assert!(cost.baseline_cost() > 0.0 && cost.savings().abs() < 1e-12, "{cost:?}");
}

#[tokio::test]
async fn a_model_that_fails_is_an_error_of_the_model() {
    let server = Server::start([error(401, "bad_key")]).await;
    let request = ProxyRequest::builder("?").target_model("openai/gpt-4o-mini").build().unwrap();
    let error = agent(&server, "").build().answer(&request, &context()).await.unwrap_err();
    assert_eq!(error.kind(), AgentErrorKind::Llm);
    assert_eq!(server.received()[0].body["model"], "openai/gpt-4o-mini");
}

#[tokio::test]
async fn an_answer_is_cached_for_one_principal() {
    let server = Server::start([text("one"), text("two"), text("three")]).await;
    let agent = agent(&server, "").build();
    let request = ProxyRequest::builder("?").required_tools([orders(json!({"count": 1}))]);
    let request = request.build().unwrap();
    let first = agent.answer(&request, &context()).await.unwrap();
    let again = agent.answer(&request, &context()).await.unwrap();
    assert_eq!(again.llm_response().content(), first.llm_response().content());
    assert_eq!(again.context_optimization().metadata()["answer_cached"], true);
    assert!(again.cost_analysis().actual_cost().abs() < 1e-12);
    assert!(!first.context_optimization().metadata().contains_key("answer_cached"));

    let other = tool_runtime::contracts::ToolContext::builder(tool_runtime::Uuid::nil(), "trace-1")
        .run_id("run-1")
        .user_id("eve")
        .build()
        .unwrap();
    assert_eq!(agent.answer(&request, &other).await.unwrap().llm_response().content(), "two");
    let asked = ProxyRequest::builder("??").build().unwrap();
    assert_eq!(agent.answer(&asked, &context()).await.unwrap().llm_response().content(), "three");
    assert_eq!(server.received().len(), 3);
}

#[tokio::test]
async fn without_the_cache_every_question_is_asked() {
    let server = Server::start([text("one"), text("two")]).await;
    let agent = agent(&server, "enable_cache = false").build();
    let request = ProxyRequest::builder("?").build().unwrap();
    agent.answer(&request, &context()).await.unwrap();
    let second = agent.answer(&request, &context()).await.unwrap();
    assert_eq!(second.llm_response().content(), "two");
}

//! Choosing tools: what a model may see is found, by a host and by the model itself.

use serde_json::{Value, json};
use tool_runtime::Registry;
use tool_runtime::adapters::{Adapter, AdapterBuilder, Dialect, Disclosure, ToolSearch};
use tool_runtime::prelude::*;
use tool_runtime::search::search_tools;
use tool_runtime::tokens::{TokenCounter, TokenEstimate};
use tool_tests::choosing::Recall;

use crate::support;

fn tool(name: &str, description: &str) -> DynamicTool {
    DynamicTool::new(name, Effect::Read)
        .description(description)
        .input_schema(json!({ "type": "object", "properties": { "city": { "type": "string" } } }))
        .sync_handler(|_| Ok::<_, Failure>(true))
}

fn registry() -> Registry {
    Registry::new()
        .dynamic(tool("weather.today", "Tells the weather of a city."))
        .dynamic(tool("weather.secret", "Tells the weather of a secret city."))
        .dynamic(tool("weather.internal", "Measures the weather.").ai_callable(false))
        .dynamic(tool("trains", "Finds trains to a city."))
}

fn runtime() -> Runtime {
    Runtime::builder()
        .registry(registry())
        .dynamic(search_tools())
        .permission("weather.secret", Permission::Deny)
        .build()
        .unwrap()
}

fn names(hits: &[tool_runtime::search::Hit]) -> Vec<&str> {
    hits.iter().map(tool_runtime::search::Hit::name).collect()
}

async fn ask(arguments: Value) -> Value {
    let runtime = runtime();
    let mut call = runtime.call("search_tools", arguments.to_string(), &support::cx());
    let output = call.execute().await;
    serde_json::from_str(output.data_json().unwrap_or("null")).unwrap()
}

#[test]
fn a_registry_finds_what_models_may_call() {
    let hits = registry().search("weather", 10).unwrap();
    assert_eq!(names(&hits), ["weather.today", "weather.secret"]);
    let twice = registry().dynamic(tool("trains", "Again.")).search("trains", 10);
    assert!(twice.unwrap_err().to_string().contains("two tools are named `trains`"));
}

#[test]
fn a_runtime_finds_no_denied_tool() {
    let index = runtime().tool_index();
    assert_eq!(names(&index.search("weather of a city", 10)), ["weather.today", "trains"]);
    assert_eq!(index.len(), 3);
}

#[tokio::test]
async fn a_model_finds_what_it_needs_to_call_a_tool() {
    let found = ask(json!({ "query": "the weather, please", "limit": 3 })).await;
    let schema = json!({
        "type": "object",
        "properties": { "city": { "type": "string" } },
        "additionalProperties": false,
    });
    let weather = json!({
        "name": "weather.today",
        "description": "Tells the weather of a city.",
        "input_schema": schema,
    });
    assert_eq!(found, json!({ "tools": [weather] }));
}

#[tokio::test]
async fn a_search_lists_neither_itself_nor_more_than_was_asked_for() {
    assert_eq!(ask(json!({ "query": "search tools" })).await, json!({ "tools": [] }));
    let found = ask(json!({ "query": "city weather", "limit": 1 })).await;
    assert_eq!(found["tools"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn a_search_without_a_question_is_refused() {
    for arguments in [json!({}), json!({ "query": "" }), json!({ "query": "x", "limit": 21 })] {
        assert_eq!(ask(arguments).await, Value::Null);
    }
}

#[tokio::test]
async fn a_tool_found_by_the_model_is_declared_in_the_next_request() {
    let runtime = runtime();
    for dialect in Dialect::ALL {
        let disclosure = Disclosure::defer_above(1).search(ToolSearch::SearchTools);
        let specs = runtime.specs_for_model();
        let mut adapter = Adapter::builder(dialect).disclosure(disclosure).build(specs);
        assert_eq!(adapter.withheld().collect::<Vec<_>>(), ["trains", "weather.today"]);

        let call = |name: &str, arguments: &str| runtime.call(name, arguments, &support::cx());
        let mut others = vec![call("trains", "{}"), call("search_tools", "{}")];
        others.push(call("search_tools", r#"{"query":"telegrams"}"#));
        runtime.execute_all(&mut others).await;
        let waiting = call("search_tools", r#"{"query":"weather"}"#);
        assert_eq!(adapter.disclose_found(others.iter().chain([&waiting])), 0, "{dialect}");

        let mut calls = vec![call("search_tools", r#"{"query":"weather"}"#)];
        runtime.execute_all(&mut calls).await;
        assert_eq!((adapter.disclose_found(&calls), adapter.disclose_found(&calls)), (1, 0));
        let declared = adapter.declarations().to_string();
        let name = adapter.wire_name("weather.today").unwrap();
        assert!(declared.contains(&format!(r#""name":"{name}""#)), "{dialect}: {declared}");
        assert_eq!(adapter.withheld().collect::<Vec<_>>(), ["trains"]);
    }
}

#[tokio::test]
async fn a_model_that_searches_by_openai_is_answered_from_our_own_index() {
    let runtime = runtime();
    let disclosure = Disclosure::defer_above(1).search(ToolSearch::ClientExecuted);
    let adapter = Adapter::builder(Dialect::OpenAiResponses).disclosure(disclosure);
    let mut adapter = adapter.build(runtime.specs_for_model());
    let search = json!({"type": "tool_search_call", "id": "tsc_1", "call_id": "call_1",
        "execution": "client", "status": "completed", "arguments": {"query": "weather", "limit": 3}});
    let response = json!({"output": [search], "status": "completed"});
    let turn = adapter.read(&response.to_string()).unwrap();
    let mut calls = turn.open_calls(&runtime, &support::cx());
    runtime.execute_all(&mut calls).await;
    assert_eq!(adapter.disclose_found(&calls), 0);

    let messages = adapter.answer_messages(&turn, &calls).unwrap();
    assert_eq!(
        (&messages[0]["type"], &messages[0]["call_id"]),
        (&json!("tool_search_output"), &json!("call_1"))
    );
    let tools = messages[0]["tools"].as_array().unwrap();
    assert_eq!((tools.len(), &tools[0]["name"]), (1, &json!("weather_today")));

    let call = json!({"type": "function_call", "call_id": "call_2", "name": "weather_today",
        "arguments": "{\"city\":\"Lisbon\"}", "status": "completed"});
    let response = json!({"output": [call], "status": "completed"});
    let turn = adapter.read(&response.to_string()).unwrap();
    let mut calls = turn.open_calls(&runtime, &support::cx());
    runtime.execute_all(&mut calls).await;
    assert_eq!(calls[0].output().and_then(|output| output.data_json()), Some("true"));
}

/// The number of tools whose declarations are measured.
const MANY: usize = 765;

/// A tool as a real server has it: a sentence or two, and three described arguments.
fn usual_tool(number: usize) -> DynamicTool {
    let text = |what: &str| json!({ "type": "string", "description": format!("The {what} as the catalogue {number} has it.") });
    let properties =
        json!({ "place": text("place"), "day": text("day of the visit"), "unit": text("unit") });
    let description = format!(
        "Reads the figures of catalogue {number} for a place and a day. Returns an empty list if \
         nothing was measured there."
    );
    DynamicTool::new(format!("read_figures_{number}"), Effect::Read)
        .description(description)
        .input_schema(json!({ "type": "object", "properties": properties, "required": ["place"] }))
        .sync_handler(|_| Ok::<_, Failure>(true))
}

#[test]
fn deferred_tools_take_a_fraction_of_the_tokens_in_every_dialect() {
    let registry = (0..MANY).map(usual_tool).fold(Registry::new(), Registry::dynamic);
    let runtime = Runtime::builder().registry(registry).dynamic(search_tools()).build().unwrap();
    let tokens = |value: &Value| TokenEstimate.count(&value.to_string());
    for dialect in Dialect::ALL {
        let build = |builder: AdapterBuilder| builder.build(runtime.specs_for_model());
        let deferred = build(Adapter::builder(dialect).disclosure(Disclosure::defer_above(20)));
        // A provider's own search reads what the model does not.
        let is_read = |tool: &&Value| tool["defer_loading"] != json!(true);
        let read = match deferred.declarations() {
            Value::Array(tools) => tools.iter().filter(is_read).cloned().collect(),
            other => other.clone(),
        };
        let all = tokens(build(Adapter::builder(dialect)).declarations());
        let found = 5 * all / u64::try_from(MANY).unwrap();
        assert!(100 * (tokens(&read) + found) <= 15 * all, "{dialect}: {} of {all}", tokens(&read));
    }
}

#[test]
fn a_bridge_declares_what_was_found_too() {
    let runtime = runtime();
    let disclosure = Disclosure::defer_above(1);
    let adapter = Adapter::builder(Dialect::OpenAiChat).disclosure(disclosure);
    let mut bridge = adapter.build(runtime.specs_for_model()).bridge(&runtime);
    assert_eq!(bridge.tools().len(), 1);
    bridge.adapter_mut().disclose(["trains"]);
    assert_eq!(bridge.tools()[1].name(), "trains");
}

#[test]
fn real_questions_find_their_tools() {
    let cases = crate::bfcl::cases();
    let recall = Recall::of(&cases).unwrap();
    if cases.is_empty() {
        return;
    }
    let floors = [(1, 0.50), (5, 0.90), (10, 0.96)];
    for ((depth, floor), found) in floors.into_iter().zip(recall.found) {
        let least = floor * f64::from(u32::try_from(recall.pairs).unwrap());
        assert!(f64::from(u32::try_from(found).unwrap()) >= least, "recall@{depth}: {recall:?}");
    }
}

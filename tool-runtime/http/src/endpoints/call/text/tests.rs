use axum::Router;
use axum::http::header::ACCEPT;
use serde_json::{Value, json};
use tool_contracts::Effect;
use tool_contracts::articulate::{OutputSerializer as _, SerializationFormat, SerializedOutput};
use tool_contracts::server::CallResponse;
use tool_runtime_core::articulate::Articulator;
use tool_runtime_core::policy::{Policy, ToolPolicy};
use tool_runtime_core::{CallScope, DynamicTool, Failure, Runtime};

use crate::router;
use crate::tests::fixture::{Answer, ToolGate, open, post, scoped, send};

fn rows(call: &CallScope) -> Result<Value, Failure> {
    let input: Value = call.parse()?;
    let row = |n| json!({"id": n, "name": format!("row {n}"), "open": true});
    Ok(json!({ "rows": (0..input["count"].as_u64().unwrap_or(0)).map(row).collect::<Vec<_>>() }))
}

fn app(rules: ToolPolicy) -> Router {
    let tool =
        DynamicTool::new("rows", Effect::Read).description("Lists rows.").input_schema(json!({
            "type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"],
        }));
    let tool = tool.sync_handler(rows);
    let policy = Policy::new().rules(rules);
    let runtime = Runtime::builder().dynamic(tool).policy(policy).build().expect("the runtime");
    router(runtime, open())
}

async fn called(app: &Router, count: u32, budget: Option<u64>) -> (Answer, SerializedOutput) {
    let mut context = json!({});
    if let Some(budget) = budget {
        context["budget_tokens"] = budget.into();
    }
    let body = json!({"tool_name": "rows", "input": {"count": count}, "context": context});
    let answer = send(app, post("/tools/call/text", body.to_string())).await;
    let read: CallResponse<SerializedOutput> =
        serde_json::from_str(&answer.text).expect("the contract reads it");
    let output = read.output().expect("a success").clone();
    (answer, output)
}

fn rows_of(output: &SerializedOutput) -> usize {
    let read = Articulator::new().deserialize(output.serialized_text(), output.format_used());
    let data: Value = read.expect("a valid text");
    data["rows"].as_array().map_or(0, Vec::len)
}

#[tokio::test]
async fn a_table_is_answered_as_toon_with_its_tokens() {
    let app = app(ToolPolicy::new().result_serializer(Articulator::new()));
    let (answer, output) = called(&app, 30, None).await;
    assert_eq!((answer.status, output.format_used()), (200, SerializationFormat::Toon));
    assert_eq!(rows_of(&output), 30);
    assert!(output.optimized_tokens() < output.original_tokens() && output.is_valid());
    assert_eq!(answer.json()["audit"]["tool_name"], "rows");
    assert!(answer.json().get("meta").is_none(), "nothing to warn of");
}

#[tokio::test]
async fn without_a_serializer_the_text_is_json() {
    let (_, output) = called(&app(ToolPolicy::new()), 30, None).await;
    assert_eq!((output.format_used(), rows_of(&output)), (SerializationFormat::CompactJson, 30));
    assert!(output.optimized_tokens() > 0);
}

#[tokio::test]
async fn an_excerpt_within_the_budget_is_a_warning() {
    let app = app(ToolPolicy::new().result_serializer(Articulator::new()));
    let (answer, output) = called(&app, 500, Some(300)).await;
    let shown = rows_of(&output);
    assert!(output.optimized_tokens() <= 300 && (5..500).contains(&shown), "{shown}");
    let warning = answer.json()["meta"]["warnings"][0].as_str().unwrap_or_default().to_owned();
    assert!(warning.contains(&format!("/rows shows {shown} of 500 rows")), "{warning}");
}

#[tokio::test]
async fn an_answer_that_has_no_rows_to_cut_is_an_empty_text_with_a_warning() {
    let (answer, output) = called(&app(ToolPolicy::new()), 500, Some(1)).await;
    assert_eq!((output.serialized_text(), output.is_valid()), ("", false));
    assert!(answer.text.contains("the whole answer is stored as out_"), "{}", answer.text);
}

#[tokio::test]
async fn failures_are_those_of_the_plain_path() {
    let request = |tool: &str, input: &str| {
        post("/tools/call/text", format!(r#"{{"tool_name":"{tool}","input":{input}}}"#))
    };
    let app = ToolGate::new().app(open());
    send(&app, request("add", "[]")).await.refused(422, "INVALID_ARGUMENT");
    send(&app, request("fail", r#"{"code":"OUT_OF_STOCK"}"#)).await.refused(409, "OUT_OF_STOCK");
    let scoped = ToolGate::new().app(scoped("tools:wait"));
    send(&scoped, request("add", "{}")).await.refused(403, "FORBIDDEN");
    let mut stream = request("add", r#"{"a":1}"#);
    stream.headers_mut().insert(ACCEPT, "text/event-stream".parse().expect("a value"));
    send(&app, stream).await.refused(406, "INVALID_ARGUMENT");
}

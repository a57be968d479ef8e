//! Which tool a request names.

use serde_json::json;
use tool_runtime::agent::{AgentErrorKind, RuntimeExecutor, ToolExecutor};
use tool_runtime::contracts::act::ToolType;
use tool_runtime::prelude::*;

use super::{executor, request, run};

/// Counts orders.
#[ai_tool(effect = "read", name = "orders.count", category = "database_query")]
async fn count_orders() -> &'static str {
    "orders.count"
}

/// Tells the weather.
#[ai_tool(effect = "read")]
async fn weather() -> &'static str {
    "weather"
}

/// Empties the shop.
#[ai_tool(effect = "destructive", name = "shop.empty")]
async fn empty_shop(dry_run: &DryRun) -> bool {
    dry_run.is_active()
}

fn shop() -> RuntimeExecutor {
    let builder = Runtime::builder().tool::<CountOrdersTool>().tool::<WeatherTool>();
    let builder = builder.tool::<EmptyShopTool>().permission("shop.empty", Permission::Deny);
    executor(builder.build().unwrap())
}

async fn called(id: &str, function: &str, tool_type: ToolType) -> String {
    let result = shop().execute_async(&request(id, tool_type, function, json!({}))).await;
    result.map_or_else(|error| error.message().to_owned(), |result| result.to_text())
}

#[tokio::test]
async fn a_tool_is_named_whole_or_by_toolkit_and_function() {
    let query = ToolType::DatabaseQuery;
    assert_eq!(called("orders", "count", query).await, "orders.count");
    assert_eq!(called("orders.count", "count", query).await, "orders.count");
    assert_eq!(called("orders.count", "orders.count", query).await, "orders.count");
    assert_eq!(called("weather", "weather", ToolType::ApiCall).await, "weather");
}

#[tokio::test]
async fn another_function_of_a_tool_is_no_tool() {
    for function in ["cont", "", "orders", "count.count"] {
        if function.is_empty() {
            continue;
        }
        let text = called("orders", function, ToolType::DatabaseQuery).await;
        assert!(text.starts_with("the tool has no such function"), "{function}: {text}");
    }
    let text = called("weather", "forecast", ToolType::ApiCall).await;
    assert!(text.starts_with("the tool has no such function"), "{text}");
}

#[tokio::test]
async fn an_unknown_tool_is_an_error_with_the_closest_names() {
    let error = run(&shop(), "order", "count", json!({})).await.unwrap_err();
    assert_eq!(error.kind(), AgentErrorKind::ToolExecution);
    assert_eq!(error.details()["closest"], json!(["orders.count"]));
    assert!(error.message().starts_with("there is no such tool"), "{error}");
}

#[tokio::test]
async fn a_denied_tool_is_unknown() {
    assert!(!shop().validate_tool("shop.empty") && !shop().validate_tool("shop"));
    let error = run(&shop(), "shop", "empty", json!({})).await.unwrap_err();
    assert_eq!(error.details()["reason"], "unknown_tool");
    assert!(!error.details()["closest"].to_string().contains("shop"), "{error:?}");
}

#[tokio::test]
async fn a_tool_of_another_type_is_an_error() {
    let error = run(&shop(), "orders", "count", json!({})).await.unwrap_err();
    assert_eq!(error.kind(), AgentErrorKind::Validation);
    assert_eq!(error.details()["tool_type"], "database_query");
    // What the host says comes before the category; a tool without a type takes every request.
    let files = shop().tool_type("orders", ToolType::ApiCall);
    assert!(run(&files, "orders", "count", json!({})).await.unwrap().success());
    assert_eq!(called("weather", "weather", ToolType::RagRetrieval).await, "weather");
}

#[tokio::test]
async fn tools_and_toolkits_are_valid_ids() {
    for (id, expected) in
        [("orders", true), ("orders.count", true), ("weather", true), ("order", false), ("", false)]
    {
        assert_eq!(shop().validate_tool(id), expected, "{id}");
    }
}

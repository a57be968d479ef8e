//! Lists of tools: their order, their pages, their schemas, and what changes in them.

use serde_json::{Value, json};
use tool_runtime::mcp::{self, Icon};
use tool_runtime::prelude::*;

use super::Client;
use super::shop::{self, Orders};

async fn tools(client: &mut Client) -> Vec<Value> {
    let answer = client.request("tools/list", json!({})).await;
    answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("{answer}")).clone()
}

fn find<'t>(tools: &'t [Value], name: &str) -> &'t Value {
    tools.iter().find(|tool| tool["name"] == name).unwrap()
}

#[tokio::test]
async fn a_tool_is_listed_with_its_schemas_and_the_hints_of_its_effect() {
    for mut client in
        [Client::stateless(shop::server().0), Client::with_session(shop::server().0).await]
    {
        let tools = tools(&mut client).await;
        let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert!(names.is_sorted() && names.len() == 11, "{names:?}");
        let found = find(&tools, "find_articles");
        assert_eq!(found["title"], "Find articles");
        let limit = json!({
            "type": "integer", "minimum": 1, "maximum": 9, "default": 2,
            "description": "Most articles to return.",
        });
        assert_eq!(found["inputSchema"]["properties"]["limit"], limit);
        assert_eq!(found["annotations"]["readOnlyHint"], true);
        let order = find(&tools, "place_order");
        assert_eq!(order["annotations"]["readOnlyHint"], false);
        assert_eq!(order["annotations"]["destructiveHint"], false);
        assert!(!tools.iter().any(|tool| tool.to_string().contains("uint32")));
        client.end().await;
    }
}

/// A tool whose schemas have booleans as schemas, and are closed.
fn boolean_schema() -> DynamicTool {
    let inner = json!({"type": "object", "properties": {"c": true}, "additionalProperties": false});
    DynamicTool::new("boolean_schema", Effect::Read)
        .description("Takes anything as a.")
        .input_schema(json!({
            "type": "object",
            "properties": {"a": true, "b": {"type": "array", "items": inner}},
            "additionalProperties": false,
        }))
        .output_schema(json!({"type": "object", "properties": {"a": true}, "required": ["a"]}))
        .handler(|_| async { Ok::<_, Failure>(json!({"a": 1})) })
}

#[tokio::test]
async fn clients_read_objects_as_schemas_and_open_ones_where_the_host_wants_it() {
    for is_open in [false, true] {
        let runtime = Runtime::builder().dynamic(boolean_schema()).build().unwrap();
        let config = shop::config().open_schemas(is_open);
        let mut client = Client::with_session(mcp::stdio(runtime).config(config)).await;
        let tools = tools(&mut client).await;
        let listed = find(&tools, "boolean_schema");
        let properties = &listed["inputSchema"]["properties"];
        assert_eq!(properties["a"], json!({}), "{listed}");
        assert_eq!(properties["b"]["items"]["properties"]["c"], json!({}), "{listed}");
        assert_eq!(listed["outputSchema"]["properties"]["a"], json!({}), "{listed}");
        let closed = (!is_open).then_some(false);
        for schema in [&listed["inputSchema"], &properties["b"]["items"]] {
            assert_eq!(schema["additionalProperties"].as_bool(), closed, "{listed}");
        }
        let failed = client.call("boolean_schema", json!({"d": 1})).await;
        assert_eq!(failed["isError"], true, "an unknown argument is refused: {failed}");
        client.end().await;
    }
}

#[tokio::test]
async fn hints_follow_from_the_effect_of_a_tool() {
    let of = |name: &str, effect| {
        DynamicTool::new(name, effect)
            .description("Does a thing.")
            .input_schema(json!({"type": "object"}))
            .handles_dry_run()
            .handler(|_| async { Ok::<_, Failure>("done") })
    };
    let runtime = Runtime::builder()
        .dynamic(of("read", Effect::Read))
        .dynamic(of("write", Effect::Write))
        .dynamic(of("put", Effect::Write).idempotent(true).open_world(true))
        .dynamic(of("wipe", Effect::Destructive))
        .build()
        .unwrap();
    let mut client = Client::stateless(mcp::stdio(runtime));
    let tools = tools(&mut client).await;
    let expected = [
        ("put", [json!(false), json!(false), json!(true), json!(true)]),
        ("read", [json!(true), json!(false), json!(true), json!(false)]),
        ("wipe", [json!(false), json!(true), json!(false), json!(false)]),
        ("write", [json!(false), json!(false), json!(false), json!(false)]),
    ];
    for (tool, (name, hints)) in tools.iter().zip(expected) {
        let of = &tool["annotations"];
        let found = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
        assert_eq!((&tool["name"], found.map(|hint| of[hint].clone())), (&json!(name), hints));
    }
}

#[tokio::test]
async fn icons_of_the_server_and_of_a_tool_are_shown() {
    let icon = |name: &str| {
        Icon::new(format!("https://shop.example/{name}.png")).mime_type("image/png").size("48x48")
    };
    let shown = |name: &str| {
        let src = format!("https://shop.example/{name}.png");
        json!([{"src": src, "mimeType": "image/png", "sizes": ["48x48"]}])
    };
    let config = shop::config().icon(icon("shop")).tool_icon("greet", icon("hand"));
    let server = mcp::stdio(shop::runtime(&Orders::default())).config(config);
    let mut client = Client::stateless(server);
    let discovered = client.request("server/discover", json!({})).await;
    let tools = tools(&mut client).await;
    let meta = &discovered["result"]["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert_eq!(meta["icons"], shown("shop"), "{discovered}");
    assert_eq!(find(&tools, "greet")["icons"], shown("hand"));
    assert!(find(&tools, "draw").get("icons").is_none());
}

#[tokio::test]
async fn an_output_that_is_no_object_is_wrapped_for_clients_with_sessions_alone() {
    let mut old = Client::with_session(shop::server().0).await;
    let tools_of_old = tools(&mut old).await;
    for tool in &tools_of_old {
        assert!(tool.get("outputSchema").is_none_or(|schema| schema["type"] == "object"), "{tool}");
    }
    let wrapped = &find(&tools_of_old, "find_articles")["outputSchema"];
    let result = old.call("find_articles", json!({"query": "tea", "limit": 1})).await;
    let row = json!([{"id": 1, "name": "tea 1"}]);
    assert_eq!(result["structuredContent"], json!({"result": row}));
    assert!(jsonschema::is_valid(wrapped, &result["structuredContent"]), "{wrapped}");

    let mut new = Client::stateless(shop::server().0);
    let tools_of_new = tools(&mut new).await;
    assert_eq!(find(&tools_of_new, "find_articles")["outputSchema"]["type"], "array");
    let result = new.call("find_articles", json!({"query": "tea", "limit": 1})).await;
    assert_eq!(result["structuredContent"], row);
    assert_eq!(
        result["content"],
        json!([{"type": "text", "text": r#"[{"id":1,"name":"tea 1"}]"#}])
    );
}

#[tokio::test]
async fn pages_have_every_tool_once_and_a_foreign_cursor_is_refused() {
    let server = mcp::stdio(shop::runtime(&Orders::default())).config(shop::config().page_size(4));
    let mut client = Client::stateless(server);
    let (mut names, mut cursor) = (Vec::new(), None::<Value>);
    loop {
        let params = cursor.map_or(json!({}), |cursor| json!({"cursor": cursor}));
        let page = client.request("tools/list", params).await["result"].clone();
        let tools = page["tools"].as_array().unwrap();
        assert!(tools.len() <= 4);
        names.extend(tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()));
        assert_eq!((&page["ttlMs"], &page["cacheScope"]), (&json!(60_000), &json!("private")));
        cursor = page.get("nextCursor").cloned();
        if cursor.is_none() {
            break;
        }
    }
    assert!(names.is_sorted() && names.len() == 11, "{names:?}");
    let refused = client.request("tools/list", json!({"cursor": "page 2"})).await;
    assert_eq!(refused["error"]["code"], -32602);
}

#[tokio::test]
async fn prompts_and_resources_are_empty_lists_and_the_server_has_the_name_of_the_host() {
    let mut client = Client::stateless(shop::server().0);
    let discovered = client.request("server/discover", json!({})).await["result"].clone();
    assert!(discovered.to_string().contains(r#""name":"shop""#), "{discovered}");
    assert_eq!(discovered["instructions"], "Find articles first.");
    assert_eq!(client.request("prompts/list", json!({})).await["result"]["prompts"], json!([]));
    for (method, member) in
        [("resources/list", "resources"), ("resources/templates/list", "resourceTemplates")]
    {
        assert_eq!(client.request(method, json!({})).await["result"][member], json!([]));
    }
    let unknown = client.request("resources/read", json!({"uri": "file:///a"})).await;
    assert_eq!(unknown["error"]["data"]["uri"], "file:///a");
}

fn added(name: &'static str) -> DynamicTool {
    DynamicTool::new(name, Effect::Read)
        .description("Added later.")
        .input_schema(json!({"type": "object"}))
        .handler(|_| async { Ok::<_, Failure>(1) })
}

#[tokio::test]
async fn a_client_is_told_of_changes_of_the_tools() {
    let runtime = shop::runtime(&Orders::default());
    let mut old = Client::with_session(mcp::stdio(runtime.clone())).await;
    let mut new = Client::stateless(mcp::stdio(runtime.clone()));
    // The notification that opens the session has no answer: this request comes after it.
    tools(&mut old).await;
    let params = json!({"notifications": {"toolsListChanged": true}});
    let id = new.begin("subscriptions/listen", params).await;
    assert_eq!(new.read().await["method"], "notifications/subscriptions/acknowledged");
    runtime.tools().add(added("late")).unwrap();
    assert_eq!(old.read().await["method"], "notifications/tools/list_changed");
    let told = new.read().await;
    assert_eq!(told["method"], "notifications/tools/list_changed");
    assert_eq!(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], id);
    assert!(tools(&mut old).await.iter().any(|tool| tool["name"] == "late"));
    runtime.tools().disable("late", "not wanted any more");
    assert_eq!(old.read().await["method"], "notifications/tools/list_changed");
    assert!(!tools(&mut old).await.iter().any(|tool| tool["name"] == "late"));
}

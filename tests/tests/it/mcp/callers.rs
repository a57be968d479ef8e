//! Two callers of one router: neither confirms, resumes or reads the calls of the other.

use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};
use tool_runtime::http::{ApiKey, ApiKeySet, ApiKeys, Auth, HttpConfig, Principal, Scopes};
use tool_runtime::mcp::{self, McpConfig};
use tool_runtime::policy::Policy;
use tool_runtime::prelude::*;
use tool_runtime::store::MemoryStore;

use super::http::stateless;
use super::shop::{self, Orders};
use crate::http::send;

const TENANT: Uuid = Uuid::from_u128(7);

/// A router, and the keys of two services with the same scopes.
struct Callers {
    app: Router,
    keys: [String; 2],
    orders: Orders,
}

impl Callers {
    fn new(scopes: &str, four_eyes: bool, mcp: McpConfig) -> Self {
        let (orders, keys) = (Orders::default(), [(); 2].map(|()| ApiKey::generate().unwrap()));
        let set = keys.iter().zip(["one", "two"]).fold(ApiKeySet::new(), |set, (key, name)| {
            let caller = Principal::new(name).for_tenants([TENANT]);
            set.with(key.hash(), caller.with_scopes(scopes.parse::<Scopes>().unwrap())).unwrap()
        });
        let config = HttpConfig::new(Auth::new().api_keys(&ApiKeys::new(set)));
        let runtime = shop::builder(&orders).policy(Policy::new()).store(MemoryStore::new());
        let app = mcp::router(runtime.build().unwrap(), config.four_eyes(four_eyes).mcp(mcp));
        Self { app, keys: keys.map(|key| key.expose().to_owned()), orders }
    }

    /// Sends a request of a client that can show forms and has tasks; returns its answer.
    async fn request(&self, caller: usize, method: &str, mut params: Value) -> Value {
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({
            "elicitation": {}, "extensions": {"io.modelcontextprotocol/tasks": {}},
        });
        let mut request: Request<Body> = stateless(method, params);
        request.headers_mut().insert("x-internal-api-key", self.keys[caller].parse().unwrap());
        send(&self.app, request).await.json()
    }

    /// Calls a tool in a second round, with what the user has said.
    async fn retry(&self, caller: usize, tool: &str, state: &str, responses: Value) -> Value {
        let arguments = if tool == "place_order" { json!({"article": 5}) } else { json!({}) };
        let params = json!({
            "name": tool, "arguments": arguments,
            "requestState": state, "inputResponses": responses,
        });
        self.request(caller, "tools/call", params).await
    }

    async fn order(&self, caller: usize) -> Value {
        let call = json!({"name": "place_order", "arguments": {"article": 5}});
        self.request(caller, "tools/call", call).await["result"].clone()
    }

    fn orders(&self) -> u32 {
        self.orders.0.load(Ordering::SeqCst)
    }
}

fn accepted() -> Value {
    json!({"confirmation": {"action": "accept", "content": {}}})
}

#[tokio::test]
async fn a_caller_who_may_not_decide_about_its_calls_confirms_none_of_them() {
    for (scopes, four_eyes) in [("tools approvals", true), ("tools", false)] {
        let callers = Callers::new(scopes, four_eyes, shop::config());
        let waiting = callers.order(0).await;
        assert_eq!(waiting["isError"], true, "{waiting}");
        let ticket = &waiting["_meta"]["tool-runtime/audit"]["error"]["details"]["ticket"];
        assert!(ticket.is_object(), "{waiting}");
        let answer = callers.retry(0, "place_order", &ticket.to_string(), accepted()).await;
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        assert_eq!(callers.orders(), 0, "{scopes} {four_eyes}");
    }
}

#[tokio::test]
async fn a_question_to_one_caller_is_answered_by_no_other() {
    let callers = Callers::new("tools approvals", false, shop::config());
    let asked = callers.order(0).await;
    let ticket = asked["requestState"].as_str().unwrap_or_else(|| panic!("{asked}"));
    let foreign = callers.retry(1, "place_order", ticket, accepted()).await;
    assert_eq!(foreign["error"]["code"], -32602, "{foreign}");
    assert_eq!(callers.orders(), 0);
    let own = callers.retry(0, "place_order", ticket, accepted()).await;
    assert_eq!(own["result"]["content"][0]["text"], "5", "{own}");
    assert_eq!(callers.orders(), 1);

    let book = json!({"name": "book", "arguments": {}});
    let asked = callers.request(0, "tools/call", book).await["result"].clone();
    let guest = json!({"guest": {"action": "accept", "content": {"name": "Ada"}}});
    let state = asked["requestState"].as_str().unwrap_or_default();
    let second = callers.retry(0, "book", state, guest).await["result"].clone();
    let day = json!({"day": {"action": "accept", "content": {"day": "Monday"}}});
    let state = second["requestState"].as_str().unwrap_or_else(|| panic!("{second}"));
    let foreign = callers.retry(1, "book", state, day.clone()).await;
    assert_eq!(foreign["error"]["code"], -32602, "{foreign}");
    assert_eq!(callers.orders(), 1);
    let own = callers.retry(0, "book", state, day).await;
    assert_eq!(own["result"]["content"][0]["text"], r#""Ada" comes on "Monday""#, "{own}");
    assert_eq!(callers.orders(), 2);
}

#[tokio::test]
async fn a_running_task_is_read_answered_and_cancelled_by_its_caller_alone() {
    let config = shop::config().task("wait").task_after(Duration::ZERO);
    let callers = Callers::new("tools", true, config);
    let wait = json!({"name": "wait", "arguments": {}});
    let begun = callers.request(0, "tools/call", wait).await;
    let task = json!({"taskId": begun["result"]["taskId"], "inputResponses": {}});
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let foreign = callers.request(1, method, task.clone()).await;
        assert_eq!(foreign["error"]["code"], -32602, "{method}: {foreign}");
    }
    let own = callers.request(0, "tasks/get", task.clone()).await;
    assert_eq!(own["result"]["status"], "working", "{own}");
    let cancelled = callers.request(0, "tasks/cancel", task).await;
    assert_eq!(cancelled["result"]["resultType"], "complete", "{cancelled}");
}

//! Requests to a server whose host gives tenant, site and trace.

use axum::Router;
use serde_json::{Value, json};
use tool_runtime::contracts::server::Tenant;
use tool_runtime::http::{HttpConfig, Server, router};
use tool_runtime::prelude::*;

use super::wire::{Heard, Running};
use super::{get, open, send};

/// Adds two numbers.
#[ai_tool(effect = "read")]
async fn add(
    cx: &ToolContext,
    /// The first.
    a: i64,
    /// The second.
    b: i64,
) -> (i64, Option<String>) {
    (a + b, cx.site_id().map(str::to_owned))
}

fn api(config: HttpConfig) -> Router {
    router(Runtime::builder().tool::<AddTool>().build().unwrap(), config)
}

async fn serve(config: HttpConfig) -> Running {
    let drain = config.drain();
    let app = Router::new().nest("/api", api(config));
    Running::of(Server::new(app, drain.clone()), drain).await
}

/// Sends what curl sends for these headers and this body, over the network.
async fn curl(server: &Running, path: &str, headers: &[&str], body: &str) -> Heard {
    let all = ["user-agent: curl/8.5.0", "accept: */*", "content-type: application/json"];
    let lines = all.iter().chain(headers).map(|header| format!("{header}\r\n"));
    server.connect().await.post(path, &lines.collect::<String>(), body).await
}

fn json_of(answer: &Heard) -> Value {
    serde_json::from_str(&answer.body).expect("the answer is JSON")
}

/// A command of the guide: its path, its headers but for the body's type, and its body.
fn command(heading: &str) -> (&'static str, Vec<&'static str>, &'static str) {
    let guide = include_str!("../../../../tool-runtime/docs/http.md");
    let section = guide.split_once(heading).expect("the guide has it").1;
    let (_, command) = section.split_once("```sh\n").expect("a command");
    let command = command.split_once("```").expect("it ends").0;
    let path = command.split_once("localhost:8000").expect("a URL").1;
    let path = path.split_once(' ').expect("it ends").0;
    let headers = command.split("-H \"").skip(1).map(|it| it.split_once('"').expect("it ends").0);
    let headers = headers.filter(|header| !header.starts_with("Content-Type"));
    let body = command.split_once("-d '").expect("a body").1.split_once('\'').expect("it ends").0;
    (path, headers.collect(), body)
}

#[tokio::test]
async fn the_first_requests_of_the_guide_need_no_tenant_and_no_site() {
    let server = serve(open().without_tenants()).await;
    let (path, headers, body) = command("### `POST /tools/list`\n");
    assert!(headers.is_empty(), "{headers:?}");
    let list = curl(&server, path, &headers, body).await;
    assert_eq!((list.status, json_of(&list)["total"].clone()), (200, json!(1)), "{}", list.body);
    let (path, headers, body) = command("### `POST /tools/call`\n");
    let call = curl(&server, path, &headers, body).await;
    assert_eq!(json_of(&call)["output"], json!([42, "local"]), "{}", call.body);
}

#[tokio::test]
async fn a_request_without_a_trace_gets_a_new_one_that_its_answer_names() {
    let server = serve(open().without_tenants()).await;
    let body = r#"{"tool_name":"add","input":{"a":1,"b":2}}"#;
    let mut traces = Vec::new();
    for _ in 0..2 {
        let answer = json_of(&curl(&server, "/api/tools/call", &[], body).await);
        traces.push(answer["audit"]["trace_id"].as_str().expect("a trace").to_owned());
    }
    assert!(traces.iter().all(|trace| Uuid::parse_str(trace).is_ok()), "{traces:?}");
    assert_ne!(traces[0], traces[1]);
}

#[tokio::test]
async fn another_tenant_than_the_only_one_is_refused_by_name() {
    let config = open().single_tenant(Tenant::parse("yantian").unwrap());
    let server = serve(config.default_site("yantian-main").unwrap().new_trace_ids()).await;
    let body = r#"{"tool_name":"add","input":{"a":1,"b":2}}"#;
    let own = curl(&server, "/api/tools/call", &["x-tenant-id: yantian"], body).await;
    assert_eq!(json_of(&own)["output"], json!([3, "yantian-main"]), "{}", own.body);
    for path in ["/api/tools/call", "/api/tools/list"] {
        let body = if path.ends_with("list") { "{}" } else { body };
        let other = curl(&server, path, &["x-tenant-id: other"], body).await;
        assert!(other.body.contains("single_tenant"), "{}", other.body);
        let other = (other.status, json_of(&other));
        if path.ends_with("list") {
            let problems = &other.1["detail"]["details"]["problems"];
            assert_eq!(problems[0]["rule"], "single_tenant", "{}", other.1);
            assert_eq!(problems[0]["places"], json!(["X-Tenant-ID"]));
            assert_eq!(other.0, 400);
        }
        assert_eq!(other.1["success"], false);
    }
}

#[tokio::test]
async fn without_defaults_a_request_that_names_nothing_is_refused() {
    let server = serve(open()).await;
    let refused = curl(&server, "/api/tools/list", &[], "{}").await;
    let problems = json_of(&refused)["detail"]["details"]["problems"].clone();
    assert_eq!((refused.status, problems.as_array().map(Vec::len)), (400, Some(3)), "{problems}");
}

#[tokio::test]
async fn the_document_requires_the_headers_that_have_no_default() {
    let required = async |config: HttpConfig| {
        let document = send(&api(config), get("/openapi.json")).await.json();
        let parameters = &document["components"]["parameters"];
        ["X-Tenant-ID", "X-Site-ID"].map(|name| parameters[name]["required"] == json!(true))
    };
    assert_eq!(required(open()).await, [true, true]);
    assert_eq!(required(open().without_tenants()).await, [false, false]);
    let tenant = Tenant::parse("yantian").unwrap();
    assert_eq!(required(open().single_tenant(tenant)).await, [false, true]);
    assert_eq!(required(open().default_site("main").unwrap()).await, [true, false]);
}

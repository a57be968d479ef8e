//! Tools are found with all that a person needs to know of them.

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderValue, Request};
use serde_json::{Value, json};
use tool_runtime::http::{self, Auth, HttpConfig, Principal, Scopes};
use tool_runtime::prelude::*;

use super::{get, open, send};

/// Finds a tale.
#[ai_tool(effect = "read", title = "Find a tale")]
fn find_tale(
    /// A word of it.
    word: String,
) -> String {
    word
}

/// Forgets a tale.
#[ai_tool(effect = "destructive", ai_callable = false)]
fn forget_tale(
    dry_run: &DryRun,
    /** Its number. */
    number: u32,
) -> u32 {
    let _ = dry_run;
    number
}

/// Writes a tale down.
#[ai_tool(effect = "write", idempotent)]
fn write_tale(
    dry_run: &DryRun,
    /** The words. */
    words: String,
) -> String {
    let _ = dry_run;
    words
}

fn app(config: HttpConfig) -> Router {
    let runtime = Runtime::builder().tool::<FindTaleTool>().tool::<ForgetTaleTool>();
    http::router(runtime.tool::<WriteTaleTool>().build().expect("a runtime"), config)
}

async fn page(app: &Router, query: &str) -> Value {
    let answer = send(app, headed(get(&format!("/tools{query}")))).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()
}

fn headed(mut request: Request<Body>) -> Request<Body> {
    for (name, value) in [("x-tenant-id", "yantian"), ("x-site-id", "main"), ("x-trace-id", "t-1")]
    {
        request.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    request
}

fn names(page: &Value) -> Vec<&str> {
    let tools = page["tools"].as_array().expect("a list");
    tools.iter().map(|tool| tool["name"].as_str().expect("a name")).collect()
}

#[tokio::test]
async fn tools_are_found_by_name_effect_and_words_in_pages() {
    let app = app(open());
    assert_eq!(names(&page(&app, "").await), ["find_tale", "forget_tale", "write_tale"]);
    assert_eq!(names(&page(&app, "?effect=write").await), ["write_tale"]);
    assert_eq!(names(&page(&app, "?words=Tale+DOWN").await), ["write_tale"]);
    assert_eq!(names(&page(&app, "?name=find").await), [""; 0]);
    let first = page(&app, "?limit=2").await;
    assert_eq!(
        (names(&first), &first["next"]),
        (vec!["find_tale", "forget_tale"], &json!("forget_tale"))
    );
    let second = page(&app, "?limit=2&after=forget_tale").await;
    assert!(names(&second) == ["write_tale"] && second.get("next").is_none(), "{second}");
    let single = &page(&app, "?name=find_tale").await["tools"][0];
    assert_eq!(single["title"], "Find a tale");
    assert_eq!((&single["effect"], &single["idempotent"]), (&json!("read"), &json!(true)));
    assert_eq!(single["input_schema"]["required"], json!(["word"]));
    let refused = send(&app, headed(get("/tools?effect=all"))).await;
    assert_eq!(refused.status, 422, "{}", refused.text);
}

#[tokio::test]
async fn a_caller_finds_the_tools_that_it_may_call() {
    let config = |scopes: &str| {
        let scopes: Scopes = scopes.parse().expect("scopes");
        let caller = Principal::new("caller").for_every_tenant().with_scopes(scopes);
        HttpConfig::new(Auth::unauthenticated_as(caller))
    };
    assert_eq!(names(&page(&app(config("tools")), "").await), ["find_tale", "write_tale"]);
    assert_eq!(names(&page(&app(config("tools:find_tale traces")), "").await), ["find_tale"]);
    assert_eq!(names(&page(&app(config("traces")), "?name=find_tale").await), [""; 0]);
}

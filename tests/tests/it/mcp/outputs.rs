//! Answers that are longer than a model may read: their first part, and the pages of the rest.

use serde_json::{Value, json};
use tool_runtime::http::{ApiKey, ApiKeySet, ApiKeys, Auth, HttpConfig, Principal, Scopes};
use tool_runtime::mcp::{self, Stdio};
use tool_runtime::policy::{Policy, ToolPolicy};
use tool_runtime::prelude::*;

use super::http::{keyed, stateless};
use super::{Client, shop};
use crate::http::send;

/// The text of a long answer.
fn poem() -> String {
    let line = |n| format!("{n}: \"tea\" \\ \u{8336} \u{1f375}\t\u{1}\n");
    (0..9_000).map(line).collect()
}

/// Recites.
#[ai_tool(effect = "read")]
fn recite() -> String {
    poem()
}

/// A page of a site.
#[ai_type]
struct SitePage {
    /// The address.
    url: String,
    /// The text.
    body: String,
}

/// Fetches a page.
#[ai_tool(effect = "read")]
fn fetch_page() -> SitePage {
    SitePage { url: "https://shop.example/".to_owned(), body: poem() }
}

/// Lists numbers.
#[ai_tool(effect = "read")]
fn numbers() -> Vec<u32> {
    (0..1_000).collect()
}

fn server() -> Stdio {
    mcp::stdio(runtime()).config(shop::config())
}

fn runtime() -> Runtime {
    let rules = ToolPolicy::new().max_output_bytes(1_000);
    let runtime = Runtime::builder().tool::<ReciteTool>().tool::<FetchPageTool>();
    let runtime = runtime.tool::<NumbersTool>().policy(Policy::new().rules(rules));
    runtime.build().unwrap()
}

/// Reads the pages from an address to the end.
async fn read(client: &mut Client, uri: &str) -> String {
    let (mut text, mut next) = (String::new(), Some(uri.to_owned()));
    while let Some(uri) = next {
        let answer = client.request("resources/read", json!({"uri": uri})).await;
        let [page] = answer["result"]["contents"].as_array().expect("contents").as_slice() else {
            panic!("{answer}")
        };
        assert_eq!((&page["uri"], &page["mimeType"]), (&json!(uri), &json!("text/plain")));
        let part = page["text"].as_str().unwrap();
        assert!(part.len() <= 64 * 1024 && !part.is_empty(), "{} bytes", part.len());
        text.push_str(part);
        next = page["_meta"]["tool-runtime/next"].as_str().map(str::to_owned);
    }
    text
}

/// Returns the text of a result, and the address of the link beside it.
#[track_caller]
fn text_and_link(result: &Value) -> (&str, &str) {
    assert_eq!(result["isError"], false, "{result}");
    let [text, link] = result["content"].as_array().unwrap().as_slice() else { panic!("{result}") };
    assert_eq!((&text["type"], &link["type"]), (&json!("text"), &json!("resource_link")));
    (text["text"].as_str().unwrap(), link["uri"].as_str().unwrap())
}

#[tokio::test]
async fn a_long_text_begins_in_the_result_and_goes_on_as_a_resource() {
    for mut client in [Client::stateless(server()), Client::with_session(server()).await] {
        let result = client.call("recite", json!({})).await;
        let (text, link) = text_and_link(&result);
        let (first, _) =
            text.split_once("\n\nthis is an excerpt").unwrap_or_else(|| panic!("{text}"));
        assert!(first.len() > 600 && poem().starts_with(first), "{text}");
        assert!(text.contains(link) && text.contains("this is an excerpt"), "{text}");
        assert_eq!(format!("{first}{}", read(&mut client, link).await), poem());
        client.end().await;
    }
}

#[tokio::test]
async fn an_object_with_a_long_text_is_read_the_same_way() {
    let mut client = Client::stateless(server());
    let result = client.call("fetch_page", json!({})).await;
    let (text, link) = text_and_link(&result);
    let (first, _) = text.split_once("\n\nthis is an excerpt").unwrap_or_else(|| panic!("{text}"));
    assert!(first.starts_with(r#"{"url":"https://shop.example/","body":"0: \"tea\""#), "{text}");
    let whole = format!("{first}{}", read(&mut client, link).await);
    let page: SitePage = serde_json::from_str(&whole).unwrap();
    assert_eq!(page.body, poem());
    // A program reads the whole at once.
    assert_eq!(result["structuredContent"]["body"], poem());
}

#[tokio::test]
async fn the_resource_of_an_excerpt_of_rows_is_the_whole_answer() {
    let mut client = Client::stateless(server());
    let result = client.call("numbers", json!({})).await;
    let (_, link) = text_and_link(&result);
    let whole: Vec<u32> = serde_json::from_str(&read(&mut client, link).await).unwrap();
    assert_eq!(whole, numbers());
}

#[tokio::test]
async fn the_rest_of_a_long_text_is_its_callers_alone_over_http() {
    let (one, other) = (ApiKey::generate().unwrap(), ApiKey::generate().unwrap());
    let caller = |name| {
        let tenant = Uuid::from_u128(7);
        Principal::new(name).for_tenants([tenant]).with_scopes("tools".parse::<Scopes>().unwrap())
    };
    let keys = ApiKeySet::new().with(one.hash(), caller("one")).unwrap();
    let keys = keys.with(other.hash(), caller("other")).unwrap();
    let config = HttpConfig::new(Auth::new().api_keys(&ApiKeys::new(keys)));
    let app = mcp::router(runtime(), config.mcp(shop::config()));
    let recite = stateless("tools/call", json!({"name": "recite", "arguments": {}}));
    let recited = send(&app, keyed(recite, one.expose())).await.json();
    let (text, link) = text_and_link(&recited["result"]);
    let (first, _) = text.split_once("\n\nthis is an excerpt").unwrap_or_else(|| panic!("{text}"));
    let read =
        |key: &ApiKey| keyed(stateless("resources/read", json!({"uri": link})), key.expose());
    let page = send(&app, read(&one)).await.json();
    let rest = page["result"]["contents"][0]["text"].as_str().unwrap_or_else(|| panic!("{page}"));
    assert!(!rest.is_empty() && poem().starts_with(&format!("{first}{rest}")), "{page}");
    let refused = send(&app, read(&other)).await;
    assert!(refused.json()["error"]["code"].is_i64(), "{refused:?}");
    assert!(!refused.text.contains("tea"), "{refused:?}");
}

#[tokio::test]
async fn an_answer_that_the_caller_does_not_have_is_no_resource() {
    let mut client = Client::stateless(server());
    for uri in [
        "output:///out_0198c0de00007000800000000000abcd",
        "output:///out_0198c0de00007000800000000000abcd?offset=7",
        "output:///",
        "file:///etc/hosts",
    ] {
        let answer = client.request("resources/read", json!({"uri": uri})).await;
        assert!(answer["error"]["code"].is_i64(), "{uri}: {answer}");
    }
}

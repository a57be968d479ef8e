//! Lists of tools, and what is asked of them.

use serde_json::{Value, json};
use tool_contracts::{
    Effect, ToolSpec, ToolkitSpec,
    server::{ListRequest, ListResponse, ToolListing},
};

fn spec() -> ToolSpec {
    ToolSpec::builder("get_npc_profile", Effect::Read)
        .version("1.0.0")
        .description("Gives a profile.")
        .category("npc")
        .output_schema(json!({"type": "object"}))
        .ai_callable(false)
        .build()
        .unwrap()
}

#[test]
fn a_listing_says_of_a_tool_what_a_caller_needs() {
    let listing = ToolListing::from(&spec());
    let written = serde_json::to_value(&listing).unwrap();
    assert_eq!(
        written,
        json!({
            "name": "get_npc_profile",
            "version": "1.0.0",
            "description": "Gives a profile.",
            "category": "npc",
            "input_schema": {"type": "object"},
            "output_schema": {"type": "object"},
            "requires_auth": true,
            "ai_callable": false,
        }),
    );
}

#[test]
fn a_listing_names_the_toolkit_of_a_tool() {
    let toolkit = ToolkitSpec::new("npc", "Knows the characters.").unwrap();
    let spec = ToolSpec::builder("npc.profile", Effect::Read).toolkit(toolkit).build().unwrap();
    let written = serde_json::to_value(ToolListing::from(&spec)).unwrap();
    assert_eq!(written["toolkit"], json!({"name": "npc", "description": "Knows the characters."}));
    let listing: ToolListing = serde_json::from_value(written.clone()).unwrap();
    assert_eq!(listing.toolkit(), spec.toolkit());
    let mut broken = written;
    broken["name"] = json!("profile");
    let error = serde_json::from_value::<ToolListing>(broken).unwrap_err().to_string();
    assert!(error.starts_with("`toolkit`: "), "{error}");
}

#[test]
fn a_listing_is_held_to_the_rules_of_a_tool() {
    let listing = serde_json::to_value(ToolListing::from(&spec())).unwrap();
    for (field, value) in
        [("name", json!("two words")), ("version", json!("")), ("effect", json!("read"))]
    {
        let mut broken = listing.clone();
        broken[field] = value;
        let error = serde_json::from_value::<ToolListing>(broken).unwrap_err().to_string();
        assert!(error.starts_with(&format!("`{field}`: ")), "{error}");
    }
}

#[test]
fn the_total_is_how_many_they_are() {
    let list = ListResponse::new([ToolListing::from(&spec())]);
    assert_eq!((list.total(), list.tools().len()), (1, 1));
    let mut broken = serde_json::to_value(&list).unwrap();
    broken["total"] = json!(6);
    let error = serde_json::from_value::<ListResponse>(broken).unwrap_err().to_string();
    assert!(error.starts_with("`total`: expected the number of `tools`"), "{error}");
}

#[test]
fn the_published_requests_are_read() {
    let read = |body| serde_json::from_str::<ListRequest>(body).unwrap();
    assert_eq!(read(r#"{"category": null, "ai_callable_only": true}"#), ListRequest::new());
    assert_eq!(read(r#"{"ai_callable_only": true}"#), ListRequest::default());
    assert_eq!(read("{}"), ListRequest::new());
    let body = r#"{"category":"npc","ai_callable_only":false}"#;
    assert_eq!(read(body), ListRequest::new().with_category("npc").with_ai_callable_only(false));
}

#[test]
fn a_request_admits_its_category_and_what_a_model_may_call() {
    let asked = |request: Value| serde_json::from_value::<ListRequest>(request).unwrap();
    let admits = |request| asked(request).admits(&spec());
    assert!(admits(json!({"ai_callable_only": false})));
    assert!(admits(json!({"ai_callable_only": false, "category": "npc"})));
    assert!(!admits(json!({"ai_callable_only": false, "category": "content"})));
    assert!(!admits(json!({})), "no model may call it");
}

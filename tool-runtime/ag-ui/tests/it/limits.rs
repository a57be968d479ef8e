//! The limits of what a client sends.

use serde_json::{Value, json};
use tool_runtime::ag_ui::AgUiLimits;

use super::support::{Fixture, payment};

#[tokio::test]
async fn a_request_is_authenticated_before_its_body_is_read() {
    let fixture = Fixture::new();
    assert_eq!(fixture.post(None, "not json".to_owned()).await.0, 401);
    let (status, body) = fixture.post(Some("jane"), "not json".to_owned()).await;
    assert_eq!(status, 400);
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(body["error"]["code"], "invalid_input");
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused() {
    let fixture = Fixture::with_limits(AgUiLimits::new().with_max_bytes(1_000));
    let (status, body) = fixture.post(Some("jane"), " ".repeat(1_001)).await;
    assert_eq!(status, 413, "{body}");
}

#[tokio::test]
async fn a_caller_that_leaves_cuts_off_no_write() {
    let mut fixture = Fixture::new();
    let events = fixture.ask(json!([{"calls": [payment("p1")]}, "paid"])).await;
    let approved = super::support::resolved(&events.interrupts()[0], json!({"approved": true}));
    let body = fixture.input(json!([approved])).to_string();
    let request = axum::http::Request::post("/agent")
        .header("content-type", "application/json")
        .header("user", "jane")
        .body(axum::body::Body::from(body))
        .unwrap();
    let response = tower::ServiceExt::oneshot(fixture.router.clone(), request).await.unwrap();
    drop(response);
    fixture.ag_ui.idle().await;
    assert_eq!(fixture.paid.times("p1"), 1);
}

//! The answers to requests, and the requests' values as a tool sees them.

use serde_json::json;

use super::*;

#[tokio::test]
async fn an_answer_carries_its_data_its_freshness_and_its_warnings() {
    let runtime = runtime(&Log::default());
    let response = runtime.handle(request(), "find_seat", r#"{"seat":"7A"}"#).await;
    assert_eq!(
        wire(&response),
        json!({
            "ok": true, "data": "7A", "warnings": ["the plan is from yesterday"], "ttl_seconds": 60,
        })
    );
}

#[tokio::test]
async fn a_tools_own_code_stands_in_the_details_of_a_closed_one() {
    let runtime = runtime(&Log::default());
    let response = runtime.handle(request(), "find_seat", r#"{"seat":"taken"}"#).await;
    assert_eq!((code(&response), response.is_ok()), ("UNAVAILABLE", false));
    let error = response.error().unwrap();
    assert_eq!((error.tool_code(), error.message()), (Some("SEAT_TAKEN"), "seat taken is taken"));
    let details = details(&response);
    assert_eq!((&details["seat"], &details["retry_after_ms"]), (&json!("taken"), &json!(2_000)));
    let response = runtime.handle(request(), "find_seat", r#"{"seat":"none"}"#).await;
    assert_eq!((code(&response), response.error().unwrap().tool_code()), ("OUT_OF_STOCK", None));
}

#[tokio::test]
async fn a_bad_request_is_answered_with_every_violation_and_runs_nothing() {
    let log = Log::default();
    let runtime = runtime(&log);
    let response = runtime.handle(request(), "book_seat", r#"{"seet":1,"row":2}"#).await;
    assert_eq!(code(&response), "INVALID_ARGUMENT");
    assert_eq!(details(&response)["violations"].as_array().map(Vec::len), Some(3));
    let response = runtime.handle(request(), "book_set", "{}").await;
    assert_eq!(code(&response), "NOT_FOUND");
    let response = runtime.handle(request(), "book_seat", "{").await;
    assert_eq!(code(&response), "INVALID_ARGUMENT");
    assert_eq!(log.all(), ["book_seat rejected", "book_set rejected", "book_seat rejected"]);
}

#[tokio::test]
async fn a_tool_sees_the_request_and_a_run_of_its_own() {
    let runtime = runtime(&Log::default());
    let request = asks().currency("EUR").build().unwrap();
    let first = wire(&runtime.handle(request.clone(), "tell", "{}").await)["data"].clone();
    let second = wire(&runtime.handle(request, "tell", "{}").await)["data"].clone();
    let run = first["run"].as_str().unwrap();
    assert!(run.strip_prefix("run_").is_some_and(|id| Uuid::parse_str(id).is_ok()), "{run}");
    assert_ne!(first["run"], second["run"]);
    assert_eq!(
        first,
        json!({
            "tenant": TENANT, "request": "req-7", "trace": "req-7", "run": run, "user": "u_123",
            "currency": "EUR", "dry_run": false,
        })
    );
}

#[tokio::test]
async fn the_tenant_is_the_hosts_to_say() {
    let other = Uuid::from_u128(8);
    let runtime = runtime(&Log::default());
    let response = runtime.handle_for(other, request(), "tell", "{}").await;
    assert_eq!(wire(&response)["data"]["tenant"], json!(other));
    let without_tenant = Runtime::builder().tool::<TellTool>().build().unwrap();
    let response = without_tenant.handle(request(), "tell", "{}").await;
    assert_eq!(wire(&response)["data"]["tenant"], json!(Uuid::nil()));
}

#[tokio::test]
async fn arguments_come_in_whatever_form_the_host_has_them() {
    let runtime = runtime(&Log::default());
    let response = runtime.handle(request(), "find_seat", json!({"seat": "7A"})).await;
    assert_eq!(response.data().map(|data| data.get()), Some(r#""7A""#));
}

#[tokio::test]
async fn a_request_that_is_dropped_is_interrupted() {
    let log = Log::default();
    let runtime = runtime(&log);
    let mut handled = Box::pin(runtime.handle(request(), "wait", "{}"));
    assert!(futures::poll!(&mut handled).is_pending());
    assert!(log.all().is_empty());
    drop(handled);
    assert_eq!(log.all(), ["wait interrupted"]);
    drop(runtime.handle(request(), "wait", "{}"));
    assert_eq!(log.all().len(), 1, "what was never polled was no call");
}

#[tokio::test]
async fn requests_are_handled_on_any_thread() {
    let runtime = runtime(&Log::default());
    let handled = async move { runtime.handle(request(), "find_seat", r#"{"seat":"7A"}"#).await };
    assert!(tokio::spawn(handled).await.unwrap().is_ok());
}

//! Dry runs, approval and keys of requests.

use tool_runtime::policy::{KeyRing, Ticket};
use tool_runtime::store::MemoryStore;

use super::*;

const BOOK: &str = r#"{"seat":"7A","pin":"correct-horse-battery"}"#;

#[tokio::test]
async fn a_dry_run_shows_what_would_happen() {
    let log = Log::default();
    let request = asks().dry_run(true).build().unwrap();
    let response = runtime(&log).handle(request, "book_seat", BOOK).await;
    assert_eq!(
        wire(&response),
        json!({"ok": true, "data": "would book 7A", "warnings": [], "meta": {"dry_run": true}})
    );
    assert_eq!(log.all(), ["book_seat executed"]);
}

#[tokio::test]
async fn a_repeat_under_one_key_gets_the_first_answer() {
    let log = Log::default();
    let runtime = runtime(&log);
    let keyed = asks().idempotency_key("key-1").build().unwrap();
    let first = runtime.handle(keyed.clone(), "book_seat", BOOK).await;
    let again = runtime.handle(keyed.clone(), "book_seat", BOOK).await;
    assert_eq!(wire(&first), json!({"ok": true, "data": "booked 7A", "warnings": []}));
    assert_eq!(
        wire(&again),
        json!({"ok": true, "data": "booked 7A", "warnings": [], "meta": {"replayed": true}})
    );
    let other = runtime.handle(keyed.clone(), "book_seat", r#"{"seat":"8B"}"#).await;
    assert_eq!(code(&other), "INVALID_ARGUMENT");
    let tenant = runtime.handle_for(Uuid::from_u128(8), keyed, "book_seat", BOOK).await;
    assert_eq!(wire(&tenant)["data"], "booked 7A", "another tenant's key is another key");
    assert_eq!(log.all().iter().filter(|entry| *entry == "booked 7A").count(), 2);
}

#[tokio::test]
async fn a_call_that_has_to_be_approved_is_answered_with_its_ticket() {
    let log = Log::default();
    let policy = Policy::new().store(MemoryStore::new());
    let policy = policy.ticket_keys(KeyRing::new("k", &[1; 32]).unwrap());
    let runtime = builder(&log).policy(policy).build().unwrap();
    let response = runtime.handle(request(), "book_seat", BOOK).await;
    assert_eq!(code(&response), "NEEDS_USER_CONFIRMATION");
    assert!(!wire(&response).to_string().contains(SECRET));
    let ticket = details(&response)["ticket"].to_string().parse::<Ticket>().unwrap().to_json();

    let mut call = runtime.tickets().resume(&ticket, &request().into_context(TENANT)).await;
    call.approve("boss").unwrap();
    let approved = call.execute().await.clone().into_envelope();
    assert_eq!(approved.data().map(|data| data.get()), Some(r#""booked 7A""#));
}

#[tokio::test]
async fn a_ticket_of_another_tenants_request_is_refused() {
    let log = Log::default();
    let runtime = builder(&log).policy(Policy::new()).build().unwrap();
    let response = runtime.handle(request(), "book_seat", BOOK).await;
    let ticket = details(&response)["ticket"].to_string().parse::<Ticket>().unwrap().to_json();
    let mut call =
        runtime.tickets().resume(&ticket, &request().into_context(Uuid::from_u128(8))).await;
    let _ = call.approve("boss");
    assert_eq!(code(&call.execute().await.clone().into_envelope()), "FORBIDDEN");
    assert!(!log.all().iter().any(|entry| entry == "booked 7A"));
}

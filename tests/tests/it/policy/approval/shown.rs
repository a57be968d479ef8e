//! The answer of a tool's preview function, as approvers see it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};
use tool_runtime::RuntimeBuilder;
use tool_runtime::policy::{Decision, Policy};
use tool_runtime::prelude::*;

use super::fixture::{EventLog, Fixture, SECRET, TENANT, approver, code, jane};

/// The stock.
#[derive(Clone, Default)]
struct Stock(Arc<AtomicU32>);

/// The error of an order.
#[derive(Debug, ToolFailure)]
enum OrderError {
    /// There is nothing.
    #[failure(OUT_OF_STOCK, message = "there is nothing left")]
    Nothing,
}

/// Orders tea.
#[ai_tool(effect = "write", version = "1.0.0", timeout = "2s", preview = show_order)]
async fn order(
    stock: &Stock,
    notes: &EventLog,
    /// The packets.
    count: u32,
    /// The word that opens the till.
    #[arg(default, secret)]
    pin: String,
) -> Result<u32, OrderError> {
    let _ = (stock, pin);
    notes.record(format!("ordered {count}"));
    Ok(count)
}

async fn show_order(
    stock: &Stock,
    notes: &EventLog,
    count: u32,
    pin: String,
) -> Result<Value, OrderError> {
    let _ = notes;
    match (count, stock.0.load(Ordering::SeqCst)) {
        (_, 0) => Err(OrderError::Nothing),
        (13, _) => panic!("the preview is broken"),
        (14, _) => std::future::pending().await,
        (_, there) => Ok(json!({"of": there, "order": count, "pin": pin})),
    }
}

fn fixture(policy: Policy, there: u32) -> (Fixture, Stock) {
    let stock = Stock(Arc::new(AtomicU32::new(there)));
    let state = stock.clone();
    (Fixture::with(policy, |builder| builder.tool::<OrderTool>().state(state)), stock)
}

fn arguments(count: u32) -> String {
    json!({"count": count, "pin": SECRET}).to_string()
}

#[tokio::test]
async fn an_approver_is_shown_the_answer_of_the_preview_function_without_secrets() {
    let boss = approver(|request| Decision::approve(request.preview().to_string()));
    let (fixture, _) = fixture(Policy::new().approver(boss), 5);
    assert!(fixture.answer("order", &arguments(2)).await.is_ok());
    let shown = fixture.closed.last().approver.unwrap();
    assert!(shown.contains(r#": {"of":5,"order":2,"pin":"#), "{shown}");
    assert!(!shown.contains(SECRET), "{shown}");
    assert_eq!(fixture.notes.all(), ["ordered 2"]);
}

#[tokio::test]
async fn a_ticket_keeps_what_its_approver_is_shown_and_the_call_needs_no_second_preview() {
    let (fixture, stock) = fixture(Policy::new(), 5);
    let ticket = fixture.ticket("order", &arguments(2)).await;
    stock.0.store(9, Ordering::SeqCst);
    let waiting = fixture.runtime.tickets().waiting(TENANT, None, 9).await.unwrap().calls;
    let shown: Value = serde_json::from_str(waiting[0].preview().unwrap()).unwrap();
    assert_eq!((&shown["of"], &shown["order"]), (&json!(5), &json!(2)));
    assert!(!shown.to_string().contains(SECRET), "{shown}");
    assert!(waiting[0].preview_failure().is_none());
    let call = fixture.runtime.tickets().resume(&ticket, &jane()).await;
    assert_eq!(call.preview().answer(), waiting[0].preview());
    assert!(fixture.approved(&ticket).await.is_ok());
    assert_eq!(fixture.notes.all(), ["ordered 2"]);
}

#[tokio::test(start_paused = true)]
async fn a_preview_that_fails_is_shown_as_such_and_its_call_does_not_run() {
    for (count, there, expected) in
        [(2, 0, "OUT_OF_STOCK"), (13, 5, "INTERNAL"), (14, 5, "TIMEOUT")]
    {
        let boss = approver(|request| {
            assert!(request.preview().to_string().contains(": the preview failed: "));
            assert!(request.preview().answer().is_none());
            Decision::approve("boss")
        });
        let (asked, _) = fixture(Policy::new().approver(boss), there);
        assert_eq!(code(&asked.answer("order", &arguments(count)).await), expected);
        assert_eq!(asked.closed.last().status, CallStatus::NotExecuted);

        let (kept, _) = fixture(Policy::new(), there);
        let ticket = kept.ticket("order", &arguments(count)).await;
        let waiting = kept.runtime.tickets().waiting(TENANT, None, 9).await.unwrap().calls;
        assert_eq!(waiting[0].preview_failure().and_then(|error| error.code()), Some(expected));
        assert_eq!(code(&kept.approved(&ticket).await), expected);
        assert!(asked.notes.is_empty() && kept.notes.is_empty(), "{expected}");
    }
}

#[tokio::test]
async fn a_failed_preview_can_be_made_again_and_edited_arguments_have_none() {
    let (fixture, stock) = fixture(Policy::new(), 0);
    let mut call = fixture.runtime.call("order", arguments(2), &jane());
    assert!(call.preview().answer().is_none() && call.preview().failure().is_none());
    assert_eq!(call.load_preview().await.failure().unwrap().code(), Some("OUT_OF_STOCK"));
    stock.0.store(5, Ordering::SeqCst);
    assert!(call.load_preview().await.answer().is_some());
    call.approve_edited("boss", arguments(3)).unwrap();
    assert!(call.preview().answer().is_none());
    assert!(call.execute().await.is_ok());
    assert_eq!(fixture.notes.all(), ["ordered 3"]);
}

#[tokio::test]
async fn a_failed_preview_hides_no_answer_of_an_earlier_run() {
    let boss = approver(|_| Decision::approve("boss"));
    let (fixture, stock) = fixture(Policy::new().approver(boss), 5);
    let cx = jane().with_idempotency_key("order-1").unwrap();
    let first = fixture.runtime.call("order", arguments(2), &cx).execute().await.clone();
    assert!(first.is_ok(), "{first}");
    stock.0.store(0, Ordering::SeqCst);
    let mut again = fixture.runtime.call("order", arguments(2), &cx);
    assert!(again.load_preview().await.failure().is_some());
    let again = again.execute().await;
    assert!(again.meta_json().contains(r#""replayed":true"#), "{again}");
    assert_eq!(again.data_json(), first.data_json());
    assert_eq!(fixture.notes.all(), ["ordered 2"]);
}

#[tokio::test]
async fn arguments_that_are_only_written_otherwise_are_no_edit() {
    let (fixture, _) = fixture(Policy::new(), 0);
    let mut call = fixture.runtime.call("order", arguments(2), &jane());
    assert!(call.load_preview().await.failure().is_some());
    let rewritten = format!(r#"{{ "pin": "{SECRET}", "count" : 2 }}"#);
    call.approve_edited("boss", rewritten).unwrap();
    assert_eq!(code(call.execute().await), "OUT_OF_STOCK");
    assert!(fixture.notes.is_empty());
}

/// Opens the safe.
#[ai_tool(effect = "write", version = "1.0.0", preview = show_safe)]
async fn open_safe(
    /// The digits.
    #[arg(secret)]
    digits: u64,
    /// The word.
    #[arg(secret)]
    word: String,
) -> bool {
    digits > 0 && !word.is_empty()
}

async fn show_safe(digits: u64, word: String) -> Value {
    json!({"digits": digits, word: "right", "amount": 12_345_678_901_234_567_890_u64})
}

#[tokio::test]
async fn numbers_and_names_of_a_preview_are_masked_and_the_others_keep_their_digits() {
    let fixture = Fixture::with(Policy::new(), RuntimeBuilder::tool::<OpenSafeTool>);
    let arguments = format!(r#"{{"digits":471100238857,"word":"{SECRET}"}}"#);
    let mut call = fixture.runtime.call("open_safe", arguments, &jane());
    let shown = call.load_preview().await.answer().unwrap().to_owned();
    assert!(!shown.contains("471100238857") && !shown.contains(SECRET), "{shown}");
    assert!(shown.contains("12345678901234567890"), "{shown}");
    assert!(serde_json::from_str::<Value>(&shown).is_ok(), "{shown}");
}

//! Waiting calls as interrupts, and who may answer them.

use async_trait::async_trait;
use serde_json::{Value, json};
use tool_runtime::ag_ui::{RunStore, ThreadKey};
use tool_runtime::prelude::*;
use tool_runtime::store::{StoreError, StoreErrorKind};

use super::support::{Fixture, SECRET, payment, resolved};

async fn waiting(ids: &[&str]) -> (Fixture, Vec<Value>) {
    let mut fixture = Fixture::new();
    let calls: Vec<_> = ids.iter().map(|id| payment(id)).collect();
    let events = fixture.ask(json!([{"text": "I pay.", "calls": calls}, "paid"])).await;
    let interrupts = events.interrupts();
    assert_eq!(interrupts.len(), ids.len());
    (fixture, interrupts)
}

#[tokio::test]
async fn a_waiting_call_is_an_interrupt_with_what_a_person_needs() {
    let (_, interrupts) = waiting(&["p1"]).await;
    let interrupt = &interrupts[0];
    assert_eq!(interrupt["reason"], "tool_call");
    assert_eq!(interrupt["metadata"]["arguments"], json!({"id": "p1", "card": "***"}));
    assert_eq!(interrupt["metadata"]["effect"], "write");
    assert!(interrupt["message"].as_str().unwrap().contains("pay (write)"), "{interrupt}");
    assert!(interrupt["expiresAt"].as_str().unwrap().ends_with('Z'));
    assert_eq!(interrupt["responseSchema"]["required"], json!(["approved"]));
}

#[tokio::test]
async fn an_approved_call_runs_once_and_the_run_continues() {
    let (mut fixture, interrupts) = waiting(&["p1"]).await;
    assert_eq!(fixture.paid.times("p1"), 0);
    let resume = json!([resolved(&interrupts[0], json!({"approved": true}))]);
    let events = fixture.send(resume.clone()).await;
    assert_eq!((fixture.paid.times("p1"), events.text().as_str()), (1, "paid"));
    let result = events.with_type("TOOL_CALL_RESULT").next().unwrap();
    assert_eq!(result["toolCallId"], interrupts[0]["toolCallId"]);
    assert_eq!(result["content"], r#""paid p1 with 9 digits""#);

    // The same answer again finds nothing that waits.
    let again = fixture.send(resume).await;
    assert_eq!(
        (again.last()["code"].as_str(), fixture.paid.times("p1")),
        (Some("unknown_interrupt"), 1)
    );
}

#[tokio::test]
async fn a_declined_call_does_not_run_and_the_model_reads_the_feedback() {
    let (mut fixture, interrupts) = waiting(&["p1", "p2"]).await;
    let declined = json!({"approved": false, "feedback": "too much"});
    let resume = json!([
        resolved(&interrupts[1], declined),
        resolved(&interrupts[0], json!({"approved": true}))
    ]);
    let events = fixture.send(resume).await;
    assert_eq!((fixture.paid.times("p1"), fixture.paid.times("p2")), (1, 0));
    let results: Vec<_> =
        events.with_type("TOOL_CALL_RESULT").map(|it| it["content"].as_str().unwrap()).collect();
    assert!(results[0].contains("paid p1") && results[1].contains("too much"), "{results:?}");
}

#[tokio::test]
async fn an_edited_call_runs_with_the_edited_arguments() {
    let (mut fixture, interrupts) = waiting(&["p1"]).await;
    let misspelt = json!({"approved": true, "editedArguments": {"id": "p2", "card": "***"}});
    let refused = fixture.send(json!([resolved(&interrupts[0], misspelt)])).await;
    assert_eq!(refused.last()["code"], "invalid_resume");
    let invalid = json!({"approved": true, "editedArgs": {"id": 7}});
    let refused = fixture.send(json!([resolved(&interrupts[0], invalid)])).await;
    assert_eq!(refused.last()["code"], "invalid_resume");
    assert_eq!(fixture.paid.times("p1"), 0);
    let edited = json!({"approved": true, "editedArgs": {"id": "p2", "card": "***"}});
    fixture.send(json!([resolved(&interrupts[0], edited)])).await;
    assert_eq!((fixture.paid.times("p1"), fixture.paid.times("p2")), (0, 1));
}

#[tokio::test]
async fn a_caller_that_is_no_approver_approves_nothing_by_holding_the_ticket() {
    let (mut fixture, interrupts) = waiting(&["p1"]).await;
    for payload in [json!({"approved": true}), json!({"approved": false})] {
        let resume = json!([resolved(&interrupts[0], payload)]);
        fixture.user = "jane-program";
        let refused = fixture.send(resume.clone()).await;
        assert_eq!(refused.last()["code"], "approver_required");
        fixture.user = "mallory";
        let foreign = fixture.send(resume.clone()).await;
        assert_eq!(foreign.last()["code"], "unknown_interrupt");
        let body = fixture.input(resume).to_string();
        assert_eq!(fixture.post(None, body).await.0, 401);
    }
    assert_eq!(fixture.paid.times("p1"), 0);
    fixture.user = "jane";
    let events = fixture.send(json!([resolved(&interrupts[0], json!({"approved": true}))])).await;
    assert_eq!((events.text().as_str(), fixture.paid.times("p1")), ("paid", 1));
}

#[tokio::test]
async fn one_bad_answer_leaves_all_calls_waiting() {
    let (mut fixture, interrupts) = waiting(&["p1", "p2"]).await;
    let good = resolved(&interrupts[0], json!({"approved": true}));
    for bad in [
        json!({"interruptId": Uuid::now_v7(), "status": "cancelled"}),
        json!({"interruptId": SECRET, "status": "cancelled"}),
        resolved(&interrupts[1], json!("yes")),
        resolved(&interrupts[1], json!({"approved": "true"})),
        json!({"interruptId": interrupts[1]["id"], "status": "resolved"}),
        good.clone(),
    ] {
        let events = fixture.send(json!([good, bad])).await;
        assert_eq!(events.last()["type"], "RUN_ERROR", "{bad}");
    }
    assert_eq!(fixture.paid.times("p1"), 0);
    // The next input gets both interrupts again.
    assert_eq!(fixture.send(json!([])).await.interrupts().len(), 2);
}

#[tokio::test]
async fn a_cancelled_interrupt_withdraws_the_call_without_an_approver() {
    let (mut fixture, interrupts) = waiting(&["p1"]).await;
    fixture.user = "jane-program";
    let cancelled = json!({"interruptId": interrupts[0]["id"], "status": "cancelled"});
    let events = fixture.send(json!([cancelled])).await;
    assert_eq!((events.text().as_str(), fixture.paid.times("p1")), ("paid", 0));
    assert!(
        fixture
            .runtime
            .tickets()
            .waiting(Uuid::from_u128(7), None, 10)
            .await
            .unwrap()
            .calls
            .is_empty()
    );
}

#[tokio::test]
async fn a_new_message_of_the_user_withdraws_what_waits_and_says_so() {
    let (mut fixture, interrupts) = waiting(&["p1"]).await;
    let events = fixture.ask(json!(["as you like"])).await;
    assert_eq!(events.text(), "as you like");
    let result = events.with_type("TOOL_CALL_RESULT").next().expect("the call has an answer");
    assert_eq!(result["toolCallId"], interrupts[0]["toolCallId"]);
    let late = fixture.send(json!([resolved(&interrupts[0], json!({"approved": true}))])).await;
    assert_eq!(late.last()["type"], "RUN_ERROR");
    assert_eq!(fixture.paid.times("p1"), 0);
}

#[tokio::test]
async fn a_call_that_was_decided_elsewhere_does_not_block_its_thread() {
    let (mut fixture, interrupts) = waiting(&["p1"]).await;
    let id: Uuid = interrupts[0]["id"].as_str().unwrap().parse().unwrap();
    let cx =
        ToolContext::builder(Uuid::from_u128(7), "t").run_id("r").user_id("joe").build().unwrap();
    let mut call = fixture.runtime.tickets().resume_by_id(id, &cx).await;
    call.approve("joe").unwrap();
    assert!(call.execute().await.is_ok());
    let events = fixture.send(json!([])).await;
    assert_eq!((events.text().as_str(), fixture.paid.times("p1")), ("paid", 1));
}

/// A store that is full.
#[derive(Debug)]
struct FullStore;

#[async_trait]
impl RunStore for FullStore {
    async fn load(&self, _: &ThreadKey) -> Result<Option<String>, StoreError> {
        Ok(None)
    }

    async fn save(&self, _: &ThreadKey, _: String) -> Result<(), StoreError> {
        Err(StoreError::new(StoreErrorKind::Full, "full"))
    }

    async fn remove(&self, _: &ThreadKey) -> Result<(), StoreError> {
        Ok(())
    }
}

/// A store that never answers.
#[derive(Debug)]
struct HangingStore;

#[async_trait]
impl RunStore for HangingStore {
    async fn load(&self, _: &ThreadKey) -> Result<Option<String>, StoreError> {
        std::future::pending().await
    }

    async fn save(&self, _: &ThreadKey, _: String) -> Result<(), StoreError> {
        std::future::pending().await
    }

    async fn remove(&self, _: &ThreadKey) -> Result<(), StoreError> {
        panic!("a store that is broken")
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_that_hangs_ends_the_run_and_frees_the_thread() {
    let mut fixture = Fixture::new().with_store(HangingStore);
    for _ in 0..2 {
        assert_eq!(fixture.ask(json!(["a text"])).await.last()["code"], "store");
    }
}

#[tokio::test]
async fn a_run_that_cannot_be_stored_asks_for_no_approval() {
    let mut fixture = Fixture::new().with_store(FullStore);
    let events = fixture.ask(json!([{"calls": [payment("p1")]}, "paid"])).await;
    assert_eq!(events.last()["code"], "store");
    let waiting = fixture.runtime.tickets().waiting(Uuid::from_u128(7), None, 10).await.unwrap();
    assert!(waiting.calls.is_empty());
}

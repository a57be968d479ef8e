//! Concurrent decisions, and an approver that disconnects.

use std::sync::Arc;

use axum::Router;
use serde_json::json;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tool_runtime::policy::Policy;
use tool_runtime::prelude::*;
use tool_runtime::{CallRecord, http};

use super::refused::Recorded;
use super::{Answer, ApprovalServer, by, check, open, post, send, text};

/// The number of tries, since the order of two concurrent decisions is random.
const TRIES: usize = 50;

/// Blocks a ship until the test releases it.
struct Gate {
    begun: Semaphore,
    go_on: Semaphore,
}

/// Sails, once it is let.
#[ai_tool(effect = "write", version = "1.0.0")]
async fn sail(gate: &Gate, dry_run: &DryRun) -> bool {
    gate.begun.add_permits(1);
    gate.go_on.acquire().await.unwrap().forget();
    !dry_run.is_active()
}

struct Harbour {
    app: Router,
    gate: Arc<Gate>,
    ended: UnboundedReceiver<CallStatus>,
}

impl Harbour {
    fn new() -> Self {
        let gate = Arc::new(Gate { begun: Semaphore::new(0), go_on: Semaphore::new(0) });
        let (tell, ended) = unbounded_channel();
        let runtime = Runtime::builder().tool::<SailTool>().shared_state(gate.clone());
        let runtime = runtime.policy(Policy::new()).observe(move |record: &CallRecord<'_>| {
            let _ = tell.send(record.status());
        });
        Self { app: http::router(runtime.build().unwrap(), open()), gate, ended }
    }

    /// Makes a call as jane, and returns the ticket's id.
    async fn ask(&mut self) -> String {
        let answer = send(&self.app, by("jane", post("/tools/call", r#"{"tool_name":"sail"}"#)));
        let ticket = text(&answer.await.json()["detail"]["details"]["ticket"]["id"]);
        assert_eq!(self.ended.recv().await, Some(CallStatus::NotExecuted));
        ticket
    }

    async fn approve(&self, ticket: &str) -> Answer {
        let request = post(&format!("/approvals/{ticket}"), r#"{"decision":"approve"}"#);
        send(&self.app, by("boss", request)).await
    }
}

/// Returns whether this approval ran the call; otherwise it must be answered that it came too
/// late.
#[track_caller]
fn has_run(answer: &Answer) -> bool {
    let body = answer.json();
    if answer.status == 200 {
        assert_eq!(body["output"], "5 to joe", "{body}");
        assert_ne!(body["meta"]["replayed"], true, "{body}");
        return true;
    }
    check(answer, 409, "ticket_used");
    false
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_who_approve_at_the_same_moment_one_runs_it_and_the_other_is_told_so() {
    for _ in 0..TRIES {
        let approval_server = ApprovalServer::new();
        let ticket = approval_server.ask(&json!({"cents": 5})).await;
        let (boss, chief) = tokio::join!(
            approval_server.approve("boss", &ticket),
            approval_server.approve("chief", &ticket)
        );
        assert!(has_run(&boss) ^ has_run(&chief), "{} {}", boss.text, chief.text);
        assert_eq!(approval_server.paid.all(), ["paid 5"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_who_decide_otherwise_at_the_same_moment_one_is_told_that_it_came_late() {
    for _ in 0..TRIES {
        let place = Recorded::new();
        let approval_server = &place.approval_server;
        let ticket = approval_server.ask(&json!({"cents": 5})).await;
        let decline = approval_server.decide("chief", &ticket, json!({"decision": "decline"}));
        let (boss, chief) = tokio::join!(approval_server.approve("boss", &ticket), decline);
        if boss.status == 200 {
            check(&chief, 409, "ticket_used");
            let late =
                Recorded::expected("decline", "user:chief by laptop", &ticket, "ticket_used");
            assert_eq!(place.only().await, late);
            assert_eq!(approval_server.paid.all(), ["paid 5"]);
        } else {
            assert_eq!(chief.status, 200, "{}", chief.text);
            check(&boss, 409, "ticket_declined");
            let by = "user:boss by laptop";
            let late = Recorded::expected("approve", by, &ticket, "ticket_declined");
            assert_eq!(place.only().await, late);
            assert_eq!(approval_server.paid.all(), [""; 0]);
        }
    }
}

#[tokio::test]
async fn an_approver_who_hangs_up_interrupts_no_write() {
    let mut harbour = Harbour::new();
    let ticket = harbour.ask().await;
    tokio::select! {
        answer = harbour.approve(&ticket) => panic!("nothing lets it go on: {}", answer.text),
        begun = harbour.gate.begun.acquire() => begun.unwrap().forget(),
    }
    check(&harbour.approve(&ticket).await, 409, "ticket_used");
    assert_eq!(harbour.ended.recv().await, Some(CallStatus::Rejected));
    harbour.gate.go_on.add_permits(1);
    assert_eq!(harbour.ended.recv().await, Some(CallStatus::Executed));
    check(&harbour.approve(&ticket).await, 409, "ticket_used");
}

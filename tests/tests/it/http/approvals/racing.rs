//! Concurrent, different decisions about one call.

use std::sync::atomic::{AtomicU32, Ordering};

use futures::future::join_all;
use serde_json::{Value, json};
use tokio::task::yield_now;
use tool_runtime::http;
use tool_runtime::ledger::{Ledger, LedgerQuery, RecordedCall};
use tool_runtime::policy::Policy;
use tool_runtime::prelude::*;
use tool_runtime::store::{MemoryStore, SqliteStore};

use super::{Answer, ApprovalServer, Paid, by, check, open, post, send, text, with};
use crate::ledger::{TestLedger, all, ring};
use crate::sqlite::Folder;

/// The number of tries, since the order of concurrent decisions is random.
const TRIES: u32 = 12;
const DECIDERS: u32 = 9;

/// Pays slowly, so that others decide meanwhile.
#[ai_tool(effect = "write", version = "1.0.0")]
async fn pay_slowly(
    paid: &Paid,
    dry_run: &DryRun,
    /// How much.
    cents: u32,
) -> u32 {
    if !dry_run.is_active() {
        for _ in 0..cents % 3 * 400 {
            yield_now().await;
        }
        paid.0.lock().unwrap().push(format!("paid {cents}"));
    }
    cents
}

struct Race {
    approval_server: ApprovalServer,
    ledger: Ledger,
}

impl Race {
    fn with(policy: Policy) -> Self {
        let ledger = Ledger::builder(ring()).open(TestLedger::default()).unwrap();
        let builder = Runtime::builder().tool::<PaySlowlyTool>().ledger(&ledger);
        let approval_server = ApprovalServer::of(builder, open().ledger(&ledger), policy);
        Self { approval_server, ledger }
    }

    async fn ask(&self, cents: u32, key: Option<&str>) -> String {
        let body = json!({"tool_name": "pay_slowly", "input": {"cents": cents}}).to_string();
        let request = by("jane", post("/tools/call", body));
        let request = match key {
            Some(key) => with(request, "idempotency-key", key),
            None => request,
        };
        let answer = send(&self.approval_server.app, request).await;
        text(&answer.json()["detail"]["details"]["ticket"]["id"])
    }

    /// Decides at the same moment, each in another way; gives what each was answered.
    async fn decide(&self, ticket: &str, decisions: Vec<Value>) -> Vec<Answer> {
        let tasks = decisions.into_iter().enumerate().map(|(number, decision)| {
            let (app, path) = (self.approval_server.app.clone(), format!("/approvals/{ticket}"));
            let request = by(&format!("boss-{number}"), post(&path, decision.to_string()));
            tokio::spawn(async move { send(&app, request).await })
        });
        join_all(tasks).await.into_iter().map(Result::unwrap).collect()
    }

    async fn records(&self) -> Vec<RecordedCall> {
        self.ledger.flush().await.unwrap();
        all(&self.ledger, LedgerQuery::new()).await
    }
}

fn decision(number: u32, declines: bool) -> Value {
    match number % 3 {
        0 => json!({"decision": "approve"}),
        1 => json!({"decision": "edit", "arguments": {"cents": 100 + number}}),
        _ if declines => json!({"decision": "decline", "feedback": "no"}),
        _ => json!({"decision": "approve"}),
    }
}

async fn check_race(race: &Race, key: Option<&str>, cents: u32, declines: bool) {
    let ticket = race.ask(cents, key).await;
    let decisions: Vec<_> = (0..DECIDERS).map(|number| decision(number, declines)).collect();
    let answers = race.decide(&ticket, decisions.clone()).await;
    let counts: Vec<_> = (0..).zip(&answers).filter(|(_, it)| it.status == 200).collect();
    let texts = || answers.iter().map(|it| it.text.clone()).collect::<Vec<_>>().join("\n");
    let [(winner, won)] = &counts[..] else { panic!("{} count: {}", counts.len(), texts()) };
    assert_ne!(won.json()["meta"]["replayed"], true, "{}", won.text);
    let decided = &decisions[usize::try_from(*winner).unwrap()];
    let is_declined = decided["decision"] == "decline";
    let late = if is_declined { "ticket_declined" } else { "ticket_used" };
    for (_, answer) in (0..).zip(&answers).filter(|(number, _)| number != winner) {
        check(answer, 409, late);
    }
    let of_ticket = |call: &RecordedCall| {
        call.approval.as_ref().and_then(|it| it.ticket).is_some_and(|it| it.to_string() == ticket)
    };
    let records = race.records().await;
    let approved: Vec<_> = records
        .iter()
        .filter(|call| of_ticket(call) && call.approval.as_ref().unwrap().by.is_some())
        .collect();
    let refusals = records.iter().filter(|call| call.final_status == CallStatus::Declined).count();
    let ran = race.approval_server.paid.all();
    if is_declined {
        assert_eq!((approved.len(), ran.len()), (0, 0), "{approved:#?}");
        assert_eq!(refusals, 1);
        return;
    }
    let [call] = &approved[..] else { panic!("{} approvals: {approved:#?}", approved.len()) };
    let paid = decided["arguments"]["cents"].as_u64().unwrap_or(u64::from(cents));
    assert_eq!(ran, [format!("paid {paid}")]);
    assert_eq!((call.final_status, call.attempts, refusals), (CallStatus::Executed, 1, 0));
    let by = call.approval.as_ref().unwrap().by.as_deref();
    assert_eq!(by, Some(&*format!("user:boss-{winner} by laptop")));
    let input: Value = serde_json::from_str(call.input.as_ref().unwrap().get()).unwrap();
    assert_eq!(input["cents"], paid);
}

async fn check_races(policy: impl Fn() -> Policy) {
    for round in 0..TRIES {
        let key = (round % 2 == 0).then_some("key-1");
        check_race(&Race::with(policy()), key, round, round % 4 < 2).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_who_decide_at_the_same_moment_one_counts() {
    check_races(|| Policy::new().store(MemoryStore::new())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_who_decide_at_the_same_moment_one_counts_also_in_a_file() {
    let (folder, files) = (Folder::new(), AtomicU32::new(0));
    let file = || folder.0.join(files.fetch_add(1, Ordering::Relaxed).to_string());
    check_races(|| Policy::new().store(SqliteStore::open(file()).unwrap())).await;
}

#[tokio::test]
async fn an_edit_that_comes_after_another_ticket_of_the_same_key_ran_does_not_count() {
    let race = Race::with(Policy::new());
    let (first, second) = (race.ask(3, Some("key-1")).await, race.ask(3, Some("key-1")).await);
    assert_eq!(race.approval_server.approve("boss", &first).await.status, 200);
    let edit = json!({"decision": "edit", "arguments": {"cents": 100}});
    check(&race.approval_server.decide("boss", &second, edit).await, 409, "answered_before");
    assert_eq!(race.approval_server.paid.all(), ["paid 3"]);
    let records = race.records().await;
    let edited = |call: &&RecordedCall| {
        call.input.as_ref().is_some_and(|it| it.get().contains("100"))
            && call.approval.as_ref().is_some_and(|it| it.by.is_some())
    };
    assert!(!records.iter().any(|call| edited(&call)), "{records:#?}");
}

#[tokio::test]
async fn a_server_that_shares_the_store_tells_late_deciders_so() {
    let store = MemoryStore::new();
    let keys = || tool_runtime::policy::KeyRing::new("k", &[7; 32]).unwrap();
    let race = Race::with(Policy::new().store(store.clone()).ticket_keys(keys()));
    let runtime =
        Runtime::builder().tool::<PaySlowlyTool>().state(race.approval_server.paid.clone());
    let policy =
        Policy::new().store(store).ticket_keys(keys()).clock(race.approval_server.clock.clone());
    let other = http::router(runtime.policy(policy).build().unwrap(), open());
    let ticket = race.ask(3, None).await;
    assert_eq!(race.approval_server.approve("boss", &ticket).await.status, 200);
    let request = by("chief", post(&format!("/approvals/{ticket}"), r#"{"decision":"approve"}"#));
    check(&send(&other, request).await, 409, "ticket_used");
}

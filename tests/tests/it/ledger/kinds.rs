//! The kind of a record says whether something happened, and its decision who decided.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::json;
use tool_runtime::ledger::{JsonLinesLedger, Ledger, LedgerQuery, RecordedCallKind, SqliteLedger};
use tool_runtime::policy::{Decision, Policy};
use tool_runtime::prelude::*;
use tool_runtime::testing::ScriptedApprover;

use super::{all, ledger, recorded, ring};
use crate::policy::script::jane;
use crate::sqlite::Folder;

/// Pays.
#[ai_tool(effect = "write", version = "1.0.0", preview = show_pay)]
async fn pay(
    paid: &AtomicU32,
    /// The amount.
    cents: u32,
) -> u32 {
    paid.fetch_add(cents, Ordering::SeqCst);
    cents
}

async fn show_pay(paid: &AtomicU32, cents: u32) -> String {
    let _ = paid;
    format!("would pay {cents}")
}

struct Bank {
    runtime: Runtime,
    paid: Arc<AtomicU32>,
}

impl Bank {
    fn new(ledger: &Ledger, policy: Policy) -> Self {
        let paid = Arc::new(AtomicU32::new(0));
        let builder = Runtime::builder().tool::<PayTool>().shared_state(paid.clone());
        Self { runtime: builder.policy(policy).ledger(ledger).build().unwrap(), paid }
    }

    async fn ticket(&self, cents: u32) -> String {
        let arguments = json!({ "cents": cents }).to_string();
        let mut call = self.runtime.call("pay", arguments, &jane());
        let output = call.execute().await;
        output.error().unwrap().details().unwrap()["ticket"].to_string()
    }

    async fn resume(&self, ticket: &str) -> ToolCall {
        self.runtime.tickets().resume(ticket, &jane()).await
    }
}

/// Pays 5 once, and does much else that is no payment.
async fn busy_day(ledger: &Ledger) {
    let bank = Bank::new(ledger, Policy::new());
    let ticket = bank.ticket(5).await;
    let mut approved = bank.resume(&ticket).await;
    approved.approve("boss").unwrap();
    assert!(approved.execute().await.is_ok());
    let mut again = bank.resume(&ticket).await;
    assert!(!again.execute().await.is_ok());
    let mut declined = bank.resume(&bank.ticket(6).await).await;
    declined.decline("boss", "too much").unwrap();
    declined.execute().await;
    let dry = jane().with_dry_run(true);
    bank.runtime.call("pay", r#"{"cents":7}"#, &dry).execute().await;
    bank.runtime.call("pay", r#"{"cents":"x"}"#, &jane()).execute().await;
    assert_eq!(bank.paid.load(Ordering::SeqCst), 5);
}

#[tokio::test]
async fn one_payment_is_one_run_among_all_records() {
    let ledger = ledger();
    busy_day(&ledger).await;
    let kinds: Vec<_> = recorded(&ledger).await.iter().map(|it| it.kind().to_string()).collect();
    let expected = [
        "preview", "waiting", "run", "not_run", "preview", "waiting", "not_run", "dry_run",
        "not_run",
    ];
    assert_eq!(kinds, expected);
    let payments = LedgerQuery::new().tool("pay").kind(RecordedCallKind::Run);
    assert_eq!(all(&ledger, payments).await.len(), 1);
}

#[tokio::test]
async fn every_store_filters_by_kind() {
    let folder = Folder::new();
    let file = |name: &str| folder.0.join(name);
    let ledgers = [
        ledger(),
        Ledger::builder(ring()).open(JsonLinesLedger::open(file("ledger.jsonl")).unwrap()).unwrap(),
        Ledger::builder(ring()).open(SqliteLedger::open(file("ledger.db")).unwrap()).unwrap(),
    ];
    for ledger in ledgers {
        busy_day(&ledger).await;
        let calls = recorded(&ledger).await;
        for kind in RecordedCallKind::ALL {
            let expected: Vec<_> =
                calls.iter().filter(|it| it.kind() == *kind).map(|it| it.invocation_id).collect();
            for limit in [1, 100] {
                let found = all(&ledger, LedgerQuery::new().kind(*kind).limit(limit)).await;
                let found: Vec<_> = found.iter().map(|it| it.invocation_id).collect();
                assert_eq!(found, expected, "{kind}");
            }
        }
        ledger.close().await.unwrap();
    }
}

#[tokio::test]
async fn the_record_of_a_used_ticket_names_the_ticket_and_does_not_wait() {
    let ledger = ledger();
    busy_day(&ledger).await;
    let records = recorded(&ledger).await;
    let approval = |index: usize| records[index].approval.as_ref().unwrap();
    let [waits, runs, used] = [1, 2, 3].map(approval);
    assert!(waits.ticket.is_some() && waits.by.is_none());
    assert_eq!((runs.ticket, runs.by.as_deref()), (waits.ticket, Some("boss")));
    assert_eq!((used.ticket, used.by.as_deref()), (waits.ticket, None));
    assert_eq!(records[3].error.as_ref().unwrap().reason.as_deref(), Some("ticket_used"));
    assert_eq!(records[3].kind(), RecordedCallKind::NotRun);
}

#[tokio::test]
async fn the_name_under_which_a_call_is_declined_is_recorded() {
    let ledger = ledger();
    busy_day(&ledger).await;
    let declined = recorded(&ledger).await.remove(6);
    let approval = declined.approval.as_ref().unwrap();
    assert_eq!(declined.final_status, CallStatus::Declined);
    assert_eq!((approval.by.as_deref(), approval.declined_by.as_deref()), (None, Some("boss")));
    assert!(approval.at.is_some() && approval.ticket.is_some());

    let ledger = super::ledger();
    let approver = ScriptedApprover::new([Decision::decline("ada", "no")]);
    let bank = Bank::new(&ledger, Policy::new().approver(approver));
    bank.runtime.call("pay", r#"{"cents":5}"#, &jane()).execute().await;
    let records = recorded(&ledger).await;
    let approval = records.last().unwrap().approval.as_ref().unwrap();
    assert_eq!((approval.by.as_deref(), approval.declined_by.as_deref()), (None, Some("ada")));
}

#[tokio::test]
async fn a_key_of_other_arguments_is_refused_before_anyone_is_asked() {
    let approver = ScriptedApprover::new([Decision::approve("ada"), Decision::approve("ada")]);
    let bank = Bank::new(&ledger(), Policy::new().approver(approver.clone()));
    let keyed = jane().with_idempotency_key("order-1").unwrap();
    assert!(bank.runtime.call("pay", r#"{"cents":5}"#, &keyed).execute().await.is_ok());
    let mut other = bank.runtime.call("pay", r#"{"cents":6}"#, &keyed);
    other.execute().await;
    let details = other.output().unwrap().error().unwrap().details().unwrap();
    assert_eq!(
        (other.status(), &details["reason"]),
        (CallStatus::NotExecuted, &json!("key_reused"))
    );
    assert_eq!(approver.requests().len(), 1);

    let waiting = Bank::new(&ledger(), Policy::new());
    waiting.runtime.call("pay", r#"{"cents":5}"#, &keyed).execute().await;
    let ticket = waiting.runtime.call("pay", r#"{"cents":5}"#, &keyed).ticket().await.unwrap();
    let mut resumed = waiting.resume(&ticket.to_json()).await;
    resumed.approve("boss").unwrap();
    assert!(resumed.execute().await.is_ok());
    let mut other = waiting.runtime.call("pay", r#"{"cents":6}"#, &keyed);
    let error = other.ticket().await.unwrap_err();
    assert!(error.to_string().contains("other arguments"), "{error}");
    let output = other.execute().await;
    assert_eq!(output.error().unwrap().details().unwrap()["reason"], "key_reused");
    assert_eq!(waiting.paid.load(Ordering::SeqCst), 5);
}

/// Looks.
#[ai_tool(effect = "read")]
async fn look() -> u32 {
    1
}

#[tokio::test]
async fn a_write_behind_a_closed_ledger_is_refused_and_a_read_says_that_it_has_no_record() {
    let ledger = ledger();
    let paid = Arc::new(AtomicU32::new(0));
    let builder = Runtime::builder().tool::<PayTool>().tool::<LookTool>();
    let builder = builder.shared_state(paid.clone()).permission("pay", Permission::Allow);
    let runtime = builder.ledger(&ledger).build().unwrap();
    assert!(runtime.call("pay", r#"{"cents":5}"#, &jane()).execute().await.is_ok());
    ledger.close().await.unwrap();

    let mut write = runtime.call("pay", r#"{"cents":5}"#, &jane());
    write.execute().await;
    let details = write.output().unwrap().error().unwrap().details().unwrap();
    assert_eq!((&details["reason"], &details["effect"]), (&json!("ledger_closed"), &json!("none")));
    assert_eq!((write.status(), paid.load(Ordering::SeqCst)), (CallStatus::NotExecuted, 5));

    let mut read = runtime.call("look", "{}", &jane());
    let output = read.execute().await;
    assert!(output.is_ok() && output.meta_json().contains("the ledger has no record of it"));
    assert!(!output.meta_json().contains("written later"), "{output}");
}

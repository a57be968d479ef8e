//! An approval that is bound to the dry run's answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tool_runtime::policy::{
    ApprovalRequest, Approver, Decision, Policy, RateLimit, ToolPolicy, async_trait,
};
use tool_runtime::prelude::*;

use super::fixture::{EventLog, Fixture, approver, code, details, jane, reason, ticket_in};

/// The stock.
#[derive(Clone, Default)]
struct Stock(Arc<AtomicU32>);

/// Why nothing was taken.
#[derive(Debug, ToolFailure)]
enum Empty {
    /// There is nothing.
    #[failure(NOT_FOUND, message = "there is nothing left")]
    Nothing,
}

/// Takes all that there is.
#[ai_tool(effect = "write", version = "1.0.0")]
async fn take(
    stock: &Stock,
    notes: &EventLog,
    dry_run: &DryRun,
    /// The purpose.
    #[arg(default)]
    purpose: String,
) -> Result<String, Empty> {
    let there = stock.0.load(Ordering::SeqCst);
    if there == 0 {
        return Err(Empty::Nothing);
    }
    if !dry_run.is_active() {
        notes.record(format!("took {there} for {purpose}"));
    }
    Ok(format!("{there} taken"))
}

fn fixture(policy: Policy, there: u32) -> (Fixture, Stock) {
    let stock = Stock(Arc::new(AtomicU32::new(there)));
    let policy = policy.rules_for("take", ToolPolicy::new().bind_preview(true));
    let state = stock.clone();
    (Fixture::with(policy, |builder| builder.tool::<TakeTool>().state(state)), stock)
}

#[tokio::test]
async fn an_approver_sees_the_dry_run_that_their_yes_is_bound_to() {
    let boss = approver(|request| {
        let dry_run = request.dry_run().expect("a dry run");
        assert!(dry_run.meta_json().contains(r#""dry_run":true"#), "{dry_run}");
        Decision::approve(dry_run.data_json().unwrap())
    });
    let (fixture, _) = fixture(Policy::new().approver(boss), 3);
    assert!(fixture.answer("take", "{}").await.is_ok());
    assert_eq!(fixture.notes.all(), ["took 3 for "]);
    assert_eq!(fixture.closed.last().approver.as_deref(), Some(r#""3 taken""#));
}

/// Approves, after which the stock has changed.
struct TooSlow(Stock);

#[async_trait]
impl Approver for TooSlow {
    async fn decide(&self, _: &ApprovalRequest<'_>) -> Decision {
        self.0.0.store(2, Ordering::SeqCst);
        Decision::approve("boss")
    }
}

#[tokio::test]
async fn a_yes_to_what_is_not_so_any_more_lets_nothing_run() {
    let stock = Stock(Arc::new(AtomicU32::new(3)));
    let policy = Policy::new().rules(ToolPolicy::new().bind_preview(true));
    let state = stock.clone();
    let fixture =
        Fixture::with(policy.approver(TooSlow(stock)), |it| it.tool::<TakeTool>().state(state));
    let output = fixture.answer("take", "{}").await;
    assert_eq!((&*code(&output), &*reason(&output)), ("CONFLICT", "preview_changed"));
    assert_eq!(details(&output)["effect"], "none");
    assert_eq!(fixture.closed.last().status, CallStatus::NotExecuted);
    assert!(fixture.notes.is_empty());
}

#[tokio::test]
async fn a_ticket_lets_run_what_was_shown_and_nothing_else() {
    let (fixture, stock) = fixture(Policy::new(), 3);
    let ticket = fixture.ticket("take", "{}").await;
    assert!(ticket.contains(r#""bound_preview":true"#), "{ticket}");
    for there in [2, 0] {
        stock.0.store(there, Ordering::SeqCst);
        let output = fixture.approved(&ticket).await;
        assert_eq!((&*code(&output), &*reason(&output)), ("CONFLICT", "preview_changed"));
    }
    assert!(fixture.notes.is_empty());
    // Nothing ran, so the ticket is good for as long as what was shown is so.
    stock.0.store(3, Ordering::SeqCst);
    assert!(fixture.approved(&ticket).await.is_ok());
    assert_eq!(fixture.notes.all(), ["took 3 for "]);
    assert_eq!(reason(&fixture.approved(&ticket).await), "ticket_used");
}

#[tokio::test]
async fn a_failed_dry_run_answers_the_call_before_an_approver_is_asked() {
    let boss = approver(|_| panic!("an invalid call requests no approval"));
    let (fixture, _) = fixture(Policy::new().approver(boss), 0);
    let output = fixture.answer("take", "{}").await;
    assert_eq!(code(&output), "NOT_FOUND");
    assert!(output.error().unwrap().message().contains("there is nothing left"));
    assert!(details(&output).get("ticket").is_none());
    assert_eq!(fixture.closed.last().status, CallStatus::NotExecuted);
}

#[tokio::test]
async fn a_changed_call_is_bound_to_no_dry_run_of_another() {
    let boss = approver(|_| Decision::approve("boss").with_arguments(r#"{"purpose":"tea"}"#));
    let (fixture, _) = fixture(Policy::new().approver(boss), 3);
    assert!(fixture.answer("take", "{}").await.is_ok());
    assert_eq!(fixture.notes.all(), ["took 3 for tea"]);
}

#[tokio::test]
async fn without_the_rule_no_dry_run_is_made() {
    let boss = approver(|request| {
        assert!(request.dry_run().is_none());
        Decision::defer()
    });
    let stock = Stock(Arc::new(AtomicU32::new(3)));
    let state = stock.clone();
    let policy = Policy::new().approver(boss);
    let fixture = Fixture::with(policy, |it| it.tool::<TakeTool>().state(state));
    let ticket = fixture.ticket("take", "{}").await;
    stock.0.store(2, Ordering::SeqCst);
    assert!(fixture.approved(&ticket).await.is_ok());
}

#[tokio::test]
async fn a_host_may_make_the_dry_run_itself() {
    let (fixture, _) = fixture(Policy::new(), 3);
    let call = fixture.runtime.call("take", "{}", &jane());
    assert_eq!(call.dry_run().await.data_json(), Some(r#""3 taken""#));
    assert_eq!(call.status(), CallStatus::Pending);
    assert!(fixture.notes.is_empty());
    ticket_in(&fixture.answer("take", "{}").await);
}

#[tokio::test]
async fn a_ticket_that_the_host_asks_for_is_bound_to_the_dry_run_too() {
    let (fixture, stock) = fixture(Policy::new(), 3);
    let ticket = fixture.runtime.call("take", "{}", &jane()).ticket().await.unwrap();
    assert!(ticket.bound_preview());
    stock.0.store(2, Ordering::SeqCst);
    assert_eq!(reason(&fixture.approved(&ticket.to_json()).await), "preview_changed");
    assert!(fixture.notes.is_empty());
}

#[tokio::test]
async fn a_dry_run_uses_up_no_rate() {
    let boss = approver(|_| Decision::approve("boss"));
    let rate = ToolPolicy::new().rate_limit(RateLimit::per_minute(1).unwrap());
    let (fixture, _) = fixture(Policy::new().approver(boss).rules(rate), 3);
    let first = fixture.answer("take", "{}").await;
    assert!(first.is_ok(), "{first}");
    assert_eq!(code(&fixture.answer("take", "{}").await), "RATE_LIMITED");
    assert_eq!(fixture.notes.all(), ["took 3 for "]);
}

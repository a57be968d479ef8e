//! Shared by the tests of approvals: tools with counted effects, approvers, and an observer.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tool_runtime::contracts::ToolContextBuilder;
use tool_runtime::policy::{
    AccessPolicy, AccessRequest, AccessVerdict, ApprovalRequest, Approver, Decision, Policy,
    Ticket, async_trait,
};
use tool_runtime::prelude::*;
use tool_runtime::store::UnixMillis;
use tool_runtime::testing::ManualClock;
use tool_runtime::{CallRecord, Observe, RuntimeBuilder};

pub(super) const START: UnixMillis = UnixMillis::new(1_800_000_000_000);
/// A day, the lifetime of a ticket.
pub(super) const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// A secret that must not appear anywhere.
pub(super) const SECRET: &str = "correct-horse-battery";
pub(super) const TENANT: Uuid = Uuid::from_u128(7);

/// The events in order. Clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct EventLog(Arc<Mutex<Vec<String>>>);

impl EventLog {
    pub(super) fn record(&self, what: impl Into<String>) {
        self.0.lock().unwrap().push(what.into());
    }

    pub(super) fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all().is_empty()
    }
}

/// One thing that is paid for.
#[ai_type]
pub(super) struct Item {
    /// The name of the item.
    pub(super) name: String,
    /// The count.
    pub(super) count: u32,
}

/// The error of a payment.
#[derive(Debug, ToolFailure)]
pub(super) enum PaymentError {
    /// The payee is unknown.
    #[failure(NOT_FOUND, hide)]
    UnknownPayee,
}

/// Pays a payee.
#[ai_tool(effect = "write", version = "1.0.0", timeout = "5s")]
pub(super) async fn pay(
    notes: &EventLog,
    dry_run: &DryRun,
    /// To whom.
    #[arg(length(1..=40))]
    to: &str,
    /// The amount.
    #[arg(default = 1, range(1..=1_000))]
    cents: u32,
    /// The purpose.
    #[arg(default)]
    items: Vec<Item>,
    /// EventLog by name.
    #[arg(default)]
    labels: BTreeMap<String, String>,
    /// The word that opens the till.
    #[arg(default, secret)]
    pin: String,
) -> Result<String, PaymentError> {
    let _ = (items, labels, pin);
    if to == "nobody" {
        return Err(PaymentError::UnknownPayee);
    }
    if !dry_run.is_active() {
        notes.record(format!("paid {cents} to {to}"));
    }
    Ok(format!("{cents} to {to}"))
}

/// Throws a thing away for good.
#[ai_tool(effect = "destructive", version = "1.0.0")]
pub(super) async fn wipe(
    notes: &EventLog,
    dry_run: &DryRun,
    /// The id.
    what: &str,
) -> bool {
    if !dry_run.is_active() {
        notes.record(format!("wiped {what}"));
    }
    true
}

/// Looks a thing up.
#[ai_tool(effect = "read", version = "1.0.0")]
pub(super) async fn look(
    notes: &EventLog,
    /// The id.
    what: &str,
) -> String {
    notes.record(format!("looked at {what}"));
    what.to_owned()
}

/// A runtime with the tools above, and all that is heard of it.
pub(super) struct Fixture {
    pub(super) runtime: Runtime,
    pub(super) notes: EventLog,
    pub(super) closed: EndedCalls,
    pub(super) clock: ManualClock,
}

impl Fixture {
    pub(super) fn new(policy: Policy) -> Self {
        Self::with(policy, |builder| builder)
    }

    pub(super) fn with(
        policy: Policy,
        more: impl FnOnce(RuntimeBuilder) -> RuntimeBuilder,
    ) -> Self {
        Self::with_events(&EventLog::default(), policy, more)
    }

    /// Records events in a shared log.
    pub(super) fn with_events(
        notes: &EventLog,
        policy: Policy,
        more: impl FnOnce(RuntimeBuilder) -> RuntimeBuilder,
    ) -> Self {
        let (notes, closed) = (notes.clone(), EndedCalls::default());
        let clock = ManualClock::at(START);
        let builder = Runtime::builder()
            .tool::<PayTool>()
            .tool::<WipeTool>()
            .tool::<LookTool>()
            .state(notes.clone())
            .observe(closed.clone())
            .policy(policy.clock(clock.clone()));
        Self { runtime: more(builder).build().unwrap(), notes, closed, clock }
    }

    /// Opens and executes a call of jane's.
    pub(super) async fn answer(&self, name: &str, arguments: &str) -> ToolOutput {
        self.runtime.call(name, arguments, &jane()).execute().await.clone()
    }

    /// Defers a call of jane's behind a ticket.
    pub(super) async fn ticket(&self, name: &str, arguments: &str) -> String {
        ticket_in(&self.answer(name, arguments).await)
    }

    /// Resumes a ticket, approves it as the boss, and executes the call.
    pub(super) async fn approved(&self, ticket: &str) -> ToolOutput {
        let mut call = self.runtime.tickets().resume(ticket, &jane()).await;
        let _ = call.approve("boss");
        call.execute().await.clone()
    }
}

/// Every call's end. A handle.
#[derive(Debug, Clone, Default)]
pub(super) struct EndedCalls(Arc<Mutex<Vec<EndedCall>>>);

/// One call's end.
#[derive(Debug, Clone)]
pub(super) struct EndedCall {
    pub(super) status: CallStatus,
    pub(super) log: String,
    pub(super) approver: Option<String>,
    pub(super) decliner: Option<String>,
}

impl Observe for EndedCalls {
    fn call_ended(&self, record: &CallRecord<'_>) {
        self.0.lock().unwrap().push(EndedCall {
            status: record.status(),
            log: record.log().to_owned(),
            approver: record.approver().map(str::to_owned),
            decliner: record.decliner().map(str::to_owned),
        });
    }
}

impl EndedCalls {
    pub(super) fn last(&self) -> EndedCall {
        self.0.lock().unwrap().last().unwrap().clone()
    }
}

pub(super) fn context(user: &str) -> ToolContextBuilder {
    ToolContext::builder(TENANT, "trace-1").run_id("run-1").user_id(user)
}

pub(super) fn jane() -> ToolContext {
    context("jane").build().unwrap()
}

/// An approver that decides at once.
pub(super) fn approver(
    decide: impl Fn(&ApprovalRequest<'_>) -> Decision + Send + Sync + 'static,
) -> impl Approver {
    struct FnApprover<F>(F);

    #[async_trait]
    impl<F: Fn(&ApprovalRequest<'_>) -> Decision + Send + Sync + 'static> Approver for FnApprover<F> {
        async fn decide(&self, request: &ApprovalRequest<'_>) -> Decision {
            (self.0)(request)
        }
    }

    FnApprover(decide)
}

/// An approver that approves after a delay.
pub(super) fn slow_boss(notes: &EventLog, time: Duration) -> impl Approver + use<> {
    struct Slow(EventLog, Duration);

    #[async_trait]
    impl Approver for Slow {
        async fn decide(&self, request: &ApprovalRequest<'_>) -> Decision {
            let asked = request.preview().arguments().unwrap_or_default();
            self.0.record(format!("asked about {asked}"));
            tokio::time::sleep(self.1).await;
            self.0.record(format!("said yes to {asked}"));
            Decision::approve("boss")
        }
    }

    Slow(notes.clone(), time)
}

pub(super) type AccessResult = Result<AccessVerdict, Box<dyn Error + Send + Sync>>;

/// An access policy of the host.
pub(super) fn rule(
    decide: impl Fn(&AccessRequest<'_>) -> AccessResult + Send + Sync + 'static,
) -> impl AccessPolicy {
    struct Rule<F>(F);

    #[async_trait]
    impl<F: Fn(&AccessRequest<'_>) -> AccessResult + Send + Sync + 'static> AccessPolicy for Rule<F> {
        async fn decide(&self, request: &AccessRequest<'_>) -> AccessResult {
            (self.0)(request)
        }
    }

    Rule(decide)
}

#[track_caller]
pub(super) fn code(output: &ToolOutput) -> String {
    let error = output.error().unwrap_or_else(|| panic!("it is no error: {output}"));
    error.code().unwrap().to_owned()
}

#[track_caller]
pub(super) fn details(output: &ToolOutput) -> Value {
    let error = output.error().unwrap_or_else(|| panic!("it is no error: {output}"));
    error.details().map_or(Value::Null, |details| json!(details))
}

#[track_caller]
pub(super) fn reason(output: &ToolOutput) -> String {
    let details = details(output);
    details["reason"].as_str().unwrap_or_else(|| panic!("no reason: {output}")).to_owned()
}

#[track_caller]
pub(super) fn ticket_in(output: &ToolOutput) -> String {
    assert_eq!(code(output), "NEEDS_USER_CONFIRMATION", "{output}");
    let ticket = &details(output)["ticket"];
    assert!(ticket.is_object(), "there is no ticket: {output}");
    ticket.to_string().parse::<Ticket>().unwrap().to_json()
}

pub(super) fn meta(output: &ToolOutput) -> Value {
    serde_json::from_str(output.meta_json()).unwrap()
}

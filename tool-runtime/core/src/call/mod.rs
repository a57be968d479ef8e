//! A call: it exists, typed and checked, before anything runs.

mod authorization;
mod authorization_policy;
mod batch;
mod decision;
mod dry_run;
mod execution_guard;
#[cfg(all(test, feature = "tokio"))]
mod growth;
mod preview;
mod services;
mod typed;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::BoxFuture;
use tool_contracts::{CallStatus, ToolContext, ToolSpec, Violation};
use uuid::Uuid;

pub(crate) use self::authorization_policy::AuthorizationPolicy;
pub use self::batch::run as run_batch;
pub use self::decision::{ApprovalError, NotPending, Withdrawal};
use self::dry_run::CallDryRunner;
use self::execution_guard::ExecutionGuard;
pub use self::preview::Preview;
pub(crate) use self::services::CallServices;
pub use self::typed::TypedCall;
use crate::dispatch::decode::{self, Decoded};
use crate::dispatch::execution_policy::ApprovedCall;
use crate::dispatch::hooks::CallRecorder;
use crate::dispatch::outcome::CallOutcome;
use crate::dispatch::pipeline::{self, ApprovalProof, Authorization, NeededApproval};
use crate::dispatch::refusal::Refusal;
use crate::dispatch::{ApprovalSlot, CallFacts, Dispatcher, PreviewResult, answer};
use crate::tool::registry::Availability;
use crate::tool::{CallScope, Cancellation, ProgressUpdate, ToolOutput};

/// The longest time that the answer of a refused call waits for records to be written.
const RECORD_TIMEOUT: Duration = Duration::from_secs(1);

/// A model's call, deferred: resolved, typed and checked, and not yet run.
///
/// [`Runtime::call`](crate::Runtime::call) makes it and never fails. Look at it ([`status`](Self::status),
/// [`preview`](Self::preview)), decide, then [`execute`](Self::execute). The answer is always one
/// [`ToolOutput`], and the tool runs at most once.
pub struct ToolCall {
    services: Arc<CallServices>,
    target: CallTarget,
    status: CallStatus,
    pending: Option<Decoded>,
    pub(crate) approval: ApprovalSlot,
    output: Option<ToolOutput>,
    /// In milliseconds since the epoch; 0 without a ledger.
    opened_at_ms: u64,
    /// The time at which its run began, if it did.
    pub started: Option<Instant>,
    /// True while an instrument, such as a span, has to learn of the call's end.
    is_instrumented: bool,
}

enum CallTarget {
    Known(CallScope),
    Unknown(Box<UnknownCall>),
}

struct UnknownCall {
    name: Box<str>,
    call_id: Option<Box<str>>,
    arguments: Box<str>,
    cx: ToolContext,
}

impl ToolCall {
    /// Opens a call of a known tool: its arguments are read, and nothing of the tool runs.
    pub fn open(services: Arc<CallServices>, scope: CallScope, availability: Availability) -> Self {
        let unavailable = Refusal::unavailable_tool(availability);
        let opened = unavailable.map_or_else(|| decode::decode(&scope), Err);
        match opened {
            Ok(decoded) => Self::pending(services, scope, decoded),
            Err(refusal) => {
                let is_own = scope.replay_of().is_none();
                let count =
                    |refusal| services.count_refusal(scope.tool().name(), scope.cx(), refusal);
                let refusal = if is_own { count(refusal) } else { refusal };
                Self::refused(services, scope, &refusal)
            }
        }
    }

    /// Opens a call that waits to be executed.
    fn pending(services: Arc<CallServices>, scope: CallScope, decoded: Decoded) -> Self {
        Self::opened(services, CallTarget::Known(scope), CallStatus::Pending, Some(decoded))
    }

    /// Opens a call of a known tool that is answered already.
    fn refused(services: Arc<CallServices>, scope: CallScope, refusal: &Refusal) -> Self {
        let outcome = answer::refused(&scope, refusal);
        Self::answered(services, CallTarget::Known(scope), outcome, None)
    }

    /// Opens a call whose name no tool has.
    pub(crate) fn unknown(
        services: Arc<CallServices>,
        name: &str,
        call_id: Option<Box<str>>,
        arguments: Box<str>,
        cx: ToolContext,
        refusal: &Refusal,
    ) -> Self {
        let echo = services.environment().echo_of_unknown(&arguments);
        let outcome = answer::refused_with(echo, cx.dry_run(), refusal);
        let call = UnknownCall { name: name.into(), call_id, arguments, cx };
        Self::answered(services, CallTarget::Unknown(Box::new(call)), outcome, None)
    }

    /// Opens a call that could not be resumed from its ticket.
    #[cfg(feature = "policy")]
    pub(crate) fn not_resumed(
        services: Arc<CallServices>,
        ticket: Option<Uuid>,
        name: &str,
        call_id: Option<Box<str>>,
        cx: ToolContext,
        refusal: &Refusal,
    ) -> Self {
        let outcome = answer::refused_with(None, cx.dry_run(), refusal);
        let call = UnknownCall { name: name.into(), call_id, arguments: Box::default(), cx };
        Self::answered(services, CallTarget::Unknown(Box::new(call)), outcome, ticket)
    }

    fn answered(
        services: Arc<CallServices>,
        target: CallTarget,
        ended: CallOutcome,
        rejected_ticket: Option<Uuid>,
    ) -> Self {
        let mut call = Self::opened(services, target, CallStatus::Executing, None);
        if rejected_ticket.is_some() {
            call.approval.rejected_ticket = rejected_ticket;
        }
        call.close(ended);
        call
    }

    fn opened(
        services: Arc<CallServices>,
        target: CallTarget,
        status: CallStatus,
        pending: Option<Decoded>,
    ) -> Self {
        let opened_at_ms = services.dispatcher.recorder().map_or(0, CallRecorder::call_opened);
        Self {
            services,
            target,
            status,
            pending,
            approval: ApprovalSlot::default(),
            output: None,
            opened_at_ms,
            started: None,
            is_instrumented: false,
        }
    }

    /// Returns the call's status.
    #[must_use]
    pub fn status(&self) -> CallStatus {
        self.status
    }

    /// Returns the name that the model called.
    #[must_use]
    pub fn name(&self) -> &str {
        match &self.target {
            CallTarget::Known(scope) => scope.tool().name(),
            CallTarget::Unknown(call) => &call.name,
        }
    }

    /// Returns the model's id of the call, if it gave one.
    #[must_use]
    pub fn call_id(&self) -> Option<&str> {
        match &self.target {
            CallTarget::Known(scope) => scope.call_id(),
            CallTarget::Unknown(call) => call.call_id.as_deref(),
        }
    }

    /// Returns the context that the host gave.
    #[must_use]
    pub fn cx(&self) -> &ToolContext {
        match &self.target {
            CallTarget::Known(scope) => scope.cx(),
            CallTarget::Unknown(call) => &call.cx,
        }
    }

    /// Returns the tool, unless the name is unknown.
    #[must_use]
    pub fn tool(&self) -> Option<&ToolSpec> {
        self.scope().map(CallScope::tool)
    }

    /// Returns the arguments as the model sent them, `{}` for a text without arguments, secrets and
    /// all: for the host only.
    #[must_use]
    pub fn input(&self) -> &str {
        match &self.target {
            CallTarget::Known(scope) => scope.raw(),
            CallTarget::Unknown(call) => &call.arguments,
        }
    }

    /// Returns the admitted arguments as JSON text, with lossless coercions applied and with their
    /// secrets: for the host only. None if the call was refused.
    #[must_use]
    pub fn arguments(&self) -> Option<&str> {
        let refused = self.status == CallStatus::Rejected;
        self.scope().filter(|_| !refused).map(CallScope::arguments)
    }

    /// Returns the violations of the arguments, all at once; none if the arguments are valid.
    #[must_use]
    pub fn violations(&self) -> &[Violation] {
        self.scope().map_or(&[], |scope| scope.violations())
    }

    /// Describes the call for the person who decides about it, with secrets masked.
    ///
    /// It runs nothing. The answer of the tool's `preview` function is in it once that has run: by
    /// [`load_preview`](Self::load_preview), or by a policy before it asks an approver.
    #[must_use]
    pub fn preview(&self) -> Preview<'_> {
        Preview::new(self)
    }

    /// Returns the answer, once there is one.
    #[must_use]
    pub fn output(&self) -> Option<&ToolOutput> {
        self.output.as_ref()
    }

    /// Takes the answer, once there is one.
    #[must_use]
    pub fn into_output(mut self) -> Option<ToolOutput> {
        self.output.take()
    }

    /// Returns a handle that cancels the call from elsewhere; none if the name is unknown.
    #[must_use]
    pub fn cancellation(&self) -> Option<Cancellation> {
        self.scope().map(Cancellation::for_scope)
    }

    /// Sets the listener for the tool's progress; the last one counts, until the call ends.
    ///
    /// The tool's own thread calls it, so it must be quick.
    pub fn on_progress(&self, listen: impl Fn(ProgressUpdate) + Send + Sync + 'static) {
        if let Some(scope) = self.scope() {
            scope.set_progress_sink(Arc::new(listen));
        }
    }

    /// Answers a pending call without running its tool.
    pub fn refuse(&mut self, refusal: impl FnOnce() -> Box<Refusal>) -> Result<(), NotPending> {
        if self.status != CallStatus::Pending {
            return Err(NotPending);
        }
        if let CallTarget::Known(scope) = &self.target {
            let outcome = answer::refused(scope, &refusal());
            drop(scope.end());
            self.pending = None;
            self.close(outcome);
        }
        Ok(())
    }

    /// Runs the tool, at most once, and returns the answer: always an envelope, never an error.
    ///
    /// A second `execute` returns the first answer. Calls that were refused, declined or superseded
    /// run nothing and return their answer too. A call whose tool asks for permission has to be
    /// [approved](Self::approve) before: otherwise it is answered `NEEDS_USER_CONFIRMATION` and
    /// ends there.
    ///
    /// # Cancellation
    /// Dropping the returned future drops the tool's and makes the call
    /// [`Interrupted`](CallStatus::Interrupted); a blocking tool runs on, and its answer is dropped.
    /// While the call waits for an approver nothing is lost: it stays pending.
    pub async fn execute(&mut self) -> &ToolOutput {
        if let Some(needed) = self.execute_unless_approval_needed().await {
            // Boxed, so that calls that need no approval reserve no space for it.
            Box::pin(self.execute_if_approved(needed)).await;
        }
        self.output.get_or_insert_with(answer::missing_output)
    }

    async fn execute_if_approved(&mut self, needed: NeededApproval) {
        if let Some(proof) = self.request_approval(needed).await {
            self.run_stages(proof).await;
        }
    }

    /// Executes the call, unless it needs approval first: then it stays pending.
    pub async fn execute_unless_approval_needed(&mut self) -> Option<NeededApproval> {
        if self.status == CallStatus::Pending {
            match self.authorize().await {
                Ok(Authorization::Granted(proof)) => self.run_stages(proof).await,
                Ok(Authorization::NeedsApproval(needed)) => return Some(needed),
                Err(refusal) => drop(self.refuse(|| refusal)),
            }
        } else if self.status == CallStatus::Rejected {
            if let Some(capacity) =
                self.dispatcher().recorder().and_then(CallRecorder::wait_for_capacity)
            {
                // Refused calls leave records too: a caller that repeats them waits for the writer.
                Box::pin(self.services.environment().within(RECORD_TIMEOUT, capacity)).await;
            }
        }
        if let Some(ended) = self.end_ticket() {
            ended.await;
        }
        None
    }

    /// Returns ahead of a pending call's turn whether it needs approval.
    ///
    /// The access policy is evaluated again when its turn comes.
    pub(crate) async fn authorize_ahead(&mut self) -> Option<NeededApproval> {
        match self.authorize().await {
            Ok(Authorization::Granted(_)) => None,
            Ok(Authorization::NeedsApproval(needed)) => Some(needed),
            Err(refusal) => {
                let _ = self.refuse(|| refusal);
                None
            }
        }
    }

    /// Executes a call that was approved ahead of its turn, unless the access policy refuses it now.
    pub(crate) async fn execute_allowed(&mut self, proof: ApprovalProof) {
        match self.authorize().await {
            // The approval stands: it is not requested twice.
            Ok(_) => self.run_stages(proof).await,
            Err(refusal) => drop(self.refuse(|| refusal)),
        }
    }

    /// Ends the ticket of a call that was withdrawn, if that is still to do.
    fn end_ticket(&mut self) -> Option<BoxFuture<'static, ()>> {
        let (how, ticket) = (self.approval.withdrawn?, self.approval.ticket.as_ref()?.id);
        self.approval.withdrawn = None;
        Some(self.services.authorization()?.withdrawn(self, ticket, how))
    }

    /// Runs the remaining stages, unless the call was withdrawn meanwhile.
    async fn run_stages(&mut self, proof: ApprovalProof) {
        // A policy looks for the answer of an earlier run first.
        if self.dispatcher().policy().is_none() {
            let failed = self.approval.preview_result.as_ref().and_then(PreviewResult::refusal);
            if let Some(refusal) = failed {
                let _ = self.refuse(|| refusal);
                return;
            }
        }
        // Taken out of the call, so that no second `execute` runs the tool again.
        if let (Some(decoded), CallTarget::Known(scope)) = (self.pending.take(), &self.target) {
            let (scope, services) = (scope.clone(), self.shared_services());
            self.status = CallStatus::Executing;
            let started = scope.environment().timer().now();
            self.started = Some(started);
            scope.begin_budget(started);
            let dispatcher = &services.dispatcher;
            let instrument = dispatcher.instrument().filter(|instrument| instrument.is_enabled());
            self.is_instrumented = instrument.is_some();
            let active = dispatcher.metrics().map(|metrics| metrics.started(scope.tool().name()));
            let guard = ExecutionGuard { call: self, scope: &scope, started, _active: active };
            let (approval, dry_runner) = (&guard.call.approval, &CallDryRunner(&services));
            let approved = ApprovedCall { scope: &scope, approval, started, dry_runner };
            let run = || pipeline::run_stages(dispatcher, approved, decoded, proof);
            // The future is created where it is awaited, so that it is never moved.
            let outcome = match instrument {
                None => run().await,
                Some(instrument) => instrument.instrument(&scope, run().boxed()).await,
            };
            if let Some(number) = guard.call.close(outcome) {
                // Boxed, so that calls that do not wait reserve no space for it.
                Box::pin(guard.wait_until_recorded(number)).await;
            }
        }
    }

    /// Records how much of the context's time budget a batch has used already.
    pub(crate) fn record_budget_use(&self, spent: Duration) {
        if let Some(scope) = self.scope() {
            scope.record_budget_use(spent);
        }
    }

    /// Closes the call; returns the number of its record, where the answer has to wait for that.
    fn close(&mut self, ended: CallOutcome) -> Option<u64> {
        self.status = ended.status;
        let record = self.dispatcher().close(self.facts(), &ended);
        self.output = Some(ended.output);
        record
    }

    /// Returns what a record of this call contains beside its outcome.
    fn facts(&self) -> CallFacts<'_> {
        CallFacts {
            name: self.name(),
            call_id: self.call_id(),
            cx: self.cx(),
            scope: self.scope(),
            approval: &self.approval,
            opened_at_ms: self.opened_at_ms,
            started: self.started,
            is_instrumented: self.is_instrumented,
        }
    }

    pub fn services(&self) -> &CallServices {
        &self.services
    }

    /// Returns the host, for stages that change the call while they use it.
    fn shared_services(&self) -> Arc<CallServices> {
        self.services.clone()
    }

    fn dispatcher(&self) -> &Dispatcher {
        &self.services.dispatcher
    }

    /// Notes who approved the call, and when.
    fn set_approver(&mut self, approver: String) {
        self.approval.decided_at_ms = self.dispatcher().recorder().map(CallRecorder::now_ms);
        self.approval.approver = Some(approver);
    }

    /// Notes who declined the call, and when.
    pub(crate) fn set_decliner(&mut self, decliner: String) {
        self.approval.decided_at_ms = self.dispatcher().recorder().map(CallRecorder::now_ms);
        self.approval.decliner = Some(decliner);
    }

    pub(crate) fn approver(&self) -> Option<&str> {
        self.approval.approver.as_deref()
    }

    pub fn scope(&self) -> Option<&CallScope> {
        match &self.target {
            CallTarget::Known(scope) => Some(scope),
            CallTarget::Unknown(_) => None,
        }
    }
}

/// Closes a call that is dropped while it is pending, so that every record has an end.
impl Drop for ToolCall {
    fn drop(&mut self) {
        let _ = self.refuse(Refusal::dropped);
        // Nothing awaits it here: it takes effect in a store that answers at once.
        let _ = self.end_ticket().and_then(FutureExt::now_or_never);
    }
}

impl fmt::Debug for ToolCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolCall")
            .field("name", &self.name())
            .field("call_id", &self.call_id())
            .field("status", &self.status)
            .finish_non_exhaustive()
    }
}

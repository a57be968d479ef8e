//! A call: it exists, typed and checked, before anything runs.

mod approval;
mod batch;
mod blocking;
mod blocking_run;
mod cancellation;
mod decision;
mod envelope;
mod evidence;
mod execution;
mod finished;
mod guarded;
mod host;
mod keyed;
pub(crate) mod output;
mod panics;
mod preview;
mod reconciled;
#[cfg(feature = "evidence")]
pub(crate) mod redacting;
mod rehearsal;
mod scope;
mod span_slot;
mod stage;
mod typed;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::BoxFuture;
use tool_contracts::{CallStatus, ToolContext, ToolSpec, Violation};

pub(crate) use self::approval::{CallApproval, RedeemedTicket, TicketWithdrawal, is_name};
pub use self::cancellation::Cancellation;
pub use self::decision::{ApprovalError, NotPending, Withdrawal};
pub use self::evidence::EvidenceRecorder;
use self::execution::ExecutionGuard;
pub use self::finished::{Finished, ToolFuture};
pub(crate) use self::finished::{OpenEnvelope, ReconcileOutcome, ToolEnd};
#[cfg(feature = "policy")]
pub(crate) use self::guarded::guarded;
pub(crate) use self::guarded::{PanicGuarded, guard};
pub use self::host::{DryRun, FromCall, MetaRecorder, Progress, ProgressUpdate};
pub(crate) use self::host::{EvidenceDraft, MetaDraft};
pub use self::keyed::Idempotency;
pub use self::output::{DataError, OutputMeta, ToolOutput};
pub use self::panics::quiet_tool_panics;
pub use self::preview::Preview;
pub use self::reconciled::Reconciled;
pub use self::scope::CallScope;
pub use self::typed::TypedCall;
use crate::dispatch::fitting;
use crate::dispatch::pipeline::{
    self, ApprovalProof, Authorization, CallOutcome, Decoded, NeededApproval,
};
use crate::dispatch::refusal::Refusal;
use crate::dispatch::seams::CallRecorder;
use crate::dispatch::{Runtime, record};

pub(crate) use self::batch::run as run_batch;

/// The longest that a refused call's answer waits for records to be written.
const ROOM_AFTER: Duration = Duration::from_secs(1);

/// A model's call, deferred: resolved, typed and checked, and not yet run.
///
/// [`Runtime::call`] makes it and never fails. Look at it ([`status`](Self::status),
/// [`preview`](Self::preview)), decide, then [`execute`](Self::execute): whatever happens, the
/// answer is one [`ToolOutput`], and the tool runs at most once.
pub struct ToolCall {
    target: CallTarget,
    status: CallStatus,
    pending: Option<Decoded>,
    approval: CallApproval,
    output: Option<ToolOutput>,
    /// In milliseconds since the epoch, where somebody keeps a record of it.
    opened_at_ms: u64,
    /// When its run began, if it did.
    started: Option<Instant>,
    /// Whether something surrounds its run, which has to hear of its end.
    is_instrumented: bool,
}

enum CallTarget {
    Known(CallScope),
    Unknown(Box<UnknownCall>),
}

struct UnknownCall {
    runtime: Runtime,
    name: Box<str>,
    call_id: Option<Box<str>>,
    arguments: Box<str>,
    cx: ToolContext,
}

impl CallTarget {
    fn runtime(&self) -> &Runtime {
        match self {
            Self::Known(scope) => scope.runtime(),
            Self::Unknown(call) => &call.runtime,
        }
    }
}

impl ToolCall {
    /// Opens a call that waits to be executed.
    pub(crate) fn pending(scope: CallScope, decoded: Decoded) -> Self {
        Self::opened(CallTarget::Known(scope), CallStatus::Pending, Some(decoded))
    }

    /// Opens a call of a known tool that is answered already.
    pub(crate) fn refused(scope: CallScope, refusal: &Refusal) -> Self {
        let ended = fitting::refused(&scope, refusal);
        Self::answered(CallTarget::Known(scope), ended)
    }

    /// Opens a call whose name no tool has.
    pub(crate) fn unknown(
        runtime: Runtime,
        name: &str,
        call_id: Option<Box<str>>,
        arguments: Box<str>,
        cx: ToolContext,
        refusal: &Refusal,
    ) -> Self {
        let echo = runtime.echo_of_unknown(&arguments);
        let ended = fitting::refused_with(echo, cx.dry_run(), refusal);
        let call = UnknownCall { runtime, name: name.into(), call_id, arguments, cx };
        Self::answered(CallTarget::Unknown(Box::new(call)), ended)
    }

    fn answered(target: CallTarget, ended: CallOutcome) -> Self {
        let mut call = Self::opened(target, CallStatus::Executing, None);
        call.close(ended);
        call
    }

    fn opened(target: CallTarget, status: CallStatus, pending: Option<Decoded>) -> Self {
        let opened_at_ms = target.runtime().recorder().map_or(0, CallRecorder::opened);
        Self {
            target,
            status,
            pending,
            approval: CallApproval::default(),
            output: None,
            opened_at_ms,
            started: None,
            is_instrumented: false,
        }
    }

    /// Returns where in its life the call is.
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

    /// Returns the arguments exactly as the model sent them, secrets and all: for the host only.
    #[must_use]
    pub fn input(&self) -> &str {
        match &self.target {
            CallTarget::Known(scope) => scope.raw(),
            CallTarget::Unknown(call) => &call.arguments,
        }
    }

    /// Returns the admitted arguments as JSON text, lossless slips mended, secrets and all: for the
    /// host only. None if the call was refused.
    #[must_use]
    pub fn arguments(&self) -> Option<&str> {
        let refused = self.status == CallStatus::Rejected;
        self.scope().filter(|_| !refused).map(CallScope::arguments)
    }

    /// Returns what is wrong with the arguments: every violation at once, none if they are right.
    #[must_use]
    pub fn violations(&self) -> &[Violation] {
        self.scope().map_or(&[], CallScope::violations)
    }

    /// Describes the call to the person who decides about it, secrets masked.
    #[must_use]
    pub fn preview(&self) -> Preview<'_> {
        Preview::of(self)
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
        self.scope().map(Cancellation::of)
    }

    /// Sets who hears of the tool's progress; the last listener stays, until the call ends.
    ///
    /// It is called on the tool's own thread, so it must be quick.
    pub fn on_progress(&self, listen: impl Fn(ProgressUpdate) + Send + Sync + 'static) {
        if let Some(scope) = self.scope() {
            scope.set_progress_sink(Arc::new(listen));
        }
    }

    /// Answers a pending call without running its tool.
    pub(crate) fn refuse(
        &mut self,
        refusal: impl FnOnce() -> Box<Refusal>,
    ) -> Result<(), NotPending> {
        if self.status != CallStatus::Pending {
            return Err(NotPending);
        }
        if let CallTarget::Known(scope) = &self.target {
            let ended = fitting::refused(scope, &refusal());
            drop(scope.end());
            self.pending = None;
            self.close(ended);
        }
        Ok(())
    }

    /// Runs the tool, at most once, and returns the answer: always an envelope, never an error.
    ///
    /// A second `execute` returns the first answer. Calls that were refused, declined or overtaken
    /// run nothing and return their answer too. A call whose tool asks for permission has to be
    /// [approved](Self::approve) before: otherwise it is answered `NEEDS_USER_CONFIRMATION` and
    /// ends there.
    ///
    /// # Cancellation
    /// Dropping the returned future drops the tool's and makes the call
    /// [`Interrupted`](CallStatus::Interrupted); a blocking tool runs on, unheard. While somebody
    /// is still being asked for permission nothing is lost: the call stays pending.
    pub async fn execute(&mut self) -> &ToolOutput {
        if let Some(asking) = self.execute_unless_asked().await {
            if let Some(proof) = self.ask(asking).await {
                self.carry(proof).await;
            }
        }
        self.output.get_or_insert_with(fitting::never_closed)
    }

    /// Executes the call, unless somebody has to be asked first: then it stays pending.
    pub(crate) async fn execute_unless_asked(&mut self) -> Option<NeededApproval> {
        if self.status == CallStatus::Pending {
            match pipeline::rule(self).await {
                Ok(Authorization::Granted(proof)) => self.carry(proof).await,
                Ok(Authorization::NeedsApproval(asking)) => return Some(asking),
                Err(refusal) => drop(self.refuse(|| refusal)),
            }
        } else if self.status == CallStatus::Rejected {
            if let Some(room) = self.runtime().recorder().and_then(CallRecorder::room) {
                // Whoever is refused again and again waits too, for the records that it leaves.
                self.runtime().within(ROOM_AFTER, room).await;
            }
        }
        if let Some(told) = self.end_ticket() {
            told.await;
        }
        None
    }

    /// Says ahead of a pending call's turn whether somebody has to be asked, so that they can be.
    ///
    /// The rules are asked again when its turn comes.
    pub(crate) async fn authorize_ahead(&mut self) -> Option<NeededApproval> {
        match pipeline::rule(self).await {
            Ok(Authorization::Granted(_)) => None,
            Ok(Authorization::NeedsApproval(asking)) => Some(asking),
            Err(refusal) => {
                let _ = self.refuse(|| refusal);
                None
            }
        }
    }

    /// Executes a call that somebody has allowed ahead of its turn, unless the rules refuse it now.
    pub(crate) async fn execute_allowed(&mut self, proof: ApprovalProof) {
        match pipeline::rule(self).await {
            // Nobody is asked twice.
            Ok(_) => self.carry(proof).await,
            Err(refusal) => drop(self.refuse(|| refusal)),
        }
    }

    /// Asks whoever has to be asked; a call that nobody allows is answered.
    pub(crate) async fn ask(&mut self, asking: NeededApproval) -> Option<ApprovalProof> {
        let refusal = match pipeline::ask(self, asking).await {
            Ok(proof) => return Some(proof),
            Err(refusal) => refusal,
        };
        let _ = self.refuse(|| refusal);
        None
    }

    /// Tells the ticket that the call came back by how it was withdrawn, if that is still to do.
    fn end_ticket(&mut self) -> Option<BoxFuture<'static, ()>> {
        let (how, ticket) = (self.approval.withdrawn.take()?, self.approval.ticket.as_ref()?);
        Some(self.runtime().governor()?.withdrawn(ticket.id, how))
    }

    /// Takes the call through the stages that are left, unless it was withdrawn meanwhile.
    async fn carry(&mut self, proof: ApprovalProof) {
        if let (Some(decoded), CallTarget::Known(scope)) = (self.pending.take(), &self.target) {
            let scope = scope.clone();
            self.status = CallStatus::Executing;
            let started = scope.runtime().timer().now();
            self.started = Some(started);
            let instrument = scope.runtime().instrument().filter(|instrument| instrument.wants());
            self.is_instrumented = instrument.is_some();
            let guard = ExecutionGuard { call: self, scope: &scope, started };
            let approval = &guard.call.approval;
            // Made where it is awaited, so that it is never moved.
            let ended = match instrument {
                None => pipeline::carry(&scope, decoded, proof, approval, started).await,
                Some(instrument) => {
                    let run = pipeline::carry(&scope, decoded, proof, approval, started);
                    instrument.around(&scope, run.boxed()).await
                }
            };
            if let Some(number) = guard.call.close(ended) {
                // Boxed, so that calls without such a wait carry no room for it.
                Box::pin(guard.recorded(number)).await;
            }
        }
    }

    /// Says how much of the context's budget a batch has used already.
    pub(crate) fn record_budget_use(&self, spent: Duration) {
        if let Some(scope) = self.scope() {
            scope.record_budget_use(spent);
        }
    }

    /// Closes the call; returns the number of its record, where the answer has to wait for that.
    fn close(&mut self, ended: CallOutcome) -> Option<u64> {
        self.status = ended.status;
        let record = record::closed(self.runtime(), self, &ended);
        self.output = Some(ended.output);
        record
    }

    pub(crate) fn runtime(&self) -> &Runtime {
        self.target.runtime()
    }

    /// Notes who approved the call, and when.
    fn set_approver(&mut self, approver: String) {
        self.approval.approved_at_ms = self.runtime().recorder().map(CallRecorder::now_ms);
        self.approval.approver = Some(approver);
    }

    pub(crate) fn opened_at_ms(&self) -> u64 {
        self.opened_at_ms
    }

    pub(crate) fn is_instrumented(&self) -> bool {
        self.is_instrumented
    }

    pub(crate) fn started(&self) -> Option<Instant> {
        self.started
    }

    pub(crate) fn approver(&self) -> Option<&str> {
        self.approval.approver.as_deref()
    }

    pub(crate) fn approval(&self) -> &CallApproval {
        &self.approval
    }

    pub(crate) fn approval_mut(&mut self) -> &mut CallApproval {
        &mut self.approval
    }

    pub(crate) fn scope(&self) -> Option<&CallScope> {
        match &self.target {
            CallTarget::Known(scope) => Some(scope),
            CallTarget::Unknown(_) => None,
        }
    }
}

/// A call that is dropped before it was decided is closed too: every record has an end.
impl Drop for ToolCall {
    fn drop(&mut self) {
        let _ = self.refuse(Refusal::dropped);
        // Nobody is left to wait for it: a store that takes it at once has it.
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

//! A call: it exists, typed and checked, before anything runs.

mod batch;
mod blocking;
mod cancellation;
mod consent;
mod edit;
mod envelope;
mod evidence;
mod finished;
mod guarded;
mod host;
mod job;
mod keyed;
pub(crate) mod output;
mod panics;
mod preview;
mod reconciled;
#[cfg(feature = "evidence")]
pub(crate) mod redacting;
mod rehearsal;
mod scope;
mod stage;
mod surrounding;
mod typed;
mod underway;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::BoxFuture;
use tool_contracts::{CallStatus, ToolContext, ToolSpec, Violation};

pub use self::cancellation::Cancellation;
pub(crate) use self::consent::{Consent, HeldTicket, Withdrawn, is_name};
pub use self::edit::EditError;
pub use self::evidence::EvidenceRecorder;
pub(crate) use self::finished::{Answer, End, Verdict};
pub use self::finished::{Finished, Running};
#[cfg(feature = "policy")]
pub(crate) use self::guarded::guarded;
pub(crate) use self::guarded::{Guarded, guard};
pub use self::host::{DryRun, FromCall, MetaRecorder, Progress, ProgressUpdate};
pub(crate) use self::host::{Grounds, MetaDraft};
pub use self::keyed::Idempotency;
pub use self::output::ToolOutput;
pub use self::panics::quiet_tool_panics;
pub use self::preview::Preview;
pub use self::reconciled::Reconciled;
pub use self::scope::CallScope;
pub use self::typed::TypedCall;
use self::underway::Open;
use crate::dispatch::fitting;
use crate::dispatch::pipeline::{self, Asking, Consulted, Decoded, Ended, Ruled};
use crate::dispatch::refusal::Refusal;
use crate::dispatch::witness::Witness;
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
    target: Target,
    status: CallStatus,
    pending: Option<Decoded>,
    consent: Consent,
    output: Option<ToolOutput>,
    /// In milliseconds since the epoch, where somebody keeps a record of it.
    opened_at_ms: u64,
    /// When its run began, if it did.
    started: Option<Instant>,
    /// Whether something surrounds its run, which has to hear of its end.
    is_surrounded: bool,
}

enum Target {
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

impl Target {
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
        Self::opened(Target::Known(scope), CallStatus::Pending, Some(decoded))
    }

    /// Opens a call of a known tool that is answered already.
    pub(crate) fn refused(scope: CallScope, refusal: &Refusal) -> Self {
        let ended = fitting::refused(&scope, refusal);
        Self::answered(Target::Known(scope), ended)
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
        Self::answered(Target::Unknown(Box::new(call)), ended)
    }

    fn answered(target: Target, ended: Ended) -> Self {
        let mut call = Self::opened(target, CallStatus::Executing, None);
        call.close(ended);
        call
    }

    fn opened(target: Target, status: CallStatus, pending: Option<Decoded>) -> Self {
        let opened_at_ms = target.runtime().witness().map_or(0, Witness::opened);
        Self {
            target,
            status,
            pending,
            consent: Consent::default(),
            output: None,
            opened_at_ms,
            started: None,
            is_surrounded: false,
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
            Target::Known(scope) => scope.tool().name(),
            Target::Unknown(call) => &call.name,
        }
    }

    /// Returns the model's id of the call, if it gave one.
    #[must_use]
    pub fn call_id(&self) -> Option<&str> {
        match &self.target {
            Target::Known(scope) => scope.call_id(),
            Target::Unknown(call) => call.call_id.as_deref(),
        }
    }

    /// Returns the context that the host gave.
    #[must_use]
    pub fn cx(&self) -> &ToolContext {
        match &self.target {
            Target::Known(scope) => scope.cx(),
            Target::Unknown(call) => &call.cx,
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
            Target::Known(scope) => scope.raw(),
            Target::Unknown(call) => &call.arguments,
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

    /// Says who allows this call, where its tool asks for permission first.
    ///
    /// The approver is named by the host, never by the model. Returns whether it took effect:
    /// not for a name that is blank or has characters which cannot be seen, and not unless the call is [`Pending`](CallStatus::Pending).
    pub fn approve(&mut self, approver: impl Into<String>) -> bool {
        let approver = approver.into();
        let counts = self.status == CallStatus::Pending && is_name(&approver);
        if counts {
            self.approved_by(approver);
            self.consent.replays = false;
        }
        counts
    }

    /// Declines a pending call; the model is told why. Returns whether it was pending.
    pub fn decline(&mut self, feedback: impl Into<String>) -> bool {
        self.withdraw_as(Withdrawn::Declined, || Refusal::declined(&feedback.into()))
    }

    /// Withdraws a pending call that a newer message of the user has overtaken.
    ///
    /// Returns whether it was pending.
    pub fn overtake(&mut self) -> bool {
        self.withdraw_as(Withdrawn::Overtaken, Refusal::overtaken)
    }

    /// Withdraws a pending call that nobody answered in time. Returns whether it was pending.
    pub fn expire(&mut self) -> bool {
        self.withdraw_as(Withdrawn::Expired, Refusal::expired)
    }

    /// Withdraws a pending call of a response that was cut off before it was whole.
    ///
    /// Returns whether it was pending.
    pub fn cut_off(&mut self) -> bool {
        self.withdraw(Refusal::cut_off)
    }

    /// Withdraws the call for good: a ticket that it came back by ends with it.
    fn withdraw_as(&mut self, how: Withdrawn, refusal: impl FnOnce() -> Box<Refusal>) -> bool {
        let withdrawn = self.withdraw(refusal);
        if withdrawn && self.consent.ticket.is_some() {
            self.consent.withdrawn = Some(how);
        }
        withdrawn
    }

    pub(crate) fn withdraw(&mut self, refusal: impl FnOnce() -> Box<Refusal>) -> bool {
        if self.status != CallStatus::Pending {
            return false;
        }
        if let Target::Known(scope) = &self.target {
            let ended = fitting::refused(scope, &refusal());
            drop(scope.end());
            self.pending = None;
            self.close(ended);
        }
        true
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
            if let Some(consulted) = self.ask(asking).await {
                self.carry(consulted).await;
            }
        }
        self.output.get_or_insert_with(fitting::never_closed)
    }

    /// Executes the call, unless somebody has to be asked first: then it stays pending.
    pub(crate) async fn execute_unless_asked(&mut self) -> Option<Asking> {
        if self.status == CallStatus::Pending {
            match pipeline::rule(self).await {
                Ok(Ruled::Allowed(consulted)) => self.carry(consulted).await,
                Ok(Ruled::Asks(asking)) => return Some(asking),
                Err(refusal) => drop(self.withdraw(|| refusal)),
            }
        } else if self.status == CallStatus::Rejected {
            if let Some(room) = self.runtime().witness().and_then(Witness::room) {
                // Whoever is refused again and again waits too, for the records that it leaves.
                self.runtime().within(ROOM_AFTER, room).await;
            }
        }
        if let Some(told) = self.tell_ticket() {
            told.await;
        }
        None
    }

    /// Says ahead of a pending call's turn whether somebody has to be asked, so that they can be.
    ///
    /// The rules are asked again when its turn comes.
    pub(crate) async fn asks_ahead(&mut self) -> Option<Asking> {
        match pipeline::rule(self).await {
            Ok(Ruled::Allowed(_)) => None,
            Ok(Ruled::Asks(asking)) => Some(asking),
            Err(refusal) => {
                self.withdraw(|| refusal);
                None
            }
        }
    }

    /// Executes a call that somebody has allowed ahead of its turn, unless the rules refuse it now.
    pub(crate) async fn execute_allowed(&mut self, consulted: Consulted) {
        match pipeline::rule(self).await {
            // Nobody is asked twice.
            Ok(_) => self.carry(consulted).await,
            Err(refusal) => drop(self.withdraw(|| refusal)),
        }
    }

    /// Asks whoever has to be asked; a call that nobody allows is answered.
    pub(crate) async fn ask(&mut self, asking: Asking) -> Option<Consulted> {
        let refusal = match pipeline::ask(self, asking).await {
            Ok(consulted) => return Some(consulted),
            Err(refusal) => refusal,
        };
        self.withdraw(|| refusal);
        None
    }

    /// Tells the ticket that the call came back by how it was withdrawn, if that is still to do.
    fn tell_ticket(&mut self) -> Option<BoxFuture<'static, ()>> {
        let (how, ticket) = (self.consent.withdrawn.take()?, self.consent.ticket.as_ref()?);
        Some(self.runtime().governor()?.withdrawn(ticket.id, how))
    }

    /// Takes the call through the stages that are left, unless it was withdrawn meanwhile.
    async fn carry(&mut self, consulted: Consulted) {
        if let (Some(decoded), Target::Known(scope)) = (self.pending.take(), &self.target) {
            let scope = scope.clone();
            self.status = CallStatus::Executing;
            let started = scope.runtime().timer().now();
            self.started = Some(started);
            let surround = scope.runtime().surround().filter(|surround| surround.wants());
            self.is_surrounded = surround.is_some();
            let open = Open { call: self, scope: &scope, started };
            let consent = &open.call.consent;
            // Made where it is awaited, so that it is never moved.
            let ended = match surround {
                None => pipeline::carry(&scope, decoded, consulted, consent, started).await,
                Some(surround) => {
                    let run = pipeline::carry(&scope, decoded, consulted, consent, started);
                    surround.around(&scope, run.boxed()).await
                }
            };
            if let Some(number) = open.call.close(ended) {
                // Boxed, so that calls without such a wait carry no room for it.
                Box::pin(open.recorded(number)).await;
            }
        }
    }

    /// Says how much of the context's budget a batch has used already.
    pub(crate) fn spend(&self, spent: Duration) {
        if let Some(scope) = self.scope() {
            scope.spend(spent);
        }
    }

    /// Closes the call; returns the number of its record, where the answer has to wait for that.
    fn close(&mut self, ended: Ended) -> Option<u64> {
        self.status = ended.status;
        let record = record::closed(self.runtime(), self, &ended);
        self.output = Some(ended.output);
        record
    }

    pub(crate) fn runtime(&self) -> &Runtime {
        self.target.runtime()
    }

    /// Notes who has allowed the call, and when.
    fn approved_by(&mut self, approver: String) {
        self.consent.approved_at_ms = self.runtime().witness().map(Witness::now_ms);
        self.consent.approver = Some(approver);
    }

    pub(crate) fn opened_at_ms(&self) -> u64 {
        self.opened_at_ms
    }

    pub(crate) fn is_surrounded(&self) -> bool {
        self.is_surrounded
    }

    pub(crate) fn started(&self) -> Option<Instant> {
        self.started
    }

    pub(crate) fn approver(&self) -> Option<&str> {
        self.consent.approver.as_deref()
    }

    pub(crate) fn consent(&self) -> &Consent {
        &self.consent
    }

    pub(crate) fn consent_mut(&mut self) -> &mut Consent {
        &mut self.consent
    }

    pub(crate) fn scope(&self) -> Option<&CallScope> {
        match &self.target {
            Target::Known(scope) => Some(scope),
            Target::Unknown(_) => None,
        }
    }
}

/// A call that is dropped before it was decided is closed too: every record has an end.
impl Drop for ToolCall {
    fn drop(&mut self) {
        self.withdraw(Refusal::dropped);
        // Nobody is left to wait for it: a store that takes it at once has it.
        let _ = self.tell_ticket().and_then(FutureExt::now_or_never);
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

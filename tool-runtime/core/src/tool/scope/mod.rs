//! The state that a call and its tool share while the call lives.

mod entry;
mod evidence;
mod ledger;
#[cfg(not(feature = "trace"))]
mod no_span_slot;
mod place;
#[cfg(feature = "policy")]
mod policy;
mod purpose;
mod requested;
mod scrubs;
#[cfg(feature = "trace")]
mod span_slot;
mod stage;

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use tool_contracts::{Coercion, Effect, ErrorCode, ToolContext, ToolSpec, Violation};
use tool_runtime_schema::json::from_text;
use tool_runtime_schema::schema::{Malformed, ValidationReport};
use uuid::Uuid;

#[cfg(not(feature = "trace"))]
use self::no_span_slot::SpanSlot;
use self::purpose::{ArgumentEdit, Purpose};
pub use self::requested::RequestedLimits;
pub(crate) use self::scrubs::ErrorAuthor;
use self::scrubs::TextScrubbers;
#[cfg(feature = "trace")]
use self::span_slot::SpanSlot;
use self::stage::Stage;
use super::blocking_run::BlockingRun;
use super::cancellation::CancelFlag;
use super::environment::Environment;
use super::host_parameters::{MetaDraft, ProgressSink};
use super::idempotency::Idempotency;
use super::panic_guard::catch_panic;
use super::registry::RegisteredTool;
use super::user_input::InputSource;
use crate::arguments;
use crate::failure::Failure;

/// The lease of a claim: while it is valid, no other process runs the same call.
pub(crate) trait Lease: Send + Sync {
    /// Returns whether the lease has expired, so that another process may run the same call.
    fn is_over(&self) -> bool;
}

/// One call, as its tool sees it. A handle: cloning it is cheap.
#[derive(Clone)]
pub struct CallScope(Arc<ScopeState>);

struct ScopeState {
    environment: Arc<Environment>,
    tool: Arc<RegisteredTool>,
    call_id: Option<Box<str>>,
    arguments: Box<str>,
    cx: ToolContext,
    purpose: Purpose,
    stage: Stage,
    /// Made when the call is first cancelled, or can be cancelled from outside.
    cancel: OnceLock<Arc<CancelFlag>>,
    /// The part of the context's time budget that a batch had used before this call's turn came.
    spent_ms: AtomicU64,
    /// True once the typed reader has read all of the raw arguments.
    read_whole: AtomicBool,
    /// The schema check's report, if the check was needed.
    schema_report: OnceLock<Box<ValidationReport>>,
    meta: Mutex<Option<Box<MetaDraft>>>,
    /// The number of earlier attempts.
    earlier_attempts: AtomicU32,
    /// True if an earlier attempt may have had its effect although it failed.
    effect_unknown: AtomicBool,
    /// True if the ledger's queue has reserved room for the call's record.
    #[allow(dead_code, reason = "only the feature `ledger` has a queue")]
    is_reserved: AtomicBool,
    /// The state that most calls do not have.
    optional: OnceLock<Box<OptionalState>>,
}

/// The state that most calls do not have, allocated when the first part of it is needed.
#[derive(Default)]
struct OptionalState {
    /// Violations that only the typed reader found, and its message for the log.
    refusal: OnceLock<(Vec<Violation>, String)>,
    progress: Mutex<Option<ProgressSink>>,
    /// The user of the caller, for tools that ask.
    input: OnceLock<Arc<dyn InputSource>>,
    /// The place of the call, from which its key is derived in place of the model's id.
    place: OnceLock<Box<str>>,
    idempotency: OnceLock<Idempotency>,
    /// The limits that the request of an agent asks for.
    requested: OnceLock<RequestedLimits>,
    lease: OnceLock<Arc<dyn Lease>>,
    /// The scrubbers of texts about the call, made when the first text is written.
    scrubs: OnceLock<Box<TextScrubbers>>,
    blocking_run: BlockingRun,
    #[allow(dead_code, reason = "only the feature `trace` has spans")]
    span_slot: SpanSlot,
}

impl ScopeState {
    fn new(
        environment: Arc<Environment>,
        tool: Arc<RegisteredTool>,
        call_id: Option<Box<str>>,
        arguments: Box<str>,
        cx: ToolContext,
    ) -> Self {
        ScopeState {
            environment,
            tool,
            call_id,
            arguments,
            cx,
            purpose: Purpose::Run,
            stage: Stage::default(),
            cancel: OnceLock::new(),
            spent_ms: AtomicU64::new(0),
            read_whole: AtomicBool::new(false),
            schema_report: OnceLock::new(),
            meta: Mutex::new(None),
            earlier_attempts: AtomicU32::new(0),
            effect_unknown: AtomicBool::new(false),
            is_reserved: AtomicBool::new(false),
            optional: OnceLock::new(),
        }
    }

    /// Returns the state that most calls do not have, if this one has it.
    fn optional(&self) -> Option<&OptionalState> {
        self.optional.get().map(|optional| &**optional)
    }

    /// Returns the violations that only the typed reader found, and its message for the log.
    fn refusal(&self) -> Option<&(Vec<Violation>, String)> {
        self.optional()?.refusal.get()
    }

    /// Returns the state that most calls do not have, which is allocated if it is not there.
    fn optional_or_new(&self) -> &OptionalState {
        self.optional.get_or_init(Box::default)
    }
}

impl OptionalState {
    fn lock_progress(&self) -> MutexGuard<'_, Option<ProgressSink>> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CallScope {
    pub fn new(
        environment: Arc<Environment>,
        tool: Arc<RegisteredTool>,
        call_id: Option<Box<str>>,
        arguments: Box<str>,
        cx: ToolContext,
    ) -> Self {
        let limits = *environment.limits();
        let (arguments, written) = arguments::or_none(arguments, &limits);
        let state = ScopeState::new(environment, tool, call_id, arguments, cx);
        if let Some(written) = written {
            let mut report = state.tool.check_arguments(&state.arguments, &limits);
            if report.is_admitted() {
                report.coercions.insert(0, Coercion::new("", written, "object"));
            }
            drop(state.schema_report.set(Box::new(report)));
        }
        Self(Arc::new(state))
    }

    /// Makes the same call with arguments that a person changed.
    pub(crate) fn edited(&self, arguments: Box<str>, pointers: Vec<String>) -> Self {
        let mut shared = self.restarted_with(arguments);
        let edit = ArgumentEdit { sent: self.original_call().clone(), pointers };
        shared.purpose = Purpose::Edited(Box::new(edit));
        let edited = Self(Arc::new(shared));
        if let Some(source) = self.input_source() {
            edited.set_input_source(source);
        }
        self.share_requested_limits(&edited);
        edited
    }

    /// Makes a dry run of this call, which ends without it.
    pub(crate) fn for_approval_dry_run(&self) -> Self {
        let mut shared = self.restarted_with(self.arguments().into());
        shared.cx = shared.cx.with_dry_run(true);
        shared.cancel = OnceLock::new();
        shared.purpose = Purpose::ApprovalDryRun;
        let dry_run = Self(Arc::new(shared));
        self.share_requested_time(&dry_run);
        dry_run
    }

    /// Starts the same call anew, with the same cancellation and the same listener.
    fn restarted_with(&self, arguments: Box<str>) -> ScopeState {
        let ScopeState { environment, tool, call_id, cx, .. } = &*self.0;
        let (environment, tool) = (environment.clone(), tool.clone());
        let call_id = call_id.clone();
        let again = ScopeState {
            cancel: OnceLock::from(self.cancel_flag().clone()),
            spent_ms: AtomicU64::new(self.0.spent_ms.load(Ordering::Relaxed)),
            ..ScopeState::new(environment, tool, call_id, arguments, cx.clone())
        };
        if let Some(place) = self.place() {
            drop(again.optional_or_new().place.set(place.into()));
        }
        if let Some(sink) = self.progress_sink() {
            *again.optional_or_new().lock_progress() = Some(sink);
        }
        again
    }

    /// The call as the caller sent it, before a person changed it.
    pub(crate) fn original_call(&self) -> &Self {
        self.0.purpose.edit().map_or(self, |edit| &edit.sent)
    }

    /// Returns the context that the host gave.
    #[must_use]
    pub fn cx(&self) -> &ToolContext {
        &self.0.cx
    }

    /// Returns the tool that is called.
    #[must_use]
    pub fn tool(&self) -> &ToolSpec {
        &self.0.tool.spec
    }

    /// Returns the model's id of the call, if it gave one.
    #[must_use]
    pub fn call_id(&self) -> Option<&str> {
        self.0.call_id.as_deref()
    }

    /// Returns the admitted arguments as JSON text: as sent, with lossless coercions applied.
    #[must_use]
    pub fn arguments(&self) -> &str {
        self.schema_report()
            .and_then(|report| report.coerced.as_deref())
            .unwrap_or(&self.0.arguments)
    }

    /// Reads the admitted arguments into a type, as a dynamic tool's closure does.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where the type cannot be read from arguments that the schema admits.
    pub fn parse<'s, T: Deserialize<'s>>(&'s self) -> Result<T, Failure> {
        from_text(self.arguments()).map_err(|error| {
            Failure::from_code(ErrorCode::InvalidArgument).with_log(error.to_string())
        })
    }

    /// Returns the host's state of this type, if the builder was given one.
    #[must_use]
    pub fn state<T: ?Sized + Send + Sync + 'static>(&self) -> Option<&T> {
        self.0.environment.states.get::<T>().map(|state| &**state)
    }

    /// Returns whether the tool must not perform its effect.
    #[must_use]
    pub fn dry_run(&self) -> bool {
        self.0.cx.dry_run()
    }

    /// Returns whether this is a dry run of a tool that has an effect, so that nothing happens.
    ///
    /// A read ignores the flag: it gives its data in a dry run too, and is judged, evidenced and
    /// counted like any read.
    pub(crate) fn withholds_effect(&self) -> bool {
        self.dry_run() && self.tool().effect() != Effect::Read
    }

    /// Returns whether this is the dry run of a call that waits for a decision.
    #[must_use]
    pub fn is_approval_dry_run(&self) -> bool {
        self.0.purpose.is_approval_dry_run()
    }

    /// Returns the call that this one replays.
    #[must_use]
    pub fn replay_of(&self) -> Option<Uuid> {
        self.0.purpose.replay_of()
    }

    pub(crate) fn blocking_run(&self) -> &BlockingRun {
        &self.0.optional_or_new().blocking_run
    }

    /// Returns how long the tool may run: by its own deadline, the context's budget or the limits of
    /// an agent's request, whichever is sooner.
    #[must_use]
    pub fn budget(&self) -> Duration {
        let tool_timeout = self.0.tool.timeout;
        let spent = self.0.spent_ms.load(Ordering::Relaxed);
        let left = |budget: u64| Duration::from_millis(budget.saturating_sub(spent));
        let time_budget =
            self.0.cx.timeouts_ms().map_or(tool_timeout, |budget| tool_timeout.min(left(budget)));
        self.requested_budget().map_or(time_budget, |requested| time_budget.min(requested))
    }

    /// Returns what the call shares with the other calls of its runtime.
    #[must_use]
    pub fn environment(&self) -> &Environment {
        &self.0.environment
    }

    #[must_use]
    pub fn registered(&self) -> &RegisteredTool {
        &self.0.tool
    }

    /// The arguments as the model sent them; `{}` for a text without arguments.
    pub(crate) fn raw(&self) -> &str {
        &self.0.arguments
    }

    /// Returns the call's cancellation, to fire it or to wait for it.
    pub(crate) fn cancel_flag(&self) -> &Arc<CancelFlag> {
        self.0.cancel.get_or_init(Arc::default)
    }

    /// Returns whether the call was cancelled.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.0.cancel.get().is_some_and(|flag| flag.is_fired())
    }

    /// Records how much of the context's time budget a batch has used already.
    pub(crate) fn record_budget_use(&self, spent: Duration) {
        let spent_ms = u64::try_from(spent.as_millis()).unwrap_or(u64::MAX);
        self.0.spent_ms.store(spent_ms, Ordering::Relaxed);
    }

    pub(crate) fn progress_sink(&self) -> Option<ProgressSink> {
        self.0.optional()?.lock_progress().clone()
    }

    /// Sets the listener for progress; the last one counts.
    pub(crate) fn set_progress_sink(&self, sink: ProgressSink) {
        *self.0.optional_or_new().lock_progress() = Some(sink);
    }

    pub(crate) fn input_source(&self) -> Option<Arc<dyn InputSource>> {
        self.0.optional()?.input.get().cloned()
    }

    /// Sets the user of the caller; the first one counts.
    pub fn set_input_source(&self, source: Arc<dyn InputSource>) {
        let _ = self.0.optional_or_new().input.set(source);
    }

    pub(crate) fn stage(&self) -> &Stage {
        &self.0.stage
    }

    /// Ends the call for its tool, which can add nothing to the output from now on.
    ///
    /// Returns whether the tool had begun, and the entries that it recorded.
    pub(crate) fn end(&self) -> (bool, Option<Box<MetaDraft>>) {
        if let Some(listener) =
            self.0.optional().and_then(|optional| optional.lock_progress().take())
        {
            drop(catch_panic(|| drop(listener)));
        }
        let mut meta = self.lock_meta();
        self.0.stage.end();
        let effect_unknown = self.0.effect_unknown.load(Ordering::Relaxed);
        (effect_unknown || self.0.stage.has_begun(), meta.take())
    }

    /// Resets the scope after a failed attempt, so that the tool can run again; `effect_unknown` if it
    /// may have had its effect although it failed.
    pub(crate) fn reset_for_retry(&self, effect_unknown: bool) {
        self.0.effect_unknown.fetch_or(effect_unknown, Ordering::Relaxed);
        let mut meta = self.lock_meta();
        drop(meta.take());
        self.0.earlier_attempts.fetch_add(1, Ordering::Relaxed);
        self.0.stage.park();
    }

    /// Returns the number of this attempt, from 1.
    pub(crate) fn attempt(&self) -> u32 {
        self.0.earlier_attempts.load(Ordering::Relaxed).saturating_add(1)
    }

    /// Returns how often the tool has begun.
    pub(crate) fn started_attempts(&self) -> u32 {
        let earlier_attempts = self.0.earlier_attempts.load(Ordering::Relaxed);
        earlier_attempts.saturating_add(u32::from(self.0.stage.has_begun()))
    }

    /// The JSON Pointers of what a person changed.
    pub(crate) fn edits(&self) -> &[String] {
        self.0.purpose.edit().map_or(&[], |edit| &edit.pointers)
    }

    pub(crate) fn idempotency(&self) -> Idempotency {
        let idempotency = self.0.optional().and_then(|optional| optional.idempotency.get());
        idempotency.cloned().unwrap_or_default()
    }

    /// Returns whether a failure of the tool may be retried at all.
    pub(crate) fn has_retries(&self) -> bool {
        self.0.tool.policy_stages.retry || self.requested_retries().is_some()
    }

    /// Returns whether the tool may be polled: the call has no lease, or one that has not run out.
    pub(crate) fn may_be_polled(&self) -> bool {
        let lease = self.0.optional().and_then(|optional| optional.lease.get());
        lease.is_none_or(|lease| !lease.is_over())
    }

    /// Adds to the call's `meta` on behalf of this attempt.
    pub(crate) fn with_meta(&self, attempt: u32, change: impl FnOnce(&mut MetaDraft)) {
        let mut meta = self.lock_meta();
        // Under the lock, so that neither `end` nor `reset_for_retry` can slip in between.
        if !self.0.stage.has_ended() && self.attempt() == attempt {
            change(meta.get_or_insert_default());
        }
    }

    fn lock_meta(&self) -> MutexGuard<'_, Option<Box<MetaDraft>>> {
        self.0.meta.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn schema_report(&self) -> Option<&ValidationReport> {
        self.0.schema_report.get().map(|report| &**report)
    }

    /// Checks the raw arguments by the schema, once, and keeps what was found.
    pub(crate) fn check_by_schema(&self) -> &ValidationReport {
        self.0.schema_report.get_or_init(|| {
            let tool = &self.0.tool;
            let limits = self.0.environment.limits();
            Box::new(tool.check_arguments(&self.0.arguments, limits))
        })
    }

    pub(crate) fn malformed(&self) -> Option<&Malformed> {
        self.schema_report()?.malformed.as_ref()
    }

    #[must_use]
    pub fn violations(&self) -> &[Violation] {
        match self.0.refusal() {
            Some((violations, _)) => violations,
            None => self.schema_report().map_or(&[], |report| &report.violations),
        }
    }

    /// Returns the typed reader's message about arguments that only it refused; for the log.
    pub(crate) fn refusal_log(&self) -> &str {
        self.0.refusal().map_or("", |(_, log)| log)
    }

    /// Returns the echo of the arguments as sent, with secrets masked; none if they are not JSON.
    pub(crate) fn echo(&self) -> Option<&str> {
        self.original_call().masked_arguments()
    }

    /// Returns the arguments of this call, with secrets masked; none if they are not JSON.
    pub(crate) fn masked_arguments(&self) -> Option<&str> {
        let has_secrets = self.0.tool.has_secrets;
        if self.0.read_whole.load(Ordering::Relaxed) && !has_secrets {
            return Some(&self.0.arguments);
        }
        // Show nothing that was not parsed successfully.
        let report = self.check_by_schema();
        // A number beyond every reader's range would make the whole envelope unreadable.
        if report.violations.iter().any(|violation| violation.rule() == "precision") {
            return None;
        }
        match (&report.malformed, has_secrets) {
            (Some(_), _) => None,
            (None, true) => report.masked.as_deref(),
            (None, false) => Some(&self.0.arguments),
        }
    }
}

impl fmt::Debug for CallScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallScope")
            .field("tool", &self.tool().name())
            .field("call_id", &self.call_id())
            .field("cx", self.cx())
            .finish_non_exhaustive()
    }
}

//! The state that a call's handles share, with what the runtime does to it.

use std::any::Any;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tool_contracts::{Effect, EvidenceSource, ToolContext, Violation};
use tool_runtime_schema::schema::{Malformed, ValidationReport};

#[cfg(not(feature = "trace"))]
use super::no_span_slot::SpanSlot;
use super::purpose::Purpose;
use super::requested::RequestedLimits;
use super::scrubs::TextScrubbers;
#[cfg(feature = "trace")]
use super::span_slot::SpanSlot;
use super::stage::Stage;
use crate::dispatch::SpendingRecord;
use crate::timer::whole_millis;
use crate::tool::blocking_run::BlockingRun;
use crate::tool::cancellation::CancelFlag;
use crate::tool::environment::Environment;
use crate::tool::host_parameters::{MetaDraft, ProgressSink};
use crate::tool::idempotency::Idempotency;
use crate::tool::panic_guard::catch_panic;
use crate::tool::registry::RegisteredTool;
use crate::tool::user_input::InputSource;

/// The lease of a claim: while it is valid, no other process runs the same call.
pub(crate) trait Lease: Send + Sync {
    /// Returns whether the lease has expired, so that another process may run the same call.
    fn is_over(&self) -> bool;
}

/// The transaction of the store that a tool borrows: it is committed only when the call is settled.
pub(crate) trait Transaction: Send + Sync {
    /// Returns the transaction of the present attempt, as the type that the tool borrows.
    fn current(&self) -> Option<Arc<dyn Any + Send + Sync>>;

    /// Undoes the effect of the present attempt. Once the commit has begun, it changes nothing.
    fn roll_back(&self);

    /// Returns whether the commit has begun, so that the effect may not be undone.
    fn is_committing(&self) -> bool;
}

/// The state of one call, which its handles share.
///
/// The tool's author sees the call through [`CallScope`](super::CallScope); the methods here are the runtime's.
pub struct CallState {
    pub(super) environment: Arc<Environment>,
    pub(super) tool: Arc<RegisteredTool>,
    pub(super) call_id: Option<Box<str>>,
    pub(super) arguments: Box<str>,
    pub(super) cx: ToolContext,
    pub(super) purpose: Purpose,
    pub(super) stage: Stage,
    /// Made when the call is first cancelled, or can be cancelled from outside.
    pub(super) cancel: OnceLock<Arc<CancelFlag>>,
    /// The part of the context's time budget that a batch had used before this call's turn came.
    pub(super) spent_ms: AtomicU64,
    /// True once the typed reader has read all of the raw arguments.
    pub(super) read_whole: AtomicBool,
    /// The schema check's report, if the check was needed.
    pub(super) schema_report: OnceLock<Box<ValidationReport>>,
    pub(super) meta: Mutex<Option<Box<MetaDraft>>>,
    /// The number of earlier attempts.
    pub(super) earlier_attempts: AtomicU32,
    /// True if an earlier attempt may have had its effect although it failed.
    pub(super) effect_unknown: AtomicBool,
    /// True if the ledger's queue has reserved room for the call's record.
    #[allow(dead_code, reason = "only the feature `ledger` has a queue")]
    pub(super) is_reserved: AtomicBool,
    /// The state that most calls do not have.
    pub(super) optional: OnceLock<Box<OptionalState>>,
}

/// The state that most calls do not have, allocated when the first part of it is needed.
#[derive(Default)]
pub(super) struct OptionalState {
    /// Violations that only the typed reader found, and its message for the log.
    pub(super) refusal: OnceLock<(Vec<Violation>, String)>,
    pub(super) progress: Mutex<Option<ProgressSink>>,
    /// The user of the caller, for tools that ask.
    pub(super) input: OnceLock<Arc<dyn InputSource>>,
    /// The place of the call, from which its key is derived in place of the model's id.
    pub(super) place: OnceLock<Box<str>>,
    pub(super) idempotency: OnceLock<Idempotency>,
    /// The limits that the request of an agent asks for.
    pub(super) requested: OnceLock<RequestedLimits>,
    /// The money that the tool has reported as spent: codes of currencies, and millionths.
    #[allow(dead_code, reason = "only the feature `policy` has budgets")]
    pub(super) spent: Mutex<Vec<(Box<str>, u64)>>,
    /// The proofs of what the call may spend, as sources of its evidence.
    pub(super) proofs: OnceLock<Vec<EvidenceSource>>,
    /// The amounts that the call has asked of budgets.
    pub(super) spending: Mutex<Vec<SpendingRecord>>,
    pub(super) lease: OnceLock<Arc<dyn Lease>>,
    pub(super) transaction: OnceLock<Arc<dyn Transaction>>,
    /// The scrubbers of texts about the call, made when the first text is written.
    pub(super) scrubs: OnceLock<Box<TextScrubbers>>,
    pub(super) blocking_run: BlockingRun,
    #[allow(dead_code, reason = "only the feature `trace` has spans")]
    pub(super) span_slot: SpanSlot,
}

impl CallState {
    pub(super) fn new(
        environment: Arc<Environment>,
        tool: Arc<RegisteredTool>,
        call_id: Option<Box<str>>,
        arguments: Box<str>,
        cx: ToolContext,
    ) -> Self {
        CallState {
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
    pub(super) fn optional(&self) -> Option<&OptionalState> {
        self.optional.get().map(|optional| &**optional)
    }

    /// Returns the proofs of what the call may spend.
    pub(crate) fn proofs(&self) -> &[EvidenceSource] {
        let proofs = self.optional().and_then(|optional| optional.proofs.get());
        proofs.map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the amounts that the call has asked of budgets.
    pub(crate) fn spending(&self) -> Vec<SpendingRecord> {
        let Some(optional) = self.optional() else { return Vec::new() };
        optional.spending.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the violations that only the typed reader found, and its message for the log.
    pub(super) fn refusal(&self) -> Option<&(Vec<Violation>, String)> {
        self.optional()?.refusal.get()
    }

    /// Returns the state that most calls do not have, which is allocated if it is not there.
    pub(super) fn optional_or_new(&self) -> &OptionalState {
        self.optional.get_or_init(Box::default)
    }
}

impl OptionalState {
    pub(super) fn lock_progress(&self) -> MutexGuard<'_, Option<ProgressSink>> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The methods of the runtime.
impl CallState {
    /// Returns the call as its caller sent it, before a person changed it.
    pub(super) fn original(&self) -> &Self {
        self.purpose.edit().map_or(self, |edit| &edit.sent)
    }

    /// Returns the admitted arguments as JSON text: as sent, with lossless coercions applied.
    pub(super) fn admitted_arguments(&self) -> &str {
        let coerced = self.schema_report().and_then(|report| report.coerced.as_deref());
        coerced.unwrap_or(&self.arguments)
    }

    /// Returns whether this is a dry run of a tool that has an effect, so that nothing happens.
    ///
    /// A read ignores the flag: it gives its data in a dry run too, and is judged, evidenced and
    /// counted like any read.
    pub(crate) fn withholds_effect(&self) -> bool {
        self.cx.dry_run() && self.tool.spec.effect() != Effect::Read
    }

    pub(crate) fn blocking_run(&self) -> &BlockingRun {
        &self.optional_or_new().blocking_run
    }

    /// Returns what the call shares with the other calls of its runtime.
    #[must_use]
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    #[must_use]
    pub fn registered(&self) -> &RegisteredTool {
        &self.tool
    }

    /// The arguments as the model sent them; `{}` for a text without arguments.
    pub(crate) fn raw(&self) -> &str {
        &self.arguments
    }

    /// Returns the call's cancellation, to fire it or to wait for it.
    pub(crate) fn cancel_flag(&self) -> &Arc<CancelFlag> {
        self.cancel.get_or_init(Arc::default)
    }

    /// Returns whether the call was cancelled.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.get().is_some_and(|flag| flag.is_fired())
    }

    /// Records how much of the context's time budget a batch has used already.
    pub(crate) fn record_budget_use(&self, spent: Duration) {
        let spent_ms = whole_millis(spent);
        self.spent_ms.store(spent_ms, Ordering::Relaxed);
    }

    pub(crate) fn progress_sink(&self) -> Option<ProgressSink> {
        self.optional()?.lock_progress().clone()
    }

    /// Sets the listener for progress; the last one counts.
    pub(crate) fn set_progress_sink(&self, sink: ProgressSink) {
        *self.optional_or_new().lock_progress() = Some(sink);
    }

    pub(crate) fn input_source(&self) -> Option<Arc<dyn InputSource>> {
        self.optional()?.input.get().cloned()
    }

    /// Sets the user of the caller; the first one counts.
    pub fn set_input_source(&self, source: Arc<dyn InputSource>) {
        let _ = self.optional_or_new().input.set(source);
    }

    pub(crate) fn stage(&self) -> &Stage {
        &self.stage
    }

    /// Ends the call for its tool, which can add nothing to the output from now on.
    ///
    /// Returns whether the tool had begun, and the entries that it recorded.
    pub(crate) fn end(&self) -> (bool, Option<Box<MetaDraft>>) {
        if let Some(listener) = self.optional().and_then(|optional| optional.lock_progress().take())
        {
            drop(catch_panic(|| drop(listener)));
        }
        let mut meta = self.lock_meta();
        self.stage.end();
        let effect_unknown = self.effect_unknown.load(Ordering::Relaxed);
        (effect_unknown || self.stage.has_begun(), meta.take())
    }

    /// Resets the scope after a failed attempt, so that the tool can run again; `effect_unknown` if it
    /// may have had its effect although it failed.
    pub(crate) fn reset_for_retry(&self, effect_unknown: bool) {
        self.effect_unknown.fetch_or(effect_unknown, Ordering::Relaxed);
        if let Some(transaction) = self.transaction() {
            transaction.roll_back();
        }
        let mut meta = self.lock_meta();
        drop(meta.take());
        self.earlier_attempts.fetch_add(1, Ordering::Relaxed);
        self.stage.park();
    }

    /// Returns the number of this attempt, from 1.
    pub(crate) fn attempt(&self) -> u32 {
        self.earlier_attempts.load(Ordering::Relaxed).saturating_add(1)
    }

    /// Returns how often the tool has begun.
    pub(crate) fn started_attempts(&self) -> u32 {
        let earlier_attempts = self.earlier_attempts.load(Ordering::Relaxed);
        earlier_attempts.saturating_add(u32::from(self.stage.has_begun()))
    }

    /// The JSON Pointers of what a person changed.
    pub(crate) fn edits(&self) -> &[String] {
        self.purpose.edit().map_or(&[], |edit| &edit.pointers)
    }

    pub(crate) fn idempotency(&self) -> Idempotency {
        let idempotency = self.optional().and_then(|optional| optional.idempotency.get());
        idempotency.cloned().unwrap_or_default()
    }

    /// Returns whether a failure of the tool may be retried at all.
    pub(crate) fn has_retries(&self) -> bool {
        self.tool.policy_stages.retry || self.requested_retries().is_some()
    }

    /// Returns whether the tool may be polled: the call has no lease, or one that has not run out.
    pub(crate) fn may_be_polled(&self) -> bool {
        let lease = self.optional().and_then(|optional| optional.lease.get());
        lease.is_none_or(|lease| !lease.is_over())
    }

    fn transaction(&self) -> Option<&Arc<dyn Transaction>> {
        self.optional()?.transaction.get()
    }

    /// Returns the store's transaction for this attempt, as the type that the tool borrows.
    pub(super) fn current_transaction(&self) -> Option<Arc<dyn Any + Send + Sync>> {
        self.transaction()?.current()
    }

    /// Returns whether the tool's effect is in a transaction that is not being committed, so that it is undone
    /// if the call ends now.
    pub fn is_undone_at_end(&self) -> bool {
        self.transaction().is_some_and(|transaction| !transaction.is_committing())
    }

    /// Adds to the call's `meta` on behalf of this attempt.
    pub(crate) fn with_meta(&self, attempt: u32, change: impl FnOnce(&mut MetaDraft)) {
        let mut meta = self.lock_meta();
        // Under the lock, so that neither `end` nor `reset_for_retry` can slip in between.
        if !self.stage.has_ended() && self.attempt() == attempt {
            change(meta.get_or_insert_default());
        }
    }

    fn lock_meta(&self) -> MutexGuard<'_, Option<Box<MetaDraft>>> {
        self.meta.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn schema_report(&self) -> Option<&ValidationReport> {
        self.schema_report.get().map(|report| &**report)
    }

    /// Checks the raw arguments by the schema, once, and keeps what was found.
    pub(crate) fn check_by_schema(&self) -> &ValidationReport {
        self.schema_report.get_or_init(|| {
            let tool = &self.tool;
            let limits = self.environment.limits();
            Box::new(tool.check_arguments(&self.arguments, limits))
        })
    }

    pub(crate) fn malformed(&self) -> Option<&Malformed> {
        self.schema_report()?.malformed.as_ref()
    }

    #[must_use]
    pub fn violations(&self) -> &[Violation] {
        match self.refusal() {
            Some((violations, _)) => violations,
            None => self.schema_report().map_or(&[], |report| &report.violations),
        }
    }

    /// Returns the typed reader's message about arguments that only it refused; for the log.
    pub(crate) fn refusal_log(&self) -> &str {
        self.refusal().map_or("", |(_, log)| log)
    }

    /// Returns the echo of the arguments as sent, with secrets masked; none if they are not JSON.
    pub(crate) fn echo(&self) -> Option<&str> {
        self.original().masked_arguments()
    }

    /// Returns the arguments of this call, with secrets masked; none if they are not JSON.
    pub(crate) fn masked_arguments(&self) -> Option<&str> {
        let has_secrets = self.tool.has_secrets;
        if self.read_whole.load(Ordering::Relaxed) && !has_secrets {
            return Some(&self.arguments);
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
            (None, false) => Some(&self.arguments),
        }
    }
}

impl fmt::Debug for CallState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallState").field("tool", &self.tool.spec.name()).finish_non_exhaustive()
    }
}

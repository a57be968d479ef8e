//! Runs the calls of a trace again, one after another.

use serde_json::Value;
use tool_contracts::{Actor, CallStatus, Effect, ToolContext};
use tool_runtime_core::call::ToolCall;
use tool_runtime_core::dispatch::refusal::Refusal;
use tool_runtime_core::runtime::Runtime;
use tool_runtime_core::tool::{CallScope, ToolOutput, catch_panic};
use tool_runtime_schema::Limits;
use tool_runtime_schema::json::{first_repeat, normalized, read};
use tool_runtime_schema::redact::{self, Redactor};
use tool_runtime_schema::schema::Validator;
use uuid::Uuid;

use super::{Replay, ReplayReport, ReplayVerdict, ReplayedCall, SkipReason};
use crate::evidence::{EvidenceError, EvidenceErrorKind, OpenedSnapshot, SnapshotId};
use crate::ledger::{self, LedgerQuery, RecordPosition, RecordedCall};

/// Runs the reads of a trace again.
pub(super) async fn run(replay: &Replay, trace_id: &str) -> Result<ReplayReport, EvidenceError> {
    replay.record_start(trace_id).await?;
    replay.ledger.flush().await?;
    let mut report = ReplayReport { trace_id: trace_id.to_owned(), calls: Vec::new(), next: None };
    let mut query = replay.query(trace_id);
    loop {
        let page = replay.ledger.find(query.clone()).await?;
        for (position, call) in page.records.iter().filter(|(_, call)| is_own_call(call)) {
            if report.calls.len() >= replay.max_calls {
                report.next = report.calls.last().map(ReplayedCall::position);
                return Ok(report);
            }
            let replayed = replay.call(*position, call).await;
            if let Some(on_call) = &replay.on_call {
                drop(catch_panic(|| on_call(&replayed)));
            }
            report.calls.push(replayed);
        }
        match page.next {
            Some(next) => query = query.after(next),
            None => return Ok(report),
        }
    }
}

/// Excludes dry runs before a decision, and earlier replays.
fn is_own_call(call: &RecordedCall) -> bool {
    !call.approval_dry_run && call.replay_of.is_none()
}

/// The arguments and the earlier answer of a call that is run again.
struct KnownCall {
    arguments: String,
    /// The full answer, where it was sealed.
    output: Option<String>,
}

/// The contents that the vault has of a call.
#[derive(Default)]
struct OpenedContents {
    arguments: Option<String>,
    output: Option<String>,
}

impl Replay {
    /// Selects the records of the trace's calls, from the start of this replay.
    fn query(&self, trace_id: &str) -> LedgerQuery {
        let query = LedgerQuery::new().trace(trace_id);
        let query = self.tenant.map_or(query.clone(), |tenant| query.tenant(tenant));
        self.after.map_or(query.clone(), |after| query.after(after))
    }

    /// Records the replay with its reader and reason.
    async fn record_start(&self, trace_id: &str) -> Result<(), EvidenceError> {
        let now = self.ledger.clock().now();
        let mut access =
            ledger::RecordedAccess::new(now, "replay", self.access.reader(), self.access.reason());
        access.tenant_id = self.tenant;
        access.subject = Some(trace_id.to_owned());
        Ok(self.ledger.record_access(access).await?)
    }

    /// Runs one call again, if it may be.
    async fn call(&self, position: RecordPosition, call: &RecordedCall) -> ReplayedCall {
        let mut replayed = ReplayedCall::new(position, call, ReplayVerdict::ToolRemoved);
        let Some(tool) = self.runtime.registered(&call.tool) else { return replayed };
        replayed.version = Some(tool.spec.version().to_owned());
        // Over HTTP the reader's scopes decide: a replay runs no tool that the reader may not call.
        let is_allowed = self.tools.as_ref().is_none_or(|may_call| may_call(&tool.spec));
        let runnable = check_runnable(call, tool.spec.effect());
        let runnable = runnable.and(if is_allowed { Ok(()) } else { Err(SkipReason::NotAllowed) });
        let judged = match runnable {
            Ok(()) => self.run_again(call, &mut replayed.by).await,
            Err(reason) => Err(reason),
        };
        replayed.verdict = judged.unwrap_or_else(|reason| ReplayVerdict::Skipped { reason });
        replayed
    }

    async fn run_again(
        &self,
        call: &RecordedCall,
        by: &mut Option<Uuid>,
    ) -> Result<ReplayVerdict, SkipReason> {
        let known_call = self.recorded_contents(call).await?;
        let cx = context(call).ok_or(SkipReason::InputNotKept)?;
        let cx = self.context.as_ref().map_or_else(|| cx.clone(), |change| change(cx.clone()));
        // The host's change of the context must not change the tenant.
        if cx.tenant_id() != call.tenant_id {
            return Err(SkipReason::Refused);
        }
        let cx = cx.with_invocation_id(Uuid::now_v7());
        *by = Some(cx.invocation_id());
        let mut again = open_replay(
            &self.runtime,
            &call.tool,
            known_call.arguments.into(),
            cx,
            call.invocation_id,
        );
        if self
            .approves
            .as_ref()
            .is_some_and(|approves| again.tool().is_some_and(|it| approves(it)))
        {
            let _ = again.approve(self.access.reader());
        }
        if again.execute_unless_approval_needed().await.is_some() {
            let _ = again.refuse(Refusal::needs_confirmation);
            return Err(SkipReason::NeedsApproval);
        }
        self.compare_answers(call, &again, known_call.output.as_deref())
    }

    /// Finds the recorded arguments and checks their hash.
    async fn recorded_contents(&self, call: &RecordedCall) -> Result<KnownCall, SkipReason> {
        let sealed = self.open_contents(call).await?;
        let recorded_input = call.input.as_ref().filter(|_| !call.input_redacted);
        let known_call = match (sealed, recorded_input) {
            (OpenedContents { arguments: Some(arguments), output }, _) => {
                KnownCall { arguments, output }
            }
            (OpenedContents { output, .. }, Some(input)) => {
                KnownCall { arguments: input.get().to_owned(), output }
            }
            (_, None) => return Err(SkipReason::InputNotKept),
        };
        let recorded = call.input_hash.as_deref().ok_or(SkipReason::InputNotKept)?;
        let digest = ledger::digest_of_input(&known_call.arguments);
        match self.ledger.keys().hash_like(recorded, digest) {
            Some(hash) if hash == recorded => Ok(known_call),
            _ => Err(SkipReason::InputAltered),
        }
    }

    /// Opens the contents that the vault has of a call, if there are any.
    async fn open_contents(&self, call: &RecordedCall) -> Result<OpenedContents, SkipReason> {
        let id = call.evidence.as_deref().and_then(|id| id.parse::<SnapshotId>().ok());
        let (Some(vault), Some(id)) = (&self.vault, id) else {
            return Ok(OpenedContents::default());
        };
        let recorded = call.evidence_digest.as_deref();
        let opened = match vault.read_recorded(call.tenant_id, id, recorded, &self.access).await {
            Ok(opened) => opened,
            Err(error) => return treat_unreadable(error.kind()),
        };
        let OpenedSnapshot { snapshot, contents, .. } = opened;
        // The snapshot of a repeated answer has the arguments of an earlier call, not of this one.
        let is_same_call = snapshot.invocation_id() == call.invocation_id;
        Ok(OpenedContents {
            arguments: contents.arguments().filter(|_| is_same_call).map(str::to_owned),
            output: contents.output().map(str::to_owned),
        })
    }

    /// Compares today's answer with the earlier one.
    fn compare_answers(
        &self,
        call: &RecordedCall,
        again: &ToolCall,
        earlier: Option<&str>,
    ) -> Result<ReplayVerdict, SkipReason> {
        let (Some(scope), Some(output)) = (again.scope(), again.output()) else {
            return Err(SkipReason::Refused);
        };
        // A tool that failed has run; a call that was not admitted has no answer to compare.
        if again.started.is_none() || again.status() == CallStatus::NotExecuted {
            return refused(call, scope, output);
        }
        let earlier_error = call.error.as_ref().and_then(|error| error.code.clone());
        let error = output.error().and_then(|error| error.code()).map(str::to_owned);
        let Some(data) = output.data_json() else {
            let same = call.error.is_some() && earlier_error == error;
            let drifted = ReplayVerdict::Changed { diff: None, earlier_error, error };
            return Ok(if same { ReplayVerdict::Same } else { drifted });
        };
        if call.error.is_some() {
            return Ok(ReplayVerdict::Changed { diff: None, earlier_error, error: None });
        }
        let recorded = call.output_hash.as_deref().ok_or(SkipReason::OutputNotKept)?;
        if self.is_answer(recorded, data)? {
            return Ok(ReplayVerdict::Same);
        }
        if earlier.is_some_and(|earlier| are_equal(earlier, data)) {
            return Ok(ReplayVerdict::Same);
        }
        let diff = earlier.and_then(|earlier| self.diff(scope, earlier, data));
        Ok(ReplayVerdict::Changed { diff, earlier_error: None, error: None })
    }

    /// Returns whether a recorded hash is that of this answer: of its canonical form or of its
    /// text, since the tool may have become one with evidence after the call, or the reverse.
    fn is_answer(&self, recorded: &str, data: &str) -> Result<bool, SkipReason> {
        let is_recorded = |digest| {
            let hash = self.ledger.keys().hash_like(recorded, digest);
            hash.map(|hash| hash == recorded).ok_or(SkipReason::OutputNotKept)
        };
        if is_recorded(ledger::digest_of_output_text(data))? {
            return Ok(true);
        }
        is_recorded(ledger::digest_of_output(data))
    }

    /// Computes the patch from the earlier answer to today's, both redacted.
    fn diff(&self, scope: &CallScope, earlier: &str, today: &str) -> Option<Value> {
        let redactor = self.ledger.keys().redactor(scope.cx().tenant_id());
        let redacted = |text: &str| match scope.redacted_answer(text, &redactor) {
            Some(text) => serde_json::from_str(&text).ok(),
            // Without a schema, only the patterns redact.
            None => serde_json::from_str(text).ok().map(|value| {
                let mut free_bytes = Validator::FREE_TEXT_BYTES;
                without_patterns(value, &redactor, &mut free_bytes)
            }),
        };
        let compared = |text| redacted(text).map(normalized);
        let patch = json_patch::diff(&compared(earlier)?, &compared(today)?);
        serde_json::to_value(patch).ok().map(normalized)
    }
}

/// Returns whether two answers are equal though their texts differ. An answer with an integer beyond
/// 2^53 is recorded by its text, in which the order of names and the notation of a number may depend
/// on the build.
fn are_equal(earlier: &str, today: &str) -> bool {
    let pair = format!("[{earlier},{today}]");
    read(&pair, &Limits::WIDEST).is_ok_and(|tree| first_repeat(tree.view(&pair), 0).is_some())
}

/// Decides how a replay treats a call whose snapshot could not be read.
fn treat_unreadable(kind: EvidenceErrorKind) -> Result<OpenedContents, SkipReason> {
    match kind {
        // The snapshot is older than the retention, or the authorizer denies this reader its
        // contents and answers as if it did not exist. The ledger may have the arguments.
        EvidenceErrorKind::NotFound => Ok(OpenedContents::default()),
        EvidenceErrorKind::Missing => Err(SkipReason::EvidenceMissing),
        EvidenceErrorKind::Altered | EvidenceErrorKind::NotAsRecorded => {
            Err(SkipReason::EvidenceAltered)
        }
        EvidenceErrorKind::Shredded
        | EvidenceErrorKind::UnknownKey
        | EvidenceErrorKind::InvalidAccess
        | EvidenceErrorKind::InvalidSnapshot
        | EvidenceErrorKind::Unrecorded
        | EvidenceErrorKind::AuthorizerFailed
        | EvidenceErrorKind::Contended
        | EvidenceErrorKind::NoRandomness
        | EvidenceErrorKind::TooLarge
        | EvidenceErrorKind::ReservedTenant
        | EvidenceErrorKind::Store(_) => Err(SkipReason::InputSealed),
    }
}

/// Classifies a call that was not admitted: as changed if its arguments were refused.
fn refused(
    call: &RecordedCall,
    scope: &CallScope,
    output: &ToolOutput,
) -> Result<ReplayVerdict, SkipReason> {
    if scope.violations().is_empty() {
        return Err(SkipReason::Refused);
    }
    let earlier_error = call.error.as_ref().and_then(|error| error.code.clone());
    let error = output.error().and_then(|error| error.code()).map(str::to_owned);
    Ok(ReplayVerdict::Changed { diff: None, earlier_error, error })
}

/// Checks that a call may be run again.
fn check_runnable(call: &RecordedCall, effect: Effect) -> Result<(), SkipReason> {
    // A tool's effect may have changed since the call.
    if effect != Effect::Read || call.effect != Some(Effect::Read) {
        return Err(SkipReason::Write);
    }
    let has_ended = matches!(call.final_status, CallStatus::Executed | CallStatus::Failed);
    let has_answered = call.attempts > 0 || is_from_earlier_call(call);
    if has_ended && has_answered { Ok(()) } else { Err(SkipReason::NotRun) }
}

/// Returns whether the call was answered from an earlier one, without running its tool.
fn is_from_earlier_call(call: &RecordedCall) -> bool {
    call.origin != ledger::RecordedOrigin::Call
}

/// Makes the context of a call from its record.
fn context(call: &RecordedCall) -> Option<ToolContext> {
    let mut cx = ToolContext::builder(call.tenant_id, call.trace_id.as_str());
    macro_rules! set {
        ($($field:ident = $value:expr;)*) => {$(
            if let Some(value) = &$value {
                cx = cx.$field(value.clone());
            }
        )*};
    }
    set! {
        run_id = call.run_id;
        ingestion_run_id = call.ingestion_run_id;
        user_id = call.principal.user_id;
        session_id = call.principal.session_id;
        site_id = call.site_id;
        request_id = call.request_id;
    }
    if let (Some(kind), Some(id)) = (call.principal.actor_type, &call.principal.actor_id) {
        cx = cx.actor(Actor::new(kind, id.as_str()).ok()?);
    }
    cx.dry_run(call.dry_run).build().ok()
}

/// Removes from a value's strings what the patterns find; strings beyond so many bytes are left
/// out.
fn without_patterns(value: Value, redactor: &dyn Redactor, free_bytes: &mut usize) -> Value {
    match value {
        Value::String(text) => Value::String(match free_bytes.checked_sub(text.len()) {
            Some(left) => {
                *free_bytes = left;
                redactor.free_text(&text).into_owned()
            }
            None => redact::omission_mark(text.len()),
        }),
        Value::Array(items) => {
            items.into_iter().map(|it| without_patterns(it, redactor, free_bytes)).collect()
        }
        Value::Object(members) => {
            let clean = |(name, value)| (name, without_patterns(value, redactor, free_bytes));
            members.into_iter().map(clean).collect()
        }
        other => other,
    }
}

/// Opens a call that repeats an earlier one, to see whether its answer is still the same.
fn open_replay(
    runtime: &Runtime,
    name: &str,
    arguments: Box<str>,
    cx: ToolContext,
    earlier: Uuid,
) -> ToolCall {
    let catalogue = runtime.environment().tools();
    let Some(entry) = catalogue.find(name) else {
        return runtime.open(name, None, arguments, cx);
    };
    let (services, tool) = (runtime.services().clone(), entry.tool.clone());
    let scope = CallScope::new(services.environment().clone(), tool, None, arguments, cx);
    ToolCall::open(services, scope.replaying(earlier), entry.availability())
}

//! The stage that makes the envelope: an answer that matches its schema, or an error.

use std::time::Instant;

use tool_contracts::{self as contracts, CallStatus, ErrorCode, ToolErrorMeta, ToolResultMeta};
use tool_runtime_schema::schema::AnswerCheck;

use super::attempt::AttemptOutcome;
use super::outcome::{AnswerOrigin, CallOutcome, EffectOutcome};
use super::refusal::{self, Refusal, ReportedEffect, TIMER_NOT_READY};
use super::run::{ToolRun, elapsed};
use crate::failure::{Failure, LoggedFailure};
use crate::timer::whole_millis;
use crate::tool::{
    Attachment, CallScope, ErrorAuthor, EvidenceDraft, MetaDraft, OpenEnvelope, OutputMeta,
    ToolEnd, ToolOutput,
};

/// The warning of an answer whose record is queued, and the word in an error's `details.record`.
pub(crate) const UNCONFIRMED_RECORD: [&str; 2] = [
    "the call ran; its record could not be confirmed in time and is written later: do not repeat it",
    "unconfirmed",
];

/// The same for an answer whose record is not written.
pub(crate) const MISSING_RECORD: [&str; 2] =
    ["the call ran, and the ledger has no record of it: do not repeat it", "missing"];

/// Makes the envelope of a tool that ran.
pub(super) fn build_envelope(scope: &CallScope, ran: ToolRun) -> CallOutcome {
    let took_ms = whole_millis(ran.took);
    let effect = ReportedEffect::for_call(scope, ran.begun);
    let effect_outcome = outcome_of_effect(&ran.outcome, effect, ran.begun);
    let failed = |fault| failed(scope, fault, took_ms, effect_outcome);
    match ran.outcome {
        AttemptOutcome::Ended(ToolEnd::Failed(fault)) if ran.begun => {
            let Some(draft) = ran.meta else { return failed(fault) };
            let MetaDraft { warnings, evidence_draft, .. } = *draft;
            let meta = error_meta(took_ms, scope.dry_run()).with_warnings(warnings);
            CallOutcome {
                evidence_draft: with_proofs(scope, Some(Box::new(evidence_draft))),
                ..failed_with(scope, fault, meta, effect_outcome)
            }
        }
        AttemptOutcome::Ended(ToolEnd::Answered(answer)) => {
            answered(scope, answer, took_ms, ran.meta)
        }
        AttemptOutcome::Ended(ToolEnd::Failed(fault)) => failed(fault),
        AttemptOutcome::Ended(ToolEnd::Refused) => refused(scope, &Refusal::arguments(scope)),
        AttemptOutcome::Ended(ToolEnd::Panicked(text)) | AttemptOutcome::Panicked(text) => {
            let failure = refusal::panicked(effect);
            failed(LoggedFailure::new(failure, None, log_of_panic(scope, &text)))
        }
        AttemptOutcome::TimedOut => {
            failed(LoggedFailure::plain(refusal::timed_out(effect, scope.budget())))
        }
        AttemptOutcome::Cancelled => interrupted_after(scope, effect, took_ms),
        AttemptOutcome::LeaseLost => failed(LoggedFailure::plain(refusal::lease_lost())),
        // Only `reconcile` functions end so, and their ends are read elsewhere.
        AttemptOutcome::Ended(ToolEnd::Reconciled(_)) => {
            failed(LoggedFailure::plain(refusal::unexpected_reconciliation()))
        }
    }
}

/// Returns the log of a panic. Outside of its executor a tool that waits panics for that reason.
fn log_of_panic(scope: &CallScope, text: &str) -> String {
    if scope.environment().timer().is_ready() {
        return format!("panicked: {text}");
    }
    format!("panicked: {text}; {TIMER_NOT_READY}")
}

/// Returns the outcome of the effect of an attempt with this end.
fn outcome_of_effect(
    outcome: &AttemptOutcome,
    effect: ReportedEffect,
    begun: bool,
) -> EffectOutcome {
    match outcome {
        AttemptOutcome::Ended(ToolEnd::Answered(_)) => EffectOutcome::Answered,
        AttemptOutcome::Ended(ToolEnd::Failed(fault)) if begun => {
            outcome_of_failure(&fault.failure, effect)
        }
        AttemptOutcome::Ended(ToolEnd::Failed(_) | ToolEnd::Refused | ToolEnd::Reconciled(_)) => {
            EffectOutcome::NotRun
        }
        AttemptOutcome::Ended(ToolEnd::Panicked(_))
        | AttemptOutcome::Panicked(_)
        | AttemptOutcome::TimedOut
        | AttemptOutcome::Cancelled
        | AttemptOutcome::LeaseLost => match (effect, begun) {
            (ReportedEffect::Unknown, _) => EffectOutcome::Unknown,
            (ReportedEffect::None, true) => EffectOutcome::Transient,
            (ReportedEffect::None, false) => EffectOutcome::NotRun,
        },
    }
}

/// Returns the outcome of the effect of a tool that returned this failure.
fn outcome_of_failure(failure: &Failure, effect: ReportedEffect) -> EffectOutcome {
    if failure.leaves_effect_unknown() && effect == ReportedEffect::Unknown {
        return EffectOutcome::Unknown;
    }
    // A call whose tool asks its user first is made again with the answer.
    let is_transient = failure.code().error_type().is_transient() || failure.asks_for_input();
    if is_transient { EffectOutcome::Transient } else { EffectOutcome::Final }
}

/// Answers for a call whose `execute` was dropped.
pub(crate) fn interrupted(scope: &CallScope, started: Instant) -> CallOutcome {
    let (begun, _) = scope.end();
    scope.cancel_flag().fire();
    let took = whole_millis(elapsed(scope, started));
    interrupted_after(scope, ReportedEffect::for_call(scope, begun), took)
}

fn interrupted_after(scope: &CallScope, effect: ReportedEffect, took_ms: u64) -> CallOutcome {
    let fault = LoggedFailure::plain(refusal::cancelled(effect));
    let effect_outcome = if effect == ReportedEffect::Unknown {
        EffectOutcome::Unknown
    } else {
        EffectOutcome::NotRun
    };
    CallOutcome { status: CallStatus::Interrupted, ..failed(scope, fault, took_ms, effect_outcome) }
}

/// Answers a call that may not run.
pub(crate) fn refused(scope: &CallScope, refusal: &Refusal) -> CallOutcome {
    let scrubbed = refusal.scrubbed(scope);
    refused_with(scope.echo(), scope.dry_run(), scrubbed.as_ref().unwrap_or(refusal))
}

/// The longest arguments that the answer of a call that did not run echoes, in bytes.
const MAX_ECHO_LENGTH: usize = 64 * 1024;

/// Answers a call that may not run, with this echo of its arguments.
pub(crate) fn refused_with(echo: Option<&str>, dry_run: bool, refusal: &Refusal) -> CallOutcome {
    let echo = echo.filter(|echo| echo.len() <= MAX_ECHO_LENGTH);
    let mut meta = error_meta(0, dry_run);
    if let Some(evidence) = &refusal.evidence {
        meta = meta.with_evidence((**evidence).clone());
    }
    let output = ToolOutput::failed(echo, refusal.detail.clone(), meta);
    CallOutcome {
        status: refusal.status,
        output,
        log: refusal.log.clone(),
        effect: EffectOutcome::NotRun,
        origin: AnswerOrigin::Call,
        evidence_draft: None,
    }
}

/// Answers for a call that lost its output, which cannot happen.
pub(crate) fn missing_output() -> ToolOutput {
    let detail = Failure::from_code(ErrorCode::Internal).into_detail(None);
    ToolOutput::failed(None, detail, error_meta(0, false))
}

/// Adds the proofs of what the call may spend to the sources of its evidence.
fn with_proofs(
    scope: &CallScope,
    evidence_draft: Option<Box<EvidenceDraft>>,
) -> Option<Box<EvidenceDraft>> {
    let proofs = scope.proofs();
    if proofs.is_empty() {
        return evidence_draft;
    }
    let mut evidence_draft = evidence_draft.unwrap_or_default();
    evidence_draft.sources.extend(proofs.iter().cloned());
    Some(evidence_draft)
}

/// Makes the envelope of an answer.
pub(crate) fn answered(
    scope: &CallScope,
    answer: OpenEnvelope,
    took_ms: u64,
    draft: Option<Box<MetaDraft>>,
) -> CallOutcome {
    if let Some(fault) = broken_answer(scope, &answer) {
        // The tool had its effect, and a repeat would answer the same.
        return failed(scope, fault, took_ms, EffectOutcome::Final);
    }
    let ttl = scope.tool().ttl_seconds();
    let mut draft = draft;
    let evidence_draft =
        draft.as_mut().map(|draft| Box::new(std::mem::take(&mut draft.evidence_draft)));
    let evidence_draft = with_proofs(scope, evidence_draft);
    let mut output = if draft.is_none() && !needs_full_meta(scope) {
        ToolOutput::finish_short(answer, took_ms, ttl)
    } else {
        let mut draft = *draft.unwrap_or_default();
        let attachments = std::mem::take(&mut draft.attachments);
        let meta = full_meta(scope, took_ms, ttl, draft).with_attachments(listed(&attachments));
        let attachments = Some(attachments).filter(|attachments| !attachments.is_empty());
        ToolOutput::finish(answer, meta, attachments.map(Into::into))
    };
    scope.registered().expect_output(output.len());
    output.shrink();
    CallOutcome {
        status: CallStatus::Executed,
        output,
        log: String::new(),
        effect: EffectOutcome::Answered,
        origin: AnswerOrigin::Call,
        evidence_draft,
    }
}

/// Lists attachments in the form of the envelope. They were checked when the tool added them.
fn listed(attachments: &[Attachment]) -> impl Iterator<Item = contracts::Attachment> {
    attachments.iter().filter_map(|attachment| attachment.to_wire().ok())
}

/// Returns whether `meta` needs more than `took_ms` and `ttl_seconds`.
fn needs_full_meta(scope: &CallScope) -> bool {
    let coerced = scope.schema_report().is_some_and(|report| !report.coercions.is_empty());
    coerced || scope.dry_run() || scope.attempt() > 1 || !scope.edits().is_empty()
}

/// Checks an answer against its schema, unless its type guarantees a match.
fn broken_answer(scope: &CallScope, answer: &OpenEnvelope) -> Option<LoggedFailure> {
    let tool = scope.registered();
    let checked = match tool.answer_check {
        AnswerCheck::Never => false,
        AnswerCheck::OnNull => answer.nulls,
        AnswerCheck::Always => true,
    };
    // The dry run of a write answers with a preview, which may have another shape.
    let is_preview = scope.withholds_effect();
    if !checked || is_preview {
        return None;
    }
    let internal = |log: String| {
        Some(LoggedFailure::new(Failure::from_code(ErrorCode::InvalidOutput), None, log))
    };
    let Ok(data) = std::str::from_utf8(&answer.json[answer.data_start..]) else {
        return internal("the output is not valid UTF-8".to_owned());
    };
    let report = tool.check_output(data)?;
    if let Some(malformed) = report.malformed {
        return internal(format!("the output is not valid JSON: {malformed}"));
    }
    if report.violations.is_empty() {
        return None;
    }
    let count = report.violations.len();
    let failure = refusal::invalid_output(&report.violations);
    Some(LoggedFailure::new(failure, None, format!("the output has {count} schema violations")))
}

#[must_use]
pub fn failed(
    scope: &CallScope,
    fault: LoggedFailure,
    took_ms: u64,
    effect_outcome: EffectOutcome,
) -> CallOutcome {
    failed_with(scope, fault, error_meta(took_ms, scope.dry_run()), effect_outcome)
}

/// Answers with a failure and this `meta`, to which the number of attempts is added.
fn failed_with(
    scope: &CallScope,
    fault: LoggedFailure,
    mut meta: ToolErrorMeta,
    effect_outcome: EffectOutcome,
) -> CallOutcome {
    let LoggedFailure { mut failure, cause, log } = fault;
    if !scope.edits().is_empty() {
        failure = failure.with_detail("edits", scope.edits());
    }
    // The caller has to know it too if it follows from the failure's type only.
    if effect_outcome == EffectOutcome::Unknown {
        failure = failure.with_effect_unknown();
    }
    let mut detail = scope.scrub_detail(failure.into_detail(cause), ErrorAuthor::Tool);
    if scope.has_retries() && effect_outcome != EffectOutcome::NotRun {
        detail = detail.into_builder().attempt(scope.attempt()).build();
        meta = meta.with_attempts(scope.attempt());
    }
    let output = ToolOutput::failed(scope.echo(), detail, meta);
    let (status, log) = (CallStatus::Failed, scope.scrub_log(log));
    CallOutcome {
        status,
        output,
        log,
        effect: effect_outcome,
        origin: AnswerOrigin::Call,
        evidence_draft: None,
    }
}

/// Adds to an answer that its record is unconfirmed or missing.
pub(crate) fn unrecorded(
    scope: &CallScope,
    output: ToolOutput,
    [warning, word]: [&str; 2],
) -> ToolOutput {
    let Some(detail) = output.error() else { return output.with_warning(warning) };
    match output.meta() {
        OutputMeta::Error(meta) => {
            let detail = detail.clone().into_builder().detail("record", word).build();
            ToolOutput::failed(scope.echo(), detail, meta)
        }
        OutputMeta::Result(_) => output.with_warning(warning),
    }
}

fn error_meta(took_ms: u64, dry_run: bool) -> ToolErrorMeta {
    ToolErrorMeta::new(took_ms).with_dry_run(dry_run)
}

fn full_meta(
    scope: &CallScope,
    took_ms: u64,
    ttl_seconds: Option<u64>,
    draft: MetaDraft,
) -> ToolResultMeta {
    let coercions = scope.schema_report().map_or(&[][..], |report| &report.coercions);
    let mut meta = ToolResultMeta::new(took_ms)
        .with_warnings(draft.warnings)
        .with_coercions(coercions.iter().cloned())
        .with_dry_run(scope.dry_run())
        .with_edits(scope.edits().iter().cloned());
    if scope.attempt() > 1 {
        meta = meta.with_attempts(scope.attempt());
    }
    if let Some(seconds) = ttl_seconds {
        meta = meta.with_ttl_seconds(seconds);
    }
    if let Some(hit) = draft.cache_hit {
        meta = meta.with_cache_hit(hit);
    }
    if !draft.source_counts.is_empty() {
        meta = meta.with_source_counts(draft.source_counts);
    }
    if !draft.routing.is_empty() {
        meta = meta.with_routing(draft.routing);
    }
    if !draft.token_usage.is_empty() {
        meta = meta.with_token_usage(draft.token_usage);
    }
    meta
}

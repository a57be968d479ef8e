//! The stages of a call, in their one order: each takes what the one before returns.

use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use futures::task::noop_waker_ref;
use tool_contracts::{CallStatus, Effect, ErrorCode, Permission, ToolErrorMeta, ToolResultMeta};

use super::attempt::{Attempt, Outcome};
use super::refusal::{self, EffectLeft, Refusal};
use crate::call::{Answer, CallScope, End, Guarded, MetaDraft, ToolOutput, guard};
use crate::failure::{Failure, Fault};
use crate::limits::Limits;
use crate::schema::{AnswerCheck, Coerce};

/// An answer is bounded by its own tool only.
const WIDEST: Limits = Limits::new()
    .with_max_bytes(Limits::LONGEST)
    .with_max_depth(Limits::DEEPEST)
    .with_max_string_bytes(Limits::LONGEST);

/// Arguments that are typed and checked, and a tool parked behind them.
pub(crate) struct Decoded(Guarded);

/// A decoded call that may run.
pub(crate) struct Admitted(Guarded);

/// How the tool ended, and how long it took.
pub(crate) struct Ran {
    outcome: Outcome,
    took: Duration,
    /// Whether the tool had begun, so that it may have had its effect.
    begun: bool,
    meta: Option<Box<MetaDraft>>,
}

/// A call that is answered.
pub(crate) struct Ended {
    pub(crate) status: CallStatus,
    pub(crate) output: ToolOutput,
    /// For the log only.
    pub(crate) log: String,
}

/// Checks the arguments and parks the tool behind them; nothing of the tool runs.
pub(crate) fn decode(scope: &CallScope) -> Result<Decoded, Box<Refusal>> {
    let tool = scope.registered();
    let limits = scope.runtime().limits();
    let raw = scope.raw();
    let short = raw.len() <= limits.max_bytes().min(limits.max_string_bytes());
    if tool.scan || !short || !raw.trim_start().starts_with('{') {
        let reading = scope.read_by_schema();
        if reading.malformed.is_some() || !reading.violations.is_empty() {
            return Err(Refusal::arguments(scope));
        }
    }
    let mut idle = Context::from_waker(noop_waker_ref());
    let started = guard(|| Guarded::new(tool.start.start(scope.clone())));
    let panicked = |text| Refusal::unreadable(format!("panicked: {text}"));
    let mut parked = started.map_err(panicked)?;
    // Reading arguments runs code of the tool's author: their `Deserialize`, their defaults.
    match parked.poll(&mut idle) {
        Ok(Poll::Pending) => Ok(Decoded(parked)),
        Ok(Poll::Ready(_)) => Err(Refusal::arguments(scope)),
        Err(text) => Err(panicked(text)),
    }
}

/// Decides whether the call may run: the tool's permission, and who approved.
pub(crate) fn admit(
    scope: &CallScope,
    decoded: Decoded,
    approver: Option<&str>,
) -> Result<Admitted, Box<Refusal>> {
    if scope.cancel_flag().is_fired() {
        return Err(Refusal::cancelled());
    }
    if scope.budget().is_zero() {
        return Err(Refusal::out_of_time());
    }
    if scope.tool().effect() != Effect::Read && !scope.runtime().timer().is_ready() {
        return Err(Refusal::no_executor());
    }
    match scope.tool().permission() {
        Permission::Allow => Ok(Admitted(decoded.0)),
        // A dry run performs no effect, so nobody has to be asked.
        Permission::Ask if approver.is_some() || scope.dry_run() => Ok(Admitted(decoded.0)),
        Permission::Ask => Err(Refusal::needs_confirmation()),
        Permission::Deny => Err(Refusal::denied_tool()),
    }
}

/// Runs the tool under its deadline, its cancellation and the panic guard.
pub(crate) async fn run(scope: &CallScope, admitted: Admitted, started: Instant) -> Ran {
    let (outcome, took) = Attempt::new(scope, admitted.0, started).await;
    let (begun, meta) = scope.end();
    if matches!(outcome, Outcome::TimedOut | Outcome::Cancelled) {
        scope.cancel_flag().fire();
    }
    Ran { outcome, took, begun, meta }
}

/// Makes the envelope: an answer that keeps its schema, or an error.
pub(crate) fn fit(scope: &CallScope, ran: Ran) -> Ended {
    let took_ms = milliseconds(ran.took);
    let effect = EffectLeft::of(scope, ran.begun);
    match ran.outcome {
        Outcome::Ended(End::Answered(answer)) => answered(scope, answer, took_ms, ran.meta),
        Outcome::Ended(End::Failed(fault)) => failed(scope, fault, took_ms),
        Outcome::Ended(End::Refused) => refused(scope, &Refusal::arguments(scope)),
        Outcome::Ended(End::Panicked(text)) | Outcome::Panicked(text) => {
            let failure = refusal::panicked(effect);
            failed(scope, Fault::new(failure, None, format!("panicked: {text}")), took_ms)
        }
        Outcome::TimedOut => {
            let failure = refusal::timed_out(effect, scope.budget());
            failed(scope, Fault::plain(failure), took_ms)
        }
        Outcome::Cancelled => interrupted_after(scope, effect, took_ms),
    }
}

/// Answers for a call whose `execute` was dropped.
pub(crate) fn interrupted(scope: &CallScope, started: Instant) -> Ended {
    let (begun, _) = scope.end();
    scope.cancel_flag().fire();
    let took = scope.runtime().timer().now().duration_since(started);
    interrupted_after(scope, EffectLeft::of(scope, begun), milliseconds(took))
}

fn interrupted_after(scope: &CallScope, effect: EffectLeft, took_ms: u64) -> Ended {
    let failure = refusal::cancelled(effect);
    Ended { status: CallStatus::Interrupted, ..failed(scope, Fault::plain(failure), took_ms) }
}

/// Answers a call that may not run.
pub(crate) fn refused(scope: &CallScope, refusal: &Refusal) -> Ended {
    refused_with(scope.echo(), scope.dry_run(), refusal)
}

/// Answers a call that may not run, with this echo of its arguments.
pub(crate) fn refused_with(echo: Option<&str>, dry_run: bool, refusal: &Refusal) -> Ended {
    let output = ToolOutput::failed(echo, refusal.detail.clone(), &error_meta(0, dry_run));
    Ended { status: refusal.status, output, log: refusal.log.clone() }
}

/// Answers for a call that lost its output; no path leads here.
pub(crate) fn never_closed() -> ToolOutput {
    let detail = Failure::of(ErrorCode::Internal).into_detail(None);
    ToolOutput::failed(None, detail, &error_meta(0, false))
}

/// What may be shown of arguments that no tool's schema describes: all of them, if they are JSON.
///
/// For a runtime without secrets only: nothing says which of them would be one.
pub(crate) fn echo_of_unknown<'a>(arguments: &'a str, limits: &Limits) -> Option<&'a str> {
    crate::json::read(arguments, limits).is_ok().then_some(arguments)
}

fn answered(
    scope: &CallScope,
    answer: Answer,
    took_ms: u64,
    draft: Option<Box<MetaDraft>>,
) -> Ended {
    if let Some(fault) = broken_answer(scope, &answer) {
        return failed(scope, fault, took_ms);
    }
    let ttl = scope.tool().ttl_seconds();
    let coercions = scope.reading().map_or(&[][..], |reading| &reading.coercions);
    let mut output = if draft.is_none() && coercions.is_empty() && !scope.dry_run() {
        ToolOutput::finish_short(answer, took_ms, ttl)
    } else {
        let meta = full_meta(scope, took_ms, ttl, *draft.unwrap_or_default());
        ToolOutput::finish(answer, &meta)
    };
    scope.registered().expect_output(output.len());
    output.shrink();
    Ended { status: CallStatus::Executed, output, log: String::new() }
}

/// Checks an answer by its schema, where the type alone does not keep it.
fn broken_answer(scope: &CallScope, answer: &Answer) -> Option<Fault> {
    let tool = scope.registered();
    let checked = match tool.answer_check {
        AnswerCheck::Never => false,
        AnswerCheck::OnNull => answer.nulls,
        AnswerCheck::Always => true,
    };
    // What a write answers in a dry run is a preview, which may be of another shape.
    let preview = scope.dry_run() && scope.tool().effect() != Effect::Read;
    let validator = tool.output.as_ref().filter(|_| checked && !preview)?;
    let internal = |log: String| Some(Fault::new(Failure::of(ErrorCode::InvalidOutput), None, log));
    let Ok(data) = std::str::from_utf8(&answer.json[answer.data_start..]) else {
        return internal("the answer is not UTF-8".to_owned());
    };
    let report = validator.check(data, &WIDEST, Coerce::Off);
    if let Some(malformed) = report.malformed {
        return internal(format!("the answer is no JSON: {malformed}"));
    }
    if report.violations.is_empty() {
        return None;
    }
    let count = report.violations.len();
    let failure = refusal::invalid_output(&report.violations);
    Some(Fault::new(failure, None, format!("the answer broke its schema in {count} places")))
}

fn failed(scope: &CallScope, fault: Fault, took_ms: u64) -> Ended {
    let Fault { failure, cause, log } = fault;
    let meta = error_meta(took_ms, scope.dry_run());
    let output = ToolOutput::failed(scope.echo(), failure.into_detail(cause), &meta);
    Ended { status: CallStatus::Failed, output, log }
}

fn milliseconds(took: Duration) -> u64 {
    u64::try_from(took.as_millis()).unwrap_or(u64::MAX)
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
    let coercions = scope.reading().map_or(&[][..], |reading| &reading.coercions);
    let mut meta = ToolResultMeta::new(took_ms)
        .with_warnings(draft.warnings)
        .with_coercions(coercions.iter().cloned())
        .with_dry_run(scope.dry_run());
    if let Some(seconds) = ttl_seconds {
        meta = meta.with_ttl_seconds(seconds);
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

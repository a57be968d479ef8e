//! A call that has ended: all that its record needs, taken in no time; it is written out later.

use std::time::Duration;

use serde_json::value::RawValue;
use tool_contracts::{Actor, CallStatus, ToolContext, ToolErrorDetail, ToolResultMeta};
use uuid::Uuid;

use super::config::Inputs;
use super::keys::LedgerKeys;
use super::query::written_ms;
use super::record::{
    Principal, RecordStatus, RecordedApproval, RecordedCall, RecordedError, RecordedOrigin,
};
use crate::call::{CallScope, guard};
use crate::canonical::Digest;
use crate::dispatch::CallRecord;

/// The longest name that a record repeats of a tool that does not exist, in characters.
const LONGEST_UNKNOWN: usize = 64;

/// About how many bytes a call takes beside its texts.
const OVERHEAD: usize = 512;

/// A call that has ended.
pub(super) struct EndedCall {
    target: Target,
    at_ms: u64,
    opened_at_ms: u64,
    status: CallStatus,
    took: Duration,
    attempts: u32,
    origin: RecordedOrigin,
    answer: Answer,
    approval: Option<Approval>,
}

enum Target {
    Known(CallScope),
    Unknown(Box<UnknownCall>),
}

struct UnknownCall {
    name: String,
    call_id: Option<String>,
    cx: ToolContext,
}

enum Answer {
    /// `data`, and `meta` where it may name evidence.
    Ok(Box<str>, Option<Box<str>>),
    Error(RecordedError),
}

struct Approval {
    by: Option<String>,
    at_ms: Option<u64>,
    ticket: Option<Uuid>,
}

/// What a record holds of arguments and answer.
#[derive(Default)]
struct Contents {
    input_hash: Option<String>,
    output_hash: Option<String>,
    input: Option<Box<RawValue>>,
    input_redacted: bool,
}

impl EndedCall {
    pub(super) fn of(record: &CallRecord<'_>, at_ms: u64) -> Self {
        let call = record.call();
        let target = match call.scope() {
            Some(scope) => Target::Known(scope.clone()),
            None => Target::Unknown(Box::new(UnknownCall {
                name: call.name().chars().take(LONGEST_UNKNOWN).collect(),
                call_id: call.call_id().map(Into::into),
                cx: call.cx().clone(),
            })),
        };
        Self {
            target,
            at_ms,
            opened_at_ms: call.opened_at_ms(),
            status: record.status(),
            took: record.took().unwrap_or_default(),
            attempts: record.attempts(),
            origin: record.origin().into(),
            answer: Answer::of(record),
            approval: Approval::of(record),
        }
    }

    pub(super) fn at_ms(&self) -> u64 {
        self.at_ms
    }

    /// About how much memory it holds.
    pub(super) fn bytes(&self) -> usize {
        let answer = match &self.answer {
            Answer::Ok(data, meta) => data.len() + meta.as_ref().map_or(0, |meta| meta.len()),
            Answer::Error(_) => 0,
        };
        let input = match &self.target {
            Target::Known(scope) => scope.raw().len(),
            Target::Unknown(_) => 0,
        };
        OVERHEAD + answer + input
    }

    fn cx(&self) -> &ToolContext {
        match &self.target {
            Target::Known(scope) => scope.cx(),
            Target::Unknown(call) => &call.cx,
        }
    }

    fn scope(&self) -> Option<&CallScope> {
        match &self.target {
            Target::Known(scope) => Some(scope),
            Target::Unknown(_) => None,
        }
    }

    /// Writes the record.
    pub(super) fn describe(&self, keys: &LedgerKeys, inputs: Inputs) -> RecordedCall {
        let (cx, scope) = (self.cx(), self.scope());
        let owned = |text: Option<&str>| text.map(str::to_owned);
        // Should that panic, the call is on the record even so.
        let contents = guard(|| self.contents(keys, inputs)).unwrap_or_default();
        let (tool, call_id) = match &self.target {
            Target::Known(scope) => (scope.tool().name().to_owned(), owned(scope.call_id())),
            Target::Unknown(call) => (keys.redacted(&call.name), call.call_id.clone()),
        };
        let (status, error) = match &self.answer {
            Answer::Ok(..) => (RecordStatus::Success, None),
            Answer::Error(error) => (RecordStatus::Error, Some(error.clone())),
        };
        RecordedCall {
            at: written_ms(self.at_ms),
            opened_at: written_ms(self.opened_at_ms),
            trace_id: cx.trace_id().to_owned(),
            run_id: owned(cx.run_id()),
            ingestion_run_id: owned(cx.ingestion_run_id()),
            tenant_id: cx.tenant_id(),
            principal: principal(cx),
            site_id: owned(cx.site_id()),
            request_id: owned(cx.request_id()),
            invocation_id: cx.invocation_id(),
            call_id,
            tool,
            version: scope.map(|scope| scope.tool().version().to_owned()),
            effect: scope.map(|scope| scope.tool().effect()),
            status,
            ended: self.status,
            error,
            latency_ms: u64::try_from(self.took.as_millis()).unwrap_or(u64::MAX),
            attempts: self.attempts,
            origin: self.origin,
            dry_run: cx.dry_run(),
            rehearsal: scope.is_some_and(CallScope::is_rehearsal),
            replay_of: scope.and_then(CallScope::replay_of),
            approval: self.approval.as_ref().map(Approval::describe),
            input_hash: contents.input_hash,
            output_hash: contents.output_hash,
            input: contents.input,
            input_redacted: contents.input_redacted,
            evidence: self.evidence(),
        }
    }

    /// What the record holds of the arguments and the answer.
    fn contents(&self, keys: &LedgerKeys, inputs: Inputs) -> Contents {
        let Some(scope) = self.scope() else { return Contents::default() };
        let (input, input_redacted) = kept(scope, keys, inputs);
        Contents {
            input_hash: input_hash(scope, keys, input_redacted),
            output_hash: self.output_hash(scope, keys),
            input,
            input_redacted,
        }
    }

    fn output_hash(&self, scope: &CallScope, keys: &LedgerKeys) -> Option<String> {
        match &self.answer {
            Answer::Ok(data, _) => output_hash(scope, data, keys),
            Answer::Error(_) => None,
        }
    }

    fn evidence(&self) -> Option<String> {
        let Answer::Ok(_, Some(meta)) = &self.answer else { return None };
        let meta: ToolResultMeta = serde_json::from_str(meta).ok()?;
        meta.evidence().map(|evidence| evidence.snapshot_id().to_owned())
    }
}

/// Hashes the canonical arguments; under the key, where they may be guessed.
pub(crate) fn input_hash(scope: &CallScope, keys: &LedgerKeys, redacted: bool) -> Option<String> {
    // What is kept beside the hash leaves little to guess.
    let guessable = redacted || scope.registered().input_is_sensitive();
    Some(keys.hash(digest_of_input(scope.arguments())?, guessable))
}

/// Hashes the canonical answer; under the key, where it may be guessed.
pub(crate) fn output_hash(scope: &CallScope, data: &str, keys: &LedgerKeys) -> Option<String> {
    Some(keys.hash(digest_of_output(data)?, scope.registered().output_is_sensitive()))
}

/// Hashes arguments in their canonical form; none if they have none.
pub(crate) fn digest_of_input(arguments: &str) -> Option<Digest> {
    Digest::of_json("tool-runtime/input/v1", arguments).ok()
}

/// Hashes an answer in its canonical form; none if it has none.
pub(crate) fn digest_of_output(data: &str) -> Option<Digest> {
    Digest::of_json("tool-runtime/output/v1", data).ok()
}

/// The arguments as a record may hold them, and whether something in them was replaced.
fn kept(scope: &CallScope, keys: &LedgerKeys, inputs: Inputs) -> (Option<Box<RawValue>>, bool) {
    let Inputs::Redacted { most_bytes } = inputs else { return (None, false) };
    if scope.arguments().len() > most_bytes {
        return (None, false);
    }
    let Some(text) = keys.redacted_input(scope) else { return (None, false) };
    let redacted = text != scope.arguments();
    (RawValue::from_string(text).ok(), redacted)
}

fn principal(cx: &ToolContext) -> Principal {
    let owned = |text: Option<&str>| text.map(str::to_owned);
    Principal {
        user_id: owned(cx.user_id()),
        actor_type: cx.actor().map(Actor::kind),
        actor_id: owned(cx.actor().map(Actor::id)),
        session_id: owned(cx.session_id()),
    }
}

impl Answer {
    fn of(record: &CallRecord<'_>) -> Self {
        let output = record.output();
        match (output.error(), output.data_json()) {
            (None, data) => {
                let proven =
                    record.call().scope().is_some_and(|it| it.registered().traits.evidence);
                let meta = proven.then(|| output.meta_json().into());
                Self::Ok(data.unwrap_or("null").into(), meta)
            }
            (Some(error), _) => Self::Error(RecordedError::of(error)),
        }
    }
}

impl RecordedError {
    fn of(error: &ToolErrorDetail) -> Self {
        let fact = |name| error.details()?.get(name)?.as_str().map(str::to_owned);
        Self {
            class: error.class().as_str().to_owned(),
            code: error.code().map(str::to_owned),
            effect: fact("effect"),
            reason: fact("reason"),
        }
    }
}

impl Approval {
    fn of(record: &CallRecord<'_>) -> Option<Self> {
        let consent = record.call().consent();
        let ticket = consent.ticket.as_ref().map(|ticket| ticket.id);
        let ticket = ticket.or_else(|| issued(record.output().error()?));
        let by = consent.approver.clone();
        let nobody = by.is_none() && ticket.is_none();
        (!nobody).then_some(Self { by, at_ms: consent.approved_at_ms, ticket })
    }

    fn describe(&self) -> RecordedApproval {
        RecordedApproval {
            by: self.by.clone(),
            at: self.at_ms.map(written_ms),
            ticket: self.ticket,
        }
    }
}

/// The id of the ticket that a call was answered with.
fn issued(error: &ToolErrorDetail) -> Option<Uuid> {
    error.details()?.get("ticket")?.get("id")?.as_str()?.parse().ok()
}

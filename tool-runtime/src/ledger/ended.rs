//! A call that has ended: all that its record needs, taken in no time; it is written out later.

use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;
use tool_contracts::{Actor, CallStatus, ErrorCode, ToolContext, ToolErrorDetail, ToolResultMeta};
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
use crate::limits::Limits;
use crate::registry::Registered;

/// The most that a record repeats of a model's own texts, in characters: the name of a tool that does
/// not exist, the id that it gave a call.
const LONGEST_TEXT: usize = 128;

/// Why the runtime does not let a call through.
const REASONS: &[&str] = &[
    "breaker_open",
    "denied_by_policy",
    "key_not_kept",
    "ledger_full",
    "no_ticket",
    "not_canonical",
    "outcome_unknown",
    "policy_failed",
    "preview_changed",
    "queue_full",
    "rate_limit",
    "store_full",
    "store_unavailable",
    "superseded",
];

/// About how many bytes a call takes beside its texts.
const OVERHEAD: usize = 512;

/// A call that has ended.
pub(super) struct EndedCall {
    target: Target,
    cx: ToolContext,
    call_id: Option<String>,
    at_ms: u64,
    opened_at_ms: u64,
    status: CallStatus,
    took: Duration,
    attempts: u32,
    origin: RecordedOrigin,
    answer: Answer,
    approval: Option<Approval>,
}

/// What was called. It holds no handle of the runtime, which would be one of the ledger too.
enum Target {
    Known(Box<KnownCall>),
    Unknown(String),
}

struct KnownCall {
    tool: Arc<Registered>,
    /// As admitted.
    arguments: Box<str>,
    limits: Limits,
    rehearsal: bool,
    replay_of: Option<Uuid>,
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
            Some(scope) => Target::Known(Box::new(KnownCall::of(scope))),
            None => Target::Unknown(call.name().chars().take(LONGEST_TEXT).collect()),
        };
        Self {
            target,
            cx: call.cx().clone(),
            call_id: call.call_id().map(|id| id.chars().take(LONGEST_TEXT).collect()),
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
        let input = self.known().map_or(0, |call| call.arguments.len());
        OVERHEAD + answer + input
    }

    fn known(&self) -> Option<&KnownCall> {
        match &self.target {
            Target::Known(call) => Some(call),
            Target::Unknown(_) => None,
        }
    }

    /// Writes the record.
    pub(super) fn describe(&self, keys: &LedgerKeys, inputs: Inputs) -> RecordedCall {
        let (cx, known) = (&self.cx, self.known());
        let owned = |text: Option<&str>| text.map(str::to_owned);
        // Should that panic, the call is on the record even so.
        let contents = guard(|| self.contents(keys, inputs)).unwrap_or_default();
        let tool = match &self.target {
            Target::Known(call) => call.tool.spec.name().to_owned(),
            Target::Unknown(name) => keys.redacted(name),
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
            call_id: self.call_id.clone(),
            tool,
            version: known.map(|call| call.tool.spec.version().to_owned()),
            effect: known.map(|call| call.tool.spec.effect()),
            status,
            ended: self.status,
            error,
            latency_ms: u64::try_from(self.took.as_millis()).unwrap_or(u64::MAX),
            attempts: self.attempts,
            origin: self.origin,
            dry_run: cx.dry_run(),
            rehearsal: known.is_some_and(|call| call.rehearsal),
            replay_of: known.and_then(|call| call.replay_of),
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
        let Some(call) = self.known() else { return Contents::default() };
        let (input, input_redacted) = call.kept_input(&self.cx, keys, inputs);
        // Where nobody looked, nobody knows what there is to guess.
        let guessable = input.is_none() || input_redacted;
        Contents {
            input_hash: hash_of_input(&call.tool, &call.arguments, keys, guessable),
            output_hash: match &self.answer {
                Answer::Ok(data, _) => hash_of_output(&call.tool, data, keys),
                Answer::Error(_) => None,
            },
            input,
            input_redacted,
        }
    }

    fn evidence(&self) -> Option<String> {
        let Answer::Ok(_, Some(meta)) = &self.answer else { return None };
        let meta: ToolResultMeta = serde_json::from_str(meta).ok()?;
        meta.evidence().map(|evidence| evidence.snapshot_id().to_owned())
    }
}

/// Hashes a call's canonical arguments; under the key, where they may be guessed.
#[cfg(feature = "evidence")]
pub(crate) fn input_hash(scope: &CallScope, keys: &LedgerKeys, redacted: bool) -> Option<String> {
    hash_of_input(scope.registered(), scope.arguments(), keys, redacted)
}

/// Hashes a call's canonical answer; under the key, where it may be guessed.
#[cfg(feature = "evidence")]
pub(crate) fn output_hash(scope: &CallScope, data: &str, keys: &LedgerKeys) -> Option<String> {
    hash_of_output(scope.registered(), data, keys)
}

fn hash_of_input(
    tool: &Registered,
    arguments: &str,
    keys: &LedgerKeys,
    redacted: bool,
) -> Option<String> {
    // What is kept beside the hash leaves little to guess.
    let guessable = redacted || tool.input_is_sensitive();
    Some(keys.hash(digest_of_input(arguments)?, guessable))
}

fn hash_of_output(tool: &Registered, data: &str, keys: &LedgerKeys) -> Option<String> {
    Some(keys.hash(digest_of_output(data)?, tool.output_is_sensitive()))
}

/// Hashes arguments in their canonical form; none if they have none.
pub(crate) fn digest_of_input(arguments: &str) -> Option<Digest> {
    Digest::of_json("tool-runtime/input/v1", arguments).ok()
}

/// Hashes an answer in its canonical form; none if it has none.
pub(crate) fn digest_of_output(data: &str) -> Option<Digest> {
    Digest::of_json("tool-runtime/output/v1", data).ok()
}

impl KnownCall {
    fn of(scope: &CallScope) -> Self {
        Self {
            tool: scope.shared_tool().clone(),
            arguments: scope.arguments().into(),
            limits: *scope.runtime().limits(),
            rehearsal: scope.is_rehearsal(),
            replay_of: scope.replay_of(),
        }
    }

    /// The arguments as a record may hold them, and whether something in them was replaced.
    fn kept_input(
        &self,
        cx: &ToolContext,
        keys: &LedgerKeys,
        inputs: Inputs,
    ) -> (Option<Box<RawValue>>, bool) {
        let Inputs::Redacted { most_bytes } = inputs else { return (None, false) };
        if self.arguments.len() > most_bytes {
            return (None, false);
        }
        let veil = keys.veil(cx.tenant_id());
        let text = self.tool.input.redact(&self.arguments, &self.limits, &veil);
        let Some(text) = text else { return (None, false) };
        let redacted = *text != *self.arguments;
        (RawValue::from_string(text).ok(), redacted)
    }
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
        // Texts of the runtime's own alone: what a tool says there may say anything.
        let fact = |name, known: &[&str]| {
            let text = error.details()?.get(name)?.as_str()?;
            known.contains(&text).then(|| text.to_owned())
        };
        Self {
            class: error.class().as_str().to_owned(),
            code: error.code().map(str::to_owned),
            effect: fact("effect", &["none", "unknown"]),
            reason: fact("reason", REASONS),
        }
    }
}

impl Approval {
    fn of(record: &CallRecord<'_>) -> Option<Self> {
        let consent = record.call().consent();
        let ticket = consent.ticket.as_ref().map(|ticket| ticket.id);
        let unrun = record.attempts() == 0;
        let ticket = ticket.or_else(|| issued(record.output().error().filter(|_| unrun)?));
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
    if error.error_code() != Some(ErrorCode::NeedsUserConfirmation) {
        return None;
    }
    error.details()?.get("ticket")?.get("id")?.as_str()?.parse().ok()
}

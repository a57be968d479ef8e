//! A call that has ended: all that its record needs, taken in no time; it is written out later.

use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;
use tool_contracts::{
    Actor, ActorType, CallStatus, ErrorCode, Evidence, ToolErrorDetail, ToolErrorMeta,
    ToolResultMeta,
};
use uuid::Uuid;

use super::config::Inputs;
use super::keys::LedgerKeys;
use super::query::written_ms;
use super::record::{
    Principal, RecordStatus, RecordedApproval, RecordedCall, RecordedError, RecordedOrigin,
};
use super::texts::{Name, Texts};
use crate::call::{CallScope, guard};
use crate::canonical::Digest;
use crate::dispatch::CallRecord;
use crate::limits::Limits;
use crate::refusal_reason::RefusalReason;
use crate::registry::Registered;

/// The most that a record repeats of a model's own texts, in characters: the name of a tool that does
/// not exist, the id that it gave a call.
const LONGEST_TEXT: usize = 128;

/// About how many bytes a call takes beside its texts.
const OVERHEAD: usize = 512;

/// A call that has ended. It holds no handle of the runtime, which would be one of the ledger too.
pub(super) struct EndedCall {
    texts: Texts,
    /// What was called; none if no tool has the name.
    known: Option<KnownCall>,
    tenant: Uuid,
    invocation: Uuid,
    actor: Option<ActorType>,
    dry_run: bool,
    at_ms: u64,
    opened_at_ms: u64,
    status: CallStatus,
    took: Duration,
    attempts: u32,
    origin: RecordedOrigin,
    error: Option<Box<RecordedError>>,
    approval: Option<Box<Approval>>,
    /// The digest of the snapshot that this call left.
    snapshot: Option<Box<Digest>>,
}

struct KnownCall {
    tool: Arc<Registered>,
    limits: Limits,
    rehearsal: bool,
    replay_of: Option<Uuid>,
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
        let (call, output) = (record.call(), record.output());
        let (cx, scope) = (call.cx(), call.scope());
        let unknown = scope.is_none().then(|| shortened(call.name()));
        let call_id = call.call_id().map(shortened);
        let error = output.error();
        let proven = scope.is_some_and(|it| it.registered().traits.evidence);
        let data = error.is_none().then(|| output.data_json().unwrap_or("null"));
        let meta = proven.then(|| output.meta_json());
        Self {
            texts: Texts::of(&[
                (Name::Tool, unknown),
                (Name::Trace, Some(cx.trace_id())),
                (Name::Run, cx.run_id()),
                (Name::IngestionRun, cx.ingestion_run_id()),
                (Name::TenantSlug, cx.tenant_slug()),
                (Name::Site, cx.site_id()),
                (Name::Request, cx.request_id()),
                (Name::User, cx.user_id()),
                (Name::Actor, cx.actor().map(Actor::id)),
                (Name::Session, cx.session_id()),
                (Name::Call, call_id),
                (Name::Arguments, scope.map(CallScope::arguments)),
                (Name::Data, data),
                (Name::Meta, meta),
            ]),
            known: scope.map(KnownCall::of),
            tenant: cx.tenant_id(),
            invocation: cx.invocation_id(),
            actor: cx.actor().map(Actor::kind),
            dry_run: cx.dry_run(),
            at_ms,
            opened_at_ms: call.opened_at_ms(),
            status: record.status(),
            took: record.took().unwrap_or_default(),
            attempts: record.attempts(),
            origin: record.origin().into(),
            error: error.map(|error| Box::new(RecordedError::of(error, scope))),
            approval: Approval::of(record).map(Box::new),
            snapshot: record.snapshot_digest().map(Box::new),
        }
    }

    pub(super) fn at_ms(&self) -> u64 {
        self.at_ms
    }

    /// About how much memory it holds.
    pub(super) fn bytes(&self) -> usize {
        OVERHEAD + self.texts.len()
    }

    /// Writes the record.
    pub(super) fn describe(&self, keys: &LedgerKeys, inputs: Inputs) -> RecordedCall {
        let known = self.known.as_ref();
        let owned = |name| self.texts.get(name).map(str::to_owned);
        // Should that panic, the call is on the record even so.
        let contents = guard(|| self.contents(keys, inputs)).unwrap_or_default();
        RecordedCall {
            at: written_ms(self.at_ms),
            opened_at: written_ms(self.opened_at_ms),
            trace_id: owned(Name::Trace).unwrap_or_default(),
            run_id: owned(Name::Run),
            ingestion_run_id: owned(Name::IngestionRun),
            tenant_id: self.tenant,
            tenant_slug: owned(Name::TenantSlug),
            principal: Principal {
                user_id: owned(Name::User),
                actor_type: self.actor,
                actor_id: owned(Name::Actor),
                session_id: owned(Name::Session),
            },
            site_id: owned(Name::Site),
            request_id: owned(Name::Request),
            invocation_id: self.invocation,
            call_id: owned(Name::Call),
            tool: match known {
                Some(call) => call.tool.spec.name().to_owned(),
                None => keys.redacted(self.texts.get(Name::Tool).unwrap_or_default()),
            },
            version: known.map(|call| call.tool.spec.version().to_owned()),
            effect: known.map(|call| call.tool.spec.effect()),
            status: match self.error {
                None => RecordStatus::Success,
                Some(_) => RecordStatus::Error,
            },
            ended: self.status,
            error: self.error.as_deref().map(|error| RecordedError {
                message: error.message.as_deref().map(|message| {
                    // Cut last: half of what is sensitive would not be found any more.
                    shortened(&keys.redacted(message)).to_owned()
                }),
                ..error.clone()
            }),
            latency_ms: u64::try_from(self.took.as_millis()).unwrap_or(u64::MAX),
            attempts: self.attempts,
            origin: self.origin,
            dry_run: self.dry_run,
            rehearsal: known.is_some_and(|call| call.rehearsal),
            replay_of: known.and_then(|call| call.replay_of),
            approval: self.approval.as_deref().map(Approval::describe),
            input_hash: contents.input_hash,
            output_hash: contents.output_hash,
            input: contents.input,
            input_redacted: contents.input_redacted,
            evidence: self.evidence(),
            evidence_digest: self.snapshot.as_deref().map(|digest| keys.hash(*digest, true)),
        }
    }

    /// What the record holds of the arguments and the answer.
    fn contents(&self, keys: &LedgerKeys, inputs: Inputs) -> Contents {
        let Some((call, arguments)) = self.known.as_ref().zip(self.texts.get(Name::Arguments))
        else {
            return Contents::default();
        };
        let (input, input_redacted) = self.kept_input(call, arguments, keys, inputs);
        // Where nobody looked, nobody knows what there is to guess.
        let guessable = input.is_none() || input_redacted;
        let data = self.texts.get(Name::Data);
        Contents {
            input_hash: hash_of_input(&call.tool, arguments, keys, guessable),
            output_hash: data.and_then(|data| hash_of_output(data, keys)),
            input,
            input_redacted,
        }
    }

    /// The arguments as a record may hold them, and whether something in them was replaced.
    fn kept_input(
        &self,
        call: &KnownCall,
        arguments: &str,
        keys: &LedgerKeys,
        inputs: Inputs,
    ) -> (Option<Box<RawValue>>, bool) {
        let Inputs::Redacted { most_bytes } = inputs else { return (None, false) };
        if arguments.len() > most_bytes {
            return (None, false);
        }
        let text = call.tool.input.redact(arguments, &call.limits, &keys.veil(self.tenant));
        let Some(text) = text else { return (None, false) };
        let redacted = *text != *arguments;
        (RawValue::from_string(text).ok(), redacted)
    }

    fn evidence(&self) -> Option<String> {
        let meta = self.texts.get(Name::Meta)?;
        let id = |evidence: &Evidence| evidence.snapshot_id().to_owned();
        match self.error {
            None => serde_json::from_str::<ToolResultMeta>(meta).ok()?.evidence().map(id),
            Some(_) => serde_json::from_str::<ToolErrorMeta>(meta).ok()?.evidence().map(id),
        }
    }
}

/// What a record repeats of a model's own text.
fn shortened(text: &str) -> &str {
    first(text, LONGEST_TEXT)
}

fn first(text: &str, characters: usize) -> &str {
    text.char_indices().nth(characters).map_or(text, |(end, _)| &text[..end])
}

/// Hashes a call's canonical arguments; under the key, where they may be guessed.
#[cfg(feature = "evidence")]
pub(crate) fn input_hash(scope: &CallScope, keys: &LedgerKeys, redacted: bool) -> Option<String> {
    hash_of_input(scope.registered(), scope.arguments(), keys, redacted)
}

/// Hashes a call's canonical answer, under the key.
#[cfg(feature = "evidence")]
pub(crate) fn output_hash(data: &str, keys: &LedgerKeys) -> Option<String> {
    hash_of_output(data, keys)
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

/// An unkeyed hash of a short answer confirms a guess at it, and the answer is not on the record.
fn hash_of_output(data: &str, keys: &LedgerKeys) -> Option<String> {
    Some(keys.hash(digest_of_output(data)?, true))
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
            limits: *scope.runtime().limits(),
            rehearsal: scope.is_rehearsal(),
            replay_of: scope.replay_of(),
        }
    }
}

impl RecordedError {
    fn of(error: &ToolErrorDetail, scope: Option<&CallScope>) -> Self {
        // Only the runtime's own words: a tool's details of these names may contain any text.
        let detail = |name| error.details()?.get(name)?.as_str();
        let effect = detail("effect").filter(|effect| ["none", "unknown", "done"].contains(effect));
        let reason = detail("reason").and_then(RefusalReason::parse);
        let message = error.message().to_owned();
        let message = match scope {
            Some(scope) => scope.scrub_log(message),
            None => message,
        };
        Self {
            class: error.class().as_str().to_owned(),
            code: error.code().map(str::to_owned),
            // More than the record keeps, for the ledger's patterns to look at.
            message: Some(first(&message, 4 * LONGEST_TEXT).to_owned()),
            effect: effect.map(str::to_owned),
            reason: reason.map(|reason| reason.as_str().to_owned()),
        }
    }
}

impl Approval {
    fn of(record: &CallRecord<'_>) -> Option<Self> {
        let consent = record.call().approval();
        let ticket = consent.ticket.as_ref().map(|ticket| ticket.id);
        let unrun = record.attempts() == 0;
        let ticket = ticket.or_else(|| issued(record.output().error().filter(|_| unrun)?));
        let by = record.approver().map(str::to_owned);
        let at_ms = consent.approved_at_ms.filter(|_| by.is_some());
        let nobody = by.is_none() && ticket.is_none();
        (!nobody).then_some(Self { by, at_ms, ticket })
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

//! A cheap snapshot of an ended call; the writer thread serializes it later.

use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;
use tool_contracts::{
    Actor, ActorType, CallStatus, Evidence, ToolErrorDetail, ToolErrorMeta, ToolResultMeta,
};
use tool_runtime_core::dispatch::{CallRecord, SpendingRecord};
use tool_runtime_core::effect_state::EffectState;
use tool_runtime_core::refusal_reason::RefusalReason;
use tool_runtime_core::timer::whole_millis;
use tool_runtime_core::tool::registry::RegisteredTool;
use tool_runtime_core::tool::{Attachment, CallScope, ToolOutput, catch_panic};
use tool_runtime_schema::Limits;
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use super::call_texts::{CallTexts, TextField};
use super::config::InputCapture;
use super::keys::LedgerKeys;
use super::query::timestamp_ms;
use super::record::{
    RecordStatus, RecordedApproval, RecordedCall, RecordedError, RecordedOrigin, RecordedPrincipal,
};
use super::spending::RecordedSpending;

/// The longest name of an unknown tool, model's id of the call, or error message that a record
/// repeats, in characters.
const MAX_TEXT_CHARS: usize = 128;

/// About how many bytes a call takes in addition to its texts.
const CALL_OVERHEAD: usize = 512;

/// About how many bytes an amount of a budget takes.
const SPENDING_OVERHEAD: usize = 256;

/// The longest answer that the call's own thread hashes, in bytes: about ten microseconds. Hashing is
/// most of a record's cost, there are more threads that call than the one that writes, and the queue
/// holds a digest in place of the answer.
const MAX_HASHED_BYTES: usize = 16 * 1024;

/// An ended call that waits in the ledger's queue until the writer serializes its record.
///
/// It holds no handle of the runtime, since that would be one of the ledger too.
pub(super) struct CallSnapshot {
    texts: CallTexts,
    /// The registered tool; none if no tool has the name.
    known: Option<ResolvedCall>,
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
    spending: Vec<SpendingRecord>,
    approval: Option<Box<EndedApproval>>,
    /// The digest of the answer's text; none if the writer hashes it.
    output: Option<Digest>,
    /// The digest of this call's evidence snapshot.
    snapshot: Option<Box<Digest>>,
}

struct ResolvedCall {
    tool: Arc<RegisteredTool>,
    limits: Limits,
    approval_dry_run: bool,
    replay_of: Option<Uuid>,
}

struct EndedApproval {
    by: Option<String>,
    declined_by: Option<String>,
    at_ms: Option<u64>,
    ticket: Option<Uuid>,
}

/// The parts of a record that depend on the arguments and the answer.
#[derive(Default)]
struct RecordedContents {
    input_hash: Option<String>,
    output_hash: Option<String>,
    input: Option<Box<RawValue>>,
    input_redacted: bool,
}

impl CallSnapshot {
    pub(super) fn new(record: &CallRecord<'_>, at_ms: u64) -> Self {
        let (call, output) = (&record.facts, record.output());
        let (cx, scope) = (call.cx, call.scope);
        let unknown = scope.is_none().then(|| shortened(call.name));
        let call_id = call.call_id.map(shortened);
        let error = output.error();
        let proven = scope.is_some_and(|it| it.registered().behavior.evidence);
        let data = error.is_none().then(|| output.data_json().unwrap_or("null"));
        let hashed = data.filter(|data| !proven && data.len() <= MAX_HASHED_BYTES);
        let digest = hashed.map(digest_of_output_text);
        let meta = proven.then(|| output.meta_json());
        let attachments = hashes_of_attachments(output);
        Self {
            texts: CallTexts::new(&[
                (TextField::Tool, unknown),
                (TextField::Trace, Some(cx.trace_id())),
                (TextField::Run, cx.run_id()),
                (TextField::IngestionRun, cx.ingestion_run_id()),
                (TextField::TenantSlug, cx.tenant_slug()),
                (TextField::Site, cx.site_id()),
                (TextField::Request, cx.request_id()),
                (TextField::User, cx.user_id()),
                (TextField::Actor, cx.actor().map(Actor::id)),
                (TextField::Session, cx.session_id()),
                (TextField::Call, call_id),
                (TextField::Arguments, scope.map(CallScope::arguments)),
                (TextField::Data, data.filter(|_| digest.is_none())),
                (TextField::Meta, meta),
                (TextField::Attachments, attachments.as_deref()),
            ]),
            known: scope.map(ResolvedCall::new),
            tenant: cx.tenant_id(),
            invocation: cx.invocation_id(),
            actor: cx.actor().map(Actor::kind),
            dry_run: cx.dry_run(),
            at_ms,
            opened_at_ms: call.opened_at_ms,
            status: record.status(),
            took: record.took().unwrap_or_default(),
            attempts: record.attempts(),
            origin: record.origin().into(),
            error: error.map(|error| Box::new(RecordedError::new(error, scope))),
            spending: record.spending(),
            approval: EndedApproval::from_record(record).map(Box::new),
            output: digest,
            snapshot: snapshot_digest(record).map(Box::new),
        }
    }

    pub(super) fn at_ms(&self) -> u64 {
        self.at_ms
    }

    /// Returns about how much memory it holds, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let message = self.error.as_deref().and_then(|error| error.message.as_deref());
        let approval = self.approval.as_deref();
        let approver = approval.and_then(|approval| approval.by.as_deref());
        let decliner = approval.and_then(|approval| approval.declined_by.as_deref());
        let beside =
            [message, approver, decliner].into_iter().flatten().map(str::len).sum::<usize>();
        let spending = self.spending.len() * SPENDING_OVERHEAD;
        CALL_OVERHEAD + self.texts.len() + beside + spending
    }

    /// Builds the record.
    pub(super) fn to_record(&self, keys: &LedgerKeys, inputs: InputCapture) -> RecordedCall {
        let known_call = self.known.as_ref();
        let owned = |name| self.texts.get(name).map(str::to_owned);
        // If this panics, the call is still recorded, without contents.
        let contents = catch_panic(|| self.contents(keys, inputs)).unwrap_or_default();
        RecordedCall {
            at: timestamp_ms(self.at_ms),
            opened_at: timestamp_ms(self.opened_at_ms),
            trace_id: owned(TextField::Trace).unwrap_or_default(),
            run_id: owned(TextField::Run),
            ingestion_run_id: owned(TextField::IngestionRun),
            tenant_id: self.tenant,
            tenant_slug: owned(TextField::TenantSlug),
            principal: RecordedPrincipal {
                user_id: owned(TextField::User),
                actor_type: self.actor,
                actor_id: owned(TextField::Actor),
                session_id: owned(TextField::Session),
            },
            site_id: owned(TextField::Site),
            request_id: owned(TextField::Request),
            invocation_id: self.invocation,
            call_id: owned(TextField::Call),
            tool: match known_call {
                Some(call) => call.tool.spec.name().to_owned(),
                None => keys.redacted(self.texts.get(TextField::Tool).unwrap_or_default()),
            },
            version: known_call.map(|call| call.tool.spec.version().to_owned()),
            effect: known_call.map(|call| call.tool.spec.effect()),
            status: match self.error {
                None => RecordStatus::Success,
                Some(_) => RecordStatus::Error,
            },
            final_status: self.status,
            error: self.error.as_deref().map(|error| RecordedError {
                message: error.message.as_deref().map(|message| {
                    // Cut last: a pattern does not match half of a sensitive value.
                    shortened(&keys.redacted(message)).to_owned()
                }),
                ..error.clone()
            }),
            latency_ms: whole_millis(self.took),
            attempts: self.attempts,
            origin: self.origin,
            dry_run: self.dry_run,
            approval_dry_run: known_call.is_some_and(|call| call.approval_dry_run),
            replay_of: known_call.and_then(|call| call.replay_of),
            spending: self.spending.iter().map(|it| RecordedSpending::new(it, keys)).collect(),
            approval: self.approval.as_deref().map(EndedApproval::to_record),
            input_hash: contents.input_hash,
            output_hash: contents.output_hash,
            attachments: self.attachments(keys),
            input: contents.input,
            input_redacted: contents.input_redacted,
            evidence: self.evidence(),
            evidence_digest: self.snapshot.as_deref().map(|digest| keys.hash(*digest, true)),
        }
    }

    /// Hashes the arguments and the answer, and redacts the arguments.
    fn contents(&self, keys: &LedgerKeys, inputs: InputCapture) -> RecordedContents {
        let Some((call, arguments)) = self.known.as_ref().zip(self.texts.get(TextField::Arguments))
        else {
            return RecordedContents::default();
        };
        let (input, input_redacted) = self.kept_input(call, arguments, keys, inputs);
        let is_hidden = input.is_none() || input_redacted;
        RecordedContents {
            input_hash: Some(hash_of_input(&call.tool, arguments, keys, is_hidden)),
            output_hash: self.output_digest(call).map(|digest| keys.hash(digest, true)),
            input,
            input_redacted,
        }
    }

    /// Hashes the answer: its canonical form if the tool leaves evidence, else its text. The record
    /// has this digest under the key, since an unkeyed hash of a short answer would confirm a guess.
    fn output_digest(&self, call: &ResolvedCall) -> Option<Digest> {
        let data = || self.texts.get(TextField::Data);
        match self.output {
            Some(digest) => Some(digest),
            None if call.tool.behavior.evidence => data().map(digest_of_output),
            None => data().map(digest_of_output_text),
        }
    }

    /// Returns the redacted arguments, and whether redaction changed them.
    fn kept_input(
        &self,
        call: &ResolvedCall,
        arguments: &str,
        keys: &LedgerKeys,
        inputs: InputCapture,
    ) -> (Option<Box<RawValue>>, bool) {
        let InputCapture::Redacted { max_bytes } = inputs else { return (None, false) };
        if arguments.len() > max_bytes {
            return (None, false);
        }
        let text = call.tool.input.redact(arguments, &call.limits, &keys.redactor(self.tenant));
        let Some(text) = text else { return (None, false) };
        let redacted = *text != *arguments;
        (RawValue::from_string(text).ok(), redacted)
    }

    fn attachments(&self, keys: &LedgerKeys) -> Vec<String> {
        let hashes = self.texts.get(TextField::Attachments).unwrap_or_default();
        hashes.split_whitespace().map(|sha256| hash_of_attachment(sha256, keys)).collect()
    }

    fn evidence(&self) -> Option<String> {
        let meta = self.texts.get(TextField::Meta)?;
        let id = |evidence: &Evidence| evidence.snapshot_id().to_owned();
        match self.error {
            None => serde_json::from_str::<ToolResultMeta>(meta).ok()?.evidence().map(id),
            Some(_) => serde_json::from_str::<ToolErrorMeta>(meta).ok()?.evidence().map(id),
        }
    }
}

/// Cuts a text to the length that a record repeats.
fn shortened(text: &str) -> &str {
    first(text, MAX_TEXT_CHARS)
}

fn first(text: &str, characters: usize) -> &str {
    text.char_indices().nth(characters).map_or(text, |(end, _)| &text[..end])
}

/// Returns the digest of the snapshot that a call left as evidence.
fn snapshot_digest(record: &CallRecord<'_>) -> Option<Digest> {
    record.ended.evidence_draft.as_ref()?.snapshot.map(Digest::from_bytes)
}

/// Returns the SHA-256 of each attachment, separated by spaces; none for an answer without any.
fn hashes_of_attachments(output: &ToolOutput) -> Option<String> {
    let hashes: Vec<_> = output.attachments().iter().filter_map(Attachment::sha256).collect();
    (!hashes.is_empty()).then(|| hashes.join(" "))
}

/// Hashes the SHA-256 of an attachment with the key, since an unkeyed hash of a short file would
/// confirm a guess.
pub(crate) fn hash_of_attachment(sha256: &str, keys: &LedgerKeys) -> String {
    keys.hash(Digest::compute("tool-runtime/attachment/v1", sha256.as_bytes()), true)
}

/// Hashes a call's canonical arguments; with the key if they could be guessed. `is_hidden` is false if
/// the record shows them unchanged.
pub(crate) fn hash_of_input(
    tool: &RegisteredTool,
    arguments: &str,
    keys: &LedgerKeys,
    is_hidden: bool,
) -> String {
    // The hash of arguments that the record shows needs no key.
    let guessable = is_hidden || tool.has_secrets || tool.has_personal;
    keys.hash(digest_of_input(arguments), guessable)
}

/// Hashes the canonical form of arguments, or their text if they have none, such as those with
/// integers beyond 2^53 − 1.
pub(crate) fn digest_of_input(arguments: &str) -> Digest {
    Digest::from_json("tool-runtime/input/v1", arguments)
        .unwrap_or_else(|_| Digest::compute("tool-runtime/input-text/v1", arguments.as_bytes()))
}

/// Hashes the canonical form of an answer, as records of tools with evidence do, or its text if it
/// has none.
pub(crate) fn digest_of_output(data: &str) -> Digest {
    Digest::from_json("tool-runtime/output/v1", data)
        .unwrap_or_else(|_| digest_of_output_text(data))
}

/// Hashes an answer's JSON text as it was delivered, as records of tools without evidence do.
pub(crate) fn digest_of_output_text(data: &str) -> Digest {
    Digest::compute("tool-runtime/output-text/v1", data.as_bytes())
}

impl ResolvedCall {
    fn new(scope: &CallScope) -> Self {
        Self {
            tool: scope.shared_tool().clone(),
            limits: *scope.environment().limits(),
            approval_dry_run: scope.is_approval_dry_run(),
            replay_of: scope.replay_of(),
        }
    }
}

impl RecordedError {
    fn new(error: &ToolErrorDetail, scope: Option<&CallScope>) -> Self {
        // Only the runtime's own values are kept: a tool may write any text there.
        let detail = |name| error.details()?.get(name)?.as_str();
        let effect = detail(EffectState::KEY).and_then(EffectState::parse);
        let reason = detail("reason").and_then(RefusalReason::parse);
        let message = error.message().to_owned();
        let message = match scope {
            Some(scope) => scope.scrub_log(message),
            None => message,
        };
        Self {
            error_type: error.error_type().as_str().to_owned(),
            code: error.code().map(str::to_owned),
            // Longer than what the record keeps, so that the ledger's patterns see whole values.
            message: Some(first(&message, 4 * MAX_TEXT_CHARS).to_owned()),
            effect: effect.map(|effect| effect.as_str().to_owned()),
            reason: reason.map(|reason| reason.as_str().to_owned()),
        }
    }
}

impl EndedApproval {
    fn from_record(record: &CallRecord<'_>) -> Option<Self> {
        let approval = record.facts.approval;
        let ticket = approval.ticket.as_ref().map(|ticket| ticket.id).or(approval.rejected_ticket);
        let ticket = ticket.or(approval.awaited_ticket.as_ref().map(|ticket| ticket.id));
        let by = record.approver().map(str::to_owned);
        let declined_by = record.decliner().map(str::to_owned);
        let is_decided = by.is_some() || declined_by.is_some();
        let at_ms = approval.decided_at_ms.filter(|_| is_decided);
        let is_recorded = is_decided || ticket.is_some();
        is_recorded.then_some(Self { by, declined_by, at_ms, ticket })
    }

    fn to_record(&self) -> RecordedApproval {
        RecordedApproval {
            by: self.by.clone(),
            declined_by: self.declined_by.clone(),
            at: self.at_ms.map(timestamp_ms),
            ticket: self.ticket,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_without_a_canonical_form_are_hashed_as_text() {
        const TEXT: &str = r#"{"id":1234567890123456789}"#;
        assert_eq!(digest_of_output(TEXT), digest_of_output_text(TEXT));
        assert_ne!(digest_of_input(TEXT), digest_of_input(r#"{"id":1234567890123456788}"#));
        assert_ne!(digest_of_input(TEXT), digest_of_output(TEXT));
        assert_eq!(digest_of_input(r#"{"b":1,"a":2}"#), digest_of_input(r#"{"a":2,"b":1}"#));
    }
}

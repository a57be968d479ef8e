//! Keeps a snapshot of each answer before it is delivered.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::FutureExt;
use futures::future::BoxFuture;
use tool_contracts::{CallStatus, ContractError, Effect, ErrorCode, Evidence, EvidenceSource};
use tool_runtime_core::dispatch::answer::failed;
use tool_runtime_core::dispatch::hooks::{EvidenceCollector, Wait};
use tool_runtime_core::dispatch::outcome::{CallOutcome, EffectOutcome};
use tool_runtime_core::dispatch::refusal::Refusal;
use tool_runtime_core::effect_state::EffectState;
use tool_runtime_core::failure::{Failure, LoggedFailure};
use tool_runtime_core::refusal_reason::RefusalReason;
use tool_runtime_core::store::{StoreError, UnixMillis};
use tool_runtime_core::tool::{Attachment, CallScope, EvidenceDraft, guarded, redacting};
use tool_runtime_schema::canonical::Digest;
use tool_runtime_schema::schema::Validator;

use super::{
    AccessAction, AccessLog, AccessOutcome, AccessRecord, Contents, EvidenceError, Snapshot, Vault,
};
use crate::ledger::query::utc_time;
use crate::ledger::{self, Ledger, RecordedOutcome};

/// The longest time that an answer waits for its snapshot to be kept.
const KEEP_TIMEOUT: Duration = Duration::from_secs(10);

/// The warning of an answer or a failure whose evidence could not be kept.
const NOT_KEPT_WARNING: &str = "the evidence of this answer could not be kept";

/// The contents of a call that are sealed with its snapshot.
///
/// Arguments or answers of which a schema marks a part as `secret` are never sealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Sealing {
    /// Nothing: the snapshot has hashes and a redacted summary.
    Nothing,
    /// The exact arguments, so that a replay can run a read again.
    Arguments,
    /// The exact arguments and the full answer, so that a replay can show what has changed.
    #[default]
    Everything,
}

/// Keeps evidence of the answers of tools marked `#[ai_tool(evidence)]`: given to
/// [`RuntimeBuilder::evidence`](tool_runtime_core::RuntimeBuilder::evidence).
///
/// Before an answer is delivered, a snapshot of it is kept in the vault, which `meta.evidence`
/// names. A failure that the tool returns itself leaves a snapshot too, with the error's code. A
/// panic, a deadline and invalid arguments leave none. If a snapshot cannot be kept within ten
/// seconds, the answer is delivered with a warning. A tool marked
/// `#[ai_tool(evidence = "required")]` is stricter: its answer is withheld then, and only its
/// failures are delivered; before it runs, the vault loads the keys of the snapshot, and the call is
/// refused if they are not available. Every access to the vault is recorded in the ledger.
///
/// ```
/// use tool_runtime::evidence::{EvidenceKeeper, Sealing, Vault};
/// use tool_runtime::ledger::{Ledger, MemoryLedger};
/// use tool_runtime::policy::KeyRing;
/// use tool_runtime::prelude::*;
/// use tool_runtime::store::MemoryStore;
///
/// /// Gives the price of an article, in cents.
/// #[ai_tool(effect = "read", evidence)]
/// async fn quote(
///     /// The article.
///     sku: String,
/// ) -> u64 {
///     100 * u64::try_from(sku.len()).unwrap_or(0)
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let secret = [7; 32];
/// let ledger = Ledger::builder(KeyRing::new("2025-07", &secret)?).open(MemoryLedger::new(1_000))?;
/// let vault = Vault::new(MemoryStore::new(), KeyRing::new("2025-07", &secret)?);
/// let evidence = EvidenceKeeper::new(vault, &ledger).sealing(Sealing::Everything);
/// let runtime =
///     Runtime::builder().tool::<QuoteTool>().ledger(&ledger).evidence(evidence).build()?;
///
/// let cx = ToolContext::local();
/// let mut call = runtime.call("quote", r#"{"sku":"A-1"}"#, &cx);
/// let answer = call.execute().await.to_envelope();
/// assert!(answer.evidence().expect("evidence").snapshot_id().starts_with("ev_"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[must_use]
pub struct EvidenceKeeper {
    vault: Vault,
    ledger: Ledger,
    sealing: Sealing,
    build: Option<Arc<str>>,
}

impl EvidenceKeeper {
    /// Keeps evidence in this vault, records every access to it in this ledger, and compares each
    /// snapshot that is read with the ledger's record of its call.
    pub fn new(vault: Vault, ledger: &Ledger) -> Self {
        let vault = vault.with_access_log(ledger.clone()).with_ledger(ledger);
        Self { vault, ledger: ledger.clone(), sealing: Sealing::default(), build: None }
    }

    /// Sets the contents that are sealed; arguments and answer if it is not set.
    pub fn sealing(mut self, sealing: Sealing) -> Self {
        self.sealing = sealing;
        self
    }

    /// Sets the name of the build that runs; each snapshot has it as its build hash.
    ///
    /// A build is everything that decides what the program does: its sources, the versions of its
    /// dependencies, and the compiler. Give the commit that a release was built from, or a hash of
    /// all of these that a build script makes, as the storefront's does.
    ///
    /// Without it, each snapshot has the hash of the tool's own function, which does not change
    /// where a function that it calls does.
    pub fn build_hash(mut self, build: impl Into<Arc<str>>) -> Self {
        self.build = Some(build.into());
        self
    }

    /// Returns the vault, whose accesses are recorded in the ledger and whose snapshots are
    /// compared with it.
    #[must_use]
    pub fn vault(&self) -> &Vault {
        &self.vault
    }

    async fn with_evidence_kept(&self, scope: &CallScope, mut ended: CallOutcome) -> CallOutcome {
        let keep_result = self.keep_in_time(scope, &ended).await;
        match keep_result {
            Ok((evidence, digest)) => {
                ended.evidence_draft.get_or_insert_default().snapshot = Some(*digest.as_bytes());
                ended.with_evidence(&evidence)
            }
            Err(text) if scope.registered().behavior.requires_evidence && ended.output.is_ok() => {
                withhold_answer(scope, &ended, &text)
            }
            Err(text) => without_evidence(ended, &text),
        }
    }

    /// Checks that the store answers and that the keys of a new snapshot can be unwrapped.
    async fn check_ready(&self, scope: &CallScope) -> Result<(), Box<Refusal>> {
        let tenant = scope.cx().tenant_id();
        let seals = !self.contents(scope, "null").is_empty();
        let patience = scope.budget().min(KEEP_TIMEOUT);
        let ready = guarded(self.vault.check_ready(tenant, seals));
        let log = match scope.environment().within(patience, ready).await {
            Some(Ok(Ok(()))) => return Ok(()),
            Some(Ok(Err(error))) => error_text(error),
            Some(Err(_)) => "the vault panicked".to_owned(),
            None => "the vault does not answer".to_owned(),
        };
        let failure = Failure::from_code(ErrorCode::Unavailable)
            .with_message(
                "the evidence that this tool requires cannot be kept at the moment, so it is not run; \
                 try again later",
            )
            .with_retry_after_ms(1_000)
            .with_reason(RefusalReason::EvidenceUnavailable)
            .with_effect_none()
            .with_log(format!("evidence could not be kept: {log}"));
        Err(Refusal::new(CallStatus::NotExecuted, failure))
    }

    /// Keeps a snapshot of an answer within the time limit; the error text is for the log.
    async fn keep_in_time(
        &self,
        scope: &CallScope,
        ended: &CallOutcome,
    ) -> Result<(Evidence, Digest), String> {
        let keep_future = guarded(self.keep(scope, ended));
        match scope.environment().within(KEEP_TIMEOUT, keep_future).await {
            Some(Ok(keep_future)) => keep_future,
            Some(Err(_)) => Err("the vault panicked".to_owned()),
            None => Err("the vault does not answer".to_owned()),
        }
    }

    /// Keeps a snapshot of an answer; returns the evidence for its `meta`, and the snapshot's
    /// digest.
    async fn keep(
        &self,
        scope: &CallScope,
        ended: &CallOutcome,
    ) -> Result<(Evidence, Digest), String> {
        let error = ended.output.error();
        let failure = error.map(serde_json::to_string).transpose().map_err(error_text)?;
        let data = ended.output.data_json().or(failure.as_deref()).ok_or("no answer")?;
        let at = self.ledger.clock().now();
        let mut evidence_draft = ended.evidence_draft.as_deref().cloned().unwrap_or_default();
        let attached = self.attachments(ended.output.attachments(), at).map_err(error_text)?;
        evidence_draft.sources.extend(attached);
        let evidence_draft = &evidence_draft;
        // Keyed even if no value is marked as secret: short answers can be guessed, and a schema
        // does not show that.
        let hash = self.ledger.keys().hash(ledger::digest_of_output(data), true);
        let sources = sources(scope, &hash, evidence_draft, at).map_err(error_text)?;
        let keys = self.ledger.clone();
        let summary =
            move |scope: &CallScope, free_bytes| keys.keys().redacted_input(scope, free_bytes);
        let summary = redacting::redacted(scope, summary).await;
        let mut snapshot =
            self.snapshot(scope, summary, hash, evidence_draft, at).map_err(error_text)?;
        if let Some(error) = error {
            snapshot = snapshot.with_error(error.code().unwrap_or("error"));
        }
        let stored_snapshot =
            self.vault.keep(snapshot, &self.contents(scope, data)).await.map_err(error_text)?;
        let evidence =
            Evidence::new(stored_snapshot.id().to_string(), sources).map_err(error_text)?;
        Ok((evidence, stored_snapshot.digest().map_err(error_text)?))
    }

    /// Returns the attachments of an answer as sources, with hashes under the ledger's key.
    fn attachments(
        &self,
        attachments: &[Attachment],
        at: UnixMillis,
    ) -> Result<Vec<EvidenceSource>, ContractError> {
        let Some(ts) = utc_time(at) else { return Ok(Vec::new()) };
        let source = |(attachment, sha256): (&Attachment, &str)| {
            let name = attachment.name().unwrap_or(attachment.media_type());
            let hash = ledger::hash_of_attachment(sha256, self.ledger.keys());
            EvidenceSource::new("attachment", name, hash, ts)
        };
        let hashed = attachments.iter().filter_map(|it| Some((it, it.sha256()?)));
        hashed.map(source).collect()
    }

    fn snapshot(
        &self,
        scope: &CallScope,
        summary: Option<String>,
        output_hash: String,
        evidence_draft: &EvidenceDraft,
        at: UnixMillis,
    ) -> Result<Snapshot, EvidenceError> {
        let (tool, keys) = (scope.tool(), self.ledger.keys());
        let mut snapshot = Snapshot::for_call(scope.cx(), tool.name(), tool.version(), at);
        if let Some(build) = self.build.as_deref().or(scope.registered().behavior.source) {
            snapshot = snapshot.with_build(build);
        }
        let redacted = summary.as_deref() != Some(scope.arguments());
        if let Some(summary) = summary {
            snapshot = snapshot.with_input_summary(summary)?;
        }
        let input_hash =
            ledger::hash_of_input(scope.registered(), scope.arguments(), keys, redacted);
        snapshot = snapshot.with_input_hash(input_hash).with_output_hash(output_hash);
        for (name, version) in &evidence_draft.rules {
            snapshot = snapshot.with_rule(name, version);
        }
        Ok(evidence_draft.sources.iter().cloned().fold(snapshot, Snapshot::with_source))
    }

    fn contents(&self, scope: &CallScope, data: &str) -> Contents {
        let tool = scope.registered();
        let holds_secret = |side: Option<&Validator>| side.is_some_and(Validator::has_secrets);
        let mut contents = Contents::new();
        // A secret never leaves the process, not even encrypted.
        if self.sealing != Sealing::Nothing && !holds_secret(Some(&tool.input)) {
            contents = contents.with_arguments(scope.arguments());
        }
        if self.sealing == Sealing::Everything && !holds_secret(tool.output.as_ref()) {
            contents = contents.with_output(data);
        }
        contents
    }
}

/// Collects the sources of an answer: the tool itself, and those that the tool names.
fn sources(
    scope: &CallScope,
    output_hash: &str,
    evidence_draft: &EvidenceDraft,
    at: UnixMillis,
) -> Result<Vec<EvidenceSource>, ContractError> {
    let Some(ts) = utc_time(at) else { return Ok(evidence_draft.sources.clone()) };
    let tool_source = EvidenceSource::new("tool", scope.tool().name(), output_hash, ts)?;
    Ok([tool_source].into_iter().chain(evidence_draft.sources.iter().cloned()).collect())
}

#[allow(clippy::needless_pass_by_value, reason = "it maps errors")]
fn error_text(error: impl fmt::Display) -> String {
    error.to_string()
}

/// Delivers an answer with a warning that its snapshot could not be kept.
fn without_evidence(ended: CallOutcome, log: &str) -> CallOutcome {
    // The answer is delivered: for a write the effect has happened, and a failure would be
    // repeated.
    let mut outcome = ended.with_warning(NOT_KEPT_WARNING);
    outcome.log.push_str("evidence could not be kept: ");
    outcome.log.push_str(log);
    outcome
}

/// Withholds an answer whose snapshot could not be kept, where the tool requires it.
///
/// A read may be called again, and so may a write whose effect is undone without an answer. Another write has had its
/// effect: its failure is final, so that it is stored under the call's key and a repeat does not run the tool again.
fn withhold_answer(scope: &CallScope, ended: &CallOutcome, log: &str) -> CallOutcome {
    let has_no_effect = scope.tool().effect() == Effect::Read || scope.is_undone_at_end();
    let (failure, effect_outcome) = if has_no_effect {
        let failure = Failure::from_code(ErrorCode::Unavailable)
            .with_message("the evidence that this tool requires could not be kept; try again later")
            .with_retry_after_ms(1_000)
            .with_effect_none();
        (failure, EffectOutcome::Transient)
    } else {
        let failure = Failure::from_code(ErrorCode::Internal)
            .with_message(
                "the tool has had its effect, and the evidence that it requires could not be kept; do \
                 not call it again",
            )
            .with_effect(EffectState::Done);
        (failure, EffectOutcome::Final)
    };
    let failure = failure.with_reason(RefusalReason::EvidenceNotKept);
    let took_ms = ended.output.meta().took_ms();
    let log = format!("evidence could not be kept: {log}");
    failed(scope, LoggedFailure::new(failure, None, log), took_ms, effect_outcome)
}

impl EvidenceCollector for EvidenceKeeper {
    fn check_ready<'c>(&'c self, scope: &'c CallScope) -> Wait<'c> {
        self.check_ready(scope).boxed()
    }

    fn collect<'c>(
        &'c self,
        scope: &'c CallScope,
        ended: CallOutcome,
    ) -> BoxFuture<'c, CallOutcome> {
        self.with_evidence_kept(scope, ended).boxed()
    }
}

#[async_trait]
impl AccessLog for Ledger {
    async fn record(&self, record: &AccessRecord) -> Result<(), StoreError> {
        self.record_access(ledger::RecordedAccess::from_record(record)).await
    }
}

impl ledger::RecordedAccess {
    fn from_record(record: &AccessRecord) -> Self {
        let outcome = match record.outcome {
            AccessOutcome::Asked => RecordedOutcome::Asked,
            AccessOutcome::Done => RecordedOutcome::Done,
            AccessOutcome::Redacted => RecordedOutcome::Redacted,
            AccessOutcome::Denied => RecordedOutcome::Refused,
            AccessOutcome::Failed(kind) => RecordedOutcome::Failed(kind.to_string()),
        };
        let action = match record.action {
            // The ledger's `replay` is the action for a whole trace; one snapshot is read.
            AccessAction::Replay => AccessAction::Read.as_str(),
            action @ (AccessAction::Find
            | AccessAction::List
            | AccessAction::Read
            | AccessAction::Shred
            | AccessAction::Rotate
            | AccessAction::Rewrap) => action.as_str(),
        };
        let access = &record.access;
        let mut access = Self::new(record.at, action, access.reader(), access.reason());
        access.tenant_id = record.tenant;
        access.subject = record.snapshot.map(|first| match record.last_snapshot {
            Some(last) => format!("{first}..{last}"),
            None => first.to_string(),
        });
        access.outcome = outcome.to_string();
        access
    }
}

impl fmt::Debug for EvidenceKeeper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EvidenceKeeper")
            .field("sealing", &self.sealing)
            .field("build", &self.build)
            .finish_non_exhaustive()
    }
}

//! Binds a decision to the preview that was shown: the answer of a dry run.

use tool_contracts::{CallStatus, ErrorCode};
use tool_runtime_schema::canonical::{CanonicalError, Defaults, Digest, canonicalize_exactly};

use super::Approvals;
use crate::call::ToolCall;
use crate::dispatch::execution_policy::ApprovedCall;
use crate::dispatch::refusal::Refusal;
use crate::failure::Failure;
use crate::policy::tool_plan::ToolPlan;
use crate::refusal_reason::RefusalReason;
use crate::tool::{Attachment, CallScope, ToolOutput};

const ARGUMENTS: &str = "tool-runtime/arguments/v1";
const DRY_RUN_DOMAIN: &str = "tool-runtime/rehearsal/v1";
const ATTACHMENTS: &str = "tool-runtime/rehearsal-attachments/v1";
const PREVIEW: &str = "tool-runtime/preview/v1";

impl Approvals {
    /// Makes the dry run that an approver is shown: of a tool with a preview function, and of every
    /// write whose rules bind the decision to it.
    ///
    /// If a dry run fails to which the decision would be bound, its error answers the call, and no
    /// decision is needed.
    pub(super) async fn dry_run(
        &self,
        call: &mut ToolCall,
    ) -> Result<Option<ToolOutput>, Box<Refusal>> {
        if !binds_preview(call) {
            call.load_preview().await;
            return Ok(None);
        }
        let output = call.dry_run().await;
        let digest = digest_of(&output)?;
        call.keep_preview(&output);
        call.approval_mut().preview = Some(*digest.as_bytes());
        Ok(Some(output))
    }

    /// Refuses a call whose dry run answers differently from the one that was approved.
    pub(in crate::policy) async fn must_have_same_preview(
        &self,
        ApprovedCall { scope, approval, dry_runner, .. }: ApprovedCall<'_>,
    ) -> Result<(), Box<Refusal>> {
        let Some(bound) = approval.preview.map(Digest::from_bytes) else { return Ok(()) };
        let dry_run = dry_runner.dry_run(scope, approval.approver.as_deref()).await;
        match digest_of(&dry_run) {
            Ok(now) if now == bound => Ok(()),
            // A transient failure does not tell whether the preview changed.
            Err(refusal) if refusal.detail.error_type().is_transient() => Err(refusal),
            Ok(_) | Err(_) => Err(preview_changed()),
        }
    }
}

/// Hashes the answer of a dry run.
fn digest_of(output: &ToolOutput) -> Result<Digest, Box<Refusal>> {
    match (output.data_json(), output.error()) {
        (Some(data), _) => {
            let answer = exact(DRY_RUN_DOMAIN, data, Defaults::none());
            let answer = answer.map_err(|error| not_canonical(&error))?;
            Ok(with_attachments(answer, output.attachments()))
        }
        (None, Some(detail)) => {
            let mut refusal = Refusal::not_run(detail.clone());
            refusal.evidence = output.evidence().cloned().map(Box::new);
            Err(refusal)
        }
        (None, None) => Err(Refusal::needs_confirmation()),
    }
}

/// Adds the content of attachments to the hash of an answer; without any it is the hash itself.
fn with_attachments(answer: Digest, attachments: &[Attachment]) -> Digest {
    if attachments.is_empty() {
        return answer;
    }
    let mut bytes = answer.as_bytes().to_vec();
    for attachment in attachments {
        let content = attachment.sha256().or(attachment.url()).unwrap_or_default();
        bytes.extend_from_slice(content.as_bytes());
        bytes.push(0);
    }
    Digest::compute(ATTACHMENTS, &bytes)
}

/// Hashes a call's arguments: canonical, with defaults filled in.
pub(in crate::policy) fn fingerprint(
    plan: &ToolPlan,
    scope: &CallScope,
) -> Result<Digest, CanonicalError> {
    exact(ARGUMENTS, scope.arguments(), &plan.defaults)
}

/// Returns whether [`PolicyState::dry_run`] runs the tool's code.
pub(super) fn makes_dry_run(call: &ToolCall) -> bool {
    binds_preview(call) || call.needs_preview()
}

/// Returns whether the approval of a call is bound to a dry run.
fn binds_preview(call: &ToolCall) -> bool {
    let binds = |scope: &CallScope| scope.plan().bind_preview && scope.plan().writes();
    call.scope().is_some_and(binds)
}

/// Hashes JSON text in canonical form, without rounding numbers.
fn exact(domain: &str, json: &str, defaults: &Defaults) -> Result<Digest, CanonicalError> {
    let mut canonical = Vec::with_capacity(json.len() + 64);
    // All digits of integers count, even beyond 2^53, for which RFC 8785 has no form: rounding
    // would make two different writes equal.
    canonicalize_exactly(json, defaults, &mut canonical)?;
    Ok(Digest::compute(domain, &canonical))
}

/// Hashes what an approver sees of the call itself.
pub(super) fn preview_hash(call: &ToolCall) -> Digest {
    Digest::compute(PREVIEW, call.preview().without_result().to_string().as_bytes())
}

/// Refuses arguments without a canonical form: they cannot be hashed and compared.
pub(in crate::policy) fn not_canonical(error: &CanonicalError) -> Box<Refusal> {
    let failure = Failure::from_code(ErrorCode::InvalidArgument)
        .with_message(format!("the arguments have no canonical form: {error}"))
        .with_reason(RefusalReason::NotCanonical)
        .with_detail("position", error.position());
    Refusal::new(CallStatus::Rejected, failure)
}

fn preview_changed() -> Box<Refusal> {
    let failure = Failure::from_code(ErrorCode::Conflict)
        .with_message("what this call would do has changed since a person approved it")
        .with_reason(RefusalReason::PreviewChanged)
        .with_effect_none();
    Refusal::new(CallStatus::NotExecuted, failure)
}

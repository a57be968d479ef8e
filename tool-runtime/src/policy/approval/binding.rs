//! Binds a decision to what was shown: the dry run's answer.

use crate::call::{CallApproval, CallScope, ToolCall, ToolOutput};
use crate::canonical::{CanonicalError, Defaults, Digest, canonicalize_exactly};
use crate::dispatch::refusal::Refusal;
use crate::failure::Failure;
use crate::policy::governor::State;
use crate::policy::plan::Plan;
use crate::policy::retry::is_transient;
use tool_contracts::{CallStatus, ErrorCode, ToolErrorMeta};

const ARGUMENTS: &str = "tool-runtime/arguments/v1";
const REHEARSAL: &str = "tool-runtime/rehearsal/v1";
const PREVIEW: &str = "tool-runtime/preview/v1";

impl State {
    /// Makes the dry run that a decision will be bound to, where the rules ask for it.
    ///
    /// A dry run that fails answers the call: there is nothing to decide about.
    pub(super) async fn rehearse(
        &self,
        call: &mut ToolCall,
    ) -> Result<Option<ToolOutput>, Box<Refusal>> {
        let binds = |scope: &CallScope| self.plan(scope).bind_preview && self.plan(scope).writes();
        if !call.scope().is_some_and(binds) {
            return Ok(None);
        }
        let output = call.rehearse().await;
        call.approval_mut().preview = Some(*digest_of(&output)?.as_bytes());
        Ok(Some(output))
    }

    /// Refuses a call whose dry run does not answer any more what the decision was bound to.
    pub(in crate::policy) async fn same_preview(
        &self,
        scope: &CallScope,
        consent: &CallApproval,
    ) -> Result<(), Box<Refusal>> {
        let Some(bound) = consent.preview.map(Digest::from_bytes) else { return Ok(()) };
        match digest_of(&ToolCall::rehearsed(scope, consent.approver.as_deref()).await) {
            Ok(now) if now == bound => Ok(()),
            // What may pass says nothing of what would be done.
            Err(refusal) if is_transient(refusal.detail.class()) => Err(refusal),
            _ => Err(preview_changed()),
        }
    }
}

/// Hashes what a dry run answered.
fn digest_of(output: &ToolOutput) -> Result<Digest, Box<Refusal>> {
    match (output.data_json(), output.error()) {
        (Some(data), _) => {
            exact(REHEARSAL, data, Defaults::none()).map_err(|error| not_canonical(&error))
        }
        (None, Some(detail)) => {
            let meta = serde_json::from_str::<ToolErrorMeta>(output.meta_json()).ok();
            let mut refusal = Refusal::not_run(detail.clone());
            refusal.evidence = meta.and_then(|meta| meta.evidence().cloned()).map(Box::new);
            Err(refusal)
        }
        (None, None) => Err(Refusal::needs_confirmation()),
    }
}

/// Hashes a call's arguments: canonical, with defaults filled in.
pub(in crate::policy) fn fingerprint(
    plan: &Plan,
    scope: &CallScope,
) -> Result<Digest, CanonicalError> {
    exact(ARGUMENTS, scope.arguments(), &plan.defaults)
}

/// Hashes a text so that no two numbers are taken for one.
fn exact(domain: &str, json: &str, defaults: &Defaults) -> Result<Digest, CanonicalError> {
    let mut canonical = Vec::with_capacity(json.len() + 64);
    canonicalize_exactly(json, defaults, &mut canonical)?;
    Ok(Digest::of(domain, &canonical))
}

/// Hashes what a person sees of a call.
pub(super) fn shown(call: &ToolCall) -> Digest {
    Digest::of(PREVIEW, call.preview().to_string().as_bytes())
}

/// The arguments cannot be hashed, so they can neither wait nor be recognised.
pub(in crate::policy) fn not_canonical(error: &CanonicalError) -> Box<Refusal> {
    let failure = Failure::of(ErrorCode::InvalidArgument)
        .with_message(format!("the arguments have no canonical form: {error}"))
        .with_detail("reason", "not_canonical")
        .with_detail("position", error.position());
    Refusal::new(CallStatus::Rejected, failure)
}

fn preview_changed() -> Box<Refusal> {
    let failure = Failure::of(ErrorCode::Conflict)
        .with_message("what this call would do has changed since a person approved it")
        .with_detail("reason", "preview_changed")
        .with_detail("effect", "none");
    Refusal::new(CallStatus::NotExecuted, failure)
}

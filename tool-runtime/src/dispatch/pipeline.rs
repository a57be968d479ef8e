//! The stages of a call in their fixed order: each takes the value that the one before returns.

use std::task::{Context, Poll};
use std::time::Instant;

use futures::future::{BoxFuture, Either, select};
use futures::task::noop_waker_ref;
use tool_contracts::{CallStatus, Effect, Permission};

use super::call_policy::{Claim, PolicyDecision};
use super::fitting::{fit, refused};
use super::record::Origin;
use super::refusal::Refusal;
use super::running::run;
use super::seams::EvidenceCollector;
use crate::call::{
    CallApproval, CallScope, EvidenceDraft, PanicGuarded, ToolCall, ToolOutput, guard,
};

/// Checked and typed arguments, with the tool's future suspended before its first effect.
pub(crate) struct Decoded(pub(crate) PanicGuarded);

/// Proof that every required approval was granted.
pub(crate) struct ApprovalProof(());

/// The result of evaluating the access policy for a call.
pub(crate) enum Authorization {
    Granted(ApprovalProof),
    /// A person has to approve the call.
    NeedsApproval(NeededApproval),
}

/// An approval that is required, with the access policy's reason if it gave one.
pub(crate) struct NeededApproval(Option<String>);

/// A decoded call that may run.
struct Admitted(PanicGuarded);

/// An admitted call with all that it needs to run.
pub(super) struct Claimed {
    pub(super) tool: PanicGuarded,
    pub(super) hold: Option<Box<dyn Claim>>,
}

/// The outcome of a call, with its answer.
pub(crate) struct CallOutcome {
    pub(crate) status: CallStatus,
    pub(crate) output: ToolOutput,
    /// For the log only.
    pub(crate) log: String,
    pub(crate) effect: EffectOutcome,
    pub(crate) origin: Origin,
    /// The sources and rules that the tool recorded.
    pub(crate) evidence_draft: Option<Box<EvidenceDraft>>,
}

/// The known outcome of a call's effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EffectOutcome {
    /// The tool answered.
    Answered,
    /// The tool failed, and a repeat would fail again.
    Final,
    /// The tool failed, had no effect, and may succeed another time.
    Transient,
    /// The tool did not run.
    NotRun,
    /// The tool may have had its effect.
    Unknown,
}

/// Checks the arguments and creates the tool's future; nothing of the tool runs.
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
    let started = guard(|| PanicGuarded::new(tool.start.start(scope.clone())));
    let panicked = |text| Refusal::unreadable(format!("panicked: {text}"));
    let mut parked = started.map_err(panicked)?;
    // Reading arguments runs the tool author's code: `Deserialize` and defaults.
    match parked.poll(&mut idle) {
        Ok(Poll::Pending) => Ok(Decoded(parked)),
        Ok(Poll::Ready(_)) => Err(Refusal::arguments(scope)),
        Err(text) => Err(panicked(text)),
    }
}

/// Decides by permission and access policy whether the call may run; requests no approval.
pub(crate) async fn authorize(call: &ToolCall) -> Result<Authorization, Box<Refusal>> {
    let Some(scope) = call.scope() else { return Ok(Authorization::Granted(ApprovalProof(()))) };
    let concerned = scope.registered().policy_stages.consult || call.approval().ticket.is_some();
    let governor = scope.runtime().governor().filter(|_| concerned);
    let decision = match governor {
        Some(governor) => governor.authorize(call).await?,
        None => by_permission(call, scope)?,
    };
    Ok(match decision {
        PolicyDecision::Allow => Authorization::Granted(ApprovalProof(())),
        PolicyDecision::RequireApproval(reason) => {
            Authorization::NeedsApproval(NeededApproval(reason))
        }
    })
}

fn by_permission(call: &ToolCall, scope: &CallScope) -> Result<PolicyDecision, Box<Refusal>> {
    match scope.tool().permission() {
        Permission::Allow => Ok(PolicyDecision::Allow),
        // A dry run of a write has no effect to approve; that of a read returns the read's data.
        Permission::Ask if call.approver().is_some() || scope.withholds_effect() => {
            Ok(PolicyDecision::Allow)
        }
        Permission::Ask => Ok(PolicyDecision::RequireApproval(None)),
        Permission::Deny => Err(Refusal::denied_tool()),
    }
}

/// Requests the approval of a call.
pub(crate) async fn request_approval(
    call: &mut ToolCall,
    needed: NeededApproval,
) -> Result<ApprovalProof, Box<Refusal>> {
    let runtime = call.runtime().clone();
    match runtime.governor() {
        Some(governor) => governor.request_approval(call, needed.0).await.map(ApprovalProof),
        None => Err(Refusal::needs_confirmation()),
    }
}

/// Runs the stages after the approval.
pub(crate) async fn run_stages(
    scope: &CallScope,
    decoded: Decoded,
    proof: ApprovalProof,
    approval: &CallApproval,
    started: Instant,
) -> CallOutcome {
    let admitted = match admit(scope, decoded, proof) {
        Ok(admitted) => admitted,
        Err(refusal) => return refused(scope, &refusal),
    };
    if let Some(ready) = scope.runtime().recorder().and_then(|it| it.ready(scope)) {
        if let Err(refusal) = ready.await {
            return refused(scope, &refusal);
        }
    }
    let Claimed { tool, mut hold } = match claim(scope, admitted, approval, started).await {
        Ok(claimed) => claimed,
        Err(ended) => return *ended,
    };
    let ended = match provable(scope).await {
        Ok(()) => {
            let ran = run(scope, tool, &mut hold, started).await;
            let has_failed = ran.has_failed_by_itself();
            let ended = fit(scope, ran);
            let is_tools_own = has_failed || ended.effect == EffectOutcome::Answered;
            // A failed dry run is the answer of the call that waits for a decision.
            let answers_a_call = has_failed && scope.is_rehearsal();
            match evidence_collector(scope, answers_a_call).filter(|_| is_tools_own) {
                Some(evidence_collector) => {
                    proven(evidence_collector.collect(scope, ended), &mut hold).await
                }
                None => ended,
            }
        }
        Err(refusal) => refused(scope, &refusal),
    };
    match hold {
        None => ended,
        Some(hold) => hold.settle(scope, ended).await,
    }
}

/// Admits a call, unless it was cancelled, has no time left or cannot keep its promises.
fn admit(scope: &CallScope, decoded: Decoded, _: ApprovalProof) -> Result<Admitted, Box<Refusal>> {
    if scope.cancel_flag().is_fired() {
        return Err(Refusal::cancelled());
    }
    if scope.budget().is_zero() {
        return Err(Refusal::out_of_time());
    }
    if scope.tool().effect() != Effect::Read {
        if !scope.runtime().timer().is_ready() {
            return Err(Refusal::no_executor());
        }
        let keyed = scope.cx().idempotency_key().is_some() && !scope.dry_run();
        if keyed && scope.runtime().governor().is_none() {
            return Err(Refusal::unkept_key());
        }
    }
    Ok(Admitted(decoded.0))
}

/// Waits for the evidence while the claim is renewed.
async fn proven(
    proving: BoxFuture<'_, CallOutcome>,
    hold: &mut Option<Box<dyn Claim>>,
) -> CallOutcome {
    let Some(hold) = hold else { return proving.await };
    match select(proving, hold.keep()).await {
        Either::Left((ended, _)) => ended,
        // The claim is lost to another run. The answer still gets its evidence.
        Either::Right(((), proving)) => proving.await,
    }
}

/// Returns the evidence collector if the call has to leave evidence; the dry run of a write does so
/// only if it answers another call.
fn evidence_collector(scope: &CallScope, answers_a_call: bool) -> Option<&dyn EvidenceCollector> {
    let leaves_evidence = scope.registered().traits.evidence
        && scope.replay_of().is_none()
        && (answers_a_call || !scope.withholds_effect());
    scope.runtime().evidence_collector().filter(|_| leaves_evidence)
}

/// Refuses a call whose required evidence could not be stored, before its tool has an effect.
async fn provable(scope: &CallScope) -> Result<(), Box<Refusal>> {
    if !scope.registered().traits.requires_evidence {
        return Ok(());
    }
    match evidence_collector(scope, false) {
        Some(evidence_collector) => evidence_collector.ready(scope).await,
        None => Ok(()),
    }
}

/// Acquires the call's claim from the policy; an error is the answer of a call that need not run.
async fn claim(
    scope: &CallScope,
    admitted: Admitted,
    approval: &CallApproval,
    started: Instant,
) -> Result<Claimed, Box<CallOutcome>> {
    let bound = approval.ticket.is_some() || approval.preview.is_some();
    let concerned = scope.registered().policy_stages.claim || bound;
    let governor = scope.runtime().governor().filter(|_| concerned);
    let hold = match governor {
        None => None,
        Some(governor) => governor.claim(scope, approval, started).await?,
    };
    Ok(Claimed { tool: admitted.0, hold })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use serde_json::json;
    use tool_contracts::ToolContext;
    use uuid::Uuid;

    use super::*;
    use crate::{DynamicTool, Failure, RefusalReason, Runtime};

    #[tokio::test]
    async fn a_keyed_write_is_refused_where_no_store_keeps_keys() {
        let runs = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&runs);
        let put = DynamicTool::new("put", Effect::Write)
            .description("Counts its runs.")
            .input_schema(json!({ "type": "object" }))
            .handles_dry_run()
            .sync_handler(move |_| Ok::<_, Failure>(counted.fetch_add(1, Ordering::SeqCst)));
        let builder = Runtime::builder().dynamic(put).permission("put", Permission::Allow);
        let runtime = builder.build().expect("a runtime").without_policy();
        let cx = ToolContext::builder(Uuid::nil(), "trace-1").run_id("run-1").user_id("jane");
        let cx = cx.build().expect("a context");
        let keyed = cx.with_idempotency_key("order-1").expect("a key");

        let mut call = runtime.call("put", "{}", &keyed);
        let output = call.execute().await;
        let details = output.error().and_then(|it| it.details()).expect("its details");
        assert_eq!(details["reason"], RefusalReason::KeyNotKept.as_str());
        assert_eq!((call.status(), runs.load(Ordering::SeqCst)), (CallStatus::NotExecuted, 0));

        assert!(runtime.call("put", "{}", &cx).execute().await.is_ok(), "it has no key");
        assert_eq!(runs.load(Ordering::SeqCst), 1);
    }
}

//! The stages of a call in their fixed order: each takes the value that the one before returns.

use futures::future::{BoxFuture, Either, select};
use tool_contracts::Effect;

use super::answer::{build_envelope, refused};
use super::call_approval::CallApproval;
use super::decode::Decoded;
use super::dispatcher::Dispatcher;
use super::execution_policy::{ApprovedCall, Claim, ExecutionPolicy};
use super::hooks::EvidenceCollector;
use super::outcome::{CallOutcome, EffectOutcome};
use super::refusal::Refusal;
use super::run::{ToolRun, run};
use crate::tool::{CallScope, PanicGuarded};

/// The policy's decision about a call that it does not refuse.
pub(crate) enum PolicyDecision {
    Allow,
    /// The call needs approval; the text is the access policy's reason, if it gave one.
    RequireApproval(Option<String>),
}

/// Proof that every required approval was granted.
pub(crate) struct ApprovalProof(());

impl ApprovalProof {
    /// Makes the proof from the result of a requested approval.
    pub(crate) fn from_result(requested: Result<(), Box<Refusal>>) -> Result<Self, Box<Refusal>> {
        requested.map(Self)
    }
}

/// The result of evaluating the access policy for a call.
pub(crate) enum Authorization {
    Granted(ApprovalProof),
    /// A person has to approve the call.
    NeedsApproval(NeededApproval),
}

impl Authorization {
    pub(crate) fn from_decision(decision: PolicyDecision) -> Self {
        match decision {
            PolicyDecision::Allow => Self::Granted(ApprovalProof(())),
            PolicyDecision::RequireApproval(reason) => Self::NeedsApproval(NeededApproval(reason)),
        }
    }
}

/// An approval that is required, with the access policy's reason if it gave one.
#[derive(Debug)]
pub struct NeededApproval(pub(crate) Option<String>);

/// A decoded call that may run.
struct Runnable(PanicGuarded);

/// A call that may run, with all that it needs.
pub(super) struct Claimed {
    pub(super) tool: PanicGuarded,
    pub(super) claim: Option<Box<dyn Claim>>,
}

/// Runs the stages after the approval.
pub(crate) async fn run_stages(
    dispatcher: &Dispatcher,
    call: ApprovedCall<'_>,
    decoded: Decoded,
    proof: ApprovalProof,
) -> CallOutcome {
    let scope = call.scope;
    let runnable = match admit(dispatcher, scope, decoded, proof) {
        Ok(runnable) => runnable,
        Err(refusal) => return refused(scope, &refusal),
    };
    if let Some(reserved) = dispatcher.recorder().and_then(|recorder| recorder.reserve(scope)) {
        if let Err(refusal) = reserved.await {
            return refused(scope, &refusal);
        }
    }
    let claim = match claiming_policy(dispatcher, &call) {
        None => None,
        Some(policy) => match policy.claim(call).await {
            Ok(claim) => claim,
            Err(ended) => return *ended,
        },
    };
    let claimed = Claimed { tool: runnable.0, claim };
    let storable = match required_collector(dispatcher, scope) {
        None => Ok(()),
        Some(collector) => collector.check_ready(scope).await,
    };
    let (ended, claim) = match storable {
        Ok(()) => {
            let (mut ran, mut claim) = run(dispatcher, scope, claimed, call.started).await;
            if let Some(storing) = stored_attachments(dispatcher, scope, &mut ran) {
                while_renewing_claim(storing, &mut claim).await;
            }
            let has_failed = ran.has_failed_by_itself();
            let outcome = build_envelope(scope, ran);
            let is_tools_own = has_failed || outcome.effect == EffectOutcome::Answered;
            // A failed dry run is the answer of the call that waits for a decision.
            let answers_a_call = has_failed && scope.is_approval_dry_run();
            let collector = evidence_collector(dispatcher, scope, answers_a_call);
            let final_outcome = match collector.filter(|_| is_tools_own) {
                Some(collector) => {
                    while_renewing_claim(collector.collect(scope, outcome), &mut claim).await
                }
                None => outcome,
            };
            (final_outcome, claim)
        }
        Err(refusal) => (refused(scope, &refusal), claimed.claim),
    };
    match claim {
        None => ended,
        Some(claim) => claim.settle(scope, ended).await,
    }
}

/// Admits a call, unless it was cancelled, has no time left, or its guarantees (key, evidence) cannot
/// be met.
fn admit(
    dispatcher: &Dispatcher,
    scope: &CallScope,
    decoded: Decoded,
    _: ApprovalProof,
) -> Result<Runnable, Box<Refusal>> {
    if scope.is_cancelled() {
        return Err(Refusal::cancelled());
    }
    if scope.budget().is_zero() {
        return Err(Refusal::out_of_time());
    }
    if scope.tool().effect() != Effect::Read {
        if !scope.environment().timer().is_ready() {
            return Err(Refusal::no_executor());
        }
        // Without a store the key would be ignored, and a repeat would run again.
        let keyed = scope.cx().idempotency_key().is_some() && !scope.dry_run();
        if keyed && dispatcher.policy().is_none() {
            return Err(Refusal::key_store_missing());
        }
        if !scope.cx().allowances().is_empty() && dispatcher.policy().is_none() {
            return Err(Refusal::allowances_not_counted());
        }
    }
    Ok(Runnable(decoded.0))
}

/// Waits for a step after the run while the claim is renewed.
async fn while_renewing_claim<T>(step: BoxFuture<'_, T>, claim: &mut Option<Box<dyn Claim>>) -> T {
    let Some(claim) = claim else { return step.await };
    match select(step, claim.keep()).await {
        Either::Left((ended, _)) => ended,
        // The claim is lost to another run. The answer still gets its evidence and its attachments.
        Either::Right(((), step)) => step.await,
    }
}

/// Returns the step that stores the attachments of an answer, if it has any.
fn stored_attachments<'c>(
    dispatcher: &'c Dispatcher,
    scope: &'c CallScope,
    ran: &'c mut ToolRun,
) -> Option<BoxFuture<'c, ()>> {
    let attachments = ran.attachments_of_answer().filter(|attachments| !attachments.is_empty())?;
    Some(dispatcher.policy()?.store_attachments(scope, attachments))
}

/// Returns the evidence collector if the call has to leave evidence; the dry run of a write does so
/// only if it answers another call.
fn evidence_collector<'d>(
    dispatcher: &'d Dispatcher,
    scope: &CallScope,
    answers_a_call: bool,
) -> Option<&'d dyn EvidenceCollector> {
    // The dry run of a write answers with a preview, which proves nothing; that of a read returns
    // the read's data.
    let leaves_evidence = scope.registered().behavior.evidence
        && scope.replay_of().is_none()
        && (answers_a_call || !scope.withholds_effect());
    dispatcher.evidence_collector().filter(|_| leaves_evidence)
}

/// Returns the evidence collector if the call is refused where its evidence could not be stored; it
/// is asked before the tool has an effect.
fn required_collector<'d>(
    dispatcher: &'d Dispatcher,
    scope: &CallScope,
) -> Option<&'d dyn EvidenceCollector> {
    if !scope.registered().behavior.requires_evidence {
        return None;
    }
    evidence_collector(dispatcher, scope, false)
}

/// Returns the policy if the call needs a claim from it.
fn claiming_policy<'d>(
    dispatcher: &'d Dispatcher,
    call: &ApprovedCall<'_>,
) -> Option<&'d dyn ExecutionPolicy> {
    let CallApproval { ticket, preview, preview_result, .. } = call.approval;
    let bound = ticket.is_some() || preview.is_some() || preview_result.is_some();
    let concerned = call.scope.registered().policy_stages.claim || bound;
    dispatcher.policy().filter(|_| concerned)
}

#[cfg(all(test, feature = "tokio"))]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use serde_json::json;
    use tool_contracts::{CallStatus, Permission, ToolContext};
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

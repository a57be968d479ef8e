//! The stages of a call, in their one order: each takes what the one before returns.

use std::task::{Context, Poll};
use std::time::Instant;

use futures::future::{BoxFuture, Either, select};
use futures::task::noop_waker_ref;
use tool_contracts::{CallStatus, Effect, Permission};

use super::call_policy::{Hold, PolicyDecision};
use super::fitting::{fit, refused};
use super::record::Origin;
use super::refusal::Refusal;
use super::running::run;
use super::seams::EvidenceCollector;
use crate::call::{
    CallApproval, CallScope, EvidenceDraft, PanicGuarded, ToolCall, ToolOutput, guard,
};

/// Arguments that are typed and checked, and a tool parked behind them.
pub(crate) struct Decoded(pub(crate) PanicGuarded);

/// The word of whoever had to be asked.
pub(crate) struct ApprovalProof(());

/// What the rules say about a call.
pub(crate) enum Authorization {
    Granted(ApprovalProof),
    /// A person has to say yes.
    NeedsApproval(NeededApproval),
}

/// That somebody has to be asked, and why, if the host's own rule says so.
pub(crate) struct NeededApproval(Option<String>);

/// A decoded call that may run.
struct Admitted(PanicGuarded);

/// An admitted call with all that it needs to run.
pub(super) struct Claimed {
    pub(super) tool: PanicGuarded,
    pub(super) hold: Option<Box<dyn Hold>>,
}

/// A call that is answered.
pub(crate) struct CallOutcome {
    pub(crate) status: CallStatus,
    pub(crate) output: ToolOutput,
    /// For the log only.
    pub(crate) log: String,
    pub(crate) effect: EffectOutcome,
    pub(crate) origin: Origin,
    /// What the tool says that its answer was made from.
    pub(crate) evidence_draft: Option<Box<EvidenceDraft>>,
}

/// What is known of an ended call's effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EffectOutcome {
    /// The tool answered.
    Answered,
    /// The tool failed, and would fail again.
    Final,
    /// The tool failed, had no effect, and may succeed another time.
    Transient,
    /// The tool did not run.
    NotRun,
    /// The tool may have had its effect.
    Unknown,
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
    let started = guard(|| PanicGuarded::new(tool.start.start(scope.clone())));
    let panicked = |text| Refusal::unreadable(format!("panicked: {text}"));
    let mut parked = started.map_err(panicked)?;
    // Reading arguments runs code of the tool's author: their `Deserialize`, their defaults.
    match parked.poll(&mut idle) {
        Ok(Poll::Pending) => Ok(Decoded(parked)),
        Ok(Poll::Ready(_)) => Err(Refusal::arguments(scope)),
        Err(text) => Err(panicked(text)),
    }
}

/// Decides whether the call may run by its tool's permission and the host's own rule; asks nobody.
pub(crate) async fn rule(call: &ToolCall) -> Result<Authorization, Box<Refusal>> {
    let Some(scope) = call.scope() else { return Ok(Authorization::Granted(ApprovalProof(()))) };
    let concerned = scope.registered().policy_stages.consult || call.approval().ticket.is_some();
    let governor = scope.runtime().governor().filter(|_| concerned);
    let ruling = match governor {
        Some(governor) => governor.rule(call).await?,
        None => by_permission(call, scope)?,
    };
    Ok(match ruling {
        PolicyDecision::Allow => Authorization::Granted(ApprovalProof(())),
        PolicyDecision::RequireApproval(reason) => {
            Authorization::NeedsApproval(NeededApproval(reason))
        }
    })
}

fn by_permission(call: &ToolCall, scope: &CallScope) -> Result<PolicyDecision, Box<Refusal>> {
    match scope.tool().permission() {
        Permission::Allow => Ok(PolicyDecision::Allow),
        // A dry run of a write has no effect to ask about; a read gives its data all the same.
        Permission::Ask if call.approver().is_some() || scope.withholds_effect() => {
            Ok(PolicyDecision::Allow)
        }
        Permission::Ask => Ok(PolicyDecision::RequireApproval(None)),
        Permission::Deny => Err(Refusal::denied_tool()),
    }
}

/// Asks whoever has to be asked.
pub(crate) async fn ask(
    call: &mut ToolCall,
    asking: NeededApproval,
) -> Result<ApprovalProof, Box<Refusal>> {
    let runtime = call.runtime().clone();
    match runtime.governor() {
        Some(governor) => governor.ask(call, asking.0).await.map(ApprovalProof),
        None => Err(Refusal::needs_confirmation()),
    }
}

/// Takes a decoded call through the stages that are left.
pub(crate) async fn carry(
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
            // A dry run that fails before a decision answers the call that waits for it.
            let answers_a_call = has_failed && scope.is_rehearsal();
            match evidence_collector(scope, answers_a_call).filter(|_| is_tools_own) {
                Some(evidence_collector) => {
                    proven(evidence_collector.prove(scope, ended), &mut hold).await
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

/// Lets a call in, if it can be run at all.
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

/// Waits for the proof, while the hold is kept.
async fn proven(
    proving: BoxFuture<'_, CallOutcome>,
    hold: &mut Option<Box<dyn Hold>>,
) -> CallOutcome {
    let Some(hold) = hold else { return proving.await };
    match select(proving, hold.keep()).await {
        Either::Left((ended, _)) => ended,
        // Whoever has taken the key over hears nothing of this; the answer is proven even so.
        Either::Right(((), proving)) => proving.await,
    }
}

/// Returns the keeper of evidence of what a tool says, where the call has to leave some: a dry run of
/// a write only if it answers another call.
fn evidence_collector(scope: &CallScope, answers_a_call: bool) -> Option<&dyn EvidenceCollector> {
    let leaves_evidence = scope.registered().traits.evidence
        && scope.replay_of().is_none()
        && (answers_a_call || !scope.withholds_effect());
    scope.runtime().evidence_collector().filter(|_| leaves_evidence)
}

/// Refuses a call whose proof is required and could not be kept, before its tool has an effect.
async fn provable(scope: &CallScope) -> Result<(), Box<Refusal>> {
    if !scope.registered().traits.requires_evidence {
        return Ok(());
    }
    match evidence_collector(scope, false) {
        Some(evidence_collector) => evidence_collector.ready(scope).await,
        None => Ok(()),
    }
}

/// Takes what the call needs to run: a place, its turn, its key. Or it is answered already.
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

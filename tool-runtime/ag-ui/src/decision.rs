//! The answers to interrupts, checked before any of them takes effect.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::value::RawValue;
use tool_runtime_agent::{PendingCall, SuspendedRun};
use tool_runtime_core::policy::Ticket;
use uuid::Uuid;

use crate::caller::AgUiCaller;
use crate::input::{ResumeEntry, ResumeStatus};
use crate::problem::RunProblem;

/// The decision about a waiting call.
#[derive(Debug)]
pub(crate) enum Decision {
    Approve {
        edited_arguments: Option<Box<RawValue>>,
    },
    Decline {
        feedback: String,
    },
    /// The caller takes its own request back, which needs no approver.
    Withdraw,
}

/// A waiting call, and the decision about it.
#[derive(Debug)]
pub(crate) struct DecidedCall {
    pub(crate) pending: PendingCall,
    pub(crate) decision: Decision,
}

/// The payload of a resolved interrupt. Unknown fields are refused: a misspelt `editedArgs` must not run
/// the arguments that the person has replaced.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct DecisionPayload {
    approved: bool,
    #[serde(default)]
    feedback: Option<String>,
    #[serde(default)]
    edited_args: Option<Box<RawValue>>,
}

/// Reads the decisions, in the order of the waiting calls.
pub(crate) fn read_decisions(
    entries: &[ResumeEntry],
    run: &SuspendedRun,
    caller: &AgUiCaller,
) -> Result<Vec<DecidedCall>, RunProblem> {
    let waiting: HashMap<Uuid, &PendingCall> =
        run.pending().iter().filter_map(|it| Some((interrupt_id(it)?, it))).collect();
    let mut decided: HashMap<Uuid, Decision> = HashMap::new();
    for (index, entry) in entries.iter().enumerate() {
        let place = format!("resume[{index}]");
        let id = Uuid::parse_str(&entry.interrupt_id).ok().filter(|id| waiting.contains_key(id));
        let id = id.ok_or_else(|| unknown_interrupt(&place))?;
        let decision = read_decision(&place, entry)?;
        let needs_approver = !matches!(decision, Decision::Withdraw);
        if needs_approver && caller.approver().is_none() {
            let message = format!(
                "{place}: the caller may not decide about calls; send the answer as a person who is \
                 authenticated as an approver"
            );
            return Err(RunProblem::new("approver_required", message));
        }
        if decided.insert(id, decision).is_some() {
            let message = format!("{place}.interruptId: the interrupt has two answers; send one");
            return Err(RunProblem::new("invalid_resume", message));
        }
    }
    let in_order = run.pending().iter().filter_map(|pending| {
        let decision = decided.remove(&interrupt_id(pending)?)?;
        Some(DecidedCall { pending: pending.clone(), decision })
    });
    Ok(in_order.collect())
}

/// Returns the id of the interrupt for a waiting call: that of its ticket.
pub(crate) fn interrupt_id(pending: &PendingCall) -> Option<Uuid> {
    Ticket::parse(pending.ticket()).ok().map(|ticket| ticket.id())
}

pub(crate) fn unknown_interrupt(place: &str) -> RunProblem {
    let message = format!(
        "{place}.interruptId: no call of this thread waits under this id; answer the interrupts of its \
         newest run"
    );
    RunProblem::new("unknown_interrupt", message)
}

fn read_decision(place: &str, entry: &ResumeEntry) -> Result<Decision, RunProblem> {
    match entry.status {
        ResumeStatus::Cancelled => Ok(Decision::Withdraw),
        ResumeStatus::Resolved => {
            let payload = entry.payload.as_deref().map_or("null", RawValue::get);
            let payload: DecisionPayload = serde_json::from_str(payload).map_err(|_| {
                let message = format!(
                    "{place}.payload: expected an object with `approved`, true or false, and at most \
                     `feedback` as a text and `editedArgs` as an object"
                );
                RunProblem::new("invalid_resume", message)
            })?;
            Ok(if payload.approved {
                Decision::Approve { edited_arguments: payload.edited_args }
            } else {
                Decision::Decline { feedback: payload.feedback.unwrap_or_default() }
            })
        }
    }
}

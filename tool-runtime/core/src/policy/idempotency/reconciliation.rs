//! Reconciles an earlier run: the tool reports whether it had its effect.

use std::pin::pin;
use std::time::Instant;

use super::ClaimedKey;
use crate::dispatch::answer;
use crate::dispatch::attempt::{AttemptOutcome, ToolAttempt};
use crate::dispatch::decode::{Decoded, decode};
use crate::dispatch::outcome::CallOutcome;
use crate::dispatch::run::while_claimed;
use crate::timer::whole_millis;
use crate::tool::{CallScope, ReconcileOutcome, ToolEnd};

/// The result of a reconciliation.
pub(super) enum EarlierOutcome {
    Happened(Box<CallOutcome>),
    DidNotHappen,
    /// The tool does not know, or failed.
    Unknown,
    /// Another owner has taken the key over meanwhile.
    LeaseLost,
}

/// Runs the tool's `reconcile`, within the call's deadline and while the key is held.
pub(super) async fn reconcile(
    scope: &CallScope,
    key: &mut ClaimedKey,
    started: Instant,
) -> EarlierOutcome {
    let reconciling = scope.reconciling();
    let Ok(Decoded(tool)) = decode(&reconciling) else { return EarlierOutcome::Unknown };
    let attempt = ToolAttempt::after_waiting(&reconciling, tool, started);
    let reconciled = while_claimed(&reconciling, attempt, pin!(key.keep_lease())).await;
    drop(reconciling.end());
    let Some((outcome, time)) = reconciled else { return EarlierOutcome::LeaseLost };
    match outcome {
        AttemptOutcome::Ended(ToolEnd::Reconciled(ReconcileOutcome::DidNotHappen)) => {
            EarlierOutcome::DidNotHappen
        }
        AttemptOutcome::Ended(ToolEnd::Reconciled(ReconcileOutcome::Happened(answer))) => {
            let took_ms = whole_millis(time);
            EarlierOutcome::Happened(Box::new(answer::answered(scope, answer, took_ms, None)))
        }
        AttemptOutcome::Ended(
            ToolEnd::Reconciled(ReconcileOutcome::Unknown)
            | ToolEnd::Refused
            | ToolEnd::Answered(_)
            | ToolEnd::Failed(_)
            | ToolEnd::Panicked(_),
        )
        | AttemptOutcome::Panicked(_)
        | AttemptOutcome::TimedOut
        | AttemptOutcome::Cancelled
        | AttemptOutcome::LeaseLost => EarlierOutcome::Unknown,
    }
}

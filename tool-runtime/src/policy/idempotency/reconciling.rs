//! Asks a tool what became of an earlier run.

use std::pin::pin;
use std::time::Instant;

use super::KeyHold;
use crate::call::{CallScope, ReconcileOutcome, ToolEnd};
use crate::dispatch::attempt::{Attempt, Outcome};
use crate::dispatch::fitting;
use crate::dispatch::pipeline::{CallOutcome, Decoded, decode};
use crate::dispatch::running::while_held;

/// What the tool found out.
pub(super) enum Found {
    Happened(Box<CallOutcome>),
    DidNotHappen,
    /// It does not know, or failed to find out.
    Unknown,
    /// Somebody else has taken the key over meanwhile.
    Superseded,
}

/// Asks the tool, within the call's deadline and while the key is held.
pub(super) async fn ask(scope: &CallScope, hold: &mut KeyHold, started: Instant) -> Found {
    let asking = scope.reconciling();
    let Ok(Decoded(tool)) = decode(&asking) else { return Found::Unknown };
    let attempt = Attempt::after_waiting(&asking, tool, started);
    let asked = while_held(&asking, attempt, pin!(hold.keep())).await;
    drop(asking.end());
    let Some((outcome, time)) = asked else { return Found::Superseded };
    match outcome {
        Outcome::Ended(ToolEnd::Reconciled(ReconcileOutcome::DidNotHappen)) => Found::DidNotHappen,
        Outcome::Ended(ToolEnd::Reconciled(ReconcileOutcome::Happened(answer))) => {
            let took_ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
            Found::Happened(Box::new(fitting::answered(scope, answer, took_ms, None)))
        }
        _ => Found::Unknown,
    }
}

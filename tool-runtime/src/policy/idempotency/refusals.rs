//! What a keyed call is told that does not run.

use std::time::Duration;

use tool_contracts::{CallStatus, ErrorCode};

use crate::dispatch::refusal::{Refusal, superseded};
use crate::failure::Failure;
use crate::policy::asking::store_down;
use crate::store::StoreError;

fn refusal(code: ErrorCode, reason: &str, message: &'static str) -> Failure {
    let failure = Failure::of(code).with_message(message).with_detail("reason", reason);
    failure.with_detail("effect", "none")
}

fn not_executed(failure: Failure) -> Box<Refusal> {
    Refusal::new(CallStatus::NotExecuted, failure)
}

pub(super) fn key_required() -> Box<Refusal> {
    let message = "this tool runs under an idempotency key only, which the host has to give";
    not_executed(refusal(ErrorCode::InvalidArgument, "key_required", message))
}

/// A key belongs to somebody.
pub(super) fn nobody() -> Box<Refusal> {
    let message =
        "an idempotency key belongs to somebody, and this call names no user and no actor";
    not_executed(refusal(ErrorCode::Unauthorized, "no_principal", message))
}

pub(super) fn key_reused() -> Box<Refusal> {
    let message = "this idempotency key belongs to a call with other arguments";
    not_executed(refusal(ErrorCode::InvalidArgument, "key_reused", message))
}

/// How long a caller is told to wait for a call that still runs, at most.
const LONGEST_WAIT: Duration = Duration::from_secs(1);
const SHORTEST_WAIT: Duration = Duration::from_millis(50);

pub(super) fn in_flight(left: Duration) -> Box<Refusal> {
    let wait = left.clamp(SHORTEST_WAIT, LONGEST_WAIT);
    let message = "the same call is still running; try again later for its answer";
    let failure = refusal(ErrorCode::Conflict, "in_flight", message);
    not_executed(failure.with_retry_after_ms(u64::try_from(wait.as_millis()).unwrap_or(1_000)))
}

/// Somebody else took the key over before this run began.
pub(super) fn taken_over() -> Box<Refusal> {
    not_executed(superseded())
}

/// Only a person can tell what became of an earlier run.
pub(super) fn outcome_unknown() -> Box<Refusal> {
    let failure = Failure::of(ErrorCode::NeedsUserConfirmation)
        .with_message(
            "an earlier run of this call may have had its effect or not: \
             a person has to find out before it can run again",
        )
        .with_detail("reason", "outcome_unknown")
        .with_detail("effect", "unknown");
    not_executed(failure)
}

pub(super) fn store_failed(error: &StoreError) -> Box<Refusal> {
    let message = "the store that keeps this call from running twice cannot take it; \
                   it was not run";
    not_executed(store_down(error).with_message(message).with_detail("effect", "none"))
}

pub(super) fn answer_unreadable(log: String) -> Box<Refusal> {
    let message = "this call was answered before, and the answer cannot be read any more";
    not_executed(refusal(ErrorCode::Internal, "answer_unreadable", message).with_log(log))
}
